"""What torch.compile would compile inside a recording runs there as it is written.

Read next: graphlab/adapters/pytorch/accessors.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab

pytestmark = pytest.mark.torch
BACKENDS = ("eager", "aot_eager")


@pytest.fixture(autouse=True)
def fresh(torch):
    """As in a program that has compiled nothing; what this test compiles is forgotten."""
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    yield
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_gives_what_it_gives_without_a_recording(torch, backend):
    w = torch.full((4,), 2.0, requires_grad=True)
    x = torch.arange(12.0).reshape(3, 4)
    loss_of = torch.compile(lambda x: ((x * w).relu()).mean(), backend=backend)
    with graphlab.record() as timeline:
        loss = loss_of(x)
        loss.backward()
    assert loss.shape == ()
    assert loss.item() == 11.0
    assert w.grad.tolist() == [1.0, 1.25, 1.5, 1.75]
    names = [node.name for node in timeline.graph.nodes]
    assert names == ["MeanBackward0", "ReluBackward0", "MulBackward0", "AccumulateGrad"]
    assert timeline.notice == ""
    assert loss_of(x).item() == 11.0  # compiled now
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_module_is_trained_as_without_a_recording(torch, backend):
    def trained(record: bool) -> list[float]:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        compiled, x, losses = torch.compile(net, backend=backend), torch.ones(5, 3), []

        def loop():
            for _ in range(3):
                optimizer.zero_grad()
                loss = compiled(x).square().mean()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())

        if record:
            with warnings.catch_warnings(), graphlab.record() as timeline:
                warnings.simplefilter("ignore")  # PyTorch: of global hooks and compiled modules
                loop()
            assert len([e for e in timeline if e.kind == "OptimizerStepped"]) == 3
        else:
            loop()
        return [*losses, *(n for p in net.parameters() for n in p.detach().flatten().tolist())]

    assert trained(record=True) == pytest.approx(trained(record=False))


def test_code_is_compiled_again_when_the_block_ends(torch):
    from torch._dynamo import eval_frame

    with graphlab.record():
        assert eval_frame._stance.stance == "force_eager"
    assert eval_frame._stance.stance == "default"


def test_compiled_code_costs_the_lines_until_it_is_forgotten(torch):
    torch.compile(torch.nn.Linear(2, 2), backend="eager")(torch.ones(1, 2))
    net, x = torch.nn.Sequential(torch.nn.Linear(2, 1)), torch.ones(3, 2)

    def recorded() -> graphlab.Timeline:
        with graphlab.record() as timeline:
            net(x).sum().backward()
        return timeline

    without = recorded()
    assert {node.source for node in without.graph.nodes} == {None}
    assert without.notice in str(without)
    assert "torch._dynamo.reset()" in without.notice
    torch._dynamo.reset()
    again = recorded()
    assert again.notice == ""
    assert all(node.source for node in again.graph.nodes if node.variable is None)
