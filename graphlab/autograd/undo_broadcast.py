"""Undo a broadcast: bring each gradient back to the shape and the type of its input.

    x: (3,), w: (2, 3), y = x * w: the gradient of x is (2, 3) at first, and is summed to (3,).

Whether an input was stretched is known when the operation runs: the node holds it in `_reduce`.

Read next: autograd/backward.py
"""

from typing import Any

from graphlab.autograd.node import Node
from graphlab.common.dtypes import find
from graphlab.primitives import tensor_namespace
from graphlab.primitives.numpy_reading.shapes import sum_to
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import grad_type


def undo_broadcast(node: Node, grads: Any, create_graph: bool) -> tuple[Any, ...]:
    """Sum each gradient back to the shape, and cast it to the type, that its input had.

    create_graph: the gradients are tensors, and what is done to them is recorded.
    """
    back = []
    for grad, want in zip(grads, node._reduce):
        if grad is None or want is None:
            back.append(grad)
            continue
        shape, dtype = want
        if create_graph:
            if shape is not None:
                grad = tensor_namespace()["sum_to"](grad, shape)
            back.append(grad if dtype is None else grad.to(dtype))
            continue
        if shape is not None:
            grad = sum_to(grad, shape) if shape else sum_to(grad, shape)[()]
        back.append(grad if dtype is None or grad.dtype == dtype else grad.astype(dtype))
    return tuple(back)


def in_own_type(leaf: Tensor, grad: Any) -> Any:
    """Return a leaf's gradient, an array or a tensor, in the type that its `grad_dtype` says.

    Raises: RuntimeError if it is no leaf any more, because it was changed in place.
    """
    if leaf._node is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    wanted = grad_type(leaf)
    if grad is None or wanted is None:
        return grad
    if isinstance(grad, Tensor):
        return grad if grad._data.dtype == wanted else grad.to(find(wanted))
    return grad if grad.dtype == wanted else grad.astype(wanted)
