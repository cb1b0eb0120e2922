"""The fonts of saved pictures: DejaVu, which has all mathematical symbols, from matplotlib.

The widths of cards are computed for these fonts. Characters that they lack, such as Chinese ones,
come from the fonts of the computer.

Read next: faces/render/raster.py
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

INSTALL = 'pip install "graphlab[export]"'
FACES = (
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono", "DejaVuSansMono-Bold",
    "DejaVuSerif-BoldItalic",
)  # fmt: skip
# Characters in these ranges that DejaVu lacks are not in other common fonts either.
_COVERED = re.compile(
    "[\u0009-\u000d\u0020-\u017f\u0302\u0303\u0370-\u03ff\u0400-\u045f\u2010-\u2027\u2030-\u2033"
    "\u2044\u2070-\u209c\u20ac\u2100-\u214f\u2190-\u22ff\u2500-\u25ff\u2713\u2717\u27e8\u27e9\ufffd]*"
)


def are_enough(text: str) -> bool:
    """Return whether these fonts have every character of `text`."""
    return _COVERED.fullmatch(text) is not None


def font_file(face: str) -> Path:
    """Return the file of one of FACES, from matplotlib, which is not imported.

    Raises: ImportError if matplotlib is not installed, with the command that installs it.
    """
    matplotlib = find_spec("matplotlib")
    if matplotlib is None or matplotlib.origin is None:
        raise ImportError(
            "saving as PNG, PDF or GIF needs the fonts of matplotlib, which is not installed: "
            f"{INSTALL}"
        )
    return Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf" / f"{face}.ttf"


def font_files() -> list[str]:
    """Return the files of all faces."""
    return [str(font_file(face)) for face in FACES]
