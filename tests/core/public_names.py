"""Write the tables of public names anew: `python -m tests.core.public_names --update`.

common/public_names.txt follows from the marks `@public(...)` of all modules, ops/public_names.txt
from the classes of operations.

Read next: graphlab/common/public.py
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from graphlab.common.errors import HERE
from graphlab.common.public import Mark, marks
from graphlab.ops import load_all, registry

HOME = Path(HERE)
PACKAGES = ("common", "tensor", "autograd", "nn.functional", "compat.func")  # all that have marks
Table = dict[str, dict[str, list[str]]]  # what they are -> module -> names


def derive_exports() -> Table:
    """Return the table that follows from the marks."""
    for name in PACKAGES:
        package = import_module(f"graphlab.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    table: Table = {}
    for mark in sorted(set(marks), key=lambda mark: (mark.module, mark.name)):
        kinds = " ".join(kind for kind in Mark._fields[2:] if getattr(mark, kind))
        modules = table.setdefault(kinds, {})
        modules.setdefault(mark.module.removeprefix("graphlab."), []).append(mark.name)
    return dict(sorted(table.items()))


def write(path: Path, table: Table) -> None:
    """Write a table into a file, a line for each module and kind."""
    lines = [
        f"{kinds}: {module}: {' '.join(names)}\n"
        for kinds, modules in table.items()
        for module, names in modules.items()
    ]
    path.write_text("".join(lines), "utf-8")


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
    """Write ops/public_names.txt."""
    table: Table = {}
    for name, (module, kinds) in derive_operations().items():
        table.setdefault(kinds, {}).setdefault(module, []).append(name)
    write(HOME / "ops/public_names.txt", table)


if __name__ == "__main__":
    if "--update" in sys.argv:
        write(HOME / "common/public_names.txt", derive_exports())
        write_operations()
