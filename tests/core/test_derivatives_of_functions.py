"""autograd.functional and func: the same functions and arguments for GraphLab and PyTorch.

Read next: graphlab/autograd/functional.py
"""

from __future__ import annotations

import gc
import weakref
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import graphlab

LIBS = [graphlab]
try:
    import torch

    LIBS.append(torch)
except ModuleNotFoundError:
    torch = None

Point = namedtuple("Point", ["x", "y"])
with_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")


def plain(x: Any) -> Any:
    """A result without its library: arrays, and whether they require a gradient."""
    if isinstance(x, tuple | list):
        return [plain(y) for y in x]
    if isinstance(x, dict):
        return {key: plain(y) for key, y in x.items()}
    if hasattr(x, "detach"):
        return (np.asarray(x.detach().numpy()).tolist(), tuple(x.shape), bool(x.requires_grad))
    return x


def outcome(lib: Any, program: Any) -> Any:
    try:
        return plain(program(lib))
    except (RuntimeError, ValueError, TypeError, AssertionError, NotImplementedError) as error:
        return (type(error).__name__, str(error).replace("graphlab.tensor.tensor", "torch"))


def close(a: Any, b: Any) -> bool:
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, float):
        return bool(np.isclose(a, b, rtol=1e-5, atol=1e-6))  # float32
    return a == b


def linear(found: Any, *tangents: Any) -> Any:
    """The output of `linearize`, and what its function maps tangents to."""
    output, along = found
    return [output, along(*tangents)]


def X(t: Any, needs: bool = False) -> Any:
    return t.tensor([0.5, -1.0, 2.0], requires_grad=needs)


def Y(t: Any, needs: bool = False) -> Any:
    return t.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 1.5]], requires_grad=needs)


def several(x: Any, y: Any) -> Any:
    return (x * y).sin(), (x * x).sum()


def value(x: Any, y: Any) -> Any:
    return ((y * x).tanh() ** 2).sum() + (x**3).sum()


def captured(t: Any, f: Any, w: Any) -> Any:
    return f.grad(lambda x: (w * x).sum())(X(t))


FUNCTIONAL = {
    "vjp": lambda t, F: F.vjp(several, (X(t), Y(t)), (t.ones(2, 3), t.tensor(2.0))),
    "vjp of one entry": lambda t, F: F.vjp(lambda x: x.sum(), X(t)),
    "vjp recorded": lambda t, F: F.vjp(lambda x: x**3, X(t, True), t.ones(3), create_graph=True),
    "vjp unused": lambda t, F: F.vjp(lambda x, y: x * 2, (X(t), Y(t)), t.ones(3)),
    "vjp strict": lambda t, F: F.vjp(lambda x, y: x * 2, (X(t), Y(t)), t.ones(3), strict=True),
    "vjp strict constant": lambda t, F: F.vjp(lambda x: t.ones(3), X(t), t.ones(3), strict=True),
    "vjp without v": lambda t, F: F.vjp(lambda x: x, X(t)),
    "vjp wrong size": lambda t, F: F.vjp(lambda x: x, X(t), t.ones(2)),
    "vjp wrong sizes": lambda t, F: F.vjp(several, (X(t), Y(t)), (t.ones(2, 3), t.ones(2))),
    "vjp too few": lambda t, F: F.vjp(several, (X(t), Y(t)), t.ones(2, 3)),
    "vjp no tensor": lambda t, F: F.vjp(lambda x: x, 3.0),
    "vjp no tensors": lambda t, F: F.vjp(lambda x: x, (X(t), 3.0)),
    "vjp gives none": lambda t, F: F.vjp(lambda x: 3.0, X(t)),
    "jvp": lambda t, F: F.jvp(several, (X(t), Y(t)), (t.ones(3), t.ones(2, 3) * 2)),
    "jvp recorded": lambda t, F: F.jvp(lambda x: x**3, X(t, True), t.ones(3), create_graph=True),
    "jvp without v": lambda t, F: F.jvp(lambda x: x * 2, X(t)),
    "jvp strict": lambda t, F: F.jvp(lambda x: x * 2, X(t), t.ones(3), strict=True),
    "jvp unused": lambda t, F: F.jvp(lambda x, y: x * 2, (X(t), Y(t)), (t.ones(3), t.ones(2, 3))),
    "jacobian": lambda t, F: F.jacobian(several, (X(t), Y(t))),
    "jacobian of one": lambda t, F: F.jacobian(lambda x: x * x.sum(), X(t)),
    "jacobian recorded": lambda t, F: F.jacobian(lambda x: x**2, X(t, True), create_graph=True),
    "jacobian strict": lambda t, F: F.jacobian(lambda x, y: x, (X(t), Y(t)), strict=True),
    "jacobian strict graph": lambda t, F: F.jacobian(
        lambda x: x * 2, X(t, True), strict=True, create_graph=True
    ),
    "jacobian vectorized": lambda t, F: F.jacobian(several, (X(t), Y(t)), vectorize=True),
    "jacobian both": lambda t, F: F.jacobian(lambda x: x, X(t), vectorize=True, strict=True),
    "jacobian forward": lambda t, F: F.jacobian(
        several, (X(t), Y(t)), vectorize=True, strategy="forward-mode"
    ),
    "jacobian forward alone": lambda t, F: F.jacobian(
        lambda x: x, X(t), strategy="forward-mode"
    ),
    "jacobian sideways": lambda t, F: F.jacobian(lambda x: x, X(t), strategy="sideways"),
    "hessian": lambda t, F: F.hessian(value, (X(t), Y(t))),
    "hessian of one": lambda t, F: F.hessian(lambda x: (x**3).sum(), X(t)),
    "hessian of many": lambda t, F: F.hessian(lambda x: x**3, X(t)),
    "hessian of two": lambda t, F: F.hessian(lambda x: (x.sum(), x.sum()), X(t)),
    "hessian strict": lambda t, F: F.hessian(lambda x: x.sum(), X(t), strict=True),
    "hessian recorded": lambda t, F: F.hessian(
        lambda x: (x**3).sum(), X(t, True), create_graph=True
    ),
    "vhp": lambda t, F: F.vhp(value, (X(t), Y(t)), (t.ones(3), t.ones(2, 3))),
    "vhp without v": lambda t, F: F.vhp(lambda x: (x**2).sum(), X(t)),
    "vhp of many": lambda t, F: F.vhp(lambda x: x**2, X(t), X(t)),
    "hvp": lambda t, F: F.hvp(value, (X(t), Y(t)), (t.ones(3), t.ones(2, 3))),
    "hvp of a line": lambda t, F: F.hvp(lambda x: x.sum(), X(t), t.ones(3)),
    "hvp strict": lambda t, F: F.hvp(lambda x: x.sum(), X(t), t.ones(3), strict=True),
}  # fmt: skip

FUNC = {
    "linearize": lambda t, f: linear(f.linearize(t.sin, X(t)), X(t)),
    "linearize of two": lambda t, f: linear(f.linearize(value, X(t), Y(t)), X(t), Y(t)),
    "linearize of a dict": lambda t, f: linear(
        f.linearize(lambda d: {"y": d["a"] * 2}, {"a": X(t)}), {"a": X(t)}
    ),
    "grad": lambda t, f: f.grad(value)(X(t), Y(t)),
    "grad of a leaf": lambda t, f: f.grad(value)(X(t, True), Y(t)),
    "grad with a captured leaf": lambda t, f: captured(t, f, Y(t, True)),
    "grad of two": lambda t, f: f.grad(value, argnums=(0, 1))(X(t), Y(t)),
    "grad from the back": lambda t, f: f.grad(value, argnums=-1)(X(t), Y(t)),
    "grad beyond": lambda t, f: f.grad(value, argnums=2)(X(t), Y(t)),
    "grad of none": lambda t, f: f.grad(value, argnums=())(X(t), Y(t)),
    "grad twice the same": lambda t, f: f.grad(value, argnums=(0, 0))(X(t), Y(t)),
    "grad of no number": lambda t, f: f.grad(value, argnums="x")(X(t), Y(t)),
    "grad with more": lambda t, f: f.grad(lambda x: (x.sum(), x * 2), has_aux=True)(X(t)),
    "grad without more": lambda t, f: f.grad(lambda x: x.sum(), has_aux=True)(X(t)),
    "grad of many": lambda t, f: f.grad(lambda x: x)(X(t)),
    "grad of no tensor": lambda t, f: f.grad(lambda x: 3.0)(X(t)),
    "grad of a number": lambda t, f: f.grad(lambda x: x * 2)(3.0),
    "grad of a dict": lambda t, f: f.grad(lambda p: (p["w"] * p["b"][0]).sum())(
        {"w": X(t), "b": [X(t)]}
    ),
    "grad unused": lambda t, f: f.grad(lambda x, y: y.sum())(X(t), Y(t)),
    "grad and value": lambda t, f: f.grad_and_value(value)(X(t), Y(t)),
    "grad and value with more": lambda t, f: f.grad_and_value(
        lambda x: (x.sum(), x), has_aux=True
    )(X(t)),
    "second": lambda t, f: f.grad(lambda x: f.grad(lambda z: (z**4).sum())(x).sum())(X(t)),
    "third": lambda t, f: f.grad(f.grad(f.grad(lambda x: x**5)))(t.tensor(2.0)),
    "perturbation confusion": lambda t, f: f.grad(
        lambda x: x * f.grad(lambda y: x + y)(t.tensor(1.0))
    )(t.tensor(1.0)),
    "vjp": lambda t, f: [g := f.vjp(several, X(t), Y(t)), g[1]((t.ones(2, 3), t.tensor(1.0)))][1],
    "vjp of one": lambda t, f: f.vjp(t.sin, X(t))[1](t.ones(3)),
    "jvp": lambda t, f: f.jvp(several, (X(t), Y(t)), (t.ones(3), t.ones(2, 3))),
    "jvp with more": lambda t, f: f.jvp(lambda x: (x * x, x), (X(t),), (X(t),), has_aux=True),
    "jvp no tuple": lambda t, f: f.jvp(t.sin, X(t), X(t)),
    "jacrev": lambda t, f: f.jacrev(lambda x, y: y.tanh() * x)(X(t), Y(t)),
    "jacrev of both": lambda t, f: f.jacrev(lambda x, y: y * x, argnums=(0, 1))(X(t), Y(t)),
    "jacrev of a dict": lambda t, f: f.jacrev(lambda x: {"a": x * 2, "b": (x.sum(),)})(X(t)),
    "jacrev with more": lambda t, f: f.jacrev(lambda x: (x**2, x.sum()), has_aux=True)(X(t)),
    "jacrev chunks": lambda t, f: f.jacrev(lambda x: x**2, chunk_size=0)(X(t)),
    "jacfwd": lambda t, f: f.jacfwd(lambda x, y: y.tanh() * x)(X(t), Y(t)),
    "jacfwd of both": lambda t, f: f.jacfwd(lambda x, y: y * x, argnums=(0, 1))(X(t), Y(t)),
    "hessian": lambda t, f: f.hessian(value)(X(t), Y(t)),
    "hessian of both": lambda t, f: f.hessian(value, argnums=(0, 1))(X(t), Y(t)),
    "vmap": lambda t, f: f.vmap(lambda x, y: (x * y).sum(), in_dims=(0, None))(Y(t), X(t)),
    "vmap columns": lambda t, f: f.vmap(lambda x: x.sum(), in_dims=1)(Y(t)),
    "vmap out": lambda t, f: f.vmap(lambda x: x * 2, out_dims=1)(Y(t)),
    "vmap of a named tuple": lambda t, f: f.vmap(lambda p: p.x + p.y, (Point(0, None),))(
        Point(Y(t), X(t)[0])
    ),
    "vmap of a list of dims": lambda t, f: f.vmap(lambda x: x, in_dims=[0])(Y(t)),
    "vmap of a gradient": lambda t, f: f.vmap(f.grad(lambda x: (x**2).sum()))(Y(t)),
    "gradients per example": lambda t, f: f.vmap(
        f.grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0)
    )(X(t), Y(t)),
    "vmap of different sizes": lambda t, f: f.vmap(lambda x, y: x)(X(t), Y(t)),
    "vmap of nothing": lambda t, f: f.vmap(lambda: 1)(),
    "vmap over nothing": lambda t, f: f.vmap(lambda x: x, in_dims=None)(X(t)),
    "jacrev under no_grad": lambda t, f: [t.no_grad().__enter__(), f.jacrev(t.sin)(X(t))][1],
}  # fmt: skip


def program(cases: Any, name: str, lib: Any) -> Any:
    before = lib.is_grad_enabled()
    try:
        module = lib.autograd.functional if cases is FUNCTIONAL else lib.func
        return outcome(lib, lambda t: cases[name](t, module))
    finally:
        lib.set_grad_enabled(before)


@with_torch
@pytest.mark.filterwarnings("ignore")  # PyTorch's own, about vmap and deprecated parts of it
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_autograd_functional_does_as_pytorch_does(name):
    ours, theirs = (program(FUNCTIONAL, name, lib) for lib in LIBS)
    assert close(ours, theirs), f"\n{ours}\n{theirs}"


@with_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNC)
def test_func_does_as_pytorch_does(name):
    ours, theirs = (program(FUNC, name, lib) for lib in LIBS)
    assert close(ours, theirs), f"\n{ours}\n{theirs}"


def test_an_argument_of_a_transform_is_freed_at_once():
    gc.collect()
    gc.disable()
    try:
        x = graphlab.tensor([1.0, 2.0])
        result = graphlab.func.hessian(lambda x: (x**3).sum())(x)
        reference = weakref.ref(x)
        del x
        assert reference() is None
        assert gc.collect() == 0
        assert result.grad_fn is None
    finally:
        gc.enable()


def test_arguments_are_left_as_they_were():
    x = graphlab.tensor([1.0, 2.0])
    graphlab.func.grad(lambda x: (x**2).sum())(x)
    graphlab.autograd.functional.jacobian(lambda x: x**2, x)
    assert not x.requires_grad
    assert x.grad is None
    assert x._version == 0


@pytest.mark.parametrize(("transform", "passes"), [("jacfwd", 2), ("jacrev", 1), ("hessian", 2)])
def test_a_transform_runs_one_pass_for_all_rows_or_columns_and_one_to_be_differentiated(
    transform, passes, monkeypatch
):
    from graphlab.compat.func import levels

    ran = []

    def counted(*args, **kwargs):
        ran.append(args)
        return run(*args, **kwargs)

    run = levels.run_backward
    monkeypatch.setattr(levels, "run_backward", counted)
    f = {"hessian": lambda x: (x**3).sum()}.get(transform, graphlab.sin)
    getattr(graphlab.func, transform)(f)(graphlab.tensor([1.0, 2.0, 3.0]))
    assert len(ran) == passes


def test_the_jacobian_of_a_number_is_its_gradient_without_further_nodes():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    assert graphlab.func.jacrev(lambda x: (x**2).sum())(x).grad_fn.name() == "MulBackward0"


def test_a_level_looks_at_each_node_once_for_what_depends_on_outside():
    from graphlab.compat.func.levels import Level

    w = graphlab.tensor(2.0, requires_grad=True)
    with Level() as level:
        (x,) = level.enter((graphlab.tensor(3.0),), 0)
        inside, outside = x * x, x * w
        assert level.depends_on_outside([inside, outside])
        assert not level.depends_on_outside([inside])
        assert inside.grad_fn in level.inside
        assert outside.grad_fn in level.leading_out
        assert level.depends_on_outside([outside * x])
