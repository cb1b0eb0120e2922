"""The programs of the pages can be followed from the top, and show what the pages say.

Read next: tests/pages.py
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot

import graphlab
from tests import pages

mpl.use("agg")
RULE = "class Mul(Op):"  # the guide's excerpt from ops/elementwise.py
PAGES = [
    "README.md",
    "docs/guide.md",
    "docs/outputs.md",
    "docs/plots.md",
    pytest.param("docs/pytorch.md", marks=pytest.mark.torch),
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> Callable[[str], list[pages.Block]]:
    """Give the blocks of a page after they ran; each page runs once, in a folder of its own."""
    known: dict[str, list[pages.Block]] = {}

    def run(page: str) -> list[pages.Block]:
        if page not in known:
            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(tmp_path_factory.mktemp("page"))
                known[page] = pages.run(page, {"__name__": "__main__"}, without=RULE)
            pyplot.close("all")
        return known[page]

    return run


def bundle(value: Any) -> dict[str, Any]:
    """Return what a notebook gets to show."""
    shown = value._repr_mimebundle_()
    return shown[0] if isinstance(shown, tuple) else shown


@pytest.mark.parametrize("page", PAGES)
def test_no_result_is_lost_above_the_last_line_of_a_cell(ran, page):
    assert [(block.line, block.lost()) for block in ran(page) if block.lost()] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_last_line_with_a_comment_shows_something(ran, page):
    """A notebook shows no None. What `plots.show` and `print` write is their own."""
    silent = [
        block.line
        for block in ran(page)
        if pages.ends_with_expression(block.code)
        and "  # " in block.code.splitlines()[-1]
        and block.last is None
    ]
    assert silent == []


def test_the_readme_shows_the_three_parts_and_the_table_that_it_prints(ran):
    (block,) = ran("README.md")
    text = repr(block.last)
    assert all(part in text for part in ("1. The graph.", "2. The walk.", "3. The proof."))
    page = (pages.ROOT / "README.md").read_text("utf-8")
    (table,) = re.findall(r"gives:\n\n```\n(.*?)\n```", page, re.DOTALL)
    assert table in text


def test_the_guide_plays_a_recording_and_draws_the_weights_by_name(ran):
    recorded, training = ran("docs/guide.md")
    assert isinstance(recorded.last, graphlab.Timeline)
    assert "text/html" in bundle(recorded.last)
    written = [event.after.text for event in recorded.last if event.kind == "LeafWritten"]
    assert len(written) == 3  # one gradient, which accumulates
    for name in ("0.weight", "0.bias", "2.weight", "2.bias"):
        assert name in training.last.svg


def test_the_rule_in_the_guide_is_the_rule_that_runs():
    (excerpt,) = (b.code for b in pages.blocks("docs/guide.md") if b.code.startswith(RULE))
    source = (pages.ROOT / "graphlab" / "ops" / "elementwise.py").read_text("utf-8")
    assert excerpt[excerpt.index("    def forward") :] in source


def test_the_quizzes_of_the_page_ask_and_open_where_it_says(ran):
    last = [block.last for block in ran("docs/outputs.md")]
    (opened,) = (one for one in last if isinstance(one, graphlab.Timeline))
    assert opened.opening.step == 23
    assert opened.opening.step in opened.stops("story")
    assert opened.opening.predicting


def test_the_plots_of_the_page_are_the_three_that_it_lists(ran):
    shown = [value for block in ran("docs/plots.md") for _, value in block.shown]
    texts = [axes.graphlab_text for axes in shown if axes is not None]
    assert len(texts) == 4
    assert all(texts)
