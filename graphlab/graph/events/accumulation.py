"""These events happen when gradients arrive: they are summed, and nodes, leaves and hooks get them.

Read next: graph/events/passes.py
"""

from typing import Any, Literal

from graphlab.graph.codec import encode
from graphlab.graph.events.event import (
    Event,
    Level,
    Spans,
    State,
    done,
    entries,
    event,
    incoming,
    is_large,
    leaves,
    named,
    sent,
    shape_text,
    strong,
    sum_of,
    told,
    written,
)
from graphlab.graph.model import EdgeId, NodeId, TensorId
from graphlab.graph.value import Value


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
