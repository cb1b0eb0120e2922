"""What PyTorch's nodes show besides their saved values: hooks, output metadata, their class.

Read next: autograd/node.py
"""

from collections.abc import Callable
from typing import Any, ClassVar

from graphlab.autograd.hooks import HookDict, RemovableHandle, added
from graphlab.ops.base import Op

ATTRIBUTES = (
    "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr", "metadata",
    "name", "next_functions", "register_hook", "register_prehook", "requires_grad",
)  # fmt: skip


class InputMetadata:
    """The shape and type of one output of a node."""

    __module__ = "torch._C._autograd"
    __qualname__ = "_InputMetadata"
    __slots__ = ("dtype", "shape")

    def __init__(self, tensor: Any) -> None:
        self.shape = tensor.shape
        self.dtype = tensor.dtype


class NodeType(type):
    """The class of node classes: they show only `object` as their base, as PyTorch's do."""

    hidden: ClassVar[list[type]] = []  # GraphLab's own base classes

    @property
    def __mro__(cls) -> tuple[type, ...]:
        chain = type.__dict__["__mro__"].__get__(cls)
        return tuple(c for c in chain if c is cls or c not in NodeType.hidden)


class Introspected:
    """The hooks of a node, and what else `dir(grad_fn)` lists."""

    __slots__ = ()
    _extra: Any
    requires_grad = True

    def extras(self, name: str, kind: type) -> Any:
        """Return one of the fields that few nodes have, made on first use."""
        if self._extra is None:
            self._extra = {}
        if name not in self._extra:
            self._extra[name] = kind()
        return self._extra[name]

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call fn(gradients of the inputs, gradients of the outputs) when this node has run.

        If fn returns gradients, they replace those of the inputs.
        """
        return added(self.extras("hooks", HookDict), fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call fn(gradients of the outputs) before this node runs; fn may return others."""
        return added(self.extras("prehooks", HookDict), fn)

    def tensor_hooks(self, output: int) -> HookDict:
        """Return the hooks of the tensor that is one output."""
        return self.extras("tensor hooks", dict).setdefault(output, HookDict())

    def _register_hook_dict(self, tensor: Any) -> None:
        """Do nothing but make the dictionary: this node holds the tensor's hooks already."""
        self.tensor_hooks(tensor.output_nr)

    def remember_output(self, tensor: Any) -> None:
        """Store the shape and type of an output."""
        self.extras("metadata of outputs", dict)[tensor.output_nr] = InputMetadata(tensor)

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        known = (self._extra or {}).get("metadata of outputs", {})
        return tuple(known[i] for i in sorted(known))


def raw_names(op: type[Op]) -> list[str]:
    """Return the saved names of tensors: each has a `_raw_saved_` beside its `_saved_`."""
    if op.variadic:
        return []
    shown = {*op.saved} - {*op.shown}
    return [name for name in (*op.inputs, *op.outputs) if name in shown]
