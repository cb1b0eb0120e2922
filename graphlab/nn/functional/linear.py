"""The linear layer as a function: `F.linear(x, weight, bias)`.

Read next: ops/linalg.py
"""

from graphlab import functional as F
from graphlab.tensor import Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias. input: (..., K), weight: (M, K), bias: (M,) -> (..., M)."""
    if bias is None:
        return F.matmul(input, F.t(weight))
    if input.ndim == 2:
        return F.addmm(bias, input, F.t(weight))
    rows = F.reshape(input, (-1, input.shape[-1]))
    return F.reshape(F.addmm(bias, rows, F.t(weight)), (*input.shape[:-1], weight.shape[0]))
