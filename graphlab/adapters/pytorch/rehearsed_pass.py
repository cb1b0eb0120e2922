"""A backward pass over PyTorch's own nodes that changes nothing, in the order of PyTorch's engine.

GraphLab's own engine takes its nodes from the same queue (autograd/watched_pass.py).

Each node is called directly, which runs its derivative rule and nothing else: no hook, no
AccumulateGrad, and nothing is freed. What PyTorch's engine does around a node is done here: it
takes the ready nodes in the engine's order, adds gradients in the order in which they arrive, and
brings each to the shape and the type of its tensor.

What cannot be rehearsed is refused, in PyTorch's words and with advice.

Read next: adapters/pytorch/rehearsal.py
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Protocol

from graphlab.adapters.pytorch.accessors import (
    count_of_outputs,
    edges_of,
    is_accumulator,
    is_custom,
    is_tensor,
    loaded,
    output_of,
    sequence_of,
    unpack_hooks_of,
)
from graphlab.autograd.watched_pass import Ready

NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
# parts of the names of nodes whose rules communicate with other processes
COMMUNICATE = (
    "AllReduce", "AllGather", "AllToAll", "AlltoAll", "ReduceScatter", "Broadcast_", "_Broadcast",
    "SyncBatchNorm", "DDPSink", "RegisterPostBackward", "FSDP", "_Gather", "_Reduce", "_Scatter",
    "_SendRecv", "C10d", "c10d",
)  # fmt: skip
Edge = tuple[Any, int]
Grads = list[Any]  # tensors, None where no gradient came


def edges_behind(roots: Iterable[Edge]) -> dict[Any, list[Edge | None]]:
    """The edges of every node behind some edges."""
    found: dict[Any, list[Edge | None]] = {}
    stack = list(dict.fromkeys(node for node, _ in roots))
    while stack:
        node = stack.pop()
        if node in found:
            continue
        edges = found[node] = edges_of(node)
        stack += [edge[0] for edge in edges if edge is not None and edge[0] not in found]
    return found


def engine_order(
    roots: Iterable[Edge], edges: dict[Any, list[Edge | None]] | None = None
) -> list[Any]:
    """Every node behind some edges, in the order in which PyTorch's engine runs them."""
    edges = edges_behind(roots) if edges is None else edges
    starts = list(dict.fromkeys(node for node, _ in roots))
    waits = Counter([edge[0] for some in edges.values() for edge in some if edge is not None])
    ready, order = Ready(), []
    for node in starts:
        if not waits[node]:
            ready.push(sequence_of(node), node)
    while len(ready):
        node = ready.pop()
        order.append(node)
        for edge in edges[node]:
            if edge is not None:
                waits[edge[0]] -= 1
                if not waits[edge[0]]:
                    ready.push(sequence_of(edge[0]), edge[0])
    return order


class Watcher(Protocol):
    """What is told of a pass."""

    def seeded(self, roots: list[Edge], grads: Grads) -> None: ...
    def entered(self, node: Any, grads: Grads) -> None: ...
    def sent(
        self, node: Any, index: int, rule: Any, share: Any, before: Any, after: Any
    ) -> None: ...
    def applied(self, node: Any, grads: Grads) -> None: ...
    def arrived(self, node: Any, grad: Any) -> None: ...


def walk(roots: list[Edge], grads: Grads, watcher: Watcher) -> None:
    """Run every node behind `roots`, and tell what happens.

    grads: the gradient that enters at each root.
    Raises: what PyTorch raises, such as RuntimeError for a graph that was freed.
    """
    torch = loaded()
    gathered: dict[Edge, Any] = {}
    with torch.no_grad():
        for edge, grad in zip(roots, grads, strict=True):
            gathered[edge] = grad if edge not in gathered else gathered[edge] + grad
        watcher.seeded(roots, grads)
        edges = edges_behind(roots)
        for node in engine_order(roots, edges):
            if is_accumulator(node):
                grad = gathered.pop((node, 0), None)
                if grad is not None:
                    watcher.arrived(node, grad)
                continue
            came = [gathered.pop((node, k), None) for k in range(count_of_outputs(node))]
            watcher.entered(node, came)
            shares = applied(node, came)
            for index, edge in enumerate(edges[node]):
                if edge is None or shares[index] is None:
                    continue
                share = fitted(shares[index], edge)
                before = gathered.get(edge)
                gathered[edge] = share if before is None else before + share
                watcher.sent(node, index, shares[index], share, before, gathered[edge])
            watcher.applied(node, came)


def applied(node: Any, grads: Grads) -> Grads:
    """The gradients of a node's inputs, as its rule makes them."""
    edges = edges_of(node)
    if is_custom(node):
        return applied_by_user(node, grads)
    if all(grad is None for grad in grads):
        return [None] * len(edges)
    made = node(*grads)
    listed = list(made) if isinstance(made, tuple | list) else [made]
    return [*listed, *[None] * (len(edges) - len(listed))]


def applied_by_user(node: Any, grads: Grads) -> Grads:
    """The same for a user's Function: its backward is called directly if possible.

    Only the engine knows whether the Function wants zeros for a missing gradient, and which of its
    arguments were tensors. If that matters, the engine runs it between two edges, with its hooks.
    """
    torch = loaded()
    graph = torch.autograd.graph
    edges = edges_of(node)
    there = [k for k, edge in enumerate(edges) if edge is not None]
    given = [k for k, grad in enumerate(grads) if grad is not None]
    if not there or not given:
        return [None] * len(edges)
    every = len(given) == len(grads) and len(node.needs_input_grad) == len(edges)
    if every or len({edges[k] for k in there}) < len(there):  # one input twice: it would add both
        made = node.apply(*grads)
        return list(made) if isinstance(made, tuple) else [made]
    found = torch.autograd.grad(
        [graph.GradientEdge(node, k) for k in given],
        [graph.GradientEdge(*(edges[k] or ())) for k in there],
        [grads[k] for k in given],
        retain_graph=True,
        allow_unused=True,
    )
    shares: Grads = [None] * len(edges)
    for place, share in zip(there, found, strict=True):
        shares[place] = share
    return shares


def fitted(share: Any, edge: Edge) -> Any:
    """A gradient in the shape and the type of the tensor that it is the gradient of."""
    shape, dtype = output_of(edge)
    if share.shape != shape and not share.is_nested:
        share = share.sum_to_size(shape)
    return share.to(dtype) if share.dtype is not dtype else share


def check_tensor(call: str, tensor: Any) -> None:
    """Raises: RuntimeError for a tensor that has no graph, or none that can be read."""
    functorch = loaded()._C._functorch
    if functorch.is_batchedtensor(tensor):
        raise RuntimeError(
            f"graphlab.{call} got a tensor inside vmap, which stands for one slice of many and has "
            f"no graph of its own; call graphlab.{call} on what vmap returns"
        )
    if functorch.is_gradtrackingtensor(tensor) and not tensor.requires_grad:
        raise RuntimeError(
            f"graphlab.{call} got a tensor inside torch.func.grad, whose graph belongs to that "
            "call; take the gradient with tensor.backward() to see it"
        )
    if not tensor.requires_grad:
        raise RuntimeError(f"{NO_GRAD}: {_why(call, tensor)}")


def _why(call: str, tensor: Any) -> str:
    if tensor.is_inference():
        return (
            "got a tensor made in torch.inference_mode(), which records nothing; compute it "
            f"outside, and call graphlab.{call} on the result"
        )
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return (
            f"got a tensor of dtype {tensor.dtype}, and only floating-point and complex tensors "
            "can require a gradient"
        )
    return (
        "nothing was recorded that leads to it; create its inputs with requires_grad=True, compute "
        f"it outside no_grad() and without detach(), and call graphlab.{call} on the result"
    )


def check_pass(call: str, tensor: Any, gradient: Any) -> None:
    """Check the arguments of a backward pass.

    Raises: TypeError if it is not a PyTorch tensor; RuntimeError in PyTorch's words if it does
    not fit, or if there is none although the tensor has several entries.
    """
    check_tensor(call, tensor)
    if gradient is not None and not is_tensor(gradient):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__module__}."
            f"{type(gradient).__name__}; pass a PyTorch tensor, as in "
            f"graphlab.{call}(loss, gradient=torch.ones_like(loss))"
        )
    if gradient is None and tensor.numel() != 1:
        raise RuntimeError(
            "grad can be implicitly created only for scalar outputs: got a tensor of shape "
            f"{list(tensor.shape)}; pass gradient=, a tensor of that shape, or take a sum first"
        )
    if gradient is not None and gradient.shape != tensor.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has "
            f"a shape of {tensor.shape}."
        )


def check_nodes(nodes: Iterable[Any]) -> None:
    """Raises: RuntimeError if a rehearsal of these nodes would do more than compute."""
    for node in nodes:
        name = node.name()
        if any(word in name for word in COMMUNICATE):
            raise RuntimeError(
                f"graphlab.trace does not rehearse {name}: its rule communicates with other "
                "processes, which would wait for them; record the real pass instead: with "
                "graphlab.record() as timeline: loss.backward()"
            )
        if is_custom(node) and name == "CheckpointFunctionBackward":
            raise RuntimeError(
                "graphlab.trace does not rehearse a reentrant checkpoint: its backward would write "
                ".grad; use checkpoint(..., use_reentrant=False), or record the real pass: with "
                "graphlab.record() as timeline: loss.backward()"
            )
        if any(hook.__module__ == "torch.utils.checkpoint" for hook in unpack_hooks_of(node)):
            raise RuntimeError(
                "graphlab.trace does not rehearse a checkpoint: each saved tensor would run its "
                "part of the forward pass again; record the real pass: with graphlab.record() as "
                "timeline: loss.backward()"
            )
