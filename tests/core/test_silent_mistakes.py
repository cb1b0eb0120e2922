"""Calls that once gave a wrong result without a word, beside PyTorch.

Read next: tests/core/test_corners.py
"""

from __future__ import annotations

import math
import sys
from contextlib import suppress

import numpy as np
import pytest

import graphlab

INTEGERS = ["uint8", "int16", "int32", "int64"]


def same(call, torch):
    """Compare what a call prints with both libraries, in the same state of chance."""
    said = []
    for library in (graphlab, torch):
        library.manual_seed(0)
        said.append(repr(call(library)))
    assert said[0] == said[1]


# -- memory -------------------------------------------------------------------------------------

MOVED = {
    "flip": lambda t, x: x.flip(0),
    "flip of no dimension": lambda t, x: x.flip(()),
    "fliplr": lambda t, x: x.fliplr(),
    "flipud": lambda t, x: x.flipud(),
    "rot90 by nothing": lambda t, x: x.rot90(4),
    "roll by nothing": lambda t, x: x.roll(0),
    "pixel_shuffle": lambda t, x: t.nn.functional.pixel_shuffle(x[None], 1),
    "pixel_unshuffle": lambda t, x: t.nn.functional.pixel_unshuffle(x[None], 1),
    "channel_shuffle": lambda t, x: t.nn.functional.channel_shuffle(x[None, None], 1),
    "repeat": lambda t, x: x.repeat(1, 1),
    "tril": lambda t, x: x.tril(5),
    "pad": lambda t, x: t.nn.functional.pad(x, (0, 0)),
    "interpolate": lambda t, x: t.nn.functional.interpolate(x[None], scale_factor=1, mode="linear"),
    "cumsum": lambda t, x: x[:1].cumsum(0),
    "clamp": lambda t, x: x.clamp(max=9.0),
    "diff": lambda t, x: x.diff(n=0),
    "chain_matmul": lambda t, x: t.linalg.multi_dot([x, t.eye(2)]),
}


@pytest.mark.parametrize("name", MOVED)
def test_moved_entries_have_memory_of_their_own(name):
    x = graphlab.arange(4.0).reshape(2, 2).requires_grad_()
    with graphlab.no_grad():
        MOVED[name](graphlab, x).mul_(10)
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]


F = graphlab.nn.functional
ARGUMENTS = {
    "x[i]": (lambda x, i: x[i], graphlab.tensor([1, 0, 1])),
    "x[mask]": (lambda x, mask: x[mask], graphlab.tensor([True, False])),
    "gather": (lambda x, i: x.gather(0, i), graphlab.tensor([[1, 0, 1]])),
    "index_put": (lambda x, i: x.index_put((i,), graphlab.zeros(3)), graphlab.tensor([1])),
    "masked_fill": (lambda x, mask: x.masked_fill(mask, 2.0), graphlab.tensor([True, False, True])),
    "embedding": (lambda x, i: F.embedding(i, x), graphlab.tensor([1, 0, 1])),
    "embedding_bag": (
        lambda x, i: F.embedding_bag(i, x, graphlab.tensor([0, 1])),
        graphlab.tensor([1, 0, 1]),
    ),
    "offsets": (
        lambda x, begins: F.embedding_bag(graphlab.tensor([1, 0, 1]), x, begins),
        graphlab.tensor([0, 1]),
    ),
    "cross_entropy": (lambda x, target: F.cross_entropy(x, target), graphlab.tensor([1, 2])),
    "mse_loss": (lambda x, target: F.mse_loss(x, target), graphlab.ones(2, 3)),
    "linear": (lambda x, weight: F.linear(x, weight), graphlab.ones(2, 3)),
    "prelu": (lambda x, weight: F.prelu(-x, weight), graphlab.tensor([0.25])),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_gradient_is_that_of_the_arguments_as_they_were(name):
    function, argument = ARGUMENTS[name]
    x = graphlab.arange(6.0).reshape(2, 3).requires_grad_()
    function(x, argument.clone()).square().sum().backward()
    right, x.grad = x.grad, None
    changed = argument.clone()
    y = function(x, changed)
    changed.zero_()
    with suppress(graphlab.common.errors.ModifiedInPlaceError):
        y.square().sum().backward()
    assert x.grad is None or x.grad.equal(right)


def test_a_leaf_that_gets_a_dimension_gets_a_gradient_of_its_new_shape():
    x = graphlab.ones(3, requires_grad=True)
    y = (x * 2).sum()
    with graphlab.no_grad():
        x.unsqueeze_(0)
    y.backward()
    assert x.grad.shape == x.shape == (1, 3)


@pytest.mark.parametrize("name", ["t_", "transpose_"])
def test_a_leaf_that_is_transposed_gets_no_gradient_of_another_shape(name):
    x = graphlab.ones(1, 3, requires_grad=True)
    y = (x * 2).sum()
    with graphlab.no_grad():
        getattr(x, name)(*([0, 1] if name == "transpose_" else []))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        y.backward()


@pytest.mark.parametrize("name", ["t_", "unsqueeze_"])
def test_a_gradient_of_another_shape_is_not_added_to_an_earlier_one(name):
    x = graphlab.ones(1, 3, requires_grad=True)
    (x * 3).sum().backward()
    with graphlab.no_grad():
        getattr(x, name)(*([0] if name == "unsqueeze_" else []))
    with pytest.raises(RuntimeError, match=r"output with shape \[1, 3\] doesn't match"):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0, 3.0]]


@pytest.mark.torch
@pytest.mark.parametrize("key", [slice(2), slice(1), 0])
@pytest.mark.parametrize("options", [{}, {"create_graph": True}])
@pytest.mark.parametrize("is_leaf", [True, False])
def test_a_view_that_was_made_without_recording_is_no_root(key, options, is_leaf, torch):
    def said(t):
        x = t.ones(3, requires_grad=True)
        x = x if is_leaf else x * 1
        with t.no_grad():
            view = x[key]
        with pytest.raises(RuntimeError, match="element 0 of tensors") as caught:
            view.backward(t.ones_like(view) if view.numel() > 1 else None, **options)
        return str(caught.value)

    assert said(graphlab) == said(torch)


# -- an index of 0 dimensions --------------------------------------------------------------------


def at_one(t):
    return t.zeros(3), t.tensor(1), t.tensor(5.0)


ALONE = {
    "scatter_": lambda t, x, i, v: x.scatter_(0, i, v),
    "scatter_ a row": lambda t, x, i, v: x.scatter_(0, i, t.tensor([5.0, 6.0])),
    "scatter_ a number": lambda t, x, i, v: x.scatter_(0, i, 5.0),
    "scatter_add_": lambda t, x, i, v: x.scatter_add_(0, i, v),
    "scatter_reduce": lambda t, x, i, v: x.scatter_reduce(0, i, v, "sum"),
    "scatter_reduce mean": lambda t, x, i, v: x.scatter_reduce(0, i, v, "mean"),
    "gather": lambda t, x, i, v: x.gather(0, i),
    "gather from one": lambda t, x, i, v: v.gather(0, t.tensor([0, 0])),
    "scatter into one": lambda t, x, i, v: v.scatter(0, t.tensor([0]), t.tensor([2.0])),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", ALONE)
def test_an_index_of_0_dimensions_names_one_entry(name, torch):
    same(lambda t: ALONE[name](t, *at_one(t)), torch)


@pytest.mark.torch
def test_the_gradient_of_one_entry_goes_back_to_it(torch):
    def call(t):
        x, y = t.ones(3, requires_grad=True), t.tensor(2.0, requires_grad=True)
        x.gather(0, t.tensor(1)).backward()
        y.gather(0, t.tensor([0, 0])).sum().backward()
        return x.grad, y.grad

    same(call, torch)


def test_the_gradient_of_no_entries_is_0():
    x = graphlab.ones(1, 2, 3, 4, requires_grad=True)
    x.gather(0, graphlab.empty(0, dtype=graphlab.int64)).sum().backward()
    assert x.grad.abs().sum() == 0
    x = graphlab.ones(0, 0, requires_grad=True)
    index = graphlab.empty(0, 0, dtype=graphlab.int64)
    graphlab.ones(0).scatter_reduce(0, index, x, "prod").sum().backward()
    assert x.grad.shape == (0, 0)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
def test_a_byte_is_a_mask(torch):
    for n in (0, 1):
        same(lambda t: t.arange(3)[t.tensor(n, dtype=t.uint8)], torch)  # noqa: B023


# -- types --------------------------------------------------------------------------------------


@pytest.mark.torch
@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "nansum"])
@pytest.mark.parametrize("kind", [*INTEGERS, "float64"])
@pytest.mark.parametrize("source", ["int64", "bool", "float32"])
def test_a_reduction_has_the_type_that_is_asked_for(name, kind, source, torch):
    dim = [0] if name.startswith("cum") else []

    def call(t):
        x = t.tensor([1, 2, 300]).to(getattr(t, source))
        return getattr(x, name)(*dim, dtype=getattr(t, kind))

    same(call, torch)


def test_a_running_sum_cannot_be_of_bools():
    with pytest.raises(NotImplementedError, match='"cumsum_out_cpu" not implemented for'):
        graphlab.arange(3).cumsum(0, dtype=graphlab.bool)


MADE = {
    "ones": lambda t, out: t.ones(2, 3, out=out),
    "zeros": lambda t, out: t.zeros(2, 3, out=out),
    "full": lambda t, out: t.full((2, 3), 7.5, out=out),
    "arange": lambda t, out: t.arange(0, 3, 0.5, out=out),
    "linspace": lambda t, out: t.linspace(0, 5, 6, out=out),
    "logspace": lambda t, out: t.logspace(0, 1, 6, out=out),
    "eye": lambda t, out: t.eye(2, 3, out=out),
    "randint": lambda t, out: t.randint(0, 9, (2, 3), out=out),
    "randperm": lambda t, out: t.randperm(6, out=out),
    "rand": lambda t, out: t.rand(2, 3, out=out),
    "randn": lambda t, out: t.randn(2, 3, out=out),
    "normal": lambda t, out: t.normal(0.0, 1.0, (2, 3), out=out),
    "range": lambda t, out: t.range(0, 5, out=out),
}
COUNTED = ("arange", "linspace", "logspace", "range")


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "int32"])
@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("name", MADE)
def test_what_is_made_is_written_into_out(name, kind, torch):
    if name in ("rand", "randn", "normal") and kind.startswith("int"):
        pytest.skip("not for integers")

    def call(t):
        shape = (6,) if name in (*COUNTED, "randperm") else (2, 3)
        if name == "arange" and kind == "int64":
            return None  # its step would be 0
        out = t.zeros(shape, dtype=getattr(t, kind))
        made = MADE[name](t, out)
        return made is out, out

    same(call, torch)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("name", COUNTED)
def test_counted_numbers_fill_out_in_its_own_shape(name, torch):
    def call(t):
        out = t.zeros(2, 3, dtype=t.float64)
        place = out.data_ptr()
        return MADE[name](t, out), out.data_ptr() == place

    same(call, torch)


def test_out_of_another_type_than_dtype_is_refused():
    with pytest.raises(RuntimeError, match="dtype Double does not match dtype of out parameter"):
        graphlab.ones(2, out=graphlab.ones(2), dtype=graphlab.float64)


@pytest.mark.torch
@pytest.mark.parametrize("bound", [-1, -255, 3, 255])
def test_the_bounds_of_a_clamp_have_its_type(bound, torch):
    def call(t):
        x = t.tensor([1, 5], dtype=t.uint8)
        return x.clamp_max(bound), x.clamp_min(bound), x.clamp(max=bound), x.clamp(min=bound)

    same(call, torch)


def test_a_bound_beyond_the_type_is_refused():
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        graphlab.tensor([1], dtype=graphlab.uint8).clamp_max(256)


# -- float16 --------------------------------------------------------------------------------------

LARGE = [0.5, -3.0, 300.0, -300.0, 60000.0, -60000.0, 12.3456]
HALF = {
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "gelu by tanh": lambda t, x: t.nn.functional.gelu(x, approximate="tanh"),
    "rms_norm": lambda t, x: t.nn.functional.rms_norm(x, (7,)),
    "rms_norm of small numbers": lambda t, x: t.nn.functional.rms_norm(x[:2] / 8, (2,)),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (7,)),
    "round": lambda t, x: x.round(decimals=3),
    "mean": lambda t, x: x.mean(),
    "lerp": lambda t, x: x.lerp(-x, 0.5),
    "lerp by a tensor": lambda t, x: x.lerp(-x, t.full_like(x, 0.5)),
    "ldexp": lambda t, x: (x / 256 / 256).ldexp(t.tensor(16)),
    "frexp": lambda t, x: x.frexp().mantissa,
}


@pytest.mark.torch
@pytest.mark.parametrize("name", HALF)
def test_float16_does_not_overflow_on_the_way(name, torch):
    def call(t):
        x = t.tensor(LARGE, dtype=t.float16, requires_grad=True)
        y = HALF[name](t, x)
        y.sum().backward()
        return np.array(y.tolist()), np.array(x.grad.tolist())

    ours, theirs = call(graphlab), call(torch)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=1e-4)  # float16 has 3 digits


# -- chance ---------------------------------------------------------------------------------------

DRAWN = {
    "rand_like": lambda t, x: t.rand_like(x),
    "randn_like": lambda t, x: t.randn_like(x),
    "randint_like": lambda t, x: t.randint_like(x, 9),
    "dropout": lambda t, x: t.nn.functional.dropout(x),
    "alpha_dropout": lambda t, x: t.nn.functional.alpha_dropout(x, training=True),
    "multinomial": lambda t, x: t.multinomial(x, 2),
    "bernoulli": lambda t, x: t.bernoulli(x / 2),
    "normal_": lambda t, x: x.normal_(),
}


@pytest.mark.torch
def test_the_numbers_of_channels_lie_row_by_row(torch):
    def call(t):
        return t.nn.functional.feature_alpha_dropout(t.ones(5, 4).t(), training=True)

    same(call, torch)


@pytest.mark.torch
def test_the_mantissa_of_the_largest_numbers_is_finite(torch):
    same(lambda t: t.frexp(t.tensor([3e38, -1e-45, 0.0, math.inf])), torch)


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(2, 3), (5, 7)])
@pytest.mark.parametrize("name", DRAWN)
def test_memory_is_filled_in_its_own_order(name, shape, torch):
    same(lambda t: DRAWN[name](t, t.ones(shape).t()), torch)


# -- without end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.inf, -math.inf])
def test_singular_values_beside_an_infinity_are_nan(bad):
    A = graphlab.arange(25.0).reshape(5, 5) ** 2
    A[1, 1] = bad
    assert graphlab.linalg.svdvals(A).isnan().all()
    assert graphlab.linalg.matrix_rank(A) == 0
    assert graphlab.linalg.lstsq(A, graphlab.ones(5, 1)).solution.shape == (5, 1)
    assert graphlab.linalg.svdvals(graphlab.stack([A, graphlab.eye(5)]))[1].tolist() == [1.0] * 5


def steps(call) -> int:
    """Count the steps of Python functions and generators in a call."""
    seen = [0]

    def count(frame, event, arg):
        seen[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(before)
    return seen[0]


def test_the_steps_of_joining_integers_grow_with_their_number():
    few, many = ([graphlab.tensor([n]) for n in range(size)] for size in (100, 400))
    graphlab.cat(few)
    assert steps(lambda: graphlab.cat(many)) < 5 * steps(lambda: graphlab.cat(few))


def test_index_add_refuses_a_source_in_its_own_memory():
    x = graphlab.ones(2, 3)
    for source in (x[:1], x[1:]):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            x.index_add_(0, graphlab.tensor([0]), source)
    assert x.tolist() == [[1.0] * 3] * 2


def test_a_window_takes_the_parameters_of_its_formula_alone():
    with pytest.raises(TypeError, match="takes beta only together with alpha"):
        graphlab.hamming_window(4, beta=0.2)  # it is not alpha
    with pytest.raises(TypeError, match="has 0 parameters of its formula, but got 1"):
        graphlab.hann_window(4, True, 0.2)
    for window in (graphlab.hann_window, graphlab.kaiser_window):
        with pytest.raises(TypeError, match="unexpected keyword argument 'alpha'"):
            window(4, alpha=0.2)
    with pytest.raises(RuntimeError, match="expects floating point dtypes"):
        graphlab.hann_window(4, dtype=graphlab.int64)
    assert graphlab.hamming_window(2, True, 0.5, beta=0.5).tolist() == [0, 1]
