"""Source lines tell which expression of the user's code made a node.

Python keeps the line and the columns of each instruction of a code object.

Read next: adapters/rule_text.py
"""

import linecache
import os
from dataclasses import dataclass
from itertools import islice
from types import CodeType
from typing import cast

from graphlab.adapters.native.variable_names import expression_of
from graphlab.adapters.statements import Span, Spot, spots_of
from graphlab.autograd.node import Node
from graphlab.common.notebook import shell
from graphlab.graph.model import Source

Position = tuple[int | None, int | None, int | None, int | None]  # lines and columns: from, to


@dataclass(frozen=True, slots=True)
class Made:
    """What the user's code says about a node."""

    source: Source | None = None
    expression: str | None = None  # as a name; None if it is too long for one
    spot: Spot | None = None  # None: the text is unknown
    span: tuple[str, Span] | None = None  # of the file's text

    @property
    def in_place(self) -> bool:
        """Whether the code changes a variable in place."""
        return self.spot is not None and bool(self.spot.target and self.spot.target.in_place)


class Sources:
    """The source lines of nodes; each line and each code object is read once."""

    def __init__(self) -> None:
        # by id, because cells with the same text have equal code; kept, so that ids stay unique
        self._positions: dict[int, tuple[CodeType, list[Position]]] = {}
        self._found: dict[tuple[int, int], Made] = {}

    def of(self, node: Node) -> Source | None:
        """The line of the user's code that made a node, with the columns of its expression."""
        return self.made(node).source

    def made(self, node: Node) -> Made:
        """The line, the expression, and what the code does with its value."""
        return self.at(node._code, node._at)

    def at(self, code: CodeType, at: int) -> Made:
        """The same for an instruction of a code object."""
        key = (id(code), at)
        if key not in self._found:
            if id(code) not in self._positions:
                self._positions[id(code)] = code, list(code.co_positions())
            _, positions = self._positions[id(code)]
            position = positions[at // 2] if 0 <= at // 2 < len(positions) else None
            self._found[key] = made_at(code, position)
        return self._found[key]


def source_at(place: tuple[CodeType, int] | None) -> Source | None:
    """The line of an instruction, with the columns of its expression."""
    if place is None:
        return None
    code, at = place
    return made_at(code, next(islice(code.co_positions(), at // 2, None), None)).source


def made_at(code: CodeType, position: Position | None) -> Made:
    """What the user's code says at a position of a code object."""
    if position is None or position[0] is None:
        return Made()
    line = position[0]
    raw = linecache.getline(code.co_filename, line).rstrip("\n")
    text = raw.strip()
    if not text:
        return Made(Source(label_of(code.co_filename), line, ""))
    if None in position:
        return Made(Source(label_of(code.co_filename), line, text))
    indent = len(raw) - len(raw.lstrip())
    span, spot = spot_at(code.co_filename, cast(Span, position), indent)
    _, last_line, start, end = span
    first = characters(raw, start) - indent
    last = characters(raw, end) - indent if last_line == line else len(text)
    if not 0 <= first < last <= len(text):
        first = last = 0
    source = Source(label_of(code.co_filename), line, text, first, last)
    named = last_line == line and (spot is None or spot.is_value)
    return Made(source, expression_of(source) if named else None, spot, (code.co_filename, span))


def spot_at(filename: str, span: Span, indent: int) -> tuple[Span, Spot | None]:
    """The span in the file's text, and the Spot there.

    marimo compiles a cell without the indentation that it has in its file.
    """
    spots, (line, last_line, start, end) = spots_of(filename), span
    shifted = (line, last_line, start + indent, end + indent)
    if span not in spots and shifted in spots:
        span = shifted
    return span, spots.get(span)


def characters(line: str, column: int) -> int:
    """The number of characters before a column, which Python counts in bytes."""
    return len(line.encode()[:column].decode(errors="ignore"))


def label_of(filename: str) -> str:
    """`In [3]` for a notebook's cell, else the name of the file."""
    compiler = getattr(shell(), "compile", None)
    if compiler is not None and hasattr(compiler, "format_code_name"):
        described = compiler.format_code_name(filename)
        if described and described[1].startswith("In["):
            return described[1].replace("In[", "In [")
    return os.path.basename(filename)
