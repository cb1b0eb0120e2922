"""Parametrizations: a parameter that is computed from another one each time it is read.

    class Symmetric(nn.Module):
        def forward(self, X):
            return X.triu() + X.triu(1).T

    register_parametrization(layer, "weight", Symmetric())
    layer.weight                           # Symmetric()(layer.parametrizations.weight.original)

The module gets a class of its own, which has a property with the name of the parameter.

Read next: nn/utils/parametrizations.py
"""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.nn.containers import ModuleDict, ModuleList
from graphlab.nn.parameter import Parameter
from graphlab.tensor.tensor import Tensor

_values: dict[tuple[int, str], Tensor] = {}  # the tensors that were computed within `cached`
_depth = 0  # how many `cached` blocks are open


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once while the block runs, however often it is read.

    >>> import graphlab as torch
    >>> import graphlab.nn.utils.parametrizations as P
    >>> layer = P.weight_norm(torch.nn.Linear(3, 2))
    >>> with torch.nn.utils.parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _values.clear()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and the tensors that the first one gets.

    Those are `original`, or `original0`, `original1`, … if `right_inverse` returns several.

    modules: the parametrizations. original: the tensor.
    unsafe: bool, whether they may change the dtype or the shape.
    Raises: ValueError without modules, or for tensors that do not fit.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrize import ParametrizationList
    >>> len(ParametrizationList([torch.nn.Tanh()], torch.ones(2)))
    1
    """

    def __init__(self, modules: Sequence[Any], original: Any, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            start = original
            for module in reversed(list(self)):
                with suppress(NotImplementedError):
                    if hasattr(module, "right_inverse"):
                        start = module.right_inverse(start)
        if not isinstance(start, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(start).__name__}"
            )
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if isinstance(start, Tensor) else len(start)
        if isinstance(start, Tensor):
            if original.dtype != start.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\n"
                    f"right_inverse(original).dtype: {start.dtype}"
                )
            _set(original, start)
            _register(self, "original", original)
        else:
            for i, one in enumerate(start):
                if not isinstance(one, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a sequence of tensors (list, tuple...). Got "
                        f"element {i} of the sequence with type {type(one).__name__}."
                    )
                if isinstance(original, Parameter):
                    one = Parameter(one, original.requires_grad)
                _register(self, f"original{i}", one.requires_grad_(original.requires_grad))
        if not unsafe:
            self._check(original)

    def _check(self, original: Any) -> None:
        """Raise ValueError if the result has another type or shape than the tensor had."""
        texts = "`unsafe`", "unparametrized {}", "parametrized {}"
        _check_like(original, self(), *texts)

    def right_inverse(self, value: Any) -> None:
        """Set the original tensors so that the parametrizations return `value`.

        value: Tensor, like the parametrized one.
        Raises: RuntimeError if a parametrization has no `right_inverse`, ValueError if it returns
            something that does not fit.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            for own, new in zip(self._originals(), self._as_list(value), strict=True):
                if own.dtype != new.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while "
                        f"`original` has dtype {own.dtype}"
                    )
                _set(own, new)

    def _originals(self) -> list[Any]:
        names = ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def _as_list(self, value: Any) -> list[Any]:
        """Return the result of `right_inverse` as a list with a tensor for each original."""
        if self.is_tensor:
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                )
            return [value]
        if not isinstance(value, Sequence):
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}."
            )
        if len(value) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                f"Got a sequence of length {len(value)}."
            )
        return list(value)

    def forward(self) -> Any:
        """Return the parametrized tensor."""
        first, *rest = list(self)
        value = first(*self._originals())
        for module in rest:
            value = module(value)
        return value


def _set(tensor: Any, value: Any) -> None:
    """Give a tensor the memory of another one."""
    if tensor is not value:
        tensor.data = value.data


def _register(module: Any, name: str, tensor: Any) -> None:
    add = module.register_parameter if isinstance(tensor, Parameter) else module.register_buffer
    add(name, tensor)


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Any:
    """Let another module compute a parameter or buffer of a module whenever it is read.

    module: Module, changed and returned.
    tensor_name: str, the parameter or buffer.
    parametrization: Module of one tensor. If it has a method `right_inverse`, this maps a value to
        the tensor to compute it from; it is called now, and when a value is assigned to the name.
    unsafe: bool, whether it may change the shape and the dtype; default False.
    Raises: ValueError if there is no such tensor, or if shape or dtype change.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrize import register_parametrization
    >>> class Positive(torch.nn.Module):
    ...     def forward(self, X):
    ...         return X.exp()
    >>> layer = torch.nn.Linear(2, 1)
    >>> _ = register_parametrization(layer, "weight", Positive())
    >>> bool((layer.weight > 0).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        found = module.parametrizations[tensor_name]
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        found.append(parametrization)
        found.unsafe = found.unsafe or unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = made
    return module


def _check_like(before: Any, after: Any, flag: str, first: str, second: str) -> None:
    """Raise ValueError unless `after` is a tensor with the dtype and shape of `before`."""
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(after, what)
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless "
                f"{flag} flag is enabled.\n{first.format(what)}: {old}\n"
                f"{second.format(what)}: {new}"
            )


def _check_next(module: Any, name: str, parametrization: Any) -> None:
    """Raise ValueError if one more parametrization changes the shape or dtype of the tensor."""
    before = getattr(module, name)
    after = parametrization(before)
    texts = "the `unsafe`", f"module.{name}.{{}}", f"parametrization(module.{name}).{{}}"
    _check_like(before, after, *texts)
    if hasattr(parametrization, "right_inverse"):
        with no_grad():
            back = parametrization.right_inverse(after)
        same = isinstance(back, Tensor) and (back.dtype, back.shape) == (before.dtype, before.shape)
        if not same:
            raise ValueError(
                "The tensor returned by parametrization.right_inverse must have the same shape "
                f"and dtype as module.{name}, unless the `unsafe` flag is enabled."
            )


def _give_own_class(module: Any) -> None:
    """Give a module a class of its own, for the properties."""
    kind: Any = type(module)

    def deep(self: Any, memo: dict[int, Any]) -> Any:
        replica = object.__new__(type(self))
        memo[id(self)] = replica
        replica.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return replica

    def refused(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    own = {"__getstate__": refused, "__deepcopy__": deep, "__module__": kind.__module__}
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), own)


def _property(name: str) -> property:
    """Return the property that computes a tensor when it is read."""

    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not _depth:
            return parametrization()
        key = (id(self), name)
        if key not in _values:
            _values[key] = parametrization()
        return _values[key]

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, put)


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Return whether a `module` has a parametrized tensor, with the name `tensor_name` if given.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrize import is_parametrized
    >>> is_parametrized(torch.nn.Linear(2, 1))
    False
    """
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor a plain parameter or buffer again.

    module: Module, changed and returned. tensor_name: str.
    leave_parametrized: bool, True to keep the computed value, the default, False to restore the
        original tensor.
    Raises: ValueError if it is not parametrized, or if it has several original tensors and
        `leave_parametrized` is False.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrize import remove_parametrizations
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> remove_parametrizations(layer, "weight")
    Linear(in_features=3, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    original = found._originals()[0]
    if not found.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    if leave_parametrized and found.is_tensor:
        with no_grad():
            _set(original, getattr(module, tensor_name))
    elif leave_parametrized:  # as in PyTorch, a value without a gradient becomes a buffer
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """Return the class that a module had before it was parametrized.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.parametrize import type_before_parametrizations
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> type_before_parametrizations(layer).__name__
    'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
