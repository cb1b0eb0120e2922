"""Dual numbers: a value together with its change in one direction.

Read next: graphlab/autograd/forward_ad.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab
from graphlab.autograd import forward_ad

# PyTorch compiles some of its own rules, and warns of that
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

FUNCTIONS = {
    "products": lambda lib, x, w: (x * x * w).sin(),
    "a matrix": lambda lib, x, w: lib.outer(x, w) @ x,
    "reductions": lambda lib, x, w: lib.softmax(x, 0).logsumexp(0) + x.std(),
    "views": lambda lib, x, w: lib.stack([x[1:].exp(), w[:-1]]).T,
    "a linear function": lambda lib, x, w: 3 * x + w,
}


def unpacked(lib, function, both):
    """The value and the tangent of a function of one or two dual tensors."""
    fwd = lib.autograd.forward_ad
    x, w = lib.tensor([0.5, 1.0, 2.0]), lib.tensor([1.0, -1.0, 0.5])
    with fwd.dual_level():
        dual = fwd.make_dual(x, lib.tensor([1.0, 2.0, -1.0]))
        other = fwd.make_dual(w, lib.ones(3)) if both else w
        value, tangent = fwd.unpack_dual(function(lib, dual, other))
    return value.tolist(), tangent.tolist(), value.requires_grad or tangent.requires_grad


@pytest.mark.torch
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_tangents_are_pytorchs(function, both, torch):
    import torch.autograd.forward_ad

    ours, theirs = (unpacked(lib, function, both) for lib in (graphlab, torch))
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-5)  # float32
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5)
    assert ours[2] is theirs[2] is False


def test_a_tangent_is_the_jacobian_times_the_direction():
    x, t = graphlab.tensor([1.0, 2.0]), graphlab.tensor([1.0, 0.5])
    with forward_ad.dual_level():
        found = forward_ad.unpack_dual(forward_ad.make_dual(x, t) ** 3).tangent
    jacobian = graphlab.autograd.functional.jacobian(lambda x: x**3, x)
    assert graphlab.allclose(found, jacobian @ t)


def test_a_tangent_can_be_differentiated_by_what_else_it_is_made_of():
    w = graphlab.tensor(3.0, requires_grad=True)
    with forward_ad.dual_level():
        x = forward_ad.make_dual(graphlab.tensor(2.0), graphlab.tensor(1.0))
        forward_ad.unpack_dual(w * w * x).tangent.backward()  # d(w² x)/dx = w²
    assert w.grad == 6


def test_what_does_not_depend_on_a_dual_tensor_has_no_tangent():
    a = graphlab.tensor(1.0, requires_grad=True)
    assert forward_ad.unpack_dual(a).tangent is None
    with forward_ad.dual_level():
        x = forward_ad.make_dual(graphlab.tensor(2.0), graphlab.tensor(1.0))
        assert forward_ad.unpack_dual(a * 2).tangent is None
        assert forward_ad.unpack_dual(x.detach()).tangent is None
    assert forward_ad.unpack_dual(x * 2).tangent is None


REFUSED = {
    "outside": lambda lib, fwd: fwd.make_dual(lib.ones(2), lib.ones(2)),
    "integers": lambda lib, fwd: inside(fwd, lambda: fwd.make_dual(lib.tensor(1), lib.ones(()))),
    "a tangent of integers": lambda lib, fwd: inside(
        fwd, lambda: fwd.make_dual(lib.ones(()), lib.tensor(1))
    ),
    "another shape": lambda lib, fwd: inside(fwd, lambda: fwd.make_dual(lib.ones(2), lib.ones(3))),
    "twice": lambda lib, fwd: inside(
        fwd, lambda: fwd.make_dual(fwd.make_dual(lib.ones(2), lib.ones(2)), lib.ones(2))
    ),
    "a dual tangent": lambda lib, fwd: inside(
        fwd, lambda: fwd.make_dual(lib.ones(2), fwd.make_dual(lib.ones(2), lib.ones(2)))
    ),
    "nested": lambda lib, fwd: inside(fwd, lambda: inside(fwd, lambda: None)),
}


def inside(fwd, call):
    """Call inside a level."""
    with fwd.dual_level():
        return call()


@pytest.mark.torch
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_dual_is_refused_in_pytorchs_words(call, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises((RuntimeError, ValueError)) as error:
            call(lib, lib.autograd.forward_ad)
        said.append((type(error.value), str(error.value)))
    assert said[0] == said[1]
    inside(forward_ad, lambda: None)  # no level was left open
