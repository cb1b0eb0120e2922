"""Numbers and arrays with the text that graph/value.py writes for them.

`python -m tests.graph.valuetexts --update` writes tests/fixtures/valuetexts.json.

Read next: tests/graph/test_value.py
"""

from __future__ import annotations

import base64
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from graphlab.graph.codec import encode
from graphlab.graph.events.event import told
from graphlab.graph.value import number_text, summarise

FIXTURE = Path(__file__).parents[1] / "fixtures" / "valuetexts.json"
DIGITS = (5, 4, 3)


def some_numbers() -> list[float]:
    """Numbers at the edges of their notation, and others of every size."""
    drawn = np.random.default_rng(14)
    edges = [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 2.2e-308, 1.7976931348623157e308]
    # %g begins to write an exponent at 1e-5 and, with 5 digits, at 1e5
    edges += [sign * 10.0**p * m for sign in (1, -1) for p in range(-7, 8) for m in (1, 9.99995)]
    edges += [9.99995e-5, 99999.4999, 99999.5, 99999.6, 9999.95, 999.95, 0.000099999, 1e22, 1e23]
    # halves that are exact in binary go to the even digit; others to the nearer one
    edges += [12344.5, 12345.5, -12344.5, 1234.25, 1234.75, 1233.75, 0.5, 2.5, 100.125, 100.375]
    edges += [1.00005, 1.00015, 0.123455, 2.675, 1.0005, 0.12345, 3.0000152587890625e-05]
    edges += [k + 0.5 for k in range(10_000, 10_020)] + [k / 8 + 1000 for k in range(24)]
    # from decimal digits: powers of NumPy differ in the last bit from processor to processor
    drawn_digits = zip(
        drawn.integers(-(10**16), 10**16, 250), drawn.integers(-25, -6, 250), strict=True
    )
    sizes = [float(f"{digits}e{exponent}") for digits, exponent in drawn_digits]
    singles = [float(np.float32(size)) for size in sizes[150:]]
    return [*edges, *sizes[:150], *singles, *np.arange(-6, 7).astype(float).tolist()]


def some_arrays() -> list[np.ndarray]:
    """Arrays of all shapes, types and sizes of text."""
    drawn = np.random.default_rng(15)
    shapes = [(), (1,), (2,), (3,), (5,), (6,), (200,), (201,), (2, 3), (1, 1), (3, 2), (20, 20)]
    shapes += [(0,), (0, 3), (2, 0), (3, 4, 5), (9, 4, 3, 6), (2, 3, 50, 7), (4, 1, 1, 100)]
    made = [drawn.normal(1, 3, shape).astype(np.float32) for shape in shapes]
    made += [drawn.normal(0, 1, shape) for shape in ((), (4,), (2, 2), (7, 9))]
    made += [np.arange(n) for n in (3, 5, 30)] + [np.arange(12).reshape(3, 4) - 5]
    made += [np.array(x) for x in ([True, False], True, [[True, True, False]] * 3, 7, -3)]
    made += [np.zeros((3, 4)), np.ones((3, 3)), np.full((4, 2), -0.0), np.full(4, 1e-30)]
    odd = drawn.normal(0, 1, (3, 4)).astype(np.float32)
    odd[0, :2], odd[1, 0], odd[2, 3] = np.nan, np.inf, -np.inf
    made += [odd, np.full((2, 4), np.nan), np.array([1e300, -1e300, 1e299]), np.array([5e-324] * 2)]
    made += [np.array([1234.5, 2.0, -3.25e-7]), np.array([123456.0] * 3), np.array([0.1] * 9)]
    made += [np.where(drawn.random((9, 9)) < 0.5, 0, odd[2, 2]), np.arange(7.0), np.eye(3)]
    return [np.asarray(array) for array in made]


def fixture_text() -> str:
    """What is committed: numbers with texts, arrays with Values and what is told."""
    numbers = [[repr(x), *(number_text(x, digits) for digits in DIGITS)] for x in some_numbers()]
    arrays: list[dict[str, Any]] = []
    for array in some_arrays():
        value = summarise(array)
        spans = told(value, "after")
        data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        held = {"dtype": array.dtype.name, "shape": list(array.shape), "data": data}
        arrays.append({"array": held, "value": encode(value), "told": encode(spans)})
    listed = [",\n".join(json.dumps(one) for one in part) for part in (numbers, arrays)]
    return f'{{"numbers": [\n{listed[0]}\n], "arrays": [\n{listed[1]}\n]}}\n'


if __name__ == "__main__":
    if "--update" in sys.argv:
        FIXTURE.write_text(fixture_text(), encoding="utf-8")
