"""Live arrays are the arrays of a trace that still exist; the widget shows more of their entries.

Read next: faces/widgets/array_entries.py
"""

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

from graphlab.adapters.native.graph_copy import Copied
from graphlab.tensor.tensor import Tensor


def live_arrays(
    copied: Copied, hold: Callable[[Tensor], weakref.ref[Tensor] | None] = weakref.ref
) -> dict[str, Callable[[], Any]]:
    """The data and the gradient of each tensor that still exists, by "t5" and "t5.grad".

    hold: returns a weak reference to a tensor; for a snapshot, to the tensor that it shows.
    """
    arrays: dict[str, Callable[[], Any]] = {}
    for identity, tensor in copied.tensors_by_id().items():
        reference = hold(tensor)
        if reference is not None:
            arrays[identity] = partial(_data_of, reference)
            arrays[f"{identity}.grad"] = partial(_grad_of, reference)
    return arrays


def _data_of(reference: weakref.ref[Tensor]) -> Any:
    tensor = reference()
    return None if tensor is None else tensor._data


def _grad_of(reference: weakref.ref[Tensor]) -> Any:
    tensor = reference()
    return None if tensor is None or tensor._grad is None else tensor._grad._data
