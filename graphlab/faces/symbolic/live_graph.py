"""The only file in which the checker reads the core: autograd's nodes, its engine, its tensors.

A check reads the graph that autograd recorded, not a copy of it, so nothing is lost by copying.
Every other file of this folder imports what it needs from the core from here.

Read next: faces/symbolic/interpretation.py
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphlab.autograd import grad
from graphlab.autograd.backward import check_gradient, execute
from graphlab.autograd.context import check_gradients
from graphlab.autograd.decisions import decision_of
from graphlab.autograd.edges import key, key_of
from graphlab.autograd.function import Context, Function
from graphlab.autograd.grad_mode import enable_grad
from graphlab.autograd.hooks import HookDict
from graphlab.autograd.node import Node, Output, edge_of, extra
from graphlab.autograd.node_formulas import Entries, input_gradients, options_of, reduced
from graphlab.autograd.node_formulas import outputs_of as node_outputs
from graphlab.autograd.record import apply
from graphlab.autograd.rerun import (
    CannotRerun,
    Key,
    Subgraph,
    decided,
    find_deciding,
    inputs_of,
    node_and_output,
    picking_masks,
    rerun,
    walk,
)
from graphlab.autograd.rerun import arguments as recorded_arguments
from graphlab.autograd.saved import pin
from graphlab.autograd.topological_order import as_made, node_of
from graphlab.autograd.views import CopySlices
from graphlab.common.dtypes import float64, get_default_dtype, set_default_dtype
from graphlab.ops.base import Op
from graphlab.ops.reductions import OneOfAll
from graphlab.primitives import rebind, tensor_namespace
from graphlab.tensor.random.generator import get_rng_state, set_rng_state
from graphlab.tensor.tensor import Tensor, wrap

__all__ = [
    "CannotRerun", "Context", "CopySlices", "Entries", "Function", "Key", "Node", "OneOfAll", "Op",
    "Output", "Subgraph", "Tensor", "apply", "as_made", "check_gradient", "check_gradients",
    "decided", "decision_of", "edge_of", "enable_grad", "extra", "find_deciding", "get_rng_state",
    "grad", "in_float64", "input_gradients", "inputs_of", "key", "key_of", "node_of",
    "node_outputs", "options_of", "picking_masks", "pin", "node_and_output", "rebind",
    "recorded_arguments", "reduced", "rerun", "set_rng_state", "tensor_namespace", "walk", "wrap",
]  # fmt: skip


def results_of(node: Node) -> list[Key]:
    """Return the keys of a node's results."""
    return [node, *((node, i) for i in range(len(node._extra["outputs"])))] if node.many else [node]


def is_freed(graph: Subgraph) -> bool:
    """Return whether a backward pass has freed the saved tensors."""
    return any(node._saved is None for node in graph.nodes)


@contextmanager
def in_float64() -> Iterator[None]:
    """Let Python numbers become tensors of float64.

    Otherwise a Function that makes a tensor from a number would round what it was given.
    """
    before = get_default_dtype()
    set_default_dtype(float64)
    try:
        yield
    finally:
        set_default_dtype(before)


# -- backward passes that change nothing ----------------------------------------------------------


@contextmanager
def unchanged(nodes: Iterable[Node]) -> Iterator[None]:
    """Restore the `.grad` of all tensors whose gradient the nodes retain."""
    before = [
        (tensor, tensor._grad)
        for node in nodes
        if node._extra is not None
        for reference in node._extra.get("retained", {}).values()
        if (tensor := reference()) is not None
    ]
    try:
        yield
    finally:
        for tensor, gradient in before:
            tensor._grad = gradient


def captured(
    roots: list[tuple[Any, Any]], wanted: Iterable[Any], nodes: Iterable[Node]
) -> dict[Any, Any]:
    """Return the engine's gradient at each key in `wanted`; None if none arrives."""
    capture: dict[Any, Any] = dict.fromkeys(wanted)
    with unchanged(nodes):
        execute(roots, lambda leaf, gradient: None, True, False, capture)
    return capture


def engine_gradients(
    root: Tensor, entering: Tensor, nodes: Iterable[Node], targets: Sequence[Tensor]
) -> dict[Tensor, Any]:
    """Return autograd's gradient of each target, from a real backward pass."""
    capture = captured([(edge_of(root), entering._data)], map(key_of, targets), nodes)
    found = {}
    for tensor in targets:
        place = key_of(tensor)
        gradient = capture[place]
        if isinstance(gradient, tuple) and not isinstance(place, tuple):
            gradient = gradient[0]
        found[tensor] = np.array(np.zeros_like(tensor._data) if gradient is None else gradient)
    return found


# -- hooks -----------------------------------------------------------------------------------------

HOOKS = ("tensor hooks", "prehooks", "hooks")  # of a node
FIRST, LAST = -1, -2  # in place of the numbers of handles, which are 0 and above


def hooks_in(graph: Subgraph) -> Iterator[tuple[Any, HookDict, bool]]:
    """Yield nodes and leaves, beginning at the root, and their hooks that may change a gradient.

    The third value is whether the hooks see the gradients of a node's inputs.
    """
    for node in reversed(graph.nodes):
        extra = node._extra or {}
        for hooks in (*extra.get(HOOKS[0], {}).values(), *map(extra.get, HOOKS[1:])):
            if hooks:
                yield node, hooks, hooks is extra.get(HOOKS[2])
    for leaf in graph.leaves:
        if leaf._more is not None and leaf._more.hooks is not None and leaf._more.hooks.tensor:
            yield leaf, leaf._more.hooks.tensor, False


@contextmanager
def watched_hooks(graph: Subgraph) -> Iterator[list[tuple[Any, bool, list[Any]]]]:
    """Store the gradients that the hooks of each node and leaf are given, and what they return.

    Yields a list, like `hooks_in`, of places and lists; a backward pass adds both to the latter.
    """
    found, seen = list(hooks_in(graph)), []
    # a hook may check the graph that a check is running it for
    around = [[hooks.pop(key, None) for key in (FIRST, LAST)] for _, hooks, _ in found]
    for item, hooks, inputs in found:
        pair: list[Any] = []

        def look(value: Any, *others: Any, pair: list[Any] = pair) -> None:
            each = value if isinstance(value, tuple) else (value,)
            pair.append([None if one is None else np.array(one._data) for one in each])

        hooks[FIRST] = hooks[LAST] = look
        hooks.move_to_end(FIRST, last=False)
        seen.append((item, inputs, pair))
    try:
        yield seen
    finally:
        for (_, hooks, _), (first, last) in zip(found, around, strict=True):
            del hooks[FIRST], hooks[LAST]
            if first and last:
                hooks[FIRST], hooks[LAST] = first, last
                hooks.move_to_end(FIRST, last=False)


@contextmanager
def without_hooks(graph: Subgraph) -> Iterator[None]:
    """Let backward passes call no hook of a graph."""
    before: list[tuple[Any, str, Any, Any]] = []
    for item in dict.fromkeys(item for item, _, _ in hooks_in(graph)):
        if isinstance(item, Tensor):
            before.append((item._more, "hooks", item._more and item._more.hooks, None))
        else:
            bare = {name: value for name, value in item._extra.items() if name not in HOOKS}
            before.append((item, "_extra", item._extra, bare))
    for owner, name, _, bare in before:
        setattr(owner, name, bare)
    try:
        yield
    finally:
        for owner, name, hooked, _ in before:
            setattr(owner, name, hooked)


def require_tensor(thing: Any, function: str) -> None:
    """Raise a TypeError that says what was received and what to pass, unless it was a tensor."""
    if isinstance(thing, Tensor):
        return
    raise TypeError(
        f"graphlab.{function}(): expected a graphlab Tensor, got {type(thing).__name__}; pass a "
        "tensor that was computed from tensors with requires_grad=True, such as a loss"
    )
