"""The events of a forward pass are read from the graph that it left; nothing is run again.

Operations are in the order in which they ran. An operation without gradient left no node, so its
result is a constant, which has its value from the beginning.

Read next: adapters/native/recording.py
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from graphlab.adapters.forward_text import ForwardText, ValueOf
from graphlab.adapters.native.graph_copy import Copied
from graphlab.autograd.node import Node
from graphlab.graph.events import (
    Computed,
    Equation,
    Event,
    ForwardBegan,
    ForwardFinished,
    SavedKept,
    Span,
)
from graphlab.graph.events.event import in_words, listed, named
from graphlab.graph.events.forward import MOST_LEAVES
from graphlab.graph.forward_parts import ForwardPart
from graphlab.graph.model import NodeInfo, Saved, TensorId, TensorInfo
from graphlab.graph.value import Value

NOTE = "leaves and constants have values; results computed without gradients count as constants"


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
    text = value.text if value is not None else "no value"
    ending = Equation(
        (named(title), " is computed"),
        (("value", text, roots[0]),),
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
    for saved in kept:
        shown = saved.text if saved.value is None else saved.value.text
        why = text.reason(node, saved)
        events.append(SavedKept(info.id, info.name, saved.name, shown, saved.nbytes, why))
    if not info.saved and info.op != "copy_slices":
        events.append(SavedKept(info.id, info.name, "", "", 0, "its rules need no values"))
    return events
