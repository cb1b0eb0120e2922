"""An event is one thing that happened in a backward pass, in the past tense.

Each says what it is in words (`caption`), where to look (`focus`) and how the state changes
(`patch`, an RFC 7396 merge patch). An event is one dataclass here plus the line that emits it.

Three granularities over the same events: story ⊂ node ⊂ micro.

Read next: graph/timeline.py
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, dataclass_transform

from graphlab.graph.codec import encode
from graphlab.graph.model import EdgeId, NodeId, Source, TensorId
from graphlab.graph.value import Value

Level = Literal["story", "node", "micro"]
Span = str | tuple[str, str]  # plain text, or (role, text); roles: strong gradient value code name
Spans = tuple[Span, ...]
State = dict[str, Any]  # plain JSON; what is absent was not computed


@dataclass(frozen=True, slots=True)
class Equation:
    """A rule in symbols and the same rule in numbers."""

    symbols: tuple[Span, ...]
    numbers: tuple[Span, ...]
    note: str = ""


class Event(ABC):
    """What every event can say; `state` is the state before it."""

    __slots__ = ()
    level: ClassVar[Level]

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def sentence(self) -> str:
        """The caption as plain text."""
        return "".join(span if isinstance(span, str) else span[1] for span in self.caption)

    @property
    @abstractmethod
    def caption(self) -> Spans: ...

    @property
    @abstractmethod
    def focus(self) -> tuple[str, ...]: ...

    @abstractmethod
    def patch(self, state: State) -> dict[str, Any]: ...


EVENTS: dict[str, type[Event]] = {}
_E = TypeVar("_E", bound=Event)


@dataclass_transform(frozen_default=True)
def event(cls: type[_E]) -> type[_E]:
    """Make `cls` a frozen dataclass and let the codec read it under its name."""
    made = dataclass(frozen=True, slots=True)(cls)
    EVENTS[made.__name__] = made
    return made


def strong(text: str) -> Span:
    """What the sentence is about, such as a node."""
    return ("strong", text)


def gradient(value: Value | None) -> Span:
    """A gradient, in the colour of gradients."""
    return ("gradient", value.text if value is not None else "no gradient")


def named(text: str) -> Span:
    """A tensor, by its variable."""
    return ("name", text)


@event
class Seeded(Event):
    """The pass begins: the root's gradient with respect to itself."""

    level: ClassVar[Level] = "story"
    tensor: TensorId
    node: NodeId
    name: str
    value: Value

    @property
    def caption(self) -> Spans:
        said = "The backward pass starts at "
        return (said, named(self.name), ": its own gradient is ", gradient(self.value), ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor,)

    def patch(self, state: State) -> dict[str, Any]:
        grads = {self.tensor: encode(self.value)}
        return {"grads": grads, "status": {self.node: "ready"}, "queue": [self.node]}


@event
class NodeEntered(Event):
    """The engine took the next node from its queue."""

    level: ClassVar[Level] = "micro"
    node: NodeId
    name: str
    gradient: Value | None
    queue: tuple[NodeId, ...]  # still ready, in the order in which they will run
    why: str  # a sentence: why this node, and why now

    @property
    def caption(self) -> Spans:
        if self.gradient is None:
            return (strong(self.name), " runs, but no gradient came: it has none to send.")
        begun = (strong(self.name), " runs with the gradient ", gradient(self.gradient), ".")
        return (*begun, f" {self.why}") if self.why else begun

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node,)

    def patch(self, state: State) -> dict[str, Any]:
        status = {**_done(state), self.node: "current"}
        return {"current": self.node, "status": status, "queue": list(self.queue)}


@event
class SavedUnpacked(Event):
    """A node took out what it had saved in the forward pass."""

    level: ClassVar[Level] = "micro"
    node: NodeId
    name: str
    saved: str  # "other"
    text: str  # "5.0"

    @property
    def caption(self) -> Spans:
        what = ("value", f"{self.saved} = {self.text}")
        return (strong(self.name), " takes out what it saved in the forward pass: ", what, ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node, f"s:{self.node}.{self.saved}")

    def patch(self, state: State) -> dict[str, Any]:
        return {}


@event
class RuleApplied(Event):
    """A node turned the gradient of its output into that of one input: upstream x local."""

    level: ClassVar[Level] = "node"
    node: NodeId
    name: str
    edge: EdgeId
    tensor: TensorId
    to: str  # label of the tensor whose gradient is made
    upstream: Value
    contribution: Value
    equation: Equation
    phrase: tuple[Span, ...] = ()  # what the rule does, said between "takes 1.0," and "and hands"

    @property
    def caption(self) -> Spans:
        came = (strong(self.name), " takes the gradient that came in, ", gradient(self.upstream))
        rule = (", ", *self.phrase) if self.phrase else (",",)
        hands = (" and hands ", gradient(self.contribution), " to ", named(self.to), ".")
        return (*came, *rule, *hands)

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node, self.edge, self.tensor)

    def patch(self, state: State) -> dict[str, Any]:
        return {"edges": {self.edge: encode(self.contribution)}}


@event
class Reduced(Event):
    """A broadcast was undone: the contribution is summed back to its input's shape."""

    level: ClassVar[Level] = "micro"
    node: NodeId
    name: str
    edge: EdgeId
    tensor: TensorId
    to: str
    shape_before: tuple[int, ...]
    value: Value

    @property
    def caption(self) -> Spans:
        before, after = _shape_text(self.shape_before), _shape_text(self.value.shape)
        why = f" was broadcast, so its gradient is summed back from {before} to {after}: "
        return (named(self.to), why, gradient(self.value), ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.edge, self.tensor)

    def patch(self, state: State) -> dict[str, Any]:
        return {"edges": {self.edge: encode(self.value)}}


@event
class Accumulated(Event):
    """A contribution was added to what the receiver had already gathered.

    Where gradients meet, at a tensor that is used twice, it is worth a stop of its own.
    """

    levels: ClassVar[tuple[Level, ...]] = ("node", "micro")
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
            first = "The first gradient to reach "
            return (first, named(self.to), ": ", gradient(self.after), ".")
        joined = (gradient(self.before), " + ", gradient(self.added), " = ", gradient(self.after))
        return ("Another gradient reaches ", named(self.to), ": ", *joined, ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor, self.edge)

    def patch(self, state: State) -> dict[str, Any]:
        return {"grads": {self.tensor: encode(self.after)}}


@event
class DependencyMet(Event):
    """One of the gradients that a node waits for has come."""

    level: ClassVar[Level] = "micro"
    node: NodeId
    name: str
    remaining: int
    came: bool = True  # False: it was sent None

    @property
    def caption(self) -> Spans:
        said = "" if self.came else " is sent no gradient, and"
        if self.remaining == 0:
            return (strong(self.name), f"{said} has every gradient that it waited for.")
        more = "1 more gradient" if self.remaining == 1 else f"{self.remaining} more gradients"
        return (strong(self.name), f"{said} waits for {more}.")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node,)

    def patch(self, state: State) -> dict[str, Any]:
        return {"deps": {self.node: self.remaining}}


@event
class Readied(Event):
    """A node joined the ready queue."""

    level: ClassVar[Level] = "micro"
    node: NodeId
    name: str
    queue: tuple[NodeId, ...]

    @property
    def caption(self) -> Spans:
        place = self.queue.index(self.node) if self.node in self.queue else 0
        then = " and is next." if place == 0 else f", behind {place} that run before it."
        return (strong(self.name), " joins the ready queue", then)

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node,)

    def patch(self, state: State) -> dict[str, Any]:
        return {"status": {self.node: "ready"}, "queue": list(self.queue)}


@event
class LeafWritten(Event):
    """AccumulateGrad added to a leaf's `.grad`."""

    level: ClassVar[Level] = "story"
    node: NodeId
    tensor: TensorId
    name: str
    before: Value | None
    added: Value
    after: Value

    @property
    def caption(self) -> Spans:
        grad = named(f"{self.name}.grad")
        if self.before is None:
            return ("The leaf ", named(self.name), " is reached: ", grad, " is ",
                    gradient(self.after), ".")  # fmt: skip
        joined = (gradient(self.before), " + ", gradient(self.added), " = ", gradient(self.after))
        return ("The leaf ", named(self.name), " is reached: ", grad, " was not empty, so ",
                *joined, ".")  # fmt: skip

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor, self.node)

    def patch(self, state: State) -> dict[str, Any]:
        patch: dict[str, Any] = {
            "leaves": {self.tensor: _leaf(self.before, self.added, self.after)}
        }
        if state.get("current") != self.node:
            # nobody announced its turn: AccumulateGrad is the end of the node that sent to it
            patch["status"] = {self.node: "done"}
            if self.node in state.get("queue", ()):
                patch["queue"] = [node for node in state["queue"] if node != self.node]
        return patch


@event
class GradRetained(Event):
    """A tensor that is no leaf kept its gradient, as `retain_grad()` had asked."""

    level: ClassVar[Level] = "story"
    tensor: TensorId
    name: str
    value: Value
    before: Value | None = None  # what it had kept of earlier passes,
    after: Value | None = None  # and the sum

    @property
    def caption(self) -> Spans:
        kept = (named(self.name), " keeps its gradient, ", gradient(self.value))
        if self.before is None:
            return (*kept, ", because of retain_grad().")
        joined = (gradient(self.before), " + ", gradient(self.value), " = ", gradient(self.after))
        return (*kept, ", because of retain_grad(): ", *joined, ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor,)

    def patch(self, state: State) -> dict[str, Any]:
        return {"leaves": {self.tensor: _leaf(self.before, self.value, self.after or self.value)}}


@event
class HookRan(Event):
    """A hook of the user's saw the gradient of a tensor, and passed it or another one on."""

    level: ClassVar[Level] = "node"
    tensor: TensorId
    name: str
    before: Value | None
    after: Value | None

    @property
    def caption(self) -> Spans:
        if self.before is None:
            return ("A hook on ", named(self.name), " is called, though no gradient came.")
        saw = ("A hook on ", named(self.name), " sees its gradient, ", gradient(self.before))
        if self.after == self.before:
            return (*saw, ", and lets it pass.")
        return (*saw, ", and passes on ", gradient(self.after), " instead.")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor,)

    def patch(self, state: State) -> dict[str, Any]:
        return {} if self.after is None else {"grads": {self.tensor: encode(self.after)}}


@event
class SavedFreed(Event):
    """A node is done and let go of what it had saved."""

    level: ClassVar[Level] = "micro"
    node: NodeId
    name: str
    nbytes: int

    @property
    def caption(self) -> Spans:
        if self.nbytes == 0:
            return (strong(self.name), " is done; it had saved no tensor.")
        what = "1 byte" if self.nbytes == 1 else f"{self.nbytes:,} bytes"
        return (strong(self.name), f" is done and frees its saved tensors, {what}.")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node,)

    def patch(self, state: State) -> dict[str, Any]:
        held = max(0, state.get("held", 0) - self.nbytes)
        return {"freed": {self.node: True}, "held": held}


@event
class Finished(Event):
    """The queue is empty: every gradient is known."""

    level: ClassVar[Level] = "story"
    leaves: int
    message: str

    @property
    def caption(self) -> Spans:
        return (self.message,)

    @property
    def focus(self) -> tuple[str, ...]:
        return ()

    def patch(self, state: State) -> dict[str, Any]:
        return {"current": None, "status": _done(state), "queue": [], "finished": True}


@event
class Failed(Event):
    """The pass stopped at an error; `source` is the forward line that made the node."""

    level: ClassVar[Level] = "story"
    node: NodeId
    name: str
    message: str
    source: Source | None = None

    @property
    def caption(self) -> Spans:
        return (strong(self.name), " failed: ", self.message)

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node,)

    def patch(self, state: State) -> dict[str, Any]:
        error = {"message": self.message, "node": self.node}
        return {"error": error, "status": {self.node: "failed"}}


def _done(state: State) -> dict[str, str]:
    """The node that ran until now is done: only the next event shows that nothing follows."""
    current = state.get("current")
    return {} if current is None else {current: "done"}


def _leaf(before: Value | None, added: Value, after: Value) -> dict[str, Any]:
    # an absent `before` is null in a merge patch: it also wipes that of an earlier pass
    return {"before": encode(before), "added": encode(added), "after": encode(after)}


def _shape_text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) if shape else "one number"
