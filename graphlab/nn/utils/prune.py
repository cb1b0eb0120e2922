"""Pruning: before each forward pass, a hook multiplies a parameter by a mask of zeros and ones.

>>> import graphlab as torch
>>> layer = l1_unstructured(torch.nn.Linear(3, 2), "weight", amount=0.5)
>>> list(layer.state_dict()), layer.weight.grad_fn.name()
(['bias', 'weight_orig', 'weight_mask'], 'MulBackward0')

Read next: nn/utils/parametrize.py
"""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from graphlab.nn.utils import parameters_to_vector
from graphlab.tensor import functions as F
from graphlab.tensor.creation import ones_like, zeros_like
from graphlab.tensor.tensor import Tensor


class BasePruningMethod:
    """The hook; a subclass makes the mask.

    >>> from graphlab.nn.utils.prune import BasePruningMethod
    >>> class Ends(BasePruningMethod):
    ...     def compute_mask(self, t, default_mask):
    ...         default_mask[:, [0, -1]] = 0
    ...         return default_mask
    >>> import graphlab as torch
    >>> layer = torch.nn.Linear(4, 1)
    >>> Ends.apply(layer, "weight").apply_mask(layer).count_nonzero()
    tensor(2)
    """

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
    """Several hooks of one parameter; each sees what the earlier ones have left.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import RandomUnstructured, l1_unstructured
    >>> layer = l1_unstructured(torch.nn.Linear(4, 1), "weight", 2)
    >>> len(RandomUnstructured.apply(layer, "weight", 1)), int(layer.weight_mask.sum())
    (2, 1)
    """

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
    """Prune entries at random; amount: how many, or which share.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import RandomUnstructured
    >>> RandomUnstructured(2).compute_mask(torch.ones(4), torch.ones(4)).sum()
    tensor(2.)
    """

    scores = staticmethod(lambda t: -F.rand_like(t))

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if float(amount) < 0 or (float(amount) > 1 and not isinstance(amount, Integral)):
            raise ValueError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
                "integer"
            )
        self.amount = amount

    def count(self, size: int) -> Any:
        number: Any = self.amount
        number = number if isinstance(number, Integral) else round(number * size)
        if number > size:
            raise ValueError(
                f"amount={number} should be smaller than the number of parameters to prune={size}"
            )
        return number

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        mask = default_mask.flatten().clone()
        mask[self.scores(t).flatten().topk(self.count(t.numel()), largest=False).indices] = 0
        return mask.view(t.shape)


class L1Unstructured(RandomUnstructured):
    """Prune the entries nearest to 0.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import L1Unstructured
    >>> L1Unstructured(0.5).compute_mask(torch.arange(4.0), torch.ones(4))
    tensor([0., 0., 1., 1.])
    """

    scores = staticmethod(F.abs)


class RandomStructured(RandomUnstructured):
    """Prune slices along the dimension `dim` at random; amount: how many, or which share.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import RandomStructured
    >>> RandomStructured(1, dim=0).compute_mask(torch.ones(2, 3), torch.ones(2, 3)).sum()
    tensor(3.)
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        rows, mask = t.transpose(0, self.dim), zeros_like(t)
        mask.transpose(0, self.dim)[self.kept(rows, self.count(len(rows)))] = 1
        return mask * default_mask

    def kept(self, t: Tensor, number: int) -> Any:
        drawn = F.rand(len(t))
        return drawn > drawn.kthvalue(number).values if number else ...


class LnStructured(RandomStructured):
    """Prune the slices along `dim` with the smallest n-norm; amount: how many, or which share.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import LnStructured
    >>> t = torch.tensor([[3.0, 4.0], [1.0, 1.0]])
    >>> LnStructured(1, n=2, dim=0).compute_mask(t, torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 0.]])
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def kept(self, t: Tensor, number: int) -> Any:
        return t.flatten(1).norm(self.n, 1).topk(len(t) - number).indices


class CustomFromMask(BasePruningMethod):
    """Prune where a mask is 0.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import CustomFromMask
    >>> mask = torch.tensor([True, False])
    >>> CustomFromMask(mask).compute_mask(torch.ones(2), torch.ones(2))
    tensor([1., 0.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask * self.mask.to(default_mask.dtype)


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune entries of the parameter `name` of a module at random; return the module.

    amount: how many entries, or which share. Raises: TypeError or ValueError for others.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import random_unstructured
    >>> int(random_unstructured(torch.nn.Linear(4, 1), "weight", 0.25).weight_mask.sum())
    3
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: Any, name: str, amount: float, importance_scores: Tensor | None = None
) -> Any:
    """Prune the entries of the parameter `name` that are nearest to 0; return the module.

    amount: how many entries, or which share. importance_scores: the lowest are pruned.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import l1_unstructured
    >>> layer = torch.nn.Linear(4, 1)
    >>> int((l1_unstructured(layer, "weight", amount=0.5).weight == 0).sum())
    2
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune slices of the parameter `name` along `dim` at random; return the module.

    amount: how many slices, or which share.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import random_structured
    >>> int(random_structured(torch.nn.Linear(4, 2), "weight", 1, dim=0).weight_mask.sum())
    4
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int,
    importance_scores: Tensor | None = None,
) -> Any:  # fmt: skip
    """Prune the slices of the parameter `name` along `dim` with the smallest n-norm.

    amount: how many slices, or which share. importance_scores: their norms count instead.
    Returns the module.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import ln_structured
    >>> layer = torch.nn.Linear(4, 2)
    >>> int(ln_structured(layer, "weight", 0.5, n=2, dim=0).weight_mask.sum())
    4
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune the parameter `name` where a mask of its shape is 0; return the module.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import custom_from_mask
    >>> layer = torch.nn.Linear(2, 2)
    >>> custom_from_mask(layer, "bias", torch.tensor([0, 1])).bias_mask
    tensor([0., 1.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune pairs (module, name) by the values of all of them together.

    parameters: the pairs. pruning_method: the class, which gets the keywords, such as amount.
    importance_scores: a tensor for each pair; the lowest are pruned.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import L1Unstructured, global_unstructured
    >>> layer = torch.nn.Linear(3, 3)
    >>> global_unstructured(
    ...     [(layer, "weight"), (layer, "bias")], pruning_method=L1Unstructured, amount=5
    ... )
    >>> int(layer.weight_mask.sum() + layer.bias_mask.sum())
    7
    """
    tensors = [getattr(*pair) for pair in parameters]
    scores = map((importance_scores or {}).get, parameters, tensors)
    masks = [getattr(m, f"{n}_mask", ones_like(getattr(m, n))) for m, n in parameters]
    method = PruningContainer([pruning_method(**kwargs)])
    mask = method.compute_mask(parameters_to_vector(scores), parameters_to_vector(masks))
    parts = mask.split([t.numel() for t in tensors])
    for (module, name), t, part in zip(parameters, tensors, parts, strict=True):
        custom_from_mask(module, name, part.view(t.shape))


def _number_of(module: Any, name: Any = None) -> int | None:
    """Return the number of a parameter's hook, or of any."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and name in (None, hook._tensor_name):
            return number
    return None


def remove(module: Any, name: str) -> Any:
    """Make the pruned values of the parameter `name` the parameter itself; return the module.

    Raises: ValueError when it is not pruned.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import l1_unstructured, remove
    >>> layer = remove(l1_unstructured(torch.nn.Linear(4, 1), "weight", 2), "weight")
    >>> list(layer.state_dict()), int(layer.weight.count_nonzero())
    (['bias', 'weight'], 2)
    """
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
    """Return whether a parameter of a module, or of one inside it, is pruned.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.prune import is_pruned
    >>> is_pruned(torch.nn.Linear(4, 1))
    False
    """
    return any(_number_of(one) is not None for one in module.modules())
