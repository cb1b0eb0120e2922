"""Reductions over every dim there is and is not, of 0-d, empty and other tensors, beside PyTorch.

Read next: tests/core/test_expressions.py
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import graphlab

pytestmark = pytest.mark.torch
SHAPES = [(), (0,), (2, 0), (0, 3), (3,), (2, 3), (1, 1)]
DIMS = [None, 0, 1, -1, -2, 2, -3, (0,), (0, 1), (), (0, 0), (0, -2)]
KEEPING = {
    "sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "var", "std", "var_mean",
    "std_mean", "median", "nanmedian", "mode", "nansum", "nanmean", "logsumexp", "all", "any",
    "aminmax", "norm", "quantile", "nanquantile", "kthvalue",
}  # fmt: skip
OTHERS = {
    "prod", "count_nonzero", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "softmax",
    "log_softmax", "sort", "argsort", "diff", "unique", "unique_consecutive",
}  # fmt: skip
MORE = {"kthvalue": (1,), "quantile": (0.3,), "nanquantile": (0.3,)}
REFUSED = {"unique", "unique_consecutive"}  # no derivative

# PyTorch asks other questions first, or none, where there is no entry or no dim at all
QUIRKS = {
    **dict.fromkeys(("cummax", "cummin", "softmax", "log_softmax"), "empty: dims are not checked"),
    **dict.fromkeys(("amax", "amin"), "empty: sizes are checked before dims"),
    **dict.fromkeys(("var", "std", "var_mean", "std_mean", "logsumexp"), "(): other gradients"),
}


def outcome(lib, name, shape, dim, keepdim):
    """Shapes, types, entries and the gradient of a reduction, or the name of the error."""
    entries = np.linspace(-1, 2, int(np.prod(shape))).reshape(shape).astype(np.float32)
    x = lib.tensor(entries, requires_grad=True)
    options = {"keepdim": True} if keepdim else {}
    options |= {} if dim is None else {"dim": dim}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = getattr(lib, name)(x, *MORE.get(name, ()), **options)
    except (IndexError, RuntimeError, TypeError) as error:
        return type(error).__name__
    parts = result if isinstance(result, tuple) else (result,)
    made = [(tuple(t.shape), str(t.dtype), t.detach().double().numpy()) for t in parts]
    roots = [t for t in parts if t.requires_grad and name not in REFUSED]
    if roots:
        lib.autograd.backward(roots, [lib.ones_like(t) for t in roots])
    return [*made, None if x.grad is None else ((), "", x.grad.numpy())]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", sorted(KEEPING | OTHERS))
def test_a_reduction_of_any_dim_gives_or_raises_what_it_does_in_pytorch(torch, name, shape):
    for dim, keepdim in itertools.product(DIMS, (False, True)):
        if keepdim and name not in KEEPING:
            continue
        if name in ("sum", "mean") and keepdim and dim is None:
            continue  # PyTorch wants a dim beside keepdim; the rules of others do not
        if name in QUIRKS and (0 in shape or dim == ()):
            continue
        ours = outcome(graphlab, name, shape, dim, keepdim)
        theirs = outcome(torch, name, shape, dim, keepdim)
        if isinstance(dim, tuple) and "TypeError" in (theirs, ours):
            assert isinstance(ours, str), (dim, keepdim)  # the order of the checks may differ
            continue
        assert isinstance(ours, str) == isinstance(theirs, str), (dim, keepdim, ours, theirs)
        if isinstance(ours, str):
            assert ours == theirs, (dim, keepdim)
            continue
        for a, b in zip(ours, theirs, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert a[:2] == b[:2], (dim, keepdim)
                np.testing.assert_allclose(a[2], b[2], rtol=1e-5, atol=1e-6, err_msg=str(dim))


@pytest.mark.parametrize("entries", [3, 16, 33, 100, 257, 1000])
def test_equal_rows_have_equal_sums(entries):
    row = graphlab.linspace(-1.0, 2.0, entries).sin()
    for rows in (2, 3, 5, 8, 16, 33):
        for sums in (row.repeat(rows, 1).sum(1), row.repeat(rows, 1).softmax(1)[:, 0]):
            assert (sums == sums[0]).all()
