"""How wide a text will be, without a font at hand: a small table of widths, on the generous side.

The browser that shows the picture chooses the font, so the widths are those of the widest of the
usual ones (DejaVu, Verdana); a card is then never too small for its text.

Read next: faces/render/layout.py
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from math import floor
from typing import Literal, NamedTuple

Family = Literal["sans", "serif", "mono"]


class Font(NamedTuple):
    """How one role of text is set."""

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
    "caption": Font("sans", 9.5),
    "index": Font("sans", 9),
    "contribution": Font("mono", 10.5, bold=True),
    "chipkey": Font("mono", 8.5),
    "chiptext": Font("mono", 8.5),
}
DIGIT = 6.36  # pixels: a character of a gradient along a line
LONGEST_NAME = 24  # characters that a card shows; its tooltip has the whole name

_TURNING = frozenset(
    ("R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "PDF", "PDI", "LRI", "FSI")
)
_NARROW = frozenset("ijl.,'|!:;`")
_SLIM = frozenset('ftr()[]{}I -"/\\*')
_BROAD = frozenset("mwMW@%—…")


@lru_cache(maxsize=4096)  # names, dtypes and numbers return again and again
def text_width(text: str, font: Font) -> float:
    """Pixels that `text` takes at most, in `font`.

    >>> text_width("MulBackward0", Font("mono", 10))
    72.6
    """
    ems = sum(_ems(character, font.family) for character in text)
    return round(ems * font.size * (1.06 if font.bold and font.family != "mono" else 1.0), 2)


def shorten(text: str, longest: int = LONGEST_NAME) -> str:
    """`text` on one line, its middle left out when it is longer than `longest` characters.

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


def isolated(text: str) -> str:
    """`text` for the inside of a sentence: a name that runs right to left turns nothing around it.

    >>> isolated("abc"), len(isolated("\u05d0\u05d1"))
    ('abc', 4)
    """
    if not text.isascii() and any(
        unicodedata.bidirectional(character) in _TURNING for character in text
    ):
        return f"\u2068{text}\u2069"  # first strong isolate, pop directional isolate
    return text


def cut(text: str, most: int) -> str:
    """The first `most` characters of a value; its end left out when it is longer.

    >>> cut("[1.0, 2.0, 3.0]", 10)
    '[1.0, 2.0…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def lines_of_name(name: str, longest: int = 15) -> list[str]:
    """A grad_fn's name in one line or two, broken where PyTorch's names join words.

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
    """A value's text as a picture has room for it: float32 goes without saying, as in PyTorch.

    >>> brief("3×4 float32"), brief("3×4 int64")
    ('3×4', '3×4 int64')
    """
    return text.removesuffix(" float32")


@lru_cache(maxsize=8192)  # what stands in one column, or on one line, has a coordinate in common
def pixels(number: float) -> str:
    """A coordinate as short text: a tenth of a pixel is enough.

    >>> pixels(12.04), pixels(-0.5)
    ('12', '-0.5')
    """
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def halves(number: float) -> float:
    """The nearest half pixel, of two the right or lower one.

    Everything stands on half pixels: their sums are exact, so that what is level stays level and
    nothing that is drawn has to be rounded.

    >>> halves(12.7), halves(-0.25)
    (12.5, 0.0)
    """
    return floor(2 * number + 0.5) / 2


def _ems(character: str, family: Family) -> float:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0  # accents, joiners, marks of direction: they stand on or between others
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
