"""Numbers that a program read out of its graph, as `x.item()` does, so that a replay cannot follow.

A constant that the program computed from a tensor keeps its value if no formula says how it was
made. Neither does a graph show that `if x.item() > 0:` decided about it; the source text does.

Read next: graph/formulas.py
"""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from graphlab.adapters.native.branches_taken import (
    OTHERWISE,
    SIGNS,
    Follower,
    decided_in,
    other_branch,
    tape_step,
)
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.graph_walk import input_items
from graphlab.adapters.native.variable_names import edge_key
from graphlab.adapters.statements import Condition
from graphlab.autograd.decisions import decision_of, sources_of
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.graph.formulas import Decided, numbers_of
from graphlab.graph.value import number_text
from graphlab.primitives.tape_reading import NotTaped
from graphlab.tensor.tensor import Tensor

OUTSIDE = "was computed from {} outside of the graph"
READ = "comes from a number that the program read out of {}"
CHANGES = "and {} would change at these values."
WRITTEN = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?|\.\d+")


def decided_by(copied: Copied, followed: Collection[str]) -> tuple[Decided, ...]:
    """What the program decided from values of the graph: branches, masks, and constants.

    followed: the ids of the constants that follow.
    """
    return (*decided_in(copied), *numbers_read(copied, followed))


def numbers_read(copied: Copied, followed: Collection[str]) -> Iterator[Decided]:
    """The tensors that must keep their values, because the program computed a constant from them.

    followed: the ids of constants that follow. Whether a number comes from a reading is not known
    for sure. It counts if the line does not contain it, and it is the number that was read, or was
    read while the graph was made.
    """
    readings = marks_of(copied)
    first = min(node._sequence for node in copied.nodes)
    found: dict[str, str] = {}

    def keep(tensor: str, how: str, node: Node, constant: Any) -> None:
        source, name = copied._sources.of(node), copied.label(tensor)
        what = copied.names.of_leaf.get(id(constant)) or "A constant"
        what = what if isinstance(constant, Tensor) else number_text(constant)
        used = f"{what}, used in line {source.line}," if source else what
        found.setdefault(tensor, f"{used} {how.format(name)}, {CHANGES.format(name)}")

    for node in copied.nodes:
        for constant, name in constants_of(copied, node):
            for source in () if name in followed else sources_of(constant):
                if (near := nearest(copied, source)) is not None:
                    keep(near, OUTSIDE, node, constant)
        earlier = [one for one in readings if one[1] < node._sequence]
        for number, computed in numbers_in(copied, node) if earlier else ():
            for name, when, read in earlier:
                data = getattr(number, "_data", number)
                if np.array_equal(data, copied.raw[name] if read is None else read):
                    keep(name, READ, node, number)
                elif when > first and computed:
                    keep(name, READ.replace("comes", "may come"), node, number)
    for name, sentence in found.items():
        with suppress(NotTaped):
            yield unchanged(copied, name, sentence)
    yield from conditions_met(copied, readings)


def conditions_met(copied: Copied, readings: Collection[tuple[str, int, Any]]) -> Iterator[Decided]:
    """The conditions on numbers that were read which led the program to the nodes of the graph."""
    found = set()
    for node in copied.nodes:
        spot = copied._sources.made(node).spot
        earlier = {name: copied.label(name) for name, when, _ in readings if when < node._sequence}
        for condition in () if spot is None else spot.conditions:
            named = [
                name
                for name, label in earlier.items()
                if re.search(rf"(?<![\w.]){re.escape(label)}(?!\w)", condition.read)
            ]
            for name in named or earlier:  # elsewhere in the program, it may have another name
                if (name, condition) not in found:
                    found.add((name, condition))
                    with suppress(NotTaped):
                        yield condition_on(copied, name, condition)


def condition_on(copied: Copied, tensor: str, condition: Condition) -> Decided:
    """A condition that read a tensor. Raises: NotTaped if it read another value."""
    label, text, sign = copied.label(tensor), condition.text, condition.sign
    if not sign or label != condition.read or np.size(copied.raw[tensor]) != 1:
        said = f"{text}, in line {condition.line}, depends on {label}"
        return unchanged(copied, tensor, f"{said}, {CHANGES.format(label)}")
    follower = Follower(copied)
    step = next(name for name, one in SIGNS.items() if one == sign)
    value = tape_step(step, follower.term(tensor), condition.bound)
    said = text if value.value else text.replace(f" {sign} ", f" {OTHERWISE[sign]} ")
    return Decided(
        follower.followed(value), numbers_of(np.asarray(value.value)), other_branch(said)
    )


def marks_of(copied: Copied) -> list[tuple[str, int, Any]]:
    """The first and the last reading of each tensor: its id, when it was, and the number.

    A reading marks what is behind a tensor, too: of these, the last that was made is the nearest.
    """
    found: dict[int, tuple[int, str, int, Any]] = {}
    for edge in {edge for node in copied.nodes for edge in node._next if edge is not None}:
        for when, number in getattr(edge, "_read", ()):
            made = getattr(getattr(edge, "node", edge), "_sequence", -1)
            new = made, copied.tensor_at(edge), when, number
            found[when] = max(new, found.get(when, new), key=lambda one: one[0])
    return [reading[1:] for _, reading in sorted(found.items())]


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


def numbers_in(copied: Copied, node: Node) -> Iterator[tuple[Any, bool]]:
    """The numbers and arrays of a node that its line does not contain.

    With each, whether it counts if it was computed from what was read.
    """
    options = node._options or ()
    given = [x for x in options if isinstance(x, float)]
    if not isinstance(node, Context) and node.op.name in ("select", "slice"):
        given += [x for x in options[1:3] if isinstance(x, int)]
    source = copied._sources.of(node)
    line = "" if source is None else source.text[source.start : source.end] or source.text
    written = {float(x) for x in WRITTEN.findall(line)}
    numbers = [x for x in node._constants or () if type(x) in (int, float)]
    for number in (*numbers, *given):
        if abs(number) not in written:
            yield number, number in numbers
    for constant, _ in constants_of(copied, node):
        if constant._data.size > 1:
            yield constant, False


def unchanged(copied: Copied, name: str, sentence: str) -> Decided:
    """The decision that a tensor keeps its value. Raises: NotTaped."""
    follower = Follower(copied)
    value: Any = follower.term(name)
    data = np.asarray(copied.raw[name])
    size = np.max(np.abs(data[np.isfinite(data)]), initial=0.0)
    # what a page computes again differs in the last digits
    near = abs(value - data) <= float(size) * (1e-5 if data.dtype == np.float32 else 1e-9)
    return Decided(follower.followed(near), numbers_of(near.value), sentence)
