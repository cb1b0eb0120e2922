"""The backward pass: gradients flow from the roots along the edges, and each node runs once.

A node may run when every node that uses its output has sent its gradient. A result is always made
after its inputs. So it is enough to run, again and again, the node that was made last of those
that wait: every node that uses its output was made later, and has run. PyTorch's order is the
same. A tensor that is used twice has therefore received both gradients, and added them, before its
node runs:

    b = 2a; y = (b + 1) + (b + 2): dy/da is 4; a naive depth-first walk says 6.

There is one loop, in `walk`. While hooks exist, or an observer watches, a `WatchedPass` does the
loop's steps 2 and 3, calls the hooks, and writes each leaf as soon as its gradient is complete.
Otherwise the leaves are written after all nodes have run, so a pass that fails changes nothing.

A gradient is raw data (a NumPy array or scalar); it is a tensor when the pass itself is recorded
(`create_graph`).

Read next: autograd/node_classes.py
"""

from collections.abc import Callable, Container
from heapq import heappop, heappush, heapreplace
from typing import Any

from numpy import generic

from graphlab.autograd.edges import in_own_type, undo_broadcast
from graphlab.autograd.grad_mode import state
from graphlab.autograd.hooks import LivingHooks
from graphlab.autograd.node import LEAF, NODE, OUTPUT, Node, Output, all_outputs, retaining
from graphlab.autograd.saved_tensor_hooks import Packed, has_packed, unpack_all
from graphlab.autograd.topological_order import leading_to, leads_to, node_of
from graphlab.autograd.watch import restore
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
    keep_graph: keep what the nodes saved, so that the graph can be used again.
    capture: keys are leaves, nodes or (node, output number). Each receives the gradient that
    arrives there; leaves are not written, and only what leads to a key runs.
    accumulate: the leaves among the keys are written instead.
    observer: an `Observer` (autograd/watched_pass.py).
    Raises: GraphFreedError when a node was freed, ModifiedInPlaceError when what it saved changed.
    """
    needed: set[Any] | None = None  # what leads to a key; None: everything
    requested: set[Any] = set()
    if capture is not None:
        needed = leading_to([node_of(edge) for edge, _ in roots], capture)
        requested = {key[0] if isinstance(key, tuple) else key for key in capture}
    watched: Any = None
    packing: Any = None
    if LivingHooks.count or observer is not None:
        from graphlab.autograd.watched_pass import WatchedPass

        watched = WatchedPass(write, create_graph, capture, needed, requested, observer, accumulate)
        state.passes.append(watched)
        packing = [*state.packing]  # saved-tensor hooks, which a hook may change
    always_run = requested if accumulate else ()  # PyTorch runs their rules in any case
    try:
        leaves, retained, done = walk(roots, create_graph, capture, needed, always_run, watched)
    except BaseException as error:
        if watched is not None:
            watched.failed(error)
        raise
    finally:
        if watched is not None:
            state.passes.pop()
            if state.packing != packing:
                restore(packing)
    if watched is not None:
        watched.ended()
    for leaf, grad in leaves.items():
        if capture is not None and leaf not in capture:
            continue
        if leaf._more is not None:
            grad = in_own_type(leaf, grad)
        if capture is None or accumulate:
            write(leaf, grad)
        else:
            capture[leaf] = grad
    for tensor, grad in retained:
        write(tensor, grad if create_graph else grad.copy())
    if done and leaves and len(roots) == 1 and capture is None:
        done[0]._leaves = tuple(leaves)
    if not keep_graph:
        for node in done:
            if node._saved:
                node._saved = None


def walk(
    roots: list[tuple[Edge, Any]],
    create_graph: bool,
    capture: dict[Any, Any] | None,
    needed: Container[Any] | None,
    always_run: Container[Any],
    watched: Any,
) -> tuple[dict[Tensor, Any], list[tuple[Tensor, Any]], list[Node]]:
    """Run the nodes behind the roots, the one that was made last first.

    needed: the nodes and leaves that lead to a requested gradient; None: all. always_run: nodes
    whose rules run although nothing behind them is requested. watched: a WatchedPass, or None.
    Returns: the gradients of the leaves, those that other tensors retain, and the nodes that ran.
    """
    leaves: dict[Tensor, Any] = {}
    retained: list[tuple[Tensor, Any]] = []
    done: list[Node] = []
    gathered: dict[Any, Any] = {}  # a node that waits -> the sum of what it has received
    queue: list[tuple[int, Node]] = []  # a heap of nodes that wait, the one made last on top
    node, grad = None, None
    if watched is not None:
        node, grad = watched.start(roots)
    elif len(roots) == 1 and roots[0][0]._edge == NODE:
        node, grad = roots[0]
    else:
        enter(roots, create_graph, needed, gathered, queue, leaves)
        if queue:
            node = heappop(queue)[1]
            grad = gathered.pop(node)
    plain = watched is None and needed is None and not create_graph
    while node is not None:
        # 1. The gradient of the node's output is complete. The rules turn it into one gradient for
        #    each input: `made`, and after undoing a broadcast, `sent`.
        if plain and node._extra is None and grad is not None:
            sent = node.vjp(grad)
            if node._reduce is not None:
                sent = undo_broadcast(node, sent, False)
            done.append(node)
        else:
            runs = needed is None or node in always_run or leads_to(node, needed)
            if watched is not None:  # hooks see the gradient, tensors may retain it
                grad = watched.arrived(node, grad, runs)
            else:
                if node._extra is not None:
                    retained += retaining(node, grad)
                    if node.many:
                        grad = all_outputs(node, grad, create_graph, capture)
                if capture is not None and node in capture:
                    capture[node] = grad
            made = sent = apply_rules(node, grad, create_graph) if runs else ()
            if runs:
                if node._reduce is not None:
                    sent = undo_broadcast(node, made, create_graph)
                done.append(node)
            if watched is not None:
                node, grad = watched.send(node, grad, made, sent) if runs else watched.next_node()
                continue
        # 2. Each of these gradients goes along its edge, to a leaf or to another node.
        next_node = next_grad = None
        for target, share in zip(node._next, sent):
            if target is None:
                continue
            edge = target._edge
            if edge == LEAF:
                if share is not None:
                    before = leaves.get(target)
                    if before is not None:
                        leaves[target] = before + share
                    elif share is grad and not (create_graph or isinstance(share, generic)):
                        leaves[target] = share.copy()  # others hold it too
                    else:
                        leaves[target] = share
            elif needed is not None and node_of(target) not in needed:
                continue
            elif next_node is None and edge == NODE and target not in gathered:
                next_node, next_grad = target, share
            else:
                next_node, next_grad = gather(target, share, next_node, next_grad, gathered, queue)
        # 3. The next node is the one that was made last: `next_node`, the newest that step 2 has
        #    reached, or the top of the queue.
        if queue and (next_node is None or -queue[0][0] > next_node._sequence):
            if next_node is None:
                node = heappop(queue)[1]
            else:
                gathered[next_node] = next_grad
                node = heapreplace(queue, (-next_node._sequence, next_node))[1]
            grad = gathered.pop(node)
        else:
            node, grad = next_node, next_grad
    return leaves, retained, done


def apply_rules(node: Node, grad: Any, create_graph: bool) -> Any:
    """Return the gradients of a node's inputs, before a broadcast is undone.

    grad: the gradient of its output, or of all its outputs; None if it received none. Saved values
    that hooks have packed are unpacked for the rules.
    """
    if grad is None:
        return (None,) * len(node._next)
    run = node.vjp_tensors if create_graph else node.vjp
    if not Packed.living or node.unpacks_itself or not has_packed(node):
        return run(grad)
    saved, version = node._saved, node._version
    node._saved, node._version = unpack_all(node, create_graph), None
    try:
        return run(grad)
    finally:
        node._saved, node._version = saved, version


# -- adding gradients that meet ----------------------------------------------------------------


def enter(
    roots: list[tuple[Edge, Any]],
    create_graph: bool,
    needed: Container[Any] | None,
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
    leaves: dict[Tensor, Any],
) -> None:
    """Let the gradients of several roots arrive, or that of a root that is a leaf."""
    for edge, grad in roots:
        if len(roots) > 1 and needed is not None and node_of(edge) not in needed:
            continue
        if edge._edge == LEAF:
            add_to(leaves, edge, grad if create_graph else grad.copy())
        elif gather_at(gathered, edge, grad):
            heappush(queue, (-node_of(edge)._sequence, node_of(edge)))


def gather(
    target: Any,
    share: Any,
    next_node: Any,
    next_grad: Any,
    gathered: dict[Any, Any],
    queue: list[tuple[int, Node]],
) -> tuple[Any, Any]:
    """Let a node receive a gradient, and wait until it is the one that was made last.

    next_node, next_grad: the node that is kept out of the queue, and its gradient; they are
    returned, changed if need be. So a chain, in which one node waits at a time, needs no queue.
    """
    if target._edge == OUTPUT:
        if gather_at(gathered, target, share):
            heappush(queue, (-target.node._sequence, target.node))
    elif target is next_node:
        next_grad = total(next_grad, share)
    elif target in gathered:
        gathered[target] = total(gathered[target], share)
    elif next_node is None:
        return target, share
    else:
        if target._sequence > next_node._sequence:  # it runs first: the other one joins the queue
            target, share, next_node, next_grad = next_node, next_grad, target, share
        gathered[target] = share
        heappush(queue, (-target._sequence, target))
    return next_node, next_grad


def total(before: Any, grad: Any) -> Any:
    """Return the sum of two gradients, where None counts as nothing."""
    return grad if before is None else before if grad is None else before + grad


def add_to(gathered: dict[Any, Any], key: Any, grad: Any) -> None:
    """Add a gradient to the sum under a key."""
    gathered[key] = total(gathered.get(key), grad)


def gather_at(gathered: dict[Any, Any], edge: Edge, grad: Any) -> bool:
    """Add a gradient to the sum at an edge; return whether its node has received none before."""
    if type(edge) is not Output:
        first = edge not in gathered
        add_to(gathered, edge, grad)
        return first
    first = edge.node not in gathered
    add_to(gathered.setdefault(edge.node, {}), edge.index, grad)
    return first
