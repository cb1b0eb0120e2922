"""Forward text says what an operation computes, and why it saves values.

Read next: adapters/forward_pass.py
"""

import math
import re
from collections.abc import Callable

from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.graph_walk import targets_of
from graphlab.adapters.native.variable_names import bracketed
from graphlab.adapters.rule_text import formula_spans, joined
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices
from graphlab.graph.events import Equation, Factor, Product, Span, Spans
from graphlab.graph.events.event import in_words, named, told
from graphlab.graph.model import NodeInfo, Saved, TensorId
from graphlab.graph.value import Value
from graphlab.ops.base import rule_arguments

LONGEST = 80  # characters of a formula in numbers; a longer one is left out
MOST_INPUTS = 4  # that a formula lists, for an operation such as cat
_WORD = re.compile(r"[A-Za-z][\w ]*")
_NAME = re.compile(r"(earlier )?[^\W\d][\w.\[\]]*")  # the name of a variable, not an expression
_INNER = re.compile(r"^(native|linalg|special|unsafe)_|_(dim|dims|ex|number|tensor|in_place)$")
ValueOf = Callable[[TensorId], Value | None]  # the value at that time; None if it is unknown


class ForwardText:
    """Writes about the operations of one graph.

    value: returns the value of an input as the operation saw it.
    """

    def __init__(self, copied: Copied, value: ValueOf) -> None:
        self.copied, self.value = copied, value

    # -- formulas ------------------------------------------------------------------------------

    def equation(self, node: Node, note: str) -> tuple[Equation, Spans, str]:
        """The equation of an operation, the end of its caption, and the label of its results."""
        copied = self.copied
        made = [copied.graph.tensor(id) for id in copied.outputs(node)]
        label = ", ".join(tensor.label for tensor in made)
        formula = self.written(node, lambda id: named(copied.label(id)))
        is_name = all(tensor.name and _NAME.fullmatch(tensor.name) for tensor in made)
        symbols = (named(label), " = ", *formula) if is_name else formula
        results: list[Span] = []
        for tensor in made:
            known = self.value(tensor.id)
            gone = "was changed since" if tensor.value is not None else "no variable holds any more"
            said = ("value", f"a value that {gone}")
            results += [", "] if results else []
            results.append(said if known is None else ("value", known.text, tensor.id))
        value = self.value(made[0].id) if len(made) == 1 else None
        numbers = self.numbers(node, value) if value is not None else ()
        equation = Equation(symbols, (*numbers, " = ", *results) if numbers else (*results,), note)
        return equation, () if value is None else entries(value, made[0].id), label

    def written(self, node: Node, span: Callable[[TensorId], Span]) -> Spans:
        """The formula of an operation, with a span for each input."""
        ids = self.copied.inputs(node)
        if not isinstance(node, Context | CopySlices) and not node.op.variadic:
            words = dict(zip(node.op.inputs, map(span, ids), strict=False))
            found = formula_spans(node.op.forward, words, self.copied.options(node))
            if found and not (len(found) == 1 and found[0] in words.values()):  # not "a" for a view
                return found
        return self.called(node, [span(id) for id in ids])

    def called(self, node: Node, inputs: list[Span]) -> Spans:
        """An operation as a call: softmax(z)."""
        if isinstance(node, Context):
            word = node.function.__name__
        else:
            symbol = node.op.symbol
            word = symbol if _WORD.fullmatch(symbol) else _INNER.sub("", node.op.name)
        parts: list[Span] = [word.replace(" ", "_"), "("]
        for k, span in enumerate(inputs[:MOST_INPUTS]):
            parts += [", ", span] if k else [span]
        return joined((*parts, ", …)" if len(inputs) > MOST_INPUTS else ")"))

    def numbers(self, node: Node, made: Value) -> Spans:
        """The formula with the values of the inputs, or with the shapes of matrices; () if neither.

        An input that was changed in place since has no value.
        """
        if isinstance(node, Context | CopySlices):
            return ()
        values = {id: self.value(id) for id in self.copied.inputs(node)}
        texts = {id: "" if value is None else value.text for id, value in values.items()}
        if not all(texts.values()):
            return ()
        is_product = "matmul" in node.op.forward.__code__.co_names
        if is_product and made.shape:
            texts = {id: str(tuple(value.shape)) for id, value in values.items() if value}
            found = self.written(node, lambda id: ("value", texts[id]))  # shapes are never updated
            return tuple(" @ " if span == " " else span for span in found)
        short_ones = all(is_listed(value) for value in values.values() if value)
        pointwise = node.op.pointwise or (len(texts) == 1 and made.shape == ())
        if not (short_ones and pointwise and is_listed(made)):
            return ()
        found = self.written(node, lambda id: ("value", texts[id], id))
        if sum(len(span if isinstance(span, str) else span[1]) for span in found) > LONGEST:
            return ()
        return tuple(
            span.replace(" · ", " × ") if isinstance(span, str) else span for span in found
        )

    def product(self, node: Node) -> Product | None:
        """The two matrices that an operation multiplies; None for other operations."""
        if isinstance(node, Context | CopySlices) or node.op.name not in ("mm", "bmm", "mv", "mul"):
            return None
        ids = self.copied.inputs(node)
        values = [self.value(id) for id in ids]
        if len(values) != 2 or any(value is None or math.prod(value.shape) < 2 for value in values):
            return None
        left, right = values
        if node.op.name == "mul" and (left is None or right is None or left.shape != right.shape):
            return None
        first, second = (Factor(bracketed(self.copied.label(id)), tensor=id) for id in ids)
        return Product("⊙" if node.op.name == "mul" else "@", first, second)

    # -- what is saved -------------------------------------------------------------------------

    def reason(self, node: Node, saved: Saved) -> str:
        """Why a value is saved: "the rule for a needs it"."""
        if isinstance(node, Context):
            return f"{node.function.__name__}.forward, which you wrote, saved it"
        word = saved.name.partition("[")[0]
        labels = self.users(node, word)
        if not labels:
            return "PyTorch shows it on this node as well"
        said = in_words(labels)
        return (
            f"the rule for {said} needs it" if len(labels) == 1 else f"the rules for {said} need it"
        )

    def users(self, node: Node, word: str) -> list[str]:
        """The labels of inputs that get a gradient and whose rules read a saved value."""
        op, ids = node.op, self.copied.inputs(node)
        if op.variadic:
            return [self.copied.label(id) for id in dict.fromkeys(ids)]
        names = self.copied.names_of_inputs(node)
        rules = zip(op.rules.items(), targets_of(node), strict=False)
        found = [
            names.get(input_, input_)
            for (input_, rule), target in rules
            if target is not None and word in rule_arguments(rule)
        ]
        return list(dict.fromkeys(found))

    def note(self, node: Node, info: NodeInfo) -> str:
        """What an operation saves, in a few words."""
        if isinstance(node, CopySlices):
            return "a part of the tensor is overwritten in place"
        kept = [saved for saved in info.saved if not saved.freed]
        if not kept:
            return "nothing is saved: the rules need no values"
        groups: dict[str, list[str]] = {}  # purpose -> saved values
        for saved in kept:
            labels = groups.setdefault(self.purpose(node, saved), [])
            if (label := self.saved_label(saved)) not in labels:
                labels.append(label)
        return "saved: " + "; ".join(in_words(group) + by for by, group in groups.items())

    def purpose(self, node: Node, saved: Saved) -> str:
        """The purpose of a saved value, as the end of a sentence."""
        if isinstance(node, Context):
            return f", by {node.function.__name__}.forward"
        users = self.users(node, saved.name.partition("[")[0])
        if not users:
            return ""
        return f" for the rule{'s' if len(users) > 1 else ''} of {in_words(users)}"

    def saved_label(self, saved: Saved) -> str:
        """The name of the saved tensor, or else of the attribute."""
        return saved.name if saved.tensor is None else self.copied.label(saved.tensor)


def is_listed(value: Value) -> bool:
    """Whether the text of a value shows all of it: a number, or a short list of numbers."""
    return math.prod(value.shape) == 1 or value.text.startswith("[")


def entries(value: Value, tensor: TensorId) -> Spans:
    """A description of a value whose text is only its shape: " has shape (8, 3), norm …"."""
    if is_listed(value):
        return ()
    return tuple(
        ("value", span[1], span[2]) if len(span) == 3 and span[0] == "gradient" else span
        for span in told(value, tensor)
    )
