"""Font metrics: estimates of how wide a text is, and shorter forms of texts that are too long.

The browser chooses the font, so the widths are those of the widest common fonts (DejaVu, Verdana).
So a card is never too small for its text. A timeline is complete before its picture is drawn, so
the longest text that will be written in each place is known, too.

Read next: faces/render/layout.py
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from math import floor
from typing import Literal, NamedTuple

from graphlab.common.notebook import shortened
from graphlab.graph import events as told
from graphlab.graph.events import Event
from graphlab.graph.events.event import shape_text
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import Value

Family = Literal["sans", "serif", "mono"]


class Font(NamedTuple):
    """The font of one role of text."""

    family: Family
    size: float  # pixels
    bold: bool = False
    italic: bool = False


FONTS = {
    "name": Font("serif", 14, bold=True, italic=True),
    "value": Font("mono", 11),
    "key": Font("sans", 10.5),
    "grad": Font("mono", 11),
    "symbol": Font("sans", 15, bold=True),
    "title": Font("mono", 11.5, bold=True),
    "badge": Font("mono", 9, bold=True),
    "differs": Font("sans", 12, bold=True),
    "caption": Font("sans", 9.5),
    "index": Font("sans", 9),
    "contribution": Font("mono", 10.5, bold=True),
    "chipkey": Font("mono", 8.5),
    "chiptext": Font("mono", 8.5),
}
NOT_YET = "not yet"  # in place of what is not computed yet, and never shown as 0
DIGIT = 6.36  # width of a character of a gradient along a line, in pixels
LONGEST_NAME = 24  # characters on a card; its tooltip has the whole name

_NUMBER = re.compile(r"-?\d+\.\d+(e[+-]\d+)?|-?\d+e[+-]\d+")
_FEWER = (4, 3, 2)  # significant digits; the text of a value has 5

_TURNING = frozenset(
    ("R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "PDF", "PDI", "LRI", "FSI")
)
_NARROW = frozenset("ijl.,'|!:;`")
_SLIM = frozenset('ftr()[]{}I -"/\\*')
_BROAD = frozenset("mwMW@%—…")


@lru_cache(maxsize=4096)  # names, dtypes and numbers occur again and again
def text_width(text: str, font: Font) -> float:
    """Return the greatest width of `text` in `font`, in pixels.

    >>> text_width("MulBackward0", Font("mono", 10))
    72.6
    """
    ems = sum(_ems(character, font.family) for character in text)
    return round(ems * font.size * (1.06 if font.bold and font.family != "mono" else 1.0), 2)


def shorten(text: str, longest: int = LONGEST_NAME) -> str:
    """Return `text` on one line, without its middle if it is longer than `longest` characters.

    >>> shorten("a_very_long_variable_name_indeed")
    'a_very_long_…name_indeed'
    """
    if len(text) <= longest and text.isprintable():
        return text
    line = "".join(c if unicodedata.category(c)[0] != "C" or c == "\u200d" else " " for c in text)
    if len(line) <= longest:
        return line
    head = longest // 2
    return line[:head] + "…" + line[len(line) - (longest - head - 1) :]


@lru_cache(maxsize=4096)
def isolated(text: str) -> str:
    """Return `text` for use in a sentence: right-to-left text cannot reorder the text around it.

    >>> isolated("abc"), len(isolated("\u05d0\u05d1"))
    ('abc', 4)
    """
    if not text.isascii() and any(
        unicodedata.bidirectional(character) in _TURNING for character in text
    ):
        return f"\u2068{text}\u2069"  # first strong isolate, pop directional isolate
    return text


def fitted(text: str, most: int) -> str:
    """Return a value in at most `most` characters: with fewer digits, as a shape, or cut.

    >>> fitted("[-0.41055, -0.37857]", 16), fitted("[1.5, 2.25, -3.375]", 10)
    ('[-0.411, -0.379]', '(3,)')
    >>> fitted("(64, 128, 28, 28)", 16)
    '(64,128,28,28)'
    """
    if len(text) <= most:
        return text
    for digits in _FEWER:
        shorter = _NUMBER.sub(lambda found, digits=digits: rounded(found[0], digits), text)
        if len(shorter) <= most:
            return shorter
    shape = f"({text.count(',') + 1},)" if text.startswith("[") else text.replace(", ", ",")
    return shape if len(shape) <= most else shortened(text, most)


def rounded(number: str, digits: int) -> str:
    """Return a number with fewer significant digits, with a point or an exponent.

    Halves are rounded away from 0, as in a browser.

    >>> rounded("0.41055", 3), rounded("12.0", 3), rounded("12345.0", 2), rounded("-1.2346e-05", 2)
    ('0.411', '12.0', '1.2e+04', '-1.2e-05')
    """
    near = Context(digits, ROUND_HALF_UP).create_decimal(Decimal(float(number)))
    text = f"{float(near):.{digits}g}"
    return text if "." in text or "e" in text else f"{text}.0"


def lines_of_name(name: str, longest: int = 15) -> list[str]:
    """Return a grad_fn's name on one or two lines, broken before "Backward" or after "::".

    >>> lines_of_name("MulBackward0"), lines_of_name("MaxPool2DWithIndicesBackward0")
    (['MulBackward0'], ['MaxPool2DWithIndices', 'Backward0'])
    """
    if len(name) <= longest:
        return [name]
    for joint in ("::", "Backward"):
        at = name.rfind(joint)
        if at > 0:
            at += len(joint) if joint == "::" else 0
            return [shorten(name[:at]), shorten(name[at:])]
    return [shorten(name)]


def brief(text: str) -> str:
    """Return a value's text without float32, the default dtype, which PyTorch does not print.

    >>> brief("(3, 4) float32"), brief("(3, 4) int64")
    ('(3, 4)', '(3, 4) int64')
    """
    return text.removesuffix(" float32")


@lru_cache(maxsize=8192)  # boxes in one column or on one line share a coordinate
def pixels(number: float) -> str:
    """Return a coordinate as short text, to a tenth of a pixel.

    >>> pixels(12.04), pixels(-0.5)
    ('12', '-0.5')
    """
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def halves(number: float) -> float:
    """Return the nearest half pixel; ties go right or down.

    All coordinates are half pixels: their sums are exact, so horizontal lines stay horizontal.

    >>> halves(12.7), halves(-0.25)
    (12.5, 0.0)
    """
    return floor(2 * number + 0.5) / 2


def _ems(character: str, family: Family) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0  # accents, joiners and direction marks
    if unicodedata.east_asian_width(character) in "WF":
        return 1.25  # emoji are wider than the square of a CJK character
    if family == "mono":
        return 0.605
    if character in _NARROW:
        return 0.35
    if character in _SLIM:
        return 0.43
    if character in _BROAD:
        return 1.0
    return 0.72 if character.isupper() else 0.63


# -- the longest text of each place ----------------------------------------------------------------

# most of the events of a pass; they write no value
SILENT = told.NodeEntered, told.SavedUnpacked, told.DependencyMet, told.Readied, told.SavedFreed


@dataclass(frozen=True, slots=True)
class LongestTexts:
    """The longest text of each place, by the id of the tensor or edge that it belongs to."""

    grads: dict[str, str] = field(default_factory=dict[str, str])  # of tensors and edges
    values: dict[str, str] = field(default_factory=dict[str, str])  # of computed or changed tensors
    sums: dict[str, str] = field(default_factory=dict[str, str])  # edges: a broadcast undone
    saved: dict[str, str] = field(default_factory=dict[str, str])  # chips, by "s:n2.other"


def longest_texts(timeline: Timeline) -> LongestTexts | None:
    """Return the longest texts that the events of `timeline` write; None without events."""
    if not timeline.events:
        return None
    found = LongestTexts()
    for event in (event for part in timeline.forward for event in part.events):
        if type(event) is told.Computed:
            found.values.update(dict.fromkeys(event.tensors, NOT_YET))
    for event in timeline.events:
        if type(event) in SILENT:
            continue
        for id, value in _grads_of(event):
            _keep_longest(found.grads, id, value)
        for id, value in _values_of(event):
            _keep_longest(found.values, id, value)
        if type(event) is told.Reduced:
            before, after = shape_text(event.shape_before), shape_text(event.value.shape)
            found.sums[event.edge] = f"Σ {before} → {after}".replace("one number", "()")
    return found


def _keep_longest(texts: dict[str, str], id: str, value: Value | None) -> None:
    if value is not None and len(text := brief(value.text)) > len(texts.get(id, "")):
        texts[id] = text


def _grads_of(event: Event) -> Iterable[tuple[str, Value | None]]:
    """Return the gradients that an event writes, with the tensor or edge of each."""
    match event:
        case told.RuleApplied():
            return [(event.edge, event.contribution)]
        case told.Reduced():
            return [(event.edge, event.value)]
        case told.Seeded():
            return [(event.tensor, event.value)]
        case told.GradReturned():
            return [(event.tensor, replace(event.value, text=f"returned {event.value.text}"))]
        case told.Accumulated() | told.LeafWritten() | told.HookRan() | told.GradReplaced():
            return [(event.tensor, event.after)]
        case told.GradRetained():
            return [(event.tensor, event.after or event.value)]
        case told.GradCleared():
            return list(zip(event.tensors, event.zeros, strict=False))
        case told.PassBegan():
            return event.holding
        case told.Failed():
            return event.undone
        case _:
            return []


def _values_of(event: Event) -> Iterable[tuple[str, Value]]:
    """Return the values that an event overwrites, with the tensor of each."""
    if isinstance(event, told.ChangedInPlace):
        return [(event.tensor, event.after)]
    if isinstance(event, told.OptimizerStepped):
        return [(one.tensor, one.after) for one in event.changes]
    return []
