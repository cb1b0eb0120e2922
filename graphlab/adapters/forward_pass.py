"""The events of a forward pass are read from the graph that it left; nothing is run again.

Operations are in the order in which they ran. An operation without gradient left no node, so its
result is a constant, which has its value from the beginning. The text of an event says what the
operation computes, and why it saves values.

Read next: adapters/native/recording.py
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.graph_walk import targets_of
from graphlab.adapters.native.result_names import INNER
from graphlab.adapters.native.variable_names import bracketed, index_text
from graphlab.adapters.rule_text import formula_spans, joined
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices
from graphlab.graph.event_log import ForwardPart
from graphlab.graph.events import (
    Computed,
    Equation,
    Event,
    Factor,
    ForwardBegan,
    ForwardFinished,
    Product,
    SavedKept,
    Span,
    Spans,
)
from graphlab.graph.events.event import in_words, listed, named, told
from graphlab.graph.events.passes import MOST_LEAVES
from graphlab.graph.model import NodeInfo, Saved, TensorId, TensorInfo
from graphlab.graph.value import Value
from graphlab.ops.base import rule_arguments

NOTE = "leaves and constants have values; results computed without gradients count as constants"
LONGEST = 80  # characters of a formula in numbers; a longer one is left out
SETS = ("copy", "fill", "fill_tensor", "zero")  # operations that ignore what a part held before
MOST_INPUTS = 4  # that a formula lists, for an operation such as cat
_WORD = re.compile(r"[A-Za-z][\w ]*")
# the name of a variable, not an expression
_NAME = re.compile(r"(earlier )?[^\W\d][\w.\[\]]*( \d+)?")
ValueOf = Callable[[TensorId], Value | None]  # the value at that time; None if it is unknown


def whole_forward(copied: Copied) -> tuple[ForwardPart, ...]:
    """The forward pass of a whole graph; a value that was changed in place since is left out."""

    def values(node: Node) -> ValueOf:
        def value(id: TensorId) -> Value | None:
            return None if copied.changed_after(node, id) else copied.infos[id].value

        return value

    graph = copied.graph
    return (
        ForwardPart(0, forward_part(copied, graph.tensors, (graph.root,), copied.nodes, values)),
    )


def forward_part(
    copied: Copied,
    tensors: Iterable[TensorInfo],
    roots: tuple[TensorId, ...],
    nodes: Iterable[Node],
    values: Callable[[Node], ValueOf],
    held: int = 0,
    number: int = 1,
    count: int = 1,
) -> tuple[Event, ...]:
    """The events of a forward pass.

    tensors: those that the backward pass will meet, in their order. nodes: those that ran.
    values: returns the values at the time when a node ran. held: bytes of saved tensors at the
    beginning. number, count: the number of the backward pass, and how many there are.
    """
    ran = sorted(nodes, key=lambda node: copied.graph.node(copied.node_ids[node]).sequence)
    made = {id for node in ran for id in copied.outputs(node)}
    size = sum(saved.nbytes for node in ran for saved in _saved(copied, node))
    memory, title = (held, held + size), ", ".join(copied.label(root) for root in roots)
    began = _began([*tensors], title, roots, made, len(ran), memory)
    events: list[Event] = [replace(began, number=number, count=count)]
    for node in ran:
        events += operation(copied, node, values(node))
    value = copied.graph.tensor(roots[0]).value
    text = "" if value is None or value.text == "no value" else value.text
    ending = Equation(
        (named(title), " is computed"),
        (("value", text, roots[0]),) if text else (),
        "every value that the backward pass needs is saved",
    )
    events.append(ForwardFinished(roots[0], title, text, held + size, ending))
    return tuple(events)


def _began(
    tensors: Sequence[TensorInfo],
    title: str,
    roots: tuple[TensorId, ...],
    made: set[TensorId],
    operations: int,
    memory: tuple[int, int],
) -> ForwardBegan:
    """The beginning of a forward pass. memory: bytes of saved tensors at its beginning and end."""
    leaves = [tensor for tensor in tensors if tensor.is_leaf and tensor.requires_grad]
    names = tuple(leaf.label for leaf in leaves)
    symbols = (named(title), " from ", *listed([*names], MOST_LEAVES))
    numbers: list[Span] = []
    for leaf in leaves[:MOST_LEAVES]:
        said = leaf.value.text if leaf.value is not None else "no value"
        numbers += ["   "] if numbers else []
        numbers += [named(leaf.label), " ", ("value", said, leaf.id)]
    if len(leaves) > MOST_LEAVES:
        numbers.append(f"   and {len(leaves) - MOST_LEAVES} more")
    there = tuple(tensor.id for tensor in tensors if tensor.id not in made)
    equation = Equation(symbols if leaves else symbols[:1], tuple(numbers), NOTE)
    return ForwardBegan(title, roots, names, operations, there, *memory, equation)


def _saved(copied: Copied, node: Node) -> list[Saved]:
    """The saved values of a node that are not freed."""
    found = copied.graph.node(copied.node_ids[node]).saved
    return [saved for saved in found if not saved.freed]


def ready(copied: Copied, inputs: Sequence[TensorId], info: NodeInfo) -> str:
    """Why an operation can run now, in one sentence."""
    if info.made_by is not None:
        return "It ran in a backward pass that was itself recorded (create_graph=True)."
    named_ones = [id for id in inputs if copied.infos[id].name]
    labels = [*dict.fromkeys(map(copied.label, named_ones or inputs))]
    said = in_words(labels)
    if len(labels) == 1:
        return f"Its input {said} is known, and this operation is the next in your code."
    return f"Its inputs {said} are known, and this operation is the next in your code."


def operation(copied: Copied, node: Node, value: ValueOf) -> list[Event]:
    """The events of one operation: it computes, and saves."""
    text = ForwardText(copied, value)
    info = copied.graph.node(copied.node_ids[node])
    equation, told, label = text.equation(node, text.note(node, info))
    inputs = copied.inputs(node)
    why, product = ready(copied, inputs, info), text.product(node)
    events: list[Event] = [
        Computed(
            info.id, info.name, copied.outputs(node), inputs, label, equation, why, told, product
        )
    ]
    kept = _saved(copied, node)
    words = () if isinstance(node, Context) or node.op.variadic else node.op.inputs
    seen = dict(zip(words, inputs, strict=False))
    for saved in kept:
        input_ = seen.get(saved.name) if saved.value is not None else None
        held = (value(input_) if input_ else None) or saved.value  # as it was then
        shown = saved.text if held is None else held.text
        why = text.reason(node, saved)
        events.append(SavedKept(info.id, info.name, saved.name, shown, saved.nbytes, why))
    if not info.saved and info.op != "copy_slices":
        events.append(SavedKept(info.id, info.name, "", "", 0, "its rules need no values"))
    return events


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
        shown = "".join(span if isinstance(span, str) else span[1] for span in formula)
        # not "view = view(x)", nor "x[0] = x[0]"
        is_name = is_name and shown != label and not shown.startswith(f"{label.split(' ')[0]}(")
        symbols = (named(label), " = ", *formula) if is_name else formula
        results: list[Span] = []
        value = None
        for tensor in made:
            value = self.value(tensor.id)
            gone = "was changed since" if tensor.value is not None else "no variable holds any more"
            if value is not None and value.text == "no value":  # only its shape is known
                value, gone = None, "no variable holds any more"
            said = ("value", f"a value that {gone}")
            results += [", "] if results else []
            results.append(said if value is None else ("value", value.text, tensor.id))
        value = value if len(made) == 1 else None
        numbers = self.numbers(node, value) if value is not None else ()
        equation = Equation(symbols, (*numbers, " = ", *results) if numbers else (*results,), note)
        return equation, () if value is None else entries(value, made[0].id), label

    def written(self, node: Node, span: Callable[[TensorId], Span]) -> Spans:
        """The formula of an operation, with a span for each input."""
        ids = self.copied.inputs(node)
        if not isinstance(node, Context | CopySlices) and not node.op.variadic:
            words = dict(zip(node.op.inputs, map(span, ids), strict=False))
            found = formula_spans(node.op.forward, words, self.copied.options(node))
            if found and (node.op.pointwise or not {*found} <= {"(", ")", *words.values()}):
                return found
        inputs = [span(id) for id in ids]
        if isinstance(node, CopySlices):
            is_set = node.inner is not None and node.inner.op.name in SETS and len(inputs) > 1
            return (
                inputs[0],
                " with a part ",
                *(("set to ", inputs[1]) if is_set else ("changed",)),
            )
        own = isinstance(node, Context)
        index = "" if own else index_text(node.op.name, self.copied.options(node))
        return (inputs[0], index) if index else self.called(node, inputs)

    def called(self, node: Node, inputs: list[Span]) -> Spans:
        """An operation as a call: softmax(z)."""
        if isinstance(node, Context):
            word = node.function.__name__
        else:
            symbol = node.op.symbol
            word = symbol if _WORD.fullmatch(symbol) else INNER.sub("", node.op.name)
        parts: list[Span] = [word.replace(" ", "_"), "("]
        for k, span in enumerate(inputs[:MOST_INPUTS]):
            parts += [", ", span] if k else [span]
        return joined((*parts, ", …)" if len(inputs) > MOST_INPUTS else ")"))

    def numbers(self, node: Node, made: Value) -> Spans:
        """The formula with the values of the inputs, or with the shapes of matrices; () if neither.

        An input that was changed in place since has no value.
        """
        if isinstance(node, Context | CopySlices) or node.op.name in ("select", "slice"):
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
