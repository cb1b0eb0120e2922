"""These events are the forward pass: operations run one after another and save what backward needs.

During it the state holds `computed`, the tensors that have values so far, and `kept`, the values
that are saved so far, "n2.other". The last event removes both, because everything is computed then.

Read next: graph/events/node_steps.py
"""

from typing import Any

from graphlab.graph.events.event import (
    Equation,
    Event,
    Product,
    Span,
    Spans,
    State,
    done,
    event,
    listed,
    named,
    strong,
)
from graphlab.graph.model import NodeId, TensorId

MOST_LEAVES = 6  # that a sentence names


@event("story")
class ForwardBegan(Event):
    """The forward pass begins: only leaves and constants have values.

    In a recording, the results of operations of earlier passes have values as well.
    """

    title: str  # the result, "loss"
    roots: tuple[TensorId, ...]
    leaves: tuple[str, ...]  # names of the leaves that need a gradient
    operations: int  # how many will run
    there: tuple[TensorId, ...]  # the tensors that have values already
    held: int  # bytes of saved tensors that are held
    total: int  # bytes of all tensors that will have been saved
    equation: Equation
    number: int = 1  # of the backward pass that follows, counted from 1
    count: int = 1  # how many passes there are

    @property
    def caption(self) -> Spans:
        begun: Spans = (f"Pass {self.number} of {self.count}: the",) if self.count > 1 else ("The",)
        if not self.operations:
            return (*begun, " forward pass has nothing to do: ", named(self.title), " is a leaf.")
        many = "1 operation" if self.operations == 1 else f"{self.operations:,} operations"
        made = (*begun, " forward pass computes ", named(self.title), f" in {many}")
        if not self.leaves:
            return (*made, ".")
        word = "leaf" if len(self.leaves) == 1 else "leaves"
        return (*made, f", from the {word} ", *listed([*self.leaves], MOST_LEAVES), ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return self.roots

    def patch(self, state: State) -> dict[str, Any]:
        old = {
            part: dict.fromkeys(state[part])
            for part in ("status", "grads", "edges")
            if state.get(part)
        }
        gone = {part: None for part in ("current", "finished", "error") if part in state}
        queue: dict[str, Any] = {"queue": []} if state.get("queue") else {}
        there = dict.fromkeys(self.there, True)
        return {
            **{**old, **gone, **queue},
            **{"computed": there, "kept": {}, "held": self.held, "total": self.total},
        }


@event("node", focus=("node",))
class Computed(Event):
    """An operation ran: its results have values."""

    node: NodeId
    name: str
    tensors: tuple[TensorId, ...]  # its results
    inputs: tuple[TensorId, ...]
    to: str  # the label of the result, or of all results
    equation: Equation  # its formula in symbols and in numbers, and what it saves
    why: str  # a sentence: why it can run now
    told: tuple[Span, ...] = ()  # a description of a large result: " has shape (8, 3), …"
    product: Product | None = None  # of two matrices; None for other operations

    @property
    def caption(self) -> Spans:
        symbols, name = self.equation.symbols, named(self.to)
        head = symbols if symbols[:1] == (name,) else (name, " is computed")  # an expression
        numbers = self.equation.numbers
        if not self.told:
            return (*head, ": ", *numbers, ".")
        shapes = (": ", *numbers[:-2]) if len(numbers) > 2 else ()
        return (*head, *shapes, ". It", *self.told, ".")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node, *self.tensors)

    def patch(self, state: State) -> dict[str, Any]:
        status = {**done(state), self.node: "current"}
        made = dict.fromkeys(self.tensors, True)
        return {"current": self.node, "status": status, "computed": made}


@event("micro")
class SavedKept(Event):
    """A node saved a value for the backward pass, or needs none."""

    node: NodeId
    name: str
    saved: str  # "other"; "": it saves nothing
    text: str  # "b = 3.0"
    nbytes: int
    why: str  # "the rule for a needs it"

    @property
    def caption(self) -> Spans:
        if not self.saved:
            return (strong(self.name), f" saves nothing, because {self.why}.")
        what = ("value", f"{self.saved} = {self.text}", "saved:named")
        return (strong(self.name), " saves ", what, f", because {self.why}.")

    @property
    def focus(self) -> tuple[str, ...]:
        return (self.node, f"s:{self.node}.{self.saved}") if self.saved else (self.node,)

    def patch(self, state: State) -> dict[str, Any]:
        if not self.saved:
            return {}
        held = state.get("held", 0) + self.nbytes
        return {"kept": {f"{self.node}.{self.saved}": True}, "held": held}


@event("story", focus=("tensor",))
class ForwardFinished(Event):
    """Everything is computed, and the backward pass begins."""

    tensor: TensorId
    name: str
    text: str  # its value, "1.2"; "" if it is unknown
    held: int  # bytes of saved tensors that are held
    equation: Equation

    @property
    def caption(self) -> Spans:
        done, value = "The forward pass is done", ("value", self.text, self.tensor)
        ended = ". The backward pass starts here and visits the operations in reverse order."
        return (
            (f"{done}: ", named(self.name), " = ", value, ended) if self.text else (done + ended,)
        )

    def patch(self, state: State) -> dict[str, Any]:
        status = dict.fromkeys(state.get("status", ()))
        return {
            **{"current": None, "status": status, "computed": None, "kept": None},
            "held": self.held,
        }
