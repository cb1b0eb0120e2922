"""The user's entry points: `backward` adds gradients to leaves, `grad` returns them.

Read next: autograd/engine.py
"""

import sys
import warnings
from typing import Any

import numpy as np
from numpy import ndarray

from graphlab.autograd import edges
from graphlab.autograd.decisions import came_from
from graphlab.autograd.edges import GradientEdge, key_of
from graphlab.autograd.engine import run
from graphlab.autograd.grad_mode import UsersCode, is_in_use, no_grad, state, without_warnings
from graphlab.autograd.record import apply
from graphlab.autograd.watch import watcher, watchers
from graphlab.common.errors import users_level
from graphlab.tensor.tensor import Tensor, wrap

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)

# The gradient 1 that usually enters, made once for each type: a scalar, and an array of one entry.
ONE = {kind: kind(1) for kind in (np.float16, np.float32, np.float64)}
ARRAY_OF_ONE = {np.dtype(kind): np.ones(1, kind) for kind in ONE}
for _array in ARRAY_OF_ONE.values():
    _array.flags.writeable = False


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of every leaf that they depend on.

    tensors, grad_tensors: a tensor and its gradient, of the same shape, or a list of each; for a
    tensor of one entry the gradient may be left out. inputs: only these tensors get gradients.
    retain_graph: keep what the graph saved for another pass; like `create_graph` when None.
    create_graph: record the pass itself, for second derivatives. grad_variables: deprecated.
    Raises: RuntimeError when a tensor needs no gradient, a gradient has the wrong shape, or the
    graph was already used. Source: PyTorch, torch.autograd.backward.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=users_level(),
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    capture = None
    wanted = () if inputs is None else edges.places_of_inputs(inputs, "backward")
    roots = entering(tensors, grad_tensors, create_graph)
    if inputs is not None:
        edges.check_inputs(wanted)
        for thing in wanted:
            if isinstance(thing, Tensor):
                thing.retain_grad()  # a tensor that is not a leaf keeps its gradient from now on
        capture = {key_of(thing): None for thing in wanted}
    if retain_graph is None:
        retain_graph = create_graph
    if create_graph:
        warnings.warn(CYCLE, UserWarning, stacklevel=users_level())
    execute(roots, writer(create_graph), retain_graph, create_graph, capture, accumulate=True)


def entering(tensors: Any, gradients: Any, create_graph: bool) -> list[tuple[Any, Any]]:
    """As `edges.entering`; if it raises an error, an open recording is told."""
    try:
        return edges.entering(tensors, gradients, create_graph)
    except RuntimeError as error:
        if (one := watcher()) is not None:
            one.refuses(error)
        raise


def run_backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of every leaf that it depends on.

    gradient: the gradient of this tensor, of its shape; for one entry it may be left out.
    retain_graph: keep what the nodes saved, for another pass. create_graph: record this pass, so
    that gradients have gradients. inputs: write the `.grad` of these leaves only.
    Raises: as `autograd.backward` does.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> (x * x).backward()
    >>> x.grad
    tensor(6.)
    """
    # The usual case: a number that a graph made, no option, and never a hook or a recording.
    node, data = self._node, self._data
    usual = gradient is None and inputs is None and not create_graph and node is not None
    if not usual or UsersCode.defined or data.size != 1:
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)
        return
    if type(data) is not ndarray:
        one = ONE[type(data)]
    else:
        one = ARRAY_OF_ONE[data.dtype] if data.ndim == 1 else np.ones(data.shape, data.dtype)
    # The gradient that enters is 1; `quietly` calls the engine without NumPy's warnings.
    try:
        state.quietly(run, [(node, one)], add_to_grad, retain_graph)
    except RuntimeError as error:
        if not is_in_use(error):
            raise
        without_warnings(run, [(node, one)], add_to_grad, retain_graph)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` with respect to `inputs`; no `.grad` changes.

    outputs, inputs: a tensor or a sequence; a dict of inputs gives a dict. grad_outputs: the
    gradient of each output, of its shape. retain_graph, create_graph: as for `backward`.
    only_inputs: deprecated. allow_unused: give None for an unused input instead of an error.
    is_grads_batched: each index of the first dimension of grad_outputs is one backward pass; the
    results are stacked. materialize_grads: give zeros for an unused input.
    Raises: RuntimeError when an input needs no gradient, or is not used and `allow_unused` is
    not set. Source: PyTorch, torch.autograd.grad.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, "
            "but got: allow_unused=False."
        )
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=users_level(),
        )
    tensors = edges.one_or_many(outputs)
    wanted = edges.places_of_inputs(inputs, "grad")
    given = edges.given_gradients(grad_outputs, tensors)
    gradients = edges.check_gradients(tensors, given, is_grads_batched)
    keep = create_graph if retain_graph is None else retain_graph
    unused = bool(allow_unused or materialize_grads)
    if is_grads_batched:
        found = batched(tensors, gradients, wanted, keep, create_graph, unused)
    else:
        found = vector_product(tensors, gradients, wanted, keep, create_graph, unused)
    if materialize_grads:
        found = [zeros_for(thing, create_graph) if g is None else g
                 for thing, g in zip(wanted, found, strict=True)]  # fmt: skip
    return dict(zip(inputs, found, strict=True)) if type(inputs) is dict else tuple(found)


def vector_product(
    outputs: tuple[Any, ...],
    gradients: list[Tensor | None],
    inputs: tuple[Any, ...],
    keep_graph: bool,
    create_graph: bool,
    allow_unused: bool,
) -> list[Tensor | None]:
    """Run one backward pass for `grad`, and return the gradient of each input."""
    roots = edges.roots(outputs, gradients, create_graph)
    edges.check_inputs(inputs)
    for thing in inputs:
        if isinstance(thing, Tensor) and not thing._needs:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    capture: dict[Any, Any] = {key_of(thing): None for thing in inputs}
    execute(roots, writer(create_graph), keep_graph, create_graph, capture)
    found = []
    held = {id(entering) for _, entering in roots}  # data that somebody already holds
    for i, thing in enumerate(inputs):
        grad = capture[key_of(thing)]
        if grad is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if grad is not None and not isinstance(grad, Tensor):
            grad = grad.copy() if id(grad) in held else own(grad)
            held.add(id(grad))
            grad = came_from(wrap(grad, False, None), inputs)
        found.append(grad)
    return found


def batched(
    outputs: tuple[Any, ...],
    gradients: list[Tensor | None],
    inputs: tuple[Any, ...],
    keep_graph: bool,
    create_graph: bool,
    allow_unused: bool,
) -> list[Tensor | None]:
    """Run a backward pass for each entry of the first dimension of the gradients; stack them.

    Raises: ValueError, as torch.vmap does, when that dimension is missing or differs.
    """
    sizes = []
    for gradient in gradients:
        if gradient is not None and gradient._data.ndim == 0:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input "
                "is a Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
        sizes += [] if gradient is None else [len(gradient)]
    edges.check_one_size(sizes)
    from graphlab.tensor.functions.joining import stack

    passes = []
    for i in range(max(sizes, default=0)):
        one = [None if gradient is None else gradient[i] for gradient in gradients]
        keep = keep_graph or i < sizes[0] - 1
        passes.append(vector_product(outputs, one, inputs, keep, create_graph, allow_unused))
    columns = zip(*passes, strict=True)
    return [None if column[0] is None else stack(list(column)) for column in columns]


def zeros_for(thing: Any, create_graph: bool) -> Tensor:
    """Return the gradient of an unused input. Raises: RuntimeError for a GradientEdge."""
    if isinstance(thing, GradientEdge):
        raise RuntimeError(
            "materialize_grads cannot be used when the given input is a GradientEdge"
        )
    return wrap(np.zeros_like(thing._data), create_graph, None)


def execute(
    roots: list[tuple[Any, Any]],
    write: Any,
    keep_graph: bool,
    create_graph: bool,
    capture: dict[Any, Any] | None = None,
    observer: Any = None,
    accumulate: bool = False,
) -> None:
    """Run the engine, recording it or not, without NumPy's warnings.

    A pass that may run the user's code enters `np.errstate`, because the prepared context cannot
    be entered twice.
    """
    if not (create_graph or UsersCode.defined or observer is not None):
        arguments = roots, write, keep_graph, False, capture, None, accumulate
        try:
            state.quietly(run, *arguments)  # raw data alone
        except RuntimeError as error:
            if not is_in_use(error):
                raise
            without_warnings(run, *arguments)
        return
    if watchers and observer is None and (recording := watcher()) is not None:
        observer = recording.watch(keep_graph, create_graph, accumulate)
    before, captures = state.grad_enabled, state.captures
    state.grad_enabled, state.captures = create_graph, capture is not None
    try:
        with np.errstate(all="ignore"):
            run(roots, write, keep_graph, create_graph, capture, observer, accumulate)
    finally:
        state.grad_enabled, state.captures = before, captures


def check_gradient(i: int, output: Tensor, gradient: Any) -> Any:
    """Return the gradient that enters at output number i: the one given, or 1 for an entry."""
    checked = edges.check_gradients((output,), (gradient,))[0]
    if checked is None:
        raise RuntimeError(edges.NO_GRAD.format(i))
    return checked


def writer(create_graph: bool) -> Any:
    """Return the function that adds a gradient to a tensor's `.grad`."""
    return add_tensor_to_grad if create_graph else add_to_grad


def own(grad: Any) -> Any:
    """Return the gradient in memory of its own: a copy if it is a view of shared memory."""
    if type(grad) is not np.ndarray or grad.base is None:
        return grad
    alone = sys.getrefcount(grad.base) == 2  # held by the view and by this call, by nothing else
    return grad if alone and grad.flags.writeable else grad.copy()


def add_to_grad(leaf: Tensor, grad: Any) -> None:
    """Do what AccumulateGrad does: keep the first gradient, and add later ones in place.

    A tensor that is not a leaf, but retains its gradient, gets a new sum each time. A leaf that
    needs no gradient any more gets none.
    """
    if not (leaf._needs or leaf.retains_grad):
        return
    before = leaf._grad
    if before is None:
        # An in-place function may have given the leaf another dimension.
        if grad.shape != leaf._data.shape and grad.ndim <= leaf._data.ndim:
            from graphlab.tensor.writing import check_fit

            check_fit(leaf._data.shape, grad.shape)
            grad = np.broadcast_to(grad, leaf._data.shape).copy()
        if type(grad) is ndarray:
            if grad.ndim > 1 and grad.strides != leaf._data.strides and leaf._node is None:
                grad = laid_out_as(leaf._data, grad)
            if grad.base is not None:
                grad = own(grad)
        elif not isinstance(grad, np.generic):
            raise TypeError("a leaf takes no batch of gradients")  # vmap runs one example at a time
        leaf._grad = wrap(grad, False, None)
        return
    if leaf._node is not None:
        with no_grad():
            leaf._grad = before + wrap(grad, False, None)
        return
    if isinstance(before._data, np.ndarray):
        try:
            before._data += grad
        except ValueError:  # an in-place function has changed the shape of the leaf
            from graphlab.tensor.writing import check_fit

            check_fit(before._data.shape, grad.shape)
            raise
    else:
        before._data = before._data + grad
    if before._more is not None or before._node is not None:
        before._version_counter().advance()


def laid_out_as(data: Any, grad: Any) -> Any:
    """Return a copy of a gradient with its entries in memory as those of the leaf.

    If those have gaps, the copy's entries lie row by row.

    Source: PyTorch, torch/csrc/autograd/utils/grad_layout_contract.h.
    """
    out = np.empty_like(data, grad.dtype, subok=False)
    if out.strides != data.strides:
        out = np.empty(grad.shape, grad.dtype)
    out[...] = grad
    return out


def add_tensor_to_grad(leaf: Tensor, grad: Tensor) -> None:
    """Do what AccumulateGrad does while recording: make a new tensor, which keeps the history.

    The first gradient is copied, as in PyTorch: CopyBackwards for a leaf, Clone for another tensor.
    """
    if leaf._grad is not None:
        leaf._grad = leaf._grad + grad
    elif leaf._node is None:
        from graphlab.ops.writing import Copy

        kind = grad._data.dtype
        nothing = np.broadcast_to(kind.type(0), grad._data.shape)[()]  # zeros that take no memory
        copied = apply(Copy, wrap(nothing, False, None), grad, dtype=kind)
        copied._data = laid_out_as(leaf._data, grad._data)  # memory of its own
        copied._version_counter().advance()  # the copy into it counts as a change
        leaf._grad = copied
    else:
        from graphlab.tensor.functions.pointwise import clone

        leaf._grad = clone(grad)
