"""Equations write the chain rule for one edge in symbols, in numbers and in words.

Read next: adapters/rule_text.py
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from graphlab.adapters.native.facts import is_plain
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.variable_names import bracketed
from graphlab.adapters.rule_text import Reader, Unreadable, is_call, local_factor, returned, written
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.events import Equation, Factor, Product, Span, Windows
from graphlab.graph.events.event import Form, Operator, shape_text
from graphlab.graph.model import EdgeInfo
from graphlab.graph.value import Value, summarise
from graphlab.ops.base import IF_MEAN, rule_arguments

_METHOD = re.compile(r"\.\w+\(")
Phrase = tuple[Span, ...]  # what a rule does, in the middle of a sentence: "times b = 3.0"


class Equations:
    """Writes the equations of one backward pass.

    title: the tensor whose gradients are computed, "loss".
    """

    def __init__(self, copied: Copied, title: str, edges: list[EdgeInfo]) -> None:
        self.copied, self.title = copied, title
        self.uses = Counter(edge.tensor for edge in edges)
        self.inputs_of = Counter((edge.source, edge.tensor) for edge in edges)

    def of_edge(
        self,
        node: Node,
        edge: EdgeInfo,
        upstream: Value,
        made: str,
        contribution: ArraySample,
        slope: ArraySample | None,
    ) -> tuple[Equation, Phrase, Product | None]:
        """The equation of one rule, the rule in words, and the arrays that it multiplies.

        made: the label of the output that the upstream gradient belongs to.
        """
        to, which = self.copied.label(edge.tensor), ""
        came, local = partial(self.title, made), partial(made, to)
        if self.inputs_of[edge.source, edge.tensor] > 1:  # a*a: the derivative by this input alone
            words = list(node.op.rules)
            word = words[edge.index] if edge.index < len(words) else f"(input {edge.index})"
            local = partial(made, word)
            which = f", where {word} is input {edge.index + 1}"
        # a tensor that is used more than once gets a part of its gradient from each use
        equals = " = " if self.uses[edge.tensor] == 1 else " gets "
        start = (partial(self.title, to), equals)
        symbols: tuple[Span, ...] = (*start, ("gradient", came), " · ", ("value", local))
        result: Span = ("gradient", summarise(contribution).text, "contribution")
        came_in: Span = ("gradient", upstream.text, "upstream")
        if isinstance(node, Context):
            note = f"{node.function.__name__}.backward, which you wrote"
            return Equation(symbols, (came_in, " → ", result), note), (), None
        op, inputs = node.op, list(node.op.rules)
        input_ = inputs[0 if op.variadic else min(edge.index, len(inputs) - 1)]
        rule = op.rules[input_]
        names, options = self.copied.names_of_inputs(node), self.copied.options(node)
        factor = local_factor(rule, names, options) if op.pointwise else ""
        held = self.copied.graph.node(self.copied.node_ids[node]).saved
        saved = {one.name: one.value for one in held if one.value is not None}
        turned, sides = self._transposed(node), sides_of(rule, options)
        factors = Factors({**names, "grad": came}, options, saved, sides, turned)
        product = factors.product(upstream, contribution, factor, slope)
        words = dict.fromkeys(names, "n")
        if not factor or local_factor(rule, words, options).startswith("["):  # not a list [3.0]
            note = said(op.phrases[input_], options) or f"the rule of {node.name()}"
            sums = contribution.shape != upstream.shape
            text = written(rule, {**names, "grad": came}, {**options, "sums": sums})
            shown = factors.symbols() or ((text,) if text else symbols[2:])
            equation = Equation((*start, *shown), (came_in, " → ", result), note)
            return equation, factors.phrase(), product
        plain = is_plain(factor)
        factor = factor.strip("()") if plain else factor
        many = math.prod(upstream.shape) > 1
        number = factor if slope is None or (plain and many) else summarise(slope).text
        entrywise = slope is not None and not plain and many
        if entrywise:
            symbols = (*start, ("gradient", came), " ⊙ ", ("value", local))
        sign = " ⊙ " if entrywise else " × "
        # a number in the formula of the rule is not updated with values
        is_written = slope is None or (plain and number == factor)
        local_number = ("value", number) if is_written else ("value", number, "slope")
        numbers = (came_in, sign, local_number, " = ", result)
        if factor == "1":
            note = f"{local} = 1{which}: the gradient passes unchanged"
            return Equation(symbols, numbers, note), (), None
        note = f"{local} = {factor}{which}{saved_as(saved, rule)}"
        if number == factor:  # a number, or a list of entries
            return Equation(symbols, numbers, note), ("times ", local_number), product
        if plain or number.startswith("("):  # the shape of an array
            return Equation(symbols, numbers, note), ("times ", ("value", factor)), product
        of = "slope"
        for one in held if entrywise else ():
            value = saved.get(one.name)
            if value and not value.shape and one.tensor and names.get(one.name) == factor:
                of, number = one.tensor, value.text  # it was broadcast, but it is one number
        named = ("value", f"{factor} = {number}", f"{of}:named")
        return Equation(symbols, numbers, note), ("times ", named), product

    def _transposed(self, node: Node) -> dict[str, str]:
        """The inputs that are transposed matrices, with the names of these matrices."""
        found, graph = {}, self.copied.graph
        for word, id in zip(node.op.inputs, self.copied.inputs(node), strict=False):
            tensor = graph.tensor(id)
            if tensor.producer is not None:
                maker = graph.node(tensor.producer)
                if maker.op == "t" or (maker.op == "permute" and tensor.label.endswith(".T")):
                    found[word] = self.copied.label(maker.inputs[0])
        return found


def saved_as(saved: Mapping[str, Value], rule: Any) -> str:
    """The end of a note: the saved tensors that a rule reads, " · saved as self"."""
    words = rule_arguments(rule)
    names = " and ".join([name for name in saved if name in words])
    return names and f" · saved as {names}"


def said(phrase: str, options: dict[str, Any]) -> str:
    """A phrase as it holds here: with a mean if it is taken, and without "times alpha" for 1.

    >>> said("the gradient, divided by n if the mean is taken", {"reduction": 2})
    'the gradient'
    """
    if phrase.endswith(IF_MEAN):
        has_mean = options["reduction"] == 1
        return phrase.removesuffix(IF_MEAN) if has_mean else phrase.rpartition(", ")[0]
    head, _, option = phrase.rpartition(", times ")
    return head if options.get(option) == 1 else phrase


def summed(rule: Equation, shape: tuple[int, ...], to: Value, name: str) -> Equation:
    """The equation of a rule whose result is then summed back to the shape before a broadcast."""
    symbols = (*rule.symbols[:2], "Σ ", *rule.symbols[2:])
    numbers = (*rule.numbers, ", Σ = ", ("gradient", to.text, "sent"))
    shapes = f"summed from {shape_text(shape)} to {shape_text(to.shape)}"
    return Equation(symbols, numbers, f"{rule.note}; {shapes}, because {name} was broadcast")


def partial(of: str, by: str) -> str:
    """∂of/∂by, in brackets where a name is an expression, or ends with the call of a method.

    >>> partial("a*b", "w[0].bias"), partial("y", "a.exp()")
    ('∂(a*b)/∂w[0].bias', '∂y/∂(a.exp())')
    """
    names = (f"({name})" if _METHOD.search(name) else bracketed(name) for name in (of, by))
    return "∂{}/∂{}".format(*names)


# -- the two arrays that a rule multiplies -------------------------------------------------------


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
    """The factors that a rule multiplies, read from its source; None for any other rule.

    >>> def grad_mat2(grad, self): return matmul(transpose(self, 0, 1), grad)
    >>> sides_of(grad_mat2, {}).left
    Side(word='self', form='transposed')
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
    if isinstance(tree, ast.Call) and isinstance(name := tree.args[0], ast.Name):
        if is_call(tree, "transpose"):
            return Side(name.id, "transposed")
        if is_call(tree, "unsqueeze"):
            return Side(name.id, "row" if ast.unparse(tree.args[1]) == "0" else "column")
    raise Unreadable


@dataclass(frozen=True, slots=True)
class Factors:
    """The factors of one rule, with the user's names.

    names: of each argument of the rule; `grad` is a partial derivative. turned: of the arguments
    that are transposed matrices, the names of the matrices themselves.
    """

    names: Mapping[str, str]
    options: Mapping[str, Any]
    saved: Mapping[str, Value]
    sides: Sides | None
    turned: Mapping[str, str]

    def symbols(self) -> tuple[Span, ...]:
        """The product Xᵀ ∂L/∂Y; () for a rule that is not a product of matrices."""
        sides = self.sides
        if sides is None or sides.operator == "⊙" or not self.names.keys() >= sides.words:
            return ()
        times = () if sides.times == 1 else (f"{sides.times:g} · ",)
        sign = " " if sides.operator == "@" else f" {sides.operator} "
        return (*times, self._span(sides.left), sign, self._span(sides.right))

    def phrase(self) -> Phrase:
        """The product in the middle of a sentence; () for other rules."""
        sides = self.sides
        if sides is None or sides.operator != "@" or not self.symbols():
            return ()
        on, other = ("left", sides.left) if sides.right.word == "grad" else ("right", sides.right)
        return f"multiplies it on the {on} by ", self._span(other)

    def product(
        self, upstream: Value, contribution: ArraySample, factor: str, slope: ArraySample | None
    ) -> Product | None:
        """The arrays that the rule multiplies; None if it makes a single number.

        factor, slope: the local derivative of a pointwise operation.
        """
        if upstream.dtype == "tuple" or contribution.size < 2:
            return None
        sides, came = self.sides, Factor(self.names["grad"])
        if slope is not None and slope.size == contribution.size and not is_plain(factor):
            word = sides.right.word if sides is not None else ""
            held = self.saved.get(word)
            if held is not None and held.shape == slope.shape:
                return Product("⊙", came, Factor(factor, saved=word))
            shown = factor if ", " in factor else factor.strip("[]")  # [x > 0], but not a list
            return Product("⊙", came, Factor(shown, value=summarise(slope)))
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
        turned = self.turned.get(side.word)  # W.T transposed is W
        sign = "" if is_plain(name) else "ᵀ"  # a number is its own transpose
        return "value", bracketed(turned) if turned else bracketed(name) + sign

    def _windows(self, sides: Sides) -> Windows | None:
        if sides.operator not in ("⋆", "∗"):
            return None
        return Windows(*(tuple(self.options[word]) for word in ("stride", "padding", "dilation")))
