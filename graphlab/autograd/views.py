"""Views, and the effect on the graph of changing memory in place.

`v = c[0]; v.mul_(10)` writes into the memory that c and v share, so both get a new history:

    c    CopySlices: every entry as before, but entry 0 went through MulBackward0
    v    AsStridedBackward0: a view of this new c

The other views of c become `Stale`: they get their new history when somebody next reads it. A view
that may not be changed (one of several results, one made under no_grad) raises an error.

Read next: tensor/inplace.py
"""

import weakref
from functools import partial
from typing import Any

import numpy as np

from graphlab.autograd.edges import undo_broadcast
from graphlab.autograd.engine import apply_rules
from graphlab.autograd.grad_mode import state
from graphlab.autograd.node import Node, edge_of, extra
from graphlab.autograd.node_classes import node_class, node_classes
from graphlab.autograd.saved import short_name
from graphlab.autograd.users_code import place_node
from graphlab.common.errors import GraphFreedError
from graphlab.ops.shapes import AsStrided
from graphlab.ops.writing import CopySlices as Slices
from graphlab.primitives import rebind, tensor_namespace
from graphlab.primitives.numpy_reading.strides import (
    Layout,
    contiguous_strides,
    layout_of,
    overlapping,
    span,
    storage_of,
)
from graphlab.tensor.tensor import Tensor, own_needs, own_node
from graphlab.tensor.versions import Rare, Version, next_sequence

LEAF_CHANGED = "a leaf Variable that requires grad is being used in an in-place operation."
INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details."
)
AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {0} block (if you don't "
    "want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
SEVERAL = (
    "unsupported operation: {} to a single memory location. Please clone() the tensor before "
    "performing the operation."
)
WRITTEN = "more than one element of the written-to tensor refers"
WHY = {  # what kind of view may not be changed -> why not
    "many": " This view is the output of a function that returns multiple views. Such functions do "
    "not allow the output views to be modified inplace. You should replace the inplace operation "
    "by an out-of-place one.",
    "no_grad": AMBIGUOUS.format("no_grad"),
    "inference": AMBIGUOUS.format("inference_mode"),
    "custom": " This view was created inside a custom Function (or because an input was returned "
    "as-is) and the autograd logic to handle view+inplace would override the custom backward "
    "associated with the custom Function, leading to incorrect gradients. This behavior is "
    "forbidden. You can fix this by cloning the output of the custom Function.",
}


class Stale(Tensor):
    """A view whose memory changed after its history was recorded.

    It prints as a Tensor, and becomes one again when its node is read, also by a debugger.
    """

    __slots__ = ()
    __module__ = Tensor.__module__
    __name__ = __qualname__ = "Tensor"

    @property
    def _node(self) -> Any:
        refresh(self)
        return own_node.__get__(self)

    @_node.setter
    def _node(self, node: Any) -> None:
        refresh(self)
        own_node.__set__(self, node)

    @property
    def _needs(self) -> Any:
        return own_needs.__get__(self) or self._more.base._needs  # type: ignore[union-attr]

    @_needs.setter
    def _needs(self, needs: bool) -> None:  # type: ignore[override]
        own_needs.__set__(self, needs)


Stale.__name__ = Stale.__qualname__ = Tensor.__name__
Version.current, Version.outdated = Tensor, Stale


def refresh(view: Tensor) -> None:
    """Give a view a history that ends in its base as it is now, unless neither has one.

    Raises: RuntimeError, as PyTorch does, when it is a view that may not be changed.
    """
    more: Any = view._more
    if own_node.__get__(view) is None and not more.base._needs:
        return
    if more.origin:
        raise forbidden(view, changed_elsewhere=True)
    view.__class__ = Tensor
    more.version.add(view)
    take_over(view, window(more.base, view))
    more.base_needs = False


def take_over(tensor: Tensor, node: Any) -> None:
    """Make `node` the maker of `tensor`, and move a retained gradient there."""
    if tensor.retains_grad:
        if (before := tensor._node) is not None:  # None after `detach_()`
            extra(getattr(before, "node", before))["retained"].pop(tensor.output_nr)
        getattr(node, "node", node).retain(getattr(node, "index", 0), weakref.ref(tensor))
    tensor._node = node
    tensor._needs = True


def window(base: Tensor, view: Tensor) -> Node:
    """Return the node for a view as a part of the memory of its base."""
    size, stride, start = layout_of(view._data)
    geometry = (storage_of(base._data).size, start, *layout_of(base._data), None)
    edge, options = edge_of(base), (size, stride, start, geometry)
    node = new_node(node_class(AsStrided), (edge,), options, ())
    node._constants = (base,) if edge is None else None  # such as after `base.detach_()`
    return node


def new_node(
    cls: type[Node], edges: tuple[Any, ...], options: tuple[Any, ...], saved: tuple[Any, ...]
) -> Any:
    """Return a node that no operation made."""
    node: Any = object.__new__(cls)
    node._next = edges
    node._sequence = next_sequence()
    node._saved = saved
    node._options = options
    node._constants = node._reduce = node._version = node._extra = None
    place_node(node)
    return node


def still(view: "weakref.ref[Tensor]", node: "weakref.ref[Node]") -> Any:
    """Return the node, while it is the last known one of a view; else None."""
    tensor, made_by = view(), node()
    return made_by if tensor is not None and own_node.__get__(tensor) is made_by else None


# -- what may be changed -----------------------------------------------------------------------


def check_change(self: Tensor, recording: bool) -> None:
    """Raise RuntimeError, in PyTorch's words, when `self` may not be changed in place."""
    more = self._more
    if more is not None and more.inference and not state.inference:
        raise RuntimeError(INFERENCE)
    if not recording:
        return
    if more is not None and more.base is not None:
        if more.origin:
            raise forbidden(self)
        if self._needs and more.base._node is None:
            raise RuntimeError(f"a view of {LEAF_CHANGED}")
    if self._needs and self._node is None:
        raise RuntimeError(LEAF_CHANGED)


def forbidden(view: Tensor, changed_elsewhere: bool = False) -> RuntimeError:
    """Return the error for a view that may not be changed, in PyTorch's words."""
    more: Any = view._more
    node = own_node.__get__(view)
    happens = "is being"
    if changed_elsewhere:
        happens = "its base or another view of its base has been"
    made = None
    if node is not None:
        made = f"Output {getattr(node, 'index', 0)} of {short_name(getattr(node, 'node', node))}"
    outside = "A view was created in"
    if made is not None:
        outside = f"{made} is a view of a view which was created in"
    if more.origin == "inference":
        text = f"{outside} inference mode and {happens} modified inplace in normal mode."
    elif more.origin == "no_grad" or made is None:
        text = f"{outside} no_grad mode and {happens} modified inplace with grad mode enabled."
    else:
        text = f"{made} is a view and {happens} modified inplace."
    return RuntimeError(text + WHY[more.origin])


# -- a part of a tensor was changed ------------------------------------------------------------


class CopySlices(node_class(Slices)):
    """The node of a tensor after the operation of another node changed a part of it.

    That node is all that is saved. Its first input is the part as it was; the other inputs are
    inputs of this node.
    """

    __slots__ = ()
    __module__ = "builtins"
    inner: Any = property(lambda self: self._saved[0] if self._saved else None)

    def inner_node(self) -> Node:
        """Return the node. Raises: RuntimeError where its gradient would overwrite itself."""
        if self._saved is None:
            raise GraphFreedError
        _, size, stride, _ = self._options
        if self._next[0] is not None and overlapping(size, stride):
            raise RuntimeError(SEVERAL.format(WRITTEN))
        return self._saved[0]

    def vjp(self, grad: Any) -> tuple[Any, ...]:
        """Send the gradient of the part through its node; the other entries pass unchanged."""
        node = self.inner_node()
        layout, size, stride, offset = self._options
        whole, flat = copy_with_layout(grad, layout)
        item = flat.itemsize
        part = np.lib.stride_tricks.as_strided(
            flat[offset - layout[2] :], size, [step * item for step in stride]
        )
        of_part, *others = gradients_of(node, part.copy()[()], False)
        part[...] = 0 if of_part is None else of_part
        return (whole, *others)

    def vjp_tensors(self, grad: Any) -> tuple[Any, ...]:
        """Do the same, recorded."""
        node = self.inner_node()
        primitives = tensor_namespace()
        options = dict(zip(Slices.options, self._options, strict=True))
        part = rebind(Slices.rules["values"], primitives)(grad, **options)
        of_part, *others = gradients_of(node, part, True)
        if of_part is None:
            return (rebind(Slices.rules["self"], primitives)(grad, **options), *others)
        return (rebind(Slices.forward, primitives)(grad, of_part, **options), *others)


node_classes[Slices] = CopySlices


def constants_of(node: Any, before: Any) -> tuple[Any, ...] | None:
    """Return the inputs of a node without a gradient, one per edge; the first is the base."""
    found = (None,) * (len(node._next) - 1)
    if node._constants is not None and not node.op.variadic:
        given = dict(zip(node.op.inputs, node._constants, strict=True))
        found = tuple(given[name] for name in list(node.op.rules)[1:])
    found = (before, *found)
    return found if any(x is not None for x in found) else None


def inner_inputs(node: CopySlices, part: Any, others: list[Any], constant: Any) -> list[Any]:
    """Return the inputs of the operation inside: the part, and the known other inputs.

    others: the inputs of the node after the first. constant: a function that reads an input without
    a gradient.
    """
    inner = node.inner
    given = dict(zip(list(inner.op.rules)[1:], others, strict=False))
    kept = inner._constants or (None,) * len(inner.op.inputs)
    rest = [
        given[name] if name in given else None if x is None else constant(x)
        for name, x in zip(inner.op.inputs, kept, strict=True)
    ]
    return [part, *rest[1:]]


def gradients_of(node: Node, grad: Any, create_graph: bool) -> Any:
    """Return what the rules of a node make of a gradient, each in the shape of its input."""
    made = apply_rules(node, grad, create_graph)
    return made if node._reduce is None else undo_broadcast(node, made, create_graph)


def copy_with_layout(x: Any, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Return a copy of `x` with a given layout in memory, and that memory as a flat array."""
    sizes, strides, _ = layout
    if strides == contiguous_strides(sizes):
        copy = np.array(x, order="C")  # the flat array must be its memory, not a copy
        return copy, copy.reshape(-1)
    flat = np.zeros(span(sizes, strides), x.dtype)
    steps = [step * flat.itemsize for step in strides]
    copy = np.lib.stride_tricks.as_strided(flat, sizes, steps)
    copy[...] = x
    return copy, flat


SMALL = 4096  # entries


def before_the_change(self: Tensor) -> Any:
    """Return a copy of the base before a part is overwritten, if it is small and has no graph.

    No gradient needs it; the picture and the proof show it. None in all other cases.
    """
    base = self._base
    if base is None or base._needs or base._data.size > SMALL:
        return None
    return base._data.copy()


def rebase(self: Tensor, node: Any, before: Any = None) -> None:
    """Give `self`, and its base, the new history after the operation of `node` changed it.

    before: the result of `before_the_change`.
    """
    more: Rare | None = self._more
    base = None if more is None else more.base
    if base is None:
        take_over(self, node)
        return
    options = (layout_of(base._data), *layout_of(self._data))
    slices = new_node(CopySlices, (edge_of(base), *node._next[1:]), options, (node,))
    slices._constants = constants_of(node, before)
    take_over(base, slices)
    seen = self._node
    if node._version is not None:
        extra(node)["window"] = partial(still, weakref.ref(self), weakref.ref(seen))
