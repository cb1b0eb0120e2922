"""Where every public function of tensors lives, derived from marks `@public(...)` and operations.

A module is loaded when one of its names is first used, so that `import graphlab` stays quick
however many functions there are. `python -m tests.core.public_names --update` writes the tables,
common/public_names.txt and ops/public_names.txt, anew; tests compare them with their sources.

Read next: tensor/functions/__init__.py
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from graphlab.common.errors import HERE

Table = dict[str, dict[str, str]]  # what they are -> module -> names, with blanks between them


def read_table(package: str) -> Table:
    """Return the table in a package's public_names.txt, where a line is "kinds: module: names"."""
    table: Table = {}
    with open(f"{HERE}{package}/public_names.txt", encoding="utf-8") as file:
        for line in file:
            kinds, module, names = line.rstrip().split(": ")
            table.setdefault(kinds, {})[module] = names
    return table


TABLE = read_table("common")


def of_kind(kind: str) -> dict[str, str]:
    """Return the module of each name that is a function, a method, has `out=` and so on."""
    modules = [table for kinds, table in TABLE.items() if kind in kinds.split()]
    return homes(*modules)


def homes(*tables: dict[str, str]) -> dict[str, str]:
    """Return the module of each name in the tables: {"tanh": "tensor.functions.pointwise", ...}."""
    return {name: module for table in tables for module in table for name in table[module].split()}


def lazy(
    package: str, table: dict[str, str], modules: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that imports a name when it is first used.

    package: its `__name__`. table: the module of each name. modules: names of its own modules.
    """

    def find(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in table:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"graphlab.{table[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find, lambda: sorted({*vars(sys.modules[package]), *table, *modules})


# operations, whose classes say what they are: name -> (module of ops/, its kinds)
OPERATIONS = {
    name: (module, kinds)
    for kinds, modules in read_table("ops").items()
    for module, names in modules.items()
    for name in names.split()
}
FUNCTIONS, METHODS = of_kind("function"), of_kind("method")
IN_PLACE = of_kind("in_place")  # `tensor.name_()` writes over the tensor
WRITTEN = of_kind("out")  # they take `out=`, the tensor that the result is written into
OPERATORS = of_kind("operator")  # which return NotImplemented where they raise a TypeError
