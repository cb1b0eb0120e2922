"""`@public(...)`: says of a function under which of PyTorch's names a user may call it.

    @public(method=True, in_place=True)
    def clamp(input, min=None, max=None): ...

makes `graphlab.clamp`, `Tensor.clamp` and `Tensor.clamp_`. A function that is only one operation is
announced by the class of that operation (ops/base.py).

A module is loaded when one of its names is first used, so that `import graphlab` stays quick
however many functions there are. `python -m tests.core.public_names --update` writes the tables of
names, common/public_names.txt and ops/public_names.txt, anew; tests compare them with the marks.

Read next: tensor/functions/__init__.py
"""

import builtins
import re
import sys
from collections.abc import Callable, Container
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

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


T = TypeVar("T")
# what comes before all examples, and stands in no source
IMPORTS = {
    "torch": "import graphlab as torch",
    "F": "import graphlab.nn.functional as F",
    "nn": "from graphlab import nn",
    "optim": "from graphlab import optim",
    "lr_scheduler": "from graphlab.optim import lr_scheduler",
    "swa_utils": "from graphlab.optim import swa_utils",
}
CALLED = re.compile(r"(?<![\w.\"'])(?<!def )(?<!class )[A-Za-z]\w*(?=\()")


def with_import(doc: str, module: str = "torch", names: Container[str] = ()) -> str:
    r"""Return a docstring whose examples begin with the imports that they need.

    names: those that the examples call as the module's own, and the user as `module.name`.

    >>> with_import("Ones:\n  >>> torch.ones(1)")
    'Ones:\n  >>> import graphlab as torch\n  >>> torch.ones(1)'
    >>> with_import(">>> relu(torch.ones(1))", "F", ["relu"]).splitlines()[1:]
    ['>>> import graphlab.nn.functional as F', '>>> F.relu(torch.ones(1))']
    """
    called = "graphlab" if module == "torch" and ">>> import graphlab\n" in doc else module

    def qualified(line: re.Match[str]) -> str:
        return CALLED.sub(lambda m: f"{called}." * (m[0] in names) + m[0], line[0])

    doc = re.sub(r"(>>>|\.\.\.) .*", qualified, doc)
    needed = ["torch"] if "torch." in doc and "import graphlab" not in doc else []
    needed += [module] if module != "torch" and f"{module}." in doc else []
    before, prompt, examples = doc.partition(">>> ")
    indent = before[before.rfind("\n") + 1 :]
    lines = [f"{prompt}{line}\n{indent}" for n in needed if (line := IMPORTS[n]) not in doc]
    return f"{before}{''.join(lines)}{prompt}{examples}" if prompt else doc


class OfTorch:
    """The public functions that the examples of a module call by their bare names."""

    def __init__(self, *own: Any) -> None:
        self.own = own

    def __contains__(self, name: str) -> bool:
        known = name in FUNCTIONS or name in OPERATIONS
        return known and (not hasattr(builtins, name) or any(name in names for names in self.own))


class Mark(NamedTuple):
    """A public name, the module that has it, and what it is."""

    name: str
    module: str
    function: bool
    method: bool
    in_place: bool
    out: bool
    operator: bool


marks: list[Mark] = []


def public(
    *,
    function: bool = True,
    method: bool = False,
    in_place: bool = False,
    out: bool = False,
    operator: bool = False,
) -> Callable[[T], T]:
    """Mark a function or a class of this module as public, under its own name.

    function: `graphlab.<name>(...)`. method: `tensor.<name>(...)`. in_place: `tensor.<name>_(...)`
    writes the result over the tensor. out: the function takes `out=`. operator: one of Python's
    operators calls it too, and it may return NotImplemented.
    """

    def marked(thing: T) -> T:
        name: Any = thing.__name__  # type: ignore[attr-defined]
        names = sys._getframe(1).f_globals
        module = names["__name__"]
        marks.append(Mark(name, module, function, method, in_place, out, operator))
        thing.__doc__ = with_import(thing.__doc__ or "", names=OfTorch([name], names))
        return thing

    return marked


def mark(names: str, **kinds: bool) -> None:
    """Mark names that an assignment introduces in this module, such as `absolute = abs`.

    names: with blanks between them. kinds: as for `public`.
    """
    kinds = {"function": True, **dict.fromkeys(Mark._fields[3:], False), **kinds}
    module = sys._getframe(1).f_globals["__name__"]
    marks.extend(Mark(name, module, **kinds) for name in names.split())
