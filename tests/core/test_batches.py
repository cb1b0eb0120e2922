"""What `vmap` computes at once is what it computes one example at a time, and what PyTorch does.

Read next: graphlab/compat/func/batch.py
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import numpy as np
import pytest

import graphlab
from tests.core.samples import KINKS, SAMPLES, Sample, name_of

vmap = importlib.import_module("graphlab.compat.func.vmap")
pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's own, about vmap
MOST = 0.77  # the share of the samples that are computed at once, at least
EXAMPLES = 3
BATCHED = [
    s for s in (*SAMPLES, *KINKS) if s.op != "custom" and any(a.kind in "fh" for a in s.args)
]


def leaves(tree: Any) -> list[Any]:
    branches = tree.values() if isinstance(tree, dict) else tree
    if isinstance(tree, tuple | list | dict):
        return [x for branch in branches for x in leaves(branch)]
    return [tree]


def batch_of(sample: Sample) -> tuple[list[Any], tuple[int | None, ...]]:
    """Three examples of each floating argument, and the batch dimensions."""
    args, dims = [], []
    for seed, arg in enumerate(sample.args):
        one = graphlab.tensor(arg.array(seed=seed))
        each = [one * (1 + 0.01 * k) if arg.grad else one for k in range(EXAMPLES)]
        if arg.data is None:
            each = [graphlab.tensor(arg.array(seed=seed + 7 * k)) for k in range(EXAMPLES)]
        args.append(graphlab.stack(each) if arg.kind in "fh" else one)
        dims.append(0 if arg.kind in "fh" else None)
    return args, tuple(dims)


def functions_of(sample: Sample) -> list[Any]:
    """The call, its gradient and a second derivative."""
    F, numbers = graphlab.func, tuple(i for i, a in enumerate(sample.args) if a.wants_grad)

    def total(*args: Any) -> Any:
        results = leaves(sample.call(graphlab, *args))
        return sum((x * (x.detach() + 1).sin()).sum() for x in results if x.is_floating_point())

    first = F.grad(total, numbers)

    def slopes(*args: Any) -> Any:
        return sum((x * x).sum() for x in first(*args))

    call = lambda *args: sample.call(graphlab, *args)  # noqa: E731
    return [call, first, F.grad(slopes, numbers)] if numbers else [call]


def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> Any:
        raise TypeError("one example at a time")

    monkeypatch.setattr(vmap, "at_once", refuse)


@pytest.mark.parametrize("sample", BATCHED, ids=name_of)
def test_a_batch_is_computed_as_its_examples_are(sample, monkeypatch):
    for function in functions_of(sample):
        found = []
        for way in ("at once", "one by one"):
            args, dims = batch_of(sample)  # anew, as the call may write into them
            with monkeypatch.context() as patch:
                if way == "one by one":
                    one_by_one(patch)
                try:
                    found.append(leaves(graphlab.vmap(function, dims)(*args)))
                except (RuntimeError, ValueError, NotImplementedError) as error:
                    found.append([str(error)])
        for a, b in zip(*found, strict=True):
            if isinstance(a, str):
                assert a == b
                continue
            assert a.dtype is b.dtype
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-11)


def test_most_operations_compute_a_batch_at_once(monkeypatch):
    at_once, done = vmap.at_once, 0

    def counted(*args: Any) -> Any:
        nonlocal done
        result = at_once(*args)
        done += 1
        return result

    monkeypatch.setattr(vmap, "at_once", counted)
    ops = {s.op: s for s in BATCHED}
    for sample in ops.values():
        args, dims = batch_of(sample)
        with contextlib.suppress(RuntimeError):  # of random operations
            graphlab.vmap(functions_of(sample)[0], dims)(*args)
    assert done / len(ops) > MOST


# -- programs, beside PyTorch ---------------------------------------------------------------------


def numbers(lib: Any, *shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    rng = np.random.default_rng(seed + sum(shape))
    return lib.tensor(rng.normal(size=shape).astype(dtype))


N = numbers
PROGRAMS = {
    "matrix times vector": lambda t, F: F.vmap(lambda x: N(t, 4, 3) @ x)(N(t, 5, 3)),
    "vector times matrix": lambda t, F: F.vmap(lambda x: x @ N(t, 3, 4))(N(t, 5, 3)),
    "two matrices": lambda t, F: F.vmap(t.matmul)(N(t, 5, 3, 2), N(t, 5, 2, 4)),
    "a shared matrix": lambda t, F: F.vmap(t.matmul, (0, None))(N(t, 5, 3, 2), N(t, 2, 4)),
    "from the last to dim 1": lambda t, F: F.vmap(lambda x: x.cumsum(0), -1, 1)(N(t, 5, 3)),
    "to the last": lambda t, F: F.vmap(lambda x: x.view(2, 2), 0, -1)(N(t, 5, 4)),
    "two results": lambda t, F: F.vmap(lambda x: (x.sum(), x * 2), 0, (0, 1))(N(t, 5, 4)),
    "a dict": lambda t, F: F.vmap(lambda d: {"p": d["a"] * d["b"]}, ({"a": 0, "b": None},))(
        {"a": N(t, 5, 4), "b": N(t, 4)}
    ),
    "vmap in vmap": lambda t, F: F.vmap(F.vmap(t.mul, (0, None)), (None, 0))(N(t, 3), N(t, 4)),
    "dot in two": lambda t, F: F.vmap(F.vmap(t.dot), (0, None))(N(t, 2, 5, 3), N(t, 5, 3)),
    "distances": lambda t, F: F.vmap(lambda x: F.vmap(lambda y: (x - y).norm())(N(t, 6, 3)))(
        N(t, 5, 3)
    ),
    "softmax": lambda t, F: F.vmap(lambda x: x.softmax(0))(N(t, 5, 4)),
    "convolution": lambda t, F: F.vmap(
        lambda x: t.nn.functional.conv2d(x[None], N(t, 4, 3, 3, 3), padding=1)
    )(N(t, 5, 3, 8, 8)),
    "classes": lambda t, F: F.vmap(lambda x, y: t.nn.functional.cross_entropy(x[None], y[None]))(
        N(t, 3, 4), t.tensor([3, 0, 1])
    ),
    "indices": lambda t, F: F.vmap(lambda x: x[:, [0, 2]] * x[0, 1] + x[-1:, None, 0])(
        N(t, 5, 2, 4)
    ),
    "a branch of where": lambda t, F: F.vmap(lambda x: t.where(x > 0, x, 0.0))(N(t, 5)),
    "constants": lambda t, F: F.vmap(lambda x: t.ones(3))(N(t, 5)),
    "integers and floats": lambda t, F: F.vmap(t.mul)(N(t, 5), t.arange(5)),
    "two widths": lambda t, F: F.vmap(t.mul)(N(t, 5, dtype=np.float64), N(t, 5, 3)),
    "two widths of numbers": lambda t, F: F.vmap(t.mul)(N(t, 5, dtype=np.float64), N(t, 5)),
    "a change in place": lambda t, F: F.vmap(lambda x: x.clone().mul_(2)[0])(N(t, 5, 3)),
    "a view that changes": lambda t, F: F.vmap(lambda x: (x * 1).mul_(2).view(3, 1).t())(
        N(t, 5, 3)
    ),
    "gradients of weights": lambda t, F: F.vmap(
        F.grad(lambda w, x: (w @ x).tanh().sum()), (None, 0)
    )(N(t, 4, 3), N(t, 5, 3)),
    "gradients of a bias": lambda t, F: F.vmap(
        F.grad(lambda b, x: ((b + x) ** 2).sum()), (None, 0)
    )(N(t, 3), N(t, 5, 4, 3)),
    "gradients of a factor": lambda t, F: F.vmap(
        F.grad(lambda a, x: (a * x).sin().sum()), (None, 0)
    )(t.tensor(0.5), N(t, 5, 4)),
    "hessians": lambda t, F: F.vmap(F.hessian(lambda x: x[0] ** 2 * x[1] + x[2].sin()))(N(t, 5, 3)),
    "hessians of a network": lambda t, F: F.vmap(
        F.hessian(lambda x: t.nn.functional.softplus(N(t, 6, 3) @ x).sum())
    )(N(t, 5, 3)),
    "jacrev": lambda t, F: F.vmap(F.jacrev(lambda x: (N(t, 4, 3) @ x).sigmoid()))(N(t, 5, 3)),
    "jacfwd": lambda t, F: F.vmap(F.jacfwd(lambda x: (N(t, 4, 3) @ x).sigmoid()))(N(t, 5, 3)),
    "jvp": lambda t, F: F.vmap(lambda x, v: F.jvp(t.sin, (x,), (v,))[1])(
        N(t, 5, 3), N(t, 5, 3, seed=2)
    ),
    "rows by vjp": lambda t, F: F.vmap(F.vjp(lambda x: (N(t, 4, 3) @ x).sin(), N(t, 3))[1])(
        t.eye(4)
    ),
    "third derivatives": lambda t, F: F.vmap(F.grad(F.grad(F.grad(t.sin))))(N(t, 5)),
    "jacrev of vmap": lambda t, F: F.jacrev(F.vmap(lambda x: (x**2).sum()))(N(t, 5, 3)),
    "grad of vmap of grad": lambda t, F: F.grad(
        lambda w: F.vmap(F.grad(lambda x: (w @ x).tanh().sum()))(N(t, 5, 3)).pow(2).sum()
    )(N(t, 4, 3)),
    "jacrev of jacrev": lambda t, F: F.jacrev(F.jacrev(lambda x: (N(t, 4, 3) @ x).sin()))(N(t, 3)),
    "an unused argument": lambda t, F: F.jacrev(lambda x, y: x * 2, (0, 1))(N(t, 3), N(t, 2)),
    "no entry": lambda t, F: F.jacrev(lambda x: x[:0])(N(t, 3)),
    "different sizes": lambda t, F: F.vmap(t.add)(N(t, 5), N(t, 4)),
    "not a tensor": lambda t, F: F.vmap(lambda x: 3)(N(t, 5)),
    "too many out_dims": lambda t, F: F.vmap(lambda x: x, 0, (0, 0))(N(t, 5)),
}


def outcome(program: Any, lib: Any) -> list[Any]:
    try:
        return [x.detach().numpy() for x in leaves(program(lib, lib.func))]
    except (RuntimeError, ValueError) as error:
        return [type(error).__name__]


@pytest.mark.torch
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_batch_is_pytorchs(name, torch):
    ours, theirs = outcome(PROGRAMS[name], graphlab), outcome(PROGRAMS[name], torch)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(b, str):
            assert a == b
            continue
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


# -- a graph that goes on outside -----------------------------------------------------------------


def slopes_outside(sample: Sample) -> list[Any]:
    """Results of a batch, their gradients, and second derivatives, where all of them are used."""
    args, dims = batch_of(sample)
    wanted = [x.requires_grad_() for x, a in zip(args, sample.args, strict=True) if a.wants_grad]
    made = leaves(graphlab.vmap(lambda *args: sample.call(graphlab, *args), dims)(*args))
    used = [x for x in made if x.requires_grad]
    if not used:
        return made
    total = sum((x * (x.detach() + 1).sin()).sum() for x in used)
    first = graphlab.autograd.grad(total, wanted, create_graph=True, allow_unused=True)
    curved = [(g * g).sum() for g in first if g is not None and g.requires_grad]
    second = graphlab.autograd.grad(sum(curved), wanted, allow_unused=True) if curved else ()
    return [*made, *first, *second]


@pytest.mark.parametrize("sample", BATCHED, ids=name_of)
def test_gradients_of_a_batch_outside_are_those_of_its_examples(sample, monkeypatch):
    monkeypatch.setattr(vmap, "MOST_SEEN", 0)
    found: list[Any] = []
    for _ in range(2):
        try:
            found.append(slopes_outside(sample))
        except (RuntimeError, NotImplementedError) as error:
            found.append([str(error)])
        one_by_one(monkeypatch)
    for a, b in zip(*found, strict=True):
        if b is None or isinstance(b, str):
            assert a == b
            continue
        assert a.dtype is b.dtype
        np.testing.assert_allclose(a.detach(), b.detach(), rtol=1e-9, atol=1e-11)


def hooked(t: Any, w: Any, x: Any) -> Any:
    seen = []
    w.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
    v = w * 2
    v.retain_grad()
    t.vmap(lambda x: (x * w * v).sum())(x).sum().backward()
    return seen, v.grad


def checkpointed(t: Any, w: Any, x: Any) -> Any:
    f = lambda w: t.vmap(lambda x: (x * w).sin().sum())(x)  # noqa: E731
    t.utils.checkpoint.checkpoint(f, w, use_reentrant=False).sum().backward()


def changed(t: Any, w: Any, x: Any) -> Any:
    x = x * w.detach().requires_grad_()
    y = t.vmap(lambda x: (x * x).sum())(x).sum()
    with t.no_grad():
        x.mul_(2)
    y.backward()


def second_order(t: Any, w: Any, x: Any) -> Any:
    y = t.vmap(lambda x: (x * w).sin().prod())(x).sum()
    (slope,) = t.autograd.grad(y, w, create_graph=True)
    (slope**2).sum().backward()


def a_step(t: Any, w: Any, x: Any) -> Any:
    def loss(w: Any, x: Any) -> Any:
        return ((x * w).sin() ** 2).sum()

    after = lambda x: loss(w - 0.1 * t.func.grad(loss)(w, x), x)  # noqa: E731
    t.vmap(after)(x).mean().backward()


def twice(t: Any, w: Any, x: Any) -> Any:
    y = t.vmap(lambda x: (x * w).sin().sum())(x).sum()
    y.backward()
    y.backward()


def several(t: Any, w: Any, x: Any) -> Any:
    a, b, c, d = t.vmap(lambda x: (w, x * w, (x * w).sum(), x.argmax()), out_dims=(0, 1, 0, 0))(x)
    (a.sum() + (b**2).sum() + c.exp().sum()).backward()
    return a, b, c, d, d.requires_grad


OUTSIDE = {
    "hooks": hooked,
    "checkpoint": checkpointed,
    "what is needed changes": changed,
    "second derivatives": second_order,
    "a step within": a_step,
    "two passes": twice,
    "several results": several,
    "jacobians": lambda t, w, x: (
        t.vmap(t.func.jacrev(lambda x: (x * w).tanh()))(x).square().sum().backward()
    ),
    "another type": lambda t, w, x: t.vmap(lambda x: x * w.double())(x).sum().backward(),
    "no graph": lambda t, w, x: t.no_grad()(t.vmap(lambda x: x * w))(x).requires_grad,
    "rows of a jacobian": lambda t, w, x: t.vmap(
        t.func.vjp(lambda w: t.vmap(lambda x: (x * w).sin().sum())(x), w.detach())[1]
    )(t.eye(len(x))),
    "a batch of batches": lambda t, w, x: (
        t.vmap(lambda a: t.vmap(lambda b: (a * b * w).sum())(x))(x).square().mean().backward()
    ),
}


@pytest.mark.parametrize("examples", [3, 12])
@pytest.mark.parametrize("name", OUTSIDE)
def test_a_graph_goes_on_outside_as_in_pytorch(name, examples, torch):
    found = []
    for t in (graphlab, torch):
        w, x = N(t, 3).requires_grad_(), N(t, examples, 3)
        try:
            told = leaves(OUTSIDE[name](t, w, x))
        except RuntimeError as error:
            told = [str(error)[:75]]
        found.append([y.detach().numpy() if hasattr(y, "detach") else y for y in [*told, w.grad]])
    for ours, theirs in zip(*found, strict=True):
        if isinstance(theirs, np.ndarray | float):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4)  # float32
        else:
            assert ours == theirs


def test_many_examples_whose_graph_goes_on_outside_are_one_node():
    called = []
    w = graphlab.ones(3, requires_grad=True)

    def f(x: Any) -> Any:
        called.append(x.shape)
        return (w * x).sum()

    y = graphlab.vmap(f)(graphlab.ones(33, 3))
    assert called == [(3,)]
    assert type(y.grad_fn).__name__ == "VmapBackward"
    assert y.grad_fn.next_functions[0][0].variable is w
    assert len(graphlab.trace(y.sum()).graph.nodes) == 3
    with graphlab.record() as run:
        graphlab.vmap(f)(graphlab.ones(33, 3)).sum().backward()
    assert len(called) == 34
    assert sum(node.name == "MulBackward0" for node in run.graph.nodes) == 33


# -- what is seen of it ---------------------------------------------------------------------------


@pytest.mark.parametrize("transform", ["grad", "hessian"])
def test_the_function_is_called_once_for_a_batch(transform):
    called = []

    def f(x: Any) -> Any:
        called.append(tuple(x.shape))
        return (x**3).sum()

    graphlab.vmap(getattr(graphlab.func, transform)(f))(graphlab.ones(4, 3))
    assert called == [(3,)]


def test_a_convolution_is_called_once_for_a_batch_of_batches():
    called = []
    weight = graphlab.ones(2, 3, 3, 3)

    def f(weight: Any, image: Any) -> Any:
        called.append(tuple(image.shape))
        return graphlab.nn.functional.conv2d(image[None], weight).pow(2).sum()

    slopes = graphlab.func.vmap(graphlab.func.grad(f), (None, 0))
    found = graphlab.func.vmap(slopes, (None, 0))(weight, graphlab.ones(4, 2, 3, 5, 5))
    assert found.shape == (4, 2, *weight.shape)
    assert called == [(3, 5, 5)]


def test_an_example_that_python_looks_at_is_computed_alone():
    x = graphlab.tensor([2.0, -3.0])
    assert graphlab.vmap(lambda x: x if x > 0 else -x)(x).tolist() == [2.0, 3.0]
    assert graphlab.vmap(lambda x: x * x.item())(x).tolist() == [4.0, 9.0]


def test_a_leaf_outside_gets_the_gradients_of_all_examples():
    w = graphlab.ones(3, requires_grad=True)
    graphlab.vmap(lambda x: (w * x).sum())(graphlab.ones(4, 3)).sum().backward()
    assert w.grad.tolist() == [4.0, 4.0, 4.0]

    def f(x: Any) -> Any:
        (w * x).sum().backward()
        return x

    graphlab.vmap(f)(graphlab.ones(4, 3))
    assert w.grad.tolist() == [8.0, 8.0, 8.0]


def test_a_change_in_place_of_the_input_is_written_once():
    x = graphlab.ones(2, 3)
    graphlab.vmap(lambda x: x.mul_(2))(x)
    assert x.tolist() == [[2.0] * 3] * 2


def test_examples_are_written_into_a_tensor_that_is_made_like_them(torch):
    made = [
        t.vmap(lambda x, t=t: (t.zeros_like(x).add_(x), t.vander(x), x.new_zeros(3).copy_(x)))(
            t.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        )
        for t in (graphlab, torch)
    ]
    assert [x.tolist() for x in made[0]] == [x.tolist() for x in made[1]]


SHARED = {
    "add_": lambda t, y, x: y.add_(x),
    "+=": lambda t, y, x: y.__iadd__(x),
    "copy_": lambda t, y, x: y.copy_(x),
    "fill_": lambda t, y, x: y.fill_(x[0]),
    "a part": lambda t, y, x: y.__setitem__(0, x[0]),
    "a part of a view": lambda t, y, x: y[:].__setitem__(slice(1, 3), x[1:]),
    "an index": lambda t, y, x: y.__setitem__(x.long(), 1.0),
    "masked_fill_": lambda t, y, x: y.masked_fill_(x > 0, 1.0),
}


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("name", SHARED)
def test_examples_are_not_written_into_a_tensor_that_they_share(name, inside, torch):
    for t in (graphlab, torch):
        outside = t.zeros(3)

        def f(x: Any, t: Any = t, outside: Any = outside) -> Any:
            y = t.zeros(3) if inside else outside
            SHARED[name](t, y, x)
            return y

        with pytest.raises(RuntimeError, match=r"vmap|doesn't match the broadcast shape"):
            t.vmap(f)(t.ones(2, 3))
        assert outside.tolist() == [0.0, 0.0, 0.0]


def test_outer_examples_are_not_written_into_a_tensor_that_they_share(torch):
    for t in (graphlab, torch):
        outside = t.zeros(3)
        inner = t.vmap(lambda x, y, outside=outside: outside.copy_(x) + y, (None, 0))
        with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
            t.vmap(inner, (0, None))(t.ones(2, 3), t.ones(4, 3))
        assert outside.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("returned", [True, False])
@pytest.mark.parametrize("name", ["add_", "copy_", "fill_", "a part", "a part of a view"])
def test_nor_are_they_if_they_require_gradients(name, returned, torch):
    for t in (graphlab, torch):
        outside = t.zeros(3)

        def f(x: Any, t: Any = t, outside: Any = outside) -> Any:
            SHARED[name](t, outside, x)
            return outside if returned else x.sum()

        with pytest.raises(RuntimeError, match=r"vmap|broadcast shape"):
            t.vmap(f)(t.ones(2, 3, requires_grad=True))
        with pytest.raises(RuntimeError, match=r"vmap|broadcast shape"):
            t.vmap(t.vmap(f))(t.ones(2, 2, 3, requires_grad=True))


def test_each_example_may_change_what_it_makes_from_one_that_requires_a_gradient(torch):
    made = []
    for t in (graphlab, torch):
        x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        found = t.vmap(lambda x, t=t: t.zeros_like(x).add_(x).mul_(x))(x)
        found.sum().backward()
        made.append((found.tolist(), x.grad.tolist()))
    assert made[0] == made[1]


def test_an_outer_parameter_is_returned_for_each_example(torch):
    for t in (graphlab, torch):
        w = t.ones(3, requires_grad=True)
        found = t.vmap(lambda x, w=w: (w, x * w))(t.ones(2, 3, requires_grad=True))
        assert [x.tolist() for x in found] == [[[1.0] * 3] * 2] * 2


def test_what_a_function_prints_is_printed_once_for_each_time_that_it_counts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def shown(x: Any) -> Any:
        print("x is", x)
        return x

    graphlab.vmap(shown)(graphlab.ones(2, 1))  # Python looks at each example
    assert capsys.readouterr().out == "x is tensor([1.])\n" * 2

    def silent(x: Any) -> Any:
        print("called")
        return x

    graphlab.vmap(silent)(graphlab.ones(2, 1))
    assert capsys.readouterr().out == "called\n"


def test_a_tensor_that_was_kept_from_a_batch_says_what_to_do() -> None:
    kept: list[Any] = []
    graphlab.vmap(lambda x: (kept.append(x), x * 2)[1])(graphlab.ones(2, 1))
    with pytest.raises(TypeError, match="return it to look at it"):
        print(kept[0])


def test_a_layer_gives_each_example_what_it_gives_the_batch_to_the_last_bit():
    graphlab.manual_seed(0)
    layer, x = graphlab.nn.Linear(31, 33).requires_grad_(False), graphlab.randn(64, 31)
    assert graphlab.equal(graphlab.func.vmap(layer)(x), layer(x))


EMPTY = {
    "a function": lambda lib: lib.sin,
    "a sum": lambda lib: lambda x: x.sum(),
    "a product with a matrix": lambda lib: lambda x: x @ lib.ones(3, 2),
    "several results": lambda lib: lambda x: (x, {"a": x.sum(0), "b": (x * 2).long()}),
    "the largest entry": lambda lib: lambda x: x.argmax(),
    "a gradient": lambda lib: lib.func.grad(lambda x: (x**2).sum()),
    "a batch of batches": lambda lib: lib.vmap(lib.sin),
    "a branch": lambda lib: lambda x: x if lib is graphlab and x[0] > 9 else x * 2,
}


@pytest.mark.torch
@pytest.mark.parametrize("needs", [False, True])
@pytest.mark.parametrize("name", EMPTY)
def test_a_batch_without_examples_has_a_result_without_examples(name, needs, torch):
    def found(lib):
        x = lib.zeros(3, 0, requires_grad=needs)
        results = leaves(lib.vmap(EMPTY[name](lib), in_dims=1, out_dims=-1)(x))
        return [(tuple(y.shape), str(y.dtype).partition(".")[2], y.requires_grad) for y in results]

    assert found(graphlab) == found(torch)
