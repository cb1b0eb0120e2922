"""testing.assert_close says what PyTorch's says.

Read next: graphlab/compat/testing.py
"""

from __future__ import annotations

import pytest

import graphlab
from tests.parity.describe import same_text

torch = pytest.importorskip("torch")

CASES = {
    "same": lambda t: (t.ones(2), t.ones(2)),
    "close": lambda t: (t.ones(2), t.ones(2) + 1e-7),
    "different": lambda t: (t.tensor([1.0, 2.0, 3.0]), t.tensor([1.0, 2.5, 4.0])),
    "double": lambda t: (t.ones(2, 2, dtype=t.float64), t.ones(2, 2, dtype=t.float64) + 1e-6),
    "shape": lambda t: (t.ones(2), t.ones(3)),
    "dtype": lambda t: (t.ones(2), t.ones(2, dtype=t.float64)),
    "integers": lambda t: (t.tensor([1, 2]), t.tensor([1, 3])),
    "0-d": lambda t: (t.tensor(1.0), t.tensor(2.0)),
    "numbers": lambda t: (1.0, 2.0),
    "whole numbers": lambda t: (1, 2),
    "lists": lambda t: ([t.ones(1), t.ones(1)], [t.ones(1), t.zeros(1)]),
    "lengths": lambda t: ([t.ones(1)], [t.ones(1), t.zeros(1)]),
    "mappings": lambda t: ({"a": t.ones(1)}, {"a": t.zeros(1)}),
    "keys": lambda t: ({"a": 1.0}, {"b": 1.0}),
    "nan": lambda t: (t.tensor([float("nan")]), t.tensor([float("nan")])),
    "empty": lambda t: (t.ones(0), t.ones(0)),
    "nothing": lambda t: (None, None),
    "one nothing": lambda t: (t.ones(1), None),
    "bytes": lambda t: (t.tensor([1, 2], dtype=t.uint8), t.tensor([2, 1], dtype=t.uint8)),
    "large integers": lambda t: (t.tensor([2**53 + 1]), t.tensor([2**53])),
    "rounded differences": lambda t: (t.tensor([1.1, 100.1]), t.tensor([1.0, 0.3])),
    "bools": lambda t: (True, False),
    "types of numbers": lambda t: (1, 1.0),
    "text": lambda t: ([1, "a"], [1, "a"]),
    "structure before values": lambda t: ([[1], [2, 3]], [[9], [2]]),
    "inner keys": lambda t: ({"k": {"a": 1}}, {"k": {"b": 1}}),
}


def said(lib, name, **options):
    try:
        lib.testing.assert_close(*CASES[name](lib), **options)
    except (AssertionError, TypeError, ValueError) as error:
        return type(error).__name__, str(error).replace("graphlab.tensor.tensor.", "torch.")
    return None


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_is_that_of_pytorch(name):
    ours, theirs = said(graphlab, name), said(torch, name)
    if theirs is None or ours is None:
        assert ours == theirs
    else:
        assert ours[0] == theirs[0]
        assert same_text(ours[1], theirs[1]), f"\n{ours[1]}\n{theirs[1]}"


@pytest.mark.parametrize(
    "options",
    [
        {"rtol": 0.5, "atol": 0.5},
        {"rtol": 0, "atol": 0},
        {"rtol": 0.1},
        {"atol": 0.1},
        {"msg": "no"},
        {"msg": lambda s: s.upper()},
    ],
)
def test_options_are_taken_as_by_pytorch(options):
    assert said(graphlab, "different", **options) == said(torch, "different", **options)


def test_strides_are_counted_in_entries():
    messages = []
    for lib in (graphlab, torch):
        pair = lib.ones(2, 3), lib.ones(3, 2).double().T
        with pytest.raises(AssertionError, match=r"\(3, 1\) != \(1, 2\)") as error:
            lib.testing.assert_close(*pair, check_stride=True)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_nan_and_types_may_be_equal():
    assert said(graphlab, "nan", equal_nan=True) is None
    assert said(graphlab, "dtype", check_dtype=False) is None


def test_pytest_shows_the_line_of_the_test_and_not_the_inside():
    with pytest.raises(AssertionError) as error:
        graphlab.testing.assert_close(graphlab.ones(2), graphlab.zeros(2))
    assert [entry.path.name for entry in error.traceback.filter(error)] == ["test_assert_close.py"]
