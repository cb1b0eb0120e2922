"""Functions of all parameters of a model: clip the gradients, join the parameters in a vector.

Weight norm, spectral norm and parametrizations have files of their own.

Read next: nn/utils/weight_normalization.py
"""

import types
import warnings
from collections.abc import Iterable
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.errors import of_one_library, users_level
from graphlab.common.public import homes, lazy
from graphlab.compat.linalg import vector_norm
from graphlab.nn.tree import type_name
from graphlab.tensor import functions as F
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor

OURS = "GraphLab's functions"


def _listed(parameters: Any) -> list[Tensor]:
    """Return one tensor, or an iterable of tensors, as a list. Raises: TypeError for PyTorch's."""
    of_one_library(OURS, parameters)
    found = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    of_one_library(OURS, *found)
    return found


def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """Return the norm of the vector of all entries of all tensors.

    tensors: a tensor or an iterable of tensors, any shapes
    norm_type: float, p of the norm; inf for the maximum
    error_if_nonfinite: bool, raise an error for a norm of nan or inf
    foreach: accepted as in PyTorch, without effect here
    Returns: ().
    Raises: RuntimeError if the norm is not finite and `error_if_nonfinite` is set.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils import get_total_norm
    >>> get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    norm_type = float(norm_type)
    found = _listed(tensors)
    if not found:
        return tensor(0.0)
    with no_grad():
        norms = F.stack([vector_norm(one, norm_type) for one in found])
        total = vector_norm(norms, norm_type)
    if error_if_nonfinite and not F.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> Tensor:
    """Scale all gradients in place so that their total norm is at most max_norm.

    parameters: a tensor or an iterable of tensors; those without a gradient are skipped
    max_norm: float ≥ 0
    norm_type, error_if_nonfinite, foreach: as in `get_total_norm`
    Returns: (), the total norm before the gradients are scaled.
    Raises: RuntimeError if the norm is not finite and `error_if_nonfinite` is set.
    Warns: UserWarning for a generator without parameters.
    Source: Pascanu, Mikolov & Bengio 2013.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils import clip_grad_norm_
    >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> clip_grad_norm_(w, 1.0), w.grad
    (tensor(10.), tensor([0.6000, 0.8000]))
    """
    generated = isinstance(parameters, types.GeneratorType)
    parameters = _listed(parameters)
    if generated and not parameters:
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.",
            stacklevel=users_level(),
        )
    grads = [p.grad for p in parameters if p.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    with no_grad():
        scale = F.clamp((total + 1e-6).reciprocal() * float(max_norm), max=1.0)
        for grad in grads:
            grad.mul_(scale)
    return total


def clip_grad_norm(*args: Any, **options: Any) -> Tensor:
    """Call `clip_grad_norm_`, under its old name. Warns: FutureWarning.

    args, options: those of `clip_grad_norm_`
    Returns: (), the total norm before the gradients are scaled.

    >>> import graphlab as torch, warnings
    >>> w = torch.tensor([1.0], requires_grad=True)
    >>> (4 * w).sum().backward()
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.utils.clip_grad_norm(w, 1.0)
    tensor(4.)
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=users_level(),
    )
    return clip_grad_norm_(*args, **options)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Clamp every entry of every gradient to [-clip_value, clip_value] in place.

    parameters: a tensor or an iterable of tensors; those without a gradient are skipped
    clip_value: float ≥ 0
    foreach: accepted as in PyTorch, without effect here

    >>> import graphlab as torch
    >>> from graphlab.nn.utils import clip_grad_value_
    >>> w = torch.tensor([3.0, 0.1], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> clip_grad_value_(w, 1.0)
    >>> w.grad
    tensor([1.0000, 0.2000])
    """
    clip_value = float(clip_value)
    with no_grad():
        for parameter in _listed(parameters):
            if parameter.grad is not None:
                parameter.grad.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the entries of all parameters, in their order, as one vector.

    parameters: an iterable of tensors with N entries in all
    Returns: (N,).

    >>> import graphlab as torch
    >>> from graphlab.nn.utils import parameters_to_vector
    >>> parameters_to_vector([torch.ones(1, 2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    return F.cat([F.reshape(parameter, (-1,)) for parameter in _listed(parameters)])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set the parameters to successive parts of a vector, whose memory they then share.

    vec: (N,)
    parameters: an iterable of tensors with N entries in all
    Raises: TypeError unless `vec` is a tensor.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils import vector_to_parameters
    >>> w = torch.zeros(1, 2)
    >>> vector_to_parameters(torch.tensor([3.0, 4.0]), [w])
    >>> w
    tensor([[3., 4.]])
    """
    parameters = _listed(parameters)
    of_one_library(OURS, vec)
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type_name(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = F.reshape(vec[start:end], tuple(parameter.shape)).data
        start = end


HOMES = homes(
    {
        "nn.utils.weight_normalization": (
            "remove_spectral_norm remove_weight_norm spectral_norm weight_norm"
        )
    }
)
MODULES = ("parametrizations", "parametrize", "prune", "rnn")
__getattr__, __dir__ = lazy(__name__, HOMES, MODULES)
