"""Ctrl-C at any moment of a recording or a rehearsal leaves PyTorch as it was.

Read next: tests/pytorch_graphs/test_recording.py
"""

from __future__ import annotations

import signal

import pytest

import graphlab
from graphlab.adapters.native.recording import Recording
from graphlab.adapters.pytorch import rehearsal
from graphlab.adapters.pytorch.accessors import hooks_of
from graphlab.adapters.pytorch.module_calls import ModuleCalls
from graphlab.adapters.pytorch.recorded_pass import PyTorchPass
from graphlab.autograd.users_code import uninterrupted
from tests.pytorch_graphs.test_recording import left_behind

pytestmark = pytest.mark.torch

WHERE = {
    "while modules are watched": (ModuleCalls, "open"),
    "while a pass begins": (PyTorchPass, "begin"),
    "in a hook before a leaf": (PyTorchPass, "_arrives"),
    "in a hook after a node": (PyTorchPass, "_leaves"),
    "while a pass ends": (PyTorchPass, "end"),
    "while hooks are removed": (PyTorchPass, "remove"),
    "before the end begins": (Recording, "_end"),
    "at the end": (Recording, "look_around"),
    "while it closes": (ModuleCalls, "close"),
}


def interrupt(monkeypatch, owner, name):
    """Let the first call of a function begin with Ctrl-C."""
    real, calls = getattr(owner, name), []

    def interrupted(*given, **named):
        calls.append(None)
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return real(*given, **named)

    monkeypatch.setattr(owner, name, interrupted)
    return calls


@pytest.mark.parametrize("where", WHERE)
def test_ctrl_c_leaves_nothing_behind(torch, monkeypatch, where):
    before, handler = left_behind(torch), signal.getsignal(signal.SIGINT)
    layer = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    nodes = []

    def step():
        loss = layer(torch.ones(2)).square().sum()
        nodes.append(loss.grad_fn)
        loss.backward(retain_graph=True)
        optimizer.step()

    calls = interrupt(monkeypatch, *WHERE[where])
    with pytest.raises(KeyboardInterrupt), graphlab.record():
        step()
    assert calls
    monkeypatch.undo()
    assert left_behind(torch) == before
    assert signal.getsignal(signal.SIGINT) is handler
    step()
    nodes += [node for node, _ in nodes[-1].next_functions]
    nodes.append(layer.bias.clone().grad_fn.next_functions[0][0])
    assert [hooks_of(node) for node in nodes] == [0] * len(nodes)
    with graphlab.record() as timeline:  # no recording is open any more
        step()
    assert timeline[-1].kind == "OptimizerStepped"


def test_ctrl_c_in_a_pass_ends_the_pass_and_a_program_that_catches_it_goes_on(torch, monkeypatch):
    x = torch.ones(2, requires_grad=True)
    interrupt(monkeypatch, PyTorchPass, "_leaves")
    with graphlab.record() as timeline:
        loss = (x * x).sum()
        with pytest.raises(KeyboardInterrupt):
            loss.backward()
        assert hooks_of(loss.grad_fn) == 0
        (x * x * x).sum().backward()
    kinds = [event.kind for event in timeline]
    assert (kinds.count("Failed"), kinds[-1], timeline.notice) == (1, "Finished", "")
    assert x.grad.tolist() == [3, 3]


def test_ctrl_c_while_hooks_are_counted_leaves_none_on_a_rehearsed_graph(torch, monkeypatch):
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    calls = interrupt(monkeypatch, rehearsal, "hooks_of")
    with pytest.raises(KeyboardInterrupt):
        graphlab.trace(loss)
    assert len(calls) == 3  # it waited until all nodes were asked
    assert hooks_of(loss.grad_fn) == 0


def test_ctrl_c_waits_for_the_end_of_an_uninterrupted_block():
    done = []

    @uninterrupted
    def program():
        signal.raise_signal(signal.SIGINT)
        done.append(None)

    with pytest.raises(KeyboardInterrupt):
        program()
    assert done


def test_a_program_that_ignores_ctrl_c_goes_on_ignoring_it(torch):
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        uninterrupted(signal.raise_signal)(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, handler)
