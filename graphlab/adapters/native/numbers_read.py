"""Numbers that a program read out of its graph, as `x.item()` does, so that a replay cannot follow.

A constant that the program computed from a tensor keeps its value if no formula says how it was
made. The graph does not show either that `if x.item() > 0:` decided about it; the source text does.
A graph holds one branch of an `if`, so a check is valid only for values that take the same one.

Read next: graph/formulas.py
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphlab.adapters.data_flow import Item, Origins, Test, origins_among
from graphlab.adapters.native.branches_taken import (
    ANOTHER,
    OTHERWISE,
    RECORDED,
    SIGNS,
    Follower,
    branches_in,
    decided_in,
    followed_by,
    other_branch,
    tape_step,
    way,
)
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.adapters.native.graph_walk import input_items, nodes_of
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.autograd.branches import branches
from graphlab.autograd.decisions import AMONG_OTHERS, EXACTLY, decision_of, sources_of
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.graph.formulas import Decided, Numbers, Program, numbers_of
from graphlab.graph.replaying import ReplayError, computed_with, run_program
from graphlab.graph.value import number_text
from graphlab.primitives.tape_reading import NotTaped
from graphlab.tensor.tensor import Tensor

OUTSIDE = "was computed from {} outside of the graph"
GRADIENT = "is a gradient that may depend on {}"
READ = "comes from a number that the program read out of {}"
CHANGES = "and {} would change at these values."
BOUNDED = ("gt", "lt", "ge", "le")  # comparisons whose sides are equal where two branches meet
WRITTEN = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?|\.\d+")


def decided_by(copied: Copied, followed: Collection[str]) -> tuple[Decided, ...]:
    """What the program decided from values of the graph: branches, masks, and constants.

    followed: the ids of the constants that follow.
    """
    return (*decided_in(copied), *numbers_read(copied, followed))


class Reading(NamedTuple):
    """Numbers that the program read out of a tensor at one place."""

    tensor: str
    first: int  # times, as the sequence numbers of nodes
    last: int
    number: Any
    place: Item | None  # None: its text is unknown
    exact: bool  # of the tensor itself, not of one that was made from it


def numbers_read(copied: Copied, followed: Collection[str]) -> Iterator[Decided]:
    """The tensors that must keep their values, because the program computed a constant from them.

    followed: the ids of constants that follow. What came of a number is read in the program's
    text. Only if that is unknown, a number counts that is not written in its line, and that is
    equal to the number that was read, or was computed after it.
    """
    found: dict[str, str] = {}
    grads = {id(leaf._grad) for leaf in copied._leaves.values()}
    for node in copied.nodes:
        for constant, name in constants_of(copied, node):
            for leaf in copied._leaves if id(constant) in grads else ():
                found.setdefault(leaf, used(copied, node, constant, GRADIENT, leaf))
            for source in () if name in followed else sources_of(constant):
                if (near := nearest(copied, source)) is not None:
                    found.setdefault(near, used(copied, node, constant, OUTSIDE, near))
    readings, others = [*readings_of(copied)], branches_apart(copied)
    if readings or others:
        made = {node: copied._sources.made(node).span for node in copied.nodes}
        chosen: Item = "", copied.label(copied.root)  # perhaps after its node was made
        among = {*others, *(one.place for one in readings)}
        origins = origins_among({at[0] for at in (*made.values(), *among) if at}, among)
        items: list[tuple[Node | None, Item]] = [(node, at) for node, at in made.items() if at]
        items.append((None, chosen))
        places = dict.fromkeys(place for _, at in items for place, _ in origins.places(at))
        yield from (decided for place in places for decided in others.get(place, ()))
        tests = dict.fromkeys(followed_by_text(copied, readings, items, origins, found))
        unknown = [x for x in readings if origins.written(x.place) is None]
        found_by_value(copied, unknown, origins, found)
        for name, test in tests:
            with suppress(NotTaped):
                yield condition_on(copied, name, test)
    for name, sentence in found.items():
        with suppress(NotTaped):
            yield unchanged(copied, name, sentence)


def branches_apart(copied: Copied) -> dict[Item, list[Decided]]:
    """The branches that were decided before or after the graph was made, by place in the text."""
    found: dict[Item, list[Decided]] = {}
    for branch in branches_in(copied)[1]:
        if branch.where is None:
            continue
        if (span := copied._sources.at(*branch.where).span) is not None:
            found.setdefault(span, []).extend(way(copied, branch))
    return {span: decided for span, decided in found.items() if decided}


def followed_by_text(
    copied: Copied,
    readings: Collection[Reading],
    items: Iterable[tuple[Node | None, Item]],
    origins: Origins,
    found: dict[str, str],
) -> Iterator[tuple[str, Test]]:
    """The tests on numbers that were read, by the text of the program; adds the rest to `found`.

    items: where each node was made; None with the variable of the result.
    """
    read: dict[Item | None, list[Reading]] = {}
    for one in readings:
        read.setdefault(one.place, []).append(one)
    chosen: dict[str, str] = {}
    for node, item in items:
        for place, test in origins.places(item):
            for one in read.get(place, ()):
                if node is not None and one.first > node._sequence:
                    continue
                label = copied.label(one.tensor)
                same = one.number is None or np.array_equal(one.number, copied.raw[one.tensor])
                if test is not None and test.sign and one.exact and same:
                    yield one.tensor, test
                elif test is not None:
                    said = f"{test.text}, in line {test.line}, depends on {label}"
                    found.setdefault(one.tensor, f"{said}, {CHANGES.format(label)}")
                elif node is not None:
                    for constant in unwritten(copied, node, origins):
                        found.setdefault(one.tensor, used(copied, node, constant, READ, one.tensor))
                        break
                    else:
                        line = getattr(copied._sources.of(node), "line", 0)
                        said = f"Line {line} depends on a number that the program read out of "
                        chosen.setdefault(one.tensor, f"{said}{label}, {CHANGES.format(label)}")
    for tensor, sentence in chosen.items():
        found.setdefault(tensor, sentence)


def found_by_value(
    copied: Copied, readings: Collection[Reading], origins: Origins, found: dict[str, str]
) -> None:
    """Add to `found` the tensors whose numbers seem to be constants of the graph."""
    first = min(node._sequence for node in copied.nodes)
    for node in copied.nodes:
        earlier = [one for one in readings if one.first < node._sequence]
        for number in unwritten(copied, node, origins) if earlier else ():
            for one in earlier:
                data, how = getattr(number, "_data", number), READ
                raw = copied.raw[one.tensor] if one.number is None else one.number
                if not np.array_equal(data, raw):
                    operand = any(x is number for x in node._constants or ())
                    if one.last < first or not (operand and isinstance(number, int | float)):
                        continue
                    how = READ.replace("comes", "may come")
                found.setdefault(one.tensor, used(copied, node, number, how, one.tensor))


def used(copied: Copied, node: Node, constant: Any, how: str, tensor: str) -> str:
    """The sentence about a constant that comes from a tensor."""
    source, label = copied._sources.of(node), copied.label(tensor)
    what = copied.names.of_leaf.get(id(constant)) or "A constant"
    what = number_text(constant) if isinstance(constant, int | float) else what
    used = f"{what}, used in line {source.line}," if source else what
    return f"{used} {how.format(label)}, {CHANGES.format(label)}"


def condition_on(copied: Copied, tensor: str, test: Test) -> Decided:
    """A condition on the number of a tensor. Raises: NotTaped."""
    follower = Follower(copied)
    step = next(name for name, one in SIGNS.items() if one == test.sign)
    value = tape_step(step, follower.term(tensor), test.bound)
    said = test.text
    if not np.all(value.value):
        for sign in OTHERWISE:
            if f" {sign} " in said:
                said = said.replace(f" {sign} ", f" {OTHERWISE[sign]} ")
                break
    return Decided(
        follower.followed(value), numbers_of(np.asarray(value.value)), other_branch(said)
    )


def readings_of(copied: Copied) -> Iterator[Reading]:
    """The readings of the tensors of a graph; of an array only the nearest tensor.

    A reading marks what is behind a tensor, too: of these, the last that was made is the nearest.
    """
    nearest: dict[int, tuple[int, Reading]] = {}
    several: list[Reading] = []
    edges = (edge for node in copied.nodes for edge in node._next if edge is not None)
    for edge in dict.fromkeys(edges):
        tensor = copied.tensor_at(edge)
        for first, last, number, (code, at), how in getattr(edge, "_read", {}).values():
            if copied._changed[tensor] > last:
                continue  # an earlier value was read
            source = copied._sources.at(code, at)
            place = None if source.spot is None else source.span
            new = Reading(tensor, first, last, number, place, how == EXACTLY)
            made = getattr(getattr(edge, "node", edge), "_sequence", -1)
            if how == AMONG_OTHERS:
                several.append(new)
            elif last not in nearest or nearest[last][0] < made:
                nearest[last] = made, new
    yield from (one for _, one in nearest.values())
    yield from (one for one in several if one.last not in nearest)


def constants_of(copied: Copied, node: Node) -> Iterator[tuple[Tensor, str]]:
    """The inputs of a node that are outside of the graph, with their ids, and its indexes."""
    for item, name in zip(input_items(node), copied.inputs(node), strict=True):
        if isinstance(item, Tensor) and not item._needs:
            yield item, name
    for item in (node._extra or {}).get("masks", ()):
        if decision_of(item) is None:
            yield item, ""


def nearest(copied: Copied, source: Any) -> str | None:
    """The id of the first of some edges that is in the graph."""
    edges = [edge for one in source if (edge := one()) is not None]
    found = [copied.tensors.get(edge_key(edge)) for edge in edges]
    return next((one for one in found if one is not None and copied.raw[one] is not None), None)


def unwritten(copied: Copied, node: Node, origins: Origins) -> Iterator[Any]:
    """The numbers and arrays of a node that its line does not contain."""
    made = copied._sources.made(node)
    if (written := origins.written(made.span)) is None:
        line = "" if made.source is None else made.source.text
        written = {float(x) for x in WRITTEN.findall(line)}
    waiting = [*(node._constants or ())]
    if not isinstance(node, Context):
        named = zip(node.op.options, node._options or (), strict=False)
        waiting += [one for name, one in named if one is not node.op.defaults.get(name)]
    for one in waiting:
        if isinstance(one, tuple | list):
            waiting += one
        elif isinstance(one, np.ndarray) or (type(one) in (int, float) and abs(one) not in written):
            yield one
    yield from (one for one, _ in constants_of(copied, node))


def unchanged(copied: Copied, name: str, sentence: str) -> Decided:
    """The decision that a tensor keeps its value. Raises: NotTaped."""
    follower = Follower(copied)
    value: Any = follower.term(name)
    data = np.asarray(copied.raw[name])
    size = np.max(np.abs(data[np.isfinite(data)]), initial=0.0)
    # what a page computes again differs in the last digits
    near = abs(value - data) <= float(size) * (1e-5 if data.dtype == np.float32 else 1e-9)
    return Decided(follower.followed(near), numbers_of(near.value), sentence)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that held when the graph was made, such as "x <= 0"."""

    said: str
    decided: Decided
    copied: Copied

    def holds(self, made: Any) -> bool:
        """Whether the condition has the same outcome. made: other values, tensors by key."""
        outcome = self.decided.outcome
        recorded = outcome.array() if isinstance(outcome, Numbers) else outcome
        try:
            return bool(np.array_equal(self._run(self.decided.followed.program, made), recorded))
        except ReplayError:  # the program would have failed too
            return False

    def on_edge(self, made: Any) -> bool:
        """Whether the values lie where two branches meet: x = 0 for "x <= 0"."""
        program = self.decided.followed.program
        *steps, last = program.steps
        if last.name not in BOUNDED:
            return False
        equal = Program((*steps, last._replace(name="eq")), program.results)
        with suppress(ReplayError):
            return bool(np.any(self._run(equal, made)))
        return False

    def _run(self, program: Program, made: Any) -> Any:
        """The result of a program on the recorded values, or on others."""
        keys = {name: key for key, name in self.copied.tensors.items()}
        values: dict[tuple[str, int], Any] = {}
        single = False
        for place, name in enumerate(self.decided.followed.inputs):
            start, output = keys[name] if isinstance(keys[name], tuple) else (None, 0)
            other = made.get((start, output), made.get(start) if output == 0 else None)
            data = np.asarray(self.copied.raw[name] if other is None else other._data)
            single = single or data.dtype == np.float32
            values["x", place] = computed_with(data)
        return run_program(program, values, single, "it", "")[0]


def conditions_of(root: Tensor, names: Names) -> list[Condition]:
    """The conditions on which the graph of `root` depends, each once."""
    nodes = nodes_of(root)
    ends = (getattr(edge, "node", edge) for node in nodes for edge in node._next)
    if not nodes or not (branches or any(getattr(one, "_read", None) for one in ends)):
        return []
    copied = copy_of(root, names)
    found: dict[str, Condition] = {}
    for one in decided_by(copied, followed_by(copied)[0]):
        if one.sentence.endswith(ANOTHER):
            said = one.sentence.removeprefix(RECORDED).removesuffix(ANOTHER)
            found.setdefault(said, Condition(said, one, copied))
    return list(found.values())
