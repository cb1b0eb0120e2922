"""Three parametrizations: weight norm, spectral norm and orthogonal matrices.

Read next: nn/utils/rnn.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import no_grad
from graphlab.nn.functional.padding import pad
from graphlab.nn.module import Module
from graphlab.nn.utils.parametrize import register_parametrization
from graphlab.nn.utils.weight_normalization import (
    moved_first,
    need_positive,
    norm_except_dim,
    outputs_of,
    random_direction,
    set_normalized,
    weight_of,
)
from graphlab.tensor import functions as F
from graphlab.tensor.casting import finfo
from graphlab.tensor.creation import from_numpy
from graphlab.tensor.functions.distances import normalize
from graphlab.tensor.functions.factoring import linalg_qr_of, matrix_exp
from graphlab.tensor.functions.solving import solve
from graphlab.tensor.random.sampling import randn
from graphlab.tensor.ranges import eye
from graphlab.tensor.tensor import Tensor


class _WeightNorm(Module):
    """A weight as a function of its lengths and its directions."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_of(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Make a parameter from its lengths, `original0`, and its directions, `original1`.

    module: Module, changed and returned.
    name: str, the parameter; default "weight".
    dim: int, the dimension along which each slice has a length of its own; default 0. None for one
        length of the whole weight.
    Source: T. Salimans and D. P. Kingma, Weight Normalization, 2016.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrizations import weight_norm
    >>> layer = weight_norm(torch.nn.Linear(3, 2))
    >>> [path for path, _ in layer.named_parameters()]
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    """A weight divided by its largest singular value; a vector divided by its length."""

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        n = weight.ndim
        if not -n <= dim < n:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{n}, {n - 1}] but got {dim})"
            )
        need_positive(n_power_iterations)
        self.dim, self.eps = dim % n, eps
        if n > 1:
            self.n_power_iterations = n_power_iterations
            matrix = F.flatten(moved_first(weight, self.dim), 1)
            for name, size in zip(("_u", "_v"), matrix.shape, strict=True):
                self.register_buffer(name, random_direction(size, matrix, eps))
            self._power_method(matrix, 15)

    def _power_method(self, matrix: Tensor, n: int) -> None:
        with no_grad():
            for _ in range(n):
                set_normalized(self._u, F.mv(matrix, self._v), self.eps)
                set_normalized(self._v, F.mv(F.t(matrix), self._u), self.eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = F.flatten(moved_first(weight, self.dim), 1)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = F.clone(self._u), F.clone(self._v)  # the next call changes them
        return weight / F.vdot(u, F.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Divide a parameter by its largest singular value, whenever it is read.

    module: Module, changed and returned.
    name: str, the parameter or buffer; default "weight".
    n_power_iterations: int > 0, the steps of power iteration each time it is read in training;
        default 1.
    eps: float, the smallest length that a vector is divided by; default 1e-12.
    dim: int, the dimension of the outputs; default 0, and 1 for transposed convolutions.
    Raises: ValueError if there is no such tensor or n_power_iterations is not positive, IndexError
        for a dim out of range.
    Source: T. Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrizations import spectral_norm
    >>> layer = spectral_norm(torch.nn.Linear(3, 2)).eval()
    >>> bool(abs(torch.linalg.svdvals(layer.weight)[0] - 1) < 0.01)
    True
    """
    weight = _tensor_of(module, name)
    outputs = outputs_of(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, outputs, eps)
    return register_parametrization(module, name, made)


def _tensor_of(module: Any, name: str) -> Tensor:
    """Return a parameter or buffer. Raises: ValueError if there is none."""
    found = getattr(module, name, None)
    if not isinstance(found, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows, from one without a constraint."""

    def __init__(self, weight: Tensor, kind: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, kind
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.shape[-2] < X.shape[-1]
        X = X.mT if wide else X
        n, k = X.shape[-2:]
        if self.orthogonal_map == "householder":
            found = _reflections(F.tril(X, -1)) * F.diagonal(X, 0, -2, -1).int().unsqueeze(-2)
        else:
            lower = pad(F.tril(X), (0, n - k))
            skew, unit = lower - lower.mT, eye(n, dtype=X.dtype)
            if self.orthogonal_map == "cayley":
                found = solve(unit - skew / 2, unit + skew / 2)[..., :k]
            else:
                found = matrix_exp(skew)[..., :k]
        if hasattr(self, "base"):
            found = self.base @ found
        return found.mT if wide else found

    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {Q.shape}."
            )
        wide, Q = Q.shape[-2] < Q.shape[-1], Q.detach()
        tall = Q.mT if wide else Q
        n, k = tall.shape[-2:]
        if hasattr(self, "base"):
            more = randn(*tall.shape[:-2], n, n - k, dtype=Q.dtype) if n > k else tall[..., :0]
            square, eps = F.cat([tall, more], -1), 10.0 * n * finfo(Q.dtype).eps
            if n > k or not F.allclose(square.mT @ square, eye(n, dtype=Q.dtype), atol=eps):
                square, R = linalg_qr_of(square)
                square = square * F.sgn(F.diagonal(R, 0, -2, -1)).unsqueeze(-2)
            self.base = square
            return -eye(*Q.shape[-2:], dtype=Q.dtype).expand(Q.shape).clone()
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley "
                "parametrizations when use_trivialization=False."
            )
        raw, factors = np.linalg.qr(tall.numpy(), mode="raw")  # LAPACK's reflectors, transposed
        found, factor = from_numpy(raw).mT.contiguous(), from_numpy(factors)
        diagonal = F.diagonal(found, 0, -2, -1)
        diagonal.copy_(F.sign(diagonal) * (1 - 2 * F.eq(factor, 0)))
        return found.mT if wide else found


def _reflections(below: Tensor) -> Tensor:
    """Return the first k columns of the product of k reflections I - 2 v vᵀ / ‖v‖².

    below: (..., n, k), the entries of each v below its 1
    """
    n, k = below.shape[-2:]
    unit = eye(n, k, dtype=below.dtype)
    vectors, found = below + unit, unit
    scales = 2.0 / (1.0 + F.sum(below * below, -2))
    for i in reversed(range(k)):
        v = vectors[..., i : i + 1]
        found = found - scales[..., i, None, None] * (v @ (v.mT @ found))
    return found


def orthogonal(
    module: Any,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Any:
    """Keep a matrix orthogonal: its columns, or the rows of a wide one, are orthonormal.

    module: Module, changed and returned.
    name: str, the parameter or buffer; default "weight".
    orthogonal_map: "matrix_exp" for exp(A), "cayley" for (I + A/2) (I - A/2)⁻¹, with a skew matrix
        A; "householder" for a product of reflections. Default: "matrix_exp" if it is square, else
        "householder".
    use_trivialization: bool, multiply by the matrix that was there before; default True.
    Raises: ValueError if there is no such matrix, or for another map.
    Source: M. Lezcano-Casado, Trivializations for Gradient-Based Optimization on Manifolds, 2019.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrizations import orthogonal
    >>> layer = orthogonal(torch.nn.Linear(3, 2))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(2), atol=1e-5)
    True
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.shape[-2] == weight.shape[-1] else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
