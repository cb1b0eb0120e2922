"""What happens while a node runs, and when gradients arrive at nodes, leaves and hooks.

Read next: graph/events/passes.py
"""

from typing import Any, Literal

from graphlab.graph.codec import encode
from graphlab.graph.events.event import (
    Equation,
    Event,
    Level,
    Product,
    Span,
    Spans,
    State,
    done,
    entries,
    event,
    gradients,
    incoming,
    is_large,
    leaves,
    named,
    sent,
    shape_text,
    strong,
    sum_of,
    told,
    with_gradient,
    written,
)
from graphlab.graph.model import EdgeId, NodeId, TensorId
from graphlab.graph.value import Value

UNCHANGED = "the gradient passes unchanged"


@event("micro", focus=("node",))
class NodeEntered(Event):
    """The engine took the next node from its queue."""

    node: NodeId
    name: str
    gradient: Value | None
    queue: tuple[NodeId, ...]  # the nodes that are ready, in the order in which they will run
    why: str  # a sentence: why this node runs now

    @property
    def caption(self) -> Spans:
        if self.gradient is None:
            return (
                strong(self.name),
                " runs, but it has no gradient to send, because none arrived.",
            )
        received = with_gradient(" runs", self.gradient, "gradient")
        begun = (strong(self.name), *received, ".")
        return (*begun, f" {self.why}") if self.why else begun

    def patch(self, state: State) -> dict[str, Any]:
        status = {**done(state), self.node: "current"}
        return {"current": self.node, "status": status, "queue": list(self.queue)}


@event("micro")
class SavedUnpacked(Event):
    """A node read a value that it saved in the forward pass."""

    node: NodeId
    name: str
    saved: str  # "other"
    text: str  # "5.0"
    changed: bool = False  # in place, after it was saved

    @property
    def caption(self) -> Spans:
        what = ("value", f"{self.saved} = {self.text}", "saved:named")
        since = ", changed in place since" if self.changed else ""
        return (strong(self.name), f" reads what it saved in the forward pass{since}: ", what, ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node, f"s:{self.node}.{self.saved}")


@event("node", focus=("node", "edge", "tensor"))
class RuleApplied(Event):
    """A node computed the gradient of one input from that of its output: upstream times local."""

    node: NodeId
    name: str
    edge: EdgeId
    tensor: TensorId
    to: str  # label of the input whose gradient is computed
    upstream: Value
    contribution: Value
    equation: Equation
    phrase: tuple[Span, ...] = ()  # what the rule does: "times b = 3.0"
    product: Product | None = None  # of arrays; None for single numbers and for other rules

    @property
    def caption(self) -> Spans:
        begun = (strong(self.name), f" takes the incoming {gradients(self.upstream)}, ")
        came = (*begun, *incoming(self.upstream, "upstream"))
        rule = (", ", *self.phrase) if self.phrase else ()
        if is_large(self.contribution) and not self.phrase and self._is_unchanged:
            return (*came, ", and passes it unchanged to ", named(self.to), ".")
        made = sent(self.contribution, "contribution")
        return (*came, *rule, ", and passes ", *made, " to ", named(self.to), ".")

    @property
    def printed(self) -> str:
        note = "" if self.phrase or self._is_unchanged else self.equation.note
        return f"{self.sentence[:-1]}: {note}." if note else self.sentence

    @property
    def _is_unchanged(self) -> bool:
        """Whether the rule passes on what came. (The card of the equation tells other rules.)"""
        words = self.equation.note.partition("; summed from ")[0]
        return words.endswith(UNCHANGED) and self.contribution.shape == self.upstream.shape

    def patch(self, state: State) -> dict[str, Any]:
        return {"edges": {self.edge: encode(self.contribution)}}


@event("node", focus=("edge", "tensor"))
class Reduced(Event):
    """A gradient was summed back to the shape of an input that was broadcast."""

    node: NodeId
    name: str
    edge: EdgeId
    tensor: TensorId
    to: str
    shape_before: tuple[int, ...]
    value: Value

    @property
    def caption(self) -> Spans:
        why = f" was broadcast to {shape_text(self.shape_before)}, so its gradient is summed back: "
        return (named(self.to), why, "the sum", *told(self.value, "value"), ".")

    def patch(self, state: State) -> dict[str, Any]:
        return {"edges": {self.edge: encode(self.value)}}


@event("micro", focus=("node",))
class SavedFreed(Event):
    """A node is done, and freed what it had saved."""

    node: NodeId
    name: str
    nbytes: int

    @property
    def caption(self) -> Spans:
        if self.nbytes == 0:
            return (strong(self.name), " is done. It had saved no tensors.")
        what = "1 byte" if self.nbytes == 1 else f"{self.nbytes:,} bytes"
        return (strong(self.name), f" is done and frees its saved tensors ({what}).")

    def patch(self, state: State) -> dict[str, Any]:
        held = max(0, state.get("held", 0) - self.nbytes)
        return {"freed": {self.node: True}, "held": held}


# -- gradients arrive ---------------------------------------------------------------------------


@event(("node", "micro"), focus=("tensor", "edge"))
class Accumulated(Event):
    """A gradient arrived at a tensor, and was added to what had arrived there before.

    The player stops where gradients are summed, which is at tensors that are used more than once.
    """

    node: NodeId  # the receiver
    edge: EdgeId
    tensor: TensorId
    to: str
    before: Value | None
    added: Value
    after: Value

    @property
    def level(self) -> Level:  # type: ignore[override]
        return "micro" if self.before is None else "node"

    @property
    def caption(self) -> Spans:
        if self.before is None:
            if is_large(self.after):
                shape = shape_text(self.after.shape)
                return (f"A gradient of shape {shape} arrives at ", named(self.to), ".")
            came = entries(self.after, "after")
            return ("A gradient arrives at ", named(self.to), ": ", came, ".")
        came = ("Another gradient arrives at ", named(self.to), ", and they add up: ")
        if self.after.text.startswith("("):  # only its shape
            return (*came, "the sum", *told(self.after, "after"), ".")
        return (*came, *sum_of(self.before, self.added, self.after), ".")

    def patch(self, state: State) -> dict[str, Any]:
        return {"grads": {self.tensor: encode(self.after)}}


@event("micro", focus=("node",))
class DependencyMet(Event):
    """One of the gradients that a node waits for has arrived."""

    node: NodeId
    name: str
    remaining: int
    came: bool = True  # False: None was sent
    which: str = ""  # of several nodes with this name: " of t", or " · 4", if it was made 4th

    @property
    def caption(self) -> Spans:
        name = strong(self.name + self.which)
        said = "" if self.came else " is sent no gradient, and"
        if self.remaining == 0:
            return (name, f"{said} has received every gradient that it waits for.")
        more = "1 more gradient" if self.remaining == 1 else f"{self.remaining} more gradients"
        return (name, f"{said} waits for {more}.")

    def patch(self, state: State) -> dict[str, Any]:
        return {"deps": {self.node: self.remaining}}


@event("micro", focus=("node",))
class Readied(Event):
    """A node joined the ready queue."""

    node: NodeId
    name: str
    queue: tuple[NodeId, ...]

    @property
    def caption(self) -> Spans:
        place = self.queue.index(self.node) if self.node in self.queue else 0
        others = "1 other node" if place == 1 else f"{place} other nodes"
        then = " and is now first." if place == 0 else f" behind {others}."
        return (strong(self.name), " joins the ready queue", then)

    def patch(self, state: State) -> dict[str, Any]:
        return {"status": {self.node: "ready"}, "queue": list(self.queue)}


@event("story", focus=("tensor", "node"))
class LeafWritten(Event):
    """AccumulateGrad added to a leaf's `.grad`."""

    node: NodeId
    tensor: TensorId
    name: str
    before: Value | None
    added: Value
    after: Value
    why: str = ""  # a sentence: why AccumulateGrad runs now

    @property
    def caption(self) -> Spans:
        grad = named(f"{self.name}.grad")
        if self.before is None:
            reached = ("The gradient reaches the leaf ", named(self.name), ": ")
            return (*reached, grad, *told(self.after, "after"), ".")
        reached = ("The gradient reaches the leaf ", named(self.name), " and is added to ")
        if self.after.text.startswith("("):  # only its shape
            return (*reached, grad, ", which now", *told(self.after, "after"), ".")
        joined = sum_of(self.before, self.added, self.after, form=":list")
        return (*reached, grad, ": ", *joined, ".")

    def patch(self, state: State) -> dict[str, Any]:
        # AccumulateGrad has no NodeEntered event: it runs in this one step
        status = {**done(state), self.node: "current"}
        queue = [node for node in state.get("queue", ()) if node != self.node]
        now = leaves(state, {self.tensor: written(self.before, self.added, self.after)})
        return {**now, "current": self.node, "status": status, "queue": queue}


@event("story", focus=("tensor",))
class GradRetained(Event):
    """A tensor that is not a leaf kept its gradient, because of `retain_grad()`."""

    tensor: TensorId
    name: str
    value: Value
    before: Value | None = None  # its `.grad` from earlier passes
    after: Value | None = None  # the sum of both

    @property
    def caption(self) -> Spans:
        kept = (named(self.name), " keeps its gradient because of retain_grad()")
        grad, now = named(f"{self.name}.grad"), self.after
        if self.before is None:
            return (*kept, ": ", grad, *told(self.value, "value"), ".")
        if now is not None and now.shape and not now.text.startswith("["):
            return (*kept, ", added to ", grad, ", which now", *told(now, "after"), ".")
        return (*kept, ": ", *sum_of(self.before, self.value, now, added="value"), ".")

    def patch(self, state: State) -> dict[str, Any]:
        now = written(self.before, self.value, self.after or self.value)
        return leaves(state, {self.tensor: now})


@event("node", focus=("tensor",))
class HookRan(Event):
    """A hook of the user's received the gradient of a tensor, and may have replaced it."""

    tensor: TensorId
    name: str
    before: Value | None
    after: Value | None

    @property
    def caption(self) -> Spans:
        if self.before is None:
            return (
                "A hook on ",
                named(self.name),
                " is called with None, because no gradient arrived.",
            )
        saw = ("A hook on ", named(self.name), " receives its gradient, ")
        saw = (*saw, *incoming(self.before, "before"))
        if self.after == self.before:
            return (*saw, ", and leaves it unchanged.")
        now = ("no gradient",) if self.after is None else sent(self.after, "after")
        return (*saw, ", and replaces it with ", *now, ".")

    def patch(self, state: State) -> dict[str, Any]:
        return {} if self.after is None else {"grads": {self.tensor: encode(self.after)}}


@event("node", focus=("node",))
class HookCalled(Event):
    """A hook of a node was called, or one that runs after a leaf's `.grad` is written."""

    node: NodeId
    name: str
    where: Literal["pre", "node", "post"]
    changed: bool = False
    sent: tuple[tuple[EdgeId, Value], ...] = ()  # gradients that the hook changed

    def patch(self, state: State) -> dict[str, Any]:
        return {"edges": {edge: encode(value) for edge, value in self.sent}} if self.sent else {}

    @property
    def caption(self) -> Spans:
        what = {
            "pre": ("A pre-hook of ", "receives the gradient before the rules run"),
            "node": ("A hook of ", "receives the gradients that the node is about to send"),
            "post": ("A hook of ", "is called, because the gradient has been written"),
        }[self.where]
        changes = ", and replaces what it received" if self.changed else ""
        return (what[0], strong(self.name), f" {what[1]}{changes}.")
