"""The fonts of saved pictures: a subset of DejaVu that has all mathematical symbols.

The widths of cards are computed for these fonts. Other letters, such as Chinese, come from the
fonts of the machine.

Read next: faces/render/raster.py
"""

from __future__ import annotations

import re
from importlib.resources import as_file, files
from pathlib import Path

# The ranges that `subset.sh` keeps. Characters in them that DejaVu lacks are in no usual font.
_COVERED = re.compile(
    "[\u0009-\u000d\u0020-\u017f\u0302\u0303\u0370-\u03ff\u0400-\u045f\u2010-\u2027\u2030-\u2033"
    "\u2044\u2070-\u209c\u20ac\u2100-\u214f\u2190-\u22ff\u2500-\u25ff\u2713\u2717\u27e8\u27e9\ufffd]*"
)


def are_enough(text: str) -> bool:
    """Whether these fonts have every letter of `text`."""
    return _COVERED.fullmatch(text) is not None


def font_file(face: str) -> Path:
    """The file of one face: "DejaVuSans", "DejaVuSansMono-Bold", ..."""
    with as_file(files("graphlab.faces.render.fonts") / f"{face}.ttf") as path:
        return path


def font_files() -> list[str]:
    """The files of all faces."""
    folder = font_file("DejaVuSans").parent
    return sorted(str(path) for path in folder.glob("*.ttf"))
