"""One real backward pass of PyTorch's, noted while it runs.

PyTorch's engine runs it. A hook before and a hook after each node note what comes and what goes;
they return nothing, so no gradient changes, and they are gone when the pass ends. Whatever fails in
a note is dropped, and never reaches the user's program.

Read next: adapters/pytorch/recording.py
"""

import weakref
from collections.abc import Callable
from typing import Any

from graphlab.adapters.pass_notes import PassNotes
from graphlab.adapters.pytorch.accessors import (
    clock,
    edges_of,
    is_accumulator,
    loaded,
    root_of,
)
from graphlab.adapters.pytorch.arrays import quick_sample_of, sample_of_sum
from graphlab.adapters.pytorch.known_nodes import leaves_of
from graphlab.adapters.pytorch.lines import users_place
from graphlab.adapters.pytorch.recomputing import results_of
from graphlab.adapters.pytorch.rehearsed_pass import fitted
from graphlab.adapters.pytorch.stand_ins import Edge, StandIns
from graphlab.adapters.variable_names import edge_key
from graphlab.graph.array_sample import ArraySample

LARGEST_REASON = 2_000  # characters of an error message that are kept


class PyTorchPass(PassNotes):
    """Notes the facts of one pass."""

    def __init__(
        self,
        recording: Any,
        roots: list[Any],
        keeps: bool,
        creates: bool,
        inputs: Any,
        writes: bool,
    ) -> None:
        super().__init__(keeps, creates, writes, users_place(3))
        self.recording = recording
        self.facts = []
        self.roots: list[Edge] = [edge_from(root) for root in roots]
        self.inputs = [edge_from(one) for one in inputs or ()]
        self.gathered: dict[Edge, tuple[Any, ArraySample]] = {}
        self.running: Any = None  # the node that has begun and not ended
        self._handles: list[Any] = []
        self._seen: dict[int, tuple[Any, ArraySample]] = {}
        # leaf -> its `.grad` when the pass began, the version of that, and a sample of it
        self._grads: dict[Any, tuple[Any, int, ArraySample]] = {}
        self._began = 0
        self.stand_ins: Any = None

    # -- before and after ------------------------------------------------------------------------

    def begin(self, seeds: list[Any]) -> None:
        """Copy the graph, and hang a hook before and after each node that may run."""
        recording, memory = self.recording, self.recording.snapshots
        recording.look_around()
        self.stand_ins = stand_ins = StandIns(self.roots, memory, recording.lines.of)
        variables = recording.variables()
        self.names = variables.names(stand_ins)
        self.modules = [(name, weakref.ref(one)) for name, one in variables.modules.items()]
        memory.take(stand_ins, results_of(stand_ins, self.names))
        self.edges = [stand_ins.edge(edge) for edge in self.roots]
        nodes = [node for node in stand_ins.order if not self.inputs or self._leads(node)]
        self.runs = {stand_ins.of[node] for node in nodes}
        recording.room -= len(nodes)
        for leaf, stand_in in leaves_of(stand_ins):
            held = recording.meet(leaf, stand_in)
            if held is not None and stand_in in self.runs:
                self.holding.append((stand_in, held))
                self._grads[stand_in] = leaf.grad, leaf.grad._version, held
        told = []
        for edge, own, seed in zip(self.roots, self.edges, seeds, strict=True):
            told.append((edge_key(own), self._gather(edge, seed)[1]))
        self.facts.append(("seeded", told))
        for node in nodes:
            if is_accumulator(node):
                self._handles.append(node.register_prehook(self._quietly(self._arrives, node)))
            else:
                self._handles.append(node.register_prehook(self._quietly(self._enters, node)))
                self._handles.append(node.register_hook(self._quietly(self._leaves, node)))

    def end(self, results: Any, error: BaseException | None) -> None:
        """Note how the pass ended."""
        if error is not None:
            self._failed(error)
        else:
            self._ended(results)

    def take_hooks_off(self) -> None:
        """Leave PyTorch's nodes as they were."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def drop_arrays(self) -> None:
        """Keep nothing of PyTorch's."""
        self.gathered, self._seen, self._grads, self.running = {}, {}, {}, None
        self.stand_ins, self.inputs, self.roots = None, [], []
        self.__dict__.pop("_reach", None)

    def _ended(self, results: Any) -> None:
        returned = []
        if not self.accumulate:
            for edge, grad in zip(self.inputs, results or (), strict=False):
                if grad is not None and edge[0] in self.stand_ins.of:
                    key = edge_key(self.stand_ins.edge(edge))
                    returned.append((key, quick_sample_of(grad)))
        self.facts.append(("ended", returned))

    def _failed(self, error: BaseException) -> None:
        node = self.running if self.running is not None else self.roots[0][0]
        said = str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
        now = []
        for fact in self.facts:
            if fact[0] == "wrote":
                now.append((fact[1], fact[4]))
        own = self.stand_ins.of[node]
        self.facts.append(("failed", own, said[:LARGEST_REASON], now, None, None))

    def _leads(self, node: Any) -> bool:
        """Whether a gradient of one of the inputs comes from or through a node."""
        return node in self._leading

    @property
    def _leading(self) -> set[Any]:
        found = self.__dict__.get("_reach")
        if found is None:
            found = {edge[0] for edge in self.inputs}
            for node in reversed(self.stand_ins.order):
                if any(edge is not None and edge[0] in found for edge in edges_of(node)):
                    found.add(node)
            self.__dict__["_reach"] = found
        return found

    # -- hooks -----------------------------------------------------------------------------------

    def _quietly(self, note: Callable[..., None], node: Any) -> Callable[..., None]:
        """A hook that calls `note`, and whose own failures end the notes, never the pass."""

        def hook(*grads: Any) -> None:
            if self.recording.failed is None:
                try:
                    note(node, *grads)
                except Exception as error:
                    self.recording.failed = error

        return hook

    def _enters(self, node: Any, grads: Any) -> None:
        self.running, self._seen = node, {}
        own = self.stand_ins.of[node]
        shown = []
        for output, grad in enumerate(grads):
            held = self.gathered.pop((node, output), None)
            if grad is None:
                shown.append(None)
                continue
            seen = self._look(grad) if held is None or held[0] is not grad else held[1]
            self._seen[id(grad)] = grad, seen
            if held is not None and held[0] is not grad and not same(held[0], grad):
                key = edge_key(self.stand_ins.edge((node, output)))
                self.facts.append(("hooked", key, held[1], seen))
            shown.append(seen)
        self.facts.append(("entered", own, tuple(shown) if own.many else shown[0]))
        self._began = clock() if self.creates else 0

    def _leaves(self, node: Any, made: Any, grads: Any) -> None:
        own, shares = self.stand_ins.of[node], []
        if self.creates:
            self.recording.snapshots.ran(own, self._began, clock())
        for index, edge in enumerate(edges_of(node)):
            grad = made[index] if index < len(made) else None
            if edge is None or grad is None:
                shares.append(None)
                continue
            share = fitted(grad.detach(), edge)
            rule = self._look(grad)
            now = rule if share.shape == grad.shape else self._look(share)
            before, after = self._gather(edge, share, now)
            shares.append((rule, now, now, before, after, None))
        self.facts.append(("applied", own, shares, None))
        self.running, self._seen = None, {}

    def _arrives(self, node: Any, grads: Any) -> None:
        leaf, (grad,) = node.variable, grads
        held = self.gathered.pop((node, 0), None)
        if grad is None or not self.accumulate:
            return
        own = self.stand_ins.of[node]
        added = self._look(grad)
        if held is not None and held[0] is not grad and not same(held[0], grad):
            self.facts.append(("hooked", (own, 0), held[1], added))
        before = leaf.grad
        was = None if before is None else self._held(own, before)
        now = added if before is None or was is None else sample_of_sum(before, was, grad, added)
        self.facts.append(("wrote", (own, 0), was, added, now))
        self.recording.wrote(own, now)

    def _held(self, own: Any, grad: Any) -> ArraySample:
        """A sample of what a leaf's `.grad` holds before it is added to."""
        first, version, sample = self._grads.get(own, (None, 0, None))
        if sample is not None and first is grad and grad._version == version:
            return sample
        return quick_sample_of(grad)

    # -- arrays ----------------------------------------------------------------------------------

    def _look(self, tensor: Any) -> ArraySample:
        found = self._seen.get(id(tensor))
        if found is None:
            found = self._seen[id(tensor)] = tensor, quick_sample_of(tensor)
        return found[1]

    def _gather(
        self, edge: Edge, share: Any, seen: ArraySample | None = None
    ) -> tuple[ArraySample | None, ArraySample]:
        """Add to the gathered gradient; samples of it before and after."""
        now = quick_sample_of(share) if seen is None else seen
        held = self.gathered.get(edge)
        if held is None:
            self.gathered[edge] = share.detach(), now
            return None, now
        total = held[0] + share.detach()
        self.gathered[edge] = total, quick_sample_of(total)
        return held[1], self.gathered[edge][1]


def edge_from(thing: Any) -> Edge:
    """The edge of a root or an input: a tensor, or a GradientEdge."""
    if hasattr(thing, "output_nr") and hasattr(thing, "node"):
        return thing.node, thing.output_nr
    return root_of(thing)


def same(one: Any, other: Any) -> bool:
    """Whether two gradients are equal in every entry; NaN equals NaN."""
    torch = loaded()
    if one is other:
        return True
    if one.shape != other.shape or one.layout is not other.layout:
        return False
    if one.layout is not torch.strided or one.is_meta:
        return True  # it cannot be told
    if one.data_ptr() == other.data_ptr() and one.stride() == other.stride():
        return True
    return torch.equal(one, other) or torch.allclose(one, other, 0.0, 0.0, equal_nan=True)
