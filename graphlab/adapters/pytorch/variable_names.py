"""Names of PyTorch's tensors: the variables that hold them, as for GraphLab's own.

Read next: adapters/pytorch/rehearsed_pass.py
"""

from collections.abc import Iterable, Mapping
from types import FrameType
from typing import Any

from graphlab.adapters.frame_variables import scopes_of
from graphlab.adapters.namespace import (
    FUNCTIONS,
    HOLD_NOTHING,
    NOT_THE_USERS,
    attributes_by_name,
    inside,
    is_a,
)
from graphlab.adapters.native.unreached import Modules
from graphlab.adapters.native.unreached import parameters_in as all_parameters_in
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.adapters.pytorch.accessors import is_tensor, loaded, maker_of
from graphlab.adapters.pytorch.stand_ins import StandIns


class Variables:
    """The tensors and modules in some namespaces, by name; the first name counts."""

    def __init__(self, *scopes: Mapping[str, Any]) -> None:
        self.tensors: dict[int, tuple[str, Any]] = {}  # id of a tensor -> name, tensor
        self.modules: dict[str, Any] = {}
        self.taken: set[str] = set()
        for scope in scopes:
            self._read(dict(scope))

    def _read(self, scope: dict[str, Any]) -> None:
        torch = loaded()
        kinds = (torch.Tensor, torch.nn.Module)
        nested: list[tuple[str, Any]] = []
        for name, value in scope.items():
            if type(name) is not str or name.startswith("_") or name in NOT_THE_USERS:
                continue
            if id(type(value)) not in FUNCTIONS:
                self.taken.add(name)
            if id(type(value)) in HOLD_NOTHING:
                continue
            if is_tensor(value):
                self._add(name, value)
            elif is_a(value, torch.nn.Module):
                self._add_module(name, value)
            else:
                for place, one in inside(name, value, kinds):
                    if is_tensor(one):
                        nested.append((place, one))
                    elif is_a(one, torch.nn.Module):
                        self._add_module(place, one)
        for name, tensor in nested:
            self._add(name, tensor)
        for name, tensor in in_modules(self.modules):
            self._add(name, tensor)

    def _add(self, name: str, tensor: Any) -> None:
        self.tensors.setdefault(id(tensor), (name, tensor))

    def _add_module(self, name: str, module: Any) -> None:
        if all(module is not known for known in self.modules.values()):
            self.modules.setdefault(name, module)

    def names(self, stand_ins: StandIns) -> Names:
        """The names by stand-in. A tensor that is not in the graph is left out."""
        names = Names(taken=self.taken)
        for name, tensor in self.tensors.values():
            edge = maker_of(tensor)
            if edge is None:
                if id(tensor) in stand_ins.known:
                    names.of_leaf.setdefault(id(stand_ins.tensor(tensor)), name)
            elif edge[0] in stand_ins.of:
                key = edge_key(stand_ins.edge(edge))
                names.made_by.setdefault(key, (name, stand_ins.tensor(tensor)))
        return names


def variables_of(*frames: FrameType | None) -> Variables:
    """The tensors and modules in the variables of frames, local and global."""
    known = [frame for frame in dict.fromkeys(frames) if frame is not None]
    return Variables(*(scope for frame in known for scope in scopes_of(frame)))


def in_modules(held: dict[str, Any]) -> list[tuple[str, Any]]:
    """The parameters and buffers of modules by their paths: `fc1.weight`.

    All paths of a module begin with its variable if one of them means another tensor elsewhere, or
    has no dot.
    """
    found: list[tuple[str, str, Any]] = []
    walks = {name: paths_of(module) for name, module in held.items()}
    inner = {id(part) for walk in walks.values() for _, part in walk[1:]}
    for name, module in held.items():
        if id(module) in inner:
            continue
        for table in ("_parameters", "_buffers"):
            for path, part in walks[name]:
                for key, tensor in table_of(part, table):
                    if is_tensor(tensor):
                        found.append((name, f"{path}.{key}" if path else key, tensor))
    meanings: dict[str, set[int]] = {}
    for _, path, tensor in found:
        meanings.setdefault(path, set()).add(id(tensor))
    full = {name for name, path, _ in found if "." not in path or len(meanings[path]) > 1}
    return [(f"{name}.{path}" if name in full else path, tensor) for name, path, tensor in found]


def parameters_in(held: Iterable[tuple[str, Any]]) -> Modules:
    """The parameters of PyTorch's modules by path."""
    return all_parameters_in(held, paths_of, parameters_of)


def parameters_of(module: Any) -> list[tuple[str, Any]]:
    """The parameters that a module holds itself, by name."""
    return [(key, one) for key, one in table_of(module, "_parameters") if is_tensor(one)]


def paths_of(module: Any) -> list[tuple[str, Any]]:
    """A module and those inside it with their paths; none of their code runs."""
    torch = loaded()
    found: dict[int, tuple[str, Any]] = {}
    waiting = [("", module)]
    while waiting:
        path, one = waiting.pop()
        if id(one) in found or not is_a(one, torch.nn.Module):
            continue
        found[id(one)] = path, one
        children = table_of(one, "_modules")
        waiting += [(f"{path}.{key}" if path else key, child) for key, child in reversed(children)]
    return list(found.values())


def table_of(module: Any, name: str) -> list[tuple[str, Any]]:
    """The items of one of the tables of a module, such as `_parameters`."""
    table: Any = attributes_by_name(module).get(name)
    pairs = list(dict.items(table)) if is_a(table, dict) else []
    return [(key, one) for key, one in pairs if type(key) is str]
