"""`@public(...)`: says of a function under which of PyTorch's names a user may call it.

    @public(method=True, in_place=True)
    def clamp(input, min=None, max=None): ...

makes `graphlab.clamp`, `Tensor.clamp` and `Tensor.clamp_`. A function that is only one operation is
announced by the class of that operation (ops/base.py). `common/exports.py` is a table derived from
the marks, so that a module is loaded only when one of its names is first used.

Read next: common/exports.py
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
IMPORT = ">>> import graphlab as torch"  # comes before all examples, and stands in no source


def with_import(doc: str) -> str:
    r"""Return a docstring whose examples begin with the import that they need.

    >>> with_import("Ones:\n  >>> torch.ones(1)")
    'Ones:\n  >>> import graphlab as torch\n  >>> torch.ones(1)'
    """
    if "torch." not in doc or "import graphlab" in doc:
        return doc
    before, prompt, examples = doc.partition(">>> ")
    indent = before[before.rfind("\n") + 1 :]
    return f"{before}{IMPORT}\n{indent}{prompt}{examples}" if prompt else doc


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
        module = sys._getframe(1).f_globals["__name__"]
        marks.append(Mark(name, module, function, method, in_place, out, operator))
        thing.__doc__ = with_import(thing.__doc__ or "")
        return thing

    return marked


def mark(names: str, **kinds: bool) -> None:
    """Mark names that an assignment introduces in this module, such as `absolute = abs`.

    names: with blanks between them. kinds: as for `public`.
    """
    kinds = {"function": True, **dict.fromkeys(Mark._fields[3:], False), **kinds}
    module = sys._getframe(1).f_globals["__name__"]
    marks.extend(Mark(name, module, **kinds) for name in names.split())
