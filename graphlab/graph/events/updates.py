"""These events happen between two passes: gradients are cleared, and tensors change.

Read next: graph/timeline.py
"""

from dataclasses import dataclass
from typing import Any, Literal

from graphlab.graph.codec import encode
from graphlab.graph.events.event import (
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


@event("story")
class GradCleared(Event):
    """The gradients of some tensors were set to None or to 0."""

    tensors: tuple[TensorId, ...]
    names: tuple[str, ...]
    zeros: tuple[Value, ...] = ()  # the new gradients, if they were set to 0
    source: Source | None = None

    @property
    def caption(self) -> Spans:
        grads = listed([f"{name}.grad" for name in self.names], MOST_NAMED)
        now = "set to 0" if self.zeros else "set to None"
        then = "adds to 0." if self.zeros else "starts from nothing."
        return (
            *grads,
            f" {'is' if len(self.names) == 1 else 'are'} {now}, so the next backward pass ",
            then,
        )

    @property
    def focus(self) -> tuple[str, ...]:
        return self.tensors

    def patch(self, state: State) -> dict[str, Any]:
        if not self.zeros:
            return without(self.tensors)
        pairs = zip(self.tensors, self.zeros, strict=False)
        return leaves(state, {tensor: alone(zero) for tensor, zero in pairs})


@event("story", focus=("tensor",))
class GradReplaced(Event):
    """The `.grad` of a tensor was assigned, or changed in place, for example by clipping."""

    tensor: TensorId
    name: str
    before: Value | None
    after: Value
    source: Source | None = None

    @property
    def caption(self) -> Spans:
        grad = named(f"{self.name}.grad")
        if self.before is None:
            return (grad, " is assigned: ", gradient(self.after, "after"), ".")
        told = change(f"{self.name}.grad", self.before, self.after, "gradient")
        if told[0] == grad:
            told = told[2:]
        return (grad, " is changed: ", *told, ".")

    def patch(self, state: State) -> dict[str, Any]:
        return leaves(state, {self.tensor: alone(self.after)})


@event(("story", "micro"), focus=("tensor",))
class ChangedInPlace(Event):
    """The data of a tensor was changed in place, which raises its version by one.

    If the graph recorded the change, another tensor of the graph has the new value, and this one
    still shows the old value.
    """

    tensor: TensorId
    name: str
    before: Value | None
    after: Value
    version: int
    source: Source | None = None
    counted: bool = True  # False: through `.data` or NumPy, which does not raise the version
    recorded: bool = False  # the graph has a node for the change
    by_layer: bool = False  # as a layer changes its running mean in each forward pass

    @property
    def level(self) -> Level:  # type: ignore[override]
        return "micro" if self.by_layer else "story"

    @property
    def caption(self) -> Spans:
        told = change(self.name, self.before, self.after)
        if told[0] == named(self.name):  # the sentence begins with it
            told = told[2:]
        same = ", but its version counter stays the same."
        version = f", version {self.version}." if self.counted else same
        return (named(self.name), " is changed in place: ", *told, version)

    def patch(self, state: State) -> dict[str, Any]:
        if self.recorded:
            return {"versions": {self.tensor: self.version}}
        return changed(((self.tensor, self.after, self.version),))


# why a step changed no entry of a parameter; "unknown": it did not, for another reason
Unchanged = Literal["", "lr", "gradient", "rounding", "unknown"]
ROOM = 256  # letters for what an optimizer changed
WHY = {
    "lr": ", because lr is 0",
    "gradient": ", because the gradient is 0",
    "rounding": ", because the step is lost to rounding",
    "unknown": "",
}


@dataclass(frozen=True, slots=True)
class Change:
    """How an optimizer changed one parameter. unchanged: why no entry changed; "": one did."""

    tensor: TensorId
    name: str
    before: Value | None
    after: Value
    version: int
    unchanged: Unchanged = ""


@event("story")
class OptimizerStepped(Event):
    """An optimizer changed its parameters."""

    optimizer: str  # "SGD"
    changes: tuple[Change, ...]
    source: Source | None = None
    elsewhere: int = 0  # other tensors that it changed, which no pass of the recording used
    settings: str = ""  # "lr=0.1, momentum=0.9"

    @property
    def caption(self) -> Spans:
        said = ("The optimizer (", strong(self.optimizer), ") takes a step")
        if not self.changes and self.elsewhere:
            return (*said, ", but it changes no parameter that a pass of this recording used.")
        if not self.changes:
            return (*said, ", but no parameter has a gradient, so nothing changes.")
        whys = {one.unchanged for one in self.changes}
        if len(whys) == 1 and "" not in whys:
            names = listed([one.name for one in self.changes], MOST_NAMED)
            return (*said, ", but no entry of ", *names, f" changes{WHY[whys.pop()]}.")
        parts: list[Span] = []
        said_of, room = 0, ROOM
        for k, one in enumerate(self.changes[:MOST_NAMED]):
            if one.unchanged:
                told = (named(one.name), f" does not change{WHY[one.unchanged]}")
            else:
                told = change(one.name, one.before, one.after, of=f"changes.{k}.")
            room -= sum(len(span if isinstance(span, str) else span[1]) for span in told)
            if parts and room < 0:
                break
            parts += [", " if parts else ": ", *told]
            said_of += 1
        more = len(self.changes) - said_of
        return (*said, *parts, f", and {more} more." if more > 0 else ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return tuple(one.tensor for one in self.changes)

    def patch(self, state: State) -> dict[str, Any]:
        return changed(tuple((one.tensor, one.after, one.version) for one in self.changes))


def changed(changes: tuple[tuple[str, Value, int], ...]) -> dict[str, Any]:
    """The part of a patch that sets the values and versions of tensors."""
    return {
        "values": {tensor: encode(after) for tensor, after, _ in changes},
        "versions": {tensor: version for tensor, _, version in changes},
    }
