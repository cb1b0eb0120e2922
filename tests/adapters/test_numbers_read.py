"""Where a program reads a number out of its graph, a replay says that it cannot follow.

Read next: graphlab/adapters/native/branches_taken.py
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab as torch
from graphlab.graph.replaying import ReplayError, replay_of
from graphlab.graph.timeline import Timeline

Program = Callable[..., Any]


def leaf(value: Any) -> Any:
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def unrecorded(function: Program) -> Program:
    with torch.no_grad():
        return function()


def indexes(x: Any) -> Any:
    return x.sort().indices


READINGS: dict[str, Program] = {  # from a tensor of three entries: a constant that depends on it
    "item": lambda x: x[1].item(),
    "item of a sum": lambda x: (x * x).sum().item(),
    "half an item": lambda x: x.sum().item() / 2,
    "float": lambda x: float(x.detach()[1]),
    "tolist": lambda x: torch.tensor(x.tolist(), dtype=torch.float64),
    "numpy": lambda x: torch.from_numpy(x.detach().numpy().copy()),
    "data": lambda x: x.data,
    "detach": lambda x: x.detach(),
    "computed from detach": lambda x: 2 * x.detach().mean() + 1,
    "detached mean": lambda x: x.mean().detach(),
    "no_grad": lambda x: unrecorded(lambda: (x * x).mean()),
    "computed from no_grad": lambda x: unrecorded(lambda: x.sum()) / 3,
    "numbers of a mask": lambda x: (x > 0.5).sum().item(),
}
INDEXES: dict[str, Program] = {
    "argmax": lambda x: x.argmax(),
    "argmax as a number": lambda x: x.argmax().item(),
    "indices of a maximum": lambda x: x.max(0).indices,
    "indices of a sort": indexes,
}
entries = st.lists(st.floats(-2, 2).filter(lambda x: abs(x) > 1e-3), min_size=3, max_size=3)


def run(reading: str, x: Any, b: Any) -> Any:
    h = torch.tanh(x) + b * b
    if reading in INDEXES:
        return (h[INDEXES[reading](h)] * x).sum()
    constant = READINGS[reading](h)
    return (h * constant).sum() + (x - constant).sum()


def id_of_x(walk: Timeline) -> str:
    return next(one.id for one in walk.graph.tensors if one.name == "x")


@pytest.mark.parametrize("reading", [*READINGS, *INDEXES])
@settings(max_examples=8)
@given(before=entries, after=entries, b=st.floats(0.25, 2))
def test_a_replay_gives_what_a_fresh_run_gives_or_says_that_it_cannot(reading, before, after, b):
    x, fresh = leaf(before), leaf(after)
    walk = torch.trace(run(reading, x, leaf(b)))
    result = run(reading, fresh, leaf(b))
    result.backward()
    try:
        found = replay_of(walk, {"x": after})
    except ReplayError as error:
        assert str(error).endswith("would change at these values.")  # noqa: PT017
        assert before != after
        return
    np.testing.assert_allclose(found.tensors[walk.graph.root], result.item(), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(
        found.leaves[id_of_x(walk)], fresh.grad.numpy(), rtol=1e-7, atol=1e-7
    )


def said(walk: Timeline, **edits: Any) -> str:
    """The sentence about edits; "" if the graph follows. The kernel must give the same one."""
    assert walk.again is not None
    answer, sentence = walk.again(edits), ""
    try:
        replay_of(walk, edits)
    except ReplayError as error:
        sentence = str(error)
    assert (answer if isinstance(answer, str) else "") == sentence
    return sentence


def test_the_sentence_names_the_number_the_line_and_the_tensor_that_was_read():
    w, x = leaf(2.5), leaf(3.0)
    scale = w.item()
    y = scale * x * w
    line = y.grad_fn.next_functions[0][0]._code.co_firstlineno + 3
    walk = torch.trace(y)
    assert said(walk, w=5.0) == (
        f"2.5, used in line {line}, comes from a number that the program read out of w, and w "
        "would change at these values."
    )
    assert said(walk, x=5.0) == ""


def test_a_number_read_after_a_pass_is_traced_to_every_leaf_of_a_long_graph():
    w, x = leaf(2.0), leaf(3.0)
    loss = w * 1
    for _ in range(100):
        loss = loss + x
    loss.backward()
    scale = loss.item()
    del loss
    assert "the program read out of x" in said(torch.trace(x * scale), x=5.0)
    assert "the program read out of w" in said(torch.trace(w * scale), w=5.0)


def test_what_was_computed_outside_of_the_graph_is_named():
    h = leaf([1.0, 3.0]) * 2
    m = h.detach().mean()
    (decided,) = torch.trace((h - m).sum()).replay.decided
    assert decided.sentence.startswith("m, used in line ")
    assert ", was computed from h outside of the graph, and h would" in decided.sentence


def test_an_edit_that_leaves_the_tensor_as_it_was_can_be_followed():
    x, b = leaf(-1.0), leaf(2.0)
    h = torch.relu(x)
    half = (h.item() + 1.5) / 2
    y = (h + b * x) * half
    walk = torch.trace(y)
    assert said(walk, x=-3.0, b=1.0) == ""
    assert "comes from a number that the program read out of h" in said(walk, x=3.0)


def signed(x: Any, b: Any) -> Any:
    if x.item() > 0:
        y = 2 * x
    else:
        y = -x
    return y * b


def left_early(x: Any, b: Any) -> Any:
    h = x * b
    n = float(h.detach())
    m = h.item()
    if n > 5:
        return h - b
    if m < 3:
        return h * h
    return h + b


def halved(x: Any, b: Any) -> Any:
    while (x * x).sum().item() > 0.1:
        x = x * 0.5
    return x + b


def repeated(x: Any, b: Any) -> Any:
    h = x.sin()
    for _ in range(int(h.item() * 10)):
        b = b * h
    return b * x


def both(x: Any, b: Any) -> Any:
    return x * b if x.item() > 0 and b.item() > 0 else x + b


@pytest.mark.parametrize("program", [signed, left_early, halved, repeated, both])
@settings(max_examples=20)
@given(x=st.floats(-3, 3), b=st.floats(-3, 3))
def test_a_replay_says_that_a_condition_on_a_number_would_turn(program, x, b):
    walk = torch.trace(program(leaf(2.0), leaf(1.0)))
    try:
        found = replay_of(walk, {"x": x, "b": b}).tensors[walk.graph.root]
    except ReplayError:
        return
    assert found == pytest.approx(program(leaf(x), leaf(b)).item(), abs=1e-12)


def test_the_sentence_about_a_condition_on_a_number_is_that_of_a_branch():
    x, b = leaf(-2.0), leaf(1.0)
    walk = torch.trace(signed(x, b))
    assert replay_of(walk, {"x": -5.0, "b": 7.0}).tensors[walk.graph.root] == 35.0
    with pytest.raises(ReplayError, match=r"^This was recorded with x.item\(\) <= 0; at these"):
        replay_of(walk, {"x": 3.0})


def test_each_of_two_conditions_on_numbers_is_told_apart():
    x, b = leaf(2.0), leaf(1.0)
    walk = torch.trace(both(x, b))
    assert replay_of(walk, {"b": 4.0}).tensors[walk.graph.root] == 8.0
    with pytest.raises(ReplayError, match=r"^This was recorded with b.item\(\) > 0; at these"):
        replay_of(walk, {"b": -4.0})


def test_a_second_reading_does_not_hide_the_first_one():
    w, x = leaf(2.5), leaf(3.0)
    scale = w.item()
    y = scale * x * w
    str(w.item())
    assert "a number that the program read out of w" in said(torch.trace(y), w=5.0)


def looped() -> Any:
    w = leaf(2.0)
    loss = w * w
    while loss.item() > 0.1:
        w = (w * 0.5).detach().requires_grad_()
        loss = w * w
    return loss


def printed() -> Any:
    w, a = leaf(2.0), 3.5
    str(w.item())
    return w * a


def printed_on_the_way() -> Any:
    w = leaf(2.0)
    h = w * w
    str(h.item())
    return 2.5 * h + h


def printed_at_the_end() -> Any:
    w = leaf(2.0)
    y = w * w * 3
    str(y.item())
    return y


def formatted() -> Any:
    w, a = leaf(2.0), 2.0
    str(f"{w:.2f} {w}")
    return w * a


def trained() -> Any:
    w, target = leaf([2.0, 1.0]), torch.tensor([1.0, 2.0], dtype=torch.float64)
    for _ in range(2):
        w.grad = None
        loss = ((w - target) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            str((w - target).abs().max().item())
    return ((w - target) ** 2).mean()


def predicted() -> Any:
    w, target = leaf([2.0, 1.0]), torch.tensor([1.0, 0.0], dtype=torch.float64)
    h = torch.softmax(w, 0)
    str((h.argmax() == 0).item())
    return -(target * torch.log(h)).sum()


@pytest.mark.parametrize(
    "program",
    [looped, printed, printed_on_the_way, printed_at_the_end, formatted, trained, predicted],
)
def test_a_number_that_is_only_printed_holds_nothing(program):
    assert torch.trace(program()).replay.decided == ()


def test_a_reading_keeps_no_tensor_and_no_graph_alive():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    node, start = weakref.ref(y.grad_fn), weakref.ref(x)
    values = y.item(), x.tolist(), x.argmax(), y.detach() + 1, y.data
    with torch.no_grad():
        values = (*values, y * 2)
    del x, y
    assert node() is None
    assert start() is None
    assert values[0] == 5.0


@pytest.mark.parametrize(
    "line",
    [
        "(h * torch.arange(4.0) + torch.ones(4)).sum()",
        "torch.addcmul(torch.ones(4), h, torch.arange(4.0)).sum()",
        "h[torch.tensor([0, 1, 3])].sum()",
        "torch.nn.functional.embedding(torch.tensor([1, 2]), h.reshape(4, 1)).sum()",
    ],
)
def test_arrays_beside_a_number_whose_text_is_unknown_hold_nothing(line):
    made = {"torch": torch, "w": leaf([1.0, 2.0, 3.0, 4.0])}
    exec(f"h = w * 2\nk = h.sum().item()\ny = {line}", made)
    assert torch.trace(made["y"]).replay.decided == ()
