"""Write the tables of `exports.py` from the marks `@public(...)` of all modules.

    python -m graphlab.common.derive_exports

Read next: common/public.py
"""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from textwrap import wrap

from graphlab.common.public import Mark, marks

PACKAGES = ("common", "tensor", "autograd", "nn.functional", "compat.func")  # all that have marks
Table = dict[str, str] | set[str]


def derive() -> dict[str, Table]:
    """Return the tables that follow from the marks: name of the table -> its contents."""
    for name in PACKAGES:
        package = import_module(f"graphlab.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    return {
        "BOTH": by_module(lambda mark: mark.function and mark.method),
        "FUNCTIONS": by_module(lambda mark: mark.function and not mark.method),
        "METHODS": by_module(lambda mark: mark.method and not mark.function),
        "IN_PLACE": by_module(lambda mark: mark.in_place),
        "WRITTEN": {mark.name for mark in marks if mark.out},
        "OPERATORS": {mark.name for mark in marks if mark.operator},
    }


def by_module(chosen: Callable[[Mark], bool]) -> dict[str, str]:
    """Return module -> names of the marks that are chosen, in alphabetical order."""
    found: dict[str, list[str]] = {}
    for mark in sorted(set(marks), key=lambda mark: (mark.module, mark.name)):
        if chosen(mark):
            found.setdefault(mark.module.removeprefix("graphlab."), []).append(mark.name)
    return {module: " ".join(names) for module, names in found.items()}


def write() -> None:
    """Replace the tables in exports.py."""
    path = Path(__file__).with_name("exports.py")
    text = path.read_text("utf-8")
    for name, table in derive().items():
        text = re.sub(rf"^{name}: .*?(?=\n\n)", source(name, table), text, flags=re.S | re.M)
    path.write_text(text, "utf-8")


def source(name: str, table: Table) -> str:
    """Return the statement that defines a table."""
    if isinstance(table, set):
        rows = "\n".join(f"    {row}" for row in wrap(", ".join(map(repr, sorted(table))), 90))
        rows = rows.replace("'", '"')
        return f"{name}: set[str] = {{\n{rows},\n}}  # fmt: skip"
    rows = ""
    for module, names in table.items():
        parts = wrap(names, 86)
        lines = "".join(f'        "{part} "\n' for part in parts[:-1]) + f'        "{parts[-1]}"\n'
        one_line = f'    "{module}": "{names}",\n'
        rows += one_line if len(one_line) <= 100 else f'    "{module}": (\n{lines}    ),\n'
    return f"{name}: dict[str, str] = {{\n{rows}}}  # fmt: skip"


if __name__ == "__main__":
    write()
