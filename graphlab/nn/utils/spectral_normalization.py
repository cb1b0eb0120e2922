"""Spectral normalization: a weight divided by its largest singular value σ.

σ ≈ u · W v, where u and v approximate the singular vectors of σ. Each forward pass in training
improves them by a step of power iteration: v = Wᵀu / ‖Wᵀu‖, then u = W v / ‖W v‖.

Read next: nn/utils/parametrize.py
"""

from typing import Any, TypeVar

from graphlab.autograd.grad_mode import no_grad
from graphlab.nn.parameter import Parameter
from graphlab.nn.uninitialized import UninitializedParameter
from graphlab.nn.utils.weight_normalization import check_not_hooked, pop_hook
from graphlab.tensor import functions as F
from graphlab.tensor.functions.distances import normalize
from graphlab.tensor.tensor import Tensor

M = TypeVar("M")


def moved_first(weight: Tensor, dim: int) -> Tensor:
    """Return a weight with the dimension `dim` moved before all others."""
    if dim == 0:
        return weight
    return F.permute(weight, (dim, *(d for d in range(weight.ndim) if d != dim)))


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Return a weight as a matrix with one row for each index of `dim`."""
    first = moved_first(weight, dim)
    return F.reshape(first, (first.shape[0], -1))


def random_direction(n: int, like: Tensor, eps: float) -> Tensor:
    """Return a vector (n,) of length 1 in a random direction, in the dtype of `like`."""
    return normalize(like.new_empty(n).normal_(0, 1), dim=0, eps=eps)


def set_normalized(vector: Tensor, value: Tensor, eps: float) -> None:
    """Set a vector to `value` divided by its length."""
    vector.copy_(normalize(value, dim=0, eps=eps))


class SpectralNorm:
    """The hook that divides the weight of a module by its largest singular value."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        need_positive(n_power_iterations)
        self.name, self.dim, self.eps = name, dim, eps
        self.n_power_iterations = n_power_iterations

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """Return the weight divided by σ, after steps of power iteration in training."""
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    set_normalized(v, F.mv(F.t(matrix), u), self.eps)
                    set_normalized(u, F.mv(matrix, v), self.eps)
                # the next forward changes u and v, but the graph of this one needs them
                u, v = F.clone(u), F.clone(v)
        return weight / F.dot(u, F.mv(matrix, v))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def need_positive(n_power_iterations: int) -> None:
    """Raise ValueError for fewer than one iteration."""
    if n_power_iterations <= 0:
        raise ValueError(
            "Expected n_power_iterations to be positive, but got "
            f"n_power_iterations={n_power_iterations}"
        )


def spectral_norm(
    module: M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> M:
    """Divide a parameter of a module by its largest singular value, before each forward pass.

    The parameter becomes `<name>_orig`; `<name>_u` and `<name>_v` are buffers.

    module: Module, changed and returned.
    name: str, the parameter; default "weight".
    n_power_iterations: int > 0, the steps of power iteration in each forward pass; default 1.
    eps: float, the smallest length that a vector is divided by; default 1e-12.
    dim: int, the dimension of the outputs; default 0, and 1 for transposed convolutions.
    Raises: RuntimeError if the parameter has a spectral norm already; ValueError if
        n_power_iterations is not positive, if the parameter is None, or for a lazy module that was
        not called yet.
    Source: T. Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.

    >>> import graphlab as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    own: Any = module
    check_not_hooked(own, SpectralNorm, "spectral_norm", name)
    hook = SpectralNorm(name, n_power_iterations, outputs_of(own) if dim is None else dim, eps)
    weight = own._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if isinstance(weight, UninitializedParameter):
        raise ValueError(
            "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to "
            "run the dummy forward before applying spectral normalization"
        )
    with no_grad():
        rows, columns = as_matrix(weight, hook.dim).shape
        u, v = random_direction(rows, weight, eps), random_direction(columns, weight, eps)
    delattr(own, name)
    own.register_parameter(f"{name}_orig", weight)
    setattr(own, name, weight.data)  # a plain attribute until the first forward
    own.register_buffer(f"{name}_u", u)
    own.register_buffer(f"{name}_v", v)
    own.register_forward_pre_hook(hook)
    return module


def outputs_of(module: Any) -> int:
    """Return the dimension of a module's weight that has an index for each output."""
    return int(any(kind.__name__.startswith("ConvTranspose") for kind in type(module).__mro__))


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Replace the weight and its two vectors by one parameter with the current value.

    module: Module, changed and returned. name: str, the parameter; default "weight".
    Raises: ValueError if the parameter has no spectral norm.

    >>> import graphlab as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> list(torch.nn.utils.remove_spectral_norm(layer).state_dict())
    ['bias', 'weight']
    """
    own: Any = module
    hook = pop_hook(own, SpectralNorm, "spectral_norm", name)
    with no_grad():
        weight = hook.compute_weight(own, do_power_iteration=False)
    for part in ("", "_u", "_v", "_orig"):
        delattr(own, name + part)
    own.register_parameter(name, Parameter(weight.detach()))
    return module
