"""These functions read a live graph: its nodes, in the order of the engine, and their inputs.

They copy nothing and run nothing.

Read next: adapters/native/saved_values.py
"""

import sys
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import numpy as np

from graphlab.autograd.function import Context
from graphlab.autograd.node import LEAF, NODE, Node, Pinned
from graphlab.autograd.topological_order import as_made, nodes_behind
from graphlab.autograd.views import CopySlices
from graphlab.common.notebook import shortened
from graphlab.graph.codec import LARGEST_INTEGER
from graphlab.graph.value import summarise
from graphlab.tensor.tensor import Tensor

# AccumulateGrad's sequence number: higher than any node's. PyTorch differs: 2^64-1.
RUNS_AT_ONCE = LARGEST_INTEGER


class Moment(Pinned):
    """A saved tensor with the data that it had at one moment of a recording."""

    __slots__ = ("data", "now")

    def __init__(self, tensor: Tensor, version: int, detached: int, data: Any, now: int) -> None:
        super().__init__(tensor, version, detached)
        self.data = data
        self.now = now  # its version at that moment


def targets_of(node: Node) -> tuple[Any, ...]:
    """The edge of each input that has a rule: a Node, an Output, a leaf or None."""
    return node._next


def saved_by(node: Node) -> tuple[Any, ...] | None:
    """What a node has saved, with None in the place of what it has not; None: it was freed."""
    return node._saved


def held_by(node: Node) -> tuple[Any, ...]:
    """What a node has saved, and its inputs that need no gradient."""
    return (*(node._saved or ()), *(node._constants or ()))


def edge_of(tensor: Tensor) -> Any:
    """The node that made a tensor, or one output of it; None for a leaf."""
    return tensor._node


def engine_order(nodes: list[Node], edges: list[Any]) -> list[Any]:
    """Nodes by descending sequence number, and each leaf after its last user.

    edges: the roots; leaves among them that no node uses come last.
    """
    uses: dict[Any, int] = {}
    for node in nodes:
        for target in node._next:
            if isinstance(target, Tensor):
                uses[target] = uses.get(target, 0) + 1
    order: list[Any] = []
    alone = [edge for edge in dict.fromkeys(edges) if isinstance(edge, Tensor)]
    for node in nodes:
        order.append(node)
        for target in node._next:
            if isinstance(target, Tensor):
                uses[target] -= 1
                if uses[target] == 0:
                    order.append(target)
    return [*order, *(leaf for leaf in alone if leaf not in uses)]


def nodes_of(root: Tensor) -> list[Node]:
    """Every node that can be reached from `root`, in the order of the engine."""
    return nodes_in_order([root._node])


def nodes_in_order(edges: Iterable[Any]) -> list[Node]:
    """Every node that can be reached from some edges, in the order of the engine."""
    return as_made(nodes_behind(edges))[::-1]


def users_of_leaves(nodes: list[Node]) -> dict[Tensor, list[Node]]:
    """The nodes that send a gradient to each leaf."""
    users: dict[Tensor, list[Node]] = {}
    for node in nodes:
        for target in node._next:
            if isinstance(target, Tensor):
                users.setdefault(target, []).append(node)
    return users


def is_parameter(leaf: Tensor) -> bool:
    """Whether a leaf is a parameter of a module."""
    module = sys.modules.get("graphlab.nn.parameter")
    return module is not None and isinstance(leaf, module.Parameter)


def symbol_of(node: Node) -> str:
    """The symbol in the circle of a node."""
    if not isinstance(node, CopySlices) or node.inner is None:
        return node.op.symbol
    return f"[…] {node.inner.op.symbol}"


def target_node(target: Any) -> Any:
    """The node that an edge leads to; None if it leads to a leaf or nowhere."""
    if target is None or target._edge == LEAF:
        return None
    return target if target._edge == NODE else target.node


def input_items(node: Node) -> list[Any]:
    """The inputs of a node, in order: edges, constants and numbers."""
    if isinstance(node, Context | CopySlices) or node.op.variadic:
        constants = node._constants or (None,) * len(node._next)
        return [c if e is None else e for e, c in zip(node._next, constants, strict=True)]
    op, edges = node.op, node._next
    if len(op.rules) < len(op.inputs):  # some inputs have no gradient
        of_word = dict(zip(op.rules, edges, strict=True))
        edges = [of_word.get(word) for word in op.inputs]
    if node._constants:
        pairs = zip_longest(edges, node._constants[: len(edges)])
        edges = [constant if edge is None else edge for edge, constant in pairs]
    return [item for item in edges if item is not None]


def inputs_there(node: Node) -> list[bool]:
    """For each input of the forward, whether it is present."""
    op, kept = node.op, node._constants or (None,) * len(node.op.inputs)
    edges = dict(zip(op.rules, node._next, strict=True))
    return [
        edges.get(name) is not None or constant is not None
        for name, constant in zip(op.inputs, kept, strict=False)
    ]


def changed(tensor: Any) -> int:
    """The sequence number at which the memory of a tensor was last changed in place."""
    more = tensor._more if isinstance(tensor, Tensor) else None
    if more is None:
        return -1
    return more.moved if more.version is None else max(more.moved, more.version.changed[0])


def _option(value: Any) -> str:
    """An option as text; an array in an index, `x[mask, 0]`, is shown by its summary."""
    if isinstance(value, np.ndarray):
        return summarise(value).text
    if isinstance(value, tuple) and any(isinstance(part, np.ndarray) for part in value):
        said = ", ".join(map(_option, value))
        return f"({said},)" if len(value) == 1 else f"({said})"
    return repr(value)


def option_text(value: Any) -> str:
    """An option on one short line."""
    return shortened(_option(value), 24)
