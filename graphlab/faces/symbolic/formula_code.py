"""Formulas to copy, as SymPy code and as NumPy code.

The code is only written, never run. Names become identifiers (`lambda` becomes `lambda_`), and a
comment gives the original name. The SymPy code makes the same expression again, the NumPy code
computes its value.

Read next: faces/symbolic/report_table.py
"""

import builtins
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.pycode import SymPyPrinter

from graphlab.common.notebook import printable
from graphlab.faces.symbolic.budget import flat, with_floats
from graphlab.faces.symbolic.live_graph import Tensor
from graphlab.primitives.sympy_reading.object_arrays import places

SIGNS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
KNOWN = [("real",), *((sign, "real") for sign in SIGNS), ("integer",)]
KNOWN += [(sign, "integer") for sign in SIGNS]


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a tensor that a symbol stands for. index: () for a tensor of one entry."""

    name: str
    index: tuple[int, ...]
    shape: tuple[int, ...]


def entries_of(symbols: Mapping[Tensor, Any], named: Mapping[Tensor, str]) -> dict[Any, Entry]:
    """Return what each symbol stands for. symbols: those of each tensor, in its shape."""
    found = {}
    for tensor, data in symbols.items():
        for index in places(np.shape(data)):
            place = () if tensor.numel() == 1 else index
            symbol = np.asarray(data, object)[index]
            found[symbol] = Entry(named[tensor], place, tuple(tensor.shape))
    return found


def identifier(name: str, taken: Sequence[str] = ()) -> str:
    """Return a valid Python name, other than keywords, built-ins and the modules of the code.

    >>> identifier("lambda"), identifier("fc1.weight"), identifier("2x"), identifier("σ")
    ('lambda_', 'fc1_weight', '_2x', 'σ')
    >>> identifier("a b", ["a_b"])
    'a_b_'
    """
    text = re.sub(r"\W", "_", name) or "_"
    text = f"_{text}" if not text.isidentifier() else text
    while keyword.iskeyword(text) or text in RESERVED or text in taken:
        text += "_"
    return text


RESERVED = {"numpy", "math", "sympy", "digamma", "derivative", "formula", *vars(builtins)}


def identifiers(names: Sequence[str]) -> dict[str, str]:
    """Return an identifier for each name, all different."""
    found: dict[str, str] = {}
    for name in names:
        found[name] = identifier(name, list(found.values()))
    return found


# -- SymPy --------------------------------------------------------------------------------------


class AsSymPy(SymPyPrinter):
    """SymPy code that is exact: fractions stay fractions, cases stay cases."""

    called = "SymPy"

    def __init__(self, names: Mapping[Any, str]) -> None:
        super().__init__({"fully_qualified_modules": True, "strict": False})
        self.names = names

    def _print_Symbol(self, expr: Any) -> str:
        return self.names.get(expr, expr.name)

    def _print_Rational(self, expr: Any) -> str:
        return f"sympy.Rational({expr.p}, {expr.q})"

    def _print_NumberSymbol(self, expr: Any) -> str:
        return f"sympy.{expr}"

    _print_Half = _print_Rational
    _print_Pi = _print_Exp1 = _print_EulerGamma = _print_Catalan = _print_NumberSymbol

    def _print_Function(self, expr: Any) -> str:
        name, inputs = type(expr).__name__, ", ".join(map(self._print, expr.args))
        known = getattr(sympy, name, None) is type(expr)
        return f"sympy.{name}({inputs})" if known else f"sympy.Function({name!r})({inputs})"

    _print_Max = _print_Min = _print_sign = _print_Abs = _print_Mod = _print_Function

    def _print_Piecewise(self, expr: Any) -> Any:
        cases = (f"({self._print(e)}, {self._print(c)})" for e, c in expr.args)
        return f"sympy.Piecewise({', '.join(cases)})"

    def _print_Relational(self, expr: Any) -> str:
        left, right = self._print(expr.lhs), self._print(expr.rhs)
        if expr.rel_op in ("==", "!="):
            return f"sympy.{'Eq' if expr.rel_op == '==' else 'Ne'}({left}, {right})"
        return f"{left} {expr.rel_op} {right}"


def sympy_code(formula: Any, called: str = "derivative") -> str:
    """Return code that makes the formula in SymPy. called: the name of the result.

    Raises: ValueError for a function that has no code.
    """
    symbols = sorted(used(formula), key=lambda s: s.name)
    names = identifiers([s.name for s in symbols])
    printer = AsSymPy({s: names[s.name] for s in symbols})
    lines = ["import sympy", ""]
    lines += [f"{names[s.name]} = sympy.Symbol({s.name!r}, {facts(s)})" for s in symbols]
    if isinstance(formula, sympy.NDimArray):
        made = f"sympy.Array({nested(formula, printer.doprint)})"
    else:
        made = printer.doprint(formula)
    made = re.sub(r"\((sympy\.Rational\(-?\d+, \d+\))\)", r"\1", checked(made, printer))
    return "\n".join([*lines, f"{called} = {made}"])


def facts(symbol: Any) -> str:
    """Return the assumptions of a symbol as code: "real=True", "positive=True, real=True"."""
    for known in KNOWN:
        if symbol.func(symbol.name, **dict.fromkeys(known, True)) == symbol:
            return ", ".join(f"{fact}=True" for fact in known)
    return ", ".join(f"{fact}={yes}" for fact, yes in sorted(symbol.assumptions0.items()))


def used(formula: Any) -> set[Any]:
    """Return the symbols in a formula."""
    return set().union(*(sympy.sympify(entry).free_symbols for entry in flat(formula)))


def nested(formula: Any, write: Any) -> str:
    """Return an array as nested lists."""

    def rows(part: Any) -> str:
        if not isinstance(part, list):
            return write(part)
        return "[" + ", ".join(rows(one) for one in part) + "]"

    return rows(formula.tolist())


def checked(text: Any, printer: Any) -> str:
    """Return the text. Raises: ValueError that names the functions unknown to the printer."""
    unknown = re.findall(r"# Not supported in [^\n]*\n((?: *# .*\n)+)", text)
    if unknown:
        names = sorted({line.strip()[2:] for lines in unknown for line in lines.splitlines()})
        raise ValueError(f"there is no {printer.called} code for {', '.join(names)}")
    return text


# -- NumPy --------------------------------------------------------------------------------------


class AsNumPy(NumPyPrinter):
    """NumPy code; erf, gamma and the like are from Python's math module."""

    called = "NumPy"

    def __init__(self, names: Mapping[Any, str]) -> None:
        super().__init__({"fully_qualified_modules": True, "strict": False})
        self.names = names

    def _print_Symbol(self, expr: Any) -> str:
        return self.names.get(expr, expr.name)

    def _print_erf(self, expr: Any) -> str:
        return f"math.erf({self._print(expr.args[0])})"

    def _print_erfc(self, expr: Any) -> str:
        return f"math.erfc({self._print(expr.args[0])})"

    def _print_loggamma(self, expr: Any) -> str:
        return f"math.lgamma({self._print(expr.args[0])})"

    def _print_gamma(self, expr: Any) -> str:
        return f"math.gamma({self._print(expr.args[0])})"

    def _print_polygamma(self, expr: Any) -> str:
        order, x = expr.args
        return f"digamma({self._print(x)})" if order == 0 else self._print_not_supported(expr)

    def _print_Max(self, expr: Any) -> str:
        return self._in_pairs("numpy.maximum", list(expr.args))

    def _print_Min(self, expr: Any) -> str:
        return self._in_pairs("numpy.minimum", list(expr.args))

    def _in_pairs(self, name: str, args: list[Any]) -> str:
        """Return a function of two arguments, applied to several: f(f(a, b), c)."""
        text = self._print(args[0])
        for one in args[1:]:
            text = f"{name}({text}, {self._print(one)})"
        return text


DIGAMMA = """\
def digamma(x):
    below = 0.0
    while x < 10:
        below, x = below + 1 / x, x + 1
    y = 1 / x**2
    series = 1 / 240 - y * (1 / 132 - y * 691 / 32760)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * series)))
    return math.log(x) - 1 / (2 * x) - series - below
"""


def numpy_code(formula: Any, entries: Mapping[Any, Entry], called: str = "derivative") -> str:
    """Return the code of a function of the tensors that computes the number, or the array.

    Repeated parts are calculated once. called: the name of the function.
    Raises: ValueError for a function that has no code.
    """
    symbols = sorted(used(formula), key=lambda s: s.name)
    by_name = {symbol.name: entry for symbol, entry in entries.items()}
    given = {s: by_name.get(s.name, Entry(s.name, (), ())) for s in symbols}
    names = identifiers(list(dict.fromkeys(entry.name for entry in given.values())))
    written = {
        s: names[e.name] + (f"[{', '.join(map(str, e.index))}]" if e.index else "")
        for s, e in given.items()
    }
    fresh = (sympy.Symbol(f"u{k}") for k in range(1, 10**6) if f"u{k}" not in names.values())
    parts, bodies = sympy.cse(flat(with_floats(formula)), symbols=fresh, order="none")
    printer = AsNumPy(written)
    lines = [f"    {part.name} = {printer.doprint(value)}" for part, value in parts]
    if isinstance(formula, sympy.NDimArray):
        body = sympy.Array(list(bodies), formula.shape)
        made = f"numpy.array({nested(body, printer.doprint)})"
    else:
        made = printer.doprint(next(iter(bodies)))
    made = checked("\n".join([*lines, f"    return {made}"]), printer)
    notes = [f"# {names[name]} is {printable(name)}" for name in names if names[name] != name]
    shapes = {e.name: e.shape for e in given.values() if e.index}
    notes += [f"# {names[name]} has the shape {shape}" for name, shape in shapes.items()]
    helpers = [DIGAMMA] if "digamma(" in made else []
    modules = ["import math"] * ("math." in made or bool(helpers)) + ["import numpy"]
    head = f"def {called}({', '.join(names.values())}):"
    return "\n".join([*modules, "", *helpers, *notes, head, made])
