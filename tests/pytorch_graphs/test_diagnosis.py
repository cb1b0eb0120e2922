"""The same questions about PyTorch's passes.

Read next: tests/graph/test_diagnosis.py
"""

from __future__ import annotations

import pytest

import graphlab
from tests.pytorch_graphs.models import MODELS

pytestmark = pytest.mark.torch

WHOLE = (
    "seed", "mlp", "mlp_with_dropout", "conv_net", "residual_net", "llama_block", "rnn_by_hand",
    "u_net", "einsum", "policy_gradient", "lstm", "encoder_layer", "decoder_layer",
    "conv_net_in_one_dimension", "tied_weights", "graph_net", "complex_numbers",
)  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_saved_bytes_are_those_that_pack_hooks_count(torch, name):
    storages: dict[int, int] = {}

    def pack(tensor):
        owner = tensor if tensor._base is None else tensor._base
        if not (owner.is_leaf and owner.requires_grad):
            storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    torch.manual_seed(0)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        kept = MODELS[name](torch)
    torch.manual_seed(0)
    timeline = graphlab.trace(MODELS[name](torch))
    assert sum(timeline.saved_bytes().values()) == sum(storages.values())
    assert kept.requires_grad


def test_the_first_square_root_is_named_and_not_the_second(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with graphlab.record() as timeline:
        one = torch.sqrt(x - 2)
        two = torch.sqrt(one + 1)
        two.sum().backward()
    found = timeline.first_nonfinite()
    assert found.name == "SqrtBackward0"
    assert found.source.text == "one = torch.sqrt(x - 2)"


def test_parameters_that_a_detach_cut_off_are_named(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    loss = net[2](net[1](net[0](torch.ones(2))).detach()).sum()
    assert graphlab.trace(loss).unreached(net) == ("0.weight", "0.bias")


def test_the_gradient_of_a_deep_sigmoid_net_is_seen_to_vanish(torch):
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(30) for layer in (nn.Linear(4, 4), nn.Sigmoid())])
    flow = [one for one in graphlab.trace(net(torch.ones(2, 4)).sum()).flow() if "Sigm" in one.name]
    assert len(flow) == 30
    assert flow[0].sent > 1e8 * flow[-1].sent > 0


@pytest.mark.parametrize("call", ["trace", "record"])
def test_dead_units_are_those_that_pytorch_never_lights(torch, call):
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 64, 1))
    with torch.no_grad():
        net[0].bias[2:4] = -100.0
    x = torch.randn(4, 1, 10, 10)
    if call == "trace":
        timeline = graphlab.trace(net(x).sum())
    else:
        with graphlab.record() as timeline:
            net(x).sum().backward()
    (dead,) = timeline.dead_units()
    lit = (net[1](net[0](x)) != 0).any(dim=0).flatten(1).any(dim=1)
    assert (dead.units, dead.silent, dead.blocked) == (6, int((~lit).sum()), int((~lit).sum()))
    assert dead.silent == 2


@pytest.mark.parametrize("call", ["trace", "record"])
@pytest.mark.parametrize("examples", [3, 300])
def test_saturated_units_send_no_gradient_and_those_that_get_none_are_not_dead(
    torch, call, examples
):
    x = (torch.ones(examples, 4) * torch.tensor([0.5, 20.0, 0.5, 20.0])).requires_grad_()
    loss = torch.tanh(x)[:, :2].sum()
    if call == "trace":
        timeline = graphlab.trace(loss)
    else:
        with graphlab.record() as timeline:
            loss.backward()
    (dead,) = timeline.dead_units()
    assert (dead.name, dead.units, dead.silent, dead.blocked) == ("TanhBackward0", 4, 0, 1)


@pytest.mark.parametrize("call", ["trace", "record"])
def test_units_that_get_their_gradient_from_another_node_are_not_dead(torch, call):
    x = torch.tensor([[1.0, -30.0], [2.0, -30.0]], requires_grad=True)

    def dead(loss):
        if call == "trace":
            return graphlab.trace(loss).dead_units()
        with graphlab.record() as timeline:
            loss.backward()
        return timeline.dead_units()

    assert dead(torch.nn.functional.tanhshrink(x).sum()) == ()
    assert [one.blocked for one in dead(torch.tanh(x).sum())] == [1]


def test_a_recording_names_the_line_that_cut_parameters_off(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), nn.Linear(3, 1))
    net[3].bias.requires_grad_(False)
    with graphlab.record() as timeline:
        with torch.no_grad():
            first = net[0](torch.ones(4, 2))
        second = net[2](net[1](first)).detach()
        net[3](second).sum().backward()
    told = {one.name: (one.why, one.source and one.source.text) for one in timeline.unreached()}
    assert told == {
        "net.0.weight": ("used in no_grad()", "first = net[0](torch.ones(4, 2))"),
        "net.0.bias": ("used in no_grad()", "first = net[0](torch.ones(4, 2))"),
        "net.2.weight": ("cut off by detach()", "second = net[2](net[1](first)).detach()"),
        "net.2.bias": ("cut off by detach()", "second = net[2](net[1](first)).detach()"),
        "net.3.bias": ("its requires_grad is False", None),
    }


def test_a_rehearsal_names_the_node_before_which_a_tensor_was_detached_if_a_variable_holds_it(
    torch,
):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(2, 1))
    hidden = net[1](net[0](torch.ones(4, 2)))
    loss = net[2](hidden.detach()).sum() * net[3].weight.data.sum()
    told = {one.name: one.why for one in graphlab.trace(loss).unreached()}
    cut = "cut off by detach() or .data before AddmmBackward0"
    lost = ("net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias")
    unused = {f"net.3.{name}": "this graph does not use it" for name in ("weight", "bias")}
    assert told == {**dict.fromkeys(lost, cut), **unused}
    again = (net[2](torch.ones(4, 3)) * net[0].weight.data[0, 0]).sum()
    told = {one.name: one.why for one in graphlab.trace(again).unreached()}
    assert told["net.0.weight"] == "cut off by detach() or .data before MulBackward0"
    assert told["net.0.bias"] == "this graph does not use it"


def test_a_module_with_a_single_node_is_its_scope(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with graphlab.record() as timeline:
        net(torch.ones(4, 2)).sum().backward()
    scopes = {node.name: node.scope for node in timeline.graph.nodes}
    assert scopes["ReluBackward0"] == "net.1"
    assert scopes["SumBackward0"] == ""


def test_so_is_one_whose_node_is_the_first_of_the_pass(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Sequential(nn.Conv2d(1, 2, 3)), nn.ReLU(), nn.Conv2d(2, 1, 3))
    with graphlab.record() as timeline:
        net(torch.ones(1, 1, 5, 5)).sum().backward()
    convolutions = [n.scope for n in timeline.graph.nodes if n.name == "ConvolutionBackward0"]
    assert convolutions == ["net.2", "net.0.0"]


def frozen(torch, backbone, head, x):
    backbone.requires_grad_(False)
    return head(backbone(x))


def detached(torch, backbone, head, x):
    return head(backbone(x).detach())


def without_a_graph(torch, backbone, head, x):
    with torch.no_grad():
        features = backbone(x)
    return head(features)


REASONS = {
    frozen: ("its requires_grad is False", None),
    detached: ("cut off by detach()", "backbone(x).detach()"),
    without_a_graph: ("used in no_grad()", "backbone(x)"),
}


@pytest.mark.parametrize("cut", REASONS, ids=lambda cut: cut.__name__)
def test_a_module_that_ran_and_gets_no_gradient_at_all_is_told_in_one_row(torch, cut):
    backbone, head = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
    spare = torch.nn.Linear(2, 2)  # it does not run, so it is not told
    with graphlab.record() as timeline:
        cut(torch, backbone, head, torch.ones(5, 3)).sum().backward()
    (found,) = timeline.unreached()
    why, line = REASONS[cut]
    assert found.name == "backbone.*"
    assert found.why == why
    assert (line is None) == (found.source is None)
    assert line is None or line in found.source.text
    assert spare.weight.grad is None


WAYS_OUT = {
    "item()": lambda torch, y: y.mean().item(),
    "float()": lambda torch, y: float(y.mean()),
    ".data": lambda torch, y: y.data.mean(),
    "tensor()": lambda torch, y: torch.tensor(y.mean()).clone(),
    "gt()": lambda torch, y: (y > 0).float().mean(),
    "argmax()": lambda torch, y: y.argmax(),
}


@pytest.mark.filterwarnings("ignore:To copy construct from", "ignore:Converting a tensor")
@pytest.mark.parametrize("how", WAYS_OUT)
def test_the_call_that_takes_a_result_out_of_its_graph_is_named_with_its_line(torch, how):
    net, aside, spare = (torch.nn.Linear(2, 1) for _ in range(3))
    x = torch.ones(4, 2)
    with graphlab.record() as timeline:
        cut = WAYS_OUT[how](torch, aside(x))
        (net(x).sum() + cut).backward()
    (found,) = timeline.unreached()
    assert (found.name, found.why) == ("aside.*", f"cut off by {how}")
    assert '": lambda torch, y: ' in found.source.text
    assert spare.weight.grad is None


def test_a_line_that_prints_a_number_is_not_named_before_the_one_that_detaches(torch):
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    with graphlab.record() as timeline:
        hidden = net[0](torch.ones(4, 2))
        assert isinstance(hidden.mean().item(), float)
        assert hidden.shape == torch.zeros_like(hidden).shape
        net[1](hidden.detach()).sum().backward()
    assert {one.why for one in timeline.unreached()} == {"cut off by detach()"}


def test_a_module_that_ran_without_effect_is_told_apart_from_one_that_did_not_run(torch):
    net, aside, spare = (torch.nn.Linear(2, 1) for _ in range(3))
    with graphlab.record() as timeline:
        aside(torch.ones(2))
        net(torch.ones(2)).sum().backward()
    (found,) = timeline.unreached()
    why = "its module ran in this block, but no gradient path leads from the result to it"
    assert (found.name, found.why) == ("aside.*", why)
    assert spare.weight.grad is None


def test_parameters_behind_a_function_that_returns_none_are_told_with_its_line(torch):
    class Rounded(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return None

    lin, out = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    net = torch.nn.ModuleList([lin, out])
    x = torch.ones(4, 2)
    with graphlab.record() as timeline:
        hidden = Rounded.apply(lin(x))
        out(hidden).sum().backward()
    assert lin.weight.grad is None
    weight, _ = timeline.unreached()
    assert (weight.name, weight.why) == ("net.0.weight", "RoundedBackward sent None")
    assert weight.source.text == "hidden = Rounded.apply(lin(x))"
    assert timeline.unreached(net) == ("0.weight", "0.bias")
    rehearsed = graphlab.trace(out(Rounded.apply(lin(x))).sum())
    assert rehearsed.unreached(net) == ("0.weight", "0.bias")
    assert {one.why for one in rehearsed.unreached()} == {"RoundedBackward sent None"}


CANNOT_BEGIN = {
    "does not require grad": lambda torch, y: y.argmax(1).float().mean().backward(),
    "only for scalar outputs": lambda torch, y: y.backward(),
}


@pytest.mark.parametrize("why", CANNOT_BEGIN)
def test_a_pass_that_could_not_begin_is_told_with_the_reason_and_the_line(torch, why):
    net = torch.nn.Linear(2, 3)
    with graphlab.record() as timeline, pytest.raises(RuntimeError, match=why):
        CANNOT_BEGIN[why](torch, net(torch.ones(4, 2)))
    said, _, line = timeline.title.partition(", line ")
    assert said.startswith("nothing was recorded: the backward pass could not begin: ")
    assert why in said
    assert "backward()" in line


def test_an_operation_that_graphlab_does_not_have_is_called_by_short_words(torch):
    lstm = torch.nn.LSTM(3, 4)
    nodes = graphlab.trace(lstm(torch.ones(5, 1, 3))[0].sum()).graph.nodes
    assert {n.symbol for n in nodes if n.name == "MkldnnRnnLayerBackward0"} == {"rnn layer"}


def test_what_a_checkpoint_saves_is_called_made_again_and_not_compared(torch):
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(3, requires_grad=True)
    y = checkpoint(lambda x: x.relu() * x, x, use_reentrant=False).sum()
    with graphlab.record() as timeline:
        y.backward()
    relu = next(n for n in timeline.graph.nodes if n.name == "ReluBackward0")
    assert [item.text for item in relu.saved] == ["made again"]
    said = str(graphlab.check(checkpoint(lambda x: x.relu() * x, x, use_reentrant=False).sum()))
    assert "a pack hook replaced what it saved" in said
    assert "NoneType" not in said


def test_parameters_that_no_optimizer_steps_are_named(torch):
    def recorded(*parameters):
        optimizer = torch.optim.SGD(parameters, lr=0.1)
        with graphlab.record() as timeline:
            for _ in range(2):
                optimizer.zero_grad()
                head(body(x).relu()).sum().backward()
                optimizer.step()
        return timeline.unstepped()

    body, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    x = torch.ones(4, 2, requires_grad=True)  # an input, which nobody means to step
    assert set(recorded(*head.parameters())) == {"body.weight", "body.bias"}
    assert recorded(*head.parameters(), *body.parameters()) == ()
    assert graphlab.trace(head(body(x)).sum()).unstepped() == ()


def test_numbers_that_a_long_loop_reads_do_not_make_it_quadratic(torch, monkeypatch):
    from graphlab.adapters.pytorch import exits

    walked, edges_of = [], exits.edges_of
    monkeypatch.setattr(exits, "edges_of", lambda node: walked.append(0) or edges_of(node))
    w, h, steps = torch.ones(2, 2, requires_grad=True), torch.ones(2), 400
    with graphlab.record():
        for _ in range(steps):
            h = (w @ h).tanh()
            h.sum().item()
    assert steps < len(walked) < 20_000 + (3 + 64) * steps + 3 * steps
    assert len(walked) < steps * 3 * steps / 2 / 4


def losses(torch):
    labels = torch.tensor([0, 1, 2, 0, 1, 2])
    return (
        lambda out: out.square().mean(),
        lambda out: torch.nn.functional.cross_entropy(out, labels),
    )


@pytest.mark.parametrize("loss", [0, 1])
@pytest.mark.parametrize("call", ["trace", "record"])
def test_a_nan_in_the_data_is_said_to_be_there_and_not_in_the_loss(torch, loss, call):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    X = torch.randn(6, 4)
    X[1, 2] = float("nan")
    measure = losses(torch)[loss]
    if call == "trace":
        timeline = graphlab.trace(measure(net(X)))
    else:
        with graphlab.record() as timeline:
            measure(net(X)).backward()
    said = str(timeline.first_nonfinite())
    assert said.startswith("X, an input of AddmmBackward0 in net.0, already holds nan")


def test_an_infinite_weight_is_named(torch):
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    with torch.no_grad():
        net[0].weight[0, 0] = float("inf")
    found = graphlab.trace(net(torch.randn(6, 4)).square().mean()).first_nonfinite()
    assert (found.direction, found.what) == ("input", "inf")
    assert found.name.endswith("0.weight")


def test_a_nan_of_the_fifth_pass_names_the_pass_and_an_event_in_it(torch):
    torch.manual_seed(1)
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=50.0)
    with graphlab.record() as timeline:
        for _ in range(5):
            y = net(torch.randn(3, 4))
            loss = -torch.log(y.sigmoid()).mean() + y.abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    found = timeline.first_nonfinite()
    assert str(found).startswith("Pass 5: ")
    assert found.event in timeline.find(pass_number=5)


@pytest.mark.parametrize(
    "compute",
    [
        lambda torch, x, nan: x + nan,
        lambda torch, x, nan: nan - x,
        lambda torch, x, nan: torch.cat([x, torch.tensor([nan])]),
        lambda torch, x, nan: x.masked_fill(x > 1, nan),
        lambda torch, x, nan: torch.nn.functional.pad(x, (1, 1), value=nan),
        lambda torch, x, nan: torch.nn.functional.linear(
            x[None], torch.ones(2, 3), torch.tensor([nan, 1.0])
        ),
        lambda torch, x, nan: torch.nn.functional.conv1d(
            x[None], torch.ones(1, 1, 2), torch.tensor([nan])
        ),
        lambda torch, x, nan: torch.nn.functional.batch_norm(
            x[:, None], *torch.eye(2)[:, :1], torch.ones(1), torch.tensor([nan])
        ),
    ],
)
def test_nothing_is_called_finite_that_pytorch_does_not_keep(torch, compute):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    said = str(graphlab.trace(compute(torch, x, float("nan")).sum()).first_nonfinite())
    assert " computed nan" in said
    assert "finite" not in said


def test_the_result_of_a_layer_whose_frozen_bias_is_not_kept_is_not_computed_without_it(torch):
    layer = torch.nn.Conv2d(1, 2, 3)
    layer.bias.requires_grad_(False)
    graph = graphlab.trace(layer(torch.ones(1, 1, 6, 6)).neg().sum()).graph
    (node,) = (one for one in graph.nodes if one.name == "ConvolutionBackward0")
    assert len(node.inputs) == 3
    value = graph.tensor(node.outputs[0]).value
    assert value is None or value.statistics is None


def test_a_recording_of_a_failed_pass_prints_why(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.ReLU(inplace=True), nn.Linear(8, 1))
    with graphlab.record(expect=RuntimeError) as timeline:
        net(torch.randn(3, 4)).mean().backward()
    assert "; pass 1 failed at SigmoidBackward0: one of the variables needed" in repr(timeline)
    assert "changed in place after it was saved, line" in repr(timeline)


def test_the_flow_tells_the_joint_norm_of_the_outputs_of_a_split(torch):
    x = torch.randn(4, 6, requires_grad=True)
    with graphlab.record() as timeline:
        h = x.tanh()
        q, k, v = h.chunk(3, 1)
        loss = (q * k + v).sum()
        rehearsed = graphlab.trace(loss)
        loss.backward()
    came = torch.cat([k, q, torch.ones(4, 2)], 1).norm().item()
    for flow in timeline.flow(), rehearsed.flow():
        (one,) = (each for each in flow if each.name == "SplitBackward0")
        assert (one.came, one.sent) == (pytest.approx(came, rel=1e-4),) * 2


@pytest.mark.parametrize("count", [1, 3, 300])
def test_the_flow_knows_the_norms_of_complex_and_sparse_gradients(torch, count):
    z = torch.full((count,), 3 + 4j, requires_grad=True)
    (absolute, product) = graphlab.trace((z * 1j).abs().sum()).flow()[1:]
    assert absolute.sent == product.leaves == pytest.approx(count**0.5, rel=1e-4)
    table = torch.nn.Embedding(count, 2, sparse=True)
    with graphlab.record() as timeline:
        table(torch.tensor([0, 0])).sum().backward()
    assert timeline.flow()[-1].leaves == pytest.approx(8**0.5, rel=1e-4)


def test_a_norm_that_is_not_known_is_told_apart_from_nan(torch):
    x = torch.ones(3, 3, device="meta", requires_grad=True)
    assert (
        str(graphlab.trace((x * x).sum()).flow()[1]) == "MulBackward0: unknown -> unknown to leaves"
    )
    y = torch.zeros(3, requires_grad=True)
    assert "nan to leaves" in str(graphlab.trace((y * float("nan")).sum()).flow()[-1])


def test_an_operation_on_complex_numbers_that_makes_the_first_nan_is_named(torch):
    z = torch.zeros(3, dtype=torch.cfloat, requires_grad=True)
    with graphlab.record() as timeline:
        w = 1 / z
        w.abs().sum().backward()
    assert timeline.first_nonfinite().name == "ReciprocalBackward0"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("why", ["lr", "gradient", "rounding", ""])
def test_a_step_that_changes_no_entry_says_why(torch, why, dtype):
    layer = torch.nn.Linear(30, 20, dtype=getattr(torch, dtype))
    with torch.no_grad():
        for one in layer.parameters():
            one.fill_(1)
    rate = {"lr": 0.0, "rounding": 1e-14}.get(why, 0.1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=rate)
    x = torch.ones(2, 30, dtype=layer.weight.dtype)
    was = [one.detach().clone() for one in layer.parameters()]
    with graphlab.record() as timeline:
        (layer(x).sum() * (why != "gradient")).backward()
        optimizer.step()
    assert [one.unchanged for one in timeline[-1].changes] == [why, why]
    pairs = zip(was, layer.parameters(), strict=True)
    assert all(torch.equal(*pair) == bool(why) for pair in pairs)


def test_of_a_hook_an_edit_of_a_gradient_and_a_step_that_make_nan_is_said_which(torch):
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1e38)
    with graphlab.record() as hooked:
        h = w * 2
        h.register_hook(lambda grad: grad * float("nan"))
        h.sum().backward()
    w.grad = None
    with graphlab.record() as divided:
        (w * 0).sum().backward()
        w.grad.div_(w.grad.norm())
        optimizer.step()
    with torch.no_grad():
        w.fill_(1.0)
    w.grad = None
    with graphlab.record() as stepped:
        (w * 20).sum().backward()
        optimizer.step()
    found = [timeline.first_nonfinite() for timeline in (hooked, divided, stepped)]
    assert [one.said for one in found] == [
        "A hook on h returned nan",
        "w.grad now holds nan",
        "w now holds -inf",
    ]
    assert [one.source and one.source.text for one in found] == [
        None,
        "w.grad.div_(w.grad.norm())",
        "optimizer.step()",
    ]
