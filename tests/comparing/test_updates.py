"""What differs between two passes of recordings: steps, hand-made updates, clipped gradients.

Read next: graphlab/graph/comparing/number_differences.py
"""

from __future__ import annotations

from typing import Any

import pytest

import graphlab
from graphlab.graph.timeline import Timeline


@pytest.fixture(params=["graphlab", "torch"])
def library(request: pytest.FixtureRequest) -> Any:
    """GraphLab, and PyTorch where it is installed."""
    return pytest.importorskip(request.param)


def trained(torch: Any, step: Any, before_step: Any = None, passes: int = 2) -> Timeline:
    """Return a recording of a line's training. step: makes an optimizer, or updates by hand."""
    w = torch.tensor([2.0, 1.0], requires_grad=True)
    optimizer = step(w)
    with graphlab.record() as timeline:
        for _ in range(passes):
            w.grad = None
            ((w * torch.tensor([1.0, 3.0])).sum() ** 2).backward()
            if before_step:
                before_step(w)
            if optimizer is not None:
                optimizer.step()
            else:
                with torch.no_grad():
                    w -= step.lr * w.grad
    return timeline


class ByHand:
    """An update without an optimizer."""

    def __init__(self, lr: float) -> None:
        self.lr = lr

    def __call__(self, w: Any) -> None:
        """Make no optimizer."""


def first(one: Timeline, other: Timeline) -> Any:
    comparison = graphlab.compare(one, other)
    return comparison[0] if len(comparison) else None


def test_another_learning_rate_is_the_first_cause(library):
    def sgd(**options):
        return lambda w: library.optim.SGD([w], **options)

    told = first(trained(library, sgd(lr=0.1)), trained(library, sgd(lr=0.01)))
    assert told.kind == "update"
    assert told.values == ("SGD(lr=0.1) takes a step", "SGD(lr=0.01) takes a step")
    assert told.sentence.startswith("After pass 1, SGD(lr=0.1) takes a step in the first program, ")
    assert all("optimizer.step()" in source.text for source in told.sources)
    assert first(trained(library, sgd(lr=0.1)), trained(library, sgd(lr=0.1))) is None


def test_so_are_another_optimizer_and_another_setting_even_after_the_last_pass(library):
    def sgd(w):
        return library.optim.SGD([w], lr=0.01)

    adam = trained(library, lambda w: library.optim.Adam([w], lr=0.01))
    told = first(trained(library, sgd), adam)
    assert told.values[1] == "Adam(lr=0.01, betas=(0.9, 0.999), eps=1e-08) takes a step"
    momentum = trained(library, lambda w: library.optim.SGD([w], lr=0.01, momentum=0.9), passes=1)
    told = graphlab.compare(trained(library, sgd, passes=1), momentum)
    assert [one.kind for one in told] == ["update"]
    assert "momentum=0.9" in told[0].values[1]
    assert not told.same


def test_an_update_by_hand_is_told_with_what_it_writes(library):
    told = first(trained(library, ByHand(0.1)), trained(library, ByHand(0.01)))
    assert told.values == ("w is changed to [1.0, -2.0]", "w is changed to [1.9, 0.7]")


def test_a_gradient_that_only_one_program_changes_is_told_once(library):
    def halve(w):
        w.grad.mul_(0.5)

    def keep(w):
        w.grad.mul_(1.0)

    def sgd(w):
        return library.optim.SGD([w], lr=0.01)

    told = first(trained(library, sgd), trained(library, sgd, halve))
    assert told.sentence == (
        "After pass 1, only in the second program, w.grad is changed to [5.0, 15.0]."
    )
    assert first(trained(library, sgd), trained(library, sgd, keep)) is None


def test_two_libraries_that_do_the_same_differ_in_nothing():
    torch = pytest.importorskip("torch")
    ours = trained(graphlab, lambda w: graphlab.optim.SGD([w], lr=0.01))
    theirs = trained(torch, lambda w: torch.optim.SGD([w], lr=0.01))
    assert graphlab.compare(ours, theirs).same


def test_a_rate_is_told_in_six_digits(library):
    def rate(lr):
        return lambda w: library.optim.SGD([w], lr=lr)

    told = first(
        trained(library, rate(0.1 * 0.9)), trained(library, rate(1))
    )  # 0.09000000000000001
    assert told.values == ("SGD(lr=0.09) takes a step", "SGD(lr=1) takes a step")


@pytest.mark.parametrize("rate", [None, "fast", {}])
def test_settings_that_are_no_numbers_disturb_no_program(library, rate):
    class Halving(library.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": rate, "betas": (0.5, None), "how": "often"})

        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.data.mul_(0.5)

    timeline = trained(library, lambda w: Halving([w]))
    steps = [event for event in timeline if event.kind == "OptimizerStepped"]
    assert [(step.optimizer, step.settings) for step in steps] == [
        ("Halving", "betas=(0.5, None)")
    ] * 2
    assert timeline.notice == ""
