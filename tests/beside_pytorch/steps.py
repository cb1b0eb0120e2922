"""What happens in a backward pass, step by step: as PyTorch's engine runs it, and as we show it.

PyTorch is watched by hooks on every node; GraphLab is read from the timeline of `trace`. Both give
the same list of steps, in which arrays are summarised as in a picture.

Read next: tests/beside_pytorch/compare.py
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import graphlab
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value, summarise
from graphlab.tensor.tensor import Tensor

LEAF = "torch::autograd::AccumulateGrad"


@dataclass
class Step:
    """One node that ran: the gradients that came, those that it sent, and what it had saved.

    came, sent: None where there was no gradient. saved: Values, or texts of options. core: what
    the node's `_saved_*` give, for GraphLab alone.
    """

    name: str
    came: list[Value | None]
    sent: list[Value | None] = field(default_factory=list)
    saved: dict[str, Any] = field(default_factory=dict)
    core: dict[str, Any] = field(default_factory=dict)


def value_of(item: Any) -> Any:
    """A tensor as its summary; a tuple of them as a tuple; anything else as its repr."""
    if isinstance(item, tuple | list):
        parts = [value_of(part) for part in item]
        return repr(tuple(item)) if all(isinstance(p, str) for p in parts) else tuple(parts)
    if item is None or isinstance(item, int | float | bool | str):
        return repr(item)
    if hasattr(item, "detach"):
        return summarise(array_of(item))
    return str(item)


def array_of(tensor: Any) -> np.ndarray:
    """The entries of a tensor of either library."""
    held = tensor.detach()
    if getattr(held, "_is_zerotensor", bool)():
        return np.zeros(tuple(held.shape), str(held.dtype).removeprefix("torch."))
    return np.asarray(held.numpy())


def saved_of(node: Any) -> dict[str, Any]:
    """The `_saved_*` attributes of a node of either library."""
    names = [name for name in dir(node) if name.startswith("_saved_")]
    names = [name for name in names if name != "_saved_saved_tensors"]  # of a custom Function
    return {name.removeprefix("_saved_"): value_of(getattr(node, name)) for name in names}


# -- PyTorch ---------------------------------------------------------------------------------------


def nodes_behind(root: Any) -> list[Any]:
    """Every node that a backward pass from `root` may run."""
    found, waiting = {root: None}, [root]
    while waiting:
        for node, _ in waiting.pop().next_functions:
            if node is not None and node not in found:
                found[node] = None
                waiting.append(node)
    return list(found)


def steps_of_pytorch(root: Any, gradient: Any = None) -> list[Step]:
    """What PyTorch's engine does in `root.backward(gradient)`, which is run."""
    with watched(root) as steps:
        root.backward(gradient, retain_graph=True)
    return steps


@contextmanager
def watched(root: Any) -> Iterator[list[Step]]:
    """Inside, what PyTorch's engine does in a backward pass from `root` is noted."""
    steps: list[Step] = []
    handles = []
    for node in nodes_behind(root.grad_fn if root.grad_fn is not None else root):
        handles.append(node.register_prehook(entering(node, steps)))
        if node.name() != LEAF:
            handles.append(node.register_hook(leaving(node, steps)))
    try:
        yield steps
    finally:
        for handle in handles:
            handle.remove()


def entering(node: Any, steps: list[Step]) -> Any:
    """A hook that notes which gradients come to a node, and what the node had saved."""
    saved = saved_of(node)

    def enter(grads: Any) -> None:
        steps.append(Step(node.name(), [shown(grad) for grad in grads], saved=saved))

    return enter


def leaving(node: Any, steps: list[Step]) -> Any:
    """A hook that notes which gradients a node sends along its edges."""
    edges = [target is not None for target, _ in node.next_functions]

    def leave(sent: Any, came: Any) -> None:
        steps[-1].sent = [shown(g) if edge else None for g, edge in zip(sent, edges, strict=True)]

    return leave


def shown(grad: Any) -> Value | None:
    """A gradient that a hook received."""
    return None if grad is None else summarise(array_of(grad))


# -- GraphLab --------------------------------------------------------------------------------------


def steps_of_graphlab(root: Tensor, gradient: Tensor | None = None) -> list[Step]:
    """What the timeline of `root` shows."""
    core = {id_: saved_of(node) for id_, node in live_nodes(root)}
    return steps_of_timeline(graphlab.trace(root, gradient), core)


def live_nodes(root: Tensor) -> Iterator[tuple[str, Any]]:
    """The nodes of a graph, with their ids in a trace."""
    from graphlab.adapters.native.graph_copy import copy_of
    from graphlab.adapters.native.variable_names import Names

    copied = copy_of(root, Names())
    return ((copied.node_ids[node], node) for node in copied.nodes)


def steps_of_timeline(timeline: Timeline, core: dict[str, Any]) -> list[Step]:
    """The steps that a timeline shows."""
    steps: list[Step] = []
    graph, sent = timeline.graph, {}
    for event in timeline:
        match event.kind:
            case "NodeEntered":
                node = graph.node(event.node)
                sent = {}
                known = core.get(node.id, {})  # nothing: a custom Function, or nothing is saved
                saved = {one.name: one.value or one.text for one in node.saved if known}
                steps.append(Step(node.name, [event.gradient], saved=saved, core=known))
                edges = {edge.id: edge.index for edge in graph.edges_from(node.id)}
            case "RuleApplied":
                sent[edges[event.edge]] = event.contribution
            case "Reduced":
                sent[edges[event.edge]] = event.value
            case "HookCalled":
                sent |= {edges[edge]: value for edge, value in event.sent}
            case "LeafWritten":
                steps.append(Step(LEAF, [event.added]))
            case "SavedFreed":
                last = max([*sent, -1])
                steps[-1].sent = [sent.get(k) for k in range(last + 1)]
    return steps
