"""Whether what was recorded is still so: what is said when variables hold something else."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest

import graphlab
from graphlab.adapters.native.variable_names import watch

LESSON = """
a = torch.tensor(2.0, requires_grad=True)
k = torch.tensor(4.0)
u = a * k
e = u + a
other = torch.tensor(1.0)
"""


@pytest.fixture
def notebook() -> Any:
    """Run code as a notebook's cell runs it, and give what it evaluates to."""
    held: dict[str, Any] = {"torch": graphlab, "watch": watch, "frame": sys._getframe}

    def run(code: str, value: str = "None") -> Any:
        exec(code, held)
        return eval(value, held)

    run(LESSON)
    return run


def test_nothing_is_said_while_everything_is_as_it_was(notebook: Any) -> None:
    said = notebook("", "watch(e, frame())")
    assert said() == ""
    notebook("other = torch.tensor(3.0); e.backward()")
    assert said() == ""  # a backward pass changes gradients, not what was recorded


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("e = u + a", "e was reassigned since this was recorded."),
        ("e = None", "e was reassigned since this was recorded."),
        ("k = torch.tensor(4.0)", "k was reassigned since this was recorded."),
        (LESSON, "e, u, a and 1 more were reassigned since this was recorded."),
        ("k.add_(1)", "k was changed in place since this was recorded."),
        ("with torch.no_grad(): a.sub_(0.1)", "a was changed in place since this was recorded."),
        ("u = a * k; k.add_(1)", "u was reassigned and k was changed in place since this"),
        ("del e", ""),
        ("del e, u, a", ""),
    ],
)
def test_what_changed_is_named(notebook: Any, cell: str, words: str) -> None:
    said = notebook("", "watch(e, frame())")
    notebook(cell)
    assert said().startswith(words)
    assert bool(said()) == bool(words)


def test_the_tensor_that_is_put_back_is_not_stale(notebook: Any) -> None:
    said = notebook("kept = e", "watch(e, frame())")
    notebook("e = 3")
    assert said()
    notebook("e = kept")
    assert said() == ""


def test_a_parameter_that_an_optimizer_moved_is_named(notebook: Any) -> None:
    notebook("net = torch.nn.Linear(1, 1); loss = net(torch.ones(1)).sum()")
    said = notebook("", "watch(loss, frame())")
    notebook("loss.backward(); torch.optim.SGD(net.parameters(), 0.1).step()")
    assert "net.bias and net.weight were changed in place" in said()


def test_the_graph_is_not_kept_alive(notebook: Any) -> None:
    said = notebook("", "watch(e, frame())")
    reference = weakref.ref(notebook("", "u"))
    notebook("e = u = None")
    gc.collect()
    assert reference() is None
    assert "e and u were reassigned" in said()


def test_what_a_function_recorded_of_its_own_variables_is_not_watched() -> None:
    a = graphlab.tensor(1.0, requires_grad=True)
    assert watch(a * 2, sys._getframe()) is None


def test_a_name_that_a_later_cell_reuses_is_not_stale_until_an_earlier_cell_runs_again(
    notebook: Any,
) -> None:
    said = notebook("", "watch(e, frame())")
    assert said() == ""
    notebook("e = u + a; k = 3")
    assert said(True) == ""
    assert said(True) == ""
    notebook("k = torch.tensor(4.0)")
    assert said() == "k was reassigned since this was recorded."
    assert said(True) == "k was reassigned since this was recorded."  # by an earlier cell
    notebook("a.data.add_(1); u.add_(1)")
    assert said(True).endswith("u was changed in place since this was recorded.")
