"""The formulas of a live graph are copied with it, so that a player can compute other values.

The graph may be gone when a value is changed, so everything that a run needs is copied:
the steps of each node (adapters/native/taping.py), and the exact entries of leaves and constants.

A recording cannot be run again with other values (docs/decisions/0019-formulas-travel-as-data.md),
but the formulas of its first pass draw the curve of the loss on its Slope card: the dots of its
real steps say more beside the curve on which they began. They are copied when the pass begins, and
get the ids of the recording later.

Read next: graph/replaying.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.adapters.native.branches_taken import followed_by
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.numbers_read import decided_by
from graphlab.adapters.native.taping import formula_of
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.saved_tensor_hooks import has_packed
from graphlab.graph.formulas import (
    KINDS,
    MOST_ENTRIES,
    Followed,
    Formula,
    Numbers,
    Replay,
    numbers_of,
)
from graphlab.primitives.tape_reading import NotTaped, compared

TOO_LARGE = (
    "This graph cannot be recomputed here: it has {} numbers, and a page computes at most "
    f"{MOST_ENTRIES:,}."
)
HOOKED = (
    "This graph cannot be recomputed here: a hook changed a gradient, and a hook is Python code."
)
MOST = 200  # nodes and leaves of a pass whose formulas are copied
RECORDED = (
    "Values cannot be changed here: this is a recording of what ran. Call graphlab.trace before "
    "backward() to try other values."
)


def replay_of(copied: Copied, roots: list[tuple[Any, Any]], hooked: bool = False) -> Replay | None:
    """What is needed to run a copied graph again; None if it has no operation.

    roots: edges, with the gradients that enter there. hooked: whether hooks changed a gradient.
    """
    if not copied.nodes:
        return None
    if hooked:
        return Replay(problem=HOOKED)
    count = sum(np.size(raw) for raw in copied.raw.values() if raw is not None)
    if count > MOST_ENTRIES:
        problem = TOO_LARGE.format(f"{count:,}")
        return Replay(problem=problem, decided=decided_by(copied, followed_by(copied)[0]))
    return Writer(copied).replay(roots)


class Behind(Exception):
    """An input of a node cannot be recomputed, for the reason in the message."""


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
        for node in reversed(copied.nodes):  # oldest first: inputs before results
            try:
                self._add(node, [one in arriving for one in copied.outputs(node)])
            except Behind as reason:
                self.cannot[self.copied.node_ids[node]] = str(reason)
            except NotTaped as reason:
                name = self.copied.node_ids[node]
                self.cannot[name] = f"{label(node)} cannot be recomputed here: {reason}."
        decided = decided_by(copied, self.follows)
        if self.cannot:  # the other formulas are useless; a kernel can start from the data
            return Replay(data=self._data(), cannot=self.cannot, decided=decided)
        return Replay(
            tuple(self.formulas),
            self.nodes,
            self._data(),
            gradients=self._gradients(roots),
            follows=self.follows,
            decided=decided,
        )

    def _add(self, node: Node, came: list[bool]) -> None:
        if isinstance(node, Context):
            raise NotTaped("it is a Function of your own, which is Python code")
        if node._saved is None:
            raise NotTaped("its saved tensors are freed")
        if has_packed(node):
            raise NotTaped("a hook packed its saved tensors, and a hook is Python code")
        ids = self.copied.inputs(node)
        inputs = [self._seen_by(node, one) for one in ids]
        formula = formula_of(node, inputs, came, [one in self.follows for one in ids])
        place = self._of.get(id(formula))
        if place is None:
            place = self._of[id(formula)] = self._placed(formula)
        self.nodes[self.copied.node_ids[node]] = place

    def _seen_by(self, node: Node, tensor: str) -> Any:
        """The data of an input as the node saw it. Raises: NotTaped, Behind."""
        copied, producer = self.copied, self.copied.infos[tensor].producer
        data = copied.raw[tensor]
        if tensor in self._lost:
            raise NotTaped(self._lost[tensor])
        if data is None and producer is not None and producer in self.cannot:
            raise Behind(self.cannot[producer])
        if data is None:
            raise NotTaped(f"the value of {copied.label(tensor)} is no longer known")
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
        """The entries of tensors that no formula computes."""
        copied = self.copied
        return {
            one.id: numbers_of(copied.raw[one.id])
            for one in copied.infos.values()
            if one.id not in self.follows
            if one.producer is None
            if copied.raw[one.id] is not None and known_kind(copied.raw[one.id])
        }

    def _gradients(self, roots: list[tuple[Any, Any]]) -> dict[str, Numbers]:
        """The gradients before the pass: those that enter, unless 1, and the `.grad` of leaves."""
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
    """Whether a trace can hold entries of this type."""
    return np.asarray(data).dtype.name in KINDS


def label(node: Node) -> str:
    """The name of a node in a sentence."""
    return node.function.__name__ if isinstance(node, Context) else node.name()


class FirstPass:
    """The formulas of a graph, and the snapshot of each of its nodes.

    roots: live edges, with the gradients that enter there. find: returns the snapshot of a node.
    """

    def __init__(
        self, roots: list[tuple[Any, Any]], names: Names, find: Callable[[Any], Any]
    ) -> None:
        copied = Copied()
        copied.extend([edge for edge, _ in roots], names)
        copied.finish(copied.tensor_at(roots[0][0]))
        self.replay = replay_of(copied, roots)
        self.ids = {find(item): identity for item, identity in copied.node_ids.items()}
        self.tensors = {find(x): (*copied.inputs(x), *copied.outputs(x)) for x in copied.nodes}

    @staticmethod
    def of(*given: Any) -> FirstPass | None:
        """The formulas; None if copying them fails, which must not end the user's `backward()`."""
        try:
            return FirstPass(*given)
        except Exception:
            return None

    def told(self, copied: Copied) -> Replay | None:
        """The formulas with the ids of the recording; None if a node has no formula."""
        replay = self.replay
        if replay is None or replay.problem or replay.cannot:
            return None
        of = {}
        for snapshot, ids in self.tensors.items():
            now = (*copied.inputs(snapshot), *copied.outputs(snapshot))
            of.update(zip(ids, now, strict=True))
        node = {identity: copied.node_ids[snapshot] for snapshot, identity in self.ids.items()}

        def followed(one: Followed) -> Followed:
            return replace(one, inputs=tuple([of[x] for x in one.inputs]))

        return replace(
            replay,
            nodes={node[x]: at for x, at in replay.nodes.items()},
            data={of[x]: numbers for x, numbers in replay.data.items() if x in of},  # which is read
            problem=RECORDED,
            gradients={},
            follows={of[x]: followed(one) for x, one in replay.follows.items()},
            decided=tuple(replace(one, followed=followed(one.followed)) for one in replay.decided),
        )
