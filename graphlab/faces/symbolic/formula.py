"""`formula(e)`: the expression that a graph computes, in the names of its leaves; also as code.

The code, for SymPy or NumPy, is only written, never run. Names become identifiers (`lambda` becomes
`lambda_`), and a comment gives the original name. SymPy's code makes the same expression again,
NumPy's computes its value.

Read next: graph/model.py
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
from graphlab.faces.symbolic.budget import Budget, Unsupported, flat, size_of, with_floats
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.interpretation import exact_interpretation, forward
from graphlab.faces.symbolic.live_graph import Tensor, require_tensor, walk
from graphlab.faces.symbolic.local_derivatives import FormulaArithmetic, set_by
from graphlab.faces.symbolic.mp_arithmetic import ExactConstants, context
from graphlab.faces.symbolic.symbol_names import SymbolTable, name_tensors
from graphlab.primitives.sympy_reading.object_arrays import bare, each, places

MOST_SYMBOLS = 256
LARGEST = 20_000  # operations, as a tree
DEEPEST = 150  # nested operations; SymPy prints by recursion
WORK = 50_000  # entries calculated
FORMS = ("expression", "latex", "numpy", "sympy")
SIGNS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
KNOWN = [("real",), *((sign, "real") for sign in SIGNS), ("integer",)]
KNOWN += [(sign, "integer") for sign in SIGNS]


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a tensor that a symbol stands for. index: () for a tensor of one entry."""

    name: str
    index: tuple[int, ...]
    shape: tuple[int, ...]


def formula(
    tensor: Tensor, names: Mapping[Any, str] | None = None, form: str = "expression"
) -> Any:
    """Return the SymPy expression of a tensor in terms of its leaves; an array for several entries.

    names: a name for each leaf, by the tensor or its id; the others are x1, x2, ...
    form: "expression", or "latex", "sympy" or "numpy" for text to copy.
    A Function of the user's own is written out if its forward can be read as formulas that hold at
    all values, for which it runs again; otherwise it is the name of a function: Own(x).
    Raises: TypeError if it is not a tensor; ValueError for an unknown form, and if there is no
    formula or it is too large.

    >>> import graphlab as torch
    >>> a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    >>> formula(torch.log(a) * b + 0.5, names={a: "a", b: "b"})
    b*log(a) + 1/2
    >>> print(formula(a * b, names={a: "a", b: "b"}, form="numpy"))
    import numpy
    <BLANKLINE>
    def formula(a, b):
        return a*b
    """
    require_tensor(tensor, "formula")
    if form not in FORMS:
        raise ValueError(f"unknown form {form!r} (must be one of {sorted(FORMS)})")
    arithmetic, reading, table = FormulaArithmetic(), ExactConstants(), SymbolTable()
    entries = exact_interpretation(arithmetic, reading)
    graph = walk(tensor)
    count = sum(t.numel() for t in graph.leaves)
    if count > MOST_SYMBOLS:
        raise refused(f"it has {count} leaf entries, more than {MOST_SYMBOLS}")
    if graph.depth > DEEPEST:
        raise refused(f"it is nested {graph.depth} operations deep, more than {DEEPEST}")
    named = name_tensors(graph.leaves, names)
    given = {t: table.entries(t, named[t]) for t in graph.leaves}
    for leaf, symbols in given.items():
        for index in places(np.shape(symbols)):
            value = context().mpf(float(np.asarray(leaf._data)[index]))
            arithmetic.point[np.asarray(symbols, object)[index]] = value
    sizes: dict[Any, int] = {}

    def measure(made: Any) -> None:
        for entry in np.asarray(made, object).flat:
            if isinstance(entry, sympy.Basic) and size_of(entry, sizes) > LARGEST:
                raise Unsupported(f"it has more than {LARGEST} operations")

    entries.check_value, entries.run_custom = measure, unknown_function
    for name, extreme in (("max_dim", "amax"), ("min_dim", "amin")):
        entries.overrides = {**entries.overrides, name: extreme_along(entries.primitives[extreme])}
    record_functions(graph, graph.leaves)
    graph.functions = {n: f for n, f in graph.functions.items() if not f.value_dependent}
    try:
        try:
            values = forward(graph, given, entries, Budget(WORK))
        except Unsupported:
            if not graph.functions:
                raise
            graph.functions = {}
            values = forward(graph, given, entries, Budget(WORK))
    except Unsupported as reason:
        large = "more than" in str(reason) or "too large" in str(reason)
        raise refused(str(reason), large) from None
    except RecursionError:
        raise refused("it is nested too deeply for SymPy") from None
    made = as_sympy(each(arithmetic.shown)(values[graph.root]), tensor)
    return in_form(made, form, table.latex, entries_of(given, named))


def in_form(made: Any, form: str, latex: Mapping[Any, str], entries: Mapping[Any, Entry]) -> Any:
    """Return the expression in the requested form. Raises: ValueError if it has no code."""
    if form == "latex":
        return set_by(made, latex)
    if form == "sympy":
        return sympy_code(made, "formula")
    return numpy_code(made, entries, "formula") if form == "numpy" else with_floats(made)


def extreme_along(extreme: Any) -> Any:
    """Return a forward of max or min along a dimension that gives the formula Max(...)."""

    def call(x: Any, *, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
        values = extreme(x, (dim,), keepdim)
        return values, np.zeros(np.shape(values), np.int64)

    return call


def unknown_function(node: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """Return the outputs of a user-defined Function as f(x), an undefined function of SymPy."""
    given = [entry for data in inputs for entry in np.asarray(data, object).flat]
    name, outputs = re.sub(r"\W", "_", node.function.__name__), node._extra["outputs"]
    shapes = [() if known is None else known[0] for known in outputs]
    results, count = [], sum(int(np.prod(shape)) for shape in shapes)
    for shape in shapes:
        out = np.empty(shape, object)
        for index in places(shape):
            label = name if count == 1 else "_".join((name, str(len(results)), *map(str, index)))
            out[index] = sympy.Function(label, real=True)(*given)
        results.append(bare(out))
    return tuple(results)


def as_sympy(data: Any, tensor: Tensor) -> Any:
    """Return exact entries as SymPy data: one expression, or an array of them."""
    flat = [sympy.sympify(entry) for entry in np.asarray(data, object).flat]  # numbers, never text
    return flat[0] if tensor.numel() == 1 else sympy.Array(flat, tuple(tensor.shape))


def refused(reason: str, large: bool = True) -> ValueError:
    """Return the error for a formula that would fill pages, or that SymPy cannot express."""
    what = "the formula of this tensor is too large to write down"
    what = what if large else "this tensor has no formula here"
    part = "smaller " * large + "part"
    return ValueError(f"{what}: {reason}; ask for the formula of a {part} of the graph")


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
