"""The first NaN or infinity, as Python and the player tell it, and the passes of the flow.

Read next: js/test/health.test.ts
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import graphlab
from graphlab.graph.timeline import Timeline
from tests.graph.nonfinite import CASES, FIXTURE

ROOT = Path(__file__).parents[2]
SAID = json.loads(FIXTURE.read_text(encoding="utf-8"))


def test_what_is_said_of_the_first_nan_is_what_was_committed() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "tests.graph.nonfinite"], cwd=ROOT, capture_output=True, check=True
    )
    assert made.stdout.decode() == FIXTURE.read_text(encoding="utf-8"), (
        "run python -m tests.graph.nonfinite --update, and look at what changes"
    )


@pytest.mark.parametrize("name", CASES)
def test_a_trace_that_was_read_says_the_same(name: str) -> None:
    found = Timeline.from_json(SAID[name]["trace"]).first_nonfinite()
    assert (found and [str(found), found.event]) == SAID[name]["said"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("data", "X, an input of AddmmBackward0 in Sequential.Linear, already holds nan, line"),
        ("weights", "w, an input of MulBackward0, already holds inf, line"),
        ("number", "An input of AddBackward0 already holds nan, line"),
        ("option", "PowBackward0 computed nan, line"),
        ("operation", "SqrtBackward0 computed nan from finite numbers, line"),
        ("filled", "MaskedFillBackward0 computed nan, line"),
        ("full_mask", "SoftmaxBackward0 computed nan, line"),
        ("rule", "SqrtBackward0 sent nan from finite numbers, line"),
        ("seed", "MulBackward0 received nan, line"),
        ("third_pass", "Pass 3: LogBackward0 computed -inf from finite numbers, line"),
        ("step", "Pass 1: w now holds -inf, line"),
        ("hook", "A hook on w returned inf"),
        ("clipped", "w.grad now holds nan, line"),
        ("summed", "Pass 2: w.grad now holds inf"),
        ("by_hand", "w now holds -inf, line"),
        ("change", "Pass 2: X, an input of MulBackward0, already holds nan, line"),
        ("before_the_change", "AddBackward0 computed nan, line"),
        ("unknown", "MeanBackward0 computed nan, line"),
    ],
)
def test_the_first_nan_is_the_cause_and_the_sentence_says_only_what_is_known(
    name: str, said: str
) -> None:
    assert SAID[name]["said"][0].startswith(said)


@pytest.mark.parametrize("name", ["mask", "overcome", "failed", "finite"])
def test_an_infinity_on_purpose_and_a_nan_that_is_replaced_are_not_told(name: str) -> None:
    assert SAID[name]["said"] is None


def test_of_several_passes_the_first_nan_names_its_own_with_an_event_in_it() -> None:
    timeline = CASES["third_pass"]()
    found = timeline.first_nonfinite()
    assert found is not None
    assert (found.pass_number, found.what) == (3, "-inf")
    assert found.event in timeline.find(pass_number=3, node=found.node)
    alone = CASES["rule"]().first_nonfinite()
    assert alone is not None
    assert alone.pass_number == 0


def test_the_flow_of_one_pass_can_be_asked_for_and_each_row_has_its_number() -> None:
    w = graphlab.tensor(2.0, requires_grad=True)
    with graphlab.record() as timeline:
        for k in range(3):
            (w * (k + 1.0)).backward()
    assert [(one.pass_number, one.leaves) for one in timeline.flow()] == [(1, 1), (2, 2), (3, 3)]
    assert timeline.flow(pass_number=2) == timeline.flow()[1:2]
    assert graphlab.trace(w * 2).flow(1)[0].pass_number == 1
    with pytest.raises(ValueError, match=r"unknown pass_number 4 \(must be 1 to 3\)"):
        timeline.flow(4)


def test_a_recording_with_a_failed_pass_prints_which_one_and_why() -> None:
    said = repr(CASES["failed"]())
    assert "; pass 2 failed at SigmoidBackward0: one of the variables needed for" in said
    assert "sigmoid was changed in place after it was saved, line" in said
    assert "net(x).sum().backward()>" in said
    assert "failed" not in repr(CASES["finite"]())
