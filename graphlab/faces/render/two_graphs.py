"""A Comparison: two backward passes side by side, with their differences.

Read next: js/src/pair.ts
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from graphlab.common.files import destination, write_whole
from graphlab.faces.render.bundle import MIME
from graphlab.faces.render.comparison_page import document_of, html_of, text_of
from graphlab.faces.render.formats import named
from graphlab.faces.render.marked_scenes import marked
from graphlab.faces.render.timeline_steps import is_empty
from graphlab.graph.comparing.differences import Difference
from graphlab.graph.comparing.finding import Found, Known, differs, find
from graphlab.graph.comparing.gradient_flow import walks_of
from graphlab.graph.comparing.step_alignment import Row, align
from graphlab.graph.comparing.wording import SIDES
from graphlab.graph.compression import compressed
from graphlab.graph.timeline import Timeline

ENDINGS = (".html", ".json", ".txt")


class Comparison:
    """What differs between two backward passes; `graphlab.compare` makes one.

    In a notebook it shows both graphs side by side, in one player that steps through both. Its
    length is the number of differences, and a loop over it gives them, most important first.

    one, other: the Timelines. known: how constants were cut off, by their ids, if that is known.

    Raises: ValueError if nothing was recorded in one of them.
    """

    def __init__(self, one: Timeline, other: Timeline, known: Known = ({}, {})) -> None:
        for side, timeline in zip(SIDES, (one, other), strict=True):
            if is_empty(timeline):
                raise ValueError(
                    f"graphlab.compare has nothing to compare: the {side} timeline is empty, "
                    f"because {timeline.title or 'no backward pass was recorded'}"
                )
        self._timelines = (one, other)
        self._found: Found = find(one, other, known)

    @property
    def timelines(self) -> tuple[Timeline, Timeline]:
        """The two timelines."""
        return self._timelines

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The differences, most important first: each has a kind, a sentence, ids and values."""
        return self._found.differences

    @property
    def same(self) -> bool:
        """Whether nothing differs, except perhaps the order of factors and summands."""
        return not differs(self.differences)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the two results."""
        one, other = (timeline.title or "a formula" for timeline in self._timelines)
        return one, other

    @property
    def title(self) -> str:
        """Both names: "mine beside solution"."""
        return " beside ".join(self.names)

    @property
    def summary(self) -> str:
        """One sentence: how many differences there are."""
        one, other = self.names
        count = len(self)
        if self.same:
            nodes = len(self._timelines[0].graph.nodes)
            swapped = ", but for the order of some inputs" if count else ""
            return (
                f"{one} and {other} are the same{swapped}: {nodes} nodes, and all their values and "
                "gradients agree."
            )
        return f"{one} beside {other}: {count} difference{'s' if count != 1 else ''}."

    @property
    def note(self) -> str:
        """Which passes of a recording are compared; "" for two single passes."""
        return self._found.note

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The steps of both graphs, aligned."""
        return align(*self._timelines, self._found.matching)

    @cached_property
    def drawn(self) -> tuple[Timeline, Timeline]:
        """The two timelines with what differs marked in their drawings."""
        (one, other), follows = self._timelines, self._found.follows
        return (
            marked(one, 0, self.differences, follows[0]),
            marked(other, 1, self.differences, follows[1]),
        )

    @property
    def spans(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The events, first and end, of the passes that the differences are about."""
        one, other = (walks_of(timeline)[self._found.number] for timeline in self._timelines)
        return (one.first, one.end), (other.first, other.end)

    @property
    def text(self) -> str:
        """The differences as text, with their lines of code."""
        return text_of(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the comparison in the format that `path` ends with, and return the path.

        .html plays offline, .json is opened by JupyterLab, .txt is the list of differences.
        Raises: TypeError if `path` is not a name; ValueError for another extension; OSError if the
        file cannot be written. No partial file is left.
        """
        target = named(path)
        ending = target.suffix.lower()
        if ending not in ENDINGS:
            raise ValueError(
                f"cannot save to {target}: a comparison is written as one of {list(ENDINGS)}, got "
                f"{target.suffix or 'no ending'!r}; one graph alone is "
                "comparison.timelines[0].save(...)"
            )
        destination(target)
        if ending == ".html":
            written = html_of(self, self._packed["gzip"], standalone=True)
        elif ending == ".json":
            written = json.dumps(self._packed) + "\n"
        else:
            written = self.text + "\n"
        write_whole(target, written)
        return target

    @cached_property
    def _packed(self) -> dict[str, Any]:
        return compressed(document_of(self))

    def __len__(self) -> int:
        return len(self.differences)

    def __bool__(self) -> bool:
        return True  # a comparison without differences is a result, too

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __getitem__(self, k: int) -> Difference:
        return self.differences[k]

    def __repr__(self) -> str:
        return f"<Comparison: {self.summary.removesuffix('.')}>"

    def __str__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME: self._packed,
            "text/html": html_of(self, self._packed["gzip"]),
            "text/plain": self.text,
        }
