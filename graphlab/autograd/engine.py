"""The backward pass: gradients flow from the roots along the edges, each node in its turn.

A node may run when every node that uses its output has sent its gradient. A result is always made
after what it was made from. So it is enough to run the node that was made last, again and again:
every node that uses its output was made later, and has run. This is PyTorch's order too. A tensor
that is used twice therefore has the sum of both gradients before it passes anything on:

    b = 2a; y = (b + 1) + (b + 2): dy/da is 4; a naive depth-first walk says 6.

There is one loop, in `walk`. While hooks exist, or an observer watches, a `WatchedPass` stands
beside it: it calls the hooks, and writes each leaf as soon as its gradient is complete. Otherwise
leaves are written when all nodes have run, so a pass that fails has changed nothing.

Gradients are raw data, or tensors when the pass itself is recorded (`create_graph`).

Read next: autograd/watched_pass.py
"""

from collections.abc import Callable, Container
from heapq import heappop, heappush, heapreplace
from typing import Any

from graphlab.autograd.grad_mode import state
from graphlab.autograd.hooks import Living
from graphlab.autograd.node import LEAF, NODE, OUTPUT, Node, Output
from graphlab.autograd.saved_tensor_hooks import Packed, unpack_all
from graphlab.autograd.several_outputs import all_outputs, retaining
from graphlab.autograd.topological_order import leading_to, node_of
from graphlab.autograd.undo_broadcast import undo_broadcast
from graphlab.tensor.tensor import Tensor

Edge = Any  # a Node, an Output, or a leaf Tensor: what a gradient is sent to


def run(
    roots: list[tuple[Edge, Any]],
    write: Callable[[Tensor, Any], None],
    keep_graph: bool | None = False,
    create_graph: bool = False,
    capture: dict[Any, Any] | None = None,
    observer: Any = None,
    accumulate: bool = False,
) -> None:
    """Send gradients from the roots to the leaves. Time and memory are linear in the edges.

    roots: edges, each with the gradient that enters there. write: called once for each leaf, and
    for each tensor that retains its gradient.
    capture: keys are leaves, nodes or (node, output number). Each receives the gradient that
    arrives there; leaves are not written, and only what leads to a key runs.
    accumulate: the leaves among the keys are written instead.
    observer: an `Observer` (autograd/watched_pass.py).
    Raises: GraphFreedError when a node was freed, ModifiedInPlaceError when what it saved changed.
    """
    allowed: set[Any] | None = None  # what leads to a key; None: everything
    asked: set[Any] = set()
    if capture is not None:
        allowed = leading_to([node_of(edge) for edge, _ in roots], capture)
        asked = {key[0] if isinstance(key, tuple) else key for key in capture}
    watched: Any = None
    if Living.count or observer is not None:
        from graphlab.autograd.watched_pass import WatchedPass  # loaded when first needed

        watched = WatchedPass(write, create_graph, capture, allowed, asked, observer, accumulate)
        state.passes.append(watched)
    leaves: dict[Tensor, Any] = {}
    retained: list[tuple[Tensor, Any]] = []
    done: list[Node] = []
    needless = asked if accumulate else ()  # of these the rules run in any case, as in PyTorch
    try:
        walk(roots, create_graph, capture, allowed, needless, watched, leaves, retained, done)
    except BaseException as error:
        if watched is not None:
            watched.failed(error)
        raise
    finally:
        if watched is not None:
            state.passes.pop()
    if watched is not None:
        watched.ended()
    for leaf, grad in leaves.items():
        if capture is None or (accumulate and leaf in capture):
            write(leaf, grad)
        elif leaf in capture:
            capture[leaf] = grad
    for tensor, grad in retained:
        write(tensor, grad if create_graph else grad.copy())
    if not keep_graph:
        for node in done:
            if node._saved:
                node._saved = None


def walk(
    roots: list[tuple[Edge, Any]],
    create_graph: bool,
    capture: dict[Any, Any] | None,
    allowed: Container[Any] | None,
    needless: Container[Any],
    watched: Any,
    leaves: dict[Tensor, Any],
    retained: list[tuple[Tensor, Any]],
    done: list[Node],
) -> None:
    """Run the nodes behind the roots, the one that was made last first.

    allowed: what leads to something that is asked for; None: everything. needless: nodes whose
    rules run although nothing is asked for behind them. watched: a WatchedPass, or None.
    leaves, retained, done: are filled with the sums of the leaves, the gradients that tensors
    retain, and the nodes that have run.
    """
    gathered: dict[Any, Any] = {}  # nodes that wait -> the gradient that has come so far
    queue: list[tuple[int, Node]] = []  # nodes that wait, the one made last first
    node, grad = None, None
    if watched is not None:
        node, grad = watched.start(roots)
    elif len(roots) == 1 and roots[0][0]._edge == NODE:
        node, grad = roots[0]
    else:
        enter(roots, create_graph, allowed, gathered, queue, leaves)
        if queue:
            node = heappop(queue)[1]
            grad = gathered.pop(node)
    plain = watched is None and allowed is None and not create_graph
    while node is not None:
        # 1. The gradient of the node's output is complete, and the rules turn it into the gradients
        #    of the inputs.
        called = True
        if plain and node._extra is None and grad is not None:
            made = sent = node.vjp(grad)
        else:
            called = allowed is None or node in needless or leads_on(node, allowed)
            if watched is not None:  # hooks see the gradient, tensors may retain it
                grad = watched.arrived(node, grad, called)
            else:
                if node._extra is not None:
                    retained += retaining(node, grad)
                    if node.many:
                        grad = all_outputs(node, grad, create_graph, capture)
                if capture is not None and node in capture:
                    capture[node] = grad
            made = sent = apply_rules(node, grad, create_graph) if called else ()
        if called:
            if node._reduce is not None:
                sent = undo_broadcast(node, made, create_graph)
            done.append(node)
        # 2. Each goes along its edge, to a leaf or to another node.
        if watched is not None:
            node, grad = watched.send(node, grad, made, sent) if called else watched.next_node()
            continue
        following = coming = None
        for target, share in zip(node._next, sent):  # noqa: B905  (quicker)
            if target is None:
                continue
            edge = target._edge
            if edge == LEAF:
                if share is not None:
                    before = leaves.get(target)
                    if before is not None:
                        leaves[target] = before + share
                    elif share is grad and not create_graph:  # others hold it too
                        leaves[target] = share.copy()
                    else:
                        leaves[target] = share
            elif allowed is not None and node_of(target) not in allowed:
                continue
            elif following is None and edge == NODE and target not in gathered:
                following, coming = target, share
            else:
                following, coming = meet(target, share, following, coming, gathered, queue)
        # 3. The next node is the one that was made last.
        if queue and (following is None or -queue[0][0] > following._sequence):
            if following is None:
                node = heappop(queue)[1]
            else:
                gathered[following] = coming
                node = heapreplace(queue, (-following._sequence, following))[1]
            grad = gathered.pop(node)
        else:
            node, grad = following, coming


def leads_on(node: Node, allowed: Container[Any]) -> bool:
    """Return whether a node leads to a requested gradient."""
    return any(node_of(target) in allowed for target in node._next)


def apply_rules(node: Node, grad: Any, create_graph: bool) -> Any:
    """Return the gradients of a node's inputs, before a broadcast is undone.

    grad: of its output, or of all its outputs; None: no gradient came. What hooks have packed is
    unpacked for the rules.
    """
    if grad is None:
        return (None,) * len(node._next)
    saved, version = node._saved, node._version
    packed = (
        Packed.living
        and not node.unpacks_itself
        and any(isinstance(item, Packed) for item in saved or ())
    )
    if packed:
        node._saved, node._version = unpack_all(node, create_graph), None
    try:
        return node.vjp_tensors(grad) if create_graph else node.vjp(grad)
    finally:
        if packed:
            node._saved, node._version = saved, version


# -- gradients that come together --------------------------------------------------------------


def enter(
    roots: list[tuple[Edge, Any]],
    create_graph: bool,
    allowed: Container[Any] | None,
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
    leaves: dict[Tensor, Any],
) -> None:
    """Let the gradients of several roots arrive, or that of a root that is a leaf."""
    for edge, grad in roots:
        if len(roots) > 1 and allowed is not None and node_of(edge) not in allowed:
            continue
        if edge._edge == LEAF:
            add_to(leaves, edge, grad if create_graph else grad.copy())
        elif deliver(gathered, edge, grad):
            heappush(queue, (-node_of(edge)._sequence, node_of(edge)))


def meet(
    target: Any,
    share: Any,
    following: Any,
    coming: Any,
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
) -> tuple[Any, Any]:
    """Add a gradient to what has come for a node; the first node to wait needs no queue.

    following, coming: that first node, and its gradient, which are returned. In a chain no other
    node waits.
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


def total(before: Any, grad: Any) -> Any:
    """Return the sum of two gradients, where None counts as nothing."""
    return grad if before is None else before if grad is None else before + grad


def add_to(gathered: dict[Any, Any], key: Any, grad: Any) -> None:
    """Add a gradient to what has gathered under a key."""
    gathered[key] = total(gathered.get(key), grad)


def deliver(gathered: dict[Any, Any], edge: Edge, grad: Any) -> bool:
    """Add a gradient to what has gathered at an edge; return whether it is its node's first."""
    if type(edge) is not Output:
        first = edge not in gathered
        add_to(gathered, edge, grad)
        return first
    first = edge.node not in gathered
    add_to(gathered.setdefault(edge.node, {}), edge.index, grad)
    return first
