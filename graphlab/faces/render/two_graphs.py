"""A Comparison: two backward passes side by side, with their differences.

Its document contains both traces, the rows of the player, which steps through both, and the table
of differences. The page shows the table and both pictures where no script runs.

Read next: js/src/pair.ts
"""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from graphlab.common.notebook import printable_here, wrapped
from graphlab.common.output import destination, write_whole
from graphlab.faces.render.bundle import MIME
from graphlab.faces.render.drawing import named
from graphlab.faces.render.html import image, page_of, player_script, still_of
from graphlab.faces.render.steady_scenes import marked
from graphlab.faces.render.svg import escaped
from graphlab.faces.render.timeline_steps import is_empty
from graphlab.graph.comparing.differences import Difference, walks_of
from graphlab.graph.comparing.finding import Found, Known, Row, align, differs, find
from graphlab.graph.comparing.wording import SIDES
from graphlab.graph.compression import compressed
from graphlab.graph.document import VERSION, generator
from graphlab.graph.model import Source
from graphlab.graph.timeline import Timeline

ENDINGS = (".html", ".json", ".txt")
FORMAT = "graphlab.comparison"
HOW = (
    "The two backward passes play side by side where scripts run: in JupyterLab, Notebook, "
    "VS Code, Colab, or as a page saved with comparison.save()."
)
# events that show a difference best, in this order
TELLING = ("LeafWritten", "Seeded", "Failed", "RuleApplied", "NodeEntered")


class Comparison:
    """What differs between two backward passes; `graphlab.compare` makes one.

    In a notebook it shows both graphs side by side, in one player that steps through both. Its
    length is the number of differences, and a loop over it gives them, most important first.

    It has no truth value: write `.same`, or `len(...)`.

    one, other: the Timelines. known: how constants were cut off, by their ids, if that is known.
    variables: the names of the variables that hold the timelines, used if both have one title.

    Raises: ValueError if nothing was recorded in one of them.
    """

    def __init__(
        self,
        one: Timeline,
        other: Timeline,
        known: Known = ({}, {}),
        variables: tuple[str, str] = ("", ""),
    ) -> None:
        for side, timeline in zip(SIDES, (one, other), strict=True):
            if is_empty(timeline):
                raise ValueError(
                    f"graphlab.compare has nothing to compare: the {side} timeline is empty, "
                    f"because {timeline.title or 'no backward pass was recorded'}"
                )
        self._timelines, self._variables = (one, other), variables
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
        return self._variables if one == other and all(self._variables) else (one, other)

    def __bool__(self) -> bool:
        raise TypeError(
            "a Comparison has no truth value: write comparison.same, or len(comparison) for the "
            "number of differences"
        )

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
                "gradients agree to 4 digits."
            )
        alike = ", but the result and all gradients agree to 4 digits" * self._found.agree
        return f"{one} beside {other}: {count} difference{'s' if count != 1 else ''}{alike}."

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

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __getitem__(self, k: int) -> Difference:
        return self.differences[k]

    def __repr__(self) -> str:
        return f"<Comparison: {self.summary.removesuffix('.')}>"

    def __str__(self) -> str:
        return printable_here(self.text)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {
            MIME: self._packed,
            "text/html": html_of(self, self._packed["gzip"]),
            "text/plain": self.text,
        }


# -- as a document, a page and text ---------------------------------------------------------------


def document_of(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain JSON: see docs/trace.md."""
    whys = list(dict.fromkeys(row.why for row in comparison.rows))
    numbers = {why: k for k, why in enumerate(whys)}
    shows = _Shows(comparison)
    return {
        "format": FORMAT,
        "version": VERSION,
        "generator": generator(),
        "title": comparison.title,
        "summary": comparison.summary,
        "notice": comparison.note,
        "names": list(comparison.names),
        # without formulas, so that the compared values cannot be edited
        "traces": [replace(one, replay=None).to_json() for one in comparison.drawn],
        "rows": [[row.first, row.second, numbers[row.why]] for row in comparison.rows],
        "whys": whys,
        "differences": [
            {
                "sentence": one.sentence,
                "values": list(one.values),
                "lines": [place(source, part=True) for source in one.sources],
                "row": shows.row(one),
            }
            for one in comparison
        ],
    }


class _Shows:
    """Finds the row that shows a difference."""

    def __init__(self, comparison: Comparison) -> None:
        rows = comparison.rows  # the row of each event
        self.rows = (
            {row.first: k for k, row in enumerate(rows) if row.first is not None},
            {row.second: k for k, row in enumerate(rows) if row.second is not None},
        )
        spans = comparison.spans
        self.events = tuple(
            _telling(timeline, span)
            for timeline, span in zip(comparison.timelines, spans, strict=True)
        )

    def row(self, one: Difference) -> int:
        """Return the row that shows a difference; for a cut, where only one graph continues."""
        none = (len(TELLING), -1)
        found = []
        for side, ids in enumerate((one.first, one.second)):
            wanted: list[tuple[int, Any]] = [(1, id) for id in ids]
            if one.kind in ("cut", "constant"):
                wanted += [(0, (node, tensor)) for node in ids for tensor in ids]
            for better, id in wanted:
                rank, k = self.events[side].get(id, none)
                if k in self.rows[side]:
                    found.append((better, rank, self.rows[side][k]))
        return min(found)[2] if found else 0


def _telling(timeline: Timeline, span: tuple[int, int]) -> dict[Any, tuple[int, int]]:
    """Return the rank and index of the best event for each node, tensor and pair of both."""
    best: dict[Any, tuple[int, int]] = {}
    for k in range(*span):
        event = timeline.events[k]
        if event.kind not in TELLING:
            continue
        rank = TELLING.index(event.kind)
        node, tensor = getattr(event, "node", None), getattr(event, "tensor", None)
        for id in (node, tensor, (node, tensor) if event.kind == "RuleApplied" else None):
            if id is not None and best.get(id, (len(TELLING), k))[0] > rank:
                best[id] = rank, k
    return best


def place(source: Source | None, part: bool = False) -> str:
    """Return a line of code, "In [2], line 7: y = h * w"; "" if it is not known.

    part: whether to give only the expression, such as "h * w".
    """
    if source is None:
        return ""
    where = f"{source.label}, line {source.line}" if source.label else f"line {source.line}"
    code = source.text[source.start : source.end] if part else ""
    return f"{where}: {code or source.text}" if source.text else where


# --- text ---------------------------------------------------------------------------------------


def text_of(comparison: Comparison) -> str:
    """Return the differences as text, for a terminal."""
    lines = [wrapped(comparison.summary)]
    if comparison.note:
        lines.append(wrapped(comparison.note))
    for number, one in enumerate(comparison, 1):
        lines += ["", wrapped(one.sentence, f"{number}. ", "   ")]
        for side, source in zip(("first: ", "second:"), one.sources, strict=True):
            if source is not None:
                lines.append(f"   {side} {place(source)}")
    return "\n".join(lines)


# --- pages --------------------------------------------------------------------------------------


def html_of(comparison: Comparison, packed: str, standalone: bool = False) -> str:
    """Return the comparison as an HTML fragment, or with `standalone` as a whole page.

    packed: its document, compressed.
    """
    timelines = comparison.drawn
    names = comparison.names
    pictures = "".join(
        f"<figure><figcaption>{escaped(f'The {side} graph: {name}')}</figcaption>"
        f"{image(still_of(timeline), f'The {side} graph, {name}')}</figure>"
        for side, name, timeline in zip(("first", "second"), names, timelines, strict=True)
    )
    shown = f"<p>{escaped(comparison.summary)}</p>{_table(comparison)}{pictures}"
    script = player_script()
    if script is None:
        fragment = f'<div class="graphlab-player">{shown}</div>'
    else:
        kind = "page" if standalone else ""
        fragment = (
            f'<div class="graphlab-player" data-graphlab="{kind}">'
            f"<p><small>{HOW}</small></p>{shown}"
            f'<script type="application/gzip">{packed}</script></div><script>{script}</script>'
        )
    return page_of(fragment, comparison.title) if standalone else fragment


def _table(comparison: Comparison) -> str:
    if not len(comparison):
        return ""
    rows = "".join(
        f"<tr><td>{number}</td><td>{escaped(one.sentence)}</td>"
        + "".join(f"<td>{escaped(place(source, part=True))}</td>" for source in one.sources)
        + "</tr>"
        for number, one in enumerate(comparison, 1)
    )
    heads = "".join(
        f"<th>{head}</th>" for head in ("no.", "what differs", "first graph", "second graph")
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
