"""The search for the first NaN or infinity follows the program: forward, backward, and between.

Each value is "nan", "inf", "-inf", "finite" or, if the timeline does not hold it, "": unknown. The
sentence says no more than is known. js/src/nonfinite.ts searches in the same way.

Read next: graph/gradient_health.py
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphlab.graph.events import (
    ChangedInPlace,
    Computed,
    Event,
    NodeEntered,
    OptimizerStepped,
    PassBegan,
    RuleApplied,
)
from graphlab.graph.model import Graph, NodeInfo, Source
from graphlab.graph.value import Value

BAD = ("nan", "inf", "-inf")
# operations that often write an infinity on purpose
WRITES = re.compile("masked_fill|where|fill|index_|put|copy_slices")
# operations that make them of finite numbers, and whose inputs a trace shows
MAKES = re.compile("log|r?sqrt|div|exp|reciprocal")


@dataclass(frozen=True, slots=True)
class Nonfinite:
    """The place where a NaN or an infinity first appears.

    direction: "forward", "backward", or "input" if an input held it already. node: the node's id.
    name: of the node, or of the input. scope: the module. source: the line that made the node, if
    it is known. what: "nan", "inf" or "-inf". event: the index of the first event that tells about
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
        elif isinstance(event, ChangedInPlace | OptimizerStepped):
            # whether an operation ran before the change or after it is not known
            for one in event.changes if isinstance(event, OptimizerStepped) else [event]:
                same = known(one.before) == known(one.after) == now[one.tensor]
                now[one.tensor] = now[one.tensor] if same else ""


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
