"""Every operation of the registry, sample by sample: the rules against differences.

Read next: tests/core/test_ops_beside_pytorch.py
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import graphlab
from graphlab.autograd.node_classes import node_class
from graphlab.ops import registry
from graphlab.ops.base import zero
from graphlab.ops.rounding import NO_RULE
from tests.core.numerical import errors, outputs_of, second_order_errors
from tests.core.samples import REFUSED, SAMPLES, Arg, Sample, name_of

TYPES = ["float32", "float64"]
each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=name_of)

# their rules send nothing back wherever there is a slope
FLAT = {"angle", "sign", "sgn", "floor", "ceil", "round", "trunc", "div_mode", "round_decimals"}
FLAT_INPUTS = {
    ("bernoulli", 0),
    ("compare", 0),
    ("compare", 1),
    ("nextafter", 1),
    ("poisson", 0),
    ("copysign", 1),
    ("copy", 0),
    ("fill", 0),
    ("fill_tensor", 0),
    ("zero", 0),
    *((n, 1) for n, op in registry.items() if op.again == n and op.rules.get("self") is zero),
}


def run(sample: Sample, dtype: str = "float64"):
    inputs = sample.tensors(graphlab, dtype)
    return inputs, outputs_of(sample.call(graphlab, *inputs))


def backward(outputs):
    graphlab.autograd.backward(outputs, [graphlab.ones_like(t) for t in outputs])


def test_every_operation_has_a_sample():
    assert {sample.op for sample in (*SAMPLES, *REFUSED)} == set(registry)


@each_sample
def test_a_sample_ends_in_a_node_of_its_operation(sample):
    _, outputs = run(sample)
    fn = outputs[0].grad_fn
    assert fn.op.name == sample.op
    assert fn.name() == registry[sample.op].node


@each_sample
def test_rules_agree_with_central_differences(sample):
    inputs = sample.tensors(graphlab)
    assert errors(lambda *xs: sample.call(graphlab, *xs), inputs, sample.h) == []


@each_sample
def test_rules_read_on_tensors_agree_with_central_differences(sample):
    inputs = sample.tensors(graphlab)
    call = lambda *xs: sample.call(graphlab, *xs)  # noqa: E731
    assert errors(call, inputs, sample.h, create_graph=True) == []


@each_sample
def test_second_derivatives_agree_with_differences_of_the_first(sample):
    inputs = sample.tensors(graphlab)
    assert second_order_errors(lambda *xs: sample.call(graphlab, *xs), inputs, sample.h) == []


@each_sample
def test_float32_stays_float32_forwards_and_backwards(sample):
    inputs, outputs = run(sample, "float32")
    if sample.op != "to_copy":
        assert {t.dtype for t in outputs} == {graphlab.float32}
    backward(outputs)
    assert all(t.grad.dtype is t.dtype for t in inputs if t.requires_grad and t.grad is not None)


@each_sample
def test_a_gradient_has_the_shape_of_its_tensor_and_memory_of_its_own(sample):
    inputs, outputs = run(sample)
    backward(outputs)
    grads = [x.grad for x in inputs if x.requires_grad]
    for x in inputs:
        if x.requires_grad and x.grad is not None:
            assert x.grad.shape == x.shape
    arrays = [np.asarray(g._data) for g in grads if g is not None]
    assert not any(np.shares_memory(a, b) for a, b in pairwise(arrays))
    for grad in grads:
        if grad is not None:
            before = np.array(grad._data)
            grad.add_(1)
            assert np.array_equal(grad._data, before + 1)


@each_sample
def test_the_saved_values_can_be_read_by_name_until_the_graph_is_freed(sample):
    _, outputs = run(sample)
    fn = outputs[0].grad_fn
    names = [name for name in dir(fn) if name.startswith("_saved_")]
    for name in names:
        getattr(fn, name)
    kept = bool(fn._saved)
    backward(outputs)
    if kept and sample.op != "custom":
        with pytest.raises(RuntimeError, match="second time"):
            backward(outputs)


@pytest.mark.parametrize("sample", REFUSED, ids=name_of)
def test_a_backward_pass_refuses_what_has_no_derivative(sample):
    inputs, (out,) = run(sample)
    assert type(out.grad_fn).__name__ == registry[sample.op].node
    with pytest.raises(RuntimeError, match=r"derivative for .+ is not implemented"):
        backward([out])
    assert all(x.grad is None for x in inputs)


# -- broadcasting ------------------------------------------------------------------------------

BY_CHANNEL = {"prelu_kernel"}  # its function takes one weight, or one for each channel
POINTWISE = [s for s in SAMPLES if registry[s.op].pointwise and s.op not in BY_CHANNEL]
PAIRS = [((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 3)), ((2, 3), ()), ((1, 1), (3,)), ((), ())]
BINARY = [s for s in POINTWISE if len(s.args) == 2 and all(a.kind == "f" for a in s.args)]


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize("sample", BINARY, ids=name_of)
def test_a_broadcast_is_undone_in_the_gradient(sample, shapes):
    sample = sample.reshaped(*shapes)
    inputs = sample.tensors(graphlab)
    out = sample.call(graphlab, *inputs)
    assert out.shape == np.broadcast_shapes(*shapes)
    call = lambda *xs: sample.call(graphlab, *xs)  # noqa: E731
    assert errors(call, inputs) == []
    assert second_order_errors(call, inputs) == []


UNCHECKED = {"weight_norm_interface"}  # only weight_norm calls it, with a weight of the right shape
SEVERAL = [
    sample
    for sample in SAMPLES
    if sum(arg.wants_grad for arg in sample.args) > 1
    if not (registry[sample.op].pointwise or sample.op in UNCHECKED)
]


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("sample", SEVERAL, ids=name_of)
def test_a_rule_sums_its_gradient_back_to_the_shape_of_its_input(sample):
    for place, arg in enumerate(sample.args):
        for shape in [(), (1,), arg.shape[1:], (1, *arg.shape[1:])] if arg.wants_grad else []:
            args = list(sample.args)
            args[place] = replace(arg, shape=shape, data=None)
            try:
                inputs, outputs = run(replace(sample, args=tuple(args)))
            except (RuntimeError, ValueError, IndexError, TypeError):
                continue  # the operation does not take an input of this shape
            grads = graphlab.autograd.grad(
                outputs,
                [x for x in inputs if x.requires_grad],
                [graphlab.ones_like(t) for t in outputs],
                allow_unused=True,
            )
            for x, grad in zip([x for x in inputs if x.requires_grad], grads, strict=True):
                assert grad is None or grad.shape == x.shape, (
                    f"a rule of {sample.op} returns shape {tuple(grad.shape)} for an input of "
                    f"{tuple(x.shape)}: write sum_to(..., size(self)) in it, see ops/base.py"
                )


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0), (0, 3)], ids=str)
@pytest.mark.parametrize("sample", [s for s in POINTWISE if s.op != "where"], ids=name_of)
def test_pointwise_operations_take_0d_and_empty_tensors(sample, shape):
    sample = sample.reshaped(*[shape] * len(sample.args))
    inputs, (out,) = run(sample)
    assert out.shape == shape
    backward([out])
    assert all(x.grad.shape == shape for x in inputs if x.requires_grad)


@pytest.mark.parametrize(
    "shapes", [((), (), ()), ((3,), (2, 1), ()), ((2, 1), (3,), (2, 3)), ((0,), (0,), ())], ids=str
)
def test_where_broadcasts_condition_and_both_choices(shapes):
    args = (Arg(shapes[0], kind="b", low=0, high=2), Arg(shapes[1]), Arg(shapes[2]))
    sample = Sample("where", lambda t, c, x, y: t.where(c, x, y), args)
    inputs = sample.tensors(graphlab)
    assert errors(lambda *xs: sample.call(graphlab, *xs), inputs) == []


# -- what a rule asks for ----------------------------------------------------------------------


def test_a_rule_that_asks_for_what_the_operation_does_not_have_is_refused():
    from graphlab.ops import Op

    with pytest.raises(TypeError, match=r"asks for \['weight'\], which it does not have"):

        class Wrong(Op):
            node, symbol = "WrongBackward0", "?"

            def forward(self): ...

            def grad_self(grad, weight): ...

    assert "wrong" not in registry


# -- mutation: the tests above would notice a wrong rule ---------------------------------------

FIRST = {sample.op: sample for sample in reversed(SAMPLES) if "empty" not in sample.note}
RULES = [
    (name, i)
    for name, op in sorted(registry.items())
    for i, given in enumerate(op.rules)
    if name != "custom" and name in FIRST and op.phrases[given] != NO_RULE  # it raises an error
]


def mutate(monkeypatch, name, index, change):
    """Make the rule of input `index` of an operation wrong: `change` its result."""
    cls = node_class(registry[name])
    right = cls.vjp

    def wrong(node, grad):
        found = right(node, grad)
        if registry[name].variadic:
            return tuple(change(g) for g in found)
        several = list(found) if isinstance(found, tuple | list) else [found]
        several[index] = None if several[index] is None else change(several[index])
        return tuple(several) if isinstance(found, tuple | list) else several[0]

    monkeypatch.setattr(cls, "vjp", wrong)


@pytest.mark.parametrize(("name", "index"), RULES)
def test_a_rule_with_the_wrong_sign_is_noticed(name, index, monkeypatch):
    sample = FIRST[name]
    call = lambda *xs: sample.call(graphlab, *xs)  # noqa: E731
    mutate(monkeypatch, name, index, lambda g: -g)
    found = errors(call, sample.tensors(graphlab), sample.h)
    assert bool(found) == (name not in FLAT and (name, index) not in FLAT_INPUTS)


@pytest.mark.parametrize(("name", "index"), RULES)
def test_a_rule_that_is_off_by_a_thousandth_is_noticed(name, index, monkeypatch):
    sample = FIRST[name]
    call = lambda *xs: sample.call(graphlab, *xs)  # noqa: E731
    mutate(monkeypatch, name, index, lambda g: g + 1e-3)
    assert errors(call, sample.tensors(graphlab), sample.h)
