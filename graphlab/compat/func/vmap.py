"""`vmap(f)`: a function of one example, applied to a batch of them.

PyTorch differs: it computes the whole batch at once; here `f` runs once for each example and the
results are stacked, which gives the same numbers and a graph in which every example is seen.

Read next: compat/func/modules.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.compat.func.trees import leaves, tree_map
from graphlab.tensor.functions.shapes import stack
from graphlab.tensor.random.generator import default_generator
from graphlab.tensor.tensor import Tensor

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that takes batches where `func` takes single tensors, and gives batches.

    in_dims: the dimension of the batch in each argument, None for one that all share.
    out_dims: where the dimension of the batch goes in each output.
    randomness: "different" numbers are drawn for each example, the "same" for all, or it is an
    "error" to draw any.
    Raises: ValueError when batches differ in size, when there is nothing to map over, or when
    `func` gives something else than tensors; RuntimeError when it draws without leave.

    >>> import graphlab as torch
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
        if not isinstance(in_dims, int | tuple | list):
            raise ValueError(
                f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching "
                f"the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you "
                "are trying to vmap over a function with no inputs. The latter is unsupported."
            )
        dims = spread(in_dims, args, call)
        sizes = sizes_of(args, dims, call)
        if sizes[0] == 0:
            raise ValueError(f"{call}: there is no example in the batch, so no shape to stack")
        found, begin = [], default_generator.place()
        for k in range(sizes[0]):
            if randomness == "same":
                default_generator.return_to(begin)
            one = tree_map(lambda x, d, k=k: x if d is None else x.select(d, k), args, dims)
            found.append(func(*one, **kwargs))
            if randomness == "error" and default_generator.place() != begin:
                default_generator.return_to(begin)
                raise RuntimeError(RANDOM)
        for x in leaves(found[0]):
            if not isinstance(x, Tensor):
                raise ValueError(
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. "
                    "Did you mean to set out_dims= to None for output?"
                )
        where = spread(out_dims, found[0], f"vmap({name}, ..., out_dims={out_dims})(<inputs>)")
        return tree_map(lambda d, *x: stack(x, d), where, *found)

    return batched


def spread(dims: Any, tree: Any, call: str) -> Any:
    """`dims` in the structure of `tree`: one dim stands for everything below it.

    Raises: ValueError when the structures do not fit.
    """
    if dims is None or isinstance(dims, int):
        return tree_map(lambda _: dims, tree)
    if isinstance(tree, dict) and isinstance(dims, dict) and tree.keys() == dims.keys():
        return {key: spread(dims[key], tree[key], call) for key in tree}
    fits = isinstance(tree, tuple | list) and isinstance(dims, tuple | list)
    if not fits or len(tree) != len(dims):
        raise ValueError(
            f"{call}: in_dims is not compatible with the structure of `inputs`: got {dims!r} for "
            f"{len(tree) if isinstance(tree, tuple | list) else 1} of them."
        )
    return type(tree)(spread(d, branch, call) for d, branch in zip(dims, tree, strict=True))


def sizes_of(args: Any, dims: Any, call: str) -> list[int]:
    """The sizes of the batch in the tensors. Raises: ValueError when they differ."""
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
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes
