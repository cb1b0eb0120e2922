"""Conversions of a module: other types, or another device, for its parameters and buffers.

Read next: nn/module.py
"""

import inspect
from collections.abc import Callable
from typing import Any, Self

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.devices import check_device, device
from graphlab.common.dtypes import dtype, float16, float32, float64
from graphlab.nn.traversal import Traversal
from graphlab.nn.tree import Tree
from graphlab.tensor.tensor import Tensor


class Conversions(Traversal):
    """The methods of a module that convert all its tensors."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace every parameter, its gradient and every buffer by `fn` of it."""
        for module in self.children() if recurse else ():
            module._apply(fn, recurse)
        with no_grad():
            for parameter in self._parameters.values():
                if parameter is None:
                    continue
                changed = fn(parameter)
                if changed is parameter:
                    continue
                grad, parameter.grad = parameter.grad, None
                parameter.data = changed
                if grad is not None:
                    parameter.grad = fn(grad)
            for name, buffer in self._buffers.items():
                if buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert the floating point parameters and buffers: `to(torch.float64)`.

        args, kwargs: a dtype, a tensor that has the dtype, a device, which can only be "cpu", or
            a memory_format, for parameters of 4 or 5 dimensions
        Returns: the module.
        Raises: TypeError if the dtype is not floating point, AssertionError for cuda.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).to(torch.float64).weight.dtype
        torch.float64
        """
        target: Any = kwargs.pop("dtype", None)
        for given in args:
            if isinstance(given, dtype | Tensor):
                target = given if isinstance(given, dtype) else given.dtype
        for where in (kwargs.pop("device", None), *args):
            if isinstance(where, str | int | device) and not isinstance(where, bool):
                check_device(where)
        order = kwargs.pop("memory_format", None)
        if order is not None:
            self._apply(lambda t: t.to(memory_format=order) if t.ndim in (4, 5) else t)
        if target is None:
            return self
        if not target.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={target}"
            )
        return self._apply(lambda t: t.to(target) if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """Return the module: GraphLab computes on the CPU only.

        >>> import graphlab as torch
        >>> model = torch.nn.Linear(1, 1)
        >>> model.cpu() is model
        True
        """
        return self

    def cuda(self, device: Any = None) -> Self:
        """Raise AssertionError, as PyTorch does without cuda, if the module has any tensor.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).cuda()
        Traceback (most recent call last):
        AssertionError: Torch not compiled with CUDA enabled
        """
        return self._apply(lambda t: t.cuda())

    def type(self, dst_type: dtype) -> Self:
        """Convert all parameters and buffers to `dst_type`, a dtype, and return the module.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).type(torch.float16).bias.dtype
        torch.float16
        """
        return self._apply(lambda t: t.to(dst_type))

    def float(self) -> Self:
        """Convert the floating point parameters and buffers to float32.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).float().bias.dtype
        torch.float32
        """
        return self.to(float32)

    def double(self) -> Self:
        """Convert the floating point parameters and buffers to float64.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).double().bias.dtype
        torch.float64
        """
        return self.to(float64)

    def half(self) -> Self:
        """Convert the floating point parameters and buffers to float16.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).half().bias.dtype
        torch.float16
        """
        return self.to(float16)


for _part in (Tree, Traversal, Conversions):
    for _method in filter(inspect.isfunction, vars(_part).values()):
        # errors show this name, and so does a notebook cell that ends with `model.parameters()`
        _method.__qualname__ = f"Module.{_method.__name__}"
