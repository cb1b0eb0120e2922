"""These events are the steps of a node: it reads what it saved, applies its rules, frees memory.

Read next: graph/events/forward.py
"""

from typing import Any

from graphlab.graph.codec import encode
from graphlab.graph.events.event import (
    Equation,
    Event,
    Product,
    Span,
    Spans,
    State,
    done,
    event,
    gradients,
    incoming,
    is_large,
    named,
    sent,
    shape_text,
    strong,
    told,
    with_gradient,
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
