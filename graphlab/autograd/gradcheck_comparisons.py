"""The comparisons of `gradcheck`: both Jacobians agree, and zeros stay zeros.

Read next: autograd/functional.py
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphlab.autograd.backward import grad
from graphlab.autograd.edges import as_tuple, differentiable, requiring
from graphlab.autograd.forward_ad import dual_level, make_dual, unpack_dual
from graphlab.autograd.function import Function
from graphlab.common.errors import GradcheckError, users_level
from graphlab.tensor.tensor import Tensor, wrap

Matrix = np.ndarray  # (entries of an input, entries of an output)


def twice(compute: Callable[[], list[Any]], nondet_tol: float) -> list[Any]:
    """Return the result of `compute`. Raises: GradcheckError when a second call differs."""
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
    """Return whether |a - n| <= atol + rtol |n| in every entry."""
    return bool(np.allclose(a, n, rtol, atol))


def mismatch(i: int, j: int, a: Any, n: Any) -> str:
    """Return the error for output i and input j, whose Jacobians differ."""
    shown = [wrap(np.asarray(x)[()], False, None) for x in (n, a)]
    return (
        f"Jacobian mismatch for output {i} with respect to input {j},\n"
        f"numerical:{shown[0]}\nanalytical:{shown[1]}\n"
    )


def kept(outputs: tuple[Any, ...], found: list[Any]) -> list[Any]:
    """Return the results that belong to differentiable outputs."""
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
    along = [
        kept(outputs, slopes(func, inputs, x, (eps * u).reshape(x._data.shape), eps))
        for x, u in zip(sources, us, strict=True)
    ]
    for i, output in enumerate(kept(outputs, list(outputs))):
        v = rng.random(output._data.size)
        vs = twice(lambda o=output, v=v: back(o, sources, v, dtypes), nondet_tol)
        for j, u in enumerate(us):
            a, n = np.dot(vs[j], u), np.dot(v, along[j][i])
            if not close(a, n, atol * float(u.sum() * v.sum()), rtol):
                slow_a = analytical(output, sources, dtypes)[j]
                slow_n = kept(outputs, numerical(func, inputs, sources[j], eps))[i]
                raise GradcheckError(mismatch(i, j, a, n) + fast_mode_note(slow_a, slow_n))


def fast_mode_note(a: Matrix, n: Matrix) -> str:
    """Return the text with the whole Jacobians, after their combinations differed."""
    shown = [wrap(np.asarray(x)[()], False, None) for x in (n, a, np.max(np.abs(n - a)))]
    return (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
        "in fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
        f"Numerical:\n {shown[0]}\nAnalytical:\n{shown[1]}\n\n"
        f"The max per-element difference (slow mode) is: {shown[2]}.\n"
    )


def tangents_agree(
    func: Callable[..., Any], inputs: tuple[Any, ...], eps: float, atol: float, rtol: float
) -> None:
    """Compare the tangents of every direction along one entry with difference quotients."""
    sources = requiring(inputs)

    def tangents(x: Tensor, k: int) -> list[Any]:
        with dual_level():
            args = []
            for y in inputs:
                if any(y is one for one in sources):
                    way = np.zeros(y._data.size, y._data.dtype)
                    way[k : k + 1] = y is x
                    y = make_dual(y.detach(), wrap(way.reshape(y._data.shape)[()], False, None))
                args.append(y)
            return [unpack_dual(t) for t in as_tuple(func(*args))]

    for j, x in enumerate(sources):
        matrices = numerical(func, inputs, x, eps)
        for k in range(x._data.size):
            for i, (value, t) in enumerate(tangents(x, k)):
                a = np.zeros(value._data.size) if t is None else np.reshape(t._data, -1)
                if not close(a, matrices[i][k], atol, rtol):
                    text = mismatch(i, j, a, matrices[i][k])
                    how = "Jacobian computed with forward mode mismatch"
                    raise GradcheckError(text.replace("Jacobian mismatch", how))


def no_slope(func: Callable[..., Any], inputs: tuple[Any, ...], eps: float) -> None:
    """Check that a function without differentiable outputs is flat."""
    for x in requiring(inputs):
        if any(np.any(matrix != 0) for matrix in numerical(func, inputs, x, eps)):
            raise GradcheckError("Numerical gradient for function expected to be zero")


def zeros_stay_zeros(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Check that output gradients of zero give zeros: a backward pass is linear."""
    sources = requiring(inputs)
    for output in differentiable(func(*inputs)):
        for row in back(output, sources, np.zeros(output._data.shape), False):
            if np.any(row != 0):
                raise GradcheckError("backward not multiplied by grad_output")


class Undefined(Function):
    """The identity, which sends no gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:  # type: ignore[override]
        return None


def undefined_counts_as_zeros(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Check that a missing gradient, for one output or for all, counts as zeros."""
    n = len(differentiable(func(*inputs)))
    left_out = [set(range(n)), *({k} for k in range(n) if n > 1)]
    for undefined in left_out:
        outputs = differentiable(func(*inputs))
        outputs = [Undefined.apply(t) if k in undefined else t for k, t in enumerate(outputs)]
        entering = [wrap(np.zeros_like(t._data)[()], False, None) for t in outputs]
        try:
            found = grad(outputs, requiring(inputs), entering, allow_unused=True)
        except RuntimeError as error:
            text = "Expected backward function to handle undefined output grads."
            raise undefined_matters(text) from error
        if any(g is not None and np.any(g._data != 0) for g in found):
            raise undefined_matters(
                "Expected all input grads to be undefined or zero when all output grads are "
                "undefined or zero."
            )


def undefined_matters(text: str) -> GradcheckError:
    """Warn, and return the error for a backward that does not treat a missing gradient as 0."""
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default, but it may break existing callers of this function. If this is true for you, "
        'you can call this function with "check_undefined_grad=False" to disable the feature',
        stacklevel=users_level(),
    )
    return GradcheckError(
        f'{text} Please look at "Notes about undefined output gradients" in '
        '"tools/autograd/derivatives.yaml"'
    )


def batches_agree(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """Check that a batch of gradients gives the same as each gradient alone."""
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


# -- a Jacobian in two ways ----------------------------------------------------------------------
#
# A column comes from a small change of one entry of the input in both directions,
# (f(x + eps) - f(x - eps)) / (2 eps), which uses no derivative rule. A row comes from one backward
# pass, for one entry of the output.


def moved(x: Tensor, by: Any) -> Iterator[None]:
    """Yield twice, with `by` subtracted from `x` and then added to it; restore `x` at the end."""
    own = x._data
    before = np.array(own)
    try:
        for side in (-1, 1):
            after = before + side * by
            if isinstance(own, np.ndarray):
                own[...] = after  # views of it change too
            else:
                x._data = own.dtype.type(after)
            yield
    finally:
        if isinstance(own, np.ndarray):
            own[...] = before
        x._data = own


def slopes(func: Callable[..., Any], inputs: Any, x: Tensor, by: Any, eps: float) -> list[Any]:
    """Return (f(x + by) - f(x - by)) / (2 eps) of every output, flat."""
    left, right = (
        [wrap(np.array(t._data), False, None) for t in as_tuple(func(*inputs))]
        for _ in moved(x, by)
    )
    for a, b in zip(left, right, strict=True):
        if a.shape != b.shape:
            raise AssertionError(
                "Expected `func` to return outputs with the same shape when inputs are perturbed "
                f"by {eps}, but got: shapes {tuple(a.shape)} and {tuple(b.shape)}."
            )
        if a.dtype != b.dtype:
            raise AssertionError(
                "Expected `func` to return outputs with the same dtype when inputs are perturbed "
                f"by {eps}, but got: dtypes {a.dtype} and {b.dtype}."
            )
    return [np.ravel((b - a)._data / (2 * eps)) for a, b in zip(left, right, strict=True)]


def numerical(func: Callable[..., Any], inputs: Any, x: Tensor, eps: float) -> list[Matrix]:
    """Return the Jacobians with respect to `x` of every output, by central differences."""
    columns = []
    for k in range(x._data.size):
        one = np.zeros(x._data.size, x._data.dtype)
        one[k] = eps
        columns.append(slopes(func, inputs, x, one.reshape(x._data.shape), eps))
    if not columns:
        return [np.zeros((0, t._data.size)) for t in as_tuple(func(*inputs))]
    return [np.stack(rows) for rows in zip(*columns, strict=True)]


def back(output: Tensor, inputs: list[Tensor], entering: Any, dtypes: bool) -> list[Any]:
    """Run one backward pass; return the gradient of each input, flat, zeros if unused."""
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
    """Return the Jacobians of one output for every input, by a backward pass per entry."""
    n = output._data.size
    passes = [back(output, inputs, np.eye(n)[k], dtypes) for k in range(n)]
    if not passes:
        return [np.zeros((x._data.size, 0), x._data.dtype) for x in inputs]
    return [np.stack(columns, axis=1) for columns in zip(*passes, strict=True)]
