"""A tensor that is used twice: each use brings a share, and they meet in a stop of its own."""

from __future__ import annotations

import pytest

import graphlab


def stops(timeline: graphlab.Timeline) -> list[str]:
    return [timeline[k].sentence for k in timeline.stops("node")]


def test_gradients_that_meet_are_added_in_a_step_of_their_own() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    u = a * a
    assert "Another gradient arrives at a, and they add up: 2.0 + 2.0 = 4.0." in stops(
        graphlab.trace(u)
    )


def test_a_first_gradient_is_no_step_of_its_own() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    u = a * 3
    assert not any("gradient to reach" in sentence for sentence in stops(graphlab.trace(u)))


def test_an_equation_claims_a_share_where_a_tensor_is_used_twice() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    u = a * a
    equations = [event.equation for event in graphlab.trace(u) if event.kind == "RuleApplied"]
    shown = ["".join(s if isinstance(s, str) else s[1] for s in e.symbols) for e in equations]
    assert shown == ["∂u/∂a gets ∂u/∂u · ∂u/∂self", "∂u/∂a gets ∂u/∂u · ∂u/∂other"]


def test_a_rehearsal_of_a_freed_graph_says_what_to_do() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    u = a * a
    u.backward()
    with pytest.raises(RuntimeError, match=r"second time.*run the formula again"):
        graphlab.trace(u)


@pytest.mark.parametrize("call", [graphlab.trace, graphlab.step, graphlab.check])
def test_a_gradient_that_is_no_tensor_is_refused_in_words(call) -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    u = a * a
    with pytest.raises(TypeError, match="either Tensors or None, but got int; write"):
        call(u, gradient=3)
    assert a.grad is None


@pytest.mark.parametrize("call", [graphlab.trace, graphlab.step, graphlab.check])
def test_a_root_of_several_entries_is_told_of_gradient(call) -> None:
    a = graphlab.tensor([2.0, 1.0], requires_grad=True)
    u = a * a
    with pytest.raises(RuntimeError, match=r"scalar outputs.*shape \[2\]; pass gradient="):
        call(u)


def test_wrt_takes_tensors() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    u = a * a
    with pytest.raises(
        TypeError, match="wrt: expected a tensor, its name, or a list of them, got int"
    ):
        graphlab.check(u, wrt=3)  # type: ignore[arg-type]


def test_a_step_is_one_integer() -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    timeline = graphlab.trace(a * a)
    with pytest.raises(TypeError, match="a step must be one integer, got slice"):
        timeline[1:3]  # type: ignore[index]
