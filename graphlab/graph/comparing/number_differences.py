"""Differences of numbers are found here: data, results, gradients, and `.grad` before the pass.

Read next: graph/comparing/finding.py
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from graphlab.graph.comparing.differences import Difference, Kind, Pair, agree, has_numbers
from graphlab.graph.comparing.structure import other_options
from graphlab.graph.comparing.wording import (
    SIDES,
    at,
    contrast,
    kind_and_name,
    listed,
    number,
    ratio,
    times,
    told,
)
from graphlab.graph.events import ChangedInPlace, GradCleared, GradReplaced, OptimizerStepped
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value

Row = tuple[str, str, Value | None, Value | None]
MOST_ROWS = 4  # differences of one sort that get their own row


def find_numbers(pair: Pair) -> Iterator[Difference]:
    """The differences of data, results and gradients."""
    yield from _data(pair)
    yield from _calculated(pair)
    yield from _result(pair)
    yield from _gradients(pair)


def find_accumulated(pair: Pair, timelines: tuple[Timeline, Timeline]) -> Iterator[Difference]:
    """The leaves with a different `.grad` before the pass wrote to it."""
    found: dict[int, list[Row]] = {}
    for s, t in pair.leaves():
        mine, theirs = pair.walks[0].written.get(s), pair.walks[1].written.get(t)
        if mine is None or theirs is None:
            continue
        old = [None if _is_zero(one.before) else one.before for one in (mine, theirs)]
        if old[0] is old[1] is None or (old[0] and old[1] and agree(*old)):
            continue
        side = 1 if old[0] is None else 0 if old[1] is None else 2
        found.setdefault(side, []).append((s, t, mine.before, theirs.before))
    for side, rows in found.items():
        names = [f"{pair.label(0, s)}.grad" for s, *_ in rows]
        s, t, *before = rows[0]
        both = contrast(before[0], before[1])
        if side == 2:
            sentence = (
                f"{listed(names)} held different gradients before the pass: {both[0]} in the first "
                f"graph, and {both[1]} in the second."
            )
        else:
            sentence = _not_empty(pair, side, rows, names)
            sentence += _cleared(pair, timelines, side, (s, t))
        values = (
            "empty" if before[0] is None else both[0],
            "empty" if before[1] is None else both[1],
        )
        ids = (tuple(row[0] for row in rows), tuple(row[1] for row in rows))
        pair.told.update(ids[0])
        yield Difference("accumulated", sentence, *ids, values)


def find_updates(pair: Pair, passes: int) -> Iterator[Difference]:
    """The first thing that differs after a pass: a step, or a change of a leaf or of a gradient.

    passes: how many there are until then.
    """
    lists: Any = [[e for e in pair.walks[k].events if _is_update(pair, k, e)] for k in (0, 1)]
    for one, other in zip_longest(*lists):
        both = [one, other]
        if one is not None and other is not None:
            if type(one) is type(other):
                if _same(pair, one, other):
                    continue
            else:  # the other one comes later, or is missing there
                counts = [sum(type(e) is type(one) for e in events) for events in lists]
                both[1 if counts[0] > counts[1] else 0] = None
        said = ["" if e is None else _update(e) for e in both]
        if all(said):
            told = f"{said[0]} in the first program, and {said[1]} in the second"
        else:
            told = f"only in the {SIDES[0 if said[0] else 1]} program, {said[0] or said[1]}"
        sources = tuple(None if e is None else e.source for e in both)
        values = (said[0] or "nothing", said[1] or "nothing")
        after = f"After pass {passes}, {told}."
        ids = [() if e is None else e.focus for e in both]
        yield Difference("update", after, ids[0], ids[1], values, (sources[0], sources[1]))
        return


def _is_update(pair: Pair, side: int, event: Any) -> bool:
    """Whether an event changes a gradient, or a tensor that the other graph has, too."""
    if isinstance(event, ChangedInPlace):
        return not event.recorded and pair.partner(side, event.tensor) is not None
    if isinstance(event, GradReplaced):
        return event.before is None or not agree(event.before, event.after)
    return isinstance(event, OptimizerStepped)


def _same(pair: Pair, one: Any, other: Any) -> bool:
    if isinstance(one, OptimizerStepped):
        unknown = not (one.settings and other.settings)  # a trace of an earlier version has none
        return one.optimizer == other.optimizer and (unknown or one.settings == other.settings)
    return pair.partner(0, one.tensor) == other.tensor and agree(one.after, other.after)


def _update(event: Any) -> str:
    """What an event changes, in words."""
    if isinstance(event, OptimizerStepped):
        settings = f"({event.settings})" if event.settings else ""
        return f"{event.optimizer}{settings} takes a step"
    grad = ".grad" if isinstance(event, GradReplaced) else ""
    return f"{event.name}{grad} is changed to {number(event.after)}"


def _is_zero(value: Value | None) -> bool:
    """Whether `.grad` is None or 0, so that adding a gradient gives that gradient."""
    if value is None:
        return True
    known = value.statistics is None or value.statistics.low == value.statistics.high
    return known and all(text in ("0.0", "-0.0", "0") for text in value.texts)


def _not_empty(pair: Pair, side: int, rows: list[Row], names: list[str]) -> str:
    here = SIDES[side]
    if len(rows) > 1:
        return (
            f"{listed(names)} were not empty in the {here} graph, so the pass added to the old "
            "gradients. "
        )
    s, t, *before = rows[0]
    written = pair.walks[side].written[(s, t)[side]]
    sum_ = f"{number(before[side])} + {number(written.added)} = {number(written.after)}"
    return f"{names[0]} was not empty in the {here} graph, so the pass added to it: {sum_}. "


def _cleared(
    pair: Pair, timelines: tuple[Timeline, Timeline], side: int, ids: tuple[str, str]
) -> str:
    """How the other program cleared `.grad`, or else how to clear it."""
    there = 1 - side
    for event in reversed(timelines[there].events[: pair.walks[there].first]):
        if isinstance(event, GradCleared) and ids[there] in event.tensors:
            return (
                f"The {SIDES[there]} program clears it first{at(event.source)}: call zero_grad() "
                "before each backward pass."
            )
    return "Call zero_grad(), or set .grad = None, before each backward pass."


def _data(pair: Pair) -> Iterator[Difference]:
    """The leaves and constants with different values."""
    found: list[tuple[str, str]] = []
    for tensor in pair.walks[0].graph.tensors:
        partner = pair.partner(0, tensor.id)
        if partner is None or tensor.id in pair.makers[0] or partner in pair.makers[1]:
            continue
        if not agree(*pair.values(tensor.id, partner)):
            found.append((tensor.id, partner))
    shown = found if len(found) <= MOST_ROWS else found[: MOST_ROWS - 1]
    for s, t in shown:
        yield _other_value(pair, s, t)
    if rest := found[len(shown) :]:
        first, second = zip(*rest, strict=True)
        names = listed([pair.label(0, s) for s in first])
        yield Difference("value", f"{names} also have different values.", first, second)


def _other_value(pair: Pair, s: str, t: str) -> Difference:
    tensor, second = pair.tensor(0, s), pair.tensor(1, t).name
    what = "leaf" if tensor.requires_grad else "constant"
    called = (
        f"The {kind_and_name(what, tensor.name)}"
        if tensor.name
        else f"A {what}{at(pair.source(0, s))}"
    )
    if tensor.name and second != tensor.name:
        called += f" (in the second graph {second or 'another one'})"
    return _difference(pair, "value", called, s, t, pair.values(s, t))


def _calculated(pair: Pair) -> Iterator[Difference]:
    """The operations that computed different results from the same inputs, such as dropout."""
    count = 0
    for one, other in pair.nodes:
        crossed = one.id in pair.matching.crossed
        if crossed or one.op != other.op or other_options(one, other):
            continue
        if len(one.inputs) != len(other.inputs):
            continue
        inputs = list(map(pair.values, one.inputs, other.inputs))
        known = all(value and has_numbers(value) for both in inputs for value in both)
        if not known or not all(agree(*both) for both in inputs):
            continue
        for s, t in zip(one.outputs, other.outputs, strict=False):
            both = pair.values(s, t)
            if agree(*both) or count >= MOST_ROWS:
                continue
            count += 1
            values = contrast(*both)
            yield Difference(
                "value",
                f"From inputs that agree to 4 digits, {one.op}{at(one.source)} computed "
                f"{values[0]} in the first graph and {values[1]} in the second.",
                (one.id, s), (other.id, t), values, (one.source, other.source),
            )  # fmt: skip


def find_inside(pair: Pair) -> Iterator[Difference]:
    """The first result that differs, or whose gradient does, if nothing else is told."""
    for one, other in pair.nodes:
        for s, t in zip(one.outputs, other.outputs, strict=False):
            kind, of, both = "value", "", pair.values(s, t)
            if agree(*both):
                kind, of, both = "gradient", "gradient of the ", pair.gradients(s, t)
            if not agree(*both):
                called = f"The {of}result of {one.op}{at(one.source)}"
                yield _difference(pair, kind, called, s, t, both)
                return


def _difference(
    pair: Pair, kind: Kind, called: str, s: str, t: str, both: Any, more: str = ""
) -> Difference:
    said = f"{told(called, *both)}{more}."
    sources = (pair.source(0, s), pair.source(1, t))
    return Difference(kind, said, (s,), (t,), contrast(*both), sources)


def _result(pair: Pair) -> Iterator[Difference]:
    for s, t in zip(*(walk.roots for walk in pair.walks), strict=False):
        if not agree(*(both := pair.values(s, t))):
            name = pair.label(0, s)
            called = f"The result{'' if name != pair.label(1, t) else ' ' + name}"
            yield _difference(pair, "result", called, s, t, both)


def _gradients(pair: Pair) -> Iterator[Difference]:
    """The leaves with different gradients, or without one in one graph."""
    found: list[Row] = []
    for s, t in pair.leaves():
        mine, theirs = pair.gradients(s, t)
        if (mine is None) != (theirs is None) or not agree(mine, theirs):
            found.append((s, t, mine, theirs))
    if not any(walk.totals for walk in pair.walks):
        return
    factors = {ratio(mine, theirs) for _, _, mine, theirs in found}
    if len(found) == len(pair.leaves()) > 1 and len(factors) == 1:
        factor = times(next(iter(factors)))
        if factor:
            ids = (tuple(row[0] for row in found), tuple(row[1] for row in found))
            said = f"Compared with the first graph, every gradient in the second is {factor}."
            yield Difference("gradient", said, *ids)
            return
    rows = [row for row in found if row[0] not in pair.told]
    shown = rows if len(rows) <= MOST_ROWS else rows[: MOST_ROWS - 1]
    for s, t, mine, theirs in shown:
        yield _other_gradient(pair, s, t, mine, theirs)
    if rest := rows[len(shown) :]:
        first, second, *_ = zip(*rest, strict=True)
        names = listed([pair.label(0, s) for s in first])
        yield Difference("gradient", f"{names} also get different gradients.", first, second)


def _other_gradient(
    pair: Pair, s: str, t: str, mine: Value | None, theirs: Value | None
) -> Difference:
    name = pair.label(0, s)
    if mine is None or theirs is None:
        side = 0 if mine is None else 1
        values = ("no gradient" if mine is None else number(mine),
                  "no gradient" if theirs is None else number(theirs))  # fmt: skip
        said = (
            f"{name} gets no gradient in the {SIDES[side]} graph; in the {SIDES[1 - side]}, its "
            f"gradient is {values[1 - side]}."
        )
        sources = (pair.source(0, s), pair.source(1, t))
        return Difference("gradient", said, (s,), (t,), values, sources)
    factor = times(ratio(mine, theirs))
    more = f": {factor}" if factor else ""
    called = f"The gradient of {name}"
    return _difference(pair, "gradient", called, s, t, (mine, theirs), more)
