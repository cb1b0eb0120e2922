"""What is printed breaks between words: JupyterLab breaks a longer line anywhere."""

from __future__ import annotations

from typing import Any

import pytest

import graphlab
from graphlab.common.notebook import WIDTH

x = graphlab.tensor(2.0, requires_grad=True)


def cut() -> Any:
    """A comparison with long sentences."""
    whole = x * (x * (x * 0.0 + 4.0) + 2.0) + 1.0
    second = x * (x * 0.0 + 4.0) + 2.0
    return graphlab.compare(whole, x * second.detach() + 1.0)


class Wrong(graphlab.autograd.Function):
    """The cube, with the slope of another function."""

    @staticmethod
    def forward(ctx: Any, entry: Any) -> Any:
        ctx.save_for_backward(entry)
        return entry**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (entry,) = ctx.saved_tensors
        return grad * 2 * entry**2


def wrong() -> Any:
    """A report with long notes."""
    return graphlab.check(Wrong.apply(x))


@pytest.mark.parametrize(
    "made", [cut, lambda: cut()[0], wrong, lambda: graphlab.trace(x * (x * x).log())[5]]
)
def test_printed_lines_are_short_and_hold_all_words(made: Any) -> None:
    shown = made()
    code = ("   first: ", "   second:")
    lines = [line for line in str(shown).splitlines() if not line.startswith(code)]
    assert max(map(len, lines)) <= WIDTH
    whole = getattr(shown, "sentence", getattr(shown, "summary", ""))
    assert " ".join(whole.split()) in " ".join(str(shown).split())


def test_a_long_word_is_not_broken() -> None:
    name = "w" * 200
    made = graphlab.compare(x * 2, x * 3)[0]
    assert name in str(type(made)("detached", f"The first graph has {name} alone."))
