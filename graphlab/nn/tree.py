"""The tree of modules: which module has which parameters, buffers and children, by name.

Assigning registers: `self.fc = Linear(2, 3)` makes fc a child of the module, and
`self.scale = Parameter(...)` makes scale its parameter.

Read next: nn/module.py
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from graphlab.nn.parameter import Buffer, Parameter
from graphlab.tensor.tensor import Tensor

TABLES = (
    "_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_hooks_always_called",
    "_forward_hooks_with_kwargs", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
)  # fmt: skip


THEIR_FILES = {  # our file -> PyTorch's file of the same modules, which its messages name
    "attention": "activation", "cells": "rnn", "containers": "container",
    "margin_loss": "loss", "parameter_containers": "container", "rectifiers": "activation",
    "recurrent": "rnn", "resizing": "upsampling", "transformer_layers": "transformer",
}  # fmt: skip


def type_name(thing: Any) -> str:
    """Return the name of a type as PyTorch's messages give it: `torch.FloatTensor`, `int`."""
    if type(thing) is Tensor:
        return f"torch.{thing.dtype.legacy}"
    kind = thing if isinstance(thing, type) else type(thing)
    if kind.__module__ == "builtins":
        return kind.__qualname__
    home = kind.__module__.replace("graphlab", "torch", 1)
    if home.startswith("torch.nn.") and not home.endswith(".parameter"):
        file = home.removeprefix("torch.nn.")
        home = f"torch.nn.modules.{THEIR_FILES.get(file, file)}"
    return f"{home}.{kind.__qualname__}"


class Tree:
    """The part of Module that registers and finds parameters, buffers and modules."""

    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            wrong = f"got an unexpected keyword argument '{next(iter(kwargs))}'" if kwargs else ""
            many = f"takes 1 positional argument but {len(args) + 1} were given"
            raise TypeError(f"{type(self).__name__}.__init__() {wrong or many}")
        for name in TABLES:
            object.__setattr__(self, name, OrderedDict())
        for name in ("_parameters", "_buffers", "_modules"):
            object.__setattr__(self, name, {})
        object.__setattr__(self, "_non_persistent_buffers_set", set())
        object.__setattr__(self, "training", True)

    def _get_name(self) -> str:
        return type(self).__name__

    # -- registration --------------------------------------------------------------------------

    def _check_name(self, name: Any, kind: str, table: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type_name(name)}")
        taken = name not in table and hasattr(self, name)
        if "." in name and not (taken and kind == "module"):
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if taken:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter.

        name: str, without dots.
        param: Parameter, or None for an optional parameter that is absent.
        Raises: KeyError if the name is taken or has a dot, TypeError if `param` is not a Parameter,
            ValueError if it was computed from other tensors.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is stored with the module but not learned.

        name: str, without dots.
        tensor: Tensor, or None for an optional buffer that is absent.
        persistent: bool, whether it is part of `state_dict()`; default True.
        Raises: KeyError if the name is taken or has a dot, TypeError if `tensor` is not a Tensor.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        skipped = self._non_persistent_buffers_set
        (skipped.discard if persistent else skipped.add)(name)

    def add_module(self, name: str, module: "Tree | None") -> None:
        """Add a child module.

        name: str, without dots. module: Module, or None for an optional module that is absent.
        Raises: KeyError if the name is taken or has a dot, TypeError if `module` is not a Module.
        """
        if not isinstance(module, Tree) and module is not None:
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        self._check_name(name, "module", self._modules)
        self._modules[name] = module

    register_module = add_module

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        for kind, plural, table in (
            (Parameter, "parameters", "_parameters"),
            (Tree, "module", "_modules"),
        ):
            if isinstance(value, kind):
                if table not in own:
                    raise AttributeError(f"cannot assign {plural} before Module.__init__() call")
                self._forget(name, but=table)
                if isinstance(value, Parameter):
                    self.register_parameter(name, value)
                else:
                    own[table][name] = value
                return
            if name in own.get(table, ()):
                if value is not None:
                    place = "parameter" if kind is Parameter else "child module"
                    what = "Parameter" if kind is Parameter else "Module"
                    raise TypeError(
                        f"cannot assign '{type_name(value)}' as {place} '{name}' "
                        f"(torch.nn.{what} or None expected)"
                    )
                own[table][name] = None
                return
        if isinstance(value, Buffer) or name in own.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            stays = name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, getattr(value, "persistent", stays))
            return
        object.__setattr__(self, name, value)

    def _forget(self, name: str, but: str) -> None:
        """Remove a name from every table except `but`, before it gets another value."""
        own = self.__dict__
        own.pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        for table in ("_parameters", "_buffers", "_modules"):
            if table != but:
                own[table].pop(name, None)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if name in own.get(table, ()):
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules}
        return sorted(name for name in {*names, *self._buffers} if not name[:1].isdigit())

    # -- traversal -----------------------------------------------------------------------------

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
        """Iterate over this module and all inner ones, parents first."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Iterate over pairs (name, module) of the child modules, each module once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        """Iterate over the child modules, each once."""
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
        """
        yield from self._named_members(
            lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
        )

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over the parameters, with `recurse` also over those of inner modules."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over pairs (path, buffer); the arguments are those of `named_parameters`."""
        yield from self._named_members(
            lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
        )

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers, with `recurse` also over those of inner modules."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Any:
        """Return the module at a path, such as "encoder.0". Raises: AttributeError if none."""
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
        """Return the parameter at a path, such as "fc.weight". Raises: AttributeError if none."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._reach(name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a path, such as "bn.running_var". Raises: AttributeError if none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = module._reach(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found


for _generator in (
    Tree.parameters, Tree.named_parameters, Tree.buffers, Tree.named_buffers,
    Tree.children, Tree.named_children, Tree.modules, Tree.named_modules,
):  # fmt: skip
    # a notebook cell that ends with `model.parameters()` shows this name
    _generator.__qualname__ = f"Module.{_generator.__name__}"
