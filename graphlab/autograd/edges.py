"""Where gradients enter a backward pass, and where they are requested.

Both are edges of the graph. The edge of a tensor leads to the leaf itself, or to one output of the
node that made the tensor. Users name it by the tensor, or by a `GradientEdge`, which keeps no
tensor alive.

Where an input was stretched, its gradient is summed to its shape: for x: (3,), w: (2, 3) and
y = x * w that of x is (2, 3) at first. The node knows since the operation ran, in `_reduce`.

Read next: autograd/backward.py
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.node import AccumulateGrad, Node, Output, as_function, edge_of
from graphlab.common.dtypes import find
from graphlab.common.errors import named_kind
from graphlab.primitives import tensor_namespace
from graphlab.primitives.numpy_reading.shapes import sum_to
from graphlab.tensor.sizes import Size
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.versions import grad_type

NO_GRAD = "element {} of tensors does not require grad and does not have a grad_fn"
NO_INPUT = "all inputs have to be Tensors or GradientEdges, but got {}"


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient arrives: output number `output_nr` of `node`.

    ownership_token: keeps the graph alive; None when the node does.

    >>> import graphlab as torch
    >>> y = torch.tensor(3.0, requires_grad=True) * 2
    >>> torch.autograd.graph.get_gradient_edge(y).output_nr
    0
    """

    node: Any
    output_nr: int
    ownership_token: Any = None  # PyTorch's; the node itself keeps the graph alive here


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge at which the gradient of `tensor` arrives; `grad` and `backward` accept it.

    Raises: RuntimeError when the tensor needs no gradient.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = x * 2
    >>> edge = torch.autograd.graph.get_gradient_edge(y)
    >>> torch.autograd.grad(y * y, edge)
    (tensor(12.),)
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require "
            "gradients"
        )
    node, index = as_function(edge_of(tensor))
    if not isinstance(node, AccumulateGrad):
        node.remember_output(tensor)
    return GradientEdge(node, index)


def edge_to(thing: Any) -> Any:
    """Return the edge of a tensor or a GradientEdge, in the form in which nodes hold it."""
    if isinstance(thing, Tensor):
        return edge_of(thing)
    if isinstance(thing.node, AccumulateGrad):
        return thing.node.variable
    return Output(thing.node, thing.output_nr) if thing.node.many else thing.node


def key(edge: Any) -> Any:
    """Return the key of what an edge leads to: a leaf Tensor, a Node, or (node, output number)."""
    return (edge.node, edge.index) if type(edge) is Output else edge


def key_of(thing: Any) -> Any:
    """Return the key under which the engine captures the gradient of a tensor or an edge."""
    return key(edge_to(thing))


def one_or_many(things: Any) -> tuple[Any, ...]:
    """Return a tensor, an edge, or a sequence of them, as a tuple."""
    return (things,) if isinstance(things, Tensor | GradientEdge) else tuple(things)


def as_tuple(x: Any) -> tuple[Any, ...]:
    """Return one or several values as a tuple."""
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def differentiable(outputs: Any) -> tuple[Tensor, ...]:
    """Return the outputs that require a gradient."""
    return tuple(t for t in as_tuple(outputs) if t.requires_grad)


def requiring(inputs: tuple[Any, ...]) -> list[Tensor]:
    """Return the inputs that require a gradient."""
    return [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]


def places_of_inputs(inputs: Any, call: str) -> tuple[Any, ...]:
    """Return the inputs of a call: a tensor, an edge, a sequence, or the values of a dict.

    Raises: RuntimeError when there are none, TypeError for other mappings.
    """
    if type(inputs) is dict:
        inputs = inputs.values()
    elif isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `{call}()` must be a dict, not {type(inputs).__name__}. Other "
            "Mapping types are not supported."
        )
    found = one_or_many(inputs)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{call}()` cannot be empty.")
    return found


def check_inputs(inputs: Sequence[Any]) -> None:
    """Raise RuntimeError for the first that is neither a tensor nor an edge."""
    for thing in inputs:
        if not isinstance(thing, Tensor | GradientEdge):
            raise RuntimeError(NO_INPUT.format(named_kind(thing)))


# -- the gradients that enter ------------------------------------------------------------------


def entering(outputs: Any, gradients: Any, create_graph: bool) -> list[tuple[Any, Any]]:
    """Return the edges at which the pass starts, each with the gradient that enters there.

    Raises: RuntimeError when an output needs no gradient, or a gradient is missing or does not fit.
    """
    tensors = one_or_many(outputs)
    return roots(
        tensors, check_gradients(tensors, given_gradients(gradients, tensors)), create_graph
    )


def given_gradients(gradients: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the gradients as a tuple, with None for each output if none were given."""
    if gradients is None:
        return (None,) * len(outputs)
    return (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)


def roots(
    outputs: tuple[Any, ...], gradients: list[Tensor | None], create_graph: bool
) -> list[tuple[Any, Any]]:
    """Return outputs as edges, each with its gradient: a tensor if recorded, else data."""
    if len(gradients) != len(outputs):
        raise RuntimeError(
            f"got {len(outputs)} tensors and {len(gradients)} gradients; pass one gradient for "
            "each tensor (None where it is a single entry)"
        )
    for i, output in enumerate(outputs):
        if isinstance(output, Tensor) and edge_of(output) is None:
            raise RuntimeError(NO_GRAD.format(i))
    return [
        (edge_to(output), grad if create_graph else grad._data)
        for output, grad in zip(outputs, gradients, strict=True)
        if grad is not None
    ]


def check_gradients(
    outputs: tuple[Any, ...], gradients: tuple[Any, ...], batched: bool = False
) -> list[Tensor | None]:
    """Return the gradient that enters at each output: the one given, or 1 for a single entry.

    batched: the first dimension of each gradient counts the passes.
    Raises: TypeError for anything but a tensor, RuntimeError for shapes that do not fit.
    """
    checked = []
    for i, (output, gradient) in enumerate(zip(outputs, gradients, strict=False)):
        if not isinstance(output, Tensor | GradientEdge):
            raise AssertionError(
                f"Expected output to be a torch.Tensor, got {type(output).__name__}; pass a tensor"
            )
        if gradient is None:
            checked.append(one_for(output))
        elif isinstance(gradient, Tensor):
            checked.append(fitting(i, output, gradient, batched))
        else:
            raise TypeError(
                f"gradients can be either Tensors or None, but got {named_kind(gradient)}"
            )
    return checked


def check_one_size(sizes: list[int]) -> None:
    """Raise ValueError, in the words of torch.vmap, unless all batches have one size."""
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )


def known_of(output: Any) -> Any:
    """Return the tensor, or the node's record of the shape and type of an output."""
    if isinstance(output, Tensor):
        return output
    if isinstance(output.node, AccumulateGrad):
        return output.node.variable
    return output.node.extras("metadata of outputs", dict).get(output.output_nr)


def one_for(output: Any) -> Tensor | None:
    """Return the gradient 1 of a single entry; None where no gradient is needed."""
    if isinstance(output, Tensor) and not output._needs:
        return None
    known = known_of(output)
    if known is None or known.shape.numel() != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    return wrap(np.ones(known.shape, known.dtype.numpy)[()], False, None)


def fitting(i: int, output: Any, gradient: Tensor, batched: bool) -> Tensor:
    """Return a gradient in the type of its output. Raises: RuntimeError for another shape."""
    known = known_of(output)
    if batched and gradient._data.ndim == 0:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
            "in C++ to convert a 0-dim tensor to a number"
        )
    if batched and len(gradient) == 0:
        raise IndexError("index 0 is out of bounds for dimension 0 with size 0")
    shape = Size(gradient.shape[1:]) if batched else gradient.shape
    if known is not None and shape != known.shape:
        raise RuntimeError(mismatch(i, output, shape, known.shape, batched))
    if known is not None and gradient.dtype is not known.dtype:
        return gradient.to(known.dtype)
    return gradient


def mismatch(i: int, output: Any, given: Size, wanted: Size, batched: bool) -> str:
    """Return PyTorch's error for a gradient of the wrong shape."""
    if not batched:
        return (
            f"Mismatch in shape: grad_output[{i}] has a shape of {given} and output[{i}] has a "
            f"shape of {wanted}."
        )
    if isinstance(output, GradientEdge):
        return "Batched grads are not supported with GradientEdge"
    return (
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the "
        "batch dimension. The sizes of the remaining dimensions are expected to match the shape of "
        f"corresponding output, but a mismatch was detected: grad_output[{i}] has a shape of "
        f"{Size(given[1:])} and output[{i}] has a shape of {wanted}. If you only want some tensors "
        "in `grad_output` to be considered batched, consider using vmap."
    )


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
