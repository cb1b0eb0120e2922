"""A user's own `Function` within `func.vmap`, `func.grad` and their kin.

Read next: autograd/function.py
"""

from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.function import Function
from graphlab.compat.func.arguments import tree_map
from graphlab.compat.func.batch import Batch, Unbatched, active, is_at
from graphlab.tensor.tensor import Tensor, wrap

MORE = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
    "...), it must override the setup_context staticmethod." + MORE
)
NO_VMAP = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement "
    "the vmap staticmethod or set generate_vmap_rule=True." + MORE
)
TWO_RULES = (
    "You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap "
    "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod "
    "to avoid ambiguity." + MORE
)
NO_PAIR = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
    "structure compatible with the output. Got {} instead"
)


class VmapInfo(NamedTuple):
    """What the `vmap` of a Function is told: the number of examples, and how chance is drawn."""

    batch_size: int
    randomness: str


def forward_within(cls: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """Run the forward of a Function with a `setup_context`; within `vmap`, its own `vmap`.

    Raises: RuntimeError for one that PyTorch does not transform.
    """
    if cls.setup_context is Function.setup_context:
        if active.transforms:
            raise RuntimeError(NO_SETUP)
        return None
    own = cls.vmap is not Function.vmap
    if active.vmaps and own == cls.generate_vmap_rule:
        raise RuntimeError((TWO_RULES if own else NO_VMAP).format(cls.__name__))
    level = len(active.sizes)
    dims = tuple(0 if isinstance(x, Tensor) and is_at(x._data, level) else None for x in args)
    if not own or all(dim is None for dim in dims):
        return cls.forward(*args, **kwargs)
    every = [
        x if d is None else wrap(x._data.every, False, None)
        for x, d in zip(args, dims, strict=True)
    ]
    size = active.sizes.pop()
    active.vmaps -= 1
    try:
        found = cls.vmap(VmapInfo(size, "error"), dims, *every, **kwargs)
        if not isinstance(found, tuple):
            raise RuntimeError(NO_PAIR.format(f"a {type(found)}"))
        if len(found) != 2:
            raise RuntimeError(NO_PAIR.format(f"{len(found)} returns"))
    except Exception as error:
        active.raised = None if isinstance(error, Unbatched) else error
        raise
    finally:
        active.sizes.append(size)
        active.vmaps += 1
    output, out_dims = found

    def batched(x: Any, dim: Any) -> Any:
        return x if dim is None else wrap(Batch(np.moveaxis(x._data, dim, 0), level), False, None)

    several = isinstance(output, tuple) and not isinstance(out_dims, tuple)
    return tree_map(batched, output, (out_dims,) * len(output) if several else out_dims)


Function.forward_within = staticmethod(forward_within)
