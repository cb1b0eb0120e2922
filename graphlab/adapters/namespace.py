"""These functions look inside variables: lists, dicts, and objects of the user's own classes.

They run no code of these objects: attributes are read from `__dict__`, without properties, and
containers with the methods of list, tuple and dict.

Read next: adapters/native/result_names.py
"""

import sys
import sysconfig
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, ModuleType, NoneType
from typing import Any

import numpy as np

from graphlab.common.errors import HERE
from graphlab.tensor.tensor import Tensor, own_needs, own_node

NOT_THE_USERS = frozenset(("In", "Out", "exit", "quit", "get_ipython", "open"))
MOST_ITEMS = 64  # of one container or object that are searched
MOST_COUNTED = 10_000  # items of one container that are counted
MOST_OBJECTS = 1_000  # that are searched, for one variable
DEEPEST = 6  # `net.layers[0].neurons[1].w[0]`
# ids of classes, because comparing classes themselves may run code of their metaclass
FUNCTIONS = frozenset(map(id, (type, ModuleType, FunctionType, BuiltinFunctionType)))
VALUES = (int, float, complex, bool, str, bytes, NoneType, np.ndarray)
HOLD_NOTHING = FUNCTIONS.union(map(id, VALUES))
LIBRARIES = tuple({HERE, *(path for key, path in sysconfig.get_paths().items() if "lib" in key)})
own_data: Any = Tensor.__dict__["_data"].__get__
_mro: Any = type.__dict__["__mro__"].__get__
_dict: Any = type.__dict__["__dict__"].__get__
_module: Any = type.__dict__["__module__"].__get__


def is_a(thing: Any, kind: Any) -> bool:
    """`isinstance` without access to `__class__`."""
    return issubclass(type(thing), kind)


def items_of(thing: Any) -> list[tuple[str | int, Any]]:
    """The first items of a list, a tuple or a dict whose keys are strings or integers."""
    first = list(islice(_pairs(thing), MOST_ITEMS))
    return [(key, item) for key, item in first if type(key) in (str, int)]


def tensors_beyond(thing: Any) -> int:
    """How many tensors a list, a tuple or a dict has after its first items."""
    return sum(is_tensor(item) for _, item in islice(_pairs(thing), MOST_ITEMS, MOST_COUNTED))


def _pairs(thing: Any) -> Iterator[tuple[Any, Any]]:
    if is_a(thing, dict):
        return iter(dict.items(thing))
    if is_a(thing, list):
        return enumerate(list.__iter__(thing))
    return enumerate(tuple.__iter__(thing)) if is_a(thing, tuple) else iter(())


def attributes(thing: Any) -> list[tuple[str, Any]]:
    """The first attributes in the `__dict__` of an object; no property is run."""
    pairs = islice(list(attributes_by_name(thing).items()), MOST_ITEMS)
    return [(key, one) for key, one in pairs if type(key) is str]


def attributes_by_name(thing: Any) -> dict[Any, Any]:
    """The `__dict__` of an object; an empty one if that is a property of the user's."""
    for kind in _mro(type(thing)):
        held = _dict(kind).get("__dict__")
        if held is not None:
            return held.__get__(thing) if type(held) is GetSetDescriptorType else {}
    return {}


def is_tensor(thing: Any) -> bool:
    """Whether it is a complete tensor; one whose subclass failed in `__init__` is not."""
    if not is_a(thing, Tensor):
        return False
    try:
        parts = own_node.__get__(thing, Tensor), own_data(thing), own_needs.__get__(thing, Tensor)
    except AttributeError:
        return False
    return len(parts) == 3


def table_of(module: Any, name: str) -> list[tuple[str, Any]]:
    """The items of one of the tables of an `nn.Module`, such as `_parameters`."""
    held: Any = sys.modules["graphlab.nn.tree"].Tree.__dict__["__dict__"].__get__
    table: Any = held(module).get(name)
    pairs = list(dict.items(table)) if is_a(table, dict) else []
    return [(key, value) for key, value in pairs if type(key) is str]


def modules_inside(module: Any) -> list[tuple[str, Any]]:
    """An `nn.Module` and those inside it with their paths, each once; as `named_modules` does."""
    kind = sys.modules["graphlab.nn.tree"].Tree
    found: dict[int, tuple[str, Any]] = {}
    waiting = [("", module)]
    while waiting:
        path, one = waiting.pop()
        if id(one) in found or not is_a(one, kind):
            continue
        found[id(one)] = path, one
        children = [(f"{path}.{key}" if path else key, x) for key, x in table_of(one, "_modules")]
        waiting += reversed(children)
    return list(found.values())


def inside(name: str, value: Any, wanted: Any) -> Iterator[tuple[str, Any]]:
    """The instances of `wanted` in a container or an object, with their places as names.

    It is searched level by level. What an instance itself holds is not searched.
    """
    seen = {id(value)}
    waiting: deque[tuple[Any, Any, int]] = deque([(name, value, 1)])
    while waiting:
        place, thing, depth = waiting.popleft()
        for form, key, one in _parts(thing):
            if id(type(one)) in HOLD_NOTHING or id(one) in seen:
                continue
            if is_a(one, wanted):
                yield _name_of(place) + form.format(key), one
            elif depth < DEEPEST and len(seen) < MOST_OBJECTS:
                seen.add(id(one))
                waiting.append(((place, form, key), one, depth + 1))


def _name_of(place: Any) -> str:
    if type(place) is str:
        return place
    outer, form, key = place
    return _name_of(outer) + form.format(key)


def _parts(thing: Any) -> Iterator[tuple[str, str | int, Any]]:
    for key, one in items_of(thing):
        yield "[{!r}]", key, one
    home = _module(type(thing))
    if type(home) is str and is_the_users(home):
        for key, one in attributes(thing):
            yield ".{}", key, one


@lru_cache(maxsize=4096)
def is_the_users(module: str) -> bool:
    """Whether a class with this `__module__` is the user's own, not a library's.

    >>> is_the_users("__main__"), is_the_users("graphlab.optim.sgd"), is_the_users("numpy")
    (True, False, False)
    """
    if module == "__main__":
        return True
    held = sys.modules.get(module)
    file = dict.get(held.__dict__, "__file__") if type(held) is ModuleType else None
    return type(file) is str and not file.startswith(LIBRARIES)
