"""The derivative of each node with respect to each of its inputs, in the names of the tensors.

A tensor in a variable is a symbol of that name; any other is the expression that made it. So the
derivative of `e = c * log(d)` with respect to c is log(d), whatever c and d were made from.

Read next: faces/symbolic/chain_rule.py
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from sympy.printing.latex import LatexPrinter

from graphlab.faces.symbolic.budget import Unsupported, size_of, with_decimals
from graphlab.faces.symbolic.interpretation import Interpretation, exact_interpretation, outputs_of
from graphlab.faces.symbolic.live_graph import (
    Key,
    Node,
    Tensor,
    input_gradients,
    inputs_of,
    key,
    node_and_output,
)
from graphlab.faces.symbolic.mp_arithmetic import ExactConstants, context
from graphlab.faces.symbolic.problem import CheckedGraph
from graphlab.faces.symbolic.symbol_names import SymbolTable, escaped_tex, tex_name
from graphlab.faces.symbolic.sympy_arithmetic import SymPyArithmetic
from graphlab.primitives.sympy_reading.object_arrays import bare

NESTED = 6  # the most nested operations in the expression of a result without a variable
LONGEST = 14  # the most operations in an expression for a tensor
NO_FORMULA = (Unsupported, TypeError, ValueError, AttributeError, RecursionError)
TRIED = ("0.7", "-0.7", "3")  # values for the symbols, because comparisons need numbers


class LocalDerivatives:
    """The tensors of one graph by name, and the derivatives along its edges."""

    def __init__(self, checked: CheckedGraph) -> None:
        self.checked = checked
        self.table = SymbolTable()
        self._values: dict[Key, Any] = {}
        self._constants: dict[int, tuple[Any, sympy.Symbol]] = {}
        self.unnamed: set[Any] = set()  # symbols of constants without a variable
        self._slopes: dict[tuple[Node, int], Any] = {}
        self._symbols = SymPyArithmetic()
        self._live, self._still = self._entries(self._symbols), self._entries(DisplayArithmetic())

    def name(self, key: Key) -> str:
        """Return the name of the variable, or else the expression, or else the operation's name."""
        if isinstance(key, Tensor):
            return self.checked.named.get(key, "x")
        node, output = node_and_output(key)
        return self.checked.inner.get((node, output)) or self.checked.label(node, output)

    def tex(self, key: Key) -> str:
        """Return the name in LaTeX; an expression in parentheses."""
        value = self.value(key, 0)
        if isinstance(value, sympy.Symbol):
            return self.table.latex[value]
        tex = set_by(value, self.table.latex)
        return tex if value.is_Function else rf"\left({tex}\right)"

    def value(self, key: Key, depth: int = 0) -> Any:
        """Return the tensor as a symbol, or as the expression that made it."""
        if key not in self._values:
            self._values[key] = self._value(key, depth)
        return self._values[key]

    def _value(self, key: Key, depth: int) -> Any:
        if isinstance(key, Tensor) or node_and_output(key) in self.checked.inner:
            return self.table.make(self.name(key), ())
        node, _ = node_and_output(key)
        if depth < NESTED and node.op.pointwise and not node.many:
            try:
                (made,) = self._run(node, depth, self._still)[1]
                if size_of(made, {}) <= LONGEST:
                    return made
            except NO_FORMULA:
                pass
        symbol = self.table.make(self.name(key), ())
        tex = code(self.name(key))
        sums = any(sign in self.name(key) for sign in "+-")
        self.table.latex[symbol] = rf"\left({tex}\right)" if sums else tex
        return symbol

    def results(self) -> list[tuple[Key, sympy.Symbol]]:
        """Return the results that are symbols although they have no variable."""
        return [
            (key, value)
            for key, value in self._values.items()
            if isinstance(value, sympy.Symbol)
            and not isinstance(key, Tensor)
            and node_and_output(key) not in self.checked.inner
        ]

    def slope(self, node: Node, index: int) -> Any:
        """Return a result's derivative by one input, entry by entry; None without a formula."""
        if (node, index) not in self._slopes:
            self._slopes[node, index] = self._slope(node, index)
        return self._slopes[node, index]

    def _slope(self, node: Node, index: int) -> Any:
        if not node.op.pointwise or node.many:
            return None
        for value in TRIED:
            try:
                inputs, outputs = self._run(node, 0, self._live, value)
                one = input_gradients(node, inputs, outputs, sympy.S.One, self._live)[index]
                return self._symbols.shown(sympy.sympify(bare(one)))
            except NO_FORMULA:
                continue
        return None

    def _run(
        self, node: Node, depth: int, entries: Interpretation, value: str = TRIED[0]
    ) -> tuple[list[Any], tuple[Any, ...]]:
        """Run the node's forward on single entries; return inputs and outputs."""
        edges = [edge for edge in node._next if edge is not None]
        values = {key(edge): self.value(key(edge), depth + 1) for edge in edges}
        self._at(value, values.values())  # a mask among the inputs compares them
        inputs = inputs_of(node, values, entries)
        self._at(value, inputs)
        self._symbols.memo.clear()  # values of expressions at another point
        return inputs, outputs_of(node, inputs, entries)

    def _at(self, value: str, expressions: Iterable[Any]) -> None:
        """Give the symbols of expressions a value, for comparisons."""
        for expression in expressions:
            for symbol in getattr(expression, "free_symbols", ()):
                self._symbols.point[symbol] = context().mpf(value)

    def _entries(self, arithmetic: SymPyArithmetic) -> Interpretation:
        """Return the interpretation in which constants have their names."""
        entries = exact_interpretation(arithmetic, ExactConstants())
        exact = entries.constant
        entries.constant = lambda given: self._constant(given, exact)
        return entries

    def _constant(self, given: Any, exact: Any) -> Any:
        """Return a constant: its variable's name, its number, or one symbol for all its entries."""
        name = self.checked.called.get(id(given)) if isinstance(given, Tensor) else None
        data = exact(given)
        if name is None and np.size(data) == 1:
            return np.ravel(np.asarray(data, object))[0]
        if id(given) not in self._constants:
            text = str(np.asarray(given._data if isinstance(given, Tensor) else given).tolist())
            symbol = self.table.make(name or (text if len(text) <= 24 else "constant"), ())
            self._constants[id(given)] = given, symbol
            if name is None:
                self.unnamed.add(symbol)
                self.table.latex[symbol] = code(symbol.name)
        return self._constants[id(given)][1]


def set_by(expression: Any, names: Mapping[Any, str]) -> str:
    """Return an expression in LaTeX, with `names` for its symbols; a vector is a column.

    A symbol that is not in `names` has the LaTeX of one with the same name, or its own name.
    """
    by_name = {symbol.name: text for symbol, text in names.items()}
    expression = sympy.sympify(expression)
    symbols = expression.atoms(sympy.Symbol)
    known = ((s, names.get(s) or by_name.get(s.name) or tex_name(s.name)) for s in symbols)
    return typeset(expression, frozenset(known))


@lru_cache(512)
def typeset(expression: Any, names: frozenset[tuple[sympy.Symbol, str]]) -> str:
    """Return an expression in LaTeX, as `set_by`; a report shows most of them several times."""
    if isinstance(expression, sympy.NDimArray) and expression.rank() == 1:
        expression = sympy.Matrix(list(expression))
    expression, decimals = with_decimals(sympy.sympify(expression))
    expression, symbols = with_named_exponents(expression, {**dict(names), **decimals})
    settings = {"symbol_names": symbols, "ln_notation": False, "inv_trig_style": "full"}
    tex = FunctionNames(settings).doprint(expression)
    if "\\mathrm" in tex:  # between names, TeX would leave no space: height speed
        tex = FunctionNames({**settings, "mul_symbol": r"\;"}).doprint(expression)
    return tex


class FunctionNames(LatexPrinter):
    """Writes functions as textbooks do: ψ(x), log Γ(x), H(x), and a name of the user's as it is."""

    def _print_AppliedUndef(self, expr: Any, exp: Any = None) -> str:
        return self._called(rf"\operatorname{{{escaped_tex(expr.func.__name__)}}}", expr.args, exp)

    def _print_polygamma(self, expr: Any, exp: Any = None) -> str:
        order, x = expr.args
        above = "" if order == 0 else rf"^{{\left({self._print(order)}\right)}}"
        return self._called(rf"\psi{above}", [x], exp)

    def _print_loggamma(self, expr: Any, exp: Any = None) -> str:
        return self._called(r"\log \Gamma", expr.args, exp)

    def _print_Heaviside(self, expr: Any, exp: Any = None) -> str:
        return self._called(r"\operatorname{H}", expr.args[:1], exp)

    def _print_atan2(self, expr: Any, exp: Any = None) -> str:
        return self._called(r"\operatorname{atan2}", expr.args, exp)

    def _called(self, name: str, args: Sequence[Any], exp: Any) -> str:
        inner = ", ".join(map(self._print, args))
        tex = rf"{name}\left({inner}\right)"
        return tex if exp is None else rf"{tex}^{{{exp}}}"


def with_named_exponents(expression: Any, names: dict[Any, str]) -> tuple[Any, dict[Any, str]]:
    """Return the expression with a symbol for every long exponent, and the LaTeX of all symbols.

    SymPy's printer simplifies exponents to find out whether they are constant, which may not end.
    """
    shorter, names = {}, dict(names)
    for power in expression.atoms(sympy.exp, sympy.Pow):
        *base, exponent = power.args
        if not exponent.is_number and size_of(exponent, {}) > LONGEST:
            symbol = sympy.Dummy(real=True)
            names[symbol] = set_by(exponent, names)
            shorter[power] = power.func(*base, symbol)
    return (expression.xreplace(shorter) if shorter else expression), names


def code(text: str) -> str:
    """Return code in LaTeX, with every character escaped that could act as a command."""
    return rf"\mathtt{{{escaped_tex(text)}}}"


class DisplayArithmetic(SymPyArithmetic):
    """Entries are SymPy expressions to be read, not differentiated: Max, Min, |x|, no switches."""

    def above(self, x: Any, y: Any, tie: Any = sympy.S.Half, kind: str = "choice") -> sympy.Expr:
        difference = self.number(x) - self.number(y)
        known = self.sign_of(difference) if difference.is_number else None
        if known is not None:
            return sympy.Integer(int(known > 0))
        return sympy.Heaviside(difference, tie)

    def hold(self, entry: Any) -> sympy.Expr:
        return self.number(entry)

    def extreme(self, entries: Sequence[Any], sign: int) -> sympy.Expr:
        return (sympy.Max if sign > 0 else sympy.Min)(*map(self.number, entries))

    def direction(self, x: Any) -> sympy.Expr:
        return sympy.sign(self.number(x))

    def magnitude(self, x: Any) -> sympy.Expr:
        return sympy.Abs(self.number(x))

    def larger(self, x: Any, y: Any) -> sympy.Expr:
        return sympy.Max(self.number(x), self.number(y))

    def smaller(self, x: Any, y: Any) -> sympy.Expr:
        return sympy.Min(self.number(x), self.number(y))


class FormulaArithmetic(DisplayArithmetic):
    """As DisplayArithmetic, but a mask is a switch, which `shown` writes as cases of a formula."""

    def decide(self, x: Any, y: Any) -> sympy.Expr:
        return SymPyArithmetic.above(self, x, y, sympy.S.Zero, "mask")
