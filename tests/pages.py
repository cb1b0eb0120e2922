"""The Python blocks of a page, run from top to bottom in one new namespace, as a reader runs them.

Read next: tests/packaging/test_blocks.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RICH = ("_repr_mimebundle_", "_ipython_display_", "_repr_html_", "_repr_svg_")
ONE_BY_ONE = "give each line a cell of its own:"


@dataclass
class Block:
    """A block of a page, and what its lines gave."""

    before: str  # the text above it, up to the block before
    code: str
    line: int  # of the page, at which the code begins
    shown: list[tuple[str, Any]] = field(default_factory=list)  # expressions and their values

    @property
    def one_by_one(self) -> bool:
        """Whether the page tells the reader to run the lines one by one."""
        return self.before.rstrip().endswith(ONE_BY_ONE)

    @property
    def last(self) -> Any:
        """The value of the last line: what a notebook shows. None if it is not an expression."""
        return self.shown[-1][1] if self.shown and ends_with_expression(self.code) else None

    def lost(self) -> list[str]:
        """List the lines whose result a notebook would show, and does not: more lines follow."""
        lines = self.shown[:-1] if ends_with_expression(self.code) else self.shown
        return [] if self.one_by_one else [source for source, value in lines if is_rich(value)]


def is_rich(value: Any) -> bool:
    return not isinstance(value, type) and any(hasattr(value, name) for name in RICH)


def ends_with_expression(code: str) -> bool:
    return isinstance(ast.parse(code).body[-1], ast.Expr)


def blocks(page: str) -> Iterator[Block]:
    """Give the blocks of a page that are programs, not sessions with `>>>`."""
    text = (ROOT / page).read_text("utf-8")
    end = 0
    for found in re.finditer(r"```python\n(?!>>>)(.*?)```", text, flags=re.DOTALL):
        yield Block(text[end : found.start()], found[1], text[: found.start(1)].count("\n") + 1)
        end = found.end()


def run(page: str, names: dict[str, Any], without: str | None = None) -> list[Block]:
    """Run the blocks of a page in `names`. without: the first words of an excerpt, left out."""
    done = [block for block in blocks(page) if not (without and block.code.startswith(without))]
    for block in done:
        tree = ast.parse("\n" * (block.line - 1) + block.code)
        for statement in tree.body:
            if isinstance(statement, ast.Expr):
                code = compile(ast.Expression(statement.value), f"<{page}>", "eval")
                block.shown.append((ast.unparse(statement), eval(code, names)))
            else:
                exec(compile(ast.Module([statement], []), f"<{page}>", "exec"), names)
    return done
