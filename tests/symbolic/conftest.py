"""What the tests of the checker share.

Read next: tests/symbolic/test_lesson.py
"""

from __future__ import annotations

import html.parser
import re

import numpy as np
import pytest

import graphlab

MOST_WORK = 1_200_000  # of a check with the default budget: entries, digits and factors of terms


class Lesson:
    """e = a*b + c*log(d), with a = 2, b = 3, c = 5, d = 10."""

    def __init__(self) -> None:
        self.a, self.b, self.c, self.d = (leaf(v) for v in (2.0, 3.0, 5.0, 10.0))
        self.t = self.a * self.b
        self.e = self.t + self.c * graphlab.log(self.d)
        self.names = {getattr(self, n): n for n in "abcde"}


def leaf(value, dtype=None):
    """A tensor that requires a gradient."""
    tensor = graphlab.tensor(value) if dtype is None else graphlab.tensor(value).to(dtype)
    return tensor.requires_grad_()


def randn(*shape: int, seed: int = 0):
    """A leaf of random float32 entries."""
    return leaf(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


@pytest.fixture
def lesson() -> Lesson:
    return Lesson()


# -- what is shown ------------------------------------------------------------------------------


MATHML = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot"}
MATHML |= {"msub", "msup", "msubsup", "mtable", "mtr", "mtd", "mover"}


class Tags(html.parser.HTMLParser):
    """The tags, attributes and text of an HTML fragment."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.unfolded = ""  # the text that is seen before anything is opened
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        names = {name for name, _ in attrs}
        if tag == "math" or "math" in self.open:
            assert tag in MATHML
            assert names <= {"displaystyle", "stretchy", "width", "style", "mathvariant"}
        else:
            self.tags.add(tag)
            self.attributes |= names
        if tag != "img":  # which holds nothing and is not closed
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "math" in self.open or self.open[-1:] == ["style"]:
            return  # it says what the LaTeX beside it says
        self.text += data
        if "details" not in self.open:
            self.unfolded += data


def check_tex(tex: str) -> None:
    """Fail on LaTeX that TeX refuses: a second superscript or subscript, braces that do not match.

    >>> check_tex("x_{1}^{2} + {x^{2}}^{3}")
    """
    levels: list[set[str]] = [set()]  # what the last atom of each open group has: ^ or _
    argument = False  # whether what comes next is what a ^ or _ raises or lowers
    for token in re.findall(r"\\[A-Za-z]+|\\.|\S", tex):
        if token in "^_":
            assert token not in levels[-1], f"a double {token} in {tex}"
            levels[-1].add(token)
            argument = True
        elif token == "{":
            if not argument:
                levels[-1] = set()
            levels.append(set())
            argument = False
        elif token == "}":
            assert len(levels) > 1, f"a brace too many in {tex}"
            levels.pop()
        else:
            if not argument:
                levels[-1] = set()
            argument = False
    assert len(levels) == 1, f"a brace is not closed in {tex}"


def assert_shown(report) -> None:
    """A report is shown as text and for a notebook, and each row has its LaTeX and chain rule."""
    assert repr(report)
    page = Tags(report._repr_html_())
    assert page.open == []
    for tex in re.findall(r"\$\\displaystyle (.*?)\$(?!\\)", page.text, flags=re.DOTALL):
        check_tex(tex)
    for row in report:
        if row.formula is not None:
            check_tex(row.latex())
        assert repr(row.chain)
        check_tex(row.chain.latex())
        assert Tags(row.chain._repr_html_()).open == []
