"""Pruning: before each forward pass, a hook multiplies a parameter by a mask of zeros and ones.

>>> import graphlab as torch
>>> layer = l1_unstructured(torch.nn.Linear(3, 2), "weight", amount=0.5)
>>> list(layer.state_dict()), layer.weight.grad_fn.name()
(['bias', 'weight_orig', 'weight_mask'], 'MulBackward0')

Read next: nn/utils/parametrize.py
"""

from collections.abc import Callable
from numbers import Integral
from typing import Any

from graphlab.nn.utils import parameters_to_vector
from graphlab.tensor import functions as F
from graphlab.tensor.creation import ones_like, zeros_like
from graphlab.tensor.tensor import Tensor


class BasePruningMethod:
    """The hook; a subclass makes the mask."""

    PRUNING_TYPE = "unstructured"
    _tensor_name: str
    compute_mask: Callable[..., Tensor]

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module: Any) -> Tensor:
        """Return the parameter times its mask."""
        mask, orig = (getattr(module, self._tensor_name + end) for end in ("_mask", "_orig"))
        return mask.to(orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prune a parameter, after what has pruned it before."""
        method: Any = cls(*args, **kwargs)
        orig, hooks = getattr(module, name), module._forward_pre_hooks
        scores = orig if importance_scores is None else importance_scores
        number = _number_of(module, name)
        if number is None:
            mask = method.compute_mask(scores, default_mask=ones_like(orig))
            del module._parameters[name]
            module.register_parameter(f"{name}_orig", orig)
        else:
            old = hooks[number]
            method = PruningContainer([*(old if isinstance(old, list) else [old]), method])
            mask = method.compute_mask(scores, getattr(module, f"{name}_mask"))
            del hooks[number]
        module.register_buffer(f"{name}_mask", mask)
        method._tensor_name = name
        method(module, ())
        module.register_forward_pre_hook(method)
        return method


class PruningContainer(BasePruningMethod, list[Any]):
    """Several hooks of one parameter; each sees what the earlier ones have left."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        method, mask, left = self[-1], default_mask.clone(), ...
        if method.PRUNING_TYPE == "unstructured":
            left = mask == 1
        elif method.PRUNING_TYPE == "structured":
            rows = mask.transpose(0, method.dim).flatten(1).any(1)
            left = (slice(None),) * (method.dim % t.ndim) + (rows,)
        mask[left] = method.compute_mask(t[left], default_mask=mask[left])
        return mask


class RandomUnstructured(BasePruningMethod):
    """Prune a number of entries, or a share."""

    scores = staticmethod(lambda t: -F.rand_like(t))

    def __init__(self, amount: Any) -> None:
        self.amount = amount

    def count(self, size: int) -> Any:
        number: Any = self.amount
        number = number if isinstance(number, Integral) else round(number * size)
        if not 0 <= number <= size:
            raise ValueError(
                f"amount={number} should be smaller than the number of parameters to prune={size}"
            )
        return number

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        mask = default_mask.flatten().clone()
        mask[self.scores(t).flatten().topk(self.count(t.numel()), largest=False).indices] = 0
        return mask.view(t.shape)


class L1Unstructured(RandomUnstructured):
    """Prune the entries nearest to 0."""

    scores = staticmethod(F.abs)


class RandomStructured(RandomUnstructured):
    """Prune slices along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        self.amount, self.dim = amount, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        rows, mask = t.transpose(0, self.dim), zeros_like(t)
        mask.transpose(0, self.dim)[self.kept(rows, self.count(len(rows)))] = 1
        return mask * default_mask

    def kept(self, t: Tensor, number: int) -> Any:
        drawn = F.rand(len(t))
        return drawn > drawn.kthvalue(number).values if number else ...


class LnStructured(RandomStructured):
    """Prune the slices along a dimension whose n-norm is smallest."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        self.amount, self.n, self.dim = amount, n, dim

    def kept(self, t: Tensor, number: int) -> Any:
        return t.flatten(1).norm(self.n, 1).topk(len(t) - number).indices


class CustomFromMask(BasePruningMethod):
    """Prune where a mask is 0."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask * self.mask.to(default_mask.dtype)


def _function_of(method: Any) -> Any:
    def prune(module: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        method.apply(module, name, *args, **kwargs)
        return module

    return prune


random_unstructured = _function_of(RandomUnstructured)
l1_unstructured = _function_of(L1Unstructured)
random_structured = _function_of(RandomStructured)
ln_structured = _function_of(LnStructured)
custom_from_mask = _function_of(CustomFromMask)


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune pairs (module, name) by the values of all of them together."""
    tensors = [getattr(*pair) for pair in parameters]
    scores = map((importance_scores or {}).get, parameters, tensors)
    masks = [getattr(m, f"{n}_mask", ones_like(getattr(m, n))) for m, n in parameters]
    method = PruningContainer([pruning_method(**kwargs)])
    mask = method.compute_mask(*map(parameters_to_vector, (scores, masks)))
    parts = mask.split([t.numel() for t in tensors])
    for pair, t, part in zip(parameters, tensors, parts, strict=True):
        custom_from_mask(*pair, part.view(t.shape))


def _number_of(module: Any, name: Any = None) -> int | None:
    """Return the number of a parameter's hook, or of any."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and name in (None, hook._tensor_name):
            return number
    return None


def remove(module: Any, name: str) -> Any:
    """Keep the pruned values, without hook and mask."""
    number = _number_of(module, name)
    if number is None:
        raise ValueError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
        )
    value = module._forward_pre_hooks.pop(number).apply_mask(module)
    delattr(module, name)
    orig = module._parameters.pop(f"{name}_orig")
    orig.data = value.data
    del module._buffers[f"{name}_mask"]
    setattr(module, name, orig)
    return module


def is_pruned(module: Any) -> bool:
    """Return whether a parameter is pruned."""
    return any(_number_of(one) is not None for one in module.modules())
