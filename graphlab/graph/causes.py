"""Causes: why parameters do not learn, a row for each cause; and where the first NaN comes from.

The search for the first NaN or infinity follows the program: forward, backward, and between. Each
value is "nan", "inf", "-inf", "finite" or, if the timeline does not hold it, "": unknown. The
sentence says no more than is known. js/src/nonfinite.ts searches in the same way.

Read next: graph/gradient_health.py
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from graphlab.graph.codec import record
from graphlab.graph.events import (
    ChangedInPlace,
    Computed,
    Event,
    GradReplaced,
    GradRetained,
    HookRan,
    LeafWritten,
    NodeEntered,
    OptimizerStepped,
    PassBegan,
    RuleApplied,
)
from graphlab.graph.model import Graph, NodeInfo, Source, Unreached
from graphlab.graph.value import Value

FROZEN = "its requires_grad is False"
SEVERAL = {"its": "their", "steps it": "steps them"}
PLURAL = re.compile(rf"\b({'|'.join(SEVERAL)})\b")
MOST_FOLDED = 6  # names in one row


@record
class Cause:
    """Why some parameters do not learn."""

    names: str  # "net.wpe, net.blocks.0 to 2 (36 parameters)"
    said: str  # "get no gradient: cut off by .data"
    source: Source | None = None


class Lost(tuple[Any, ...]):
    """Parameters that do not learn; as the last line of a cell, one row for each cause."""

    rows: str = "()"

    def __repr__(self) -> str:
        return self.rows


def lost(graph: Graph, listed: Sequence[Unreached], items: Iterable[Any]) -> Lost:
    """`items` as a tuple that is shown by the causes of `listed`."""
    found, rows = Lost(items), []
    for names, one in by_cause(graph, listed):
        line = f", line {one.source.line}: {one.source.text}" if one.source else ""
        rows.append(f"{names}: {worded(names, one.why)}{line}")
    found.rows = "\n".join(rows) or "()"
    return found


def causes_of(graph: Graph) -> list[Cause]:
    """Why parameters get no gradient, or are not stepped; frozen ones come last."""
    rows = [("no gradient: ", *each) for each in by_cause(graph, graph.unreached)]
    rows += [("a gradient, but ", *each) for each in by_cause(graph, graph.unstepped)]
    rows.sort(key=lambda row: row[2].why == FROZEN)
    found = []
    for what, names, one in rows:
        verb = "get" if are_several(names) else "gets"
        found.append(Cause(names, f"{verb} {what}{worded(names, one.why)}", one.source))
    return found


def are_several(names: str) -> bool:
    """Whether folded names are those of several parameters."""
    return names.endswith(" parameters)") or ", " in names


def worded(names: str, why: str) -> str:
    """A reason in the plural, if it is that of several parameters."""
    return PLURAL.sub(lambda found: SEVERAL[found[0]], why) if are_several(names) else why


def by_cause(graph: Graph, listed: Sequence[Unreached]) -> list[tuple[str, Unreached]]:
    """The folded names of each cause and one of its rows; the frozen parameters come last."""
    groups: dict[tuple[str, Source | None], list[Unreached]] = {}
    for one in listed:
        groups.setdefault((one.why, one.source), []).append(one)
    roots = {one.name.partition(".")[0] for one in listed}
    leaves = [t.label for t in graph.tensors if t.is_leaf and t.requires_grad and "." in t.label]
    known = {one.name for one in (*graph.unreached, *graph.unstepped)}
    known.update(leaves)
    variables = roots | {re.split("[. ]", scope.path)[0] for scope in graph.scopes}
    for label in leaves:
        if label.partition(".")[0] not in variables:  # a part of a Sequential is called "0.weight"
            known.update(f"{root}.{label}" for root in roots)
    told = []
    for group in sorted(groups.values(), key=lambda group: group[0].why == FROZEN):
        names = [one.name for one in group]
        told.append((folded(names, known.difference(names)), group[0]))
    return told


def folded(names: Sequence[str], others: Collection[str]) -> str:
    """Names of parameters in few words: a module stands for its parameters if it has no others.

    >>> folded(["a.0.w", "a.0.b", "a.1.w", "a.1.b", "a.2.w", "c.w"], ["a.2.b"])
    'a.0 to 1, a.2.w, c (6 parameters)'
    """

    def parts(path: str, inside: Sequence[list[str]]) -> list[tuple[str, str]]:
        """What stands for the names that begin with a path: the path of a group, and a key."""
        if inside == [[]] or (path and not any(one.startswith(f"{path}.") for one in others)):
            return [("", path)]
        found: list[tuple[str, str]] = []
        for key, group in groupby(inside, key=lambda rest: rest[0]):
            whole = f"{path}.{key}" if path else key
            below = parts(whole, [rest[1:] for rest in group])
            found += [(path, key)] if below == [("", whole)] else below
        return found

    shown: list[str] = []
    last = ("", "", "")  # the path of a group, and the first and the last key of a run in it
    for path, key in parts("", [name.removesuffix(".*").split(".") for name in names]):
        first = key
        if last[0] == path and last[2].isdigit() and key == str(int(last[2]) + 1):
            first = last[1]
            shown.pop()
        run = key if first == key else f"{first} to {key}"
        shown.append(f"{path}.{run}".removeprefix("."))
        last = path, first, key
    more = len(shown) - MOST_FOLDED
    text = ", ".join(shown[:MOST_FOLDED]) + (f" and {more} more" if more > 0 else "")
    count = len(names)
    return text if count == len(shown) and more <= 0 else f"{text} ({count} parameters)"


BAD = ("nan", "inf", "-inf")
# operations that often write an infinity on purpose
WRITES = re.compile("masked_fill|where|fill|index_|put|copy_slices")
# operations that make them of finite numbers, and whose inputs a trace shows
MAKES = re.compile("log|r?sqrt|div|exp|reciprocal")
UPDATES = ChangedInPlace | GradReplaced | GradRetained | HookRan | LeafWritten | OptimizerStepped


@dataclass(frozen=True, slots=True)
class Nonfinite:
    """The place where a NaN or an infinity first appears.

    direction: "forward", "backward", "input" if an input held it already, or "update": a hook, a
    change, a step or a sum of gradients made it. node: the node's id; "" for an update. name: of
    the node or the tensor. scope: the module. source: the line that made the node or the change,
    if it is known. what: "nan", "inf" or "-inf". event: the index of the first event that tells of
    it. said: a sentence. pass_number: counted from 1; 0 if there is only one pass.
    """

    direction: str
    node: str
    name: str
    scope: str
    source: Source | None
    what: str
    event: int | None = None
    said: str = ""
    pass_number: int = 0

    def __str__(self) -> str:
        line = f", line {self.source.line}: {self.source.text}" if self.source else ""
        begun = f"Pass {self.pass_number}: " if self.pass_number else ""
        return f"{begun}{self.said}{line}"


def nonfinite(graph: Graph, events: Sequence[Event]) -> Iterator[Nonfinite]:
    """What is not finite, in the order of time."""
    now = {tensor.id: known(tensor.value) for tensor in graph.tensors}
    for node in graph.nodes:
        for tensor, kind in saved_by(node).items():
            now[tensor] = now[tensor] or kind
    begun = [event for event in events if isinstance(event, PassBegan)]
    roots = {graph.root, *(root for event in begun for root in event.roots)}
    firsts = {node: event.number for event in reversed(begun) for node, _ in event.waits}
    number = 1

    def found(
        way: str, node: NodeInfo, what: str, said: str, at: int | None = None, name: str = ""
    ) -> Nonfinite:
        if at is None:
            at = next((k for k, event in enumerate(events) if tells_of(event, node)), None)
        several = len(begun) > 1 and (number if way == "backward" else firsts.get(node.id, number))
        name = name or node.name
        return Nonfinite(way, node.id, name, node.scope, node.source, what, at, said, int(several))

    def forward(node: NodeInfo) -> Iterator[Nonfinite]:
        own, writes, where = saved_by(node), WRITES.match(node.op), place_of(node)
        came = [own.get(id) or now[id] for id in node.inputs]
        made = [own.get(id) or now[id] for id in node.outputs]
        what = next((kind for kind in made if kind in BAD), "")
        for info, kind in zip(map(graph.tensor, node.inputs), came, strict=True):
            on_purpose = kind != "nan" and (writes or (kind == "-inf" and not info.requires_grad))
            if kind in BAD and not (info.producer or on_purpose or (not what and all(made))):
                who = f"{info.name}, an input of {where}," if info.name else f"An input of {where}"
                said, name = f"{who} already holds {kind}", info.name or "an input"
                yield found("input", node, kind, said, name=name)
        passed_on = what in came or (what == "-inf" and not all(came))
        on_purpose = what != "nan" and (writes or passed_on) and roots.isdisjoint(node.outputs)
        if what and not on_purpose:
            yield found("forward", node, what, f"{where} computed {what}{origin(node, came)}")

    waiting = sorted((n for n in graph.nodes if n.variable is None), key=lambda n: -n.sequence)
    while waiting and not begun:
        yield from forward(waiting.pop())
    for k, event in enumerate(events):
        if isinstance(event, PassBegan):
            number = event.number
            visited = [graph.node(node) for node, _ in event.waits]
            last = max((one.sequence for one in visited if one.variable is None), default=-1)
            while waiting and waiting[-1].sequence <= last:
                yield from forward(waiting.pop())
        elif isinstance(event, RuleApplied):
            node, came, sent = (
                graph.node(event.node),
                *map(known, (event.upstream, event.contribution)),
            )
            where = place_of(node)
            if came in BAD:
                yield found("backward", node, came, f"{where} received {came}", k)
            elif sent in BAD:
                used = [came, *(known(one.value) for one in node.saved)]
                yield found("backward", node, sent, f"{where} sent {sent}{origin(node, used)}", k)
        elif isinstance(event, UPDATES):
            for one in event.changes if isinstance(event, OptimizerStepped) else [event]:
                was, what, of_data = known(one.before), known(one.after), hasattr(one, "version")
                learns = graph.tensor(one.tensor).requires_grad  # the program may fill others
                if learns and what in BAD and was not in BAD:
                    said = f"{one.name}{'' if of_data else '.grad'} now holds {what}"
                    if isinstance(event, HookRan):
                        said = f"A hook on {one.name} returned {what}"
                    line, of = getattr(event, "source", None), number if len(begun) > 1 else 0
                    yield Nonfinite("update", "", one.name, "", line, what, k, said, of)
                # whether an operation ran before a change of data or after it is not known
                if of_data and not was == what == now[one.tensor]:
                    now[one.tensor] = ""


def known(value: Value | None) -> str:
    """ "nan", "inf" or "-inf" if a value contains it, else "finite", or "" if it is unknown."""
    if value is None:
        return ""
    if (counts := value.statistics) is not None:
        pairs = zip(BAD, (counts.nan, counts.pos_inf, counts.neg_inf), strict=True)
        return next((word for word, count in pairs if count), "finite")
    single = math.prod(value.shape) == 1
    if (said := value.norm or (value.text if single else "")) in BAD:
        return said
    return "finite" if value.norm or (single and value.text[-1].isdigit()) else ""


def origin(node: NodeInfo, kinds: Sequence[str]) -> str:
    """The end of a sentence, if all that a node used is known to be finite."""
    return " from finite numbers" if MAKES.match(node.op) and {*kinds} == {"finite"} else ""


def saved_by(node: NodeInfo) -> dict[str, str]:
    """What is known of the tensors that a node saved, when it saved them."""
    return {one.tensor: known(one.value) for one in node.saved if one.tensor and not one.is_stale}


def tells_of(event: Event, node: NodeInfo) -> bool:
    """Whether an event is the beginning of what a pass tells of a node."""
    return isinstance(event, Computed | NodeEntered) and event.node == node.id


def place_of(node: NodeInfo) -> str:
    """The name of a node and of its module."""
    return f"{node.name} in {node.scope}" if node.scope else node.name
