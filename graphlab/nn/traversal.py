"""The traversal of a tree of modules: finding parameters, buffers and modules by their paths, and
converting all tensors to other types.

Read next: nn/module.py
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Self

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.devices import check_device, device
from graphlab.common.dtypes import dtype, float16, float32, float64
from graphlab.nn.parameter import Parameter
from graphlab.nn.tree import Tree
from graphlab.tensor.tensor import Tensor


class Traversal(Tree):
    """The part of Module that finds parameters, buffers and modules, and converts tensors."""

    def named_modules(
        self, memo: set["Tree"] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Iterate over pairs (path, module) of this module and all inner ones, parents first.

        memo: set of modules to skip; default None, for none.
        prefix: str, the path of this module; default "".
        remove_duplicate: bool, whether a module with several paths comes only once; default True.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> [path for path, _ in model.named_modules()]
        ['', '0', '1']
        """
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(seen, path, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Any]:
        """Iterate over this module and all inner ones, parents first.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> [type(module).__name__ for module in model.modules()]
        ['Sequential', 'Linear', 'ReLU']
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Iterate over pairs (name, module) of the child modules, each module once.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> [name for name, _ in model.named_children()]
        ['0', '1']
        """
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """Iterate over the child modules, each once.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> list(model.children())[1]
        ReLU()
        """
        for _, module in self.named_children():
            yield module

    def _named_members(
        self,
        members: Callable[[Any], Any],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        seen = set()
        everywhere = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in everywhere if recurse else [(prefix, self)]:
            for name, value in members(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield f"{path}.{name}" if path else name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over pairs (path, parameter), such as ("fc1.weight", ...).

        prefix: str, the path of this module; default "".
        recurse: bool, whether to include the parameters of inner modules; default True.
        remove_duplicate: bool, whether a shared parameter comes only once; default True.

        >>> import graphlab as torch
        >>> [(path, p.shape) for path, p in torch.nn.Linear(2, 1).named_parameters()]
        [('weight', torch.Size([1, 2])), ('bias', torch.Size([1]))]
        """
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters, with `recurse` also over those of inner modules.

        >>> import graphlab as torch
        >>> sum(p.numel() for p in torch.nn.Linear(2, 1).parameters())
        3
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over pairs (path, buffer); the arguments are those of `named_parameters`.

        >>> import graphlab as torch
        >>> [path for path, _ in torch.nn.BatchNorm1d(1).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers, with `recurse` also over those of inner modules.

        >>> import graphlab as torch
        >>> list(torch.nn.BatchNorm1d(1).buffers())[0]
        tensor([0.])
        """
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        """Return the module at a path, such as "encoder.0". Raises: AttributeError if none.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> model.get_submodule("1")
        ReLU()
        """
        module: Any = self
        for name in target.split(".") if target else ():
            module = module._reach(name)
            if not isinstance(module, Tree):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def _reach(self, name: str) -> Any:
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def set_submodule(self, target: str, module: "Tree", strict: bool = False) -> None:
        """Set the module at a path.

        target: str, such as "encoder.0".
        module: Module.
        strict: bool, whether the path must have a module already; default False.
        Raises: ValueError for an empty path or if `module` is not a Module, AttributeError if there
            is no module to replace.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> model.set_submodule("1", torch.nn.Tanh())
        >>> model[1]
        Tanh()
        """
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Tree):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            parent.get_submodule(name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a path, such as "fc.weight". Raises: AttributeError if none.

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> model.get_parameter("0.bias").shape
        torch.Size([1])
        """
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._reach(name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a path, such as "bn.running_var". Raises: AttributeError if none.

        >>> import graphlab as torch
        >>> torch.nn.BatchNorm1d(1).get_buffer("running_var")
        tensor([1.])
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = module._reach(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

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


for _part in (Tree, Traversal):
    for _method in filter(inspect.isfunction, vars(_part).values()):
        # errors show this name, and so does a notebook cell that ends with `model.parameters()`
        _method.__qualname__ = f"Module.{_method.__name__}"
