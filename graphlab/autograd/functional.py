"""Derivatives of functions of tensors: vjp, jvp, Jacobian, Hessian and products with it.

One backward pass gives vᵀJ, a row of the Jacobian J for each v. It is linear in v, so its own
backward pass gives J u: the product in forward direction comes from two passes backwards. The
Hessian is the Jacobian of the gradient.

    vjp: vᵀJ    jvp: J v    vhp: vᵀH    hvp: H v

Read next: func/transforms.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.autograd.backward import grad
from graphlab.autograd.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from graphlab.creation import zeros_like
from graphlab.functional.shapes import reshape, stack
from graphlab.tensor import Tensor

Tensors = tuple[Tensor, ...]

STRICT = {  # what is said in strict mode: where a result does not depend on what it should
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be "
        "computed in a differentiable manner from the input when running in strict mode."
    ),
    "back": (
        "The output of the user-provided function is independent of input {}. This is not allowed "
        "in strict mode."
    ),
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs "
        "when using the double backward trick to compute forward mode gradients. This is not "
        "allowed in strict mode."
    ),
    "double_back": (
        "The jacobian of the user-provided function is independent of input {}. This is not "
        "allowed in strict mode."
    ),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the "
        "grad_jacobian. This is not allowed in strict mode as it prevents from using the double "
        "backward trick to replace forward mode AD."
    ),
    "grad_inputs": (
        "The gradient with respect to input {} is independent of the inputs of the user-provided "
        "function. This is not allowed in strict mode."
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with "
        "respect to input {} is independent of the input. This is not allowed in strict mode. You "
        "should ensure that your function is twice differentiable and that the jacobian depends "
        "on the inputs (this would be violated by a linear function for example)."
    ),
    "graph": (
        "The {} of the user-provided function is independent of input {}. This is not allowed in "
        "strict mode when create_graph=True."
    ),
}


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """The outputs of `func`, and vᵀJ: the gradient of each input when v flows into the outputs.

    inputs: a tensor or a tuple of them. v: in the shapes of the outputs; may be left out for one
    entry. create_graph: the results can be differentiated. strict: an error, instead of zeros,
    where an output does not depend on an input.
    Raises: RuntimeError for a v of other shapes, TypeError for what is no tensor.
    Source: PyTorch, torch.autograd.functional.vjp.

    >>> import graphlab as torch
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
    """The outputs of `func`, and J v: how they move when the inputs move along v.

    The arguments are those of `vjp`; v has the shapes of the inputs.

    >>> import graphlab as torch
    >>> jvp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with enable_grad():
        several, sources = tensors(inputs, "inputs", "jvp")
        sources = fresh(sources, create_graph)
        v = direction(v, sources, several, "jvp", create_graph)
        many, outputs = outputs_of(func, sources, "jvp", strict)
        # what flows in is not part of the result, which is linear in it: zeros will do
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
    """The Jacobian of `func`: for an output (M,) and an input (N,) it is (M, N).

    Tuples of outputs or inputs give tuples. strategy: "forward-mode" goes column by column, which
    PyTorch does only with vectorize=True; `vectorize` itself changes nothing here.
    Raises: RuntimeError, in strict mode, where an output does not depend on an input.

    >>> import graphlab as torch
    >>> jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
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
    """Raises: what PyTorch raises where it has no forward mode."""
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
    """The Jacobian of one output with respect to every input: a backward pass for each row."""
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
    """The Hessian of a `func` with one entry: for an input (N,) it is (N, N).

    >>> import graphlab as torch
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
    """The output of `func`, and vᵀH, by a backward pass through the gradient.

    >>> import graphlab as torch
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
    """The output of `func`, and H v. It needs one pass more than vᵀH, which is the same.

    >>> import graphlab as torch
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
    """What the products with the Hessian begin with: the gradient, as a part of the graph."""
    several, sources = tensors(inputs, "inputs", name)
    sources = fresh(sources, create_graph)
    v = direction(v, sources, several, name, create_graph)
    outputs = single(*outputs_of(func, sources, name, strict), name)
    slope = gradients(outputs, sources, None, create_graph=True)
    dependent(slope, "jacobian", strict)
    return several, sources, v, outputs, slope


# -- what goes in and what comes out -----------------------------------------------------------


def tensors(given: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """Whether several were given, and a tuple of tensors. Raises: TypeError for other things."""
    several = isinstance(given, tuple)
    found = given if several else (given,)
    for i, x in enumerate(found):
        if not isinstance(x, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but "
                f"the {where} has type {type(x)}."
            )
    return several, found


def fresh(inputs: Tensors, create_graph: bool, needs: bool = True) -> Tensors:
    """The inputs as tensors of their own: a captured tensor does not count as an input."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(needs)
        for x in inputs
    )


def outputs_of(
    func: Callable[..., Any], inputs: Tensors, name: str, strict: bool
) -> tuple[bool, Tensors]:
    """Whether `func` gives several tensors, and these."""
    many, outputs = tensors(func(*inputs), "outputs of the user-provided function", name)
    dependent(outputs, "outputs", strict)
    return many, outputs


def single(many: bool, outputs: Tensors, name: str) -> Tensors:
    """Raises: RuntimeError for a function that gives more than one entry."""
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return outputs


def direction(v: Any, sources: Tensors, several: bool, name: str, create_graph: bool) -> Any:
    """The v in the shape of the inputs; it may be left out for an input of one entry."""
    if v is not None:
        return vectors(v, sources, several, name, create_graph)
    if len(sources) != 1 or sources[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single "
            "Tensor with a single element."
        )
    return None


def vectors(v: Any, like: Tensors, several: bool, name: str, create_graph: bool) -> Tensors:
    """The v that was given. Raises: RuntimeError where its shapes are not those of `like`."""
    _, found = tensors(v, "v", name)
    found = fresh(found, create_graph, needs=False)
    if len(found) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(found)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for i, (x, other) in enumerate(zip(found, like, strict=True)):
        if x.shape != other.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {other.shape} but got {x.shape}."
            )
    return found


def gradients(
    outputs: Any, inputs: Tensors, v: Any, create_graph: bool, retain_graph: bool | None = None
) -> Any:
    """`grad` that leaves out outputs which depend on nothing, and gives None for those unused."""
    entering = (None,) * len(outputs) if v is None else v
    pairs = [
        (t, g) for t, g in zip(outputs, entering, strict=True) if t is not None and t.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    used, flowing = zip(*pairs, strict=True)
    return grad(used, inputs, flowing, retain_graph, create_graph, allow_unused=True)


def dependent(found: Any, what: str, strict: bool) -> None:
    """Raises: RuntimeError, in strict mode, where a result depends on nothing."""
    for i, x in enumerate(found if strict else ()):
        if x is None:
            raise RuntimeError(STRICT["back"].format(i))
        if not x.requires_grad:
            raise RuntimeError(STRICT[what].format(i))


def filled(found: Any, like: Tensors, strict: bool, create_graph: bool, what: str) -> Tensors:
    """Zeros for what is None. Raises: RuntimeError there in strict mode."""
    for i, x in enumerate(found if strict else ()):
        if x is None:
            raise RuntimeError(STRICT[what].format(i))
        if create_graph and not x.requires_grad:
            of = "hessian" if "double" in what else "jacobian"
            raise RuntimeError(STRICT["graph"].format(of, i))
    return tuple(zeros_like(t) if x is None else x for x, t in zip(found, like, strict=True))


def unpacked(found: Tensors, several: bool, create_graph: bool) -> Any:
    """A tuple where several were given; outside the graph unless it was asked for."""
    results = found if create_graph else tuple(x.detach() for x in found)
    return results if several else results[0]
