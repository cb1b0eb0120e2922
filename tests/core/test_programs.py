"""Random programs, run with GraphLab and with PyTorch: the same values, gradients or errors.

A program is a list of steps on tensors of shape (2, 3); each makes a new tensor of earlier ones, or
changes one in place. So views, broadcasts, reuse and changes of saved values meet in ways that
nobody thought of.

Read next: tests/core/test_types.py
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab

pytestmark = pytest.mark.torch

ONE = {
    "sin": lambda t, x: x.sin(),
    "tanh": lambda t, x: x.tanh(),
    "sigmoid": lambda t, x: x.sigmoid(),
    "exp of tanh": lambda t, x: x.tanh().exp(),
    "log of square": lambda t, x: (x * x + 1).log(),
    "neg": lambda t, x: -x,
    "cube": lambda t, x: (x * 0.5) ** 3,
    "one less": lambda t, x: 1 - x,
    "one over": lambda t, x: 1 / (x * x + 2),
    "row": lambda t, x: x[0].expand(2, 3),
    "column": lambda t, x: x[:, 1:2] + x * 0.5,
    "rows swapped": lambda t, x: x[[1, 0]],
    # contiguous: which order in memory a result has is each library's own affair
    "reshaped": lambda t, x: (x * 1).t().contiguous().view(2, 3),
    "viewed": lambda t, x: (x * 1).contiguous().view(3, 2).t(),
    "copied": lambda t, x: x.clone(),
    "detached": lambda t, x: x.detach() + x,
    "less its mean": lambda t, x: x - x.mean(1, keepdim=True),
    "over its sum": lambda t, x: x / (x * x).sum().sqrt().exp(),
    "softmax": lambda t, x: t.softmax(x, 1),
    "log softmax": lambda t, x: t.log_softmax(x, 0),
    "largest": lambda t, x: x.max(1, keepdim=True)[0] * x,
    "unbound": lambda t, x: t.stack([x.unbind(1)[2], x.unbind(1)[0], x[:, 1]], 1),
    "without recording": lambda t, x: silent(t, x),
}
TWO = {
    "plus": lambda t, x, y: x + y,
    "minus": lambda t, x, y: x - y,
    "times": lambda t, x, y: x * y,
    "over": lambda t, x, y: x / (y * y + 1),
    "product": lambda t, x, y: (x @ y.t() * 0.3) @ x,
    "maximum": lambda t, x, y: t.maximum(x, y * 1.1 + 0.05),
    "chosen": lambda t, x, y: t.where(x > y, x, y.sin()),
    "joined": lambda t, x, y: t.cat([x[:1], y[1:]]),
    "row times": lambda t, x, y: x[1] * y,
}
IN_PLACE = {
    "add_": lambda t, x, y: x.add_(y),
    "mul_": lambda t, x, y: x.mul_(y),
    "sub_": lambda t, x, y: x.sub_(y.tanh()),
    "+= 1": lambda t, x, y: x.add_(1),
    "*= 0.5": lambda t, x, y: x.mul_(0.5),
    "tanh_": lambda t, x, y: x.tanh_(),
    "sigmoid_": lambda t, x, y: x.sigmoid_(),
}


def silent(t, x):
    with t.no_grad():
        return x * 2


steps = st.lists(
    st.tuples(
        st.sampled_from([*ONE, *TWO]) | st.sampled_from([*ONE, *TWO, *IN_PLACE]),
        st.integers(0, 100),
        st.integers(0, 100),
    ),
    min_size=1,
    max_size=10,
)


def run(lib, program, second):
    """What a program gives: values and gradients, or the error that stops it."""
    leaves = [
        lib.tensor(np.linspace(-1, 1.2, 6).reshape(2, 3), requires_grad=True),
        lib.tensor(np.linspace(0.9, -0.7, 6).reshape(2, 3), requires_grad=True),
    ]
    made = [*leaves, lib.tensor([[0.5, -0.25, 1.0]] * 2, dtype=lib.float64)]
    try:
        for name, i, j in program:
            x, y = made[-1 - i % len(made)], made[-1 - j % len(made)]
            if name in IN_PLACE:
                if x._is_view() or any(x is s for s in leaves):
                    continue  # writing into views is not recorded yet
                IN_PLACE[name](lib, x, y)
            else:
                made.append(ONE[name](lib, x) if name in ONE else TWO[name](lib, x, y))
        out = sum((t * t).sum() for t in made[-3:])
        if not out.requires_grad:
            return [out.item()]
        wanted = leaves
        grads = lib.autograd.grad(out, wanted, create_graph=second, materialize_grads=True)
        if second:
            total = sum((g * g).sum() for g in grads)
            if total.requires_grad:
                more = lib.autograd.grad(total, wanted, materialize_grads=True)
                grads = [*grads, *more]
    except RuntimeError as error:
        # of a view that was changed through its base PyTorch says AsStrided, or what made the base
        return re.sub(r", which is output \d+ of \w+,", "", str(error))
    versions = [t._version for t in made]
    return [out.item(), *[g.detach().tolist() for g in grads], versions]


@settings(max_examples=250)
@given(steps, st.booleans())
def test_a_random_program_gives_pytorchs_values_gradients_and_errors(torch, program, second):
    ours, theirs = run(graphlab, program, second), run(torch, program, second)
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
        return
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        # float64; a dozen operations, each exact to a few units in the last place
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)
