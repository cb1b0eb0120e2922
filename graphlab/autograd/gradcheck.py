"""Compare the backward pass with difference quotients: `gradcheck`, `gradgradcheck`.

A function of tensors has a Jacobian for each output and input. Its columns come from moving one
entry of the input a little to both sides, (f(x + eps) - f(x - eps)) / (2 eps), and calculus plays
no part in it; its rows come from a backward pass for each entry of the output. When both agree,
the rules of all operations on the way are right at that point.

Read next: autograd/functional.py
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphlab.autograd.backward import grad
from graphlab.autograd.function import Function
from graphlab.tensor import Tensor, wrap

Matrix = np.ndarray  # (entries of an input, entries of an output)


class GradcheckError(RuntimeError):
    """What autograd computes is not what difference quotients say."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` at `inputs` agree with central differences; or an error.

    func: of the inputs, gives a tensor or a tuple of them. inputs: a tensor or a tuple, those to
    be checked float64 with requires_grad. eps: the step of the difference quotient. atol, rtol:
    how far |autograd - differences| may be from 0, and relative to the differences.
    fast_mode: compare one random combination of rows and columns of each Jacobian.
    nondet_tol: how far two backward passes may differ. check_undefined_grad: no gradient must
    count as zeros.
    Raises: GradcheckError unless `raise_exception` is False, ValueError when no input requires a
    gradient, NotImplementedError for forward mode, which GraphLab does not have.
    Source: PyTorch, torch.autograd.gradcheck.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> gradcheck(lambda x: x**2, (x,))
    True
    """
    if check_forward_ad or check_batched_forward_grad:
        raise NotImplementedError("gradcheck: GraphLab has no forward-mode AD to check")
    if not check_backward_ad:
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    given = as_tuple(inputs)
    check_inputs(given)
    try:
        outputs = differentiable(func(*given))
        check = combinations_agree if fast_mode else entries_agree
        if outputs:
            check(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes)
        else:
            no_slope(func, given, eps)
        zeros_stay_zeros(func, given)
        if check_undefined_grad and outputs:
            undefined_counts_as_zeros(func, given)
        if check_batched_grad:
            batches_agree(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the gradients of the gradients of `func` agree with central differences.

    grad_outputs: what flows into the outputs; random in [-1, 1] when left out. The gradients are
    checked as functions of the inputs and of these. The rest is as in `gradcheck`.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> gradgradcheck(lambda x: x**3, (x,))
    True
    """
    given = as_tuple(inputs)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        entering = tuple(
            wrap(rng.uniform(-1, 1, tuple(t.shape))[()].astype(t._data.dtype), True, None)
            for t in differentiable(func(*given))
        )
    else:
        entering = as_tuple(grad_outputs)
    split = len(given)
    wanted = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        outputs = differentiable(func(*args[:split]))
        sources = [args[i] for i in wanted]
        found = grad(outputs, sources, args[split:], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients,
        given + entering,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


def as_tuple(x: Any) -> tuple[Any, ...]:
    """A tuple of what was given, alone or several."""
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def differentiable(outputs: Any) -> tuple[Tensor, ...]:
    """The outputs that require a gradient."""
    return tuple(t for t in as_tuple(outputs) if t.requires_grad)


def requiring(inputs: tuple[Any, ...]) -> list[Tensor]:
    """The inputs that require a gradient."""
    return [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]


def check_inputs(inputs: tuple[Any, ...]) -> None:
    """Raises: ValueError when no input requires a gradient. Warns where float64 is missing."""
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor) or not x.requires_grad:
            continue
        if x._data.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex. ",
                UserWarning,
                stacklevel=3,
            )
        if any(step == 0 and n > 1 for step, n in zip(x._data.strides, x.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients "
                "correctly. You should call .contiguous on the input before passing it to "
                "gradcheck."
            )
    if not requiring(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )


# -- the two ways to a Jacobian ----------------------------------------------------------------


def moved(x: Tensor, by: Any) -> Iterator[None]:
    """Move the entries of `x` by `by`, to both sides in turn; they come back in the end."""
    own = x._data
    before = np.array(own)
    try:
        for side in (-1, 1):
            after = before + side * by
            if isinstance(own, np.ndarray):
                own[...] = after  # a view of it moves along
            else:
                x._data = own.dtype.type(after)
            yield
    finally:
        if isinstance(own, np.ndarray):
            own[...] = before
        x._data = own


def slopes(func: Callable[..., Any], inputs: Any, x: Tensor, by: Any, eps: float) -> list[Any]:
    """(f(x + by) - f(x - by)) / (2 eps) of every output, flat."""
    left, right = (
        [np.array(t._data) for t in as_tuple(func(*inputs))] for _ in moved(x, by)
    )  # fmt: skip
    for a, b in zip(left, right, strict=True):
        if a.shape != b.shape:
            raise AssertionError(
                "Expected `func` to return outputs with the same shape when inputs are perturbed "
                f"by {eps}, but got: shapes {a.shape} and {b.shape}."
            )
    return [((b - a) / (2 * eps)).reshape(-1) for a, b in zip(left, right, strict=True)]


def numerical(func: Callable[..., Any], inputs: Any, x: Tensor, eps: float) -> list[Matrix]:
    """The Jacobians with respect to `x` of every output, by central differences."""
    columns = []
    for k in range(x._data.size):
        one = np.zeros(x._data.size, x._data.dtype)
        one[k] = eps
        columns.append(slopes(func, inputs, x, one.reshape(x._data.shape), eps))
    if not columns:
        return [np.zeros((0, t._data.size)) for t in as_tuple(func(*inputs))]
    return [np.stack(rows) for rows in zip(*columns, strict=True)]


def back(output: Tensor, inputs: list[Tensor], entering: Any, dtypes: bool) -> list[Any]:
    """One backward pass: the gradient of each input, flat; zeros for one that is not used."""
    data = np.asarray(entering, output._data.dtype).reshape(output._data.shape)
    found = grad(output, inputs, wrap(data[()], False, None), retain_graph=True, allow_unused=True)
    rows = []
    for g, x in zip(found, inputs, strict=True):
        if g is not None and g.shape != x.shape:
            raise GradcheckError("Analytical gradient has incorrect size")
        if g is not None and g.dtype is not x.dtype and dtypes:
            raise GradcheckError("Gradient has dtype mismatch")
        rows.append(np.zeros(x._data.size) if g is None else np.array(g._data).reshape(-1))
    return rows


def analytical(output: Tensor, inputs: list[Tensor], dtypes: bool) -> list[Matrix]:
    """The Jacobians of one output with respect to every input, by a backward pass per entry."""
    n = output._data.size
    passes = [back(output, inputs, np.eye(n)[k], dtypes) for k in range(n)]
    if not passes:
        return [np.zeros((x._data.size, 0), x._data.dtype) for x in inputs]
    return [np.stack(columns, axis=1) for columns in zip(*passes, strict=True)]


def twice(compute: Callable[[], list[Any]], nondet_tol: float) -> list[Any]:
    """What `compute` gives. Raises: GradcheckError when it gives something else again."""
    first, second = compute(), compute()
    for a, b in zip(first, second, strict=True):
        if np.size(a) and np.max(np.abs(a - b)) > nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and "
                "grad_output multiple times gives different values, although analytical gradient "
                f"matches numerical gradient.The tolerance for nondeterminism was {nondet_tol}."
            )
    return first


def close(a: Any, n: Any, atol: float, rtol: float) -> bool:
    """Whether |a - n| <= atol + rtol |n| in every entry."""
    return bool(np.allclose(a, n, rtol, atol))


def mismatch(i: int, j: int, a: Any, n: Any) -> str:
    """What is said of output i and input j, whose Jacobians are different."""
    shown = [wrap(np.asarray(x)[()], False, None) for x in (n, a)]
    return (
        f"Jacobian mismatch for output {i} with respect to input {j},\n"
        f"numerical:{shown[0]}\nanalytical:{shown[1]}\n"
    )


# -- what is checked ---------------------------------------------------------------------------


def kept(outputs: tuple[Any, ...], found: list[Any]) -> list[Any]:
    """Of what was found for every output, what belongs to a differentiable one."""
    return [x for t, x in zip(outputs, found, strict=True) if t.requires_grad]


def entries_agree(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    dtypes: bool,
) -> None:
    """Compare the Jacobians entry by entry."""
    sources = requiring(inputs)
    outputs = as_tuple(func(*inputs))
    by_input = [kept(outputs, numerical(func, inputs, x, eps)) for x in sources]
    for i, output in enumerate(kept(outputs, list(outputs))):
        rows = twice(lambda output=output: analytical(output, sources, dtypes), nondet_tol)
        for j, a in enumerate(rows):
            n = by_input[j][i].astype(a.dtype)
            if not close(a, n, atol, rtol):
                raise GradcheckError(mismatch(i, j, a, n))


def combinations_agree(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    dtypes: bool,
) -> None:
    """Compare vᵀ J u for one random u and v ≥ 0: two calls of `func` for each input."""
    rng = np.random.default_rng(0)
    sources = requiring(inputs)
    outputs = as_tuple(func(*inputs))
    us = []
    for x in sources:
        u = rng.random(x._data.size)
        us.append(u / max(float(np.linalg.norm(u)), 1e-30))
    moves = [
        kept(outputs, slopes(func, inputs, x, (eps * u).reshape(x._data.shape), eps))
        for x, u in zip(sources, us, strict=True)
    ]
    for i, output in enumerate(kept(outputs, list(outputs))):
        v = rng.random(output._data.size)
        vs = twice(lambda o=output, v=v: back(o, sources, v, dtypes), nondet_tol)
        for j, u in enumerate(us):
            a, n = np.dot(vs[j], u), np.dot(v, moves[j][i])
            if not close(a, n, atol * float(u.sum() * v.sum()), rtol):
                slow_a = analytical(output, sources, dtypes)[j]
                slow_n = kept(outputs, numerical(func, inputs, sources[j], eps))[i]
                raise GradcheckError(mismatch(i, j, a, n) + fast_mode_note(slow_a, slow_n))


def fast_mode_note(a: Matrix, n: Matrix) -> str:
    """The whole Jacobians, for somebody whose combination of them was wrong."""
    shown = [wrap(np.asarray(x)[()], False, None) for x in (n, a, np.max(np.abs(n - a)))]
    return (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
        "in fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
        f"Numerical:\n {shown[0]}\nAnalytical:\n{shown[1]}\n\n"
        f"The max per-element difference (slow mode) is: {shown[2]}.\n"
    )


def no_slope(func: Callable[..., Any], inputs: tuple[Any, ...], eps: float) -> None:
    """A function without differentiable outputs must be flat."""
    for x in requiring(inputs):
        if any(np.any(matrix != 0) for matrix in numerical(func, inputs, x, eps)):
            raise GradcheckError("Numerical gradient for function expected to be zero")


def zeros_stay_zeros(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Zeros that flow in must flow out: a backward pass is linear."""
    sources = requiring(inputs)
    for output in differentiable(func(*inputs)):
        for row in back(output, sources, np.zeros(output._data.shape), False):
            if np.any(row != 0):
                raise GradcheckError("backward not multiplied by grad_output")


class Undefined(Function):
    """The identity, through which no gradient comes back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:  # type: ignore[override]
        return None


def undefined_counts_as_zeros(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """No gradient for an output, or for all of them, must be no error, and count as zeros."""
    notes = (
        'Please look at "Notes about undefined output gradients" in '
        '"tools/autograd/derivatives.yaml"'
    )
    n = len(differentiable(func(*inputs)))
    left_out = [set(range(n)), *({k} for k in range(n) if n > 1)]
    for undefined in left_out:
        outputs = differentiable(func(*inputs))
        outputs = [Undefined.apply(t) if k in undefined else t for k, t in enumerate(outputs)]
        entering = [wrap(np.zeros_like(t._data)[()], False, None) for t in outputs]
        try:
            found = grad(outputs, requiring(inputs), entering, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads. {notes}"
            ) from error
        if any(g is not None and np.any(g._data != 0) for g in found):
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are "
                f"undefined or zero. {notes}"
            )


def batches_agree(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """A batch of gradients that flow in must give what they give one by one."""
    sources = requiring(inputs)
    rng = np.random.default_rng(0)
    for output in differentiable(func(*inputs)):
        batch = rng.standard_normal((2, *output._data.shape)).astype(output._data.dtype)
        found = grad(
            output,
            sources,
            wrap(batch, False, None),
            retain_graph=True,
            allow_unused=True,
            is_grads_batched=True,
        )
        alone = [back(output, sources, one, False) for one in batch]
        for g, rows in zip(found, zip(*alone, strict=True), strict=True):
            got = 0 * np.stack(rows) if g is None else np.reshape(g._data, (2, -1))
            if not np.allclose(got, np.stack(rows)):
                raise GradcheckError("batched gradients differ from those computed one by one")
