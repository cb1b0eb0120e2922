"""Turn a tensor into a view of itself: `x.t_()`, `x.unsqueeze_(0)`.

No entry is written; the tensor looks at its memory in another way from now on.

Read next: tensor/inplace.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.node_classes import node_class
from graphlab.autograd.views import LEAF, check_change, take_over
from graphlab.common.public import mark, public
from graphlab.ops import shapes as sh
from graphlab.tensor.functions import shapes
from graphlab.tensor.functions.strides import as_strided
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


def in_place(function: Callable[..., Tensor], args: str = "") -> Callable[..., Tensor]:
    """Return the in-place form of a function that gives a view of its first argument.

    args: of the example in its docstring.
    """

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        recording = is_recorded(self, [])
        if recording and self._needs and self._node is None and self._base is None:
            raise RuntimeError(f"a view of {LEAF}")
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
    call.__doc__ = (
        f"{function.__name__}, of the tensor itself.\n\n>>> import graphlab\n"
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
