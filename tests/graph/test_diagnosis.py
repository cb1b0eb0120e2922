"""What an engineer asks of a timeline: the first NaN, the flow, the bytes, lost parameters."""

from __future__ import annotations

import math

import pytest

import graphlab
from graphlab import nn


def deep(count: int, activation: type) -> nn.Sequential:
    graphlab.manual_seed(0)
    layers = [layer for _ in range(count) for layer in (nn.Linear(4, 4), activation())]
    return nn.Sequential(*layers)


def test_the_first_operation_that_makes_a_nan_forward_is_named_with_its_line() -> None:
    x = graphlab.tensor([1.0, 2.0, 3.0], requires_grad=True)
    root = graphlab.sqrt(x - 2)  # the cause
    loss = (graphlab.exp(root) * 2).sum()
    found = graphlab.trace(loss).first_nonfinite()
    assert found is not None
    assert (found.direction, found.name, found.what) == ("forward", "SqrtBackward0", "nan")
    assert found.source is not None
    assert found.source.text.startswith("root = graphlab.sqrt(x - 2)")
    assert "SqrtBackward0 computed nan from finite numbers, line" in str(found)


def test_a_nan_that_only_the_backward_pass_makes_is_found_there() -> None:
    x = graphlab.tensor([0.0, 4.0], requires_grad=True)
    loss = graphlab.where(x > 0, graphlab.sqrt(x), x).sum()  # 0 * inf in the branch not chosen
    timeline = graphlab.trace(loss)
    found = timeline.first_nonfinite()
    assert found is not None
    assert (found.direction, found.name) == ("backward", "SqrtBackward0")
    assert found.event is not None
    assert timeline[found.event].kind == "RuleApplied"


def test_minus_infinity_in_a_mask_is_no_trouble() -> None:
    scores = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    mask = graphlab.tensor([[False, True], [False, False]])
    loss = scores.masked_fill(mask, -math.inf).softmax(-1)[0, 0]
    assert graphlab.trace(loss).first_nonfinite() is None


def test_where_all_is_finite_nothing_is_found() -> None:
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    assert graphlab.trace((x * x).sum()).first_nonfinite() is None


def test_the_flow_shows_where_a_gradient_vanishes() -> None:
    net = deep(20, nn.Sigmoid)
    loss = net(graphlab.ones(2, 4)).sum()
    flow = graphlab.trace(loss).flow()
    sigmoids = [one for one in flow if one.name == "SigmoidBackward0"]
    assert len(sigmoids) == 20
    assert sigmoids[0].sent > 1e6 * sigmoids[-1].sent > 0
    assert all(one.scope for one in flow[1:])


@pytest.mark.parametrize(
    ("ones", "said"),
    [(1, ">99% zeros"), (0, "100% zeros"), (9_999, "<1% zeros"), (5_000, "50% zeros")],
)
def test_only_a_gradient_of_zeros_alone_is_said_to_be_zero(ones: int, said: str) -> None:
    x = graphlab.full((10_000,), -1.0)
    x[:ones] = 1.0
    (flow,) = [
        one
        for one in graphlab.trace(graphlab.relu(x.requires_grad_()).sum()).flow()
        if "Relu" in one.name
    ]
    assert str(flow).endswith(f", {said}")


def test_the_flow_counts_the_zeros_of_dead_units() -> None:
    x = graphlab.tensor([1.0, -1.0, -2.0, -3.0], requires_grad=True)
    (relu,) = (one for one in graphlab.trace(graphlab.relu(x).sum()).flow() if "Relu" in one.name)
    assert relu.zeros == 0.75
    assert (relu.came, relu.sent, relu.leaves) == (2.0, 0.0, 1.0)


def test_what_a_layer_sends_to_its_weights_is_told_apart_from_what_it_sends_on() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))
    x = graphlab.tensor([[100.0, 200.0, 300.0]])
    graphlab.nn.init.constant_(net[0].weight, 1e-4)
    graphlab.nn.init.constant_(net[2].weight, 1e-3)
    timeline = graphlab.trace(net(x).sum())
    net(x).sum().backward()
    last, first = (one for one in timeline.flow() if one.name == "AddmmBackward0")
    assert last.sent == pytest.approx(1e-3 * 2**0.5, rel=1e-4)
    for one, layer in ((last, net[2]), (first, net[0])):
        grads = [float(p.grad.norm()) for p in layer.parameters()]
        assert one.leaves == pytest.approx(math.hypot(*grads), rel=1e-4)
    assert (first.sent, str(first).count(" to leaves")) == (0, 1)
    assert str(last).startswith("AddmmBackward0 in net.2: 1 -> 0.00141 and ")


def test_the_norm_of_a_large_array_follows_from_its_statistics() -> None:
    x = graphlab.full((300,), 2.0, requires_grad=True)
    flow = graphlab.trace((x * 3).sum()).flow()
    assert flow[-1].leaves == pytest.approx(3 * math.sqrt(300), rel=1e-4)


def test_a_recording_tells_the_flow_of_large_arrays_by_their_norms():
    x = graphlab.full((30, 40), 0.5).requires_grad_()
    with graphlab.record() as timeline:
        (x * 3).sum().backward()
    flow = {one.name: one for one in timeline.flow()}
    assert flow["MulBackward0"].came == pytest.approx(1200**0.5, rel=1e-4)  # texts have 5 digits
    assert flow["MulBackward0"].leaves == pytest.approx(3 * 1200**0.5, rel=1e-4)
    read = graphlab.Timeline.from_json(timeline.to_json())
    assert repr(read.flow()) == repr(timeline.flow())  # nan is not equal to nan


def test_saved_bytes_by_module_count_each_tensor_once_and_no_parameter() -> None:
    net = deep(3, nn.Tanh)
    x = graphlab.ones(2, 4)
    timeline = graphlab.trace(net(x).sum())
    # three results of tanh, of which the next layer keeps two again, and the input
    assert timeline.saved_bytes(depth=1) == {"net": 4 * 32}
    found = timeline.saved_bytes()
    assert sum(found.values()) == 4 * 32
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize("depth", [0, -1, "1", 1.5])
def test_a_depth_that_is_none_is_refused(depth) -> None:
    x = graphlab.tensor(2.0, requires_grad=True)
    with pytest.raises(ValueError, match="depth must be an integer of at least 1"):
        graphlab.trace(x * x).saved_bytes(depth)


def test_a_view_keeps_the_whole_tensor() -> None:
    x = graphlab.ones(100, requires_grad=True)
    part = (x + 1)[:2]
    assert graphlab.trace((part * part).sum()).saved_bytes() == {"": 400}


def test_parameters_without_a_gradient_are_named() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    h = net[0](graphlab.ones(2)).detach()
    loss = net[1](h).sum()
    assert graphlab.trace(loss).unreached(net) == ("0.weight", "0.bias")
    with pytest.raises(TypeError, match=r"unreached\(model\) takes a module, got int"):
        graphlab.trace(loss).unreached(3)


def test_units_that_are_zero_for_the_whole_batch_are_dead() -> None:
    x = graphlab.tensor([[1.0, -1.0, 2.0], [3.0, -2.0, -1.0]], requires_grad=True)
    (dead,) = graphlab.trace(graphlab.relu(x).sum()).dead_units()
    assert (dead.name, dead.units, dead.silent, dead.blocked) == ("ReluBackward0", 3, 1, 1)
    (alone,) = graphlab.trace(graphlab.relu(x[:, 1:2]).sum()).dead_units()
    assert str(alone).startswith("ReluBackward0: of 1 unit, 1 is 0 for the whole batch")
    assert not graphlab.trace(graphlab.relu(x[:1]).sum()).dead_units()  # one example is no batch


def test_channels_of_large_images_that_send_no_gradient_are_counted() -> None:
    x = graphlab.randn(4, 6, 16, 16)
    x[:, 2] = -1
    x[:, 4] = 9
    x = x.requires_grad_(True)
    with graphlab.record() as timeline:
        graphlab.nn.functional.hardtanh(x).sum().backward()
    (dead,) = timeline.dead_units()  # the result is not saved, the gradient tells
    assert (dead.units, dead.silent, dead.blocked) == (6, 0, 2)


def dead_in_both(loss: graphlab.Tensor) -> list[str]:
    told = [str(one) for one in graphlab.trace(loss).dead_units()]
    with graphlab.record() as timeline:
        loss.backward()
    assert [str(one) for one in timeline.dead_units()] == told
    return told


@pytest.mark.parametrize("examples", [3, 300])  # 300: a trace holds only a corner
@pytest.mark.parametrize(
    ("kind", "far"), [("tanh", 20), ("sigmoid", 40), ("gelu", -20), ("elu", -200), ("relu", -1)]
)
def test_units_that_are_saturated_for_the_whole_batch_send_no_gradient(kind, far, examples) -> None:
    x = graphlab.ones(examples, 4) * graphlab.tensor([0.5, far, 0.5, far])
    x[0, 3] = 0.5  # one example is enough for a gradient
    loss = getattr(nn.functional, kind)(x.requires_grad_()).sum()
    (said,) = dead_in_both(loss)
    assert said.endswith("1 sends no gradient")
    assert " of 4 units, " in said
    assert (x.grad == 0).all(0).tolist() == [False, True, False, False]


@pytest.mark.parametrize("examples", [3, 300])
def test_units_that_get_no_gradient_are_not_dead(examples) -> None:
    x = graphlab.ones(examples, 4).requires_grad_()
    assert dead_in_both(graphlab.tanh(x)[:, :2].sum()) == []
    assert dead_in_both((graphlab.relu(x) @ graphlab.zeros(4, 3)).sum()) == []
    assert dead_in_both(graphlab.tanh(x * 0).sum()) == []  # 0 is where tanh is steepest
    assert dead_in_both(graphlab.tanh(x * math.nan)[:, :2].sum()) == []  # it sends 0 * nan


def test_units_that_get_their_gradient_from_another_node_are_not_dead() -> None:
    rows = [[1.0, -30.0, 30.0, 0.5], [2.0, -30.0, 30.0, -0.5]]
    x = graphlab.tensor(rows, requires_grad=True)
    assert dead_in_both(nn.functional.tanhshrink(x).sum()) == []
    assert dead_in_both(((x * 2) * (x * 2).tanh()).sum()) == [
        "TanhBackward0: of 4 units, 2 send no gradient"
    ]
    h = x * 2
    with graphlab.record() as timeline:  # h is a result, too
        graphlab.autograd.backward([h.tanh().sum(), h], [None, graphlab.ones(2, 4)])
    assert timeline.dead_units() == ()


@pytest.mark.parametrize("examples", [2, 300])
def test_a_dead_unit_is_found_beside_one_that_gets_0_and_sends_nan(examples) -> None:
    x = graphlab.ones(examples, 3) * graphlab.tensor([math.inf, -1e4, 1.0])
    loss = nn.functional.gelu(x.requires_grad_()).clamp(max=5).sum()
    assert dead_in_both(loss) == ["GeluBackward0: of 3 units, 1 sends no gradient"]


def test_a_parameter_that_gets_no_gradient_is_named_with_the_cut() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    net[2].bias.requires_grad_(False)
    hidden = net[1](net[0](graphlab.ones(2)))
    loss = net[2](hidden.detach()).sum()
    told = [str(one) for one in graphlab.trace(loss).unreached()]
    assert told[0].startswith("net.0.weight: cut off by detach() before ")
    assert told[-1] == "net.2.bias: its requires_grad is False"
    assert len(told) == 3


def test_a_recording_names_the_line_that_ran_in_no_grad() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with graphlab.record() as timeline:
        with graphlab.no_grad():
            hidden = net[1](net[0](graphlab.ones(4, 2)))
        net[2](hidden).sum().backward()
    (weight, bias) = timeline.unreached()
    assert (weight.name, bias.name) == ("net.0.weight", "net.0.bias")
    assert weight.why == bias.why == "used in no_grad()"
    assert weight.source
    assert "hidden = net[1](net[0]" in weight.source.text


class Rounded(graphlab.autograd.Function):
    """Rounds, and sends no gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, *grads):
        return None


def test_parameters_behind_a_function_that_returns_none_are_told_with_its_line() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    x = graphlab.ones(4, 2)
    with graphlab.record() as timeline:
        hidden = Rounded.apply(net[0](x))
        net[1](hidden).sum().backward()
    assert net[0].weight.grad is None
    assert timeline.unreached(net) == ("0.weight", "0.bias")
    weight, _ = timeline.unreached()
    assert str(weight).startswith("net.0.weight: RoundedBackward sent None, line ")
    assert str(weight).endswith(": hidden = Rounded.apply(net[0](x))")
    rehearsed = graphlab.trace(net[1](Rounded.apply(net[0](x))).sum())
    assert rehearsed.unreached(net) == ("0.weight", "0.bias")
    assert {one.why for one in rehearsed.unreached()} == {"RoundedBackward sent None"}


def test_a_parameter_that_another_pass_reached_is_not_lost() -> None:
    net, x = nn.Linear(2, 1), graphlab.ones(2)
    with graphlab.record() as timeline:
        (Rounded.apply(net(x)) + 0 * x.requires_grad_().sum()).sum().backward()
        net(x).sum().backward()
    assert timeline.unreached() == ()
    assert timeline.unreached(net) == ()


def test_a_module_that_ran_without_effect_is_told_apart_from_one_that_did_not_run() -> None:
    net, aside, spare = nn.Linear(2, 1), nn.Linear(2, 1), nn.Linear(2, 1)
    x = graphlab.ones(2)
    with graphlab.record() as timeline:
        aside(x)
        net(x).sum().backward()
    (found,) = timeline.unreached()
    why = "its module ran in this block, but no gradient path leads from the result to it"
    assert (found.name, found.why) == ("aside.*", why)
    assert spare.weight.grad is None


def test_a_pass_that_could_not_begin_is_told_with_the_reason_and_the_line() -> None:
    with graphlab.record() as timeline, pytest.raises(RuntimeError, match="does not require grad"):
        graphlab.ones(2).sum().backward()
    assert "could not begin: element 0 of tensors does not require grad" in timeline.title
    assert timeline.title.endswith(": graphlab.ones(2).sum().backward()")


def test_a_module_that_the_graph_does_not_use_at_all_is_not_asked_for_gradients() -> None:
    net, other = nn.Linear(2, 1), nn.Linear(2, 1)
    assert graphlab.trace(net(graphlab.ones(2)).sum()).unreached() == ()
    assert other.weight.grad is None


def test_what_a_recording_tells_of_lost_parameters_survives_its_json() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with graphlab.record() as timeline:
        net[2](net[1](net[0](graphlab.ones(4, 2))).detach()).sum().backward()
    again = graphlab.Timeline.from_json(timeline.to_json())
    assert again.unreached() == timeline.unreached()
    assert timeline.unreached()[0].why == "cut off by detach()"
    assert again.dead_units() == timeline.dead_units()


def test_what_flow_and_dead_units_return_is_shown_as_sentences() -> None:
    x = graphlab.tensor([[1.0, -1.0], [2.0, -3.0]], requires_grad=True)
    timeline = graphlab.trace(graphlab.relu(x).sum())
    assert repr(timeline.flow()[0]) == "<SumBackward0: 1 -> 2>"
    assert repr(timeline.dead_units()[0]).startswith("<ReluBackward0: of 2 units, 1 is 0 for")
