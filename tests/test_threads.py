"""Several threads use GraphLab at once, and a program forks.

No test waits for two threads to meet by chance. It enters what one thread at a time may enter, or
lets a second thread run in the middle of what the first one does.

Read next: tests/core/test_grad_mode.py
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import graphlab
from graphlab import primitives
from graphlab.adapters.native import taping
from graphlab.autograd import anomaly_mode, grad_mode, node_classes
from graphlab.graph import value as values
from graphlab.graph.array_sample import sample
from graphlab.graph.timeline import Timeline
from graphlab.ops.base import registry
from graphlab.tensor.versions import Version

A = graphlab.tensor


def leaf():
    return A(2.0, requires_grad=True)


# -- NumPy's prepared context is in use -----------------------------------------------------------


def adam():
    w = A([2.0], requires_grad=True)
    optimizer = graphlab.optim.AdamW([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
    return w.tolist()


def in_place():
    x = graphlab.tensor([1.0, 0.0])
    return x.div_(0.0).sub_(x, alpha=2.0).addcdiv_(x, x, value=1.0).tolist()


def traced():
    taping._taped.clear()
    x = leaf()
    y = graphlab.where(x > 1, x * x, x)
    if y.log() > 0:
        y = y.log().sum()
    return graphlab.trace(y).to_json()


def gradients():
    x = leaf()
    (slope,) = graphlab.autograd.grad((x - 2).log() * x, x)
    ((x - 2).sqrt()).backward()
    return [slope, x.grad]


PROGRAMS = (adam, in_place, traced, gradients)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("whose", ["all threads", "this thread"])
def test_a_program_does_the_same_while_the_quiet_context_is_in_use(program, whose):
    enter = grad_mode.quietly if whose == "all threads" else grad_mode.state.quietly
    expected = str(program())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(enter(program)) == expected


@pytest.mark.torch
def test_pytorchs_passes_are_checked_while_the_quiet_context_is_in_use():
    import torch

    def checked():
        x = torch.tensor(2.0, requires_grad=True)
        y = x * x
        return str(graphlab.check(y))

    assert grad_mode.quietly(checked) == checked()


# -- what is loaded or made on first use ----------------------------------------------------------


def beside(work):
    """Run `work` in another thread, to its end; return its result, or raise its error."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.fixture
def half_loaded(tmp_path, monkeypatch):
    """A function that makes a loader, in the middle of which another thread runs `work`.

    The loader imports a module. The module goes on when the other thread has come to the loader,
    or has ended without it; then it calls `end`.
    """
    (tmp_path / "half_loaded.py").write_text("import halfway\nhalfway.meet()\nhalfway.end()\n")
    monkeypatch.syspath_prepend(tmp_path)

    def loader_for(work, end):
        pool, met, results = ThreadPoolExecutor(1), threading.Event(), []
        first = threading.get_ident()

        def load():
            if threading.get_ident() != first:
                met.set()
            importlib.import_module("half_loaded")

        def meet():
            results.append(pool.submit(work))
            results[0].add_done_callback(lambda _: met.set())
            met.wait()

        monkeypatch.setitem(sys.modules, "halfway", SimpleNamespace(meet=meet, end=end))
        monkeypatch.delitem(sys.modules, "half_loaded", raising=False)
        return load, results

    yield loader_for
    sys.modules.pop("half_loaded", None)


def test_a_thread_waits_until_all_primitives_for_tensors_are_loaded(half_loaded, monkeypatch):
    names: dict[str, int] = {}
    load, others = half_loaded(
        lambda: dict(primitives.tensor_namespace()), lambda: names.update(expand=1)
    )
    monkeypatch.setattr(primitives, "tensor_primitives", names)
    monkeypatch.setattr(primitives, "loaders", [load])
    assert primitives.tensor_namespace() == others[0].result() == {"expand": 1}
    assert not primitives.loaders


def test_a_thread_that_changes_a_view_waits_until_views_are_loaded(half_loaded, monkeypatch):
    class Current:
        pass

    class Outdated(Current):
        pass

    def changed():
        view, version = Current(), Version()
        version.add(view)
        version.advance()
        return type(view)

    def loaded():
        Version.current, Version.outdated = Current, Outdated

    load, others = half_loaded(changed, loaded)
    monkeypatch.setattr(Version, "current", None)
    monkeypatch.setattr(Version, "outdated", None)
    monkeypatch.setattr(Version, "loaders", [load])
    assert changed() is others[0].result() is Outdated


def test_all_threads_get_the_same_class_of_nodes(monkeypatch):
    monkeypatch.setattr(node_classes, "node_classes", {})
    make, first = node_classes.make_node_class, []

    def meanwhile(op):
        made = make(op)
        if not first:
            first.append(None)
            first.append(beside(lambda: node_classes.node_class(op)))
        return made

    monkeypatch.setattr(node_classes, "make_node_class", meanwhile)
    assert node_classes.node_class(registry["mul"]) is first[1]


def test_all_threads_get_the_same_function(monkeypatch):
    found = []

    def meanwhile(function):
        if not found:
            found.append(None)
            found.append(beside(lambda: graphlab.add))
        return function

    graphlab.__dict__.pop("add", None)
    monkeypatch.setattr(graphlab, "with_numpy_names", meanwhile)
    assert graphlab.add is found[1]


def test_a_rule_for_tensors_is_bound_once_and_for_good(monkeypatch):
    cls, seen = node_classes.make_node_class(registry["relu"]), []
    choose = node_classes.as_one_node

    def meanwhile(*args):
        seen.append(cls.vjp_tensors is node_classes._first_vjp_tensors)
        return choose(*args)

    monkeypatch.setattr(node_classes, "as_one_node", meanwhile)
    x = A([1.0, 2.0], requires_grad=True)
    y = graphlab.relu(x)
    y.grad_fn.__class__ = cls
    graphlab.autograd.grad(y.sum(), x, create_graph=True)
    assert seen == [True]


def test_two_threads_fill_one_value(monkeypatch):
    value, once = values.Value.later(sample(np.arange(3.0)), "three"), []

    def meanwhile(entries):
        if not once:
            once.append(None)
            once.append(beside(lambda: value.norm))
        return measure(entries)

    measure = values.measure
    monkeypatch.setattr(values, "measure", meanwhile)
    assert value.statistics is not None
    assert (once[1], value.entries) == ("", "0.0 1.0 2.0")


def test_two_threads_make_one_timeline():
    x = leaf()
    timeline = graphlab.trace(x * x)
    lazy = Timeline.later(lambda: timeline, lambda made: made)

    class Parts(dict):
        """Another thread reads the drawings as soon as there is a part."""

        def update(self, *parts, **named):
            super().update(*parts, **named)
            found.append(beside(lambda: lazy.scenes))

    found = []
    object.__setattr__(lazy, "__dict__", Parts(lazy.__dict__))
    assert lazy.events == timeline.events
    assert found[-1] == timeline.scenes


# -- anomaly mode, and processes ------------------------------------------------------------------


def test_another_thread_switches_anomaly_mode_while_a_node_is_made(monkeypatch):
    def meanwhile():
        beside(lambda: [anomaly_mode.set_anomaly_enabled(mode, False) for mode in (False, True)])
        return []

    monkeypatch.setattr(anomaly_mode, "users_stack", meanwhile)
    with graphlab.autograd.set_detect_anomaly(True, check_nan=False):
        y = leaf() * 2
    assert y.grad_fn.metadata["traceback_"] == []
    assert not graphlab.is_anomaly_enabled()


FORKED = """
import os, sys
library = __import__(sys.argv[1])
import graphlab

def passes():
    with graphlab.record() as timeline:
        a = library.tensor(2.0, requires_grad=True)
        (a * a).backward()
    return len(timeline)

a = library.tensor(2.0, requires_grad=True)
reading, writing = os.pipe()
with graphlab.record() as timeline:
    (a * a).backward()
    before = len(timeline)
    child = os.fork()
    if child == 0:
        a.grad = None
        os.write(writing, str(passes()).encode())
        (a * a).backward()
if child == 0:
    os.write(writing, str((passes(), len(timeline) - before)).encode())
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(os.read(reading, 100).decode(), len(timeline) - before, passes())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which Windows lacks")
@pytest.mark.parametrize("library", ["graphlab", pytest.param("torch", marks=pytest.mark.torch)])
def test_a_forked_process_records_by_itself(library):
    code = [sys.executable, "-W", "ignore", "-c", FORKED, library]
    ran = subprocess.run(code, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "15(15, 0) 0 15\n"
