"""Options that PyTorch's node does not keep, found again from what it does keep.

Read next: adapters/pytorch/recomputing.py
"""

import re
from typing import Any

import numpy as np

from graphlab.adapters.pytorch.accessors import Held, outputs_of
from graphlab.adapters.pytorch.arrays import array_of

USUAL = 10.0 ** -np.arange(3, 16)  # values that people give to eps
_DIMENSIONS = re.compile(r"(\d)[dD]Backward")


def recovered(
    node: Any, name: str, held: dict[str, Held], edges: list[tuple[Any, int] | None]
) -> Any:
    """The value of an option; None if it cannot be found."""
    if name == "tensors_sym_sizes" and all(edges):
        return tuple(outputs_of(edge[0])[edge[1]][0] for edge in edges if edge is not None)
    if name == "factors":
        scales = [one.value for word, one in sorted(held.items()) if word.startswith("scales")]
        return tuple(scales) if scales else None
    if name == "output_size" and (found := _DIMENSIONS.search(node.name())):
        return outputs_of(node)[0][0][-int(found[1]) :]
    if name == "eps" and node.name() == "NativeLayerNormBackward0":
        return eps_of_layer_norm(held)
    return None


def eps_of_layer_norm(held: dict[str, Held]) -> float | None:
    """The eps of 1/sqrt(variance + eps), from the layer's input and the saved factor.

    The saved values have at most seven digits, so the result is rounded to a usual value if they
    cannot tell the two apart.
    """
    given, shape, divided = (held.get(name) for name in ("input", "normalized_shape", "result2"))
    if given is None or shape is None or divided is None:
        return None
    if given.value is None or divided.value is None:
        return None
    array, rstd = array_of(given.value), array_of(divided.value)
    if not isinstance(array, np.ndarray) or not np.size(rstd):
        return None
    divisors = np.asarray(rstd).reshape(-1)
    row = int(divisors.argmax())  # the smallest variance, where eps counts most
    inverse = float(divisors[row])
    if not 0 < inverse < np.inf:  # a row with NaN or infinity has no variance
        return None
    entries = array.reshape(divisors.size, -1)[row].astype(np.float64)
    entries -= entries.sum() / entries.size
    eps = inverse**-2 - float(entries.dot(entries)) / entries.size
    error = 8 * np.finfo(array.dtype).eps * inverse**-2
    nearest = float(USUAL[np.abs(USUAL - eps).argmin()])
    if abs(nearest - eps) <= max(error, 0.01 * nearest):
        return nearest
    return float(eps) if eps > error else 0.0
