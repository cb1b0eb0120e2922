"""Derivatives of functions of tensors: vjp, jvp, Jacobian, Hessian and products with it.

One backward pass gives vᵀJ; if v is a unit vector, that is a row of the Jacobian J. vᵀJ is linear
in v, so a backward pass through it gives J u: two backward passes replace one in forward mode. The
Hessian H is the Jacobian of the gradient.

    vjp: vᵀJ    jvp: J v    vhp: vᵀH    hvp: H v

Read next: autograd/jacobian_products.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from graphlab.autograd.jacobian_products import (
    STRICT,
    Tensors,
    dependent,
    direction,
    filled,
    fresh,
    gradients,
    outputs_of,
    single,
    tensors,
    unpacked,
    vectors,
)
from graphlab.tensor.creation import zeros_like
from graphlab.tensor.functions.joining import stack
from graphlab.tensor.functions.shapes import reshape
from graphlab.tensor.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of `func` and vᵀJ, the gradient of each input for the output gradient v.

    inputs: a tensor or a tuple of them. v: in the shapes of the outputs; may be left out for one
    entry. create_graph: the results can be differentiated. strict: an error, instead of zeros,
    where an output does not depend on an input.
    Raises: RuntimeError for a v of other shapes, TypeError for anything but a tensor.
    Source: PyTorch, torch.autograd.functional.vjp.

    >>> import graphlab as torch
    >>> from graphlab.autograd.functional import vjp
    >>> vjp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        several, sources = tensors(inputs, "inputs", "vjp")
        sources = fresh(sources, create_graph)
        many, outputs = outputs_of(func, sources, "vjp", strict)
        if v is not None:
            v = vectors(v, outputs, many, "vjp", create_graph)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single "
                "Tensor with a single element."
            )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(outputs, sources, v, create_graph)
        found = filled(found, sources, strict, create_graph, "back")
    return unpacked(outputs, many, create_graph), unpacked(found, several, create_graph)


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs of `func`, and J v: how they change when the inputs move along v.

    func, inputs, create_graph, strict: as in `vjp`; v: of the shapes of the inputs.

    >>> import graphlab as torch
    >>> jvp = torch.autograd.functional.jvp
    >>> jvp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with enable_grad():
        several, sources = tensors(inputs, "inputs", "jvp")
        sources = fresh(sources, create_graph)
        v = direction(v, sources, several, "jvp", create_graph)
        many, outputs = outputs_of(func, sources, "jvp", strict)
        # the rows are linear in `entering`, whose value cancels from the derivative: zeros will do
        entering = tuple(zeros_like(t).requires_grad_() for t in outputs)
        rows = gradients(outputs, sources, entering, create_graph=True)
        dependent(rows, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(rows, entering, v, create_graph)
        found = filled(found, outputs, strict, create_graph, "back_trick")
    return unpacked(outputs, many, create_graph), unpacked(found, many, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobian of `func`. inputs: (N,), output: (M,) -> (M, N).

    Tuples of outputs or inputs give tuples. create_graph: record the result.
    strict: raise RuntimeError where an output does not depend on an input.
    strategy: "reverse-mode" row by row or "forward-mode" column by column; PyTorch allows the
    latter only with vectorize=True. `vectorize` itself has no effect here.

    >>> import graphlab as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        check_forward_mode(create_graph, strict, vectorize)
    if vectorize and strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    with enable_grad():
        several, sources = tensors(inputs, "inputs", "jacobian")
        sources = fresh(sources, create_graph)
        many, outputs = outputs_of(func, sources, "jacobian", strict)
        matrices = tuple(
            rows_of(i, output, sources, create_graph, strict) for i, output in enumerate(outputs)
        )
    found = [unpacked(row, several, create_graph) for row in matrices]
    return tuple(found) if many else found[0]


def check_forward_mode(create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Raise PyTorch's error for options that its forward mode does not support."""
    if create_graph:
        raise NotImplementedError(
            "torch.autograd.functional.jacobian: `create_graph=True` and "
            '`strategy="forward-mode"` are not supported together (yet). Please either set '
            '`create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are '
            "not supported together (yet). Please either set `strict=False` or "
            '`strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
            "only implemented for `vectorize=True`."
        )


def rows_of(
    i: int, output: Tensor, sources: Tensors, create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    """Return the Jacobian of one output for each input, by a backward pass for each row."""
    flat = reshape(output, (-1,))
    rows: list[list[Tensor]] = [[] for _ in sources]
    for k in range(flat.numel()):
        found = gradients((flat[k],), sources, None, create_graph, retain_graph=True)
        for j, (row, x) in enumerate(zip(found, sources, strict=True)):
            if row is None and strict:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input {j}. This "
                    "is not allowed in strict mode."
                )
            if row is not None and strict and create_graph and not row.requires_grad:
                raise RuntimeError(STRICT["graph"].format("jacobian", i))
            rows[j].append(zeros_like(x) if row is None else row)
    return tuple(
        reshape(stack(row) if row else zeros_like(x)[:0], (*output.shape, *x.shape))
        for row, x in zip(rows, sources, strict=True)
    )


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the Hessian of a `func` with one output entry. inputs: (N,) -> (N, N).

    create_graph: record the result. strict: raise RuntimeError where nothing depends on an input.
    vectorize, outer_jacobian_strategy: as `vectorize` and `strategy` of `jacobian`.

    >>> import graphlab as torch
    >>> hessian = torch.autograd.functional.hessian
    >>> hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, _ = tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def value(*x: Tensor) -> Tensor:
        return single(*outputs_of(func, x, "hessian", strict), "hessian")[0].squeeze()

    def gradient(*x: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            x = tuple(t.requires_grad_() for t in x)
        found = jacobian(value, x, create_graph=True)
        dependent(found, "jacobian", strict)
        return found

    found = jacobian(
        gradient,
        inputs,
        create_graph=create_graph,
        strict=strict,
        vectorize=vectorize,
        strategy=outer_jacobian_strategy,
    )
    return found if several else found[0]


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of `func` and the product vᵀH with its Hessian.

    func, inputs, create_graph, strict: as in `hessian`; v: of the shape of the inputs.

    >>> import graphlab as torch
    >>> vhp = torch.autograd.functional.vhp
    >>> vhp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        several, sources, v, outputs, slope = gradient_of(
            func, inputs, v, create_graph, strict, "vhp"
        )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(slope, sources, v, create_graph)
        found = filled(found, sources, strict, create_graph, "double_back")
    return unpacked(outputs, False, create_graph), unpacked(found, several, create_graph)


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the output of `func` and the product H v with its Hessian.

    func, inputs, create_graph, strict: as in `hessian`; v: of the shape of the inputs.
    It needs one pass more than `vhp`, which gives the same product.

    >>> import graphlab as torch
    >>> hvp = torch.autograd.functional.hvp
    >>> hvp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        several, sources, v, outputs, slope = gradient_of(
            func, inputs, v, create_graph, strict, "hvp"
        )
        entering = tuple(zeros_like(x).requires_grad_() for x in sources)
        rows = gradients(slope, sources, entering, create_graph=True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(rows, entering, v, create_graph)
        found = filled(found, sources, strict, create_graph, "double_back_trick")
    return unpacked(outputs, False, create_graph), unpacked(found, several, create_graph)


def gradient_of(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> tuple[bool, Tensors, Any, Tensors, Any]:
    """Return what a product with the Hessian starts from: the gradient of `func`, recorded."""
    several, sources = tensors(inputs, "inputs", name)
    sources = fresh(sources, create_graph)
    v = direction(v, sources, several, name, create_graph)
    outputs = single(*outputs_of(func, sources, name, strict), name)
    slope = gradients(outputs, sources, None, create_graph=True)
    dependent(slope, "jacobian", strict)
    return several, sources, v, outputs, slope
