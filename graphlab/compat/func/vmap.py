"""`vmap(f)` applies a function of one example to each example of a batch.

`f` runs once, on tensors whose data is a `Batch`: each has one example's shape, and every example's
entries. Where that cannot be, `f` runs once for each example, and the results are stacked.

PyTorch differs: it always computes a batch at once. Here each example has its own nodes if a graph
goes on outside of `f`, so that a drawing shows them; more than 32 examples have one node.

The graph within such a batch ends in leaves of its own: one for each tensor from outside. The node
holds that graph, and its backward pass runs it, for all examples at once:

    w, x -> VmapBackward -> y      within: Batch of x, leaf for w -> MulBackward0 -> Batch of y

Read next: compat/func/batch.py
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import get_ident
from typing import Any

import numpy as np

from graphlab.autograd.backward import grad as run_backward
from graphlab.autograd.edges import GradientEdge, check_one_size
from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import is_grad_enabled, state, unusual
from graphlab.autograd.node import Output, edge_of
from graphlab.autograd.topological_order import node_of
from graphlab.autograd.watch import watchers
from graphlab.common.errors import of_one_library
from graphlab.common.output import captured
from graphlab.common.public import public
from graphlab.compat.func.batch import SHARED, Batch, Unbatched, active, in_full, is_at
from graphlab.compat.func.levels import example, leaves, outline, rebuilt, tree_map
from graphlab.tensor.functions.joining import stack
from graphlab.tensor.random import draws
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.versions import next_sequence

MOST_SEEN = 32  # examples with nodes of their own outside, for pictures and `check`
RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)


@public()
def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return the function that applies `func` to each example of a batch and stacks the results.

    func: function of tensors, or nested tuples, lists and dicts of tensors
    in_dims: int, the batch dimension of every argument; or a tuple with an int for each, or None
        for an argument that all examples share; nested as the arguments are
    out_dims: int, the batch dimension of every output, or a tuple of ints, likewise
    randomness: "different" random numbers for each example, the "same" for all, or "error"
    chunk_size: int, without effect
    Returns: a function of batches.
    Raises: ValueError, in the call, for batches of different sizes, for dims that do not fit, or if
        `func` returns other values than tensors; RuntimeError if `func` draws random numbers with
        randomness="error".

    >>> vmap(torch.dot)(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2, 2))
    tensor([3., 7.])
    """
    name = getattr(func, "__name__", repr(func))
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )

    def batched(*args: Any, **kwargs: Any) -> Any:
        call = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, int | tuple):
            raise ValueError(
                f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching "
                f"the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you "
                "are trying to vmap over a function with no inputs. The latter is unsupported."
            )
        dims = spread(in_dims, args, call, "in_dims", "inputs")
        sizes = sizes_of(args, dims, call)
        active.transforms += 1
        active.vmaps += 1
        try:
            return result_of(args, kwargs, call, dims, sizes)
        finally:
            active.transforms -= 1
            active.vmaps -= 1
            if not active.vmaps:
                active.raised = None

    def result_of(args: Any, kwargs: Any, call: str, dims: Any, sizes: list[int]) -> Any:
        begin, drawn = default_generator.place(), draws.count
        one_by_one = partial(each, args, kwargs, dims, sizes[0])
        if randomness == "error" and not (watchers or state.packing):
            try:
                with captured("stdout") as printed:
                    found = at_once(func, args, kwargs, dims, out_dims, sizes[0], one_by_one)
            except Exception as error:  # the examples show, one by one, what is the matter
                if error is active.raised:
                    raise
                if draws.count != drawn:
                    default_generator.return_to(begin)
            else:
                print(printed.getvalue(), end="")
                return found
        return one_by_one()

    def each(args: Any, kwargs: Any, dims: Any, size: int) -> Any:
        found, begin, drawn = [], default_generator.place(), draws.count
        changed: dict[int, tuple[Tensor, int]] = {}
        for k in range(size or 1):
            if randomness == "same" and draws.count != drawn:
                default_generator.return_to(begin)
            one = tree_map(lambda x, d, k=k: x if d is None else example(x, d, k), args, dims)
            with apart(changed, k):
                found.append(func(*one, **kwargs))
            if randomness == "error" and draws.count != drawn:
                default_generator.return_to(begin)
                raise RuntimeError(RANDOM)
        for x in leaves(found[0]):
            if not isinstance(x, Tensor):
                raise ValueError(
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. "
                    "Did you mean to set out_dims= to None for output?"
                )
        call = f"vmap({name}, ..., out_dims={out_dims})(<inputs>)"
        where = spread(out_dims, found[0], call, "out_dims", "outputs")
        if not size:
            return tree_map(lambda d, x: stack((x,), d).narrow(d, 0, 0), where, *found)
        return tree_map(lambda d, *x: stack(x, d), where, *found)

    return batched


def at_once(
    func: Callable[..., Any],
    args: Any,
    kwargs: Any,
    dims: Any,
    out_dims: Any,
    size: int,
    one_by_one: Callable[[], Any],
) -> Any:
    """Return what `vmap` does, from one call of `func`. Raises: Unbatched where that cannot be."""
    drawn, inside = draws.count, Inside(size)
    enter = lambda x, dim: x if dim is None else inside.enter(x, dim)  # noqa: E731
    with inside.running():
        found = func(*tree_map(enter, args, dims), **kwargs)
        if draws.count != drawn:
            raise Unbatched("each example draws its own numbers")
    where = leaves(spread(out_dims, found, "", "out_dims", "outputs"))
    made = iter(inside.leave(leaves(found), where, lambda: leaves(one_by_one())))
    return tree_map(lambda _: next(made), found)


@contextmanager
def apart(changed: dict[int, tuple[Tensor, int]], k: int) -> Iterator[None]:
    """Raise RuntimeError if example `k` changes a tensor in place that another one has changed."""
    outer, here = state.changing, ("examples", get_ident())

    def check(x: Tensor) -> None:
        if changed.setdefault(id(x), (x, k))[1] != k:
            raise RuntimeError(SHARED)
        if outer is not None:
            outer(x)

    state.changing = check
    unusual.add(here)
    try:
        yield
    finally:
        state.changing = outer
        if outer is None:
            unusual.discard(here)


def spread(dims: Any, tree: Any, call: str, name: str, of: str) -> Any:
    """Return `dims` in the structure of `tree`; one dim stands for all leaves below it.

    call, name, of: how the error names the call, `dims` and `tree`
    Raises: ValueError if the structures differ.
    """
    if dims is None or isinstance(dims, int):
        return tree_map(lambda _: dims, tree)
    if isinstance(tree, dict) and isinstance(dims, dict) and tree.keys() == dims.keys():
        return {key: spread(dims[key], tree[key], call, name, of) for key in tree}
    fits = isinstance(tree, tuple | list) and isinstance(dims, tuple | list)
    if not fits or len(tree) != len(dims):
        raise ValueError(
            f"{call}: {name} is not compatible with the structure of `{of}`. {name} has structure "
            f"{outline(dims)} but {of} has structure {outline(tree)}."
        )
    return rebuilt(tree, [spread(*each, call, name, of) for each in zip(dims, tree, strict=True)])


def sizes_of(args: Any, dims: Any, call: str) -> list[int]:
    """Return the batch sizes of the tensors. Raises: ValueError where they differ."""
    sizes = []
    for x, dim in zip(leaves(args), leaves(dims), strict=True):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer "
                "dimension or None."
            )
        if not isinstance(x, Tensor):
            of_one_library("GraphLab's transforms", x)
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but the input is of type {type(x)}. We "
                "cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(
                f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of "
                f"dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < "
                f"{x.ndim}."
            )
        sizes.append(x.shape[dim])
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    check_one_size(sizes)
    return sizes


# -- a graph that goes on outside --------------------------------------------------------------


class Inside:
    """What a function runs in: a batch of examples, and the leaves that stand for tensors.

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
        here = ("batch", get_ident())
        active.sizes.append(self.size)
        unusual.add(here)
        try:
            yield
        finally:
            active.sizes.pop()
            if not active.sizes:
                unusual.discard(here)

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

    def leave(self, results: list[Tensor], dims: list[Any], redo: Any) -> list[Tensor]:
        """Return results as tensors outside; `redo()` computes them one by one."""
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
        ctx: Any, inside: Any, found: Any, dims: Any, redo: Any, links: Any, count: int, *outer: Any
    ) -> Any:  # fmt: skip
        ctx.inside, ctx.results, ctx.dims, ctx.redo = inside, found, dims, redo
        ctx.links, ctx.count = links, count
        known = outer[:count] or [wrap(np.float32(0), False, None)]  # one is freed with the graph
        ctx.save_for_backward(*known)  # these must not change
        made = [inside.whole(x, dim) for x, dim in zip(found, dims, strict=True)]
        ctx.mark_non_differentiable(
            *(x for x, inner in zip(made, found, strict=True) if not inner._needs)
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
