"""Every sample beside PyTorch, live: values, gradients, the graph, and what its nodes have saved.

Read next: tests/core/test_engine.py
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import graphlab
from tests.core.samples import KINKS, REFUSED, SAMPLES, name_of
from tests.parity.compare import compare_graph
from tests.parity.describe import graph

pytestmark = pytest.mark.torch
TYPES = ["float32", "float64"]
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=name_of)

# float32 carries 7 digits, float64 16; sums of a few dozen entries lose one or two
CLOSE = {"float32": {"rtol": 2e-5, "atol": 2e-6}, "float64": {"rtol": 1e-12, "atol": 1e-13}}

COARSE = {
    "hardsigmoid",  # PyTorch multiplies by a 1/6 of float32, whatever the type
    "digamma", "polygamma",  # its trigamma function is off by 1e-9
}  # fmt: skip

# what PyTorch's nodes show and ours do not, or the other way round: "Node.attribute" -> why
KNOWN: dict[str, str] = {}


def run(lib, sample, dtype):
    """The tensors that a sample is given, and all that it makes."""
    inputs = sample.tensors(lib, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch warns about lists as indices
        result = sample.call(lib, *inputs)
    return inputs, [*result] if isinstance(result, tuple | list) else [result]


def backward(lib, outputs):
    """Send 1, 2, 3, ... back, so that no two entries can be mistaken for each other."""
    roots = [t for t in outputs if t.requires_grad]
    grads = [(lib.arange(t.numel()) + 1).reshape(t.shape).to(t.dtype) for t in roots]
    lib.autograd.backward(roots, grads)


def entries(t):
    """The entries, also of PyTorch's tensors of zeros that have no memory."""
    empty = hasattr(t, "_is_zerotensor") and t._is_zerotensor()
    return np.zeros(tuple(t.shape)) if empty else t.tolist()


def numbers(t):
    if t is not None and hasattr(t, "_is_zerotensor") and t._is_zerotensor():
        return np.zeros(tuple(t.shape), str(t.dtype).removeprefix("torch."))
    return None if t is None else t.detach().numpy()


def assert_close(ours, theirs, dtype):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, **CLOSE[dtype], equal_nan=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sample", [*SAMPLES, *KINKS], ids=name_of)
def test_values_and_gradients_are_pytorchs(sample, dtype, torch):
    (xs, ours), (ys, theirs) = run(graphlab, sample, dtype), run(torch, sample, dtype)
    close = "float32" if sample.op in COARSE else dtype
    for a, b in zip(ours, theirs, strict=True):
        assert_close(numbers(a), numbers(b), close)
        assert a.requires_grad == b.requires_grad
    backward(graphlab, ours)
    backward(torch, theirs)
    for x, y in zip(xs, ys, strict=True):
        assert_close(numbers(x.grad), numbers(y.grad), close)


@pytest.mark.parametrize("sample", REFUSED, ids=name_of)
def test_values_without_a_derivative_are_pytorchs(sample, torch):
    def outcome(lib):
        _, (out,) = run(lib, sample, "float32")
        with pytest.raises(RuntimeError, match="derivative") as error:
            out.sum().backward()
        return out.tolist(), str(error.value)

    assert outcome(graphlab) == outcome(torch)


TRIGAMMA = {"lgamma", "mvlgamma", "digamma", "polygamma"}
NO_SECOND = {
    "weight_norm_interface": "PyTorch takes the saved length for a constant: gradgradcheck fails",
} | dict.fromkeys(
    (
        *("hardsigmoid", "cdist", "scaled_dot_product_flash_attention_for_cpu", "embedding_bag"),
        *("multi_margin_loss", "multilabel_margin_loss"),
    ),
    "PyTorch has no second derivative of it",
)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.op not in NO_SECOND], ids=name_of)
def test_second_gradients_are_pytorchs(sample, torch):
    def second(lib):
        inputs, outputs = run(lib, sample, "float64")
        wanted = [x for x in inputs if x.requires_grad]
        roots = [t for t in outputs if t.requires_grad]
        first = lib.autograd.grad(
            roots, wanted, [lib.ones_like(t) for t in roots], create_graph=True, allow_unused=True
        )
        again = [g for g in first if g is not None and g.requires_grad]
        if not again:
            return None
        total = sum((g * g).sum() for g in again)
        if not total.requires_grad:
            return None
        return lib.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True)

    ours, theirs = second(graphlab), second(torch)
    if ours is None or theirs is None:  # linear: a library may see that, or give zeros
        assert not any(np.any(entries(g)) for g in ours or theirs or ())
        return
    for a, b in zip(ours, theirs, strict=True):
        rtol = 1e-7 if sample.op in TRIGAMMA else 1e-10
        np.testing.assert_allclose(entries(a), entries(b), rtol=rtol, atol=1e-10)


def differences(sample, torch) -> list[str]:
    """How the graphs differ: names, saved attributes and their values, next_functions."""
    made = []
    for lib in (torch, graphlab):
        inputs, outputs = run(lib, sample, "float32")
        labels = {id(t): f"input {i}" for i, t in enumerate(inputs)}
        roots = [t.grad_fn for t in outputs if t.requires_grad]
        seen, keep = {}, []
        made.append([graph(fn, labels, seen, keep) for fn in roots])
    theirs, ours = made
    assert len(theirs) == len(ours)
    return [d for a, b in zip(theirs, ours, strict=True) for d in compare_graph(a, b, "")]


def place(difference: str) -> str:
    """The "Node.attribute" at which two graphs differ."""
    return difference.split(":")[0].split("].")[-1]


@each_sample
def test_the_graph_and_what_it_saved_are_pytorchs(sample, torch):
    found = differences(sample, torch)
    if sample.differs:
        assert found, f"{name_of(sample)}: the graphs are the same now, take `differs` away"
    else:
        assert [d for d in found if place(d) not in KNOWN] == []


def test_the_list_of_known_differences_holds_nothing_that_is_gone(torch):
    found = {place(d) for s in SAMPLES if not s.differs for d in differences(s, torch)}
    assert set(KNOWN) <= found


@pytest.mark.parametrize("of_source", [False, True])
@pytest.mark.parametrize("name", ["index_add", "index_copy"])
def test_the_source_is_saved_for_its_own_gradient_alone(name, of_source, torch):
    def seen(lib):
        x, source = lib.ones(3, requires_grad=not of_source), lib.ones(2, requires_grad=of_source)
        y = getattr(x, name)(0, lib.tensor([0, 2]), source)
        return y.grad_fn._saved_source is None, y.grad_fn._saved_dim, y.grad_fn._saved_source_dim

    assert seen(graphlab) == seen(torch)


NAN, INF = float("nan"), float("inf")
CORNERS = {
    "igamma": lambda t, x: t.igamma(x.detach()[:, None], x.detach()) * x,
    "igammac": lambda t, x: t.igammac(x.detach()[:, None], x.detach()) * x,
    "a triangular system of two types": lambda t, x: t.linalg.solve_triangular(
        x[2:3, None], x[2:3, None].double(), upper=True
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CORNERS)
def test_nan_and_other_types_pass_through_as_in_pytorch(name, torch):
    def seen(lib):
        x = lib.tensor([NAN, 0.0, 2.0, INF], requires_grad=True)
        y = CORNERS[name](lib, x)
        y.sum().backward()
        return y.detach().numpy(), x.grad.numpy()

    for ours, theirs in zip(seen(graphlab), seen(torch), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)
