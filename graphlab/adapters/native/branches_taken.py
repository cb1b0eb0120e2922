"""Values decide masks and branches while a graph is made; their formulas are read here.

The graph itself does not hold these formulas, because a comparison has no gradient and leaves no
node. A mask is recomputed from the tensors that it was made from. A branch cannot be: if the
condition of an `if` has another outcome, the player says with which one the graph was recorded.

Read next: adapters/native/formulas_of_graph.py
"""

import operator
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from graphlab.adapters.data_flow import flow_of
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.taping import tape_entries
from graphlab.adapters.native.variable_names import bracketed, index_text
from graphlab.adapters.statements import program_text
from graphlab.autograd.branches import Branch, Made, branches, of_mask
from graphlab.autograd.decisions import LARGEST, source_of
from graphlab.autograd.grad_mode import without_warnings
from graphlab.autograd.node import Output
from graphlab.graph.formulas import Decided, Followed, Program, numbers_of
from graphlab.primitives.tape_reading import NotTaped, Ref, Tape, Term, compared, tape_reading
from graphlab.tensor.tensor import Tensor

MOST = 100  # branches of one graph
MOST_WRITTEN = 12  # functions in the text of a mask
LOST = "it uses a mask that was changed in place, or made from numbers outside this graph"
UNREADABLE = (NotTaped, TypeError, ValueError, AttributeError, IndexError, KeyError)
STEPS = {  # functions of NumPy that make masks -> the step that does the same
    "greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "equal": "eq",
    "not_equal": "ne", "logical_and": "and", "logical_or": "or", "logical_xor": "xor",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "logical_not": "invert",
    "invert": "invert", "isnan": "isnan", "isfinite": "isfinite",
}  # fmt: skip
SIGNS = {"gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "==", "ne": "!="}
WORDS = {"and": "and", "or": "or", "xor": "^"}
RECORDED, ANOTHER = (  # around a condition, in a sentence about a branch
    "This was recorded with ",
    "; at these values the program would take another branch.",
)
OTHERWISE = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "==": "!=", "!=": "=="}


class Follower:
    """The formula of one decision: the tensors that it reads, and its steps."""

    def __init__(self, copied: Copied) -> None:
        self.copied = copied
        self.tape = Tape()
        self.inputs: list[str] = []
        self._terms: dict[str, Term] = {}
        self._known: dict[int, Any] = {}

    def value(self, made: Any) -> Any:
        """A decision, a result or a constant as a value on the tape. Raises: NotTaped."""
        if not isinstance(made, Made):
            return made
        if id(made) not in self._known:
            self._known[id(made)] = self._value(made)
        return self._known[id(made)]

    def _value(self, made: Made) -> Any:
        known = self._tensor(made)
        if known is not None:
            return self.term(known)
        start = None if made.origin is None else made.origin()
        if isinstance(start, Tensor):
            return start._data  # a leaf outside the graph, which stays the same
        if made.function is None:
            raise NotTaped(LOST)
        given = [self.value(one) for one in made.inputs]
        if isinstance(made.function, np.ufunc):
            return self._compared(made.function.__name__, given)
        forward = tape_entries().bind(made.function, made.function.forward)
        result = forward(*given, **made.options)
        return result[made.output] if isinstance(result, tuple) else result

    def term(self, tensor: str) -> Term:
        """A tensor of the graph as an input of the formula."""
        if tensor not in self._terms:
            data = self.copied.raw[tensor]
            if data is None:
                raise NotTaped(LOST)
            data = np.asarray(data)[()]
            self._terms[tensor] = self.tape.term(Ref("x", len(self.inputs)), data)
            self.inputs.append(tensor)
        return self._terms[tensor]

    def followed(self, value: Any) -> Followed:
        """The formula of a value."""
        return Followed(tuple(self.inputs), Program(*self.tape.steps_to([value])))

    def _tensor(self, made: Made) -> str | None:
        start = None if made.origin is None else made.origin()
        return None if start is None else self.copied.tensors.get((start, made.output))

    def _compared(self, name: str, given: list[Any]) -> Any:
        step = STEPS.get(name)
        if step is None:
            raise NotTaped(LOST)
        if name.startswith("logical"):
            given = [x if kind_of(x) == "b" else tape_step("ne", x, 0) for x in given]
        return tape_step(step, *given)


def tape_step(name: str, *given: Any) -> Any:
    """One step of a comparison, noted on the tape if one of its values is."""
    reading = tape_reading()
    if name in reading:
        return reading[name](*given)
    return getattr(operator, f"{name}_" if name in ("and", "or") else name)(*given)


def kind_of(x: Any) -> str:
    """NumPy's letter for the kind of entries: "f", "i", "b", ..."""
    return np.asarray(x.value if isinstance(x, Term) else x).dtype.kind


# -- masks --------------------------------------------------------------------------------------


def followed_by(copied: Copied) -> tuple[dict[str, Followed], dict[str, str]]:
    """The formulas of constants that depend on tensors, by id; and why others have none, by id.

    A mask has none if it was changed in place since, or made from tensors that are gone.
    """
    found: dict[str, Followed] = {}
    lost: dict[str, str] = {}
    for item in copied._constants:
        if not isinstance(item, Tensor) or item._more is None:
            continue
        name = copied.tensors[id(item)]
        try:
            if item._more.decision is not None:
                found[name] = without_warnings(mask_of, copied, item)
            elif item._more.cut is not None and (one := cut_from(copied, item)) is not None:
                found[name] = one
        except NotTaped as reason:
            lost[name] = str(reason)
    return found, lost


def mask_of(copied: Copied, mask: Tensor) -> Followed:
    """The formula of a mask. Raises: NotTaped."""
    made = of_mask(mask, LARGEST)
    if made is None:
        raise NotTaped(LOST)
    follower = Follower(copied)
    value = follower.value(made)
    if not isinstance(value, Term) or not np.array_equal(value.value, mask._data, equal_nan=True):
        raise NotTaped(LOST)
    return follower.followed(value)


def cut_from(copied: Copied, tensor: Tensor) -> Followed | None:
    """The formula of `x.detach()`, which is x itself; None if x is not in the graph."""
    edge = source_of(tensor)
    key = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
    name = copied.tensors.get(key)
    if name is None or copied.raw[name] is None:
        return None
    if not np.array_equal(copied.raw[name], tensor._data, equal_nan=True):
        return None
    follower = Follower(copied)
    return follower.followed(follower.term(name))


# -- branches -----------------------------------------------------------------------------------


def decided_in(copied: Copied) -> tuple[Decided, ...]:
    """The branches that the program took and the masks that it used, if the graph decided them."""
    found: dict[Any, Decided] = {}
    for decided in (*picks(copied), *ways(copied)):
        key = decided.followed.inputs, compared(decided.followed.program.steps), decided.sentence
        found[key] = decided
    return tuple(found.values())[-MOST:]


def ways(copied: Copied) -> Iterator[Decided]:
    """The branches that were taken while the graph was made."""
    for branch in branches_in(copied)[0]:
        yield from way(copied, branch)


def branches_in(copied: Copied) -> tuple[list[Branch], list[Branch]]:
    """The branches that were taken while the graph was made, and those before or after.

    One right before the first node may belong to the program's step before, so it counts as
    earlier if the text can say what it decided.
    """
    made = [node._sequence for node in copied.nodes]
    first, last = min(made), max(made)
    during: list[Branch] = []
    others: list[Branch] = []
    for one in tuple(branches):
        earlier = one.when < first or (one.when == first and is_test(copied, one))
        (others if earlier or one.when > last else during).append(one)
    return during, others


def is_test(copied: Copied, branch: Branch) -> bool:
    """Whether the text of the program at a branch is known to be a test."""
    item = None if branch.where is None else copied._sources.at(*branch.where).span
    flow = None if item is None else flow_of(item[0], program_text(item[0]))
    return flow is not None and item in flow.tests


def way(copied: Copied, branch: Branch) -> Iterator[Decided]:
    """One branch; nothing if something outside this graph decided it."""
    with suppress(*UNREADABLE):
        yield without_warnings(taken, copied, branch)


def taken(copied: Copied, branch: Branch) -> Decided:
    """One branch. Raises: NotTaped if other tensors or earlier values decided it."""
    follower = Follower(copied)
    value = follower.value(branch.made)
    if not isinstance(value, Term) or bool(np.all(value.value)) != branch.outcome:
        raise NotTaped(LOST)
    said = text_of(copied, branch.made)
    said = said if branch.outcome else opposite(said, branch.made)
    return Decided(follower.followed(value), branch.outcome, other_branch(said))


def other_branch(said: str) -> str:
    """Return the sentence about a branch that was taken because of a condition."""
    return f"{RECORDED}{said}{ANOTHER}"


def picks(copied: Copied) -> Iterator[Decided]:
    """The masks in indexes, such as x[x > 0], on which the shape of the result depends."""
    for node in copied.nodes:
        for mask in (node._extra or {}).get("masks", ()):
            try:
                followed = without_warnings(mask_of, copied, mask)
                said = text_of(copied, of_mask(mask, LARGEST))
            except UNREADABLE:
                continue
            yield Decided(
                followed,
                numbers_of(mask._data),
                f"This was recorded with the entries where {said}; at these values the program "
                "would select other entries.",
            )


def text_of(
    copied: Copied, made: Any, inner: bool = False, room: Iterator[int] | None = None
) -> str:
    """How a value was made, as the program might write it: "x > 0 and y > 0".

    room: as many more functions are written.
    """
    if not isinstance(made, Made):
        data = np.asarray(made)
        return f"{data.item():g}" if data.size == 1 else "…"
    start = None if made.origin is None else made.origin()
    name = None if start is None else copied.tensors.get((start, made.output))
    if name is not None:
        return copied.label(name)
    if isinstance(start, Tensor):
        return copied.names.of_leaf.get(id(start)) or text_of(copied, start._data)
    room = iter(range(MOST_WRITTEN)) if room is None else room
    if next(room, None) is None:
        return "…"
    given = [text_of(copied, one, True, room) for one in made.inputs]
    sign = sign_of(made)
    if sign and len(given) == 2:
        said = f" {sign} ".join(given)
        return f"({said})" if inner else said
    function = getattr(made.function, "name", None) or made.function.__name__
    if index := index_text(function, made.options):
        return f"{bracketed(given[0])}{index}"
    word = "not " if STEPS.get(function) == "invert" else function
    return f"{word}({', '.join(given)})"


def sign_of(made: Made) -> str:
    """The sign between two operands; "" if there is none."""
    if isinstance(made.function, np.ufunc):
        step = STEPS.get(made.function.__name__, "")
        return SIGNS.get(step) or WORDS.get(step, "")
    two = made.function.pointwise and len(made.function.inputs) == 2
    return made.function.symbol if two and len(made.function.symbol) == 1 else ""


def opposite(said: str, made: Made) -> str:
    """The condition that holds if this one does not."""
    sign = sign_of(made)
    if sign not in OTHERWISE:
        return f"not ({said})"
    return said.replace(f" {sign} ", f" {OTHERWISE[sign]} ")
