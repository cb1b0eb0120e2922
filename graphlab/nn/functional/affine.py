"""The linear layer: `F.linear(x, weight, bias)`.

Read next: ops/linalg.py
"""

import math

from graphlab.autograd.record import applied
from graphlab.ops.linalg import Addmm
from graphlab.ops.shapes import T, UnsafeView, View
from graphlab.tensor.functions.checks import need_tensor
from graphlab.tensor.functions.matrix_product import product
from graphlab.tensor.functions.products import addmm, mm
from graphlab.tensor.functions.shapes import reshape, t
from graphlab.tensor.tensor import Tensor

_addmm, _t, _view, _unsafe_view = map(applied, (Addmm, T, View, UnsafeView))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input · weightᵀ + bias.

    input: (..., K)
    weight: (M, K) or (K,)
    bias: (M,) or None
    Returns: (..., M), or (...) for a weight (K,).
    Raises: RuntimeError for shapes that do not fit.

    >>> linear(torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]]), torch.tensor([0.5]))
    tensor([11.5000])
    """
    if isinstance(input, Tensor) and isinstance(weight, Tensor) and isinstance(bias, Tensor):
        x, w, b = input._data, weight._data, bias._data
        fit = x.ndim > 0 and w.ndim == 2 and x.shape[-1] == w.shape[1] and b.shape == w.shape[:1]
        fit = fit and x.dtype is w.dtype is b.dtype and x.dtype.kind == "f"
        if fit and x.ndim == 2:
            return _addmm(bias, input, _t(weight))  # the usual case
        if fit and x.flags.c_contiguous and b.flags.c_contiguous:
            # as in PyTorch, the view comes before the transpose: backward runs the transpose first
            lead = x.shape[:-1]
            rows = _view(input, size=(math.prod(lead), x.shape[-1]))
            return _view(_addmm(bias, rows, _t(weight)), size=(*lead, len(w)))
    need_tensor("linear", "input", 1, input)
    need_tensor("linear", "weight", 2, weight)
    if bias is not None:
        need_tensor("linear", "bias", 3, bias)
    if input.ndim == 0 or weight.ndim == 0:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{input.ndim}D and {weight.ndim}D"
        )
    if bias is None:
        x, columns = input._data, t(weight)
        fit = x.ndim > 2 and columns.ndim == 2 and x.shape[-1] == len(columns._data)
        if fit and weight._needs and x.flags.c_contiguous:  # as `product` does, but faster
            rows = _view(input, size=(math.prod(x.shape[:-1]), x.shape[-1]))
            return _unsafe_view(mm(rows, columns), size=(*x.shape[:-1], len(weight._data)))
        return product(input, columns)
    if input.ndim == 2:
        return addmm(bias, input, t(weight))
    if not (input.is_contiguous() and bias.is_contiguous()):
        return product(input, t(weight)) + bias
    rows = reshape(input, (math.prod(input.shape[:-1]), input.shape[-1]))
    result = addmm(bias, rows, t(weight))
    return reshape(result, (*input.shape[:-1], result.shape[-1]))
