"""Numbers that fit: a gradient along a line is written with fewer digits before it is cut.

Read next: faces/render/longest_texts.py
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal

from graphlab.faces.render.metrics import cut

NUMBER = re.compile(r"-?\d+\.\d+(e[+-]\d+)?|-?\d+e[+-]\d+")
FEWER = (4, 3, 2)  # significant digits; of a value's text there are 5


def fitted(text: str, most: int) -> str:
    """`text` in at most `most` characters: with fewer digits, as the shape of a list, else cut.

    >>> fitted("[-0.41055, -0.37857]", 16), fitted("[1.5, 2.25, -3.375]", 10)
    ('[-0.411, -0.379]', '(3,)')
    """
    if len(text) <= most:
        return text
    for digits in FEWER:
        shorter = NUMBER.sub(lambda found, digits=digits: rounded(found[0], digits), text)
        if len(shorter) <= most:
            return shorter
    shape = f"({text.count(',') + 1},)"
    return shape if text.startswith("[") and len(shape) <= most else cut(text, most)


def rounded(number: str, digits: int) -> str:
    """A number with so many significant digits, and a point or an exponent as before.

    Halves are rounded away from 0, as in a browser.

    >>> rounded("0.41055", 3), rounded("12.0", 3), rounded("12345.0", 2), rounded("-1.2346e-05", 2)
    ('0.411', '12.0', '1.2e+04', '-1.2e-05')
    """
    near = Context(digits, ROUND_HALF_UP).create_decimal(Decimal(float(number)))
    text = f"{float(near):.{digits}g}"
    return text if "." in text or "e" in text else f"{text}.0"
