"""Passes that PyTorch refuses, or that lead nowhere: the program goes on as it would, and what was
recorded is drawn.

Read next: tests/pytorch_graphs/test_bad_input.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.graph.timeline import Timeline

pytestmark = pytest.mark.torch


def drawn(timeline):
    """The kinds of events of a timeline, which can be drawn and saved."""
    assert len(Timeline.from_json(timeline.to_json())) == len(timeline)
    assert timeline._repr_mimebundle_(None, None)["text/html"]
    return [event.kind for event in timeline]


@pytest.mark.parametrize("library", ["torch", "graphlab"])
@pytest.mark.parametrize("allowed", [False, True])
def test_a_pass_that_leads_to_none_of_its_inputs_is_recorded_and_drawn(torch, library, allowed):
    lib = torch if library == "torch" else graphlab
    x, other = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    loss = (x * x).sum()
    with graphlab.record() as timeline:
        if allowed:
            assert lib.autograd.grad(loss, [other], allow_unused=True) == (None,)
        else:
            with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
                lib.autograd.grad(loss, [other])
    assert drawn(timeline) == ["PassBegan", "Seeded", "Finished"]


def test_an_input_that_is_not_used_is_not_blamed_on_a_node(torch):
    x, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline, pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad((x * x).sum(), [x, other])
    assert drawn(timeline)[-1] == "Finished"


def test_the_first_step_of_a_pass_from_the_middle_is_drawn(torch):
    """The node that made what the pass begins at is not visited."""
    with graphlab.record() as timeline:
        torch.autograd.functional.hvp(lambda v: v.sin().sum(), torch.ones(3), torch.ones(3))
    assert "GradReturned" in drawn(timeline)


def refused(torch):
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        torch.ones(2).sum().backward()


def one_of_two(torch):
    with pytest.raises(RuntimeError, match="element 1 of tensors does not require grad"):
        torch.autograd.backward([torch.ones((), requires_grad=True) * 2, torch.ones(())])


@pytest.mark.parametrize("call", [refused, one_of_two])
def test_after_a_loss_without_a_gradient_the_recording_goes_on(torch, call):
    x = torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        call(torch)
        (x * x).sum().backward()
    assert timeline.notice == ""
    assert drawn(timeline)[-1] == "Finished"


def batched(torch):
    x = torch.ones(3, requires_grad=True)
    (rows,) = torch.autograd.grad(x * x, x, torch.eye(3), is_grads_batched=True)
    assert rows.tolist() == (2 * torch.eye(3)).tolist()


def in_vmap(torch):
    slopes = torch.vmap(torch.func.grad(lambda v: (v * v).sum()))(torch.ones(2, 3))
    assert slopes.tolist() == [[2, 2, 2]] * 2


def jacobian(torch):
    assert torch.func.jacrev(lambda v: v * v)(torch.ones(2)).tolist() == [[2, 0], [0, 2]]


@pytest.mark.parametrize("call", [batched, in_vmap, jacobian])
def test_a_pass_inside_a_transform_is_left_alone_and_the_next_one_is_recorded(torch, call):
    x = torch.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        call(torch)
        (x * x).sum().backward()
    assert "inside vmap, torch.func or with is_grads_batched=True was not recorded" in (
        timeline.notice
    )
    assert drawn(timeline)[-1] == "Finished"


@pytest.mark.parametrize("first", [False, True])
def test_a_hook_that_raises_after_a_gradient_was_written_is_blamed_on_its_leaf(torch, first):
    def fails(leaf):
        raise ValueError("my hook")

    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    leaf = x if first else w
    leaf.register_post_accumulate_grad_hook(fails)
    h = x * w
    with graphlab.record() as timeline, pytest.raises(ValueError, match="my hook"):
        ((h * h).sum() + (x * x).sum()).backward()
    assert drawn(timeline)[-1] == "Failed"
    failed = timeline.graph.node(timeline[-1].node)
    assert [timeline.graph.tensor(id).label for id in failed.inputs] == ["x" if first else "w"]


@pytest.mark.parametrize("call", ["trace", "record", "check"])
def test_the_memory_of_tensors_can_be_resized_afterwards_as_fsdp_does(torch, call):
    x = torch.ones(4, requires_grad=True)
    h = x * x
    loss = h.sum()
    if call == "record":
        with graphlab.record():
            loss.backward()
    else:
        getattr(graphlab, call)(loss)
    assert x.untyped_storage().resizable()
    assert h.untyped_storage().resizable()
    assert x.grad is None or x.grad.untyped_storage().resizable()


def test_a_conjugate_is_read_as_it_is_and_not_as_its_memory(torch):
    z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
    w = z.conj()
    text = graphlab.draw((w * w.resolve_conj()).abs().sum()).text
    assert "w = [1-2j, 3+4j]" in text


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_zeros_that_forward_over_reverse_keeps_without_memory_are_read_as_zeros(torch, dtype):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True, dtype=getattr(torch, dtype))
    slope = torch.func.grad(lambda x: x.exp().sum())
    loss = torch.func.jvp(slope, (x,), (torch.ones_like(x),))[1].sum()
    assert "saved self=[0.0, 0.0, 0.0]" in graphlab.draw(loss).text
    assert graphlab.check(loss).ok


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_tensor_whose_storage_is_freed_has_no_known_value(torch, dtype):
    scale = torch.tensor([2.0, 3.0], dtype=getattr(torch, dtype))
    x = torch.ones_like(scale, requires_grad=True)
    loss = (x * scale).sum()
    scale.untyped_storage().resize_(0)  # as FSDP does
    assert f"scale = (2,) {dtype}\n" in graphlab.draw(loss).text + "\n"


def test_the_loss_and_the_names_of_a_function_that_runs_the_pass_are_known(torch):
    nn = torch.nn

    def forward(net, x):
        return net(x).tanh()

    def step(net):
        out = forward(net, torch.ones(2, 3))
        loss = nn.functional.cross_entropy(out, torch.tensor([0, 1]))
        loss.backward()
        return loss.item()

    model = nn.Module()
    model.used, model.spare = nn.Linear(3, 2), nn.Linear(2, 2)
    with graphlab.record() as timeline:
        found = [step(model.used) for _ in range(2)]
    graph = timeline.graph
    told = [graph.tensor(event.roots[0]) for event in timeline if event.kind == "PassBegan"]
    assert [one.label for one in told] == ["loss", "loss"]
    assert [one.value.text for one in told] == [f"{loss:.5g}" for loss in found]
    assert "out" in {tensor.label for tensor in graph.tensors}
    unreached = {one.name for one in timeline.unreached()}
    assert unreached == {"model.spare.weight", "model.spare.bias"}


def test_a_loss_that_is_nan_is_shown_as_nan(torch):
    with graphlab.record() as timeline:
        torch.nn.functional.mse_loss(torch.full((2,), float("nan")), leaf(torch)).backward()
    root = timeline.graph.tensor(timeline.graph.root)
    assert root.value.text == "nan"


def leaf(torch):
    return torch.ones(2, requires_grad=True)


def test_a_change_that_is_found_when_a_pass_begins_has_the_line_of_the_pass(torch):
    x = leaf(torch)
    with graphlab.record() as timeline:
        (x * x).sum().backward()
        x.detach().numpy()[0] = 5  # PyTorch does not see it
        (x * x).sum().backward()
    (changed,) = [event for event in timeline if event.kind == "ChangedInPlace"]
    assert changed.source.text == "(x * x).sum().backward()"


def test_a_view_whose_base_was_changed_is_recorded_with_the_node_that_it_gets_late(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    base = x * 2
    view = base.t()
    with torch.no_grad():
        base.add_(1)
    loss = view.diagonal().sum()  # PyTorch makes the view's AsStridedBackward0 now
    with graphlab.record() as timeline:
        loss.backward()
    assert drawn(timeline)[-1] == "Finished"
    ran = [one.name for one in timeline.graph.nodes]
    assert ran[:4] == ["SumBackward0", "DiagonalBackward0", "AsStridedBackward0", "MulBackward0"]
