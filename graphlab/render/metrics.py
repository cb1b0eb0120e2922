"""How wide a text will be, without a font at hand: a small table of widths, on the generous side.

The browser that shows the picture chooses the font, so the widths are those of the widest of the
usual ones (DejaVu, Verdana); a card is then never too small for its text.

Read next: render/layout.py
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

Family = Literal["sans", "serif", "mono"]


@dataclass(frozen=True, slots=True)
class Font:
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
    "caption": Font("sans", 9.5),
    "index": Font("sans", 9),
    "contribution": Font("mono", 10.5, bold=True),
    "chipkey": Font("mono", 8.5),
    "chiptext": Font("mono", 8.5),
}
LONGEST_NAME = 24  # characters that a card shows; its tooltip has the whole name

_NARROW = frozenset("ijl.,'|!:;`")
_SLIM = frozenset('ftr()[]{}I -"/\\*')
_BROAD = frozenset("mwMW@%—…")


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
    line = "".join(c if unicodedata.category(c)[0] != "C" or c == "\u200d" else " " for c in text)
    if len(line) <= longest:
        return line
    head = longest // 2
    return line[:head] + "…" + line[len(line) - (longest - head - 1) :]


def brief(text: str) -> str:
    """A value's text as a picture has room for it: float32 goes without saying, as in PyTorch.

    >>> brief("3×4 float32"), brief("3×4 int64")
    ('3×4', '3×4 int64')
    """
    return text.removesuffix(" float32")


def pixels(number: float) -> str:
    """A coordinate as short text: a tenth of a pixel is enough.

    >>> pixels(12.04), pixels(-0.5)
    ('12', '-0.5')
    """
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _ems(character: str, family: Family) -> float:
    if unicodedata.combining(character):
        return 0.0
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
