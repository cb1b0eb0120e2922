"""Single steps of formulas, and what they give: the player must compute the same.

`python -m tests.adapters.steps --update` writes tests/fixtures/steps.json: a step a line, its name,
its arguments and the entries of its results. Among the entries are nan, infinities, -0, ties, and
arrays without any entry.

Read next: tests/adapters/test_steps.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphlab.graph.formulas import write_arg
from graphlab.graph.replaying import functions

FIXTURE = Path(__file__).parents[1] / "fixtures" / "steps.json"
INF, NAN = np.inf, np.nan
X = np.array([-INF, -3.5, -2.5, -1, -0.5, -0.0, 0, 0.25, 1, 2, 3, 30, INF, NAN])
ROW = np.array([-INF, -2.5, -1, -0.0, 0, 0.5, 1, 3, INF, NAN])
COLUMN = ROW[:, None]
A = np.array([[3.0, -1, 3, 0.5], [NAN, 2, -2, 2], [-0.0, 0, 1, 1]])  # with ties and a nan
B = np.arange(24.0).reshape(2, 3, 4) - 7
M = np.array([[2.0, -1, 0.5], [0.25, 3, -4]])
BOOLS = np.array([True, False, True, True])
INTS = np.array([3, -2, 0, 7])
EMPTY = np.zeros((0, 3))
ONE = np.array(-1.5)  # of no dimensions

OF_ONE = """
    abs acos acosh asin asinh atan atanh ceil copy cos cosh erf erfc exp exp2 expm1 floor in_order
    isfinite isnan log log10 log1p log2 neg ones_like pos round sigmoid sign sin sinh softplus sqrt
    tan tanh trunc zeros_like
"""
OF_TWO = """
    add atan2 copysign divide_down divide_to_zero eq floordiv fmax fmin fmod ge gt heaviside hypot
    le logaddexp logaddexp2 lt maximum minimum mod mul ne pow power remainder sub truediv xlog1py
    xlogy
"""
I = np.array([[2, 0, 1], [0, 0, 2]])  # noqa: E741
SPANS = (np.array([[0, 1], [1, 2]]), np.array([[0, 1], [2, 3]]))


def calls() -> Iterator[tuple[Any, ...]]:
    """Each step: its name, then its arguments."""
    yield from ((name, X) for name in OF_ONE.split())
    yield from ((name, COLUMN, ROW) for name in OF_TWO.split())
    yield from ((name, x) for name in ("exp", "neg", "sign", "abs") for x in (INTS, EMPTY, ONE))
    yield from ((name, x, y) for name in ("and", "or", "xor", "add", "mul") for x, y in bools())
    yield from ((name, x) for name in ("sum", "prod", "mean", "amax", "amin") for x in (A, ONE))
    yield from ((name, A, (0,), keep) for name in ("sum", "prod", "mean") for keep in (True, False))
    yield from ((name, B, (0, -1)) for name in ("sum", "prod", "amax", "amin"))
    yield from ((name, EMPTY, (0,)) for name in ("sum", "prod"))
    yield from (("sum", x) for x in (BOOLS, INTS, np.linspace(-1, 3, 1000)))
    for dim in (0, 1, -1):
        yield from ((name, A, dim) for name in ("cumsum", "cumprod", "logcumsumexp", "argsort"))
        yield from ((name, A, dim, True) for name in ("argmax", "argmin", "argsort"))
        yield from (("median_places", A, dim, skip) for skip in (True, False))
        yield "safe_softmax", A * 1000, dim
        yield "gather", B[0], dim, I
        yield "put_along", M, (3, 4), dim, I
        yield "scatter", B[0], dim, I, M
        yield "unbind", B, dim
        yield "stack", (M, M * 2), dim
        yield "cat", (M, M), dim % 2
        yield "squeeze", B[:1, :1].reshape(1, 4, 1)[:, :1], dim
        yield "unsqueeze", M, dim
        yield "cross", B.reshape(4, 2, 3)[0], M, -1
    yield from ((name, ONE, 0) for name in ("cumsum", "argsort", "argmax", "squeeze"))
    yield "safe_softmax", np.array([[-INF, -INF], [0, -INF]]), 1
    yield from elementary()
    yield from shapes()
    yield from keys()
    yield from matrices()


def bools() -> tuple[Any, ...]:
    return (BOOLS, BOOLS[::-1]), (BOOLS, True)


def elementary() -> Iterator[tuple[Any, ...]]:
    yield "power", INTS, np.array([2, -1, 3, 0])
    yield "divide_down", INTS, np.array([2, 3, -3, -3])
    yield "remainder", INTS, np.array([2, 3, -3, -3])
    yield "invert", BOOLS
    yield "invert", INTS
    yield "lerp", ROW, COLUMN, 0.25
    yield "lerp", ROW, COLUMN, 0.75
    yield "nan_to_num", X, 0.5, None, -3.0
    yield "where", X > 0, X, 0
    yield "where", X > 0, 1, 2.5
    yield "unless", np.isnan(X), X
    yield "unless", np.array([False]), ONE
    yield "constant", np.array([1.0, 2.0]), X
    yield "zeros_beside", (2, 0, 3), X
    yield "astype", X[1:-2], np.dtype("int64")
    yield "astype", np.array([0.1, 1e300]), np.dtype("float32")
    yield "astype", INTS, np.dtype("bool")
    yield "astype", BOOLS, np.dtype("float64")


def shapes() -> Iterator[tuple[Any, ...]]:
    yield "reshape", B, (4, -1)
    yield "reshape", EMPTY, (3, 0)
    yield "expand", M[:, :1], (4, 2, 3)
    yield "sum_to", B, (1, 4)
    yield "sum_to", B, (3, 4)
    yield "sum_to", B, ()
    yield "permute", B, (2, 0, -2)
    yield "permute", B
    yield "transpose", B, 0, -1
    yield "mT", B
    yield "flip", B, (0, -1)
    yield "roll", B, (1, -2), (0, 2)
    yield "roll", B, (5,), ()
    yield "tile", M, (2, 1, 2)
    yield "tile", B, (3,)
    yield "tril", B
    yield "tril", M, 1
    yield "triu", B, -1
    yield "diagonal", B, 1, 0, 2
    yield "diagonal", B, -1, 1, 2
    yield "put_diagonal", np.array([1.0, 2]), (3, 4), -1, 0, 1
    yield "as_strided", np.arange(6.0), (2, 2), (1, 3), (6, 1, (6,), (1,), 0, None)
    yield "select", B, 1, -1
    yield "getitem", B, 1
    yield "slice_", B, -1, 1, 4, 2
    yield "slice_", B, 0, 5, 9, 1
    yield "put_slice", M, (2, 7), 1, slice(1, 7, 2)
    yield "put_slice", M, (2, 4, 3), 1, 2


def keys() -> Iterator[tuple[Any, ...]]:
    yield "take", B, (np.array([1, -1]),)
    yield "take", B, (None, np.array([[0, 2], [1, 1]]), np.array([0, -1]))
    yield "take", B, (np.array([0, 1]), None, np.array([3, 0]))
    yield "take", B, (BOOLS[:2], None, BOOLS)
    yield "take", M, (M > 0,)
    yield "put_at", B[:, 0], (2, 4), (np.array([0, 0]),)
    yield "put_at", M, (2, 5), (None, np.array([0, -1, 0]))
    yield "put", B, (np.array([0]), None, np.array([1])), 9
    yield "put", M, (None, slice(0, 2, 1)), np.array([[5.0], [6]])
    yield "put", M, (M < 0,), np.array([7.0, 8.0])
    yield "at_dim", 1, INTS, (2, 8)
    yield "scatter", B[0], 1, I, 5.0
    yield "put_along", ONE, (), 0, np.array(0)


def matrices() -> Iterator[tuple[Any, ...]]:
    yield "matmul", M, M.T
    yield "matmul", M, B[0]
    yield "matmul", B, np.arange(4.0)
    yield "matmul", np.arange(3.0), B
    yield "matmul", np.arange(3.0), np.arange(3.0)
    yield "matmul", EMPTY.T, EMPTY
    yield "eye_like", B
    yield "scale_of", B, None
    yield "scale_of", B, 0.5
    image = np.arange(40.0).reshape(1, 2, 4, 5) % 11
    yield "windows", image, (2, 3), (3, 4), (1, 1), (0, 1), (1, 1)
    yield "windows", image, (2, 2), (2, 2), (2, 2), (0,), (1, 1)
    yield "windows", image, (2, 2), (2, 3), (1, 1), (0, 0), (2, 2)
    columns = np.arange(96.0).reshape(1, 8, 12)
    yield "add_windows", columns, (4, 5), (2, 2), (3, 4), (1, 1), (0, 0), (1, 1)
    yield "add_windows", columns[:, :, :4], (4, 5), (2, 2), (2, 2), (2, 3), (1, 1), (1, 1)
    yield "constant_pad", M, (1, -1, 0, 2), 0.5
    yield "constant_pad", M, (-1, 0), INF
    yield "largest", np.array([[[1.0, 5, 5, 2], [NAN, 0, 1, 5], [3, 3, 3, 3]]]), SPANS
    place, weight = np.array([[0, 1], [1, 2]]), np.array([[0.75, 0.25], [0, 1]])
    yield "resample", A, 0, place, weight
    yield "resample_back", A[:2], 3, 0, place, weight


def fixture_text() -> str:
    """The fixture as committed."""
    with np.errstate(all="ignore"):
        lines = [json.dumps(case_of(*call), separators=(",", ":")) for call in calls()]
    return "[\n" + ",\n".join(dict.fromkeys(lines)) + "\n]\n"


def case_of(name: str, *args: Any) -> dict[str, Any]:
    found = functions()[name](*args)
    parts = found if isinstance(found, tuple | list) else (found,)
    results = [None if part is None else write_arg(np.asarray(part)) for part in parts]
    return {"step": [name, *map(write_arg, args)], "results": results}


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.adapters.steps --update")
    FIXTURE.write_text(fixture_text(), encoding="utf-8")
