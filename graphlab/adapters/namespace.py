"""These functions look inside variables: lists, dicts, and objects of the user's own classes.

They run no code of these objects: attributes are read from `__dict__`, without properties, and
containers with the methods of list, tuple and dict.

Read next: adapters/native/result_names.py
"""

import sys
import sysconfig
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, ModuleType, NoneType
from typing import Any, NamedTuple

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
_name: Any = type.__dict__["__name__"].__get__
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


class Library(NamedTuple):
    """The tensors and the modules of a library: GraphLab's own, or PyTorch's."""

    is_tensor: Callable[[Any], bool]
    tensor: Any  # the class
    module: Any  # the class; (): there are no modules

    def parameters(self, module: Any) -> list[tuple[str, Any]]:
        """The parameters that a module holds itself, by name."""
        held = table_of(module, "_parameters")
        return [(key, one) for key, one in held if self.is_tensor(one)]

    def inside(self, module: Any) -> list[tuple[str, Any]]:
        """A module and those inside it with their paths, each once; as `named_modules` does.

        Those in plain lists, tuples and dicts are found, too, though their parameters are no
        parameters of the module: `layers[0]`.
        """
        found: dict[int, tuple[str, Any]] = {}
        waiting, plain = [("", module)], list[tuple[str, Any]]()
        while waiting or plain:
            path, one = waiting.pop() if waiting else plain.pop(0)
            if id(one) in found or not is_a(one, self.module):
                continue
            found[id(one)] = path, one
            children = table_of(one, "_modules")
            waiting += [(join(path, key), child) for key, child in reversed(children)]
            for key, held in attributes(one):
                if not key.startswith("_"):
                    name = join(path, key)
                    some = [pair for pair in items_of(held) if is_a(pair[1], self.module)]
                    plain += [(f"{name}[{at!r}]", child) for at, child in some]
        return list(found.values())

    def walks(self, held: Iterable[tuple[str, Any]]) -> list[tuple[str, list[tuple[str, Any]]]]:
        """What is inside each module, by its variable; one that is in another is left out."""
        walks = [(name, self.inside(module)) for name, module in held]
        inner = {id(part) for _, walk in walks for _, part in walk[1:]}
        return [(name, walk) for name, walk in walks if id(walk[0][1]) not in inner]


def own_library() -> Library:
    """GraphLab's tensors and modules."""
    module = sys.modules.get("graphlab.nn.module")  # loaded with the first module
    return Library(is_tensor, Tensor, () if module is None else module.Module)


def table_of(module: Any, name: str) -> list[tuple[str, Any]]:
    """The items of one of the tables of a module, such as `_parameters`."""
    table: Any = attributes_by_name(module).get(name)
    pairs = list(dict.items(table)) if is_a(table, dict) else []
    return [(key, value) for key, value in pairs if type(key) is str]


def join(path: str, name: str) -> str:
    """The path of a part of a module: `fc.weight`; the path of the module itself is empty."""
    return f"{path}.{name}" if path else name


class Variables:
    """The tensors and modules in some namespaces, by name; the first name counts.

    These include tensors in lists, tuples and dicts (`weights[0]`, `params['w']`), attributes of
    objects of the user's own classes (`net.w`), and the parameters of modules (`fc1.weight`).
    """

    def __init__(self, library: Library, *scopes: Mapping[str, Any]) -> None:
        self.library = library
        self.tensors: dict[int, tuple[str, Any]] = {}  # id of a tensor -> name, tensor
        self.modules: list[tuple[str, Any]] = []
        self.taken: set[str] = set()  # all variables except functions and modules
        self.kinds: dict[str, str] = {}  # name of an object of the user's -> its class
        for scope in scopes:
            self._read(dict(scope))

    def _read(self, scope: dict[str, Any]) -> None:
        library, nested, known = self.library, list[tuple[str, Any]](), len(self.modules)
        for name, value in scope.items():
            if type(name) is not str or name.startswith(("_", "@")) or name in NOT_THE_USERS:
                continue  # _, __ and _12 are the notebook's own, @py_assert1 pytest's
            if id(type(value)) not in FUNCTIONS:
                self.taken.add(name)
            if id(type(value)) in HOLD_NOTHING:
                continue
            if library.is_tensor(value):
                self._add(name, value)
            elif is_a(value, library.module):
                self._add_module(name, value)
                nested += [(join(name, key), one) for key, one in attributes(value)]
            else:
                for place, one in inside(name, value, (library.tensor, library.module), self.kinds):
                    nested.append((place, one))
                    if is_a(one, library.module):
                        self._add_module(place, one)
        if len(self.modules) > known:
            nested += self._in_modules()
        for name, one in nested:
            if library.is_tensor(one):
                self._add(name, one)

    def _add(self, name: str, tensor: Any) -> None:
        self.tensors.setdefault(id(tensor), (name, tensor))

    def _add_module(self, name: str, module: Any) -> None:
        if all(module is not known for _, known in self.modules):
            self.modules.append((name, module))

    def _in_modules(self) -> list[tuple[str, Any]]:
        """The parameters and buffers of modules by their paths: `fc1.weight`.

        All paths of a module begin with its variable, `model.weight`, if one of them has no dot or
        means another tensor in another module. A module inside another adds no names of its own.
        """
        found = [
            (place, join(path, name), one)
            for place, walk in self.library.walks(self.modules)
            for table in ("_parameters", "_buffers")
            for path, part in walk
            for name, one in table_of(part, table)
            if self.library.is_tensor(one)
        ]
        meanings: dict[str, set[int]] = {}
        for _, path, one in found:
            meanings.setdefault(path, set()).add(id(one))
        full = {
            place for place, path, _ in found if "." not in path or len(meanings[path]) > 1
        }  # so that mha.in_proj_bias is beside mha.out_proj.bias
        return [(join(place, path) if place in full else path, one) for place, path, one in found]


def inside(name: str, value: Any, wanted: Any, kinds: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """The instances of `wanted` in a container or an object, with their places as names.

    It is searched level by level. What an instance itself holds is not searched.
    kinds: gets the classes of the objects.
    """
    seen = {id(value)}
    waiting: deque[tuple[Any, Any, int]] = deque([(name, value, 1)])
    while waiting:
        place, thing, depth = waiting.popleft()
        for form, key, one in _parts(thing):
            if id(type(one)) in HOLD_NOTHING or id(one) in seen:
                continue
            if form == ".{}":
                kinds[_name_of(place)] = _name(type(thing))
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
