"""What a call was given and its node does not keep: the x of `w + x`, the 1 of `w + 1`.

It is noted at the node itself, so it lives as long as the node.

Read next: adapters/pytorch/stand_ins.py
"""

import weakref
from typing import Any

import numpy as np

from graphlab.adapters.pytorch.accessors import loaded, version_of
from graphlab.adapters.pytorch.arrays import array_of

KEY = "graphlab.inputs"  # in the metadata of nodes
MOST_COPIED = 100  # entries
# functions whose arguments stand in the order of the inputs of their node
ORDERED = frozenset(
    (
        *("add", "add_", "sub", "sub_", "subtract", "rsub", "__rsub__", "mul", "mul_", "multiply"),
        *("div", "div_", "divide", "true_divide", "cat", "concat", "concatenate", "stack", "where"),
        *("lerp", "addcmul", "addcdiv", "addmm", "addmv", "addr", "addbmm", "baddbmm"),
    )
)


def note_inputs(result: Any, name: str, args: tuple[Any, ...]) -> None:
    """Note at a node, for `inputs_of`, what its call was given besides tensors with a gradient."""
    items = args[0] if isinstance(args[0], list | tuple) else args
    if name == "where" and getattr(items[0], "dtype", None) is not loaded().bool:
        return  # called as x.where(condition, y)
    found, node = [*map(noted, items)], result.grad_fn
    if node is not None and any(one is not None for one in found):
        node.metadata[KEY] = found


def inputs_of(node: Any, needed: list[bool]) -> list[Any]:
    """The inputs of a node without a gradient, as its call was given them; None: not known.

    needed: which inputs of the node have a gradient. Further arguments of the call follow.
    """
    given = node.metadata.pop(KEY, [])
    if [one is None for one in given[: len(needed)]] != needed:
        return [None] * len(needed)
    return given


def noted(item: Any) -> Any:
    """What is kept of an argument of a call: a number; a tensor without a gradient; else None.

    A tensor is kept as a weak reference, its version, and a copy of the entries of a small one.
    """
    torch = loaded()
    if type(item) is not torch.Tensor:
        return item if type(item) in (int, float) else None
    if item.requires_grad or item.is_inference():
        return None
    if torch._C._functorch.is_functorch_wrapped_tensor(item):
        return None
    held = array_of(item) if item.numel() <= MOST_COPIED else None
    copy = held.copy() if isinstance(held, np.ndarray | np.generic) else None
    return weakref.ref(item), version_of(item), copy


def is_as_noted(tensor: Any, version: int, copy: Any) -> bool:
    """Whether a tensor still exists and has not changed since it was noted."""
    if tensor is None or version_of(tensor) != version:
        return False
    return copy is None or np.array_equal(array_of(tensor), copy, equal_nan=copy.dtype.kind in "fc")
