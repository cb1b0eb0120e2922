"""The graph of a rehearsal runs again at other values, in Python, on copies."""

from __future__ import annotations

import gc
import re
import weakref
from typing import Any

import numpy as np
import pytest

import graphlab as torch
from graphlab.graph.timeline import Timeline
from tests.functions import Square


def leaf(value: Any) -> Any:
    return torch.tensor(value, requires_grad=True)


def again(timeline: Timeline, **edits: Any) -> Timeline:
    assert timeline.again is not None
    found = timeline.again(edits)
    assert isinstance(found, Timeline), found
    return found


def refused(timeline: Timeline, **edits: Any) -> str:
    assert timeline.again is not None
    found = timeline.again(edits)
    assert isinstance(found, str)
    return found


def told(timeline: Timeline) -> list[str]:
    return [event.sentence for event in timeline]


def test_at_the_same_values_everything_is_told_as_before() -> None:
    a, b, k = leaf(2.0), leaf(3.0), torch.tensor(4.0)
    u = a * b
    with torch.scope("squares"):
        v = Square.apply(u) * k
    e = v + torch.log(b)
    timeline = torch.trace(e)
    same = again(timeline, a=2.0)
    assert told(same) == told(timeline)
    assert same.graph == timeline.graph


def test_a_function_of_the_users_own_follows_and_its_tensors_stay_as_they_are() -> None:
    a, b = leaf(2.0), leaf(3.0)
    e = Square.apply(a * b)
    timeline = torch.trace(e)
    new = again(timeline, a=5.0)
    by_name = {tensor.name: tensor.value for tensor in new.graph.tensors}
    assert by_name["a"] is not None
    assert by_name["a"].text == "5.0"
    assert new.state_at(-1)["leaves"]["t0"]["after"]["text"] == "90.0"  # 2·(5·3)·3
    assert (a.item(), e.item(), a.grad) == (2.0, 36.0, None)


def test_a_constant_can_be_changed_too() -> None:
    x, w = torch.tensor([1.0, 2.0]), leaf([3.0, 4.0])
    e = (w * x).sum()
    new = again(torch.trace(e), x=[5.0, 6.0])
    assert new.state_at(-1)["leaves"]["t0"]["after"]["text"] == "[5.0, 6.0]"


def test_a_grad_from_before_is_added_to() -> None:
    a = leaf(2.0)
    (a * 1.0).backward()
    e = a * a
    new = again(torch.trace(e), a=5.0)
    assert new.state_at(-1)["leaves"]["t0"]["after"]["text"] == "11.0"


def test_an_entry_that_the_page_leaves_as_it_was_keeps_all_its_digits() -> None:
    w = leaf([1.23456789, 2.0])
    e = Square.apply(w).sum()
    timeline = torch.trace(e)
    new = again(timeline, w=[1.2346, 3.0])  # as a page sends it: five digits of what it knows
    assert new.replay is not None
    (entries,) = [one for one in new.replay.data.values() if one.shape == (2,)]
    assert np.array_equal(entries.array(), np.array([1.23456789, 3.0], np.float32))


def test_an_index_that_would_pick_other_entries_is_refused_in_a_sentence() -> None:
    x = leaf([1.0, -2.0, 3.0])
    e = x[x > 0].sum()
    said = refused(torch.trace(e), x=[1.0, 2.0, 3.0])
    assert said.startswith("The graph cannot run again at this value: an index takes the entries")


def test_tensors_that_are_gone_are_told_of_and_not_kept_alive() -> None:
    def traced() -> tuple[Timeline, Any]:
        a = leaf(2.0)
        e = a * a
        return torch.trace(e), weakref.ref(e)

    timeline, held = traced()
    gc.collect()
    assert held() is None
    assert refused(timeline, a=1.0).startswith("The tensors of this graph no longer exist")


def test_a_graph_whose_saved_tensors_were_freed_still_follows() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    timeline = torch.trace(y)
    y.backward()
    now = timeline.again({"x": 5.0})
    assert not isinstance(now, str)
    after = now.state_at(-1)["leaves"]["t0"]
    assert (after["before"]["text"], after["after"]["text"]) == ("6.0", "16.0")  # to .grad


def test_a_leaf_that_was_changed_in_place_is_told_of() -> None:
    a, b = leaf(2.0), leaf(3.0)
    e = a * b
    timeline = torch.trace(e)
    assert len(timeline) > 0
    with torch.no_grad():
        a.add_(1)
    assert refused(timeline, b=1.0).startswith("a was changed in place since this was recorded")


def test_a_hook_that_changes_a_gradient_is_told_of() -> None:
    a = leaf(2.0)
    u = a * a
    u.register_hook(lambda grad: grad * 2)
    e = u * u
    assert refused(torch.trace(e), a=1.0).startswith("A hook changed a gradient, so")


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"zz": 1.0}, "there is no leaf 'zz' in it"),
        ({"a": [1.0, 2.0]}, r"a leaf of the shape \[\] cannot become \[2\]"),
        ({"a": "import os"}, "its new value is not made of numbers"),
        ({"a": None}, "its new value is not made of numbers"),
        ({"a": {}}, "its new value is not made of numbers"),
    ],
)
def test_what_a_page_should_not_send_is_refused(edits: dict[str, Any], said: str) -> None:
    a = leaf(2.0)
    e = a * a
    timeline = torch.trace(e)
    assert timeline.again is not None
    found = timeline.again(edits)
    assert isinstance(found, str)
    assert re.search(said, found)


def test_an_error_of_the_users_own_function_is_told_with_its_line() -> None:
    class Picky(Square):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            if x.item() > 3:
                raise ValueError("too large for me")
            return Square.forward(ctx, x)

    a = leaf(2.0)
    e = Picky.apply(a)
    said = refused(torch.trace(e), a=5.0)
    assert "ValueError: too large for me" in said
    assert "test_rerunning.py, line" in said


def test_where_the_program_would_take_another_branch_the_kernel_says_so_too() -> None:
    x = leaf(2.0)
    y = Square.apply(x) if x > 0 else -x  # no formula, so only the kernel can run it
    timeline = torch.trace(y)
    assert again(timeline, x=3.0).title == "y"
    assert refused(timeline, x=-3.0) == (
        "This was recorded with x > 0; at these values the program would take another branch."
    )


def test_a_detached_tensor_follows_in_the_kernel_as_it_does_in_a_page() -> None:
    x = leaf([1.0, 3.0])
    h = x * x
    y = (h - h.detach()).sum()
    new = again(torch.trace(y), x=[5.0, 3.0])
    root = new.graph.tensor(new.graph.root).value
    assert root is not None
    assert root.text == "0.0"
