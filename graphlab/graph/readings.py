"""Readings give what a timeline holds by name: events, gradients and saved values.

A state maps ids to text. These methods take the names of variables and return plain numbers.

Read next: graph/timeline.py
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, SupportsIndex

from graphlab.common.errors import described
from graphlab.common.notebook import registered
from graphlab.graph.codec import PickledAsJson, decode
from graphlab.graph.events import (
    EVENTS,
    Event,
    ForwardBegan,
    ForwardFinished,
    OptimizerStepped,
    PassBegan,
    State,
)
from graphlab.graph.model import Graph, NodeInfo
from graphlab.graph.series import magnitude, number_of, series
from graphlab.graph.value import Value

Nested = float | complex | list[Any]
TOTAL = "total"
MOST = 30  # names that an error lists


class Readings(PickledAsJson):
    """The methods of a Timeline that take names."""

    graph: Graph
    events: tuple[Event, ...]

    def state_at(self, k: SupportsIndex) -> State:
        raise NotImplementedError  # implemented by Timeline

    def _place(self, k: SupportsIndex) -> int:
        raise NotImplementedError  # implemented by Timeline

    def __str__(self) -> str:
        """The end of the walk as text, as a terminal shows it."""
        text = registered("Timeline.text")
        return repr(self) if text is None else text(self)

    def find(
        self,
        kind: str | None = None,
        *,
        tensor: str | None = None,
        node: str | None = None,
        pass_number: int | None = None,
        after: SupportsIndex | None = None,
    ) -> tuple[int, ...]:
        """The indexes of all events that fit every argument, in order; () if there is none.

        kind: the `kind` of the event, "LeafWritten". tensor: the name of the tensor that the event
        is about, "w". node: a node's name, "MulBackward0", or its id, "n2". pass_number: the number
        of the pass, counted from 1 as in the player; events between two passes belong to the
        earlier one. after: the index of an event; only later events are searched.
        Raises: ValueError that lists the choices, for an unknown kind, tensor, node or pass;
        IndexError when there is no event `after`; TypeError for an argument of a wrong type.

        >>> import graphlab
        >>> a = graphlab.tensor(2.0, requires_grad=True)
        >>> b = graphlab.tensor(3.0, requires_grad=True)
        >>> timeline = graphlab.trace(a * b)
        >>> timeline.find("LeafWritten")
        (13, 14)
        >>> [k] = timeline.find("LeafWritten", tensor="b")
        >>> timeline[k].sentence
        'The gradient reaches the leaf b: b.grad is 2.0.'
        """
        since = -1 if after is None else self._place(after)
        return places_of(self.graph, self.events, kind, tensor, node, pass_number, since)

    def grad(self, name: str, *, at: SupportsIndex = -1) -> Nested | None:
        """The gradient of a tensor after event `at`, with 5 digits: a number or nested lists.

        For a leaf, or a tensor that retains its gradient, it is what `.grad` holds then; for any
        other tensor, the sum of what has arrived there in this pass; None if there is no gradient.
        If each pass has a tensor of this name, the latest pass counts.
        Raises: ValueError that lists the choices, for an unknown name; ValueError for an array of
        more than 200 entries, of which a trace keeps only a corner; IndexError when there is no
        such event.

        >>> import graphlab
        >>> w = graphlab.tensor([1.0, 2.0], requires_grad=True)
        >>> timeline = graphlab.trace((w * w).sum())
        >>> timeline.grad("w", at=0), timeline.grad("w")
        (None, [2.0, 4.0])
        """
        return self._numbers(name, at, gradient_in, ".grad")

    def value(self, name: str, *, at: SupportsIndex = -1) -> Nested | None:
        """The value of a tensor after event `at`, as `grad` gives the gradient; None: not known.

        >>> import graphlab
        >>> w = graphlab.tensor([1.0, 2.0], requires_grad=True)
        >>> square = w * w
        >>> graphlab.trace(square.sum()).value("square")
        [1.0, 4.0]
        """
        return self._numbers(name, at, value_in)

    def _numbers(
        self,
        name: str,
        at: SupportsIndex,
        read: Callable[[Graph, State, str], Value | None],
        what: str = "",
    ) -> Nested | None:
        place = self._place(at)
        named, state = tensors_named(self.graph, name), self.state_at(place)
        id = _in_latest_pass(self.graph, self.events, place, named, name)[0]
        value = read(self.graph, state, id)
        if value is None or (not value.entries and value.text in ("unknown", "no value")):
            return None
        return nested_numbers(value, name + what)

    def held(self, *, at: SupportsIndex = -1) -> dict[str, int]:
        """The bytes of each saved value that is held after event `at`, and their sum as "total".

        In a recording, only the pass that event `at` belongs to counts, as in the player. If two
        nodes have the same name, their ids are added.
        Raises: IndexError when there is no such event.

        >>> import graphlab
        >>> a = graphlab.tensor(2.0, requires_grad=True)
        >>> b = graphlab.tensor(3.0, requires_grad=True)
        >>> e = a * b
        >>> timeline = graphlab.trace(e)
        >>> timeline.held(at=0)
        {'MulBackward0 of e saved self': 4, 'MulBackward0 of e saved other': 4, 'total': 8}
        >>> timeline.held()
        {'total': 0}
        """
        place = self._place(at)
        return held_at(self.graph, self.events, place, self.state_at(place))

    def curve(self, name: str) -> tuple[float, ...]:
        """One number for each pass, in order, with 5 digits: the curve that the player shows.

        name: the root, "loss"; a leaf, "w", for its value when the pass began; or "w.grad", for
        what the pass left in it, or what `autograd.grad` returned. The number for an array is its
        Euclidean norm. nan: the pass has no such value, or the value is not a number.
        Raises: ValueError that lists the choices, when nothing with this name was recorded.

        >>> import graphlab
        >>> w = graphlab.tensor(1.0, requires_grad=True)
        >>> optimizer = graphlab.optim.SGD([w], lr=0.25)
        >>> with graphlab.record() as timeline:
        ...     for _ in range(3):
        ...         optimizer.zero_grad()
        ...         loss = (w - 3) ** 2
        ...         loss.backward()
        ...         optimizer.step()
        >>> timeline.curve("loss"), timeline.curve("w")
        ((4.0, 1.0, 0.25), (1.0, 2.0, 2.5))
        >>> timeline.curve("w.grad")
        (-4.0, -2.0, -1.0)
        """
        found = series(self.graph, self.events)
        if name not in found:
            there = f"must be one of {list(found)}" if found else "nothing was recorded"
            raise ValueError(f"unknown curve {name!r} ({there})")
        return tuple(map(magnitude, found[name]))


def places_of(
    graph: Graph,
    events: Sequence[Event],
    kind: Any,
    tensor: Any,
    node: Any,
    pass_number: Any,
    after: int,
) -> tuple[int, ...]:
    """The indexes of the events after `after` that fit every argument; as `Readings.find`."""
    numbers = pass_numbers_of(events)
    if kind is not None and _text("kind", kind, '"LeafWritten"') not in EVENTS:
        there = dict.fromkeys(event.kind for event in events)
        _unknown("kind of event", kind, there or EVENTS)
    tensors = None if tensor is None else tensors_named(graph, tensor)
    nodes = None if node is None else _nodes_named(graph, node)
    if pass_number is not None:
        check_pass_number(pass_number, max(numbers, default=0))
    return tuple(
        k
        for k, event in enumerate(events)
        if k > after
        and (kind is None or event.kind == kind)
        and (tensors is None or not tensors.isdisjoint(_tensors_of(event)))
        and (nodes is None or getattr(event, "node", None) in nodes)
        and (pass_number is None or numbers[k] == pass_number)
    )


def pass_numbers_of(events: Sequence[Event]) -> list[int]:
    """The number of the pass that each event belongs to, counted from 1, as a player shows it.

    Events between two passes belong to the earlier one; a rehearsal is one pass.
    """
    numbers: list[int] = []
    number = 1
    for event in events:
        if isinstance(event, PassBegan | ForwardBegan):
            number = event.number
        numbers.append(number)
    return numbers


def held_at(graph: Graph, events: Sequence[Event], k: int, state: State) -> dict[str, int]:
    """The bytes of each saved value that is held after event `k`, and their total."""
    began = _pass_of_forward(events, k) or _pass_before(events, k)
    if began is None and any(isinstance(event, PassBegan) for event in events):
        return {TOTAL: 0}  # no pass of the recording has begun
    nodes = graph.nodes if began is None else [graph.node(id) for id, _ in began.waits]
    freed = state.get("freed", {})
    holding = [
        (f"{node.name}{_made(graph, node)} saved {saved.name}", node, saved)
        for node in nodes
        for saved in node.saved
        if saved.nbytes and not (freed.get(node.id) or (began is None and saved.freed))
    ]
    if "computed" in state:  # in a forward pass, some values are not saved yet
        start = next(e for e in reversed(events[: k + 1]) if isinstance(e, ForwardBegan))
        there, kept = set(start.there), state.get("kept", {})
        holding = [
            (key, node, saved)
            for key, node, saved in holding
            if f"{node.id}.{saved.name}" in kept or there.intersection(node.outputs)
        ]
    keys = [key for key, _, _ in holding]
    held: dict[str, int] = {}
    for key, node, saved in holding:
        unique = key if keys.count(key) == 1 else f"{key} ({node.id})"
        held[unique] = held.get(unique, 0) + saved.nbytes
    return {**held, TOTAL: sum(held.values())}


def tensors_named(graph: Graph, name: Any) -> set[str]:
    """The ids of the tensors with this name; a recording may have one in each pass.

    Raises: TypeError when `name` is not a string, ValueError when there is no such tensor.
    """
    _text("tensor", name, 'its name, "w"')
    found = {one.id for one in graph.tensors if name in (one.label, one.id)}
    if not found:  # net.1.weight, if it is called 1.weight
        called = {one.id: one.label for one in graph.tensors if one.is_leaf and "." in one.label}
        found = {id for id, label in called.items() if name.endswith(f".{label}")}
    if not found:
        _unknown("tensor", name, [one.name for one in graph.tensors if one.name])
    return found


def nested_numbers(value: Value, name: str) -> Nested:
    """The entries of a value as numbers, in lists as `tensor.tolist()` gives them.

    >>> from graphlab.graph.value import summarise
    >>> nested_numbers(summarise([[1.0, 2.0]]), "w"), nested_numbers(summarise(3.0), "w")
    ([[1.0, 2.0]], 3.0)
    """
    if value.kept:
        raise ValueError(
            f"{name} has {math.prod(value.shape):,} entries, of which a trace keeps only a corner; "
            f"timeline.curve({name!r}) gives its norm"
        )
    numbers: Any = [_number(text, value) for text in value.texts]
    if not math.prod(value.shape):
        numbers = []
    for length in reversed(value.shape):
        starts = range(0, len(numbers), max(length, 1))
        numbers = [numbers[start : start + length] for start in starts]
    return numbers[0] if numbers else []


def _number(text: str, value: Value) -> float | complex:
    return complex(text) if value.dtype.startswith("complex") else number_of(text)


def value_in(graph: Graph, state: State, id: str) -> Value | None:
    """The value in a state; None where it is not known."""
    if id not in state.get("computed", {id}):
        return None
    changed = state.get("values", {}).get(id)
    return graph.tensor(id).value if changed is None else decode(Value, changed, "values")


def gradient_in(graph: Graph, state: State, id: str) -> Value | None:
    """The gradient in a state; for leaves and retained gradients, what `.grad` holds."""
    info = graph.tensor(id)
    written = state.get("leaves", {}).get(id)
    if written is not None:
        return decode(Value, written["after"], "leaves")
    if info.is_leaf:
        return None if id in state.get("cleared", {}) else info.grad
    arrived = state.get("grads", {}).get(id)
    return None if arrived is None else decode(Value, arrived, "grads")


def _in_latest_pass(
    graph: Graph, events: Sequence[Event], k: int, named: set[str], name: str
) -> list[str]:
    """Of several tensors with the same name, the one in the latest pass up to event `k`."""
    if len(named) > 1:
        begun = [event for event in events[: k + 1] if isinstance(event, PassBegan)]
        for event in reversed(begun):
            walked = {
                id
                for node, _ in event.waits
                for id in (*graph.node(node).inputs, *graph.node(node).outputs)
            }
            if here := named & walked:
                named = here
                break
        else:  # no pass has begun that has one: take the one of the first pass
            named = {min(named, key=_place)}
    if len(named) > 1:
        listed = sorted(named, key=_place)
        raise ValueError(f"several tensors are named {name!r} (must be one of {listed})")
    return [*named]


def _place(id: str) -> tuple[int, str]:
    """A key that sorts ids by number: (7, "t7")."""
    return (int(id[1:]) if id[1:].isdecimal() else 0, id)


def _tensors_of(event: Event) -> tuple[str, ...]:
    """The tensors that an event is about."""
    if isinstance(event, OptimizerStepped):
        return tuple(one.tensor for one in event.changes)
    if isinstance(event, PassBegan | ForwardBegan):
        return event.roots
    several = getattr(event, "tensors", None)
    return (getattr(event, "tensor", ""),) if several is None else several


def _pass_before(events: Sequence[Event], k: int) -> PassBegan | None:
    """The pass that event `k` belongs to."""
    return next((e for e in reversed(events[: k + 1]) if isinstance(e, PassBegan)), None)


def _pass_of_forward(events: Sequence[Event], k: int) -> PassBegan | None:
    """The backward pass after the forward pass to which event `k` belongs."""
    for event in reversed(events[: k + 1]):
        if isinstance(event, PassBegan):
            return None
        if isinstance(event, ForwardBegan | ForwardFinished):
            return next((e for e in events[k:] if isinstance(e, PassBegan)), None)
    return None


def _made(graph: Graph, node: NodeInfo) -> str:
    """ " of u", with the name of the node's result; "" if it has none."""
    name = graph.tensor(node.outputs[0]).name if node.outputs else None
    return f" of {name}" if name else ""


def _nodes_named(graph: Graph, name: Any) -> set[str]:
    _text("node", name, 'its name, "MulBackward0", or its id, "n2"')
    found = {one.id for one in graph.nodes if name in (one.name, one.id)}
    if not found:
        _unknown("node", name, (one.name for one in graph.nodes))
    return found


def check_pass_number(pass_number: Any, count: int) -> None:
    """Raise TypeError or ValueError unless there is a pass with this number."""
    if not isinstance(pass_number, int) or isinstance(pass_number, bool):
        raise TypeError(f"pass_number must be an integer, 1 or more, got {described(pass_number)}")
    if not 1 <= pass_number <= count:
        there = {0: "there is none: nothing was recorded", 1: "must be 1"}
        raise ValueError(
            f"unknown pass_number {pass_number} ({there.get(count, f'must be 1 to {count}')})"
        )


def _text(what: str, given: Any, example: str) -> str:
    """`given`, which must be a string. Raises: TypeError."""
    if isinstance(given, str):
        return given
    raise TypeError(f"{what} must be a string, {example}, got {described(given)}")


def _unknown(what: str, given: str, known: Iterable[str]) -> NoReturn:
    listed = [*dict.fromkeys(known)]
    some = listed[:MOST] + ["…"] * (len(listed) > MOST)
    there = f"must be one of {some}" if listed else "there is none"
    raise ValueError(f"unknown {what} {given!r} ({there})")
