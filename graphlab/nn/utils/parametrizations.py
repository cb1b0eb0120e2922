"""Two parametrizations: weight norm and spectral norm.

Read next: nn/utils/rnn.py
"""

from typing import Any

from graphlab.autograd.grad_mode import no_grad
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
from graphlab.tensor.functions.distances import normalize
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
    >>> layer = spectral_norm(torch.nn.Linear(3, 2)).eval()
    >>> bool(abs(torch.linalg.svdvals(layer.weight)[0] - 1) < 0.01)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    outputs = outputs_of(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, outputs, eps)
    return register_parametrization(module, name, made)
