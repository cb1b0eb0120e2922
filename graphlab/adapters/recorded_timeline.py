"""The timeline of a recording has one graph of all nodes that ran, and the events of all passes.

Read next: graph/timeline.py
"""

from collections import Counter
from dataclasses import replace
from typing import Any

from graphlab.adapters.event_writer import EventWriter
from graphlab.adapters.forward_pass import ValueOf, forward_part
from graphlab.adapters.namespace import own_library
from graphlab.adapters.native.facts import MOST, PassNotes, cause_of
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.graph_walk import edge_of
from graphlab.adapters.native.optimizer_steps import parameters_of, unstepped_by
from graphlab.adapters.native.recording import Recording
from graphlab.adapters.native.rehearsal import live_arrays
from graphlab.adapters.native.source_lines import source_at
from graphlab.adapters.native.unreached import with_dead_units
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.event_log import MOST_EVENTS, EventLog, ForwardPart
from graphlab.graph.events import (
    Change,
    ChangedInPlace,
    Failed,
    GradCleared,
    GradReplaced,
    LeafWritten,
    OptimizerStepped,
    PassBegan,
    SavedFreed,
)
from graphlab.graph.gradient_health import norm
from graphlab.graph.model import Graph, Unreached
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value, summarise
from graphlab.tensor.tensor import Tensor

NOTHING = (
    "nothing was recorded: no backward pass ran in the block. Call backward() inside the block, "
    "`with graphlab.record() as timeline:`"
)
REFUSED = "nothing was recorded: the backward pass could not begin: {}{}"
FULL = (
    f"This recording is full: it holds {MOST:,} nodes that ran, or {MOST_EVENTS:,} changes between "
    "passes. Everything after that is left out; record a smaller part."
)


BOTH = (
    "Passes of both libraries ran in the block, and GraphLab's are shown. Record PyTorch's in a "
    "block of their own."
)


def timeline_of(recording: Recording) -> Timeline:
    """The timeline of all that was noted so far: of PyTorch's passes if no others ran."""
    other = recording.pytorchs
    if other is None or recording.pass_notes:
        both = other is not None and bool(other.pass_notes)
        return told(recording, recording.error, BOTH if both else "")
    other.refused = other.refused or recording.refused
    return told(other, recording.error)


def told(recording: Any, error: Exception | None, besides: str = "") -> Timeline:
    """The timeline of what a recording, or PyTorchRecording, has noted; besides: a sentence."""
    passes = recording.pass_notes
    if not passes:
        nothing, notice = Graph("", (), (), ()), recording.notice
        title = NOTHING
        if recording.refused is not None:
            said, where = recording.refused
            source = source_at(where)
            line = f", line {source.line}: {source.text}" if source else ""
            title = REFUSED.format(said, line)
        return Timeline(nothing, (), title=title, notice=notice, error=error)
    copied: Copied = recording.blank_copy()
    copied.made_by, copied.latest = recording.snapshots.made_by, recording.snapshots.latest
    for one in passes:
        results = recording.snapshots.results
        copied.extend(one.edges, names_for(one, recording), results, one.place)
    for one in passes:
        copied.see_shapes(one.facts)
    copied.finish(copied.tensor_at(passes[0].edges[0]))
    graph = with_dead_units(copied, [fact for one in passes for fact in one.facts])
    held = {id(module): (name, module) for one in passes for name, module in alive(one.modules)}
    copied.graph = replace(graph, unreached=recording.unreached(copied, [*held.values()]))
    writer = RecordedEvents(copied, recording, len(passes))
    for entry in recording.entries:
        writer.add(entry)
    graph = replace(copied.graph, unstepped=unstepped(recording, writer, [*held.values()]))
    title = ", ".join(dict.fromkeys(writer.titles))
    notice = writer.events.notice or (FULL if recording.full else "") or recording.notice
    notice = " ".join(filter(None, [notice, besides]))
    live = live_arrays(copied, recording.snapshots.living().get)
    forward = tuple(writer.forward)
    first = getattr(recording, "first", None)
    events = tuple(writer.events)
    return Timeline(
        graph,
        events,
        title=title,
        notice=notice,
        live=live,
        forward=forward,
        error=error,
        replay=first.told(copied) if first and len(passes) > 1 else None,
    )


def unstepped(
    recording: Any, writer: "RecordedEvents", held: list[tuple[str, Any]]
) -> tuple[Unreached, ...]:
    """The parameters that get gradients, but that no optimizer steps."""
    if isinstance(recording, Recording):
        library, find = own_library(), recording.snapshots.find
    else:
        from graphlab.adapters.pytorch.module_calls import pytorch

        library, find = pytorch(), recording.snapshots.tensor
    parameters = parameters_of(library, held, find)
    return unstepped_by(recording.entries, writer.id_of, parameters, writer.copied.graph)


def names_for(one: PassNotes, recording: Any) -> Names:
    """The names when a pass ran; for leaves without one, the names at the end of the block."""
    return Names(
        {**recording.names_at_end, **one.names.of_leaf},
        one.names.made_by,
        alive(one.modules),
        one.names.earlier,
        one.names.taken,
    )


def alive(modules: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The modules of a pass that still exist."""
    pairs = [(name, module()) for name, module in modules]
    return [(name, module) for name, module in pairs if module is not None]


class RecordedEvents:
    """Writes the events of a recording, entry by entry."""

    def __init__(self, copied: Copied, recording: Any, count: int) -> None:
        self.copied = copied
        self.snapshots = recording.snapshots
        self.count = count  # of passes
        self.order = {node.id: place for place, node in enumerate(copied.graph.nodes)}
        self.listed = {one.id: k for k, one in enumerate(copied.graph.tensors)}
        self.events = EventLog()
        self.titles: list[str] = []
        self.known: set[str] = set()  # leaves whose `.grad` is in the state
        self.freed: set[str] = set()  # nodes whose saved tensors are freed
        self.values: dict[str, Value] = {}  # current values of results that were changed in place
        self.now: dict[str, ArraySample] = {}  # current values of leaves that were changed
        self.ran: set[Any] = set()  # nodes whose operations are in a forward part
        self.forward: list[ForwardPart] = []
        known = copied.tensors
        # results that were changed in place -> the variables that held them
        passes = recording.pass_notes
        self.variables = {key: name for one in passes for key, name in one.names.earlier.items()}
        self.late = {  # nodes and inputs that were changed in place before the node was seen
            (node, known[key])
            for node, leaf in recording.snapshots.late
            if (key := (leaf, 0) if (leaf, 0) in known else id(leaf)) in known
        }

    def add(self, entry: Any) -> None:
        """Write the events of the next entry."""
        if isinstance(entry, PassNotes):
            self._tell_pass(entry)
        else:
            getattr(self, entry[0].replace(" ", "_"))(*entry[1:])

    def id_of(self, snapshot: Any) -> str | None:
        """The id of a tensor; None if no recorded pass used it."""
        known = self.copied.tensors
        if (edge := edge_of(snapshot)) is not None:
            return known.get(edge_key(edge))
        return known.get((snapshot, 0)) or known.get(id(snapshot))

    # -- passes --------------------------------------------------------------------------------

    def _tell_pass(self, one: PassNotes) -> None:
        copied, graph = self.copied, self.copied.graph
        runs = {copied.node_ids[snapshot] for snapshot in one.runs}
        roots = tuple(dict.fromkeys(copied.tensor_at(edge) for edge in one.edges))
        title = ", ".join(copied.label(root) for root in roots)
        self.titles.append(title)
        nodes = [graph.node(node) for node in sorted(runs, key=self.order.__getitem__)]
        leaving = (edge for node in nodes for edge in graph.edges_from(node.id))
        waits = Counter(edge.target for edge in leaving if edge.target in runs)
        sizes = {node.id: sum(saved.nbytes for saved in node.saved) for node in nodes}
        held = sum(size for node, size in sizes.items() if node not in self.freed)
        holding = [(copied.tensors[snapshot, 0], summarise(grad)) for snapshot, grad in one.holding]
        holding.sort(key=lambda pair: int(pair[0][1:]))  # by id: the same order at every run
        began = PassBegan(
            number=len(self.titles),
            count=self.count,
            title=title,
            roots=roots,
            waits=tuple((node.id, waits[node.id]) for node in nodes),
            held=held,
            total=sum(sizes.values()),
            holding=tuple(pair for pair in holding if pair[0] not in self.known),
            full=tuple(
                copied.label(leaf) for leaf, grad in holding if one.accumulate and norm(grad)
            ),
            call="backward" if one.accumulate else "grad",
            keeps_graph=one.keeps,
            creates_graph=one.creates,
            source=source_at(one.place),
        )
        self.known.update(leaf for leaf, _ in holding)
        self._tell_forward(one, roots, began, held)
        self.events.append(began)
        first, writer = len(self.events), EventWriter(copied, title, self.events, runs, self.add)
        writer.frees, writer.freed, writer.again = not one.keeps, self.freed, one.again
        writer.tell(one.facts)
        told = self.events[first:]
        freed = [event.node for event in told if isinstance(event, SavedFreed)]
        if told and isinstance(failed := told[-1], Failed):
            # the nodes that ran before the failed one still hold what they saved
            failed = replace(failed, kept=tuple(freed), held=held)
            why, cause = cause_of(failed, graph, self.events)
            if cause is not None or failed.cause is None:
                failed = replace(failed, why=why, cause=cause)
            self.events[-1] = failed
        else:
            self.freed.update(freed)
        self.known.update(event.tensor for event in told if isinstance(event, LeafWritten))

    def _tell_forward(
        self, one: PassNotes, roots: tuple[str, ...], began: PassBegan, held: int
    ) -> None:
        """Write the forward part of a pass: the operations that no earlier pass visited."""
        copied = self.copied
        walked = {snapshot for snapshot in one.runs if not isinstance(snapshot, Tensor)}
        ran = walked - self.ran
        if not ran:
            return
        self.ran |= ran
        sizes = {
            node: sum(one.nbytes for one in copied.graph.node(copied.node_ids[node]).saved)
            for node in ran
        }
        visited = [copied.graph.node(node) for node, _ in began.waits]
        met = {roots[0], *(id for node in visited for id in (*node.inputs, *node.outputs))}
        places = sorted(map(self.listed.__getitem__, copied.graph.with_bases(met)))
        tensors = [copied.graph.tensors[place] for place in places]
        memory = held - sum(sizes.values())
        now = {id: summarise(one) for id, one in self.now.items()}
        tensors = [replace(one, value=now.get(one.id, one.value)) for one in tensors]
        told = forward_part(
            copied, tensors, roots, ran, self._values, memory, began.number, self.count
        )
        self.forward.append(ForwardPart(len(self.events), told))

    def _values(self, node: Node) -> ValueOf:
        """The values of tensors when a node ran."""

        def value(id: str) -> Value | None:
            late = self.copied.changed_after(node, id) or (node, id) in self.late
            if late:
                return None
            now = self.now.get(id)
            return self.copied.infos[id].value if now is None else summarise(now)

        return value

    # -- between passes ------------------------------------------------------------------------

    def cleared(self, snapshot: Any, zero: Any, place: Any) -> None:
        tensor = self.id_of(snapshot)
        if tensor is None:
            return
        self.known.add(tensor)
        name, source = self.copied.label(tensor), source_at(place)
        zeros = () if zero is None else (summarise(zero),)
        last = self.events[-1] if self.events else None
        kind = (source, bool(zeros))
        if isinstance(last, GradCleared) and (last.source, bool(last.zeros)) == kind:
            if tensor not in last.tensors:  # one zero_grad() clears many tensors
                ids, names = (*last.tensors, tensor), (*last.names, name)
                self.events[-1] = GradCleared(ids, names, (*last.zeros, *zeros), source)
            return
        self.events.append(GradCleared((tensor,), (name,), zeros, source))

    def replaced(self, snapshot: Any, before: Any, after: Any, place: Any) -> None:
        tensor = self.id_of(snapshot)
        if tensor is not None:
            self.known.add(tensor)
            was = None if before is None else summarise(before)
            label = self.copied.label(tensor)
            self.events.append(GradReplaced(tensor, label, was, summarise(after), source_at(place)))

    def changed(
        self, snapshot: Any, before: Any, after: Any, version: int, counted: bool, place: Any
    ) -> None:
        tensor = self.id_of(snapshot)
        if tensor is None:
            return
        self.now[tensor] = after
        was = None if before is None else summarise(before)
        label, source = self.copied.label(tensor), source_at(place)
        made = ChangedInPlace(tensor, label, was, summarise(after), version, source, counted)
        by_layer = "." in label and not counted and not snapshot.requires_grad
        self.events.append(replace(made, by_layer=by_layer))

    def changed_inside(
        self, key: Any, after: Any, version: int, recorded: bool, place: Any
    ) -> None:
        identity, reference, output = key
        made_by = self.snapshots.found(identity, reference), output
        tensor = self.copied.tensors.get(made_by)
        if tensor is None:
            return
        label = self.variables.get(made_by) or self.copied.label(tensor)
        source, now = source_at(place), summarise(after)
        was = self.values.get(tensor)
        if recorded and was is None:
            was = self.copied.graph.tensor(tensor).value
        if not recorded:
            self.values[tensor] = now
        self.events.append(
            ChangedInPlace(tensor, label, was, now, version, source, recorded=recorded)
        )

    def stepped(
        self, optimizer: str, changes: list[Any], place: Any, given: list[Any], settings: str
    ) -> None:
        told = []
        for snapshot, before, after, version, why in changes:
            tensor = self.id_of(snapshot)
            if tensor is not None:
                self.now[tensor] = after
                values = summarise(before), summarise(after)
                told.append(Change(tensor, self.copied.label(tensor), *values, version, why))
        elsewhere = 0 if told else len(changes)
        told.sort(key=lambda one: bool(one.unchanged))  # what changed is the news
        source = source_at(place)
        self.events.append(OptimizerStepped(optimizer, tuple(told), source, elsewhere, settings))
