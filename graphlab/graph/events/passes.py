"""These events are the forward pass, and the beginning and the end of a backward pass.

In a forward pass operations run one after another and save what the backward pass needs. During it
the state holds `computed`, the tensors that have values so far, and `kept`, the values that are
saved so far, "n2.other". The last event removes both, because everything is computed then.

Read next: graph/events/node_steps.py
"""

from typing import Any, Literal

from graphlab.graph.codec import encode
from graphlab.graph.events.event import (
    MOST_NAMED,
    Equation,
    Event,
    Product,
    Span,
    Spans,
    State,
    alone,
    done,
    entries,
    event,
    is_large,
    is_weighed,
    listed,
    named,
    sent,
    shape_text,
    strong,
    with_gradient,
    without,
)
from graphlab.graph.model import NodeId, Source, TensorId
from graphlab.graph.value import Value

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


def first_sentence(message: str) -> str:
    """The first sentence of a long message, without the hints after it.

    >>> first_sentence("It is at version 1; expected version 0 instead. Hint: enable ...")
    'It is at version 1; expected version 0 instead.'
    """
    end = message.find(". ")
    return message if end < 0 else message[: end + 1]


@event("story")
class PassBegan(Event):
    """A recorded backward pass begins; what earlier passes left on nodes and edges is cleared.

    The gradients of leaves stay, because they accumulate over the passes.
    """

    number: int  # of this pass, counted from 1
    count: int  # how many passes there are
    title: str  # "loss"
    roots: tuple[TensorId, ...]
    waits: tuple[tuple[NodeId, int], ...]  # nodes, and the number of gradients each waits for
    held: int  # bytes of saved tensors that are still held
    total: int  # bytes of all tensors that were saved
    holding: tuple[tuple[TensorId, Value], ...] = ()  # leaves, and their `.grad` before the pass
    full: tuple[str, ...] = ()  # names of leaves whose `.grad` is not empty
    call: Literal["backward", "grad"] = "backward"
    keeps_graph: bool = False
    creates_graph: bool = False
    source: Source | None = None  # the line that called backward or grad

    @property
    def caption(self) -> Spans:
        begun: Spans = (f"Pass {self.number} of {self.count}: ",) if self.count > 1 else ()
        if self.call == "grad":
            begun = (*begun, "autograd.grad is called on ", named(self.title))
        else:
            begun = (*begun, "backward() is called on ", named(self.title))
        if self.creates_graph:
            begun = (*begun, "; the pass itself is recorded (create_graph)")
        elif self.keeps_graph:
            begun = (*begun, "; the graph is kept for another pass (retain_graph)")
        if not self.full:
            return (*begun, ".")
        them = "it" if len(self.full) == 1 else "them"
        grads = listed([f"{name}.grad" for name in self.full], MOST_NAMED)
        verb = "is" if len(self.full) == 1 else "are"
        return (*begun, ". ", *grads, f" {verb} not empty: the pass will add to {them}.")

    @property
    def focus(self) -> tuple[str, ...]:
        return self.roots

    def patch(self, state: State) -> dict[str, Any]:
        fresh: dict[str, Any] = {
            part: dict.fromkeys(state.get(part, ()))
            for part in ("status", "deps", "grads", "edges", "cleared")
        }
        fresh["deps"].update(self.waits)
        if "returned" in state:
            fresh["returned"] = None
        # of an earlier pass, only the sum is kept
        given: dict[str, Any] = {
            leaf: {"before": None, "added": None} for leaf in state.get("leaves", ())
        }
        given.update({tensor: alone(value) for tensor, value in self.holding})
        return {
            **fresh,
            **({"leaves": given} if given else {}),
            **{"current": None, "queue": [], "finished": None, "error": None},
            **{"held": self.held, "total": self.total},
        }


@event("story", focus=("tensor",))
class Seeded(Event):
    """The pass starts at its root with the gradient that enters there, by default 1."""

    tensor: TensorId
    node: NodeId
    name: str
    value: Value
    queue: tuple[NodeId, ...] | None = None  # with several roots: the nodes that are ready

    @property
    def caption(self) -> Spans:
        start = ("The backward pass starts at ", named(self.name))
        if not is_weighed(self.value):
            return (*start, *with_gradient("", self.value, "value"), ".")
        if is_large(self.value):
            return (*start, f" with given weights of shape {shape_text(self.value.shape)}.")
        weights = "weights" if self.value.entries else "weight"
        return (*start, f" with the given {weights} ", entries(self.value, "value"), ".")

    def patch(self, state: State) -> dict[str, Any]:
        grads = {self.tensor: encode(self.value)}
        queue = [self.node] if self.queue is None else list(self.queue)
        status = {self.node: "ready"} if self.node in queue else {}
        return {"grads": grads, "status": status, "queue": queue}


@event("story", focus=("tensor",))
class GradReturned(Event):
    """`autograd.grad` returned a gradient, and did not change `.grad`."""

    tensor: TensorId
    name: str
    value: Value

    @property
    def caption(self) -> Spans:
        back = (" is returned: ", *sent(self.value, "value"), ". ", named(f"{self.name}.grad"))
        return ("The gradient of ", named(self.name), *back, " does not change.")

    def patch(self, state: State) -> dict[str, Any]:
        return {"grads": {self.tensor: encode(self.value)}, "returned": {self.tensor: True}}


@event("story")
class Finished(Event):
    """The queue is empty, and every gradient is known."""

    leaves: int
    message: str

    @property
    def caption(self) -> Spans:
        return (self.message,)

    def patch(self, state: State) -> dict[str, Any]:
        return {"current": None, "status": done(state), "queue": [], "finished": True}


@event("story", focus=("node",))
class Failed(Event):
    """The pass stopped at an error; `source` is the forward line that made the node.

    The error may come from a hook of the user's that is registered on the node.
    """

    node: NodeId
    name: str
    message: str
    source: Source | None = None
    undone: tuple[tuple[TensorId, Value | None], ...] = ()  # leaves, and their `.grad` again
    kept: tuple[NodeId, ...] = ()  # nodes that ran, and have their saved tensors still
    held: int = 0  # bytes of saved tensors that are held
    hook: str = ""  # the name of the hook that raised the error; "": not a hook
    where: Literal["", "tensor", "pre", "node", "post"] = ""  # when the hook was called
    on: str = ""  # the tensor that it was registered on, where it sees a tensor's gradient
    why: str = ""  # what another line did to make the pass fail; "": not known
    cause: Source | None = None  # that line

    @property
    def reason(self) -> str:
        """Where the pass failed and why, in a few words, with the line to look at."""
        said = [first_sentence(self.message).rstrip("."), self.why]
        line = self.cause or self.source
        at = f", line {line.line}: {line.text}" if line else ""
        return f"failed at {self.name}: {'. '.join(filter(None, said))}{at}"

    @property
    def caption(self) -> Spans:
        failed = (" failed: ", first_sentence(self.message))
        if not self.hook:
            return (strong(self.name), *failed)
        kind = "The pre-hook " if self.where == "pre" else "The hook "
        hook = (kind, ("code", self.hook))
        if self.on:
            return (
                *hook,
                " on ",
                named(self.on),
                ", which belongs to ",
                strong(self.name),
                ",",
                *failed,
            )
        return (*hook, " of ", strong(self.name), *failed)

    def patch(self, state: State) -> dict[str, Any]:
        error = {"message": self.message, "node": self.node}
        patch: dict[str, Any] = {"error": error, "current": self.node}
        # hooks run before their node is entered, so another node was current until now
        patch["status"] = {**done(state), self.node: "failed"}
        patch["queue"] = [node for node in state.get("queue", ()) if node != self.node]
        if self.kept:
            patch.update(freed=dict.fromkeys(self.kept), held=self.held)
        if self.undone:
            back = {tensor: alone(value) for tensor, value in self.undone if value is not None}
            empty = without([tensor for tensor, value in self.undone if value is None])
            patch["leaves"] = {**empty["leaves"], **back}
            patch["cleared"] = empty["cleared"]
        return patch
