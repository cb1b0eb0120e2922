"""A rehearsal of PyTorch's graph is PyTorch's backward pass, and changes nothing.

Read next: tests/pytorch_graphs/test_parity.py
"""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest

import graphlab
from graphlab.graph.value import number_text
from tests.beside_pytorch.compare import roots
from tests.beside_pytorch.programs import FAMILIES
from tests.pytorch_graphs.models import MODELS
from tests.pytorch_graphs.passes import bitwise, real, rehearsed

pytestmark = pytest.mark.torch


@pytest.fixture(params=MODELS)
def loss(request, torch):
    torch.manual_seed(0)
    return MODELS[request.param](torch)


def test_gradients_are_bitwise_those_of_backward_and_nodes_run_in_its_order(torch, loss):
    told, did = rehearsed(torch, loss, None), real(loss, None)
    assert [node.name() for node in told.order] == [node.name() for node in did.order]
    assert [id(node) for node in told.order] == [id(node) for node in did.order]
    assert told.leaves.keys() == did.leaves.keys()
    apart = [n for n, grad in did.leaves.items() if not bitwise(torch, grad, told.leaves[n])]
    assert apart == []


def test_the_timeline_of_a_model_can_be_drawn_saved_and_read_again(torch, loss):
    timeline = graphlab.trace(loss)
    read = graphlab.Timeline.from_json(timeline.to_json())
    assert len(read) == len(timeline) > 10
    assert timeline[-1].kind == "Finished"
    assert graphlab.draw(loss).svg.startswith("<svg")
    assert "text/html" in timeline._repr_mimebundle_(None, None)


def test_the_page_of_1000_nodes_that_are_trained_is_small(torch):
    torch.manual_seed(0)
    layers = [one for _ in range(200) for one in (torch.nn.Linear(8, 8), torch.nn.Tanh())]
    net = torch.nn.Sequential(*layers)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
    timeline = graphlab.trace(net(torch.randn(4, 8)).square().mean())  # each leaf holds a .grad
    assert len(timeline.graph.nodes) == 1002
    assert len(timeline._repr_mimebundle_(None, None)["text/html"]) < 550_000


def test_the_sum_of_a_large_grad_and_a_gradient_is_told_and_not_computed(torch, monkeypatch):
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(300, 300))
    weight.grad = torch.randn(300, 300)
    loss, total = (3 * weight).sum(), weight.grad + 3
    with monkeypatch.context() as patched:
        patched.setattr(torch.Tensor, "__add__", lambda *_: pytest.fail("two tensors were added"))
        timeline = graphlab.trace(loss)
    (written,) = (event for event in timeline if event.kind == "LeafWritten")
    assert written.after.norm == number_text(total.norm().item())
    assert written.after.rows[0] == tuple(map(number_text, total[0, :5].tolist()))


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "hooks"])
def test_the_same_holds_for_every_small_program(torch, family):
    apart = []
    for program in FAMILIES[family].splitlines():
        root, gradient = roots(torch, program)
        told, did = rehearsed(torch, root, gradient), real(root, gradient)
        same = [id(n) for n in told.order] == [id(n) for n in did.order]
        same = same and told.leaves.keys() == did.leaves.keys()
        if not same or not all(bitwise(torch, g, told.leaves[n]) for n, g in did.leaves.items()):
            apart.append(program)
    assert apart == []


def test_nothing_changes(torch):
    x = torch.randn(3, requires_grad=True)
    x.grad = torch.ones(3)
    calls = []
    h = x.exp()
    h.retain_grad()
    h.register_hook(lambda grad: calls.append("tensor"))
    h.grad_fn.register_hook(lambda *grads: calls.append("node"))
    h.grad_fn.register_prehook(lambda *grads: calls.append("before the node"))
    x.register_hook(lambda grad: calls.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda leaf: calls.append("written"))
    loss = (h * torch.dropout(h, 0.5, True)).sum()
    state, version = torch.get_rng_state(), x._version
    timeline = graphlab.trace(loss)
    graphlab.draw(loss)
    assert calls == []
    assert timeline.notice.startswith("5 hooks of yours were not run")
    assert x.grad.tolist() == [1, 1, 1]
    assert h.grad is None
    assert x._version == version
    assert torch.equal(torch.get_rng_state(), state)
    loss.backward()  # nothing was freed
    assert sorted(calls) == ["before the node", "leaf", "node", "tensor", "written"]


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("kept", ["a result", "one of several", "the root", "all, twice"])
def test_a_gradient_that_is_retained_is_told_as_of_graphlabs_tensors(torch, kept, recorded):
    told = []
    for lib in (graphlab, torch):
        x = lib.tensor([2.0, 3.0], requires_grad=True)
        h = x * 3
        first, second = h.unbind()
        loss = first * second + first
        for one in {"a result": [h], "one of several": [second], "the root": [loss]}.get(
            kept, [h, first, second, loss]
        ):
            one.retain_grad()
        if kept == "all, twice":
            loss.backward(retain_graph=True)
        if recorded:
            with graphlab.record() as timeline:
                loss.backward(retain_graph=True)
                loss.backward(retain_graph=True)
        else:
            timeline = graphlab.trace(loss)
        told.append(
            [
                (
                    place,
                    event.name,
                    *(v and v.text for v in (event.value, event.before, event.after)),
                )
                for place, event in enumerate(timeline)
                if event.kind == "GradRetained"
            ]
        )
    assert told[0] == told[1]
    assert told[0]


def test_no_tensor_is_kept_alive(torch):
    def step():
        w = torch.randn(40, 40, requires_grad=True)
        h = (w @ w).relu()
        loss = h.sum()
        return graphlab.trace(loss), graphlab.draw(loss), [weakref.ref(t) for t in (w, h, loss)]

    gc.disable()  # no cycle may hold them either
    try:
        timeline, drawing, references = step()
        assert [reference() for reference in references] == [None, None, None]
        assert len(timeline) > 10
        assert drawing.svg.startswith("<svg")
    finally:
        gc.enable()


def test_graphlab_does_not_import_pytorch(torch):
    code = (
        "import sys, graphlab; x = graphlab.tensor(2., requires_grad=True); y = x * x;"
        "graphlab.trace(y); graphlab.draw(y).svg; graphlab.step(y);"
        "print([m for m in sys.modules if m.split('.')[0] == 'torch'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_graphlab_under_the_name_of_torch_is_not_taken_for_it():
    code = (
        "import sys, graphlab; sys.modules['torch'] = graphlab; import torch;"
        "x = torch.tensor(2., requires_grad=True)\n"
        "with graphlab.record() as timeline: (x * x).backward()\n"
        "print(timeline.grad('x'), len(torch.trace(x * x)) > 5, torch.draw(x * x).svg[:4])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "4.0 True <svg"
