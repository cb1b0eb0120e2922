"""Weight normalization: a weight as a length g and a direction v, w = g v / ‖v‖.

Two parameters replace one, and before each forward pass a hook computes the weight from them. So
the optimizer changes length and direction independently.

Read next: nn/utils/spectral_normalization.py
"""

import warnings
from typing import Any, TypeVar

from graphlab.autograd.record import apply
from graphlab.common.errors import users_level
from graphlab.nn.parameter import Parameter
from graphlab.nn.uninitialized import UninitializedParameter
from graphlab.ops.normalization import WeightNormInterface
from graphlab.tensor.functions.distances import norm
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
