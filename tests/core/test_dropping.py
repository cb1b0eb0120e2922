"""A long chain of nodes is dropped without a deep stack, as a browser's kernel needs it."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import pytest

import graphlab as torch
from graphlab.autograd.node import Node, drop_in_turn, waiting

N = 3_000


@pytest.fixture
def in_turn(monkeypatch):
    """Nodes are dropped as in a browser; gives how deep the drops were nested."""
    depths = []

    def drop(node):
        depth, frame = 0, sys._getframe()
        while frame is not None:
            depth, frame = depth + (frame.f_code is drop.__code__), frame.f_back
        depths.append(depth)
        drop_in_turn(node)

    monkeypatch.setattr(Node, "__del__", drop, raising=False)
    return depths


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def halves(x):
    first, second = x.chunk(2)
    return torch.cat([first, second])


def squared_in_place(x):
    return (x * 1).mul_(x)


@pytest.mark.parametrize("step", [torch.sin, Doubled.apply, halves, torch.t, squared_in_place])
def test_a_chain_is_dropped_node_by_node_and_all_of_it_at_once(step, in_turn):
    def work():
        x = torch.ones(2, 2, requires_grad=True)
        y = step(x)
        first = weakref.ref(y.grad_fn)
        for _ in range(N):
            y = step(y)
        gc.collect()
        gc.disable()
        try:
            del y
            assert first() is None
            assert gc.collect() == 0
        finally:
            gc.enable()
        found.append(max(in_turn))

    found: list[int] = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [2]  # the first, and inside it one after the other
    assert not waiting.things


def test_a_graph_gives_its_gradients_when_nodes_are_dropped_in_turn(in_turn):
    x = torch.tensor(1.5, requires_grad=True)
    y = x
    for _ in range(20):
        y = torch.sin(y) * x
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    first.backward()
    del y
    assert in_turn
    z = torch.tensor(1.5, requires_grad=True)
    w = z
    for _ in range(20):
        w = torch.sin(w) * z
    w.backward()
    assert z.grad == first.detach()


BROWSER = """
import sys
import numpy

sys.platform = "emscripten"
import graphlab as torch
from graphlab.autograd.node import Node, drop_in_turn

assert Node.__del__ is drop_in_turn
x = torch.tensor(2.0, requires_grad=True)
y = x
for _ in range(3_000):
    y = y * 1.0
y.backward()
assert x.grad == 1
"""


def test_a_browser_drops_nodes_in_turn():
    subprocess.run([sys.executable, "-c", BROWSER], check=True)


MODULES = """
import sys
import sysconfig
import threading
from importlib import import_module
from pkgutil import walk_packages
import numpy

def refuse(thread):
    raise RuntimeError("can't start new thread")

sysconfig.get_paths()  # it reads a file that is named by the platform, and remembers that
sys.platform = "emscripten"
threading.Thread.start = refuse
import graphlab

def failed(name):
    raise

for module in walk_packages(graphlab.__path__, "graphlab.", failed):
    import_module(module.name)
assert not threading.active_count() > 1
for name in dir(graphlab):
    getattr(graphlab, name)
"""


def test_a_browser_can_import_every_module():
    subprocess.run([sys.executable, "-c", MODULES], check=True)


def test_a_computer_with_a_large_stack_drops_as_python_does():
    assert hasattr(Node, "__del__") == (sys.platform == "emscripten")
