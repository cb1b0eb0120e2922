"""A docstring of GraphLab as Markdown: sentences, arguments with their shapes, examples.

Read next: site/reference.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection

SECTIONS = {"Raises", "Returns", "Source", "Yields"}
CODE = re.compile(r"(`[^`]+`)")


def to_markdown(text: str, parameters: Collection[str] = ()) -> str:
    """Return a docstring as Markdown. parameters: names whose descriptions become a list.

    >>> print(to_markdown("Double it. x: (N) -> (N).", ["x"]))
    Double it.
    <BLANKLINE>
    - **x**: (N) -> (N).
    """
    return "\n\n".join(
        example(block) if block.startswith(">>>") else prose(block, {*parameters, *SECTIONS})
        for block in blocks(text)
    )


def blocks(text: str) -> list[str]:
    """Split a docstring at empty lines; an example begins a block of its own."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        before, begins, after = block.strip("\n").partition(">>> ")
        found += [part for part in (before.rstrip(), begins + after) if part]
    return found


def example(block: str) -> str:
    """Return a doctest as a block of code."""
    return f"```pycon\n{block.replace('<BLANKLINE>', '')}\n```"


def prose(block: str, names: Collection[str]) -> str:
    """Return a paragraph: its sentences, then a list of what it says of each name."""
    text = " ".join(line.strip() for line in block.splitlines())
    word = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    begins = rf"(?:^|(?<=[.;)]) )(?=\*{{0,2}}(?:{word})(?:, \*{{0,2}}(?:{word}))*: )"
    parts = [part for part in re.split(begins, text) if part]
    lines, items = [], []
    for part in parts:
        name, colon, rest = part.partition(": ")
        if colon and set(re.split(r", ", name.replace("*", ""))) <= set(names):
            label = f"**{escaped(name)}**" if name not in SECTIONS else f"*{name}*"
            items.append(f"- {label}: {escaped(rest.rstrip())}")
        else:
            lines.append(escaped(part))
    return "\n\n".join([*lines, *(["\n".join(items)] if items else [])])


def escaped(text: str) -> str:
    """Return text whose characters mean themselves in Markdown, except in code."""
    parts = CODE.split(text)
    return "".join(
        part if k % 2 else re.sub(r"([\\*_\[\]<>#$|~{}])", r"\\\1", part)
        for k, part in enumerate(parts)
    )
