"""The lines of the user's code: where a node was made, to the column.

Python keeps, for each instruction of a code object, which columns of which line it comes from.

Read next: adapters/rule_text.py
"""

import ast
import linecache
import os
import sys
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import Any

from graphlab.adapters.variable_names import expression_of
from graphlab.autograd.node import Node
from graphlab.graph.model import Source

Position = tuple[int | None, int | None, int | None, int | None]  # lines and columns: from, to


class Sources:
    """Source lines of nodes; each line is read once, each code object gone through once."""

    def __init__(self) -> None:
        # by id: two cells that read the same are equal as code; kept, so that no id is used again
        self._positions: dict[int, tuple[CodeType, list[Position]]] = {}
        self._found: dict[tuple[int, int], tuple[Source | None, str | None]] = {}

    def of(self, node: Node) -> Source | None:
        """The line of the user's code that made a node, with the columns of its expression."""
        return self._at(node)[0]

    def expression_of(self, node: Node) -> str | None:
        """The expression itself, as a name; None when it is too long for one."""
        return self._at(node)[1]

    def _at(self, node: Node) -> tuple[Source | None, str | None]:
        code, at = node._code, node._at
        key = (id(code), at)
        if key not in self._found:
            if id(code) not in self._positions:
                self._positions[id(code)] = code, list(code.co_positions())
            _, positions = self._positions[id(code)]
            position = positions[at // 2] if 0 <= at // 2 < len(positions) else None
            source = read(code, position)
            self._found[key] = source, expression_of(source)
        return self._found[key]


def source_at(place: tuple[CodeType, int] | None) -> Source | None:
    """The line of an instruction, with the columns of its expression."""
    if place is None:
        return None
    code, at = place
    return read(code, next(islice(code.co_positions(), at // 2, None), None))


def read(code: CodeType, position: Position | None) -> Source | None:
    """The line at a position of some code, with the columns of the expression there."""
    if position is None or position[0] is None:
        return None
    line, last_line, start, end = position
    assert line is not None, "asked above"
    raw = linecache.getline(code.co_filename, line).rstrip("\n")
    text = raw.strip()
    if not text:
        return Source(label_of(code.co_filename), line, "")
    indent = len(raw) - len(raw.lstrip())
    if start is None or end is None:
        return Source(label_of(code.co_filename), line, text)
    first = characters(raw, start) - indent
    last = characters(raw, end) - indent if last_line == line else len(text)
    if indent and last_line == line and not _is_expression(text[first:last]):
        # marimo compiles a cell without the indentation that it has in its file
        shifted = first + indent, last + indent
        first, last = shifted if _is_expression(text[slice(*shifted)]) else (first, last)
    if not 0 <= first < last <= len(text):
        first = last = 0
    return Source(label_of(code.co_filename), line, text, first, last)


@lru_cache(maxsize=1024)
def _is_expression(text: str) -> bool:
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def characters(line: str, column: int) -> int:
    """Python counts columns in bytes; we count characters."""
    return len(line.encode()[:column].decode(errors="ignore"))


def label_of(filename: str) -> str:
    """`In [3]` for a notebook's cell, else the name of the file."""
    compiler = getattr(_shell(), "compile", None)
    if compiler is not None and hasattr(compiler, "format_code_name"):
        described = compiler.format_code_name(filename)
        if described and described[1].startswith("In["):
            return described[1].replace("In[", "In [")
    return os.path.basename(filename)


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None
