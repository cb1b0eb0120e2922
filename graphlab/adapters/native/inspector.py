"""The inspector lists the tensors in a namespace as plain data, without running the user's code.

The `__repr__`, the properties and even the `__class__` of an object in a notebook may print, fail
or take a minute. So this file uses only `type(x)`, reads containers with the methods of list, tuple
and dict, and reads the slots of a tensor instead of its properties, because reading the `grad_fn`
of a view may give it a new one.

Read next: faces/panel.py
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Any

import numpy as np

from graphlab.adapters.namespace import (
    NOT_THE_USERS,
    is_a,
    is_tensor,
    items_of,
    own_data,
    table_of,
    tensors_beyond,
)
from graphlab.autograd.function import Context
from graphlab.autograd.saved_tensor_hooks import has_packed
from graphlab.common.dtypes import find
from graphlab.graph.value import number_text, summarise
from graphlab.tensor.tensor import Tensor, own_needs, own_node
from graphlab.tensor.versions import Version

MOST_ROWS = 300  # tensors in the table
MOST_MODULES = 500  # in one model

own_grad: Any = Tensor.__dict__["_grad"].__get__
own_more: Any = Tensor.__dict__["_more"].__get__


@dataclass(frozen=True, slots=True)
class Found:
    """A tensor, its name, and the code for it in the user's namespace."""

    name: str  # "net.0.weight"
    code: str  # "net.get_parameter('0.weight')"
    tensor: Tensor


def users(namespace: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The user's variables, without the notebook's own, which begin with an underscore."""
    for name, value in list(dict.items(namespace)):
        if type(name) is str and not name.startswith("_") and name not in NOT_THE_USERS:
            yield name, value


def tensors_in(namespace: dict[str, Any]) -> Iterator[Found]:
    """All tensors in variables, directly or in a list, a dict or a module."""
    for name, value in users(namespace):
        if is_tensor(value):
            yield Found(name, name, value)
            continue
        for key, item in items_of(value):
            place = f"{name}[{key!r}]"
            if is_tensor(item):
                yield Found(place, place, item)
            else:
                yield from in_module(place, item)
        yield from in_module(name, value)


def in_module(name: str, thing: Any) -> Iterator[Found]:
    """The parameters and buffers of a module and its submodules, each once."""
    tree = sys.modules.get("graphlab.nn.tree")
    if tree is None or not is_a(thing, tree.Tree):
        return
    waiting: list[tuple[tuple[str, ...], Any]] = [((), thing)]
    seen = {id(thing)}
    while waiting and len(seen) <= MOST_MODULES:
        path, module = waiting.pop(0)
        for table, getter in (("_parameters", "get_parameter"), ("_buffers", "get_buffer")):
            for key, value in table_of(module, table):
                if is_tensor(value):
                    yield Found(*called(name, (*path, key), getter), value)
        for key, child in table_of(module, "_modules"):
            if is_a(child, tree.Tree) and id(child) not in seen:
                seen.add(id(child))
                waiting.append(((*path, key), child))


def called(name: str, path: tuple[str, ...], getter: str) -> tuple[str, str]:
    """The name of a parameter, and the code for it.

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
    """The table of tensors, as plain data.

    module: graphlab itself; the table names the user's variable for it.
    """
    rows: list[dict[str, Any]] = []
    unseen, newest, last = sum(tensors_beyond(value) for _, value in users(namespace)), -1, None
    for found in [*tensors_in(namespace), *last_result(namespace)]:
        made = sequence_of(found.tensor)
        if found.code != "_" and len(rows) < MOST_ROWS:
            rows.append(row_of(found))
        elif found.code != "_":
            unseen += 1
        if made > newest:
            newest, last = made, found.code
    return {"module": alias_of(namespace, module), "rows": rows, "unseen": unseen, "last": last}


def last_result(namespace: dict[str, Any]) -> Iterator[Found]:
    """The result of the last cell, `_`, if it is a tensor."""
    result: Any = dict.get(namespace, "_")
    if is_tensor(result):
        yield Found("the last result", "_", result)


def alias_of(namespace: dict[str, Any], module: ModuleType) -> str | None:
    """The user's name for a module, such as `torch`; None if no variable holds it."""
    for name, value in list(dict.items(namespace)):
        if value is module and type(name) is str and not name.startswith("_"):
            return name
    return None


def sequence_of(tensor: Tensor) -> int:
    """The sequence number of a tensor's node; -1 for a leaf."""
    made = own_node.__get__(tensor, Tensor)
    return -1 if made is None else getattr(made, "node", made)._sequence


def row_of(found: Found) -> dict[str, Any]:
    """The row of one tensor."""
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
    """An array on one line; only its first entries if not all fit.

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

    A view whose memory was changed gets a new grad_fn when it is read. This function only predicts
    the name.
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


def is_freed(node: Any) -> bool:
    """Whether a backward pass has freed what a node had saved."""
    return node._saved is None


def users_code(nodes: list[Any]) -> str:
    """The user's code that a backward pass through `nodes` would run, in words; "" for none."""
    for node in nodes:
        if isinstance(node, Context):
            return f"the backward of {node.function.__name__}"
        if has_packed(node):
            return "the hooks of a saved tensor"
        if any(kind.endswith("hooks") and found for kind, found in (node._extra or {}).items()):
            return f"a hook on {node.name()}"
        for target in node._next:
            more = target._more if isinstance(target, Tensor) else None
            if more is not None and more.hooks and (more.hooks.tensor or more.hooks.pre):
                return "a hook on a leaf"
    return ""
