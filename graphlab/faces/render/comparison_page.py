"""Two graphs beside each other as a document, a page and text.

The document contains both traces, the rows of the player, which steps through both, and the table
of differences. The page shows the table and both pictures where no script runs.

Read next: faces/render/two_graphs.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from graphlab.common.wrapping import wrapped
from graphlab.faces.render.html import image, page_of, player_script, still_of
from graphlab.graph.comparing.differences import Difference
from graphlab.graph.document import VERSION, generator
from graphlab.graph.model import Source
from graphlab.graph.timeline import Timeline

if TYPE_CHECKING:
    from graphlab.faces.render.two_graphs import Comparison

FORMAT = "graphlab.comparison"
HOW = (
    "The two backward passes play side by side where scripts run: in JupyterLab, Notebook, "
    "VS Code, Colab, or as a page saved with comparison.save()."
)
# events that show a difference best, in this order
TELLING = ("LeafWritten", "Seeded", "Failed", "RuleApplied", "NodeEntered")


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
        "traces": [_recorded(one) for one in comparison.drawn],
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


def _recorded(timeline: Timeline) -> dict[str, Any]:
    """Return a trace without formulas, so that the compared values cannot be edited."""
    document = timeline.to_json()
    document.pop("replay", None)
    return document


class _Shows:
    """Finds the row that shows a difference."""

    def __init__(self, comparison: Comparison) -> None:
        self.rows: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for k, row in enumerate(comparison.rows):
            _note(self.rows[0], row.first, k)
            _note(self.rows[1], row.second, k)
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


def _note(rows: dict[int, int], event: int | None, k: int) -> None:
    if event is not None:
        rows[event] = k


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
        f"<figure><figcaption>{escape(f'The {side} graph: {name}')}</figcaption>"
        f"{image(still_of(timeline), f'The {side} graph, {name}')}</figure>"
        for side, name, timeline in zip(("first", "second"), names, timelines, strict=True)
    )
    shown = f"<p>{escape(comparison.summary)}</p>{_table(comparison)}{pictures}"
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
        f"<tr><td>{number}</td><td>{escape(one.sentence)}</td>"
        + "".join(f"<td>{escape(place(source, part=True))}</td>" for source in one.sources)
        + "</tr>"
        for number, one in enumerate(comparison, 1)
    )
    heads = "".join(
        f"<th>{head}</th>" for head in ("no.", "what differs", "first graph", "second graph")
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
