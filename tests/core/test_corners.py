"""Corners that programs run into: nan among extremes, what is in a tensor, sentences of operators.

Read next: tests/core/test_bad_input.py
"""

import pytest

import graphlab as torch

NAN = float("nan")
TWO_BOOLS = "with two bool tensors is not supported. Use the `\\^` or `logical_xor"
ONE_BOOL = "with a bool tensor is not supported. If you are trying to invert a mask"


@pytest.mark.parametrize("name", ["max", "min", "median"])
def test_where_nan_is_the_result_the_gradient_goes_to_nan(name):
    x = torch.tensor([1.0, NAN, 3.0, NAN], requires_grad=True)
    getattr(x, name)().backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.0, 0.5]


def test_the_nanmedian_of_nothing_but_nan_sends_its_gradient_to_nan():
    x = torch.tensor([NAN, NAN], requires_grad=True)
    x.nanmedian().backward()
    assert x.grad.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_no_entries_still_asks_for_a_dim_that_is_there(name):
    with pytest.raises(IndexError, match="Dimension out of range"):
        getattr(torch.zeros(0), name)(1)
    assert getattr(torch.zeros(0, 3), name)(1).shape == (0, 3)


def test_in_asks_whether_any_entry_is_equal():
    assert 3 in torch.tensor([1, 3])
    assert 2.5 not in torch.tensor([1, 3])
    assert torch.tensor([1, 2]) in torch.tensor([[1, 2], [3, 4]])
    assert torch.tensor([1, 3]) in torch.tensor([[1, 2], [4, 5]])  # one entry is enough
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in"):
        "a" in torch.tensor([1])  # noqa: B015


def test_reversed_turns_the_first_dimension_around():
    assert reversed(torch.tensor([[1, 2], [3, 4]])).tolist() == [[3, 4], [1, 2]]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda b: b - b, TWO_BOOLS),
        (lambda b: b - True, TWO_BOOLS),
        (lambda b: True - b, TWO_BOOLS),
        (lambda b: b - 1, ONE_BOOL),
        (lambda b: 1 - b, ONE_BOOL),
        (lambda b: torch.tensor([1]) - b, ONE_BOOL),
        (lambda b: b.long() ** -1, "^Integers to negative integer powers are not allowed.$"),
    ],
)
def test_what_operators_refuse_is_said_as_pytorch_says_it(call, sentence):
    with pytest.raises(RuntimeError, match=sentence):
        call(torch.tensor([True]))


@pytest.mark.parametrize(
    "name", ["add_", "mul_", "pow_", "lt_", "atan2", "hypot", "maximum", "logaddexp", "ldexp"]
)
@pytest.mark.parametrize("other", ["a", None, [1.0, 2.0]])
def test_a_method_raises_for_what_is_no_operand_and_changes_nothing(name, other):
    x = torch.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="must be Tensor, not"):
        getattr(x, name)(other)
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", ["add", "sub", "add_", "sub_"])
def test_a_float_does_not_scale_what_is_added_to_integers(name):
    x = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="alpha must not be a floating point number"):
        getattr(x, name)(x, alpha=1.5)
    assert torch.ones(2).add(x, alpha=0.5).tolist() == [1.5, 2.0]


def test_a_gradient_with_a_history_is_added_to_in_place():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x * x).sum().backward(create_graph=True)
    first = x.grad
    used = (first * first).sum()
    (x * 3).sum().backward()
    assert x.grad is first
    assert repr(first) == "tensor([5., 5.], grad_fn=<CopyBackwards>)"
    with pytest.raises(RuntimeError, match="is at version 2; expected version 1 instead"):
        used.backward()
    x.grad = None


def test_what_a_module_with_backward_hooks_gives_cannot_be_changed_in_place():
    layer = torch.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda *args: None)
    y = layer(torch.ones(1, 2))
    assert y._is_view()
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view"):
        torch.nn.functional.relu_(y)


def test_the_mean_of_float16_is_there_where_the_sum_is_too_large():
    x = torch.full((3000,), 300.0, dtype=torch.float16)
    assert x.sum().isinf()
    assert x.mean().item() == 300
    assert x.mean().dtype is torch.float16
    assert x.view(2, 1500).mean(1).tolist() == [300.0, 300.0]
    assert torch.ones(100_000, dtype=torch.float16).mean().item() == 1  # more than 65504 entries


@pytest.mark.parametrize("kind", [torch.uint8, torch.int8, torch.int32, torch.int64])
def test_a_product_of_vectors_of_integers_keeps_their_type(kind):
    x = torch.tensor([1, 2], dtype=kind)
    for product in (x @ x, x.dot(x), torch.vdot(x, x), torch.matmul(x, x)):
        assert product.item() == 5
        assert product.dtype is kind


@pytest.mark.parametrize(
    "name", ["relu", "relu6", "hardtanh", "hardshrink", "softshrink", "hardswish"]
)
def test_a_gradient_passes_at_nan_where_the_function_is_cut_off(name):
    x = torch.tensor([NAN, -9.0], requires_grad=True)
    getattr(torch.nn.functional, name)(x).sum().backward()
    outside = 1.0 if name.endswith("shrink") else 0.0
    assert x.grad.tolist() == [1.0, outside]


SHARES = [  # a, x, below and above x, from mpmath with 30 digits
    (0.5, 0.25, 0.520499877813046538, 0.479500122186953462),
    (20.0, 20.0, 0.529742733160760013, 0.470257266839239987),
    (200.0, 190.0, 0.243347427100623804, 0.756652572899376196),
    (30.0, 0.5, 2.16446729814986449e-42, 1.0),
    (0.5, 30.0, 0.999999999999990514, 9.4857375710738485e-15),
    (1e6, 1e6 + 500, 0.691550475771497182, 0.308449524228502818),
]


@pytest.mark.parametrize(("a", "x", "below", "above"), SHARES)
def test_the_shares_of_gamma_keep_their_digits_on_both_sides(a, x, below, above):
    a, x = torch.tensor([a], dtype=torch.float64), torch.tensor([x], dtype=torch.float64)
    assert torch.igamma(a, x).item() == pytest.approx(below, rel=1e-11)
    assert torch.special.gammaincc(a, x).item() == pytest.approx(above, rel=1e-11)


def test_the_share_of_gamma_at_a_pole_of_a_whole_a_is_nan_and_so_is_its_slope():
    x = torch.tensor([1.0, 1.0], requires_grad=True)
    shares = torch.igammac(torch.tensor([2, -3]), x)
    shares.sum().backward()
    assert shares[0].item() == pytest.approx(2 / 2.718281828, rel=1e-6)
    assert x.grad[0].item() == pytest.approx(-1 / 2.718281828, rel=1e-6)
    assert shares[1].isnan()


@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
@pytest.mark.parametrize("zeros", [[0], [0, 2], [0, 1, 2]])
def test_the_second_derivative_of_a_product_with_zeros_is_that_of_its_factors(name, zeros):
    """PyTorch refuses it where two zeros meet at a place."""
    place = torch.tensor([1, 1, 1, 0])

    def second(product):
        x = torch.tensor([2.0, 3.0, 5.0, 7.0])
        x[zeros] = 0
        x.requires_grad_()
        own = torch.tensor([11.0, 13.0], requires_grad=True)
        y = product(own, x)[1]
        first = torch.autograd.grad(y, (x, own), create_graph=True)
        by = torch.tensor([1.0, 10.0, 100.0, 1000.0])
        return [t.tolist() for t in (*first, *torch.autograd.grad(first[0] @ by, (x, own)))]

    def factors(own, x):
        return torch.stack([own[0] * x[3], own[1] * x[0] * x[1] * x[2]])

    found = second(lambda own, x: getattr(own, name)(0, place, x, "prod"))
    assert found == second(factors)


def sentence_of(call):
    """Return what a call returns, or the sentence of the error that it raises."""
    try:
        return call()
    except (RuntimeError, TypeError) as error:
        return str(error)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize(
    "program",
    [
        lambda t: t.nn.functional.avg_pool2d(t.full((1, 1, 2, 2), 4e4, dtype=t.float16), 2),
        lambda t: t.linalg.lu_factor(t.tensor([[1.0, 1, 2], [NAN, 1, 3], [4, 5, 6]])).pivots,
        lambda t: t.cumulative_trapezoid(t.zeros(0, dtype=t.int64)),
        lambda t: t.cumulative_trapezoid(t.zeros(0), t.zeros(0, dtype=t.float64)),
        lambda t: t.cumulative_trapezoid(t.zeros(2, 0), dx=2.0),
        lambda t: t.nn.CrossEntropyLoss(*[None] * 7),
        lambda t: t.nn.ReLU(True, 2),
        lambda t: t.func.jvp(t.sin, (t.ones(2),), (t.ones(3),)),
        lambda t: t.func.jvp(t.sin, (), ()),
    ],
)
def test_what_is_rarely_asked_for_is_answered_as_pytorch_does(program, torch):
    import graphlab

    found, expected = (repr(sentence_of(lambda t=t: program(t))) for t in (graphlab, torch))
    assert found == expected


def test_a_result_that_keeps_its_gradient_does_so_as_a_leaf():
    y = torch.ones(2, requires_grad=True) * 2
    y.retain_grad()
    y.detach_().requires_grad_()
    (y * 3).sum().backward()
    assert y.retains_grad
    assert y.grad.tolist() == [3.0, 3.0]


def test_a_dual_tensor_requires_no_gradient_after_its_level():
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
    assert not x.requires_grad
