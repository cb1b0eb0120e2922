"""The base of the layers: weights, calls of nn.functional, docstrings completed by base classes.

Read next: nn/activation.py
"""

import inspect
import re
import sys
from collections.abc import Container, Iterable
from functools import cache
from typing import Any

from graphlab.common.devices import check_device
from graphlab.common.dtypes import dtype
from graphlab.common.public import with_import
from graphlab.nn import functional as F
from graphlab.nn.module import Module
from graphlab.nn.parameter import Parameter
from graphlab.tensor.creation import empty
from graphlab.tensor.tensor import Tensor

Size = int | tuple[int, ...]  # one number for all dimensions, or one for each

DEPRECATED = ("size_average", "reduce")  # arguments of a loss that become its `reduction`
SECTIONS = ("Shapes", "Attributes", "Raises", "Source")  # in the order in which help() shows them


@cache
def parts_of(doc: str) -> tuple[list[str], dict[str, str], dict[str, str], list[str]]:
    """Return a docstring's prose, its explanations of arguments, its sections and its examples."""
    prose, arguments, sections, examples = [], {}, {}, []
    for paragraph in inspect.cleandoc(doc).split("\n\n"):
        name = paragraph.partition(":")[0]
        if paragraph.startswith(">>>"):
            examples.append(paragraph)
        elif name in SECTIONS:
            sections[name] = paragraph
        elif re.match(r"[a-z_]\w*: ", paragraph):
            for entry in re.split(r"\n(?=\S)", paragraph):
                arguments[entry.partition(":")[0]] = entry
        else:
            prose.append(paragraph)
    return prose, arguments, sections, examples


def completed(
    docs: list[str], parameters: Iterable[str], module: str, classes: Container[str]
) -> str:
    """Return the docstring of a class, completed by those of its base classes.

    docs: the class's own docstring, then those of its base classes, the nearest first.
    parameters: the arguments of the constructor, in the order in which they are explained.
    module, classes: as `module` and `names` of `with_import`.
    """
    prose, arguments, sections, examples = parts_of(docs[0])
    names = dict.fromkeys([*parameters, *arguments])
    for doc in docs[1:]:
        more_prose, more_arguments, more_sections, more_examples = parts_of(doc)
        prose = [*prose, *more_prose[1:]]
        arguments, sections = {**more_arguments, **arguments}, {**more_sections, **sections}
        examples = examples or more_examples
    paragraphs = prose.copy()
    if explained := [arguments[name] for name in names if name in arguments]:
        paragraphs.append("\n".join(explained))
    paragraphs += [sections[name] for name in SECTIONS if name in sections]
    if examples:
        paragraphs.append(with_import("\n".join(examples), module, classes))
    return "\n\n".join(paragraphs)


class Layer(Module):
    """A module of graphlab.nn.

    device: "cpu" or None, because GraphLab computes on the CPU only; default None.
    dtype: the type of the parameters; default None, for `torch.get_default_dtype()`.
    """

    _own_doc: str | None = __doc__

    def __init__(self, device: Any = None) -> None:
        super().__init__()
        check_device(device)

    def __init_subclass__(cls, **options: Any) -> None:
        """Complete the docstring of a class of graphlab.nn from its base classes."""
        super().__init_subclass__(**options)
        if cls.__doc__ and cls.__module__.startswith("graphlab.nn."):
            cls._own_doc = cls.__doc__
            bases = [one for one in cls.__mro__ if not issubclass(Module, one)]
            docs = [getattr(one, "_own_doc", one.__doc__) or "" for one in bases]
            names = sys.modules["graphlab.nn"].HOMES
            cls.__doc__ = completed(docs, inspect.signature(cls).parameters, "nn", names)

    def _add_weight(
        self, name: str, *shape: int, dtype: dtype | None = None, wanted: Any = True
    ) -> None:
        """Register a parameter with arbitrary entries, or None unless it is wanted."""
        weight = Parameter(empty(shape, dtype=dtype)) if wanted else None
        self.register_parameter(name, weight)

    def _changed(self, **defaults: Any) -> str:
        """Return the attributes that differ from their defaults, each as ", name=value"."""
        values = {name: getattr(self, name, usual) for name, usual in defaults.items()}
        return "".join(f", {k}={v}" for k, v in values.items() if v != defaults[k])


class FunctionLayer(Layer):
    """A module that calls `F.<function>` with its inputs and with its own options."""

    # Without an `__init__`, a class takes the options, with the defaults that the function has.
    function = ""
    options: tuple[str, ...] = ()  # arguments of the function; by default all after the tensors
    shown: tuple[str, ...] | None = None  # the options that repr() shows as "name=value"; None: all
    _signature: inspect.Signature | None = inspect.Signature()
    __signature__ = _signature

    def __init_subclass__(cls, **more: Any) -> None:
        """Take the arguments of the class from those of its function."""
        if cls.__init__ is not FunctionLayer.__init__:
            cls.__signature__ = None  # that of `__init__`
            if "__init__" in vars(cls) and cls.__module__.startswith("graphlab.nn."):
                cls._signature = None
        elif "function" in vars(cls):
            taken = inspect.signature(getattr(F, cls.function)).parameters.values()
            if "options" not in vars(cls):
                cls.options = tuple(p.name for p in taken if is_option(p))
            own = [p for p in taken if p.name in (*cls.options, *DEPRECATED)]
            own = [p for p in own if p.name != "training"]  # every module has that
            cls.__signature__ = cls._signature = inspect.Signature(own)
        super().__init_subclass__(**more)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        if self._signature is not None:
            try:
                given = self._signature.bind(*args, **options)
            except TypeError as error:
                n, text = len(self._signature.parameters) + 1, str(error)
                if len(args) >= n:
                    text = (
                        f"takes from 1 to {n} positional arguments but {len(args) + 1} were given"
                    )
                raise TypeError(f"{type(self).__name__}.__init__() {text}") from None
            given.apply_defaults()
            options = given.arguments
        self._keep(options)

    def _keep(self, options: dict[str, Any]) -> None:
        """Keep the options as attributes, a weight for each class as a buffer."""
        for name, value in options.items():
            if name.endswith("weight"):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any) -> Any:
        given = {name: getattr(self, name) for name in self.options}
        return getattr(F, self.function)(*inputs, **given)

    def extra_repr(self) -> str:
        names = self.options if self.shown is None else self.shown
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


def is_option(parameter: inspect.Parameter) -> bool:
    """Return whether a layer keeps an argument of its function; tensors go through the layer."""
    tensor = parameter.annotation is Tensor or parameter.name in ("input", "out")
    return not tensor and parameter.name not in DEPRECATED


def repeated(value: Any, n: int) -> tuple[Any, ...]:
    """Return one size for each of n dimensions: 3 becomes (3, 3), and a sequence a tuple."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * n
