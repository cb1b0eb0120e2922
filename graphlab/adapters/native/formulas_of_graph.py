"""The formulas of a live graph, copied with it, so that its player can follow a changed value.

The graph may be gone when somebody changes a value, so everything that a run takes is copied here:
the steps of each node (adapters/native/taping.py), and the exact entries of leaves and constants.

Read next: graph/replaying.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphlab.adapters.native.branches_taken import decided_in, followed_by
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.taping import formula_of
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.saved_tensor_hooks import Packed
from graphlab.graph.formulas import KINDS, MOST_ENTRIES, Formula, Numbers, Replay, numbers_of
from graphlab.primitives.tape_reading import NotTaped, compared

TOO_LARGE = (
    "The numbers of this graph cannot be followed here: it holds {0:,} of them, and a page follows "
    f"at most {MOST_ENTRIES:,}."
)
HOOKED = (
    "The numbers of this graph cannot be followed here: a hook changed a gradient on its way, and "
    "a hook is Python code."
)


def replay_of(copied: Copied, roots: list[tuple[Any, Any]], hooked: bool = False) -> Replay | None:
    """What it takes to run a copied graph again; None if no operation is in it.

    roots: edges, with the gradients that enter there. hooked: whether hooks changed a gradient.
    """
    if not copied.nodes:
        return None
    if hooked:
        return Replay(problem=HOOKED)
    count = sum(np.size(raw) for raw in copied.raw.values() if raw is not None)
    if count > MOST_ENTRIES:
        return Replay(problem=TOO_LARGE.format(count))
    return Writer(copied).replay(roots)


class Behind(Exception):
    """A node takes a result that cannot be followed, for the reason that the text says."""


class Writer:
    """Collects the formulas of a graph; equal ones are kept once."""

    def __init__(self, copied: Copied) -> None:
        self.copied = copied
        self.formulas: list[Formula] = []
        self.nodes: dict[str, int] = {}
        self.cannot: dict[str, str] = {}
        self._places: dict[Any, int] = {}
        self.follows, self._lost = followed_by(copied)
        self._of: dict[int, int] = {}  # id of a formula -> its place

    def replay(self, roots: list[tuple[Any, Any]]) -> Replay:
        copied = self.copied
        arriving = {copied.tensor_at(edge) for edge, _ in roots}
        for node in copied.nodes:
            arriving |= {copied._tensor_id(target) for target in node._next if target is not None}
        for node in reversed(copied.nodes):  # oldest first: what cannot be followed ends others
            try:
                self._add(node, [one in arriving for one in copied.outputs(node)])
            except Behind as reason:
                self.cannot[self.copied.node_ids[node]] = str(reason)
            except NotTaped as reason:
                name = self.copied.node_ids[node]
                self.cannot[name] = f"{label(node)} cannot be followed here: {reason}."
        if self.cannot:  # the other formulas are of no use; a kernel starts from exact numbers
            return Replay(data=self._data(), cannot=self.cannot)
        return Replay(
            tuple(self.formulas),
            self.nodes,
            self._data(),
            gradients=self._gradients(roots),
            follows=self.follows,
            decided=decided_in(copied),
        )

    def _add(self, node: Node, came: list[bool]) -> None:
        if isinstance(node, Context):
            raise NotTaped("it is a Function of your own, which runs on numbers only")
        if node._saved is None:
            raise NotTaped("its buffers are freed")
        if any(isinstance(item, Packed) for item in node._saved):
            raise NotTaped("a hook packed what it saved, and a hook is Python code")
        ids = self.copied.inputs(node)
        inputs = [self._seen_by(node, one) for one in ids]
        formula = formula_of(node, inputs, came, [one in self.follows for one in ids])
        place = self._of.get(id(formula))
        if place is None:
            place = self._of[id(formula)] = self._placed(formula)
        self.nodes[self.copied.node_ids[node]] = place

    def _seen_by(self, node: Node, tensor: str) -> Any:
        """The data of an input as the node saw it. Raises: NotTaped, Behind."""
        copied, producer = self.copied, self.copied.infos[int(tensor[1:])].producer
        data = copied.raw[tensor]
        if tensor in self._lost:
            raise NotTaped(self._lost[tensor])
        if data is None and producer is not None and producer in self.cannot:
            raise Behind(self.cannot[producer])
        if data is None:
            raise NotTaped(f"the value of {copied.label(tensor)} is not known any more")
        if producer is None and copied._changed[tensor] > node._sequence:
            raise NotTaped(f"{copied.label(tensor)} was changed in place after it was used")
        return data

    def _placed(self, formula: Formula) -> int:
        key = tuple((compared(one.steps), compared(one.results)) for one in formula.programs)
        if key not in self._places:
            self._places[key] = len(self.formulas)
            self.formulas.append(formula)
        return self._places[key]

    def _data(self) -> dict[str, Numbers]:
        """The entries of what no formula makes."""
        copied = self.copied
        return {
            one.id: numbers_of(copied.raw[one.id])
            for one in copied.infos
            if one.id not in self.follows
            if one.producer is None
            if copied.raw[one.id] is not None and known_kind(copied.raw[one.id])
        }

    def _gradients(self, roots: list[tuple[Any, Any]]) -> dict[str, Numbers]:
        """Gradients that are there before: what enters unless it is 1, and `.grad` of leaves."""
        copied, found = self.copied, {}
        for edge, grad in roots:
            raw = getattr(grad, "_data", grad)
            if known_kind(raw) and not np.all(np.equal(raw, 1)):
                found[copied.tensor_at(edge)] = numbers_of(raw)
        for name, leaf in copied._leaves.items():
            if leaf._grad is not None and known_kind(leaf._grad._data):
                found[f"{name}.grad"] = numbers_of(leaf._grad._data)
        return found


def known_kind(data: Any) -> bool:
    """Whether entries are of a type that travels."""
    return np.asarray(data).dtype.name in KINDS


def label(node: Node) -> str:
    """What a node is called in a sentence."""
    return node.function.__name__ if isinstance(node, Context) else node.name()
