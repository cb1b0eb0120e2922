"""Weight normalization: a weight as a length g and a direction v, w = g v / ‖v‖.

Two parameters replace one, and before each forward pass a hook computes the weight from them. So
the optimizer changes length and direction independently.

Spectral normalization divides a weight by its largest singular value, σ ≈ u · W v, where u and v
approximate the singular vectors of σ. Each forward pass in training improves them by a step of
power iteration: v = Wᵀu / ‖Wᵀu‖, then u = W v / ‖W v‖.

Read next: nn/utils/parametrize.py
"""

import warnings
from typing import Any, TypeVar

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.record import apply
from graphlab.common.errors import users_level
from graphlab.nn.parameter import Parameter, UninitializedParameter
from graphlab.ops.normalization import WeightNormInterface
from graphlab.tensor import functions as F
from graphlab.tensor.functions.distances import norm, normalize
from graphlab.tensor.functions.shapes import reshape, transpose
from graphlab.tensor.tensor import Tensor

M = TypeVar("M")


def norm_except_dim(v: Tensor, pow: float, dim: int) -> Tensor:
    """Return the norm of each slice of v along a dimension; of the whole of v for dim = -1.

    v: (N, ...). dim: 0 -> (N, 1, ...), with as many dimensions as v.
    """
    if dim == -1:
        return norm(v, pow)
    sizes = [1] * v.ndim
    sizes[dim] = v.shape[dim]
    if dim == 0:
        return reshape(norm(reshape(v, (v.shape[0], -1)), pow, 1), sizes)
    if dim == v.ndim - 1:
        return reshape(norm(reshape(v, (-1, v.shape[-1])), pow, 0), sizes)
    return transpose(norm_except_dim(transpose(v, 0, dim), pow, 0), 0, dim)


def weight_of(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Return g v / ‖v‖, with a norm for each slice of v along `dim`; of all of v for dim = -1.

    >>> import graphlab as torch
    >>> weight_of(torch.tensor([[3.0, 4.0]]), torch.tensor([[10.0]]))
    tensor([[6., 8.]])
    """
    if dim in (0, v.ndim - 1):
        return apply(WeightNormInterface, v, g, dim=dim)
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The hook that computes the weight of a module from its two parts, before each forward."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Tensor:
        """Return the weight with the current length and direction."""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return weight_of(v, g, self.dim)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Make a parameter of a module from a length `<name>_g` and a direction `<name>_v`.

    module: Module, changed and returned.
    name: str, the parameter; default "weight".
    dim: int, the dimension along which each slice has a length of its own; default 0, for one
        length for each output. None for one length of the whole weight.
    Raises: RuntimeError if the parameter has a weight norm already, ValueError for a lazy module
        that was not called yet.
    Warns: FutureWarning; PyTorch recommends `nn.utils.parametrizations.weight_norm`.
    Source: T. Salimans and D. P. Kingma, Weight Normalization, 2016.

    >>> import graphlab as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape  # the lengths; original1 is v
    torch.Size([2, 1])
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=users_level(),
    )
    own: Any = module
    check_not_hooked(own, WeightNorm, "weight_norm", name)
    weight = getattr(own, name)
    if isinstance(weight, UninitializedParameter):
        raise ValueError(
            "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to "
            "run the dummy forward before applying weight normalization"
        )
    hook = WeightNorm(name, dim)
    del own._parameters[name]
    lengths = norm_except_dim(weight, 2, hook.dim).data
    own.register_parameter(f"{name}_g", Parameter(lengths))
    own.register_parameter(f"{name}_v", Parameter(weight.data))
    setattr(own, name, hook.compute_weight(own))
    own.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Replace the two parts by one parameter with the current value.

    module: Module, changed and returned. name: str, the parameter; default "weight".
    Raises: ValueError if the parameter has no weight norm.

    >>> import graphlab as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
    >>> list(torch.nn.utils.remove_weight_norm(layer)._parameters)
    ['bias', 'weight']
    """
    own: Any = module
    hook = pop_hook(own, WeightNorm, "weight_norm", name)
    weight = hook.compute_weight(own)
    delattr(own, name)
    for part in ("g", "v"):
        del own._parameters[f"{name}_{part}"]
    setattr(own, name, Parameter(weight.data))
    return module


def check_not_hooked(module: Any, kind: type, label: str, name: str) -> None:
    """Raise RuntimeError if the module has such a hook for the parameter already."""
    if any(type(h) is kind and h.name == name for h in module._forward_pre_hooks.values()):
        raise RuntimeError(f"Cannot register two {label} hooks on the same parameter {name}")


def pop_hook(module: Any, kind: type, label: str, name: str) -> Any:
    """Remove a parameter's hook from the module, and return it. Raises: ValueError without one."""
    for number, hook in module._forward_pre_hooks.items():
        if type(hook) is kind and hook.name == name:
            del module._forward_pre_hooks[number]
            return hook
    raise ValueError(f"{label} of '{name}' not found in {module}")


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
