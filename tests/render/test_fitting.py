"""A value that does not fit gets fewer digits, then becomes a shape, and only then is cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphlab.faces.render.metrics import fitted

CASES = json.loads((Path(__file__).parents[1] / "fixtures" / "fitting.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "most", "shown"), CASES)
def test_a_text_that_is_too_long_is_shortened_as_the_player_does(
    text: str, most: int, shown: str
) -> None:
    assert fitted(text, most) == shown
