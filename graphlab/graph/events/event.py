"""An event is one thing that happened in a backward pass, named in the past tense.

Each event has a sentence (`caption`), the things to highlight (`focus`) and the change of the state
(`patch`, an RFC 7396 merge patch). To add an event, write its dataclass in the file of its family
and the line that emits it.

The granularity of a player decides where it stops: at "story" events only, at "node" events as
well, or at all events ("micro").

Read next: graph/events/node_steps.py
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeVar, dataclass_transform

from graphlab.common.notebook import printable, printable_here, wrapped
from graphlab.graph.codec import encode, record
from graphlab.graph.model import TensorId
from graphlab.graph.value import CORNER, Statistics, Value, first_change

Level = Literal["story", "node", "micro"]
# A reference names the value that a part of a sentence shows, so that a player can update it.
#
#     "after"             the text of the event's field `after`
#     "changes.0.before"  the field `before` of the first change of an optimizer
#     "sent"              the gradient on the event's edge, after a broadcast is undone
#     "slope"             the local derivative at the event's edge
#     "saved"             the value that the event's node saved under the event's name
#     "t5"                the value of a tensor
#
# A form may follow: "after:list" is the list of all entries, "after:7" entry 7, "slope:named" the
# part after the last " = ", and "after:told.0" to "after:told.2" are the three parts of `measured`.
Reference = Annotated[str, "reference"]

# fields of events that hold a value, and other values that an event shows
FIELDS = (
    "added", "after", "before", "contribution", "gradient", "upstream", "value",
    "saved", "sent", "slope",
)  # fmt: skip
KNOWN = re.compile(
    rf"(?:{'|'.join(FIELDS)}|changes\.\d{{1,6}}\.(?:before|after)|(?P<tensor>t\d+))"
    r"(?::(?:list|named|told\.[012]|\d{1,6}))?"
)

# plain text, or (role, text); roles: strong gradient value code name. A third part names the value
# that the text shows
Span = str | tuple[str, str] | tuple[str, str, Reference]
Spans = tuple[Span, ...]
MOST_LISTED = 6  # entries of a matrix that a sentence lists
MOST_NAMED = 3  # tensors that a sentence names; the others are counted
State = dict[str, Any]  # plain JSON; an absent entry is not known yet
Operator = Literal["@", "⊗", "⊙", "·", "⋆", "∗"]
# how a factor is read: unchanged, transposed, a vector as column or row; its role in a convolution
Form = Literal["", "transposed", "column", "row", "image", "kernel", "output"]


@dataclass(frozen=True, slots=True)
class Equation:
    """A rule in symbols and the same rule in numbers."""

    symbols: tuple[Span, ...]
    numbers: tuple[Span, ...]
    note: str = ""


@record
class Factor:
    """One of the two arrays that a rule multiplies."""

    text: str  # in the notation of the equation: "Xᵀ"
    form: Form = ""
    saved: str = ""  # the name under which the node saved it
    # if it is not saved; a factor without value and tensor is the incoming gradient
    value: Value | None = None
    tensor: TensorId | None = None  # an input of a forward pass


@record
class Windows:
    """The stride, padding and dilation of a convolution, for each dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]


@record
class Product:
    """Two factors, and the operator between them, so that a picture can show each entry.

    @      entry (i, j) is row i of the left times column j of the right
    ⊗      a column times a row
    ⊙  ·   entry by entry; a number times each entry
    ⋆  ∗   convolution: image[place · stride + k · dilation - padding] · kernel[k] is a term of
           output[place]; two of the three arrays are multiplied, and the third is the result
    """

    operator: Operator
    left: Factor
    right: Factor
    times: str = ""  # a number before the product
    windows: Windows | None = None


class Event(ABC):
    """The base class of events; `state` is the state before the event."""

    __slots__ = ()
    level: ClassVar[Level]
    focus_fields: ClassVar[tuple[str, ...]]

    def __str__(self) -> str:
        return printable_here(wrapped(self.printed))

    @property
    def printed(self) -> str:
        """The sentence, with what a rule does where a player tells that beside it."""
        return self.sentence

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def sentence(self) -> str:
        """The caption as plain text."""
        text = "".join(span if isinstance(span, str) else span[1] for span in self.caption)
        return printable(text, "\n\t\xa0\u200d")

    @property
    @abstractmethod
    def caption(self) -> Spans: ...

    @property
    def focus(self) -> tuple[str, ...]:
        """The ids of the things to highlight."""
        return tuple([getattr(self, name) for name in self.focus_fields])

    def patch(self, state: State) -> dict[str, Any]:
        """The RFC 7396 merge patch that turns the state before this event into that after it."""
        return {}


EVENTS: dict[str, type[Event]] = {}
_E = TypeVar("_E", bound=Event)


@dataclass_transform(frozen_default=True)
def event(
    level: Level | tuple[Level, ...], *, focus: tuple[str, ...] = ()
) -> Callable[[type[_E]], type[_E]]:
    """Make a class a frozen dataclass that the codec can read by its name.

    level: the coarsest granularity that shows the event; several if its `level` is a property.
    focus: the fields with the ids of the things to highlight.
    """

    def decorate(cls: type[_E]) -> type[_E]:
        if isinstance(level, str):
            cls.level = level
        else:
            cls.levels = level  # type: ignore[attr-defined]
        cls.focus_fields = focus
        made = dataclass(frozen=True, slots=True)(cls)
        EVENTS[made.__name__] = made
        return made

    return decorate


def strong(text: str) -> Span:
    """The subject of a sentence, such as a node."""
    return ("strong", text)


def gradient(value: Value | None, of: Reference) -> Span:
    """A gradient. of: the reference to it."""
    return ("gradient", value.text, of) if value is not None else ("gradient", "no gradient")


def with_gradient(begun: str, value: Value, of: Reference) -> Spans:
    """The words `begun` and "with the gradient 1.0", or "with a gradient of shape (4, 3)"."""
    if value.text == "unknown":  # as on the device "meta"
        return (f"{begun} with an ", gradient(value, of), " gradient")
    if is_large(value):
        return (f"{begun} with a gradient of shape {shape_text(value.shape)}",)
    return (f"{begun} with the {gradients(value)} ", entries(value, of))


def is_large(value: Value) -> bool:
    """Whether a sentence tells the shape of a gradient: all but numbers and short vectors.

    The shape alone decides, so that the sentence stays true when the values change.
    """
    if math.prod(value.shape) == 1 or value.text in ("unknown", "no value"):
        return False
    return len(value.shape) != 1 or value.shape[0] > CORNER


def entries(value: Value, of: Reference) -> Span:
    """A number, or all entries of a short vector. of: the reference to it."""
    if value.text.startswith("(") and value.shape and value.entries:  # too long for a card
        return ("gradient", value.nested, f"{of}:list")
    return gradient(value, f"{of}:list" if value.entries else of)


def sent(value: Value, of: Reference) -> Spans:
    """A gradient that is passed on: "3.0", or "a gradient of shape (4, 3)"."""
    if is_large(value):
        return (f"a gradient of shape {shape_text(value.shape)}",)
    return (entries(value, of),)


def incoming(value: Value, of: Reference) -> Spans:
    """A gradient after "the incoming gradient, ": "3.0", or "of shape (4, 3)"."""
    return (f"of shape {shape_text(value.shape)}",) if is_large(value) else (entries(value, of),)


def is_weighed(seed: Value) -> bool:
    """Whether a pass starts with given weights, so that it computes no derivative of its root.

    >>> from graphlab.graph.value import summarise
    >>> is_weighed(summarise(1.0)), is_weighed(summarise([1.0, 0.0]))
    (False, True)
    """
    return seed.text not in ("1.0", "unknown")


def gradients(value: Value) -> str:
    """The word "gradient"; "gradients" before those of several outputs, "(1.0, 2.0)"."""
    return "gradients" if value.dtype == "tuple" else "gradient"


def sum_of(
    before: Value, by: Value, after: Value | None, *, added: str = "added", form: str = ""
) -> Spans:
    """The sum of two gradients: "1.0 + 2.0 = 3.0".

    added: the field of the event that holds `by`. form: the form of the references, ":list" for
    lists of entries.
    """
    was, now = gradient(before, f"before{form}"), gradient(after, f"after{form}")
    return (was, " + ", gradient(by, added + form), " = ", now)


def named(text: str) -> Span:
    """The name of a tensor."""
    return ("name", text)


def listed(texts: list[str], most: int) -> Spans:
    """Names in a list: "w.grad, b.grad and 2 more"."""
    spans: list[Span] = []
    for k, text in enumerate(texts[:most]):
        last = k == len(texts) - 1
        spans += [*([" and " if last else ", "] if k else []), named(text)]
    return (*spans, f" and {len(texts) - most} more") if len(texts) > most else tuple(spans)


def in_words(texts: Iterable[str], most: int = MOST_NAMED) -> str:
    """Names in a sentence: as `listed`, but plain text.

    >>> in_words("w"), in_words("wb"), in_words("abcde")
    ('w', 'w and b', 'a, b, c and 2 more')
    """
    parts = listed([*texts], most)
    return "".join(part if isinstance(part, str) else part[1] for part in parts)


def done(state: State) -> dict[str, str]:
    """The part of a patch that marks the current node as done, when the next event happens."""
    current = state.get("current")
    return {} if current is None else {current: "done"}


def written(before: Value | None, added: Value, after: Value) -> dict[str, Any]:
    """The entry of the state for a gradient that was written."""
    # null in a merge patch also deletes the `before` of an earlier pass
    return {"before": encode(before), "added": encode(added), "after": encode(after)}


def leaves(state: State, now: dict[str, Any]) -> dict[str, Any]:
    """The part of a patch that sets the `.grad` of some tensors, which were perhaps cleared."""
    cleared = {tensor: None for tensor in now if tensor in state.get("cleared", ())}
    return {"leaves": now, "cleared": cleared} if cleared else {"leaves": now}


def without(tensors: Collection[str]) -> dict[str, Any]:
    """The part of a patch for tensors whose `.grad` is known to be None."""
    return {"leaves": dict.fromkeys(tensors), "cleared": dict.fromkeys(tensors, True)}


def alone(value: Value) -> dict[str, Any]:
    """The entry of the state for a gradient that no backward pass wrote."""
    return {"before": None, "added": None, "after": encode(value)}


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape in a sentence, as PyTorch writes it.

    >>> shape_text((8, 3)), shape_text((3,)), shape_text(())
    ('(8, 3)', '(3,)', 'one number')
    """
    return str(tuple(shape)) if shape else "one number"


def told(value: Value, of: Reference) -> Spans:
    """The end of a sentence that describes a gradient and begins with its name.

    It lists the entries if they are few, or else tells the shape, the norm, the range and the
    number of zeros. of: the reference to the gradient.

    >>> from graphlab.graph.value import summarise
    >>> told(summarise([[1.0, -2.0], [0.5, 3.0]]), "after")
    (' is ', ('gradient', '[[1.0, -2.0], [0.5, 3.0]]', 'after:list'))
    """
    as_list = f"{of}:list"
    if not value.shape or value.text.startswith("[") or not value.entries:
        return (" is ", gradient(value, as_list))
    shape = (" has shape ", ("gradient", shape_text(value.shape)))
    try:
        if math.prod(value.shape) <= MOST_LISTED and not value.kept:
            return (" is ", ("gradient", value.nested, as_list))
        if value.statistics is None:
            return shape
        # with other entries the sentence may change, so a player must update all of its parts
        verb, what, rest = measured(value.shape, value.statistics)
        about = (("gradient", what, f"{of}:told.1"), ("", rest, f"{of}:told.2"))
        return (("", verb, f"{of}:told.0"), *about)
    except (ValueError, OverflowError):  # a trace that was changed by hand
        return shape


def measured(sizes: tuple[int, ...], found: Statistics) -> tuple[str, str, str]:
    """A description of a large gradient by its statistics, in three parts: verb, object, details.

    js/src/replay/phrases.ts writes the same; tests/fixtures/valuetexts.json compares both.
    """
    count, shape = math.prod(sizes), (" has shape ", shape_text(sizes))
    odd = [(found.nan, "NaN"), (found.pos_inf + found.neg_inf, "infinity")]
    if any(many for many, _ in odd):
        told = [f"{what} in {many:,} of {count:,} entries" for many, what in odd if many]
        return (*shape, ": " + " and ".join(told))
    spread = float(found.std) > 1e-9 * abs(float(found.low))  # or the rounding of a sum
    if found.zeros == count or (found.low == found.high and not spread):
        same = "0" if found.zeros else short(found.low)
        return " is ", same, f" in all {count:,} entries"
    norm = math.hypot(math.sqrt(count) * float(found.mean), math.sqrt(count - 1) * float(found.std))
    about = f", norm {norm:.3g} and entries from {short(found.low)} to {short(found.high)}"
    return (*shape, about + (f", {found.zeros:,} of them 0" if found.zeros else ""))


def short(text: str) -> str:
    """A number as text with 3 digits."""
    return f"{float(text):.3g}"


def change(
    name: str, before: Value | None, after: Value, role: str = "value", of: str = ""
) -> Spans:
    """How a tensor changed; of a large array, one entry. of: begins references: "changes.0."."""
    was, now = f"{of}before", f"{of}after"
    is_now = (named(name), ": ", (role, after.text, now))
    if before is None:
        return is_now
    old, new, which = before.text, after.text, ""
    if before.entries and after.entries and math.prod(after.shape) <= MOST_LISTED:
        lists = before.nested, after.nested
        if lists[0] != lists[1] and lists != (old, new):
            (old, new), which = lists, ":list"
    if old != new:
        return (named(name), ": ", (role, old, was + which), " → ", (role, new, now + which))
    found = first_change(before, after)
    if found is None:
        if before.statistics != after.statistics or before.norm != after.norm:
            return (*is_now, ", changed in entries not shown here")
        return (*is_now, ", the digits shown here stay the same")
    k, place, old, new = found
    entries = ((role, old, f"{was}:{k}"), " → ", (role, new, f"{now}:{k}"))
    return (named(f"{name}[{place}]"), ": ", *entries, " (only this entry is shown)")


def tensor_of(reference: str) -> str | None:
    """The id of the tensor that a reference names; "" for any other value; None if it is wrong.

    >>> tensor_of("t5:list"), tensor_of("after:told.2"), tensor_of("yesterday")
    ('t5', '', None)
    """
    found = KNOWN.fullmatch(reference)
    return None if found is None else found["tensor"] or ""
