"""The backward pass: gradients flow from the roots along the edges, each node in its turn.

A node may run when every node that uses its output has sent its gradient. A result is always made
after what it was made from, so it is enough to run the node that was made last, again and again:
whatever uses it was made later still, and has run. This is PyTorch's order too. So a tensor that
is used twice has the sum of both gradients before it passes anything on:

    b = 2a; y = (b + 1) + (b + 2): dy/da is 4; a naive depth-first walk says 6.

Gradients are written, and saved tensors freed, when all is done: a pass that fails has changed
nothing. (The memory at its peak is the same: it is highest at the start.) Gradients are raw data,
or tensors when the pass itself is recorded (`create_graph`): the loop is the same.

Read next: autograd/backward.py
"""

from collections.abc import Callable
from heapq import heappop, heappush, heapreplace
from typing import Any, Protocol

import numpy as np

from graphlab.autograd.classes import step_names, tensor_words
from graphlab.autograd.node import NODE, OUTPUT, Node, Output
from graphlab.ops.vocabulary import sum_to
from graphlab.tensor.tensor import Tensor, wrap

Edge = Any  # a Node, an Output, or a leaf Tensor: what a gradient is sent to


class Observer(Protocol):
    """What somebody who watches a backward pass is told, in the order in which it happens."""

    def entered(self, node: Node, grad: Any) -> None:
        """A node runs; its gradient is complete."""

    def applied(self, node: Node, grad: Any, made: Any, sent: Any) -> None:
        """The rules of a node made gradients of its inputs; `sent` has broadcasts undone."""

    def hooked(self, item: Any, output: int, before: Any, after: Any) -> None:
        """Hooks saw the gradient of an output of a node, or of a leaf, and passed one on."""


def run(
    roots: list[tuple[Edge, Any]],
    write: Callable[[Tensor, Any], None],
    keep_graph: bool = False,
    create_graph: bool = False,
    capture: dict[Any, Any] | None = None,
    observer: Observer | None = None,
    accumulate: bool = False,
) -> None:
    """Send gradients from the roots to the leaves. Time and memory are linear in the edges.

    roots: edges, each with the gradient that enters there. write: called once for each leaf, and
    for each tensor that retains its gradient.
    capture: keys are leaves, nodes or (node, output number); each is given the gradient that
    arrives there, leaves are not written, and only what leads to a key runs.
    accumulate: leaves that are keys are written instead.
    Raises: GraphFreedError when a node was freed, ModifiedInPlaceError when what it saved changed.
    """
    allowed: set[Any] | None = None
    asked: set[Any] = set()
    if capture is not None:
        allowed = leading_to([node_of(edge) for edge, _ in roots], capture)
        asked = {key[0] if isinstance(key, tuple) else key for key in capture}
    gathered: dict[Any, Any] = {}  # nodes that wait -> the gradient that has come so far
    queue: list[tuple[int, Node]] = []  # nodes that wait, the one made last first
    leaves: dict[Tensor, Any] = {}
    retained: list[tuple[Tensor, Any]] = []
    done: list[Node] = []
    node: Node | None = None
    grad: Any = None
    if len(roots) == 1 and roots[0][0]._edge == NODE:
        node, grad = roots[0]
        roots = []
    if allowed is not None and len(roots) > 1:
        roots = [(edge, entering) for edge, entering in roots if node_of(edge) in allowed]
    for edge, entering in roots:
        if isinstance(edge, Tensor):
            add_to(leaves, edge, entering if create_graph else entering.copy())
        elif deliver(gathered, edge, entering):
            heappush(queue, (-node_of(edge)._sequence, node_of(edge)))
    if not create_graph and capture is None and observer is None:
        run_plain(node, grad, write, keep_graph, leaves, gathered, queue)
        return
    while node is not None or queue:
        if node is None:
            node = heappop(queue)[1]
            grad = gathered.pop(node)
        if node._extra is not None:
            retained += retaining(node, grad)
            if node.many:
                grad = all_outputs(node, grad, create_graph, capture)
        if observer is not None:
            observer.entered(node, grad)
        if capture is not None and allowed is not None:
            if node in capture:
                capture[node] = grad
            called = accumulate and asked and node in asked  # needless, but PyTorch runs these too
            if not called and not any(node_of(target) in allowed for target in node._next):
                node = None
                continue
        if grad is None:
            made: Any = (None,) * len(node._next)
        else:
            made = node.vjp_tensors(grad) if create_graph else node.vjp(grad)
        sent = made if node._reduce is None else undo_broadcast(node, made, create_graph)
        if observer is not None:
            observer.applied(node, grad, made, sent)
        following = coming = None
        for target, share in zip(node._next, sent, strict=True):
            if target is None:
                continue
            if isinstance(target, Tensor):
                reach(leaves, target, share, None if create_graph else grad)
            elif allowed is None or node_of(target) in allowed:
                following, coming = meet(target, share, following, coming, gathered, queue)
        done.append(node)
        if following is not None and queue and -queue[0][0] > following._sequence:
            gathered[following] = coming
            node = heapreplace(queue, (-following._sequence, following))[1]
            grad = gathered.pop(node)
        else:
            node, grad = following, coming

    for leaf, grad in leaves.items():
        if capture is None:
            write(leaf, grad)
        elif leaf in capture:
            if accumulate:
                write(leaf, grad)
            else:
                capture[leaf] = grad
    for tensor, grad in retained:
        write(tensor, grad if create_graph else grad.copy())
    if not keep_graph:
        for node in done:
            if node._saved:
                node._saved = None


def run_plain(
    node: Node | None,
    grad: Any,
    write: Callable[[Tensor, Any], None],
    keep_graph: bool | None,
    leaves: dict[Tensor, Any],
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
) -> None:
    """The same for a pass that nobody watches, records or asks for other gradients.

    What is done at a node is written out for its operation: autograd/steps.py.
    """
    done: list[Node] = []  # those that hold what they saved
    if node is None and queue:
        node = heappop(queue)[1]
        grad = gathered.pop(node)
    while node is not None:
        following, coming = node.step(grad, leaves, gathered, queue, done)
        if queue and (following is None or -queue[0][0] > following._sequence):
            if following is None:
                node = heappop(queue)[1]
            else:
                gathered[following] = coming
                node = heapreplace(queue, (-following._sequence, following))[1]
            grad = gathered.pop(node)
        else:
            node, grad = following, coming
    for leaf, grad in leaves.items():
        write(leaf, grad)
    if not keep_graph:
        for node in done:
            node._saved = None


def send(
    node: Node,
    grad: Any,
    leaves: dict[Tensor, Any],
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
    done: list[Node],
) -> tuple[Any, Any]:
    """What `node.step` does, for a node with something extra, or to which no gradient came."""
    if node._extra is not None:
        for tensor, one in retaining(node, grad):
            add_to(leaves, tensor, one.copy())  # written with them
        if node.many:
            grad = all_outputs(node, grad, False)
    made = (None,) * len(node._next) if grad is None else node.vjp(grad)
    sent = made if node._reduce is None else undo_broadcast(node, made, False)
    following = coming = None
    for target, share in zip(node._next, sent, strict=True):
        if isinstance(target, Tensor):
            reach(leaves, target, share, grad)
        elif target is not None:
            following, coming = meet(target, share, following, coming, gathered, queue)
    if node._saved:
        done.append(node)
    return following, coming


def undone(grad: Any, want: tuple[Any, Any]) -> Any:
    """One gradient, summed back to the shape and cast to the type that its input had."""
    shape, kind = want
    if shape is not None:
        grad = sum_to(grad, shape) if shape else sum_to(grad, shape)[()]
    return grad if kind is None or grad.dtype == kind else grad.astype(kind)


def node_of(edge: Edge) -> Any:
    """What runs, or is written, when the gradient of this edge is complete."""
    return edge.node if type(edge) is Output else edge


def leading_to(starts: list[Any], capture: dict[Any, Any]) -> set[Any]:
    """The nodes and leaves that are wanted, or from which a wanted one can be reached."""
    from graphlab.autograd.order import as_made

    found = {key[0] if isinstance(key, tuple) else key for key in capture}
    seen = {start for start in starts if not isinstance(start, Tensor)}
    stack = list(seen)
    while stack:
        for target in stack.pop()._next:
            target = node_of(target)
            if target is not None and not isinstance(target, Tensor) and target not in seen:
                seen.add(target)
                stack.append(target)
    for node in as_made(seen):
        if any(node_of(target) in found for target in node._next if target is not None):
            found.add(node)
    return found


def meet(
    target: Any,
    share: Any,
    following: Any,
    coming: Any,
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
) -> tuple[Any, Any]:
    """Add a gradient to what has come for a node; the first node to wait needs no queue.

    following, coming: that first node, and its gradient; so they are given back. In a chain there
    never is another.
    """
    if target._edge == OUTPUT:
        if deliver(gathered, target, share):
            heappush(queue, (-target.node._sequence, target.node))
    elif target is following:
        coming = total(coming, share)
    elif target in gathered:
        gathered[target] = total(gathered[target], share)
    elif following is None:
        return target, share
    else:
        if target._sequence > following._sequence:  # it runs first: let the other wait
            target, share, following, coming = following, coming, target, share
        gathered[target] = share
        heappush(queue, (-target._sequence, target))
    return following, coming


def reach(leaves: dict[Tensor, Any], leaf: Tensor, share: Any, grad: Any) -> None:
    """Add a gradient to what has come for a leaf.

    grad: what came into the node that sends it: when it sends just that, others hold it too.
    """
    if share is not None:
        before = leaves.get(leaf)
        if before is not None:
            leaves[leaf] = before + share
        else:
            leaves[leaf] = grad.copy() if share is grad else share


def total(before: Any, grad: Any) -> Any:
    """The sum of two gradients, where None is nothing."""
    return grad if before is None else before if grad is None else before + grad


def add_to(gathered: dict[Any, Any], key: Any, grad: Any) -> None:
    """Add a gradient to what has gathered under a key."""
    gathered[key] = total(gathered.get(key), grad)


def deliver(gathered: dict[Any, Any], edge: Edge, grad: Any) -> bool:
    """Add a gradient to what has gathered at an edge; whether it is the first for its node."""
    if type(edge) is not Output:
        first = edge not in gathered
        add_to(gathered, edge, grad)
        return first
    first = edge.node not in gathered
    add_to(gathered.setdefault(edge.node, {}), edge.index, grad)
    return first


def all_outputs(
    node: Node,
    gathered: dict[int, Any] | None,
    create_graph: bool,
    capture: dict[Any, Any] | None = None,
) -> tuple[Any, ...] | None:
    """The gradients of all outputs of a node, zeros for those that nothing used.

    None when nothing was sent at all; but the user's own backward is called all the same.
    """
    if gathered is None or all(grad is None for grad in gathered.values()):
        if not node.always_runs:
            return None
        gathered = {}
    grads = []
    for index, known in enumerate(node._extra["outputs"]):  # None: not a tensor
        grad = gathered.get(index)
        if capture is not None and (node, index) in capture:
            capture[node, index] = grad
        if grad is None and known is not None and node._extra.get("materialize", True):
            zeros = np.zeros(*known)
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
        if not create_graph:
            back.append(undone(grad, want))
            continue
        shape, kind = want
        data = grad if shape is None else tensor_words["sum_to"](grad, shape)
        back.append(data if kind is None else data.to(kind))
    return tuple(back)


def retaining(node: Node, grad: Any) -> list[tuple[Tensor, Any]]:
    """The tensors that asked for their gradient with `retain_grad`, each with it.

    grad: what has gathered at the node; by the number of the output where it has several.
    """
    found = []
    for index, reference in node._extra.get("retained", {}).items():
        tensor = reference()
        one = grad.get(index) if node.many and grad is not None else grad
        if tensor is not None and one is not None:
            found.append((tensor, one))
    return found


Node.step = send  # of nodes without a text of their own, such as those of custom Functions
step_names.update(meet=meet, send=send, undone=undone)
