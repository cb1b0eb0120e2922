"""Which tensors a namespace holds, as plain data for a table: read, never run.

What stands in a notebook is foreign: an object's `__repr__`, its properties, even its `__class__`
may print, fail or take a minute. So only `type(x)` is asked, containers are read by the methods of
list, tuple and dict themselves, and of a tensor the slots are read, not its properties: to ask a
view for its `grad_fn` may give it a new one.

Read next: faces/panel.py
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np

from graphlab.common.dtypes import find
from graphlab.graph.value import number_text, summarise
from graphlab.tensor.tensor import Tensor, own_needs, own_node
from graphlab.tensor.versions import Version

MOST_ROWS = 300  # tensors in the table
MOST_ITEMS = 64  # of a list or a dict that is searched for tensors
MOST_MODULES = 500  # of one model
NOT_THE_USERS = frozenset(("In", "Out", "exit", "quit", "get_ipython", "open"))

own_data: Any = Tensor.__dict__["_data"].__get__
own_grad: Any = Tensor.__dict__["_grad"].__get__
own_more: Any = Tensor.__dict__["_more"].__get__


@dataclass(frozen=True, slots=True)
class Found:
    """A tensor, what it is called, and the code that gives it in the user's namespace."""

    name: str  # "net.0.weight"
    code: str  # "net.get_parameter('0.weight')"
    tensor: Tensor


def tensors_in(namespace: dict[str, Any]) -> Iterator[Found]:
    """Every tensor that the variables hold: themselves, in a list or a dict, or in a module.

    Names that begin with an underscore are the notebook's own and are left out.
    """
    for name, value in list(dict.items(namespace)):
        if type(name) is not str or name.startswith("_") or name in NOT_THE_USERS:
            continue
        if is_a(value, Tensor):
            yield Found(name, name, value)
            continue
        for key, item in items_of(value):
            place = f"{name}[{key!r}]"
            if is_a(item, Tensor):
                yield Found(place, place, item)
            else:
                yield from in_module(place, item)
        yield from in_module(name, value)


def is_a(thing: Any, kind: type) -> bool:
    """isinstance, without asking the thing for its `__class__`."""
    return issubclass(type(thing), kind)


def items_of(thing: Any) -> list[tuple[str | int, Any]]:
    """The first items of a list, a tuple or a dict, each with a key that can be written down."""
    if is_a(thing, dict):
        pairs: Any = dict.items(thing)
    elif is_a(thing, list):
        pairs = enumerate(list.__iter__(thing))
    elif is_a(thing, tuple):
        pairs = enumerate(tuple.__iter__(thing))
    else:
        return []
    first = list(islice(pairs, MOST_ITEMS))
    return [(key, item) for key, item in first if type(key) in (str, int)]


def in_module(name: str, thing: Any) -> Iterator[Found]:
    """The parameters and buffers of a module and of the modules in it, each once."""
    tree = sys.modules.get("graphlab.nn.tree")
    if tree is None or not is_a(thing, tree.Tree):
        return
    held: Any = tree.Tree.__dict__["__dict__"].__get__  # no __getattr__ of the user's is asked
    waiting: list[tuple[tuple[str, ...], Any]] = [((), thing)]
    seen = {id(thing)}
    while waiting and len(seen) <= MOST_MODULES:
        path, module = waiting.pop(0)
        for table, getter in (("_parameters", "get_parameter"), ("_buffers", "get_buffer")):
            for key, value in table_of(held(module), table):
                if is_a(value, Tensor):
                    yield Found(*called(name, (*path, key), getter), value)
        for key, child in table_of(held(module), "_modules"):
            if is_a(child, tree.Tree) and id(child) not in seen:
                seen.add(id(child))
                waiting.append(((*path, key), child))


def table_of(held: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    """One of a module's tables, where it is a dictionary."""
    table: Any = held.get(name)
    pairs = list(dict.items(table)) if is_a(table, dict) else []
    return [(key, value) for key, value in pairs if type(key) is str]


def called(name: str, path: tuple[str, ...], getter: str) -> tuple[str, str]:
    """What to call a parameter, and the code that gives it.

    >>> called("net", ("fc", "weight"), "get_parameter")
    ('net.fc.weight', 'net.fc.weight')
    >>> called("net", ("0", "weight"), "get_parameter")
    ('net.0.weight', "net.get_parameter('0.weight')")
    """
    dotted = ".".join(path)
    plain = all(part.isidentifier() for part in path)
    return f"{name}.{dotted}", f"{name}.{dotted}" if plain else f"{name}.{getter}({dotted!r})"


# -- the table ---------------------------------------------------------------------------------


def table(namespace: dict[str, Any], module: ModuleType) -> dict[str, Any]:
    """All that the table of tensors shows, as plain data.

    module: graphlab itself, to learn under which name the user knows it.
    """
    rows: list[dict[str, Any]] = []
    unseen, newest, last = 0, -1, None
    for found in [*tensors_in(namespace), *last_result(namespace)]:
        try:
            made = sequence_of(found.tensor)
            if found.code != "_" and len(rows) < MOST_ROWS:
                rows.append(row_of(found))
            elif found.code != "_":
                unseen += 1
        except AttributeError:  # not all there: its __init__ failed, or never ran
            continue
        if made > newest:
            newest, last = made, found.code
    return {"module": alias_of(namespace, module), "rows": rows, "unseen": unseen, "last": last}


def last_result(namespace: dict[str, Any]) -> Iterator[Found]:
    """What the last cell gave, `_`, where that is a tensor."""
    result: Any = dict.get(namespace, "_")
    if is_a(result, Tensor):
        yield Found("the last result", "_", result)


def alias_of(namespace: dict[str, Any], module: ModuleType) -> str | None:
    """The user's name for a module: `torch`, `gl`; None when no variable holds it."""
    for name, value in list(dict.items(namespace)):
        if value is module and type(name) is str and not name.startswith("_"):
            return name
    return None


def sequence_of(tensor: Tensor) -> int:
    """When a tensor was made: the sequence number of its node; -1 for a leaf."""
    made = own_node.__get__(tensor, Tensor)
    return -1 if made is None else getattr(made, "node", made)._sequence


def row_of(found: Found) -> dict[str, Any]:
    """What the table says about one tensor."""
    tensor = found.tensor
    raw, more, grad = own_data(tensor), own_more(tensor), own_grad(tensor)
    made, needs = origin_of(tensor)
    inference = more is not None and more.inference
    version = 0 if more is None or more.version is None else more.version.count
    return {
        "name": found.name,
        "code": found.code,
        "mark": f"{id(tensor)}.{version}",  # another tensor, or changed in place: another mark
        "value": preview(raw),
        "shape": list(raw.shape),
        "dtype": find(raw.dtype).name,
        "is_leaf": made is None,
        "requires_grad": needs,
        "grad_fn": made,
        "version": None if inference else version,  # inference tensors do not track versions
        "grad": None if grad is None else preview(own_data(grad)),
        "retains_grad": made is not None and more is not None and more.retains_grad,
    }


def preview(raw: Any) -> str:
    """An array on one line: its first entries, where not all of them fit.

    >>> import numpy as np
    >>> preview(np.array(2.5)), preview(np.array([[1.0, 2.0], [3.0, 4.0]]))
    ('2.5', '1.0, 2.0, …')
    """
    text = summarise(raw).text
    if np.size(raw) < 2 or text.startswith("["):
        return text
    return ", ".join([*map(number_text, islice(raw.flat, 2)), "…"])


def origin_of(tensor: Tensor) -> tuple[str | None, bool]:
    """The name of a tensor's grad_fn, None for a leaf, and whether it requires a gradient.

    A view whose memory was changed gets a new grad_fn when somebody asks for it: here it is only
    said what that will be.
    """
    made, needs = own_node.__get__(tensor, Tensor), own_needs.__get__(tensor, Tensor)
    if Version.outdated is not None and type(tensor) is Version.outdated:
        more = own_more(tensor)
        base = own_needs.__get__(more.base, Tensor)
        if made is not None or base:
            return ("Invalid" if more.origin else "AsStridedBackward0"), bool(needs or base)
    if made is None:
        return None, bool(needs)
    return getattr(made, "node", made).name().rsplit("::")[-1], bool(needs)
