"""What `graphlab.compare` takes, what it refuses, and what a Comparison gives.

Read next: graphlab/faces/render/two_graphs.py
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest

import graphlab
import graphlab.nn.functional as F
from graphlab.common.errors import TraceError
from graphlab.faces.render.two_graphs import Comparison
from graphlab.graph.comparing.differences import agree
from graphlab.graph.compression import decompressed
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value, summarise
from tests.comparing.mistakes import walks_of
from tests.functions import Square

MIME = "application/vnd.graphlab.v1+json"


@pytest.fixture
def x():
    return graphlab.tensor(3.0, requires_grad=True)


def test_a_tensor_and_a_timeline_are_compared(x):
    comparison = graphlab.compare(x * x, graphlab.trace(x + x))
    assert [one.kind for one in comparison] == ["operation", "result", "gradient"]
    assert comparison.differences[0].sentence.startswith("The first graph has mul")


def test_nothing_is_changed_by_a_comparison(x):
    one, other = x * x, x.detach() * x
    graphlab.compare(one, other)
    assert x.grad is None
    one.backward()
    other.backward()
    assert x.grad.item() == 9.0


def test_detach_on_another_line_is_named(x):
    w = graphlab.tensor(2.0, requires_grad=True)
    h = w * x
    whole = h * x
    h = h.detach()
    assert " was cut off by detach() before mul" in graphlab.compare(whole, h * x)[0].sentence


def test_a_recording_beside_a_rehearsal_is_compared_in_its_first_pass(x):
    with graphlab.record() as timeline:
        for _ in range(2):
            (x * x).backward()
    comparison = graphlab.compare(x.detach().requires_grad_() ** 2, timeline)
    assert comparison.note == ("The second is a recording of 2 passes; only the first is compared.")


def test_graphs_with_little_in_common_are_said_to_have():
    a, b = (graphlab.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    one = a.sin().cos().tanh().exp().log().sqrt()
    said = "little in common. Operations that correspond: 0, of 6 in the first graph and 2 in the"
    assert said in graphlab.compare(one, b * b * b).note


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3.0, "expects a tensor or a Timeline as its second argument, got float 3.0; a number"),
        (None, "as its second argument, got None; backward() returns None"),
        (np.ones(2), "as its second argument, got ndarray"),
    ],
)
def test_what_is_no_tensor_is_refused(x, given, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        graphlab.compare(x * x, given)


def test_a_tensor_without_a_graph_is_refused(x):
    with pytest.raises(RuntimeError, match="the second tensor: it was not recorded"):
        graphlab.compare(x * x, graphlab.tensor(1.0))


def test_a_tensor_of_several_entries_is_refused():
    v = graphlab.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"the first tensor has shape \[2\]; compare the sums"):
        graphlab.compare(v * 2, v.sum())


def test_timelines_of_results_with_different_shapes_are_compared():
    v = graphlab.ones(2, requires_grad=True)
    walks = [graphlab.trace(e, gradient=graphlab.ones_like(e)) for e in (v * 2, v[:1] * 2)]
    told = [one.sentence for one in Comparison(*walks)]
    assert any("has shape (2,) in the first graph, and (1,) in the second" in one for one in told)


def test_a_freed_graph_is_refused_with_what_to_do(x):
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="call trace before backward"):
        graphlab.compare(y, x * x)


def test_an_empty_recording_is_refused(x):
    with graphlab.record() as timeline:
        pass
    with pytest.raises(ValueError, match="the second timeline is empty, because nothing was"):
        graphlab.compare(x * x, timeline)


def double_backward(m):
    with graphlab.record() as timeline:
        (first,) = graphlab.autograd.grad((m**3).sum(), m, create_graph=True)
        first.sum().backward()
    return timeline


def changed_through_a_view(m):
    y = m * 2
    y[0] = y[1] * 3
    return y.sum()


def with_a_hook(m):
    y = m * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    return (y * y).sum()


STRANGE = {
    "a Function": lambda m: Square.apply(m).sum(),
    "several outputs": lambda m: (m.unbind()[0] * m.unbind()[1]).sum(),
    "an output that is an index": lambda m: m.sort()[0].sum(),
    "a view changed in place": changed_through_a_view,
    "two layers": double_backward,
    "hooks": with_a_hook,
    "a list of inputs": lambda m: graphlab.cat([m, m]).sum(),
    "a mask": lambda m: graphlab.where(m > 2, m, 0.0).sum(),
    "a leaf alone": lambda m: graphlab.tensor(2.0, requires_grad=True),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_graphs_are_compared_too(kind):
    walks = []
    for _ in range(2):
        m = graphlab.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        made = STRANGE[kind](m)
        walks.append(made if isinstance(made, Timeline) else graphlab.trace(made))
    comparison = Comparison(*walks)
    assert comparison.same
    assert all(not row.why for row in comparison.rows)
    assert Comparison(walks[0], graphlab.trace(m.sum() * 5)).text


def test_differences_cannot_be_changed(x):
    comparison = graphlab.compare(x * x, x + x)
    with pytest.raises(dataclasses.FrozenInstanceError):
        comparison[0].kind = "cut"  # type: ignore[misc]


def test_the_bundle_holds_text_a_page_and_both_traces(x):
    comparison = graphlab.compare(x * x, x + x)
    bundle = comparison._repr_mimebundle_()
    assert bundle["text/plain"] == comparison.text == str(comparison)
    assert bundle[MIME]["format"] == "graphlab.comparison"
    document = json.loads(decompressed(bundle[MIME]["gzip"]))
    assert [Timeline.from_json(trace).title for trace in document["traces"]] == ["x * x", "x + x"]
    assert bundle["text/html"].count("<img ") == 2
    assert repr(comparison) == "<Comparison: x * x beside x + x: 3 differences>"


def test_a_comparison_is_saved_as_a_page_a_document_and_text(x, tmp_path: Path):
    comparison = graphlab.compare(x * x, x + x)
    for name in ("two.html", "two.json", "two.txt"):
        assert comparison.save(tmp_path / name) == tmp_path / name
    assert "<title>x * x beside x + x</title>" in (tmp_path / "two.html").read_text("utf-8")
    assert json.loads((tmp_path / "two.json").read_text("utf-8"))["format"] == (
        "graphlab.comparison"
    )
    assert (tmp_path / "two.txt").read_text("utf-8") == comparison.text + "\n"


def test_another_ending_is_refused(x, tmp_path: Path):
    with pytest.raises(ValueError, match=r"one of \['.html', '.json', '.txt'\], got '.png'"):
        graphlab.compare(x * x, x + x).save(tmp_path / "two.png")
    assert not list(tmp_path.iterdir())


def test_names_and_code_of_users_are_data_in_the_page():
    one, other = walks_of("nothing")
    hostile = Timeline(other.graph, other.events, title="<script>alert(1)</script>")
    page = Comparison(one, hostile)._repr_mimebundle_()["text/html"]
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1.0, 1.00001, True),  # within 1e-4
        (1.0, 1.001, False),
        (0.0, 1e-17, True),  # within the spacing of float64 at 1
        (0.0, 1e-9, False),
        (float("nan"), float("nan"), True),
        (float("inf"), float("-inf"), False),
        (float("inf"), 1.0, False),
        (1, 2, False),
        (np.float16(1), np.float16(1.001), True),
        (np.float32(1), np.float64(1), False),
        (np.ones((2, 2)), np.ones(4), False),
        (np.zeros((30, 30)), np.eye(30), False),
        (np.zeros((30, 30)), np.pad(np.zeros((29, 29)), (0, 1), constant_values=9.0), False),
        (np.ones((30, 30)), np.ones((30, 30)) + 1e-7, True),
        (np.array([]), np.array([]), True),
    ],
)
def test_values_agree_within_the_tolerance_of_their_type(one, other, same):
    assert agree(summarise(one), summarise(other)) is same
    assert agree(summarise(other), summarise(one)) is same


@pytest.mark.parametrize("text", ["unknown", "no value"])
def test_a_number_that_was_not_kept_agrees_with_every_number(text):
    unknown = Value((), "float32", text)
    assert agree(unknown, summarise(np.float32(1.2)))
    assert agree(summarise(np.float32(1.2)), unknown)


def test_two_recordings_of_one_title_are_called_as_their_variables() -> None:
    def walk(factor: float) -> graphlab.Timeline:
        x = graphlab.tensor(3.0, requires_grad=True)
        with graphlab.record() as timeline:
            loss = x * factor
            loss.backward()
        return timeline

    bad, good = walk(2.0), walk(3.0)
    comparison = graphlab.compare(bad, good)
    assert comparison.title == "bad beside good"
    assert graphlab.compare(walk(2.0), walk(3.0)).title == "loss beside loss"
    with pytest.raises(TypeError, match=r"no truth value: write comparison\.same"):
        bool(comparison)


def test_a_saved_comparison_is_not_taken_for_a_walk(x, tmp_path: Path):
    path = graphlab.compare(x * x, x * 3).save(tmp_path / "two.json")
    with pytest.raises(TraceError, match="it is a comparison, which JupyterLab opens"):
        graphlab.Timeline.from_json(path)


def test_a_comparison_says_how_exact_it_is(x):
    one, other = graphlab.exp(x) * 2.0, graphlab.exp(x) * 2.00001
    assert "agree to 4 digits" in graphlab.compare(one, other).summary


@pytest.mark.parametrize("order", [1, -1])
def test_an_option_at_its_default_is_compared_with_that_of_the_other_graph(order):
    v = graphlab.tensor([[-1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    leaky = (F.leaky_relu(v, 0.3).sum(), F.leaky_relu(v).sum())[::order]
    texts = ("negative_slope = 0.3", "negative_slope = 0.01")[::order]
    assert graphlab.compare(*leaky)[0].values == texts
    sums = (v.sum(1, keepdim=True).mean(), v.sum(1).mean())[::order]
    (only,) = graphlab.compare(*sums)
    assert only.values == ("keepdim = True", "keepdim = False")[::order]


def test_graphs_whose_gradients_differ_only_inside_are_not_the_same():
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)

    def loss(*hooks):
        h = x * 2
        k = h * 3
        for one, hook in zip((k, h), hooks, strict=False):
            one.register_hook(hook)
        return k.sum()

    assert graphlab.compare(loss(), loss()).same
    comparison = graphlab.compare(loss(lambda g: g * 2, lambda g: g / 2), loss())
    assert [one.kind for one in comparison] == ["gradient"]
    assert comparison[0].sentence.startswith("The gradient of the result of mul")
    assert "all gradients agree" not in comparison.summary


def test_graphs_in_which_a_value_differs_are_not_the_same(x):
    w = graphlab.tensor(2.0, requires_grad=True)
    one, other = graphlab.trace((w * x).sin()), graphlab.trace((x * w).sin())
    assert Comparison(one, other).same
    made = next(node.outputs[0] for node in other.graph.nodes if node.op == "mul")
    tensors = [
        dataclasses.replace(t, value=summarise(np.float32(7))) if t.id == made else t
        for t in other.graph.tensors
    ]
    graph = dataclasses.replace(other.graph, tensors=tuple(tensors))
    (_, told) = sorted(Comparison(one, Timeline(graph, other.events)), key=lambda d: d.kind)
    assert "6.0 in the first graph, and 7.0 in the second" in told.sentence


def test_another_formula_with_the_same_result_and_gradients_is_said_to_agree(x):
    e = (2 * x).exp()
    alike = "but the result and all gradients agree to 4 digits."
    assert graphlab.compare(x.tanh(), (e - 1) / (e + 1)).summary.endswith(f"1 difference, {alike}")
    assert alike not in graphlab.compare(x.tanh(), e / (e + 1)).summary
    assert alike not in graphlab.compare(x * x, x * x.detach()).summary
    with graphlab.record() as again:
        (x * x).backward()
        (x * x).backward()
    x.grad = None
    with graphlab.record() as once:
        (x * x).backward()
    assert alike not in graphlab.compare(once, again).summary
    with graphlab.record() as third:  # to a gradient that is there
        (x * x).backward()
    assert graphlab.compare(once, third)[0].kind == "accumulated"
    assert alike not in graphlab.compare(once, third).summary


def test_a_gradient_that_is_a_little_larger_is_not_called_1_times_as_large(x):
    said = graphlab.compare(x * x, x * x * 1.003)[-1].sentence
    assert said.endswith("in the second: nearly the same.")


def called_on_two(second):
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    with graphlab.record() as timeline:
        graphlab.autograd.backward([(x * 2).sum(), *second(x)])
    return timeline


def test_the_results_agree_only_if_all_on_which_backward_is_called_do():
    one, other = (called_on_two(lambda x, k=k: [(x * 0 + k).sum()]) for k in (3.0, 4.0))
    comparison = graphlab.compare(one, other)
    assert "all gradients agree" not in comparison.summary
    assert [d.kind for d in comparison] == ["value", "result"]
    assert comparison[1].sentence.endswith("is 6.0 in the first graph, and 8.0 in the second.")
    again = called_on_two(lambda x: [(0 * x).sum() + 6.0])
    assert graphlab.compare(one, again).summary.endswith(
        "but the result and all gradients agree to 4 digits."
    )
    assert "all gradients agree" not in graphlab.compare(one, called_on_two(lambda x: [])).summary


@pytest.mark.parametrize("length", [200, 400])
def test_gradients_of_which_a_trace_holds_a_sample_are_not_said_to_agree(length):
    def loss(shift, w):
        x = graphlab.ones(length).requires_grad_()
        return (x.roll(shift) * w).sum()

    w = graphlab.ones(length)
    summary = graphlab.compare(loss(150, w), loss(151, w)).summary
    assert ("all gradients agree" in summary) == (length <= 200)
    w[-1] = 5.0
    assert "all gradients agree" not in graphlab.compare(loss(150, w), loss(151, w)).summary


def test_constants_with_two_names_are_told_with_both():
    a, b = graphlab.tensor([10.0, 20.0]), graphlab.tensor([1.0, 2.0])
    w = graphlab.tensor(1.5, requires_grad=True)
    first, second, third = (w * a).sum(), (w * b).sum(), (w * (a - 15)).sum()
    assert "constant a (in the second graph b) is" in str(graphlab.compare(first, second)[0])
    assert "constant a (in the second graph another" in str(graphlab.compare(first, third)[0])


@pytest.mark.torch
def test_an_operation_whose_inputs_are_unknown_is_not_said_to_compute_something_else():
    torch = pytest.importorskip("torch")

    def trained(optimizer):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        x, steps = torch.randn(4, 2), optimizer(net.parameters(), lr=0.1)
        with graphlab.record() as timeline:
            for _ in range(2):
                steps.zero_grad()
                net(x).square().mean().backward()
                steps.step()
        return timeline

    found = graphlab.compare(trained(torch.optim.SGD), trained(torch.optim.Adam))
    assert len(found) > 3
    assert "From inputs that agree" not in repr(found)


def test_a_parameter_that_was_changed_before_is_no_difference():
    trained, fresh = (graphlab.ones(2, requires_grad=True) for _ in range(2))
    with graphlab.no_grad():
        trained.mul_(2).div_(2)
    assert graphlab.compare((trained * 3).sum(), (fresh * 3).sum()).same
