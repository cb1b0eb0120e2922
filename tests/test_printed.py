"""What a script prints: trees, tables and sentences, in any encoding of its output.

Read next: graphlab/faces/render/text.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import graphlab
from graphlab.common.notebook import SIGNS

PROGRAM = """
import graphlab
a = graphlab.tensor(2.0, requires_grad=True)
d = graphlab.tensor(3.0, requires_grad=True)
e = a * graphlab.log(d) - a**2
report = graphlab.check(e)
for thing in (
    graphlab.draw(e), graphlab.trace(e), report, report["a"], graphlab.compare(e, a * d),
    graphlab.hello(e), *graphlab.trace(e), *graphlab.compare(e, a * d),
):
    print(thing)
"""


def printed(encoding: str) -> str:
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, check=True)
    return done.stdout.decode(encoding).replace("\r", "")


@pytest.fixture(scope="module")
def in_utf_8() -> str:
    return printed("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_signs_that_the_output_cannot_hold_are_replaced(encoding: str, in_utf_8: str) -> None:
    said = printed(encoding)
    assert "ok proved" in said
    assert "`- 1" in said
    assert "?" not in said
    assert said.translate(SIGNS) == in_utf_8.translate(SIGNS)  # nothing else differs
    assert "✓ proved" in in_utf_8
    assert "└─ 1" in in_utf_8


def test_a_drawing_and_a_timeline_print_their_trees() -> None:
    a = graphlab.tensor(2.0, requires_grad=True)
    e = a * a
    assert str(graphlab.draw(e)) == graphlab.draw(e).text
    timeline = graphlab.trace(e)
    tree, hint = str(timeline).rsplit("\n\n", 1)
    assert tree.splitlines()[0].startswith("e = 4.0  grad 1.0  MulBackward0")
    assert tree.splitlines()[1].startswith("├─ 0 a = 2.0  leaf  grad 4.0")
    assert hint == "Every step in a sentence: for event in timeline: print(event)"
    assert repr(timeline) == "<Timeline of e: 2 nodes, 14 events>"
    assert "grad 4.0" not in str(timeline.at(0))


def test_a_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    b = graphlab.tensor(3.0, requires_grad=True)
    net = graphlab.nn.ParameterDict({"\x1b]0;title\x07\u202e": graphlab.nn.Parameter(b)})
    e = net["\x1b]0;title\x07\u202e"] * b
    timeline = graphlab.trace(e)
    said = [str(graphlab.hello(e)), *map(str, timeline)]
    said += [event.sentence for event in timeline]
    with pytest.raises(ValueError, match="the leaves are") as wrong:
        timeline.slope("q")
    with pytest.raises(ValueError, match="no format") as unknown:
        timeline.save(tmp_path / "x.\x1b[31mzz")
    with pytest.raises(FileNotFoundError, match="no folder") as missing:
        timeline.save(tmp_path / "\x1b[31m" / "x.svg")
    said += [str(error.value) for error in (wrong, unknown, missing)]
    assert sum("title" in text for text in said) > 4
    for text in said:
        assert not set("\x1b\x07\u202e") & set(text)


def test_a_printed_step_says_what_a_rule_does_that_is_no_product():
    x = graphlab.tensor([1.0, -2.0], requires_grad=True)
    told = [
        " ".join(str(e).split()) for e in graphlab.trace(x.relu().sum()) if e.kind == "RuleApplied"
    ]
    assert told[0].endswith(": every entry gets the gradient of the sum.")
    assert told[1].endswith("where the result is positive; elsewhere it is 0.")
    a = graphlab.tensor(2.0, requires_grad=True)
    told = [str(e) for e in graphlab.trace(a * 3 + a) if e.kind == "RuleApplied"]
    assert not any("unchanged" in one or ":" in one for one in told)
