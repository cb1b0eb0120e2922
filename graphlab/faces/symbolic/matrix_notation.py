"""Gradients in matrix notation: ∂(xᵀAx)/∂x = (A + Aᵀ) x.

The rules of linear algebra run on terms; a gradient without a notation is written by its name,
∂L/∂Y. The entries of the resulting notation are compared with SymPy's derivative: it is shown only
if all entries agree.

Read next: faces/symbolic/matrix_terms.py
"""

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.backward_interpretation import gradient_of
from graphlab.faces.symbolic.budget import Unsupported
from graphlab.faces.symbolic.chain_rule import symbols_of_graph
from graphlab.faces.symbolic.interpretation import Interpretation, outputs_of
from graphlab.faces.symbolic.live_graph import (
    Key,
    Node,
    Subgraph,
    Tensor,
    input_gradients,
    inputs_of,
    key,
    key_of,
    node_and_output,
    options_of,
    walk,
)
from graphlab.faces.symbolic.local_derivatives import LocalDerivatives, set_by
from graphlab.faces.symbolic.matrix_rules import (
    CALLED,
    MOVING,
    PASSING,
    PRIMITIVES,
    NoNotation,
    TensorTerm,
    called,
    is_algebra,
    named,
    sum_to,
    times,
)
from graphlab.faces.symbolic.matrix_terms import ATOM, Term, identity, ones, scaled, shape_of
from graphlab.faces.symbolic.mp_arithmetic import OutsideDomain, evaluate
from graphlab.faces.symbolic.problem import CheckedGraph
from graphlab.faces.symbolic.symbol_names import tex_name
from graphlab.faces.symbolic.symbolic_graph import SymbolicGraph
from graphlab.primitives.sympy_reading.object_arrays import bare, places

MOST_ENTRIES = 36  # the gradient of a larger tensor gets no notation
POINTS = 2  # random points at which entries are compared, besides the current values
SAME = 1e-40  # relative; values have 50 digits
LONGEST = 130  # characters of LaTeX: a longer notation is harder to read than the entries
SHORT = 60  # the most characters of a result in the name of its gradient, ∂L/∂(...)
LONG = 90  # characters: a longer gradient is written by its name


class Notation:
    """The tensors of one graph and their gradients in matrix notation."""

    def __init__(self, graph: Subgraph, formulas: SymbolicGraph, local: LocalDerivatives) -> None:
        self.graph, self.formulas, self.local = graph, formulas, local
        self.users: dict[Key, list[tuple[Node, int]]] = {}
        for node in graph.nodes:
            for index, edge in enumerate(node._next):
                if edge is not None:
                    self.users.setdefault(key(edge), []).append((node, index))
        self.terms = Interpretation(PRIMITIVES, self.constant, exact=False)
        self._values: dict[Key, TensorTerm] = {}
        self._gradients: dict[Key, TensorTerm | None] = {}

    def of(self, tensor: Tensor) -> str:
        """Return the gradient of a tensor in LaTeX; "" if no notation has the right entries."""
        try:
            found = self.gradient(key_of(tensor))
            if found is None or found.shape != tuple(tensor.shape):
                return ""
            term = found.term
            own = self.upstream_name(self.local.tex(key_of(tensor)))
            if len(term.tex) > LONGEST or own in term.tex:  # ∂f/∂A = 2 ∂f/∂A says nothing
                return ""
            return term.tex if self.agrees(tensor, term) else ""
        except (Unsupported, RecursionError, ValueError, TypeError):
            return ""

    def agrees(self, tensor: Tensor, term: Term) -> bool:
        """Return whether the notation's entries equal SymPy's derivatives, perhaps in 40 digits."""
        made = term.entries().reshape(tuple(tensor.shape))
        derivatives = [self.formulas.derivative((tensor, i)) for i in places(tuple(tensor.shape))]
        pairs = [(a, sympy.sympify(b)) for a, b in zip(derivatives, made.flat, strict=True)]
        left = [pair for pair in pairs if pair[0] != pair[1]]
        found = [same_at(left, point) for point in self.points(left)] if left else [True]
        return False not in found and True in found

    def points(self, pairs: list[tuple[Any, Any]]) -> Iterator[dict[Any, Any]]:
        """Yield the current values, and others if no switch depends on them."""
        now = self.formulas.arithmetic.point
        yield dict(now)
        switches = self.formulas.arithmetic.switches
        if any(s in switches for pair in pairs for e in pair for s in e.free_symbols):
            return
        source = random.Random(0)
        for _ in range(POINTS):
            yield {symbol: value * (1 + source.random() / 2) for symbol, value in now.items()}

    # -- tensors ----------------------------------------------------------------------------------

    def value(self, key: Key) -> TensorTerm:
        """Return a tensor as its name, or as the notation of the operation that made it."""
        if key not in self._values:
            self._values[key] = self._value(key)
        return self._values[key]

    def _value(self, key: Key) -> TensorTerm:
        if isinstance(key, Tensor) or node_and_output(key) in self.local.checked.inner:
            return named(self.local.tex(key), self.formulas.values[key])
        return self.operation(key)

    def operation(self, key: Key) -> TensorTerm:
        """Return a result as the notation of the operation that made it, or as its name."""
        data, (node, _) = self.formulas.values[key], node_and_output(key)
        options = options_of(node)
        if not node.many and (node.op.name in CALLED or is_algebra(node.op.name, options)):
            try:
                inputs = self.inputs(node)
                made = called(node.op.name, options, inputs[0], data)
                return made or outputs_of(node, inputs, self.terms)[0]
            except (NoNotation, NameError):
                pass
        return named(self.local.tex(key), data)

    def inputs(self, node: Node) -> list[TensorTerm]:
        """Return the inputs of a node as terms."""
        keys = [key(edge) for edge in node._next if edge is not None]
        return inputs_of(node, {one: self.value(one) for one in keys}, self.terms)

    def constant(self, value: Any) -> TensorTerm:
        """Return a constant as its variable's name, a number or I. Raises: NoNotation."""
        data = self.formulas.entries.constant_input(value)
        name = self.local.checked.called.get(id(value)) if isinstance(value, Tensor) else None
        if name is not None:
            return named(tex_name(name), data)
        if np.size(data) == 1:
            number = sympy.sympify(np.ravel(np.asarray(data, object))[0])
            if number.is_Rational:
                return TensorTerm(scaled(ones((1, 1)), number), tuple(np.shape(data)))
        if is_identity(data):
            return TensorTerm(identity(len(data)), tuple(np.shape(data)))
        raise NoNotation

    def shape(self, key: Key) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return tuple(np.shape(self.formulas.values[key]))

    # -- gradients --------------------------------------------------------------------------------

    def gradient(self, key: Key) -> TensorTerm | None:
        """Return the gradient of a tensor, the sum over its uses; None if there is no notation."""
        if key not in self._gradients:
            self._gradients[key] = None
            with suppress(NoNotation):
                self._gradients[key] = self._gradient(key)
        return self._gradients[key]

    def _gradient(self, key: Key) -> TensorTerm | None:
        if key == self.graph.root:
            data = self.formulas.entries.constant(self.local.checked.gradient)
            if np.size(data) != 1:
                return named("G", data)
            number = np.ravel(np.asarray(data, object))[0]
            return TensorTerm(scaled(ones((1, 1)), number), self.shape(key))
        shares = [self.share(node, index) for node, index in self.users.get(key, ())]
        known = [share for share in shares if share is not None]
        return sum(known[1:], known[0]) if known and len(known) == len(shares) else None

    def upstream(self, result: Key) -> TensorTerm | None:
        """Return the gradient of a result, or its name if the gradient is too long."""
        found = self.gradient(result)
        moves = not isinstance(result, Tensor) and node_and_output(result)[0].op.name in MOVING
        if found is not None and (moves or len(found.term.tex) <= LONG):
            return found
        data = self.formulas.grads.get(result)
        if data is None:
            return None
        made = self.value(result).term
        by = made.tex if len(made.tex) <= SHORT else self.local.tex(result)
        by = rf"\left({made.tex}\right)" if made.tex == by and made.kind != "name" else by
        return named(self.upstream_name(by), data, "a product")

    def upstream_name(self, by: str) -> str:
        """Return the name of a gradient, ∂f/∂y. by: the LaTeX of y."""
        return rf"\frac{{\partial {self.local.tex(self.graph.root)}}}{{\partial {by}}}"

    def share(self, node: Node, index: int) -> TensorTerm | None:
        """Return what a node sends to one of its inputs; None if there is no notation."""
        result = self.used_result(node)
        try:
            grad = None if result is None else self.upstream(result)
            if result is None or grad is None:
                return None
            made = self.passed_on(node, result, grad, index)
            return None if made is None else sum_to(made, self.shape(key(node._next[index])))
        except NoNotation:
            return None

    def passed_on(self, node: Node, result: Key, grad: TensorTerm, index: int) -> TensorTerm | None:
        """Return what a node sends to one of its inputs, before broadcasts are undone."""
        if node.op.name in PASSING:
            return grad
        if is_algebra(node.op.name, options_of(node)):
            try:
                inputs = self.inputs(node)
                incoming = gradient_of(node, {result: grad}, self.terms)
                outputs = (None,) * len(node.op.outputs) if node.many else (self.operation(result),)
                return input_gradients(node, inputs, outputs, incoming, self.terms, index)[index]
            except (NoNotation, NameError):  # a primitive that has no notation
                pass
        return grad * self.slope(node, result, index) if node.op.pointwise else None

    def used_result(self, node: Node) -> Key | None:
        """Return the result that is used; None if several are."""
        if not node.many:
            return node
        keys = [(node, i) for i in range(len((node._extra or {})["outputs"]))]
        used = [one for one in keys if one in self.users or one == self.graph.root]
        return used[0] if len(used) == 1 else None

    def slope(self, node: Node, result: Key, index: int) -> TensorTerm:
        """Return the derivative entry by entry: what the rule returns for a gradient of ones."""
        slope = self.local.slope(node, index)
        if slope is None or slope.free_symbols & self.local.unnamed:
            raise NoNotation
        entries, values = self.formulas.entries, self.formulas.values
        unit = bare(np.full(self.shape(result), sympy.S.One, object))
        grad = gradient_of(node, {result: unit}, entries)
        inputs = inputs_of(node, values, entries)
        made = input_gradients(node, inputs, values[node, "all"], grad, entries)[index]
        number, slope = slope.as_coeff_Mul(rational=True)  # it moves to the front, with its sign
        if number == 0:
            raise NoNotation
        shape = tuple(np.shape(made))
        if slope == 1:  # the same number for each entry
            return times(TensorTerm(ones(shape_of(shape)), shape), number)
        found = None if shape else self.power(slope)
        if found is None:
            kind = "a sum" if slope.is_Add else "name" if slope.is_Atom else "a product"
            found = named(self.set(slope), made / number, kind)
        return times(found, number)

    def power(self, slope: Any) -> TensorTerm | None:
        """Return an integer power of a result that is one number, such as 1 / det(A)."""
        base, exponent = slope.as_base_exp()
        of = next((result for result, symbol in self.local.results() if symbol == base), None)
        if of is None or not exponent.is_Integer or self.shape(of) != ():
            return None
        return TensorTerm(scaled(ones((1, 1)), 1, [(self.value(of).term, int(exponent))]), ())

    def set(self, slope: Any) -> str:
        """Return a derivative in LaTeX, with matrix notation for results without a variable."""
        terms = {symbol: self.value(result).term for result, symbol in self.local.results()}
        loose = {s: rf"\left({t.tex}\right)" for s, t in terms.items() if t.binding != ATOM}
        tight = {s: t.tex for s, t in terms.items() if t.binding == ATOM}
        tex = set_by(slope, {**self.local.table.latex, **tight, **loose})
        for text in loose.values():  # no second pair of parentheses around a function's argument
            tex = tex.replace(rf"\left({text} \right)", text)
            inner = text.removeprefix(r"\left(").removesuffix(r"\right)")
            for command in (r"\sqrt", r"\frac"):  # whose line is enough
                tex = tex.replace(f"{command}{{{text}}}", f"{command}{{{inner}}}")
        return tex


def is_identity(data: Any) -> bool:
    """Return whether the entries are those of the identity matrix."""
    square = np.ndim(data) == 2 and len(set(np.shape(data))) == 1
    return square and bool(np.all(np.asarray(data) == np.eye(len(data), dtype=int)))


def same_at(pairs: list[tuple[Any, Any]], point: dict[Any, Any]) -> bool | None:
    """Return whether the formulas of each pair have the same value; None outside their domain."""
    memo: dict[Any, Any] = {}
    try:
        for one, other in pairs:
            a, b = (evaluate(e, point, memo=memo) for e in (one, other))
            if not abs(a - b) <= SAME * max(abs(a), abs(b), 1):
                return False
    except (OutsideDomain, ZeroDivisionError, OverflowError):
        return None
    return True


def notation_of(checked: CheckedGraph, tensor: Tensor) -> str:
    """Return the gradient of `tensor` in matrix notation, as LaTeX; "" if there is none."""
    if not 1 < tensor.numel() <= MOST_ENTRIES or tensor.ndim > 2:
        return ""
    graph = walk(checked.root, stop=[tensor] if tensor._node is not None else [])
    try:
        formulas, _ = symbols_of_graph(checked, graph, tensor)
    except Unsupported:
        return ""
    return Notation(graph, formulas, LocalDerivatives(checked)).of(tensor)
