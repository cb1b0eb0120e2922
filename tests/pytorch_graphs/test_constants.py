"""What needs no gradient and changes between passes has its own value in each pass of a recording.

Read next: tests/pytorch_graphs/test_exits.py
"""

from __future__ import annotations

from itertools import pairwise

import pytest

import graphlab
from graphlab.graph.value import summarise

pytestmark = pytest.mark.torch


@pytest.fixture(params=["torch", "graphlab"])
def lib(request, torch):
    return torch if request.param == "torch" else graphlab


def read(timeline, name):
    """What nodes read under a name, in the order in which they did."""
    return [one.text for one in timeline if one.kind == "SavedUnpacked" and one.saved == name]


def changes_of(timeline, name):
    """How the timeline tells of each change of a tensor."""
    found = [one for one in timeline if one.kind == "ChangedInPlace" and one.name == name]
    return [(one.before.text, one.after.text, one.counted, one.level) for one in found]


def held(tensor):
    """The value of a tensor as a timeline tells it."""
    return summarise(tensor.numpy() if hasattr(tensor, "numpy") else tensor).text


def buffer_of(lib):
    holder = lib.nn.Module()
    holder.register_buffer("c", lib.tensor([4.0]))
    return holder


def test_the_running_mean_of_a_layer_is_that_of_each_pass(lib):
    norm, expected = lib.nn.BatchNorm1d(1), []
    with graphlab.record() as timeline:
        for k in range(3):
            norm(lib.tensor([[1.0], [2.0], [4.0 + k]])).square().sum().backward()
            expected.append(held(norm.running_mean))
    assert read(timeline, "running_mean") == expected
    assert len(set(expected)) == 3
    told = changes_of(timeline, "norm.running_mean")
    assert told == [(*pair, False, "micro") for pair in pairwise(expected)]
    assert f"norm.running_mean = {expected[-1]}" in str(timeline)


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("saved", [True, False])
def test_a_buffer_that_changes_between_passes_has_the_value_of_each_pass(lib, counted, saved):
    w, holder = lib.ones(1, requires_grad=True), buffer_of(lib)
    with graphlab.record() as timeline:
        for _ in range(3):
            out = w * holder.c if saved else w + holder.c
            out.sum().backward()
            (holder.c if counted else holder.c.data).mul_(0.5)
    assert read(timeline, "other") == (["4.0", "2.0", "1.0"] if saved else [])
    level = "story" if counted else "micro"
    seen = [("4.0", "2.0", counted, level), ("2.0", "1.0", counted, level)]
    if counted:
        seen.append(("1.0", "0.5", True, "story"))
    assert changes_of(timeline, "holder.c") == seen


def test_a_batch_that_numpy_fills_again_holds_the_nan(lib):
    w, x = lib.ones(1, requires_grad=True), lib.zeros(1)
    with graphlab.record() as timeline:
        for value in (1.0, float("nan")):
            x.numpy()[0] = value
            (w * x).sum().backward()
    assert read(timeline, "other") == ["1.0", "nan"]
    assert "Pass 2: x, an input of MulBackward0, already holds nan" in str(
        timeline.first_nonfinite()
    )


def test_out_changes_a_tensor_and_raises_its_version(torch):
    w, c = torch.ones(1, requires_grad=True), torch.tensor([4.0])
    with graphlab.record() as timeline:
        for _ in range(2):
            (w * c).sum().backward()
            torch.mul(c, 0.5, out=c)
            with torch.no_grad():
                torch.sub(w, 0.5, out=w)
    assert read(timeline, "other") == ["4.0", "2.0"]
    assert changes_of(timeline, "c") == [
        ("4.0", "2.0", True, "story"),
        ("2.0", "1.0", True, "story"),
    ]
    assert changes_of(timeline, "w")[0] == ("1.0", "0.5", True, "story")


def test_an_averaged_model_is_counted_as_pytorch_counts_it(torch):
    net = torch.nn.Linear(1, 1, bias=False)
    average = torch.optim.swa_utils.AveragedModel(net)
    x = torch.ones(1, 1)
    with graphlab.record() as timeline:
        for k in range(2):
            (average(x) * net(x)).sum().backward()
            net.weight.data.fill_(k)
            average.update_parameters(net)
    events = [one for one in timeline if one.kind == "ChangedInPlace"]
    versions = [one.version for one in events if one.name == "average.module.weight"]
    assert versions == [1, 2]
    assert all(one.counted is (one.name != "net.weight") for one in events)


def test_a_gradient_is_unscaled_before_the_step(torch):
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)
    with graphlab.record() as timeline:
        for _ in range(2):
            optimizer.zero_grad()
            scaler.scale(w.sum() * 2).backward()
            scaler.step(optimizer)
            scaler.update()
    assert timeline.grad("w") == w.grad.tolist() == [2.0]
    replaced = [one for one in timeline if one.kind == "GradReplaced"]
    assert [(x.before.text, x.after.text) for x in replaced] == [("16.0", "2.0"), ("32.0", "2.0")]
    told = [str(one) for one in timeline if one.kind == "RuleApplied"]
    assert not any("times 8.0" in one for one in told)  # the scale is 16 in the second pass
    assert changes_of(timeline, "constant") == [
        ("8.0", "16.0", True, "story"),
        ("16.0", "32.0", True, "story"),
    ]
    assert not any("changed in place since" in str(one) for one in timeline)


def test_a_change_of_grad_by_a_post_accumulate_hook_is_recorded(torch):
    def clamp(parameter):
        parameter.grad.clamp_(-0.25, 0.25)

    layer = torch.nn.Linear(1, 1)
    layer.weight.register_post_accumulate_grad_hook(clamp)
    layer.bias.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None))
    with graphlab.record() as timeline:
        layer(torch.ones(1, 1)).sum().backward()
    (replaced,) = (one for one in timeline if one.kind == "GradReplaced")
    told = replaced.name, replaced.before.text, replaced.after.text
    assert told == ("layer.weight", "1.0", "0.25")
    (cleared,) = (one for one in timeline if one.kind == "GradCleared")
    assert cleared.names == ("layer.bias",)
    assert timeline.grad("layer.weight") == [[0.25]]
    kinds = [one.kind for one in timeline]
    assert kinds.index("GradCleared") == kinds.index("LeafWritten") + 1
    assert kinds[-1] == "Finished"


def test_gradients_that_no_torch_function_changed_are_found_before_the_next_step(torch):
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with graphlab.record() as timeline:
        (w * 3).sum().backward()
        w.grad.numpy()[0] = 1.0
        optimizer.step()
    kinds = [one.kind for one in timeline]
    assert kinds[-2:] == ["GradReplaced", "OptimizerStepped"]
    assert timeline.grad("w") == [1.0]
