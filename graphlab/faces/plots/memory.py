"""The bytes of saved tensors after each event, and the nodes that free most of them.

A state counts the bytes of the current pass's graph. Graphs that earlier passes kept, because of
`retain_graph` or `create_graph`, have bytes too, which are added here.

Read next: faces/plots/gradients.py
"""

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from graphlab.common.errors import described
from graphlab.faces.plots.canvas import on_top, prepared, told
from graphlab.graph.events import ForwardBegan, PassBegan, SavedFreed
from graphlab.graph.model import Graph
from graphlab.graph.timeline import Timeline

MOST_LISTED = 3  # the most amounts of freed bytes in the list
APART = 0.04  # share of the width: numbers nearer than this would overlap
LONGEST_NAME = 24  # characters: a longer expression is left out
MOST_PASSES = 12  # with more passes, none gets a line and a number


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes after each event: of the current pass's graph, and of graphs that earlier ones kept."""

    own: list[int]
    earlier: list[int]

    @property
    def all(self) -> list[int]:
        return [a + b for a, b in zip(self.own, self.earlier, strict=True)]


def saved_memory(timeline: Timeline, ax: Any = None, theme: str | None = None) -> Any:
    """Draw the bytes that saved tensors hold, event by event.

    A graph is counted from the beginning of its pass. One that `retain_graph` or `create_graph`
    kept is counted to the end, in grey: the recording does not tell when it is deleted. The nodes
    that free most bytes are numbered. A tensor that two nodes save is counted twice.

    timeline: of a pass or a recording; with `forward=True` it also shows how the bytes accumulate.
    ax: a matplotlib Axes, default that of a new figure. theme: "light" or "dark"; default: colours
    that suit the background of the Axes. A new figure is transparent, for light and dark pages.
    Returns: the Axes. Raises: TypeError if `timeline` is not a Timeline; ValueError if it has no
    events; ImportError without matplotlib.

    >>> import graphlab
    >>> x = graphlab.ones(100, requires_grad=True)
    >>> timeline = graphlab.trace(graphlab.exp(x * x).sum(), forward=True)
    >>> axes = graphlab.plots.saved_memory(timeline)
    >>> axes.graphlab_text
    'Saved tensors hold 1,200 bytes at most, at event 5, and 0 at the end. Most is freed by ...'
    """
    held = bytes_over(timeline)
    both, events = held.all, range(len(held.all))
    axes, colours = prepared(ax, theme)
    axes.fill_between(events, both, step="post", color=colours.forward, alpha=0.2, linewidth=0)
    if any(held.earlier):
        grey = {"color": colours.muted, "alpha": 0.35, "linewidth": 0}
        axes.fill_between(events, held.earlier, step="post", **grey, label="kept by earlier passes")
    axes.step(events, both, where="post", color=colours.forward, linewidth=2)
    peak = max(both)
    place = both.index(peak)
    axes.axvline(place, color=colours.gradient, linestyle=":")
    groups = largest_freed(timeline)
    mark_freed(axes, groups, both, colours)
    mark_passes(axes, timeline, colours)
    rows = len(groups) + any(held.earlier)
    axes.set(xlabel="event", ylabel="bytes held by saved tensors")
    axes.set_ylim(0, max(peak * (1.08 + 0.09 * rows), 1))  # room for the list above the curve
    axes.yaxis.set_major_formatter("{x:,.0f}")
    if rows:
        legend = axes.legend(loc="upper right", frameon=False, fontsize=9, labelcolor=colours.ink)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return told(axes, f"Saved tensors of {timeline.title}", in_words(held, groups))


def in_words(held: Held, groups: "list[Freed]") -> str:
    """Say what the plot shows."""
    both = held.all
    peak, kept = max(both), max(held.earlier)
    said = [
        f"Saved tensors hold {peak:,} bytes at most, at event {both.index(peak)}, and "
        f"{both[-1]:,} at the end."
    ]
    if kept:
        said.append(f"Of these, at most {kept:,} belong to graphs that earlier passes kept.")
    if groups:
        said.append(f"Most is freed by {groups[0].text}.")
    return " ".join(said)


# -- counting ----------------------------------------------------------------------------------


def bytes_over(timeline: Timeline) -> Held:
    """Return the bytes that are held after each event. Raises: TypeError, ValueError."""
    if not isinstance(timeline, Timeline):
        raise TypeError(
            "saved_memory(timeline) takes a Timeline, as trace(...) and record() return it, got "
            f"{described(timeline)}"
        )
    if not len(timeline):
        raise ValueError("nothing was recorded in this Timeline: no backward pass ran in the block")
    sizes = {node.id: sum(one.nbytes for one in node.saved) for node in timeline.graph.nodes}
    begins = passes_of(timeline)
    freed: set[str] = set()
    kept: dict[str, int] = {}  # by node: bytes that earlier passes kept
    nodes: tuple[str, ...] = ()  # of the current pass
    own, earlier = timeline.initial["held"], 0
    found = Held([], [])
    for k, patch in enumerate(timeline.patches):  # in one loop, without a state for each event
        for node, gone in patch.get("freed", {}).items():
            (freed.add if gone else freed.discard)(node)
        if k in begins:
            left = {node: sizes[node] for node in nodes if node not in freed}
            kept.update(left)
            nodes = begins[k]
            earlier += sum(left.values()) - sum(kept.pop(node, 0) for node in nodes)
        own = patch.get("held", own)
        found.own.append(own)
        found.earlier.append(earlier)
    return found


def passes_of(timeline: Timeline) -> dict[int, tuple[str, ...]]:
    """Return the event at which each pass of a recording begins, and the nodes of the pass.

    If its forward pass is shown, it begins with that.
    """
    found: dict[int, tuple[str, ...]] = {}
    ahead: int | None = None  # the beginning of the current forward pass
    for k, event in enumerate(timeline.events):
        if isinstance(event, ForwardBegan):
            ahead = k
        elif isinstance(event, PassBegan):
            found[k if ahead is None else ahead] = tuple(node for node, _ in event.waits)
            ahead = None
    return found


@dataclass(frozen=True, slots=True)
class Freed:
    """The nodes of one name that each free the same number of bytes, and the events."""

    nbytes: int
    text: str  # "ExpBackward0 of h: 4,000 bytes"
    places: tuple[int, ...]  # events


def largest_freed(timeline: Timeline) -> list[Freed]:
    """Return the nodes that free most, the largest first, grouped by name and size."""
    found: dict[tuple[int, str], list[int]] = {}
    for k, event in enumerate(timeline.events):
        if isinstance(event, SavedFreed) and event.nbytes:
            found.setdefault((event.nbytes, event.name), []).append(k)
    largest = sorted(found.items(), key=lambda one: -one[0][0])[:MOST_LISTED]
    return [
        Freed(nbytes, freed_in_words(timeline, name, nbytes, places), tuple(places))
        for (nbytes, name), places in largest
    ]


def freed_in_words(timeline: Timeline, name: str, nbytes: int, places: list[int]) -> str:
    """Say what a node frees, with the name of its result if it has one."""
    amount = "1 byte" if nbytes == 1 else f"{nbytes:,} bytes"
    if len(places) > 1:
        return f"{name}, {amount}, {len(places)} times"
    event = timeline.events[places[0]]
    result = result_of(timeline.graph, event.node) if isinstance(event, SavedFreed) else ""
    short = 0 < len(result) <= LONGEST_NAME
    return f"{name} of {result}, {amount}" if short else f"{name}, {amount}"


def result_of(graph: Graph, node: str) -> str:
    """Return the name of a node's result, a variable or an expression; "" without a name."""
    outputs = graph.node(node).outputs
    return graph.tensor(outputs[0]).name or "" if outputs else ""


# -- drawing -----------------------------------------------------------------------------------


def mark_freed(axes: Any, groups: list[Freed], held: list[int], colours: Any) -> None:
    """Number the steps where most is freed, if they are far enough apart, and list the numbers."""
    by_turns = zip_longest(*(group.places for group in groups))
    marked: list[tuple[int, int]] = []  # a place, and its group
    for place, group in ((k, one) for turn in by_turns for one, k in enumerate(turn)):
        near = APART * len(held)
        if place is not None and all(abs(place - other) > near for other, _ in marked):
            marked.append((place, group))
    for number, group in enumerate(groups, 1):
        places = [place for place, one in marked if one == number - 1]
        middles = [held[k] + group.nbytes / 2 for k in places]
        style = {"linestyle": "none", "color": colours.gradient, "markersize": 12}
        axes.plot(places, middles, marker="o", label=f"{number}  {group.text}", **style)
        for k, middle in zip(places, middles, strict=True):
            centred = {"ha": "center", "va": "center_baseline", "fontsize": 8}
            axes.text(k, middle, str(number), color=on_top(colours), **centred)


def mark_passes(axes: Any, timeline: Timeline, colours: Any) -> None:
    """Draw a line where each pass of a recording begins, with its number."""
    begins = list(passes_of(timeline))
    if not 1 < len(begins) <= MOST_PASSES:
        return
    for number, k in enumerate(begins, 1):
        axes.axvline(k, color=colours.muted, linewidth=0.6)
        beside = {"transform": axes.get_xaxis_transform(), "va": "bottom", "fontsize": 8}
        axes.text(k, 0.01, f" pass {number}", color=colours.ink, **beside)
