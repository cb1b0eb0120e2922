"""What variables hold inside: lists, dictionaries, and objects of the user's own classes.

Objects are foreign: nothing of theirs is run, so their attributes are read from `__dict__`, without
their properties, and containers with the methods of list, tuple and dict.

Read next: adapters/result_names.py
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

NOT_THE_USERS = frozenset(("In", "Out", "exit", "quit", "get_ipython", "open"))
MOST_ITEMS = 64  # of one container or object
MOST_OBJECTS = 1_000  # that are searched, for one variable
DEEPEST = 6  # `net.layers[0].neurons[1].w[0]`
FUNCTIONS = frozenset((type, ModuleType, FunctionType, BuiltinFunctionType))
HOLD_NOTHING = FUNCTIONS | {int, float, complex, bool, str, bytes, NoneType, np.ndarray}
_LIBRARIES = tuple({HERE, *(path for key, path in sysconfig.get_paths().items() if "lib" in key)})
_mro: Any = type.__dict__["__mro__"].__get__
_dict: Any = type.__dict__["__dict__"].__get__
_module: Any = type.__dict__["__module__"].__get__


def is_a(thing: Any, kind: Any) -> bool:
    """`isinstance` without access to `__class__`."""
    return issubclass(type(thing), kind)


def items_of(thing: Any) -> list[tuple[str | int, Any]]:
    """The first items of a list, a tuple or a dict, with keys that are texts or integers."""
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


def attributes(thing: Any) -> list[tuple[str, Any]]:
    """The first attributes that an object holds itself; no property is run."""
    for kind in _mro(type(thing)):
        held = _dict(kind).get("__dict__")
        if held is not None:
            if type(held) is not GetSetDescriptorType:
                return []  # a property of the user's
            found = held.__get__(thing)
            return [
                (key, one)
                for key, one in islice(list(found.items()), MOST_ITEMS)
                if type(key) is str
            ]
    return []


def inside(name: str, value: Any, closed: Any) -> Iterator[tuple[str, Any]]:
    """What a container or an object holds, level by level, each with the name of its place.

    closed: classes whose instances are not searched themselves.
    """
    seen = {id(value)}
    waiting = deque([(name, value, 1)])
    while waiting:
        place, thing, depth = waiting.popleft()
        for inner, one in _parts(place, thing):
            if type(one) in HOLD_NOTHING or id(one) in seen:
                continue
            yield inner, one
            if depth < DEEPEST and len(seen) < MOST_OBJECTS and not is_a(one, closed):
                seen.add(id(one))
                waiting.append((inner, one, depth + 1))


def _parts(place: str, thing: Any) -> Iterator[tuple[str, Any]]:
    for key, one in items_of(thing):
        yield f"{place}[{key!r}]", one
    if is_the_users(_module(type(thing))):
        for key, one in attributes(thing):
            yield f"{place}.{key}", one


@lru_cache(maxsize=4096)
def is_the_users(module: Any) -> bool:
    """Whether a class with this `__module__` is the user's own, not a library's.

    >>> is_the_users("__main__"), is_the_users("graphlab.optim.sgd"), is_the_users("numpy")
    (True, False, False)
    """
    if module == "__main__":
        return True
    held = sys.modules.get(module) if type(module) is str else None
    file = dict.get(held.__dict__, "__file__") if type(held) is ModuleType else None
    return type(file) is str and not file.startswith(_LIBRARIES)
