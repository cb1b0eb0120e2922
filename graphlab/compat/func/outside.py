"""One node for a batch whose graph goes on outside of the function that `vmap` runs.

The graph within the batch ends in leaves of its own: one for each tensor from outside. The node
holds that graph, and its backward pass runs it, for all examples at once:

    w, x -> VmapBackward -> y      within: Batch of x, leaf for w -> MulBackward0 -> Batch of y

Read next: compat/func/levels.py
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphlab.autograd.backward import grad as run_backward
from graphlab.autograd.edges import GradientEdge
from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import is_grad_enabled, unusual
from graphlab.autograd.node import Output, edge_of
from graphlab.autograd.topological_order import node_of
from graphlab.compat.func.batch import Batch, Unbatched, active, in_full, is_at
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.versions import next_sequence

MOST_SEEN = 32  # examples with nodes of their own outside, for pictures and `check`
Redo = Callable[[], list[Any]]  # computes the results one example at a time


class Inside:
    """What a function runs in: a batch of so many examples, and the leaves that stand for tensors.

    ends: what a leaf stands for -> that leaf, and a tensor with the same edge.
    """

    def __init__(self, size: int) -> None:
        self.size, self.level = size, len(active.sizes) + 1
        self.begin = next_sequence()
        self.sources: list[tuple[Tensor, Tensor, int | None]] = []
        self.ends: dict[Any, tuple[Tensor, Tensor]] = {}
        self.leaves: set[Tensor] = set()  # the first of each pair

    @contextmanager
    def running(self) -> Iterator[None]:
        """Compute all examples at once."""
        active.sizes.append(self.size)
        unusual.add("batch")
        try:
            yield
        finally:
            active.sizes.pop()
            if not active.sizes:
                unusual.discard("batch")

    def enter(self, x: Any, dim: int) -> Tensor:
        """Return a tensor whose data is the batch `x`. Raises: Unbatched for a graph to be seen."""
        if x._needs and (self.level > 1 or self.size <= MOST_SEEN):
            raise Unbatched("the graph goes on outside of the batch")
        every = np.moveaxis(x._data, dim, 0)
        if isinstance(every, np.ndarray):
            every.flags.writeable = False  # or what fails later has been written already
        new = wrap(Batch(every, self.level), x._needs, None)
        if x._needs:
            self.sources.append((x, new, dim))
        return new

    def leave(self, results: list[Tensor], dims: list[Any], redo: Redo) -> list[Tensor]:
        """Return results as tensors outside. Raises: Unbatched for a graph to be seen."""
        if any(x._needs for x in results):
            if self.level > 1 or self.size <= MOST_SEEN or None in dims:
                raise Unbatched("the graph goes on outside of the batch")
            results = [self.cut(x) for x in results]
            ends = [(same, leaf, 0) for leaf, same in self.ends.values()]
            links, count = [*self.sources, *ends], len(self.sources)
            outer = [x for x, *_ in links]
            return list(Vmap.apply(self, results, dims, redo, links, count, *outer))
        return [self.whole(x, dim) for x, dim in zip(results, dims, strict=True)]

    def whole(self, x: Tensor, dim: int) -> Tensor:
        """Return the examples of a result as one tensor."""
        every = in_full(x._data, self.level, self.size)
        return wrap(np.moveaxis(every, 0, dim).copy(), False, None)

    def cut(self, result: Tensor) -> Tensor:
        """Return the result; the graph behind it ends in leaves where it would lead outside."""
        if not result._needs:
            return result
        if self.is_outside(node_of(edge_of(result))):
            result = result.clone()
        stack, seen = [node_of(edge_of(result))], set()
        while stack:
            node = stack.pop()
            if node is None or isinstance(node, Tensor) or self.is_outside(node) or node in seen:
                continue
            seen.add(node)
            stack += map(node_of, node._next)
            node._next = tuple(map(self.end, node._next))
        return result

    def is_outside(self, node: Any) -> bool:
        """Return whether a node, or a leaf, is not part of the batch."""
        if isinstance(node, Tensor):
            return not is_at(node._data, self.level) and node not in self.leaves
        return node._sequence < self.begin

    def end(self, edge: Any) -> Any:
        """Return the edge, or the leaf that takes its place."""
        if edge is None or not self.is_outside(node_of(edge)):
            return edge
        key = (edge.node, edge.index) if isinstance(edge, Output) else edge
        if key not in self.ends:
            leaf = wrap(np.float32(0), True, None)
            leaf._rare().grad_dtype = None  # of any type
            self.leaves.add(leaf)
            same = edge if isinstance(edge, Tensor) else wrap(np.float32(0), True, edge)
            self.ends[key] = leaf, same
        return self.ends[key][0]

    def gradients(self, ctx: Any, grads: Any) -> list[Any]:
        """Return the gradient of each tensor outside, or None."""
        recorded = is_grad_enabled()
        pairs = [p for p in zip(ctx.results, ctx.dims, grads, strict=True) if p[0]._needs]

        def one_by_one() -> list[Any]:
            made = [x for x in ctx.redo() if x._needs]
            given = [g for *_, g in pairs]
            places = [place_of(x) for x, *_ in ctx.links]
            return list(run_backward(made, places, given, True, recorded, allow_unused=True))

        self.sources = ctx.links[: ctx.count]
        try:
            with self.running():
                given = [self.enter(g, dim) for _, dim, g in pairs]
                results, leaves = [x for x, *_ in pairs], [x for _, x, _ in ctx.links]
                found = run_backward(results, leaves, given, True, recorded, allow_unused=True)
            used = [k for k, g in enumerate(found) if g is not None]
            back = self.leave(
                [found[k] for k in used],
                [ctx.links[k][2] for k in used],
                lambda: [x for x in one_by_one() if x is not None],
            )
        except (AttributeError, TypeError, ValueError):  # one of them is Unbatched
            return one_by_one()
        gradients: list[Any] = [None] * len(found)
        for k, g in zip(used, back, strict=True):
            gradients[k] = g if k < ctx.count else g.sum(0)
        return gradients


def place_of(x: Tensor) -> Any:
    """Return where a gradient of `x` arrives."""
    node: Any = x._node
    return x if node is None else GradientEdge(node_of(node), getattr(node, "index", 0))


class Vmap(Function):
    """The node of a batch."""

    cannot_run_again = (
        f"vmap computed more than {MOST_SEEN} examples at once, as one node; with fewer examples "
        "the graph holds each operation"
    )

    @staticmethod
    def forward(
        ctx: Any, inside: Inside, results: Any, dims: Any, redo: Redo, links: Any, count: int,
        *outer: Any,
    ) -> Any:  # fmt: skip
        ctx.inside, ctx.results, ctx.dims, ctx.redo = inside, results, dims, redo
        ctx.links, ctx.count = links, count
        known = outer[:count] or [wrap(np.float32(0), False, None)]  # one is freed with the graph
        ctx.save_for_backward(*known)  # these must not change
        made = [inside.whole(x, dim) for x, dim in zip(results, dims, strict=True)]
        ctx.mark_non_differentiable(
            *(x for x, inner in zip(made, results, strict=True) if not inner._needs)
        )
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        _ = ctx.saved_tensors  # or raises, because they changed, or the graph is freed
        found = ctx.inside.gradients(ctx, grads)
        for place, g in enumerate(found, 6):
            if g is not None:  # its size is not known before
                vars(ctx)["_shapes"][place], vars(ctx)["_types"][place] = g._data.shape, None
        return (None,) * 6 + tuple(found)
