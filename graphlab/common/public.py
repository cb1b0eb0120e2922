"""`@public(...)`: says of a function under which of PyTorch's names a user may call it.

    @public(method=True, in_place=True)
    def clamp(input, min=None, max=None): ...

makes `graphlab.clamp`, `Tensor.clamp` and `Tensor.clamp_`. A function that is only one operation is
announced by the class of that operation (ops/base.py). `common/exports.py` is a table derived from
the marks, so that a module is loaded only when one of its names is first used.

Read next: common/exports.py
"""

import builtins
import re
import sys
from collections.abc import Callable, Container
from typing import Any, NamedTuple, TypeVar

from graphlab.common.exports import FUNCTIONS, OPERATIONS

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
