"""A Jacobian in two ways: by difference quotients, and by backward passes.

A column comes from a small change of one entry of the input in both directions,
(f(x + eps) - f(x - eps)) / (2 eps), which uses no derivative rule. A row comes from one backward
pass, for one entry of the output.

Read next: autograd/gradcheck_comparisons.py
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphlab.autograd.backward import grad
from graphlab.autograd.edges import as_tuple
from graphlab.common.dtypes import find
from graphlab.common.errors import GradcheckError
from graphlab.tensor.tensor import Tensor, wrap

Matrix = np.ndarray  # (entries of an input, entries of an output)


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
        [np.array(t._data) for t in as_tuple(func(*inputs))] for _ in moved(x, by)
    )  # fmt: skip
    for a, b in zip(left, right, strict=True):
        if a.shape != b.shape:
            raise AssertionError(
                "Expected `func` to return outputs with the same shape when inputs are perturbed "
                f"by {eps}, but got: shapes {a.shape} and {b.shape}."
            )
        if a.dtype != b.dtype:
            raise AssertionError(
                "Expected `func` to return outputs with the same dtype when inputs are perturbed "
                f"by {eps}, but got: dtypes {find(a.dtype)} and {find(b.dtype)}."
            )
    return [((b - a) / (2 * eps)).reshape(-1) for a, b in zip(left, right, strict=True)]


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
