"""Parameters that do not learn are told in one row for each cause, with their names folded.

Read next: graph/gradient_health.py
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

from graphlab.graph.codec import record
from graphlab.graph.model import Graph, Source, Unreached

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
