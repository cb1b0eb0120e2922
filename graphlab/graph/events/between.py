"""What happens to tensors between two passes: gradients are cleared, values change in place.

Read next: graph/timeline.py
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from graphlab.graph.codec import encode
from graphlab.graph.events.base import (
    MOST_NAMED,
    Event,
    Level,
    Span,
    Spans,
    State,
    alone,
    change,
    event,
    gradient,
    leaves,
    listed,
    named,
    strong,
    without,
)
from graphlab.graph.model import Source, TensorId
from graphlab.graph.value import Value


@event
class GradCleared(Event):
    """The gradients of some tensors were forgotten (`x.grad = None`), or set to 0."""

    level: ClassVar[Level] = "story"
    tensors: tuple[TensorId, ...]
    names: tuple[str, ...]
    zeros: tuple[Value, ...] = ()  # what each is now, where they were set to 0
    source: Source | None = None

    @property
    def caption(self) -> Spans:
        grads = listed([f"{name}.grad" for name in self.names], MOST_NAMED)
        now = "set to 0" if self.zeros else "cleared: None"
        then = "the next backward pass adds to 0." if self.zeros else "the next pass starts afresh."
        return (*grads, f" {'is' if len(self.names) == 1 else 'are'} {now}, so that ", then)

    @property
    def focus(self) -> tuple[str, ...]:
        return self.tensors

    def patch(self, state: State) -> dict[str, Any]:
        if not self.zeros:
            return without(self.tensors)
        pairs = zip(self.tensors, self.zeros, strict=False)
        return leaves(state, {tensor: alone(zero) for tensor, zero in pairs})


@event
class GradReplaced(Event):
    """Somebody gave a tensor another gradient, or changed it in place, as clipping does."""

    level: ClassVar[Level] = "story"
    tensor: TensorId
    name: str
    before: Value | None
    after: Value
    source: Source | None = None

    @property
    def caption(self) -> Spans:
        grad = named(f"{self.name}.grad")
        if self.before is None:
            return (grad, " is given by hand: ", gradient(self.after), ".")
        told = change(f"{self.name}.grad", self.before, self.after, "gradient")
        if told[0] == grad:
            told = told[2:]
        return (grad, " is changed: ", *told, ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor,)

    def patch(self, state: State) -> dict[str, Any]:
        return leaves(state, {self.tensor: alone(self.after)})


@event
class ChangedInPlace(Event):
    """The data of a tensor was written over: its version goes up by one.

    Where the change is recorded, another tensor of the graph has the new value and goes on from it;
    this one shows what it was.
    """

    level: ClassVar[Level] = "story"
    tensor: TensorId
    name: str
    before: Value | None
    after: Value
    version: int
    source: Source | None = None
    counted: bool = True  # False: through `.data` or NumPy, which the version does not count
    recorded: bool = False  # the graph goes on with the result of the change

    @property
    def caption(self) -> Spans:
        told = change(self.name, self.before, self.after)
        if told[0] == named(self.name):  # which the sentence has said already
            told = told[2:]
        version = f", version {self.version}." if self.counted else ", and no version counts it."
        return (named(self.name), " is changed in place: ", *told, version)

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.tensor,)

    def patch(self, state: State) -> dict[str, Any]:
        if self.recorded:
            return {"versions": {self.tensor: self.version}}
        return changed(((self.tensor, self.after, self.version),))


@dataclass(frozen=True, slots=True)
class Change:
    """What an optimizer made of one parameter."""

    tensor: TensorId
    name: str
    before: Value | None
    after: Value
    version: int


@event
class OptimizerStepped(Event):
    """An optimizer changed its parameters, each against its gradient."""

    level: ClassVar[Level] = "story"
    optimizer: str  # "SGD"
    changes: tuple[Change, ...]
    source: Source | None = None

    @property
    def caption(self) -> Spans:
        said = ("The optimizer (", strong(self.optimizer), ") takes a step")
        if not self.changes:
            return (*said, ", but no parameter had a gradient: nothing changes.")
        parts: list[Span] = []
        for one in self.changes[:MOST_NAMED]:
            parts += [", " if parts else ": ", *change(one.name, one.before, one.after)]
        more = len(self.changes) - MOST_NAMED
        return (*said, *parts, f", and {more} more." if more > 0 else ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return tuple(one.tensor for one in self.changes)

    def patch(self, state: State) -> dict[str, Any]:
        return changed(tuple((one.tensor, one.after, one.version) for one in self.changes))


def changed(changes: tuple[tuple[str, Value, int], ...]) -> dict[str, Any]:
    """The values and versions of tensors from now on."""
    return {
        "values": {tensor: encode(after) for tensor, after, _ in changes},
        "versions": {tensor: version for tensor, _, version in changes},
    }
