"""What users call: `backward` adds gradients to leaves, `grad` returns them.

Read next: autograd/function.py
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphlab.autograd.engine import run
from graphlab.autograd.grad_mode import UsersCode, state
from graphlab.autograd.node import Output, edge_of
from graphlab.tensor import Tensor, wrap

NO_GRAD = "element {} of tensors does not require grad and does not have a grad_fn"


CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of every leaf that they depend on.

    tensors, grad_tensors: a tensor and the gradient that flows in, or a list of each; the
    gradient of a single entry may be left out.
    Raises: RuntimeError when a tensor needs no gradient or a gradient has the wrong shape,
    GraphFreedError when the graph was used up. Source: PyTorch, torch.autograd.backward.
    """
    roots = entering(tensors, grad_tensors, create_graph)
    capture = None
    wanted = None
    if inputs is not None:
        wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
        check_tensors(wanted, "all inputs have to be Tensors or GradientEdges, but got {}")
        if not wanted:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        capture = {key_of(t): None for t in wanted}
    if retain_graph is None:
        retain_graph = create_graph
    if create_graph:
        warnings.warn(CYCLE, UserWarning, stacklevel=2)
    write = add_tensor_to_grad if create_graph else add_to_grad
    execute(roots, write, retain_graph, create_graph, capture)
    if capture is not None and wanted is not None:
        for tensor in wanted:
            grad = capture[key_of(tensor)]
            if grad is not None and not tensor.retains_grad:  # else the engine has written it
                write(tensor, grad)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`; no `.grad` is touched.

    Raises: RuntimeError when an input needs no gradient, or is not used and `allow_unused` is
    not set. Source: PyTorch, torch.autograd.grad.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    check_tensors(wanted, "all inputs have to be Tensors or GradientEdges, but got {}")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    roots = entering(outputs, grad_outputs, create_graph)
    for tensor in wanted:
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    capture: dict[Any, Any] = {key_of(t): None for t in wanted}
    if retain_graph is None:
        retain_graph = create_graph

    write = add_tensor_to_grad if create_graph else add_to_grad  # for tensors that retain theirs
    execute(roots, write, retain_graph, create_graph, capture)
    found = []
    for i, tensor in enumerate(wanted):
        grad = capture[key_of(tensor)]
        if grad is None and not (allow_unused or materialize_grads):
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if grad is None and materialize_grads:
            grad = np.zeros_like(tensor._data)
        if grad is not None and not isinstance(grad, Tensor):
            grad = wrap(own(grad), False, None)
        found.append(grad)
    return tuple(found)


def execute(
    roots: list[tuple[Any, Any]],
    write: Any,
    keep_graph: bool,
    create_graph: bool,
    capture: dict[Any, Any] | None = None,
    observer: Any = None,
) -> None:
    """Run the engine, recording it or not, without NumPy's warnings."""
    before = state.grad_enabled
    state.grad_enabled = create_graph
    try:
        if create_graph or UsersCode.defined or observer is not None:
            with np.errstate(all="ignore"):
                run(roots, write, keep_graph, create_graph, capture, observer)
        else:
            state.run(run, roots, write, keep_graph, False, capture)
    finally:
        state.grad_enabled = before


_ONE = {
    kind: np.ones(1, kind) for kind in (np.dtype("f2"), np.dtype("f4"), np.dtype("f8"))
}  # the usual seeds
for _one in _ONE.values():
    _one.flags.writeable = False


def entering(tensors: Any, gradients: Any, create_graph: bool) -> list[tuple[Any, Any]]:
    """The edges at which the pass starts, with the gradients that enter there."""
    if isinstance(tensors, Tensor) and (gradients is None or isinstance(gradients, Tensor)):
        if gradients is None and not create_graph and tensors._needs:  # as nearly always
            data = tensors._data
            if data.ndim == 0:
                return [(edge_of(tensors), data.dtype.type(1))]
            if data.size == 1 and data.ndim == 1:
                return [(edge_of(tensors), _ONE[data.dtype])]
        gradient = check_gradient(0, tensors, gradients)
        if not tensors._needs:
            raise RuntimeError(NO_GRAD.format(0))
        return [(edge_of(tensors), gradient if create_graph else gradient._data)]
    outputs: Sequence[Any] = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    check_tensors(outputs, "Expected output to be a torch.Tensor, got {}; pass a tensor")
    if gradients is None or isinstance(gradients, Tensor):
        given: list[Any] = [gradients] * (1 if gradients is not None else len(outputs))
    else:
        given = list(gradients)
    if len(given) < len(outputs):
        raise RuntimeError(
            f"got {len(outputs)} tensors and {len(given)} gradients; pass one gradient for each "
            "tensor (None where it is a single entry)"
        )
    roots = []
    for i, (output, gradient) in enumerate(zip(outputs, given, strict=False)):
        roots.append((output, check_gradient(i, output, gradient)))
    for i, output in enumerate(outputs):
        if not output.requires_grad:
            raise RuntimeError(NO_GRAD.format(i))
    return [(edge_of(t), g if create_graph else g._data) for t, g in roots]


def check_tensors(things: Sequence[Any], sentence: str) -> None:
    """Raises: RuntimeError for the first thing that is no tensor."""
    for thing in things:
        if not isinstance(thing, Tensor):
            raise RuntimeError(sentence.format(type(thing).__name__))


def check_gradient(i: int, output: Tensor, gradient: Any) -> Tensor:
    """The gradient that enters at `output`: the one given, or 1 for a single entry."""
    if gradient is None:
        if not output.requires_grad:
            raise RuntimeError(NO_GRAD.format(i))
        if output._data.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        data = output._data
        one = np.ones(data.shape, data.dtype) if data.ndim else data.dtype.type(1)
        return wrap(one, False, None)
    if not isinstance(gradient, Tensor):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__name__}"
        )
    if gradient.shape != output.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] "
            f"has a shape of {output.shape}."
        )
    if gradient._data.dtype != output._data.dtype:
        return gradient.to(output.dtype)
    return gradient


def key_of(tensor: Tensor) -> Any:
    """How the engine names the place where the gradient of `tensor` arrives."""
    edge = edge_of(tensor)
    return (edge.node, edge.index) if type(edge) is Output else edge


def own(grad: Any) -> Any:
    """The gradient in memory of its own, where it is a view of an array that others may hold."""
    if isinstance(grad, np.ndarray) and grad.base is not None:
        return grad.copy()
    return grad


def add_to_grad(leaf: Tensor, grad: Any) -> None:
    """AccumulateGrad: the first gradient is kept, later ones are added in place."""
    before = leaf._grad
    if before is None:
        if type(grad) is np.ndarray and grad.base is not None:
            grad = grad.copy()  # a view of an array that others may hold
        leaf._grad = wrap(grad, False, None)
        return
    if before._needs or before._node is not None:
        leaf._grad = before + wrap(grad, False, None)
        return
    if isinstance(before._data, np.ndarray):
        before._data += grad
    else:
        before._data = before._data + grad
    if before._more is not None:
        before._version_counter().advance()


def add_tensor_to_grad(leaf: Tensor, grad: Tensor) -> None:
    """AccumulateGrad while recording: a new tensor, so that history is kept."""
    leaf._grad = grad if leaf._grad is None else leaf._grad + grad
