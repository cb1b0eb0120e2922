"""Pictures and timelines are tested as committed text: their changes are read as diffs.

`pytest tests/graph tests/render --update-golden` writes what the code now makes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

Golden = Callable[[str, str], None]


def add_option(parser: pytest.Parser) -> None:
    with suppress(ValueError):  # another folder has added it already
        parser.addoption("--update-golden", action="store_true", help="rewrite golden files")


def comparer(request: pytest.FixtureRequest) -> Golden:
    """A function of a file's name and its text: it must be what is committed."""
    folder = Path(str(request.path)).parent / "golden"

    def compare(name: str, text: str) -> None:
        path = folder / name
        if request.config.getoption("--update-golden", default=False):
            folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"no golden file {path.name}: run with --update-golden"
        expected = path.read_text(encoding="utf-8")
        assert text == expected, f"{path.name} changed: see the diff after --update-golden"

    return compare
