"""Write the tables of public names anew: `python -m tests.core.public_names --update`.

The tables of common/exports.py follow from the marks `@public(...)` of all modules, that of
ops/public_names.py from the classes of operations.

Read next: graphlab/common/public.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from textwrap import wrap

from graphlab.common import exports
from graphlab.common.public import Mark, marks
from graphlab.ops import load_all, public_names, registry

PACKAGES = ("common", "tensor", "autograd", "nn.functional", "compat.func")  # all that have marks
Table = dict[str, str] | set[str]


def derive_exports() -> dict[str, Table]:
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


def write_exports() -> None:
    """Replace the tables in exports.py."""
    path = Path(exports.__file__)
    text = path.read_text("utf-8")
    for name, table in derive_exports().items():
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


def derive_operations() -> dict[str, tuple[str, str]]:
    """Return the table that follows from the classes, after loading all of them."""
    load_all()
    found = {}
    for name, op in sorted(registry.items()):
        kinds = [kind for kind in ("function", "method", "in_place", "out") if getattr(op, kind)]
        if kinds and op.__module__.startswith("graphlab.ops."):
            found[name] = (op.__module__.removeprefix("graphlab.ops."), " ".join(kinds))
    return found


def write_operations() -> None:
    """Replace the table in ops/public_names.py."""
    path = Path(public_names.__file__)
    table: dict[str, dict[str, list[str]]] = {}
    for name, (module, kinds) in derive_operations().items():
        table.setdefault(kinds, {}).setdefault(module, []).append(name)
    rows = ""
    for kinds, modules in table.items():
        inner = "".join(
            f'        "{key}": "{" ".join(names)}",\n' for key, names in modules.items()
        )
        rows += f'    "{kinds}": {{\n{inner}    }},\n'
    head, rest = path.read_text("utf-8").split("]] = {\n", 1)
    _, tail = rest.split("}\n\n", 1)
    path.write_text(f"{head}]] = {{\n{rows}}}\n\n{tail}", "utf-8")


if __name__ == "__main__":
    if "--update" in sys.argv:
        write_exports()
        write_operations()
