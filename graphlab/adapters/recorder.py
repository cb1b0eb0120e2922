"""From what was noted about a backward pass to its events, in words and formulas.

A rehearsal is a pass that is run for somebody who watches, and nothing is changed: gradients go
nowhere instead of into `.grad`, saved tensors are kept, so the real pass can still be run.

Hooks that see a gradient on its way are run, as the backward of a Function is: what they pass on
is what the pass would go on with. Post-accumulate hooks are not: they work on a leaf whose
`.grad` was written, and a rehearsal writes none.

Read next: adapters/recording.py
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from graphlab.adapters.formulas import local_factor, written
from graphlab.adapters.names import Names, bracketed
from graphlab.adapters.native import Copied, copy_of
from graphlab.adapters.watching import Fact, Watch, is_plain
from graphlab.autograd.backward import entering, execute
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.common.errors import GraphFreedError
from graphlab.graph.events import (
    Accumulated,
    DependencyMet,
    Equation,
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
    Span,
)
from graphlab.graph.events.base import shape_text
from graphlab.graph.log import Log
from graphlab.graph.model import EdgeInfo, NodeInfo, Saved
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import LONGEST_TEXT, Glimpse, Value, summarise
from graphlab.tensor.tensor import Tensor


class Teller:
    """Makes events of what was noted about one pass over the copied graph.

    log: where the events go. runs: the ids of the nodes that the pass comes to; None: all.
    aside: tells what the user's own code did meanwhile, in a hook.
    """

    def __init__(
        self,
        copied: Copied,
        title: str,
        log: Log,
        runs: set[str] | None = None,
        aside: Callable[[Any], None] | None = None,
    ) -> None:
        self.copied = copied
        self.graph = copied.graph
        self.title = title  # what every gradient is the gradient of
        self.events = log  # the first so many
        self.runs, self.aside = runs, aside
        self.frees = True  # whether the pass lets go of what nodes had saved
        self.freed: Collection[str] = ()  # nodes that an earlier pass has freed
        self.again: Mapping[Any, tuple[Any, ...]] = {}  # nodes -> what they hold now, where new
        self.gathered: dict[str, Glimpse] = {}  # tensor id -> the gradient gathered so far
        edges = [edge for edge in self.graph.edges if self._runs(edge.source, edge.target)]
        self.waiting = Counter(edge.target for edge in edges)
        self.uses = Counter(edge.tensor for edge in edges)
        self.inputs_of = Counter((edge.source, edge.tensor) for edge in edges)
        self.ready: list[NodeInfo] = []  # the next one first
        self.retained: list[GradRetained] = []  # told when their node is entered
        self.begun = False
        self.leaves: set[str] = set()  # that were written

    def tell(self, facts: Iterable[Fact]) -> None:
        """Make the events of all facts."""
        for what, *about in facts:
            getattr(self, what)(*about)

    # -- what was noted ------------------------------------------------------------------------

    def seeded(self, seeds: list[tuple[Any, Glimpse]]) -> None:
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
            label = self.copied.label(tensor)
            self.events.append(Seeded(tensor, node.id, label, summarise(grad), queue))

    def entered(self, node: Node, grad: Any) -> None:
        identity, name = self._node(node)
        self.ready = [other for other in self.ready if other.id != identity]
        queue = tuple(other.id for other in self.ready)
        came, made = self._came(node, grad)
        why = why_now(not self.begun, self.title, made, len(queue)) if came is not None else ""
        self.begun = True
        self.events.append(NodeEntered(identity, name, came, queue, why))
        self.events += self.retained
        self.retained = []
        for saved in () if identity in self.freed else self._saved(node):
            if saved.value is not None:
                self.events.append(SavedUnpacked(identity, name, saved.name, saved.value.text))
        self.came = grad

    def applied(self, node: Node, shares: list[Any], hooked: bool | None) -> None:
        identity, name = self._node(node)
        edges = [(self._edge(identity, k), share) for k, share in enumerate(shares)]
        edges = [(edge, share) for edge, share in edges if edge is not None]
        sent = [(edge, share) for edge, share in edges if share is not None]
        if hooked is not None:  # hooks see what all rules made
            for edge, share in sent:
                self._rule(node, edge, share)
            self.events.append(HookCalled(identity, name, "node", hooked))
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

    def hooked(self, key: Any, before: Glimpse | None, after: Glimpse | None) -> None:
        tensor = self.copied.tensors[key]
        if after is not None:
            self.gathered[tensor] = after
        label = self.copied.label(tensor)
        self.events.append(HookRan(tensor, label, self._gradient(before), self._gradient(after)))

    def seen(self, item: Any, where: Any, changed: bool) -> None:
        identity, name = self._node(item)
        self.events.append(HookCalled(identity, name, where, changed))

    def wrote(self, key: Any, before: Any, grad: Glimpse, after: Glimpse) -> None:
        tensor = self.copied.tensors[key]
        label, was = self.copied.label(tensor), self._gradient(before)
        if not isinstance(key[0], Tensor):
            total = None if was is None else summarise(after)
            self.retained.append(GradRetained(tensor, label, summarise(grad), was, total))
            return
        node = self.copied.node_ids[key[0]]
        self.ready = [other for other in self.ready if other.id != node]
        self.leaves.add(tensor)
        self.events.append(LeafWritten(node, tensor, label, was, summarise(grad), summarise(after)))

    def noted(self, entry: Any) -> None:
        if self.aside is not None:
            self.aside(entry)

    def failed(self, item: Any, message: str, undone: list[Any], hook: Any) -> None:
        identity, name = self._node(item)
        back = tuple((self.copied.tensors[key], self._gradient(grad)) for key, grad in undone)
        source = self.graph.node(identity).source
        failed = Failed(identity, name, message, source, back)
        if hook is not None:
            where, key, called = hook
            on = self.copied.label(self.copied.tensors[key]) if where == "tensor" else ""
            failed = replace(failed, hook=called, where=where, on=on)
        self.events.append(failed)

    def ended(self, returned: list[Any]) -> None:
        self.events += self.retained  # of a node whose rules were not needed
        told = []
        for key, grad in returned:
            tensor = self.copied.tensors[key]
            if grad is not None and tensor not in told:
                told.append(tensor)
                label = self.copied.label(tensor)
                self.events.append(GradReturned(tensor, label, summarise(grad)))
        count = len(told) if returned else len(self.leaves)
        if returned:
            what = "1 gradient is" if count == 1 else f"{count} gradients are"
            message = f"autograd.grad is done: {what} handed back, and no .grad has changed."
        else:
            reached = "1 leaf" if count == 1 else f"{count} leaves"
            has = "its" if count == 1 else "their"
            message = f"The backward pass is done: {reached} got {has} gradient."
        self.events.append(Finished(count, message))

    # -- pieces of it --------------------------------------------------------------------------

    def _runs(self, *nodes: str) -> bool:
        return self.runs is None or all(node in self.runs for node in nodes)

    def _edge(self, node: str, index: int) -> EdgeInfo | None:
        identity = f"{node}.{index}"
        return self.graph.edge(identity) if self.graph.has("edge", identity) else None

    def _rule(self, node: Node, edge: EdgeInfo, share: Any) -> None:
        made, sent, _, _, slope = share
        identity, name = self._node(node)
        to = self.copied.label(edge.tensor)
        upstream, _ = self._came(node, self.came)
        assert upstream is not None, "a rule made a gradient of none"
        equation, phrase = self._equation(node, edge, made, slope, to)
        if made.shape != sent.shape:
            equation = summed(equation, made.shape, summarise(sent), to)
        came = summarise(made)
        self.events.append(
            RuleApplied(identity, name, edge.id, edge.tensor, to, upstream, came, equation, phrase)
        )
        if made.shape != sent.shape:
            self.events.append(
                Reduced(identity, name, edge.id, edge.tensor, to, made.shape, summarise(sent))
            )

    def _accumulate(self, edge: EdgeInfo, share: Any) -> None:
        _, sent, before, after, _ = share
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
        """One gradient less to wait for; at 0 the node joins the queue."""
        node = self.graph.node(target)
        self.waiting[target] -= 1
        self.events.append(DependencyMet(target, node.name, self.waiting[target], came))
        if node.variable is not None and node.variable not in self.gathered:
            return  # a leaf to which only None was sent is never reached
        if self.waiting[target] == 0:
            self._queue(node)
            queue = tuple(ready.id for ready in self.ready)
            self.events.append(Readied(target, node.name, queue))

    def _queue(self, node: NodeInfo) -> None:
        self.ready.append(node)
        self.ready.sort(key=lambda ready: -ready.sequence)

    # -- words for it --------------------------------------------------------------------------

    def _saved(self, node: Node) -> Iterable[Saved]:
        """What a node holds, in this pass."""
        items = self.again.get(node)
        if items is None:
            return self.graph.node(self.copied.node_ids[node]).saved
        return self.copied.saved(node, items)

    def _node(self, node: Any) -> tuple[str, str]:
        identity = self.copied.node_ids[node]
        return identity, self.graph.node(identity).name

    def _labels_of_outputs(self, node: Node) -> str:
        return ", ".join(self.copied.label(t) for t in self.copied.outputs(node))

    def _came(self, node: Node, grad: Any) -> tuple[Value | None, str]:
        """What flowed in, and the labels of the outputs where it did: of several, those used."""
        outputs = self.copied.outputs(node)
        if not node.many or grad is None:
            return self._gradient(grad), self._labels_of_outputs(node)
        used = [i for i, tensor in enumerate(outputs) if tensor in self.gathered]
        labels = ", ".join(self.copied.label(outputs[i]) for i in used)
        values = [summarise(grad[i]) for i in used if grad[i] is not None]
        return values[0] if len(values) == 1 else together(values), labels

    def _gradient(self, grad: Any) -> Value | None:
        return None if grad is None else summarise(grad)

    def _equation(
        self, node: Node, edge: EdgeInfo, contribution: Glimpse, slope: Glimpse | None, to: str
    ) -> tuple[Equation, tuple[Span, ...]]:
        """The chain rule for one edge in symbols and in numbers, and the rule in words."""
        value, made = self._came(node, self.came)
        index = edge.index
        root, came, local = self.title, partial(self.title, made), partial(made, to)
        if self.inputs_of[edge.source, edge.tensor] > 1:  # a*a: the slope through this input alone
            words = list(node.op.rules)
            word = words[index] if index < len(words) else f"(input {index})"
            local = f"∂{bracketed(made)}/∂{word}"
        # a tensor that is used more than once gets a share from each use
        equals = " = " if self.uses[edge.tensor] == 1 else " gets "
        symbols: tuple[Span, ...] = (
            partial(root, to),
            equals,
            ("gradient", came),
            " · ",
            ("value", local),
        )
        result: Span = ("gradient", summarise(contribution).text)
        came_in: Span = ("gradient", value.text if value is not None else "None")
        if isinstance(node, Context):
            note = f"{node.function.__name__}.backward, which you wrote"
            return Equation(symbols, (came_in, " → ", result), note), ()
        op, rules = node.op, list(node.op.rules.values())
        rule = rules[0 if op.variadic else min(index, len(rules) - 1)]
        names, options = self.copied.names_of_inputs(node), self.copied.options(node)
        factor = local_factor(rule, names, options) if op.pointwise else ""
        if not factor:
            text = written(rule, {**names, "grad": came}, options)
            shown: tuple[Span, ...] = (partial(root, to), equals, text) if text else symbols
            note = op.phrase or f"the rule of {node.name()}"
            return Equation(shown, (came_in, " → ", result), note), ()
        number = factor if slope is None else summarise(slope).text
        plain = is_plain(factor) or factor.strip("()") == number
        if plain and value is not None and math.prod(value.shape) != 1:  # the same for every entry
            number = factor
        number = number.strip("()")
        numbers = (came_in, " × ", ("value", number), " = ", result)
        if factor == "1":
            note = f"{local} = 1: the gradient passes unchanged"
            return Equation(symbols, numbers, note), ()
        note = f"{local} = {factor}{self._kept(node, rule)}"
        shown_factor = factor if plain else f"{factor} = {number}"
        phrase: tuple[Span, ...] = ("times ", ("value", shown_factor))
        return Equation(symbols, numbers, note), phrase

    def _kept(self, node: Node, rule: Any) -> str:
        """Where the numbers of a rule come from: what was saved."""
        words = rule.__code__.co_varnames[1 : rule.__code__.co_argcount]
        saved = [s for s in self.graph.node(self.copied.node_ids[node]).saved if s.name in words]
        kept = [s for s in saved if s.value is not None]
        if not kept:
            return ""
        names = " and ".join(s.name for s in kept)
        return f" · saved as {names}"


def summed(rule: Equation, shape: tuple[int, ...], to: Value, name: str) -> Equation:
    """The equation of a rule whose result is then summed back to what was broadcast."""
    symbols = (*rule.symbols[:2], "Σ ", *rule.symbols[2:])
    numbers = (*rule.numbers, ", Σ = ", ("gradient", to.text))
    shapes = f"summed from {shape_text(shape)} to {shape_text(to.shape)}"
    return Equation(symbols, numbers, f"{rule.note}; {shapes}, for {name} was broadcast")


def partial(of: str, by: str) -> str:
    """∂of/∂by, in brackets where a name is an expression."""
    return f"∂{bracketed(of)}/∂{bracketed(by)}"


def together(values: list[Value]) -> Value:
    """Gradients of several outputs as one thing to speak of: "(1.0, 2.0)"."""
    text = f"({', '.join(value.text for value in values)})"
    return Value((), "tuple", text if len(text) <= LONGEST_TEXT else f"{len(values)} gradients")


def why_now(first: bool, root: str, made: str, still_ready: int) -> str:
    """Why this node runs now: the sentence behind "runs with the gradient"."""
    if first:
        return f"It is the node that made {root}."
    users = f"Every user of {made} has sent its gradient"
    if still_ready:
        return f"{users}, and of the nodes that are ready it was made last."
    return f"{users}."


REHEARSE_FIRST = (
    " (A rehearsal needs the saved tensors too: run the formula again, and trace it before its "
    "backward pass.)"
)


def rehearse(root: Tensor, gradient: Tensor | None = None, names: Names | None = None) -> Timeline:
    """What `root.backward(gradient)` would do, step by step; tensors and graph stay as they are.

    Raises: what `backward` raises: RuntimeError when `root` needs no gradient or the gradient does
    not fit, and when the graph was freed or a saved tensor changed.
    """
    roots = entering(root, gradient, create_graph=False)
    copied = copy_of(root, names or Names())
    if any(node._saved is None for node in copied.nodes):
        raise GraphFreedError(REHEARSE_FIRST)
    watch, title = Watch(), copied.label(copied.root)
    execute(roots, lambda leaf, grad: None, keep_graph=True, create_graph=False, observer=watch)
    log = Log()
    Teller(copied, title, log).tell(watch.facts)
    live = copied.arrays()
    return Timeline(copied.graph, tuple(log), title=title, notice=log.notice, live=live)
