"""A rehearsal: the backward pass is run for somebody who watches, and nothing is changed.

The engine tells the recorder what happens; each thing becomes an event. Gradients go into a
dictionary instead of `.grad`, saved tensors are kept, so the real pass can still be run.

Hooks that see a gradient on its way are run, as the backward of a Function is: what they pass on
is what the pass would go on with. Post-accumulate hooks are not: they work on a leaf whose
`.grad` was written, and a rehearsal writes none.

Read next: graph/timeline.py
"""

from collections import Counter
from typing import Any

import numpy as np

from graphlab.adapters.formulas import local_factor, written
from graphlab.adapters.names import Names, bracketed
from graphlab.adapters.native import Copied, target_node
from graphlab.autograd.backward import entering, execute
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node, unpack
from graphlab.errors import GraphFreedError
from graphlab.graph.events import (
    Accumulated,
    DependencyMet,
    Equation,
    Event,
    Finished,
    GradRetained,
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
from graphlab.graph.model import EdgeInfo, NodeInfo
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import LONGEST_TEXT, Value, summarise
from graphlab.tensor import Tensor


class Recorder:
    """Turns what the engine says into events about the copied graph."""

    def __init__(self, copied: Copied, title: str) -> None:
        self.copied = copied
        self.graph = copied.graph
        self.title = title  # what every gradient is the gradient of
        self.events: list[Event] = []
        self.gathered: dict[str, Any] = {}  # tensor id -> the gradient gathered so far
        self.waiting = Counter(edge.target for edge in self.graph.edges)
        self.uses = Counter(edge.tensor for edge in self.graph.edges)
        self.inputs_of = Counter((edge.source, edge.tensor) for edge in self.graph.edges)
        self.ready: list[NodeInfo] = []  # the next one first
        self.written = 0

    def begin(self, leaf: str) -> None:
        """The root is a leaf itself: its gradient arrives at once."""
        self.ready.append(self.graph.node(leaf))
        self._complete(self.graph.node(leaf))

    # -- what the engine says ------------------------------------------------------------------

    def entered(self, node: Node, grad: Any) -> None:
        identity, name = self._node(node)
        self.ready = [other for other in self.ready if other.id != identity]
        queue = tuple(other.id for other in self.ready)
        first = not any(isinstance(event, NodeEntered) for event in self.events)
        came, made = self._came(node, grad)
        why = why_now(first, self.title, made, len(queue)) if came is not None else ""
        self.events.append(NodeEntered(identity, name, came, queue, why))
        for tensor_id in self.copied.outputs(node):
            one = self.gathered.get(tensor_id)
            if self.graph.tensor(tensor_id).retains_grad and one is not None:
                self.events.append(self._retained(tensor_id, one))
        for saved in self.graph.node(identity).saved:
            if saved.value is not None:
                self.events.append(SavedUnpacked(identity, name, saved.name, saved.value.text))

    def applied(self, node: Node, grad: Any, made: Any, sent: Any) -> None:
        for index, target in enumerate(node._next):
            if target is None:
                continue
            edge = self.graph.edge(f"{self.copied.node_ids[node]}.{index}")
            if sent[index] is not None:
                self._sent(node, edge, grad, made[index], sent[index])
            self._met(edge.target, sent[index] is not None)
        identity, name = self._node(node)
        nbytes = sum(saved.nbytes for saved in self.graph.node(identity).saved)
        self.events.append(SavedFreed(identity, name, nbytes))
        for leaf in [other for other in self.ready if other.variable is not None]:
            self._complete(leaf)

    def hooked(self, item: Any, output: int, before: Any, after: Any) -> None:
        leaf = isinstance(item, Tensor)
        tensor = self.copied.tensors[item, 0] if leaf else self.copied.outputs(item)[output]
        if after is not None:
            self.gathered[tensor] = after
        label = self.copied.label(tensor)
        self.events.append(HookRan(tensor, label, self._gradient(before), self._gradient(after)))
        if leaf and after is not None:
            self._arrived(self.graph.node(self.copied.node_ids[item]))

    def _sent(self, node: Node, edge: EdgeInfo, grad: Any, made: Any, sent: Any) -> None:
        identity, name = self._node(node)
        to = self.copied.label(edge.tensor)
        upstream, _ = self._came(node, grad)
        assert upstream is not None, "a rule made a gradient of none"
        equation, phrase = self._equation(node, edge.index, grad, made, to)
        self.events.append(
            RuleApplied(
                identity,
                name,
                edge.id,
                edge.tensor,
                to,
                upstream,
                summarise(made),
                equation,
                phrase,
            )
        )
        if np.shape(made) != np.shape(sent):
            self.events.append(
                Reduced(identity, name, edge.id, edge.tensor, to, np.shape(made), summarise(sent))
            )
        before = self.gathered.get(edge.tensor)
        after = sent if before is None else before + sent
        self.gathered[edge.tensor] = after
        self.events.append(
            Accumulated(
                edge.target,
                edge.id,
                edge.tensor,
                to,
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
            self.ready.append(node)
            self.ready.sort(key=lambda ready: -ready.sequence)
            queue = tuple(ready.id for ready in self.ready)
            self.events.append(Readied(target, node.name, queue))

    def _complete(self, leaf: NodeInfo) -> None:
        """A leaf has its whole gradient; where there are hooks they see it first."""
        assert leaf.variable is not None, "only leaves arrive"
        if not sees(self.copied.live_leaf(leaf.variable)):
            self._arrived(leaf)

    def _arrived(self, leaf: NodeInfo) -> None:
        """A leaf has its whole gradient: AccumulateGrad runs before any other node."""
        self.ready.remove(leaf)
        tensor = leaf.variable
        assert tensor is not None, "only leaves arrive"
        grad = self.gathered[tensor]
        held = self.copied.live_leaf(tensor)._grad
        before = None if held is None else held._data
        after = grad if before is None else before + grad
        self.written += 1
        self.events.append(
            LeafWritten(
                leaf.id,
                tensor,
                self.copied.label(tensor),
                self._gradient(before),
                summarise(grad),
                summarise(after),
            )
        )

    def _retained(self, tensor: str, grad: Any) -> GradRetained:
        held = self.copied.graph.tensor(tensor).grad
        before = self.copied.retained.get(tensor)
        after = None if before is None else summarise(before + grad)
        return GradRetained(tensor, self.copied.label(tensor), summarise(grad), held, after)

    # -- words for it --------------------------------------------------------------------------

    def _node(self, node: Node) -> tuple[str, str]:
        return self.copied.node_ids[node], node.name()

    def _labels_of_outputs(self, node: Node) -> str:
        return ", ".join(self.copied.label(t) for t in self.copied.outputs(node))

    def _came(self, node: Node, grad: Any) -> tuple[Value | None, str]:
        """What flowed in, and the labels of the outputs where it did: of several, those used."""
        outputs = self.copied.outputs(node)
        if not node.many or grad is None:
            return self._gradient(grad), self._labels_of_outputs(node)
        used = [i for i, tensor in enumerate(outputs) if tensor in self.gathered]
        labels = ", ".join(self.copied.label(outputs[i]) for i in used)
        values = [summarise(grad[i]) for i in used]
        return values[0] if len(values) == 1 else together(values), labels

    def _gradient(self, grad: Any) -> Value | None:
        return None if grad is None else summarise(grad)

    def _equation(
        self, node: Node, index: int, grad: Any, contribution: Any, to: str
    ) -> tuple[Equation, tuple[Span, ...]]:
        """The chain rule for one edge in symbols and in numbers, and the rule in words."""
        value, made = self._came(node, grad)
        root, came, local = self.title, partial(self.title, made), partial(made, to)
        edge = self.graph.edge(f"{self.copied.node_ids[node]}.{index}")
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
        slope = summarise(self._local(node, rule, grad)).text
        plain = factor.lstrip("−").replace(".", "").isdigit() or factor.strip("()") == slope
        if plain and np.size(grad) != 1:  # the same number for every entry
            slope = factor.strip("()")
        numbers = (came_in, " × ", ("value", slope), " = ", result)
        if factor == "1":
            note = f"{local} = 1: the gradient passes unchanged"
            return Equation(symbols, numbers, note), ()
        note = f"{local} = {factor}{self._kept(node, rule)}"
        phrase: tuple[Span, ...] = (
            ("times ", ("value", factor)) if plain else ("times ", ("value", f"{factor} = {slope}"))
        )
        return Equation(symbols, numbers, note), phrase

    def _local(self, node: Node, rule: Any, upstream: Any) -> Any:
        """The local derivative: the rule, given the gradient 1."""
        op = node.op
        layout = (*op.inputs, *op.outputs, *op.options, *op.derived)
        values = dict(zip(layout, unpack(node), strict=True))
        words = rule.__code__.co_varnames[1 : rule.__code__.co_argcount]
        return rule(np.ones_like(upstream), *(values[word] for word in words))

    def _kept(self, node: Node, rule: Any) -> str:
        """Where the numbers of a rule come from: what was saved."""
        words = rule.__code__.co_varnames[1 : rule.__code__.co_argcount]
        saved = [s for s in self.graph.node(self.copied.node_ids[node]).saved if s.name in words]
        kept = [s for s in saved if s.value is not None]
        if not kept:
            return ""
        names = " and ".join(s.name for s in kept)
        return f" · saved as {names}"


def sees(leaf: Tensor) -> bool:
    """Whether hooks see the gradient of a leaf before it is written."""
    hooks = leaf._more.hooks if leaf._more is not None else None
    return hooks is not None and bool(hooks.tensor or hooks.pre)


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
    copied_names = names or Names()
    roots = entering(root, gradient, create_graph=False)
    copied = Copied(root, copied_names)
    if any(node._saved is None for node in copied.nodes):
        raise GraphFreedError(REHEARSE_FIRST)
    recorder = Recorder(copied, copied.label(copied.root))
    start = target_node(root._node)
    first = copied.node_ids[start if start is not None else root]
    recorder.events.append(Seeded(copied.root, first, recorder.title, summarise(roots[0][1])))
    recorder.gathered[copied.root] = roots[0][1]
    if start is None:
        recorder.begin(first)
    execute(roots, lambda leaf, grad: None, keep_graph=True, create_graph=False, observer=recorder)
    reached = "1 leaf" if recorder.written == 1 else f"{recorder.written} leaves"
    has = "its" if recorder.written == 1 else "their"
    recorder.events.append(
        Finished(recorder.written, f"The backward pass is done: {reached} got {has} gradient.")
    )
    return Timeline(copied.graph, tuple(recorder.events), title=recorder.title)
