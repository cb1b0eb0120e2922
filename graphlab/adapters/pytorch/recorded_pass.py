"""One real backward pass of PyTorch, noted while it runs.

PyTorch's engine runs it. A hook after each node notes the incoming and the outgoing gradients;
where the user's own code may run in between, another hook before the node does too. The hooks
return nothing, so no gradient changes, and they are removed when the pass ends. An error in one of
these hooks is dropped and never reaches the user's program.

Read next: adapters/pytorch/recording.py
"""

import weakref
from collections.abc import Callable
from typing import Any

from graphlab.adapters.native.facts import PassNotes, is_activation, message_of, raised_at
from graphlab.adapters.native.graph_walk import RUNS_AT_ONCE, targets_of
from graphlab.adapters.native.saved_values import SMALL
from graphlab.adapters.native.variable_names import edge_key
from graphlab.adapters.pytorch.accessors import (
    clock,
    count_of_outputs,
    is_custom,
    is_tensor,
    loaded,
    root_of,
    saved_by_user,
    saved_of,
    sequence_of,
    version_of,
)
from graphlab.adapters.pytorch.arrays import array_of, idle_units_of, quick_sample_of, sample_of_sum
from graphlab.adapters.pytorch.known_nodes import leaves_of, users_place
from graphlab.adapters.pytorch.module_calls import names_of
from graphlab.adapters.pytorch.rehearsal import known_by, retained_in
from graphlab.adapters.pytorch.rehearsed_pass import Edge
from graphlab.adapters.pytorch.stand_ins import StandIns, blank
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.document import uncollected

UNUSED = "appears to not have been used in the graph"
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
        self.given, self.roots = roots, [edge_from(root) for root in roots]
        self.inputs = [edge_from(one) for one in inputs or ()]
        # edge -> the gradient gathered there, its version, and a sample of it
        self.gathered: dict[Edge, tuple[Any, int, ArraySample]] = {}
        self.entered: Any = None  # the node that has begun and not ended, if a hook has told so
        self._waiting: dict[Any, Any] = {}  # nodes that have not run, in the engine's order
        self._handles: list[Any] = []
        self._seen: dict[int, tuple[Any, ArraySample]] = {}
        self._retained: dict[Edge, tuple[Any, ArraySample | None]] = {}  # `.grad`, as it was
        self._began = 0
        self.stand_ins: Any = None

    # -- before and after ------------------------------------------------------------------------

    @uncollected()
    def begin(self, seeds: list[Any]) -> None:
        """Copy the graph, and add hooks to each node that may run."""
        recording, memory = self.recording, self.recording.snapshots
        recording.look_around()
        self.stand_ins = stand_ins = StandIns(self.roots, memory, recording.lines)
        variables = recording.variables()
        self.names = names_of(variables, stand_ins)
        self.modules = [(name, weakref.ref(one)) for name, one in variables.modules]
        self.edges = [stand_ins.edge(edge) for edge in self.roots]
        roots = {
            (own, 0): blank(array_of(root))
            for own, root in zip(self.edges, self.given, strict=True)
            if is_tensor(root) and isinstance(own, Node)
        }
        met_again = [
            (own, own._data, array)
            for tensor, own in stand_ins.tensors()
            if isinstance(own._data, ArraySample)
            and tensor.numel() <= SMALL
            and (array := array_of(tensor)) is not None
        ]
        for own, _, array in met_again:  # to compute with, as in the first pass
            own._data = array
        results, values = known_by(stand_ins, self.names, roots.items())
        results |= {own: (x._data,) for (own, _), x in roots.items() if x._data is not None}
        doubted = {x for (x, _), (_, when) in values.items() if when == RUNS_AT_ONCE}
        for node in stand_ins.nodes:
            memory.late.update((node, x) for x in doubted.intersection(targets_of(node)))
        memory.take(stand_ins, results)
        for own, sample, _ in met_again:
            own._data = sample
        now_in = {id(tensor): name for name, tensor in variables.tensors.values()}
        for number, output, tensor in memory.went_on:
            name, own = now_in.get(id(tensor())), memory.found(number, None)
            if name is not None and own is not None:
                self.names.earlier[own, output] = name
        memory.went_on = []
        held = [*filter(is_tensor, self.given), *(one for _, one in variables.tensors.values())]
        for edge, one in retained_in(held, stand_ins).items():
            was = one.grad
            self._retained[edge] = was, None if was is None else quick_sample_of(was)
        nodes = [node for node in stand_ins.order if not self.inputs or node in self._leading]
        self.runs = {stand_ins.of[node] for node in nodes}
        recording.room -= len(nodes)
        for leaf, stand_in in leaves_of(stand_ins):
            held = recording.meet(leaf, stand_in)
            if held is not None and stand_in in self.runs:
                self.holding.append((stand_in, held))
        told = []
        for edge, own, seed in zip(self.roots, self.edges, seeds, strict=True):
            sample = quick_sample_of(seed.detach())
            told.append((edge_key(own), self._gather(edge, seed, sample)[1]))
        self.facts.append(("seeded", told))
        self._waiting = {node: stand_ins.of[node] for node in nodes}
        for node, own in self._waiting.items():
            if node in stand_ins.accumulators:
                self._handles.append(node.register_prehook(Hook(self, self._arrives, node, own)))
                if node.variable._post_accumulate_grad_hooks:  # they run before this one
                    self._handles.append(node.register_hook(Hook(self, self._written, node, own)))
                continue
            handle = node.register_hook(Hook(self, self._leaves, node, own))
            self._handles.append(handle)
            if self.creates or isinstance(own, Context) or len(handle.hooks_dict_ref() or ()) > 1:
                self._handles.append(node.register_prehook(Hook(self, self._enters, node, own)))

    def end(self, results: Any, error: BaseException | None) -> None:
        """Note how the pass ended."""
        if error is not None:
            self._failed(error)
        else:
            self._ended(results)

    def remove(self) -> None:
        """Remove all hooks, so that PyTorch's nodes are as they were."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def drop_arrays(self) -> None:
        """Keep no PyTorch object."""
        self.gathered, self._seen, self._waiting, self._retained = {}, {}, {}, {}
        self.stand_ins, self.entered, self.inputs, self.roots, self.given = None, None, [], [], []
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
        if UNUSED in str(error) and isinstance(error, RuntimeError):
            self._ended(None)  # PyTorch refuses the call after all nodes ran
            return
        node = next(iter(self._waiting), self.roots[0][0])
        own = self.stand_ins.of[node]
        if isinstance(own, Node) and self.entered is not node:
            count = count_of_outputs(node) if own.many else 1
            came = tuple(self.gathered.get((node, k), (None,))[-1] for k in range(count))
            if any(grad is not None for grad in came):
                self.facts.append(("entered", own, came if own.many else came[0]))
        now = [(fact[1], fact[4]) for fact in self.facts if fact[0] == "wrote"]
        cause = raised_at(error) or self._changed_before(node)
        self.facts.append(("failed", own, message_of(error)[:LARGEST_REASON], now, None, cause))

    def _changed_before(self, node: Any) -> Any:
        """Why a node cannot use what it saved, and the line; None if no change in place is known.

        Changes that are operations of the graph are known only here.
        """
        custom = is_custom(node)
        for one in saved_by_user(node) if custom else saved_of(node, frozenset()).values():
            if one.expected is not None and one.value is not None:
                place = self.recording.lines.changed_after(
                    one.value, one.expected, sequence_of(node)
                )
                if place is not None:
                    return "What the node needs was changed in place after it was saved", place
        return None

    @property
    def _leading(self) -> set[Any]:
        """The nodes from or through which a gradient of one of the inputs comes."""
        found = self.__dict__.get("_reach")
        if found is None:
            found = {edge[0] for edge in self.inputs}
            for node in reversed(self.stand_ins.order):
                edges = self.stand_ins.edges[node]
                if any(edge is not None and edge[0] in found for edge in edges):
                    found.add(node)
            self.__dict__["_reach"] = found
        return found

    # -- hooks -----------------------------------------------------------------------------------

    def _enters(self, node: Any, own: Any, grads: Any) -> None:
        self.entered = node
        if own.many:
            shown: Any = tuple([self._came(node, own, *pair) for pair in enumerate(grads)])
        else:
            shown = self._came(node, own, 0, grads[0])
            if shown is not None and is_activation(own):
                shown.idle = idle_units_of(grads[0])
        for output, grad in enumerate(grads):
            if (node, output) in self._retained and grad is not None:
                self._keeps(own, output, grad, *self._retained[node, output])
        self.facts.append(("entered", own, shown))
        if self.creates:
            self._began = clock()

    def _keeps(self, own: Any, output: int, grad: Any, before: Any, was: Any) -> None:
        """Note what a result that retains its gradient has now."""
        added = self._look(grad)
        now = added if was is None else sample_of_sum(before, was, grad, added)
        self.facts.append(("wrote", (own, output), was, added, now))

    def _came(self, node: Any, own: Any, output: int, grad: Any) -> ArraySample | None:
        """A sample of the arriving gradient: the gathered sample if that is the same gradient."""
        held = self.gathered.pop((node, output), None)
        if grad is None:
            return None
        if held is not None:
            gathered, version, seen = held
            if version_of(grad) == version and is_same_memory(gathered, grad):
                self._seen[id(grad)] = grad, seen
                return seen
        now = self._look(grad)
        if held is not None and not same(held[0], grad):
            self.facts.append(("hooked", (own, output), held[2], now))
        return now

    def _leaves(self, node: Any, own: Any, made: Any, grads: Any) -> None:
        if self.entered is not node:
            self._enters(node, own, grads)
        if self.creates:
            self.recording.snapshots.ran(own, self._began, clock())
        shares: list[Any] = []
        for edge, grad in zip(self.stand_ins.edges[node], made, strict=False):
            if edge is None or grad is None:
                shares.append(None)
                continue
            now = self._look(grad)
            before, after = self._gather(edge, grad, now)
            shares.append((now, now, now, before, after, None))
        if shares and is_activation(own) and shares[0] is not None:
            shares[0][0].idle = idle_units_of(made[0])
        self.facts.append(("applied", own, shares, None))
        self._waiting.pop(node, None)
        self.entered, self._seen = None, {}

    def _written(self, node: Any, own: Any, *_: Any) -> None:
        self._waiting.pop(node, None)
        self.recording.look_at_grad(node.variable, own, noted=True)

    def _arrives(self, node: Any, own: Any, grads: Any) -> None:
        if not node.variable._post_accumulate_grad_hooks:
            self._waiting.pop(node, None)
        leaf, (grad,) = node.variable, grads
        if grad is None or not self.accumulate or not leaf.requires_grad:  # frozen since
            self.gathered.pop((node, 0), None)
            return
        added = self._came(node, own, 0, grad)
        assert added is not None
        self._seen = {}
        was = self.recording.look_at_grad(leaf, own)
        now = added if was is None else sample_of_sum(leaf.grad, was, grad, added)
        self.facts.append(("wrote", (own, 0), was, added, now))
        self.recording.grads[own] = now

    # -- arrays ----------------------------------------------------------------------------------

    def _look(self, tensor: Any) -> ArraySample:
        found = self._seen.get(id(tensor))
        if found is None:
            found = self._seen[id(tensor)] = tensor, quick_sample_of(tensor)
        return found[1]

    def _gather(
        self, edge: Edge, share: Any, now: ArraySample
    ) -> tuple[ArraySample | None, ArraySample]:
        """Add to the gathered gradient; samples of it before and after."""
        held = self.gathered.get(edge)
        # an alias: the engine may reuse a gradient that nobody else holds
        share = share.detach()
        if held is None:
            self.gathered[edge] = share, version_of(share), now
            return None, now
        total = held[0] + share
        after = quick_sample_of(total)
        self.gathered[edge] = total, 0, after
        return held[2], after


class Hook:
    """A hook that calls `note`; if that fails, the notes end, and the pass goes on."""

    __slots__ = ("node", "note", "own", "recording")

    def __init__(self, one: PyTorchPass, note: Callable[..., None], node: Any, own: Any) -> None:
        self.recording, self.note, self.node, self.own = one.recording, note, node, own

    def __call__(self, *grads: Any) -> None:
        if self.recording.failed is None:
            try:
                self.note(self.node, self.own, *grads)
            except Exception as error:
                self.recording.failed = error


def edge_from(thing: Any) -> Edge:
    """The edge of a root or an input: a tensor, or a GradientEdge."""
    if hasattr(thing, "output_nr") and hasattr(thing, "node"):
        return thing.node, thing.output_nr
    return root_of(thing)


def is_same_memory(one: Any, other: Any) -> bool:
    """Whether two tensors are views of the same entries."""
    try:
        return one.data_ptr() == other.data_ptr() != 0 and one.stride() == other.stride()
    except (NotImplementedError, RuntimeError):  # as of a sparse tensor
        return False


def same(one: Any, other: Any) -> bool:
    """Whether two gradients are equal in every entry; NaN equals NaN."""
    torch = loaded()
    if one is other:
        return True
    if one.shape != other.shape or one.layout is not other.layout:
        return False
    if one.layout is not torch.strided or one.is_meta:
        return True  # it cannot be told
    if is_same_memory(one, other):
        return True
    return torch.equal(one, other) or torch.allclose(one, other, 0.0, 0.0, equal_nan=True)
