"""The backward pass: gradients flow from the roots along the edges, each node when it is ready.

A node is ready when every node that uses its output has sent its gradient; among ready nodes the
one made last runs first, and a leaf is written at once, as in PyTorch. So a tensor that is used
twice has the sum of both gradients before it passes anything on:

    b = 2a; y = (b + 1) + (b + 2): dy/da is 4; a naive depth-first walk says 6.

Gradients are raw data, or tensors when the pass itself is recorded (`create_graph`): the loop is
the same.

Read next: autograd/backward.py
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Protocol

import numpy as np

from graphlab.autograd.node import Node, Output
from graphlab.errors import GraphFreedError
from graphlab.ops.vocabulary import sum_to
from graphlab.tensor import Tensor, wrap

Edge = Any  # a Node, an Output, or a leaf Tensor: what a gradient is sent to


class Observer(Protocol):
    """What somebody who watches a backward pass is told, in the order in which it happens."""

    def entered(self, node: Node, grad: Any, still_ready: list[Node]) -> None:
        """A node runs; the others that are ready, the next one first."""

    def applied(self, node: Node, grad: Any, made: Any, sent: Any) -> None:
        """The rules of a node made gradients of its inputs; `sent` is without broadcasts."""

    def arrived(self, leaf: Tensor, grad: Any) -> None:
        """The gradient of a leaf is complete."""


def run(
    roots: list[tuple[Edge, Any]],
    write: Callable[[Tensor, Any], None],
    keep_graph: bool = False,
    create_graph: bool = False,
    capture: dict[Any, Any] | None = None,
    observer: Observer | None = None,
) -> None:
    """Send gradients from the roots to the leaves. Time and memory are linear in the edges.

    roots: edges, each with the gradient that enters there. write: called once for each leaf.
    capture: keys are leaves, nodes or (node, output number); each is given the gradient that
    arrives there, leaves are not written, and only what leads to a key runs.
    Raises: GraphFreedError, before anything is touched, when a node was freed.
    """
    if len(roots) == 1:
        starts = [node_of(roots[0][0])]
    else:
        starts = list(dict.fromkeys(node_of(edge) for edge, _ in roots))
    waiting = count_uses(starts, capture)
    buffers: dict[Any, Any] = {}
    for edge, grad in roots:
        deliver(buffers, edge, grad)
    leaves: list[Tensor] = []  # ready leaves
    queue: list[tuple[int, Node]] = []  # ready nodes, the one made last first
    ready: Node | None = None  # the only ready node: a chain needs no queue
    for start in starts:
        if waiting.get(start) == 0:
            if isinstance(start, Tensor):
                leaves.append(start)
            else:
                heappush(queue, (-start._sequence, start))

    while True:
        for leaf in leaves:
            grad = buffers.pop(leaf, None)
            if observer is not None:
                observer.arrived(leaf, grad)
            if capture is not None:
                capture[leaf] = grad
            elif grad is not None:
                write(leaf, grad)
        if ready is not None:
            node, ready = ready, None
        elif queue:
            node = heappop(queue)[1]
        else:
            return
        leaves = []
        grad = buffers.pop(node, None)
        if node.many:
            grad = all_outputs(node, grad, create_graph, capture)
        if observer is not None:
            observer.entered(node, grad, in_order(queue))
        if node._extra is not None:
            keep_retained(node, grad)
        if capture is not None:
            if node in capture:
                capture[node] = grad
            if not any(target is not None and node_of(target) in waiting for target in node._next):
                continue
        if grad is None:
            made: Any = (None,) * len(node._next)
        else:
            made = node.vjp_tensors(grad) if create_graph else node.vjp(grad)
        sent = made if node._reduce is None else undo_broadcast(node, made, create_graph)
        if observer is not None:
            observer.applied(node, grad, made, sent)

        for target, contribution in zip(node._next, sent):  # noqa: B905  (one for each edge)
            if target is None:
                continue
            is_leaf = isinstance(target, Tensor)
            if type(target) is Output:
                deliver(buffers, target, contribution)
                target = target.node
            elif contribution is not None:
                before = buffers.get(target)
                if before is not None:
                    buffers[target] = before + contribution
                elif contribution is grad and is_leaf and not create_graph:
                    buffers[target] = grad.copy()  # others hold this array too
                else:
                    buffers[target] = contribution
            left = waiting.get(target)
            if left != 1:
                if left is None:  # nothing that was asked for lies there
                    buffers.pop(target, None)
                else:
                    waiting[target] = left - 1
            elif is_leaf:
                leaves.append(target)
            elif ready is None and not queue:
                ready = target
            else:
                if ready is not None:
                    heappush(queue, (-ready._sequence, ready))
                    ready = None
                heappush(queue, (-target._sequence, target))
        if not keep_graph and node._saved:
            node._saved = None


def node_of(edge: Edge) -> Any:
    """What runs, or is written, when the gradient of this edge is complete."""
    return edge.node if type(edge) is Output else edge


def count_uses(starts: list[Any], capture: dict[Any, Any] | None) -> dict[Any, int]:
    """For every node and leaf that can be reached, how many edges lead to it.

    With `capture`, edges count only where they lead to something that is captured.
    Raises: GraphFreedError when a node on the way was freed.
    """
    allowed = None if capture is None else leading_to(starts, capture)
    waiting = {start: 0 for start in starts}
    stack = [start for start in starts if not isinstance(start, Tensor)]
    while stack:
        node = stack.pop()
        if node._saved is None:
            raise GraphFreedError
        for target in node._next:
            if target is None:
                continue
            if type(target) is Output:
                target = target.node
            if allowed is not None and target not in allowed:
                continue
            if target in waiting:
                waiting[target] += 1
            else:
                waiting[target] = 1
                if not isinstance(target, Tensor):
                    stack.append(target)
    return waiting


def leading_to(starts: list[Any], capture: dict[Any, Any]) -> set[Any]:
    """The nodes and leaves that are wanted, or from which a wanted one can be reached."""
    found = {key[0] if isinstance(key, tuple) else key for key in capture}
    seen = {start for start in starts if not isinstance(start, Tensor)}
    stack = list(seen)
    while stack:
        for target in stack.pop()._next:
            target = node_of(target)
            if target is not None and not isinstance(target, Tensor) and target not in seen:
                seen.add(target)
                stack.append(target)
    for node in sorted(seen, key=lambda node: node._sequence):  # inputs were made before outputs
        if any(node_of(target) in found for target in node._next if target is not None):
            found.add(node)
    return found


def deliver(buffers: dict[Any, Any], edge: Edge, grad: Any) -> None:
    """Add a gradient to what has gathered at an edge (the loop does it inline)."""
    if grad is None:
        return
    if type(edge) is Output:
        gathered, key = buffers.setdefault(edge.node, {}), edge.index
    else:
        gathered, key = buffers, edge
    before = gathered.get(key)
    gathered[key] = grad if before is None else before + grad


def all_outputs(
    node: Node, gathered: dict[int, Any] | None, create_graph: bool, capture: dict[Any, Any] | None
) -> tuple[Any, ...] | None:
    """The gradients of all outputs of a node, zeros for those that nothing used."""
    if gathered is None:
        return None
    grads = []
    for index, (shape, kind) in enumerate(node._extra["outputs"]):
        grad = gathered.get(index)
        if capture is not None and (node, index) in capture:
            capture[node, index] = grad
        if grad is None and node._extra.get("materialize", True):
            zeros = np.zeros(shape, kind)
            grad = wrap(zeros, False, None) if create_graph else zeros
        grads.append(grad)
    return tuple(grads)


def undo_broadcast(node: Node, grads: Any, create_graph: bool) -> Any:
    """Sum each gradient back to the shape, and cast it to the type, that its input had."""
    back = []
    for grad, want in zip(grads, node._reduce, strict=True):
        if grad is None or want is None:
            back.append(grad)
            continue
        shape, kind = want
        data = grad
        if shape is not None:
            data = tensor_sum_to(data, shape) if create_graph else sum_to(data, shape)
            if not create_graph and not shape:
                data = data[()]
        if kind is not None:
            data = data.to(kind) if create_graph else data.astype(kind)
        back.append(data)
    return back


def tensor_sum_to(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`sum_to` for tensors, in recorded operations."""
    from graphlab.autograd.node import tensor_words

    return tensor_words["sum_to"](grad, shape)


def keep_retained(node: Node, grad: Any) -> None:
    """Write the gradient of tensors that asked for it with `retain_grad`."""
    for index, reference in node._extra.get("retained", {}).items():
        tensor = reference()
        one = grad[index] if node.many and grad is not None else grad
        if tensor is not None and one is not None:
            tensor._grad = one if isinstance(one, Tensor) else wrap(one, False, None)


def in_order(queue: list[tuple[int, Node]]) -> list[Node]:
    """The ready nodes, the next one first."""
    return [node for _, node in sorted(queue, key=lambda item: item[0])]


