"""Facts are noted while a backward pass runs, and turned into events later.

A fact is a tuple: what happened, to which node or leaf, and samples of the arrays. Sentences would
slow the pass down, and arrays may not be kept alive; so adapters/event_writer.py writes the events
from the facts when they are needed. A recording keeps them pass by pass, with what happens between
the passes.

Read next: adapters/event_writer.py
"""

import re
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

import numpy as np

from graphlab.adapters.namespace import LIBRARIES
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.adapters.rule_text import local_factor
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node, count_of_outputs
from graphlab.autograd.node_classes import as_arrays
from graphlab.autograd.node_formulas import settings_of
from graphlab.autograd.saved_tensor_hooks import has_packed
from graphlab.autograd.users_code import Place
from graphlab.graph.array_sample import ArraySample, idle_units, sample
from graphlab.graph.event_log import MOST_EVENTS
from graphlab.graph.events import ChangedInPlace, Event, Failed, PassBegan
from graphlab.graph.model import Graph, Source
from graphlab.ops.base import rule_arguments
from graphlab.tensor.tensor import Tensor

MOST = 20_000  # nodes that run in all recorded passes together; then the recording is full
Fact = tuple[Any, ...]
RECTIFIERS = frozenset((  # can set entries to zero
    "relu", "threshold", "hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink",
))  # fmt: skip
ACTIVATIONS = RECTIFIERS | {"tanh", "sigmoid", "gelu", "elu", "celu", "softplus"}


class Watch:
    """The observer of one backward pass, whose methods autograd/watched_pass.py calls.

    stand_in: returns what facts hold for a node or leaf: its snapshot, or the thing itself.
    """

    rehearsal = True
    sample = staticmethod(sample)

    def __init__(self, stand_in: Callable[[Any], Any] = lambda item: item) -> None:
        self.facts: list[Fact] = []
        self.stand_in = stand_in
        # (node or leaf, index of its output) -> the sum of its gradients so far, and a sample of it
        self.gathered: dict[tuple[Any, int], tuple[Any, ArraySample]] = {}
        self.known: dict[int, tuple[Any, ArraySample]] = {}  # by id, while a node runs
        self.unhooked: Any = None  # what the current node would send without its hooks
        self.written: dict[Any, Tensor] = {}  # leaves whose `.grad` this pass wrote
        self.hooks_changed = False  # whether a hook changed a gradient

    def began(self, roots: list[tuple[Any, Any]], one: Any) -> None:
        seeds = []
        for edge, grad in roots:
            self.gather(edge_key(edge), grad)
            seeds.append((self.key(edge), self.look(grad)))
        self.facts.append(("seeded", seeds))

    def entered(self, node: Node, grad: Any) -> None:
        outputs = range(count_of_outputs(node))
        came = [self.gathered.pop((node, i), None) for i in outputs]
        self.known = {id(pair[0]): pair for pair in came if pair is not None}
        shown = tuple(map(self.look, grad)) if type(grad) is tuple else self.look(grad)
        if isinstance(shown, ArraySample) and is_activation(node):
            shown.idle = idle_units(raw(grad))
        self.facts.append(("entered", self.stand_in(node), shown))

    def applied(self, node: Node, grad: Any, made: Any, sent: Any) -> None:
        shares = []
        reduced = sent if self.unhooked is None else self.unhooked
        changed = None if self.unhooked is None else not all(map(same, reduced, sent))
        self.hooks_changed |= bool(changed)
        for index, target in enumerate(node._next):
            if target is None or sent[index] is None:
                shares.append(None)
                continue
            share = self.look(sent[index])
            unhooked = share if reduced[index] is None else self.look(reduced[index])
            rule = unhooked if made[index] is None else self.look(made[index])
            if rule is not None and made[index] is not None and is_activation(node):
                rule.idle = idle_units(raw(made[index]))
            before, after = self.gather(edge_key(target), sent[index])
            shares.append((rule, unhooked, share, before, after, self.slope(node, index, grad)))
        self.facts.append(("applied", self.stand_in(node), shares, changed))
        self.unhooked = None
        self.known = {}

    def hooked(self, item: Any, output: int, before: Any, after: Any) -> None:
        self.hooks_changed |= not same(before, after)
        saw = self.look(before)
        passed = self.look(after)
        if passed is not None:
            self.gathered[item, output] = (after, passed)
        self.facts.append(("hooked", (self.stand_in(item), output), saw, passed))

    def seen(self, item: Any, where: str, before: Any, after: Any) -> None:
        if where == "node":
            self.unhooked = before  # the fact follows that of the rules, which ran before the hook
            return
        changed = where != "post" and not all(map(same, before, after))
        self.hooks_changed |= changed
        self.facts.append(("seen", self.stand_in(item), where, changed))

    def wrote(self, tensor: Tensor, before: Any, grad: Any) -> None:
        share = raw(grad)
        if self.rehearsal:
            after = share if before is None else before + share
        else:
            after = raw(tensor._grad)
        key = edge_key(tensor if tensor._node is None else tensor._node)
        was = None if before is None else self.sample(before)
        held = self.gathered.pop(key, None)
        if held is not None:
            self.known[id(held[0])] = held  # a leaf's gradient was sampled when it arrived
        added = self.look(grad)
        now = added if before is None else self.sample(after)
        self.facts.append(("wrote", (self.stand_in(key[0]), key[1]), was, added, now))
        if tensor._node is None:
            self.written[tensor] = tensor

    def failed(self, item: Any, error: BaseException, hook: Any) -> None:
        now = []
        for leaf in self.written:
            held = None if leaf._grad is None else self.sample(raw(leaf._grad))
            now.append(((self.stand_in(leaf), 0), held))
        at = None
        if hook is not None:
            where, output, function = hook
            name = getattr(function, "__name__", type(function).__name__)
            at = where, (self.stand_in(item), output), name
        own, cause = self.stand_in(item), raised_at(error)
        self.facts.append(("failed", own, message_of(error), now, at, cause))
        self.forget()

    def ended(self, one: Any) -> None:
        returned = []
        if one.capture is not None and not one.accumulate:
            for key, grad in one.capture.items():
                target, index = key if isinstance(key, tuple) else (key, 0)
                returned.append(((self.stand_in(target), index), self.look(grad)))
        self.facts.append(("ended", returned))
        self.forget()

    def forget(self) -> None:
        """Drop all arrays and tensors."""
        self.gathered, self.known, self.written = {}, {}, {}

    # -- arrays --------------------------------------------------------------------------------

    def key(self, edge: Any) -> tuple[Any, int]:
        """The key of an edge in facts."""
        target, index = edge_key(edge)
        return self.stand_in(target), index

    def look(self, grad: Any) -> ArraySample | None:
        """A sample of a gradient, taken once for each node."""
        if grad is None:
            return None
        data = raw(grad)
        found = self.known.get(id(data))
        if found is None:
            found = self.known[id(data)] = (data, self.sample(data))
        return found[1]

    def gather(self, key: tuple[Any, int], grad: Any) -> tuple[ArraySample | None, ArraySample]:
        """Add to the sum of gradients at a key. Returns samples of the sum before and after."""
        data, share = raw(grad), self.look(grad)
        assert share is not None, "None is not gathered"
        held = self.gathered.get(key)
        if held is None:
            self.gathered[key] = (data, share)
            return None, share
        total = held[0] + data
        self.gathered[key] = (total, self.sample(total))
        return held[1], self.gathered[key][1]

    def slope(self, node: Node, index: int, grad: Any) -> ArraySample | None:
        """The local derivative of a pointwise operation: the result of its rule for gradient 1."""
        op, came = node.op, raw(grad)
        if type(came) is tuple or not shows_slope(node, index, np.size(came)):
            return None
        if has_packed(node):
            return None  # reading the values would call unpack hooks
        rule = rule_at(op, index)
        layout = (*op.inputs, *op.outputs, *op.options, *op.derived)
        values = dict(zip(layout, as_arrays(node, True), strict=True))
        given = [values[word] for word in rule_arguments(rule)]
        return self.sample(rule(np.ones_like(came), *given))


class PassNotes:
    """The notes about one pass, whose facts are about snapshots.

    keeps: retain_graph. creates: create_graph. accumulate: whether the pass writes `.grad`. where:
    the line of the call.
    """

    facts: list[Fact]

    def __init__(self, keeps: bool, creates: bool, accumulate: bool, where: Place | None) -> None:
        self.keeps, self.creates, self.accumulate = keeps, creates, accumulate
        self.place = where
        self.edges: list[Any] = []  # the roots of the pass
        self.runs: set[Any] = set()  # snapshots of the nodes and leaves that the pass reaches
        self.holding: list[tuple[Any, ArraySample]] = []  # leaves, and their `.grad` before
        self.again: dict[Any, tuple[Any, ...]] = {}  # nodes of earlier passes -> new saved values
        self.names = Names()
        self.modules: list[tuple[str, Any]] = []


class Notes:
    """All that a recording has noted. forget: called when something was noted."""

    def __init__(self, forget: Callable[[], None]) -> None:
        self.entries: list[Any] = []  # PassNotes, and tuples: what happened between passes
        self.names_at_end: dict[int, str] = {}  # id of the snapshot of a leaf -> name
        self.room = MOST
        # why the first pass could not begin, and the line that called it
        self.refused: tuple[str, Place | None] | None = None
        self.full = False  # if True, nothing more is noted
        self.running: list[Any] = []  # PassNotes; several if a hook begins another pass
        self.forget = forget

    @property
    def pass_notes(self) -> list[PassNotes]:
        """The passes that were noted."""
        return [entry for entry in self.entries if isinstance(entry, PassNotes)]

    @property
    def reaching(self) -> list[tuple[list[Fact], Any]]:
        """The facts of each pass, and what gets a gradient in it unless it fails."""
        return [(one.facts, one.runs if one.accumulate else ()) for one in self.pass_notes]

    def refuses(self, error: Exception, where: Place | None) -> None:
        """A pass could not begin."""
        self.refused = self.refused or (message_of(error), where)
        self.forget()

    def note(self, entry: Any) -> None:
        """Add what happened to the entries, or to the facts of the pass that is running."""
        if self.full:
            return
        if self.running and not isinstance(entry, PassNotes):
            self.running[-1].facts.append(("noted", entry))
        else:
            self.entries.append(entry)
            self.full = len(self.entries) >= MOST_EVENTS
        self.forget()


def rule_at(op: Any, index: int) -> Callable[..., Any]:
    """The rule of an operation for its edge number `index`."""
    rules = list(op.rules.values())
    return rules[0 if op.variadic else min(index, len(rules) - 1)]


def shows_slope(node: Node, index: int, entries: int) -> bool:
    """Whether the rule for one edge multiplies by a factor whose numbers are worth showing."""
    op = node.op
    if isinstance(node, Context) or not op.pointwise:
        return False
    words = {word: word for word in (*op.inputs, *op.outputs)}
    factor = local_factor(rule_at(op, index), {} if op.variadic else words, settings_of(node))
    return bool(factor) and (entries == 1 or not is_plain(factor))


def is_activation(node: Any) -> bool:
    """Whether a node's operation can have dead units, which send zeros."""
    return isinstance(node, Node) and node.op.name in ACTIVATIONS


def raw(grad: Any) -> Any:
    """The data of a gradient, which is a tensor if the pass itself is recorded."""
    return grad._data if isinstance(grad, Tensor) else grad


def same(before: Any, after: Any) -> bool:
    """Whether a hook left a gradient unchanged."""
    if before is None or after is None or before is after:
        return before is after
    one, other = np.asarray(raw(before)), np.asarray(raw(after))
    return one.shape == other.shape and np.array_equal(one, other, equal_nan=True)


def is_plain(factor: str) -> bool:
    """Whether a factor is a number."""
    return bool(re.fullmatch(r"\(?[-−]?[\d.]+(e[-+]?\d+)?\)?", factor))


# -- why a pass failed: often it is not the line that made the failing node ----------------------


def raised_at(error: BaseException) -> tuple[str, tuple[CodeType, int]] | None:
    """A sentence, and the last instruction of the user's code in an error's traceback, or None."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(LIBRARIES):
            found = trace.tb_frame.f_code, trace.tb_lasti
        trace = trace.tb_next
    return found and ("The error was raised here", found)


def message_of(error: BaseException) -> str:
    """The message of an error, after its type unless that is PyTorch's usual RuntimeError."""
    if isinstance(error, RuntimeError) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error}".rstrip(": ")


def cause_of(failed: Failed, graph: Graph, events: Iterable[Event]) -> tuple[str, Source | None]:
    """Why a pass failed, and the line that caused it, from the events that were recorded before."""
    if "modified by an inplace operation" in failed.message:
        return _changed(failed, graph, events)
    if "backward through the graph a second time" in failed.message:
        return _freed(failed, events)
    return "", None


def _changed(failed: Failed, graph: Graph, events: Iterable[Event]) -> tuple[str, Source | None]:
    """The first change of a tensor after the node saved it."""
    node = graph.node(failed.node)
    saved = [item for item in node.saved if item.version_now != item.version_saved]
    tensors: set[Any] = {*node.inputs, *node.outputs, *(item.tensor for item in saved)}
    least = min((item.version_saved for item in saved), default=0)
    for event in events:
        if isinstance(event, ChangedInPlace) and event.tensor in tensors and event.version > least:
            return f"{event.name} was changed in place after it was saved", event.source
    return "", None


def _freed(failed: Failed, events: Iterable[Event]) -> tuple[str, Source | None]:
    """The earlier pass that ran the node and freed its saved tensors."""
    found: tuple[str, Source | None] = "", None
    *earlier, _ = [event for event in events if isinstance(event, PassBegan)]
    for event in earlier:
        if not event.keeps_graph and failed.node in dict(event.waits):
            found = "This call freed the graph; retain_graph=True keeps it", event.source
    return found
