"""The event writer turns the facts that were noted during a backward pass into events.

Read next: adapters/equations.py
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from graphlab.adapters.equations import Equations, summed
from graphlab.adapters.native.facts import Fact
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.source_lines import source_at
from graphlab.adapters.native.variable_names import bracketed
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.event_log import EventLog
from graphlab.graph.events import (
    Accumulated,
    DependencyMet,
    Failed,
    Finished,
    GradRetained,
    GradReturned,
    HookCalled,
    HookRan,
    LeafWritten,
    NodeEntered,
    Readied,
    Reduced,
    RuleApplied,
    SavedFreed,
    SavedUnpacked,
    Seeded,
)
from graphlab.graph.events.event import is_weighed
from graphlab.graph.model import EdgeInfo, NodeInfo, Saved
from graphlab.graph.value import LONGEST_TEXT, Value, summarise
from graphlab.tensor.tensor import Tensor


class EventWriter:
    """Writes the events of one pass over the copied graph.

    log: receives the events. runs: the ids of the nodes that the pass reaches; None: all. aside:
    writes events about what the user's code did in a hook.
    """

    def __init__(
        self,
        copied: Copied,
        title: str,
        log: EventLog,
        runs: set[str] | None = None,
        aside: Callable[[Any], None] | None = None,
    ) -> None:
        self.copied = copied
        self.graph = copied.graph
        self.title = title  # the tensor whose gradients are computed
        self.events = log
        self.runs, self.aside = runs, aside
        self.frees = True  # whether the pass frees what nodes saved
        self.freed: Collection[str] = ()  # nodes that an earlier pass freed
        self.again: Mapping[Any, tuple[Any, ...]] = {}  # nodes -> what they hold in this pass
        self.gathered: dict[str, ArraySample] = {}  # tensor id -> sum of the gradients so far
        reached = (node.id for node in self.graph.nodes) if runs is None else runs
        leaving = (edge for node in reached for edge in self.graph.edges_from(node))
        edges = [edge for edge in leaving if self._runs(edge.target)]
        self.uses = Counter(edge.target for edge in edges)
        self.waiting = self.uses.copy()
        self.equations = Equations(copied, title, edges)
        self.ready: list[NodeInfo] = []  # the next one first
        self.retained: list[GradRetained] = []  # events that follow when their node is entered
        self.begun = False
        self.leaves: set[str] = set()  # leaves whose `.grad` was written

    def tell(self, facts: Iterable[Fact]) -> None:
        """Write the events of all facts."""
        for what, *about in facts:
            getattr(self, what)(*about)

    # -- what was noted ------------------------------------------------------------------------

    def seeded(self, seeds: list[tuple[Any, ArraySample]]) -> None:
        nodes = [self.graph.node(self.copied.node_ids[key[0]]) for key, _ in seeds]
        if len(seeds) > 1:
            self.waiting.update(node.id for node in nodes)
        for node, (key, grad) in zip(nodes, seeds, strict=True):
            tensor = self.copied.tensors[key]
            self.gathered[tensor] = grad
            if len(seeds) > 1:
                self.waiting[node.id] -= 1
            if self.waiting[node.id] == 0 or len(seeds) == 1:
                self._queue(node)
            queue = None if len(seeds) == 1 else tuple(other.id for other in self.ready)
            label, seed = self.copied.label(tensor), summarise(grad)
            if queue is None and is_weighed(seed):  # gᵀJ, the derivative of the product g·y
                self.equations.title = f"g·{bracketed(self.title)}"
            self.events.append(Seeded(tensor, node.id, label, seed, queue))

    def entered(self, node: Node, grad: Any) -> None:
        identity, name = self._node(node)
        self.ready = [other for other in self.ready if other.id != identity]
        queue = tuple(other.id for other in self.ready)
        came, made = self._came(node, grad, " or ")
        why = why_now(not self.begun, self.title, made, len(queue)) if came is not None else ""
        self.begun = True
        self.events.append(NodeEntered(identity, name, came, queue, why))
        self.events += self.retained
        self.retained = []
        for saved in () if identity in self.freed else self._saved(node):
            if saved.value is not None:
                read = SavedUnpacked(identity, name, saved.name, saved.value.text, saved.is_stale)
                self.events.append(read)
        self.came = grad

    def applied(self, node: Node, shares: list[Any], hooked: bool | None) -> None:
        identity, name = self._node(node)
        edges = [(self._edge(identity, k), share) for k, share in enumerate(shares)]
        edges = [(edge, share) for edge, share in edges if edge is not None]
        sent = [(edge, share) for edge, share in edges if share is not None]
        if hooked is not None:  # hooks receive the results of all rules
            for edge, share in sent:
                self._rule(node, edge, share)
            now = tuple((edge.id, summarise(share[2])) for edge, share in sent if hooked)
            self.events.append(HookCalled(identity, name, "node", hooked, now))
        for edge, share in edges:
            if share is not None:
                if hooked is None:
                    self._rule(node, edge, share)
                self._accumulate(edge, share)
            if self._runs(identity, edge.target):
                self._met(edge.target, share is not None)
        if self.frees and identity not in self.freed:
            nbytes = sum(saved.nbytes for saved in self.graph.node(identity).saved)
            self.events.append(SavedFreed(identity, name, nbytes))

    def hooked(self, key: Any, before: ArraySample | None, after: ArraySample | None) -> None:
        tensor = self.copied.tensors[key]
        if after is not None:
            self.gathered[tensor] = after
        label = self.copied.label(tensor)
        self.events.append(HookRan(tensor, label, self._gradient(before), self._gradient(after)))

    def seen(self, item: Any, where: Any, changed: bool) -> None:
        identity, name = self._node(item)
        self.events.append(HookCalled(identity, name, where, changed))

    def wrote(self, key: Any, before: Any, grad: ArraySample, after: ArraySample) -> None:
        tensor = self.copied.tensors[key]
        label, was = self.copied.label(tensor), self._gradient(before)
        if not isinstance(key[0], Tensor):
            total = None if was is None else summarise(after)
            self.retained.append(GradRetained(tensor, label, summarise(grad), was, total))
            return
        node = self.copied.node_ids[key[0]]
        self.ready = [other for other in self.ready if other.id != node]
        self.leaves.add(tensor)
        added, now = summarise(grad), summarise(after)
        why = why_written(self.uses[node], label, any(not one.variable for one in self.ready))
        self.events.append(LeafWritten(node, tensor, label, was, added, now, why))

    def noted(self, entry: Any) -> None:
        if self.aside is not None:
            self.aside(entry)

    def failed(self, item: Any, message: str, undone: list[Any], hook: Any, cause: Any) -> None:
        identity, name = self._node(item)
        back = tuple((self.copied.tensors[key], self._gradient(grad)) for key, grad in undone)
        source = self.graph.node(identity).source
        failed = Failed(identity, name, message, source, back)
        if hook is not None:
            where, key, called = hook
            on = self.copied.label(self.copied.tensors[key]) if where == "tensor" else ""
            failed = replace(failed, hook=called, where=where, on=on)
        if cause is not None:
            failed = replace(failed, why=cause[0], cause=source_at(cause[1]))
        self.events.append(failed)

    def ended(self, returned: list[Any]) -> None:
        self.events += self.retained  # events of a node whose rules did not run
        told = []
        for key, grad in returned:
            if grad is None:  # the pass does not reach this input
                continue
            tensor = self.copied.tensors[key]
            if tensor not in told:
                told.append(tensor)
                label = self.copied.label(tensor)
                self.events.append(GradReturned(tensor, label, summarise(grad)))
        count = len(told) if returned else len(self.leaves)
        if returned:
            what = "1 gradient is" if count == 1 else f"{count} gradients are"
            message = f"autograd.grad is done: {what} returned, and no .grad has changed."
        else:
            reached = "1 leaf" if count == 1 else f"{count} leaves"
            grads = "its gradient" if count == 1 else "their gradients"
            message = f"The backward pass is done: {reached} got {grads}."
        self.events.append(Finished(count, message))

    # -- parts of it --------------------------------------------------------------------------

    def _runs(self, *nodes: str) -> bool:
        return self.runs is None or all(node in self.runs for node in nodes)

    def _edge(self, node: str, index: int) -> EdgeInfo | None:
        identity = f"{node}.{index}"
        return self.graph.edge(identity) if self.graph.has("edge", identity) else None

    def _rule(self, node: Node, edge: EdgeInfo, share: Any) -> None:
        made, sent, _, _, _, slope = share
        identity, name = self._node(node)
        to = self.copied.label(edge.tensor)
        upstream, made_label = self._came(node, self.came)
        assert upstream is not None, "a rule ran without a gradient"
        equation, phrase, product = self.equations.of_edge(
            node, edge, upstream, made_label, made, slope
        )
        if made.shape != sent.shape:
            equation = summed(equation, made.shape, summarise(sent), to)
        came = summarise(made if made.shape != sent.shape else sent)  # `sent` has the final type
        self.events.append(
            RuleApplied(
                identity, name, edge.id, edge.tensor, to, upstream, came, equation, phrase, product
            )
        )
        if made.shape != sent.shape:
            self.events.append(
                Reduced(identity, name, edge.id, edge.tensor, to, made.shape, summarise(sent))
            )

    def _accumulate(self, edge: EdgeInfo, share: Any) -> None:
        _, _, sent, before, after, _ = share
        if not self._runs(edge.source, edge.target):
            return
        self.gathered[edge.tensor] = after
        self.events.append(
            Accumulated(
                edge.target,
                edge.id,
                edge.tensor,
                self.copied.label(edge.tensor),
                self._gradient(before),
                summarise(sent),
                summarise(after),
            )
        )

    def _met(self, target: str, came: bool) -> None:
        """Count one gradient as received; a node that waits for no other joins the queue."""
        node = self.graph.node(target)
        self.waiting[target] -= 1
        left, which = self.waiting[target], self._which(node)
        self.events.append(DependencyMet(target, node.name, left, came, which))
        if node.variable is not None and node.variable not in self.gathered:
            return  # AccumulateGrad does not run for a leaf that only got None
        if self.waiting[target] == 0:
            self._queue(node)
            queue = tuple(ready.id for ready in self.ready)
            self.events.append(Readied(target, node.name, queue))

    def _queue(self, node: NodeInfo) -> None:
        self.ready.append(node)
        self.ready.sort(key=lambda ready: -ready.sequence)

    def _which(self, node: NodeInfo) -> str:
        """The part that tells apart nodes of the same name in a sentence; "" for a unique name."""
        if self.copied.named[node.name] == 1:
            return ""
        tensor = node.variable or (node.outputs[0] if node.outputs else "")
        name = self.graph.tensor(tensor).name if tensor else None
        return f" of {name}" if name else f" · {node.sequence + 1}"

    # -- labels and values ------------------------------------------------------------------------

    def _saved(self, node: Node) -> Iterable[Saved]:
        """The values that a node holds in this pass."""
        items = self.again.get(node)
        if items is None:
            return self.graph.node(self.copied.node_ids[node]).saved
        return self.copied.saved(node, items)

    def _node(self, node: Any) -> tuple[str, str]:
        identity = self.copied.node_ids[node]
        return identity, self.graph.node(identity).name

    def _came(self, node: Node, grad: Any, last: str = ", ") -> tuple[Value | None, str]:
        """The incoming gradient, and the labels of the outputs that received one.

        last: what stands before the last of several labels.
        """
        outputs = self.copied.outputs(node)
        used = range(len(outputs))
        if node.many and grad is not None:
            used = [i for i in used if outputs[i] in self.gathered]
        *labels, label = [self.copied.label(outputs[i]) for i in used] or [""]
        label = last.join([", ".join(labels), label]) if labels else label
        if not node.many or grad is None:
            return self._gradient(grad), label
        values = [summarise(grad[i]) for i in used if grad[i] is not None]
        return values[0] if len(values) == 1 else together(values), label

    def _gradient(self, grad: Any) -> Value | None:
        return None if grad is None else summarise(grad)


def together(values: list[Value]) -> Value:
    """The gradients of several outputs as one text: "(1.0, 2.0)"."""
    text = f"({', '.join(value.text for value in values)})"
    return Value((), "tuple", text if len(text) <= LONGEST_TEXT else f"({len(values)} tensors)")


def why_now(first: bool, root: str, made: str, still_ready: int) -> str:
    """Why this node runs now, in one sentence."""
    if first:
        return f"It is the operation that made {root}."
    users = f"Every operation that uses {made} has sent its gradient"
    if still_ready:
        return f"{users}, and this node was made last of all ready nodes."
    return f"{users}."


def why_written(uses: int, leaf: str, still_ready: bool) -> str:
    """Why AccumulateGrad of a leaf runs now, in one sentence.

    uses: how many times the pass reaches the leaf. still_ready: whether operations are ready, too.

    >>> why_written(2, "x", True)
    'Both uses of x have sent their gradients, and AccumulateGrad runs before all operations.'
    """
    if uses == 0:
        return f"The pass starts at {leaf}."
    users = f"Both uses of {leaf}" if uses == 2 else f"All {uses} uses of {leaf}"
    sent = f"{users} have sent their gradients"
    if uses == 1:
        sent = f"The only use of {leaf} has sent its gradient"
    return f"{sent}, and AccumulateGrad runs before all operations." if still_ready else f"{sent}."
