"""The tree of modules: which module has which parameters, buffers and children, by name.

Assigning registers: `self.fc = Linear(2, 3)` makes fc a child of the module, and
`self.scale = Parameter(...)` makes scale its parameter.

Read next: nn/traversal.py
"""

from collections import OrderedDict
from typing import Any

from graphlab.common.errors import of_one_library, pytorch
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

OURS = "GraphLab's modules"


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
    """The part of Module that registers parameters, buffers and modules."""

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

        >>> import graphlab as torch
        >>> model = torch.nn.Module()
        >>> model.register_parameter("gain", torch.nn.Parameter(torch.ones(1)))
        >>> model.gain
        Parameter containing:
        tensor([1.], requires_grad=True)
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            of_one_library(OURS, param)
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

        >>> import graphlab as torch
        >>> model = torch.nn.Module()
        >>> model.register_buffer("mean", torch.zeros(1))
        >>> model.mean, len(list(model.parameters()))
        (tensor([0.]), 0)
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            of_one_library(OURS, tensor)
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

        >>> import graphlab as torch
        >>> model = torch.nn.Module()
        >>> model.add_module("act", torch.nn.ReLU())
        >>> model.act
        ReLU()
        """
        if not isinstance(module, Tree) and module is not None:
            of_one_library(OURS, module)
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
                    of_one_library(OURS, value)
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
                of_one_library(OURS, value)
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            stays = name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, getattr(value, "persistent", stays))
            return
        if (torch := pytorch()) and isinstance(value, torch.nn.Parameter | torch.nn.Module):
            of_one_library(OURS, value)
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
