"""The two arrays that a rule multiplies are read from its source, so nothing is written down twice.

    matmul(transpose(self, 0, 1), grad)   self, transposed, @ grad
    grad * other                          grad ⊙ other

Read next: adapters/rule_text.py
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphlab.adapters.native.facts import is_plain
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.variable_names import bracketed
from graphlab.adapters.rule_text import Reader, Unreadable, is_call, returned
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.events import Factor, Product, Span, Windows
from graphlab.graph.events.product import Form, Operator
from graphlab.graph.value import Value, summarise

# primitive -> its sign, and the roles of its two factors; the result has the third role.
# ⋆ is cross-correlation; ∗ is convolution, which flips the kernel.
WINDOWED: dict[str, tuple[Operator, Form, Form]] = {
    "convolve": ("⋆", "image", "kernel"),
    "correlate": ("⋆", "image", "output"),
    "convolve_transposed": ("∗", "output", "kernel"),
}


@dataclass(frozen=True, slots=True)
class Side:
    """One factor: its name in the rule, and how it is read."""

    word: str
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Sides:
    """The two factors of a rule, one of which is `grad`, and a number before them."""

    operator: Operator
    left: Side
    right: Side
    times: float = 1

    @property
    def words(self) -> set[str]:
        """The names of both factors in the rule."""
        return {self.left.word, self.right.word}


def sides_of(rule: Callable[..., Any], options: Mapping[str, Any]) -> Sides | None:
    """The factors that a rule multiplies; None for a rule that does something else.

    >>> def grad_mat2(grad, self): return matmul(transpose(self, 0, 1), grad)
    >>> found = sides_of(grad_mat2, {})
    >>> found.operator, found.left, found.right.word
    ('@', Side(word='self', form='transposed'), 'grad')
    """
    tree = returned(rule)
    if tree is None:
        return None
    reader, number = Reader({}, options), 1.0
    try:
        tree = reader.chosen(tree)
        if is_call(tree, "times"):
            number, tree = reader.constant(tree.args[1]), tree.args[0]
        found = _product(tree)
    except Unreadable:
        return None
    if found is None or number is None or "grad" not in (found[1].word, found[2].word):
        return None
    return Sides(*found, number)


def _product(tree: ast.expr) -> tuple[Operator, Side, Side] | None:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        left, right = _side(tree.left), _side(tree.right)
        return ("⊗" if left.form else "⊙"), left, right
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    if tree.func.id == "matmul":
        return "@", _side(tree.args[0]), _side(tree.args[1])
    if tree.func.id in WINDOWED:
        sign, *forms = WINDOWED[tree.func.id]
        left, right = tree.args[:2]
        return sign, Side(_side(left).word, forms[0]), Side(_side(right).word, forms[1])
    return None


def _side(tree: ast.expr) -> Side:
    """A name, perhaps transposed or turned into a column or a row."""
    if isinstance(tree, ast.Name):
        return Side(tree.id)
    if is_call(tree, "transpose") and isinstance(tree.args[0], ast.Name):
        return Side(tree.args[0].id, "transposed")
    if is_call(tree, "unsqueeze") and isinstance(tree.args[0], ast.Name):
        return Side(tree.args[0].id, "row" if ast.unparse(tree.args[1]) == "0" else "column")
    raise Unreadable


class Factors:
    """The factors of the rules of one node, with the user's names.

    names: the user's name for each argument of a rule; `grad` is a partial derivative.
    """

    def __init__(
        self, copied: Copied, node: Node, names: Mapping[str, str], options: Mapping[str, Any]
    ) -> None:
        self.names, self.options = names, options
        saved = copied.graph.node(copied.node_ids[node]).saved
        self.saved = {one.name: one.value for one in saved if one.value is not None}

    def symbols(self, rule: Callable[..., Any]) -> tuple[Span, ...]:
        """The product of a rule, Xᵀ ∂L/∂Y; () for a rule that is not a product of matrices."""
        sides = sides_of(rule, self.options)
        if sides is None or sides.operator == "⊙" or not self.names.keys() >= sides.words:
            return ()
        times = () if sides.times == 1 else (f"{sides.times:g} · ",)
        sign = " " if sides.operator == "@" else f" {sides.operator} "
        return (*times, self._span(sides.left), sign, self._span(sides.right))

    def phrase(self, rule: Callable[..., Any]) -> tuple[Span, ...]:
        """A product of matrices in the middle of a sentence; () for other rules."""
        sides = sides_of(rule, self.options)
        if sides is None or sides.operator != "@" or not self.names.keys() >= sides.words:
            return ()
        on, other = ("left", sides.left) if sides.right.word == "grad" else ("right", sides.right)
        return f"multiplies it on the {on} by ", self._span(other)

    def product(
        self,
        rule: Callable[..., Any],
        upstream: Value,
        contribution: ArraySample,
        factor: str,
        slope: ArraySample | None,
    ) -> Product | None:
        """The arrays that a rule multiplies; None if it makes a single number.

        factor, slope: the local derivative of a pointwise operation.
        """
        if upstream.dtype == "tuple" or contribution.size < 2:
            return None
        sides = sides_of(rule, self.options)
        came = Factor(self.names["grad"])
        if slope is not None and slope.size == contribution.size and not is_plain(factor):
            word = sides.right.word if sides is not None else ""
            held = self.saved.get(word)
            if held is not None and held.shape == slope.shape:
                return Product("⊙", came, Factor(factor, saved=word))
            return Product("⊙", came, Factor(factor.strip("[]"), value=summarise(slope)))
        if sides is None or not {"grad", *self.saved} >= sides.words:
            return None
        left, right = self._factor(sides.left), self._factor(sides.right)
        times = "" if sides.times == 1 else f"{sides.times:g}"
        if sides.operator == "⊙":
            return Product("·", left, right) if not upstream.shape else None
        return Product(sides.operator, left, right, times, self._windows(sides))

    def _factor(self, side: Side) -> Factor:
        (_, text), saved = self._span(side), "" if side.word == "grad" else side.word
        return Factor(text, side.form, saved)

    def _span(self, side: Side) -> tuple[str, str]:
        name = self.names[side.word]
        if side.word == "grad":
            return "gradient", f"({name})ᵀ" if side.form == "transposed" else name
        if side.form != "transposed":
            return "value", bracketed(name)
        turned = name.endswith(".T")  # W.T transposed is W
        return "value", bracketed(name[:-2]) if turned else bracketed(name) + "ᵀ"

    def _windows(self, sides: Sides) -> Windows | None:
        if sides.operator not in ("⋆", "∗"):
            return None
        return Windows(*(tuple(self.options[word]) for word in ("stride", "padding", "dilation")))
