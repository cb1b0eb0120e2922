"""Replace a tensor's memory, shape or entries: `resize_`, `set_`, `apply_`, `t_`, `unsqueeze_`.

The functions of views, such as `x.t_()` and `x.unsqueeze_(0)`, turn a tensor into a view of itself:
no entry is written; the tensor looks at its memory in another way from now on, which is recorded.
The others work without a graph.

Read next: tensor/inplace.py
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.node_classes import node_class
from graphlab.autograd.views import LEAF_CHANGED, check_change, take_over
from graphlab.autograd.watch import changed_in_place, watchers
from graphlab.common.devices import preserve_format
from graphlab.common.public import mark, public
from graphlab.ops import shapes as sh
from graphlab.primitives.numpy_reading.strides import contiguous_strides, layout_of, storage_of
from graphlab.tensor.creation import size_from
from graphlab.tensor.functions import shapes
from graphlab.tensor.functions.conversions import as_strided
from graphlab.tensor.functions.shared_memory import format_of, in_format
from graphlab.tensor.inplace import is_recorded, name_in_place
from graphlab.tensor.tensor import Tensor, share_memory, wrap

NAMED: dict[Any, Any] = {  # the operation that a view records -> the same, in place
    sh.AsStrided: sh.AsStrided,
    sh.Unsqueeze: sh.UnsqueezeInPlace,
    sh.Squeeze: sh.SqueezeInPlace,
    sh.SqueezeDim: sh.SqueezeProduct,
    sh.SqueezeDims: sh.SqueezeDimsInPlace,
    sh.T: sh.TInPlace,
    sh.Transpose: sh.TransposeInPlace,
}


@public(function=False, method=True)
def resize_(input: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Give the tensor the shape `size`, in the same memory, from the same first entry on.

    memory_format: the order of the entries in memory, row by row when None.
    If the memory is too short, the tensor gets a longer copy, with zeros at its end.
    PyTorch differs: the memory itself grows, and views of it stay views.
    Raises: RuntimeError for a tensor that requires a gradient, and for an impossible size.

    >>> torch.arange(4).resize_(2, 1)
    tensor([[0],
            [1]])
    """
    shape = size_from(size, None, ("resize_", "size"))
    if input.requires_grad and not state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {shape}")
    if math.prod(shape) >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    share_memory(input)
    memory = storage_of(input._data)
    begin = layout_of(input._data)[2]
    end = begin + math.prod(shape)
    if end * memory.itemsize >= 1 << 63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    flat = np.lib.stride_tricks.as_strided(memory, (memory.size,), (memory.itemsize,))
    if end > flat.size:
        flat = np.concatenate([flat, np.zeros(end - flat.size, flat.dtype)])
    if shape == tuple(input._data.shape) and memory_format is None:
        return input
    return replaced(input, in_format(flat[begin:end], shape, memory_format))


@public(method=True)
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Give the tensor the shape of another one, as `resize_` does.

    the_template: a tensor of that shape. memory_format: as in `resize_`; preserve_format takes the
    order of the template's.

    >>> torch.arange(2).resize_as_(torch.ones(2, 1))
    tensor([[0],
            [1]])
    """
    if memory_format is preserve_format:
        memory_format = format_of(the_template)
    return resize_(input, tuple(the_template.shape), memory_format=memory_format)


@public(function=False, method=True)
def set_(
    input: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Give the tensor the memory and the shape of `source`; without one it becomes empty.

    source: a tensor, or a storage such as `x.untyped_storage()`. For a storage, storage_offset: the
    first entry; size: the shape, all entries when None; stride: row by row when None.
    Raises: RuntimeError for another type, and for a shape that exceeds the memory.

    >>> import graphlab
    >>> graphlab.ones(2).set_(graphlab.zeros(3))
    tensor([0., 0., 0.])
    """
    if source is None:
        return replaced(input, np.empty(0, input._data.dtype))
    kind = getattr(source, "dtype", None)
    if kind not in (None, input.dtype):
        raise RuntimeError(
            f"Could not set tensor of type {source.dtype} to a tensor of type {input.dtype}"
        )
    if isinstance(source, Tensor):
        share_memory(source)
        if size is None:
            return replaced(input, source._data)
        source = source.untyped_storage()
    row = source._memory.view(input._data.dtype)
    sizes = (row.size - storage_offset,) if size is None else size_from((size,))
    steps = contiguous_strides(sizes) if stride is None else size_from((stride,))
    return replaced(input, as_strided(wrap(row, False, None), sizes, steps, storage_offset)._data)


def replaced(input: Tensor, data: Any) -> Tensor:
    """Give a tensor other data: a change in place, which saved tensors and recordings notice."""
    input._data = data
    input._version_counter().advance()
    if watchers:
        changed_in_place(input)
    return input


@public(function=False, method=True)
def apply_(input: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Write `callable(x)` over every entry x. Raises: RuntimeError where a gradient is required.

    >>> import graphlab
    >>> graphlab.ones(2).apply_(lambda x: x + 1)
    tensor([2., 2.])
    """
    return mapped(input, "apply_", callable)


@public(function=False, method=True)
def map_(input: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Write `callable(x, y)` over every entry x beside an entry y of another `tensor`.

    >>> import graphlab
    >>> graphlab.ones(2).map_(graphlab.tensor([3.0, 4.0]), lambda x, y: x + y)
    tensor([4., 5.])
    """
    return mapped(input, "map_", callable, tensor)


def mapped(input: Tensor, name: str, function: Callable[..., Any], *others: Tensor) -> Tensor:
    """Write a function of the entries of tensors over the first of them."""
    if input.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use "
                           f"var.detach().{name}() instead.")  # fmt: skip
    share_memory(input)
    sources = [np.broadcast_to(other._data, input._data.shape) for other in others]
    for at in np.ndindex(input._data.shape):
        entries = (np.asarray(data)[at].item() for data in (input._data, *sources))
        input._data[at] = function(*entries)
    return replaced(input, input._data)


def in_place(function: Callable[..., Tensor], args: str = "") -> Callable[..., Tensor]:
    """Return the in-place form of a function that gives a view of its first argument.

    args: of the example in its docstring.
    """

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        recording = is_recorded(self, [])
        if recording and self._needs and self._node is None and self._base is None:
            raise RuntimeError(f"a view of {LEAF_CHANGED}")
        check_change(self, recording)
        share_memory(self)
        counter = None if self.is_inference() else self._version_counter()
        stand_in = wrap(self._data, recording, self._node if recording else None)
        stand_in._rare().version = counter
        result = function(stand_in, *args, **kwargs)
        node = result._node
        self._data = result._data
        if counter is not None:
            counter.advance()
        if recording:
            node.__class__ = node_class(NAMED[node.op])
            name_in_place(node)
            take_over(self, node)
        return self

    call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__wrapped__ = function  # type: ignore[attr-defined]  # for inspect.signature
    code = getattr(function, "__wrapped__", function).__code__
    named = ", ".join(code.co_varnames[1 : code.co_argcount])
    call.__doc__ = (
        f"{function.__name__}, of the tensor itself.\n\n{named}: those of `{function.__name__}`."
        "\n\n>>> import graphlab\n"
        f">>> x = graphlab.zeros(1, 2)\n>>> x.{function.__name__}_({args}) is x\nTrue\n"
    )
    return call


as_strided_ = in_place(as_strided, "(1, 2), (2, 1)")
squeeze_ = in_place(shapes.squeeze)
swapaxes_ = in_place(shapes.swapaxes, "0, 1")
swapdims_ = in_place(shapes.swapdims, "0, 1")


@public(function=False, method=True)
def t_(self: Tensor) -> Tensor:
    """Transpose the matrix in place.

    >>> import graphlab
    >>> graphlab.zeros(1, 2).t_().shape
    torch.Size([2, 1])
    """
    if self.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return transposed_(self)


transposed_ = in_place(shapes.t)
transpose_ = in_place(shapes.transpose, "0, 1")
unsqueeze_ = in_place(shapes.unsqueeze, "0")

mark("as_strided_", method=True)
mark("squeeze_ swapaxes_ swapdims_ transpose_ unsqueeze_", function=False, method=True)
