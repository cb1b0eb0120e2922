"""Unreached parameters of the user's modules get no gradient; this file says why.

A module counts if one of its parameters gets a gradient, if a line is known that cut one off, or if
it is known to have run. Others in the user's variables do not belong to the model.

Read next: graph/gradient_health.py
"""

from collections.abc import Callable, Container, Iterable
from typing import Any, NamedTuple

from graphlab.adapters.namespace import Library, join
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.adapters.native.graph_walk import input_items, nodes_in_order, nodes_of
from graphlab.adapters.native.source_lines import source_at
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.users_code import Place, place
from graphlab.graph.model import Source, Unreached
from graphlab.tensor.tensor import Tensor

MOST = 200  # parameters that a trace lists
MOST_CUTS = 1_000  # places at which a graph was cut
IN_NO_GRAD = "used in no_grad()"
FROZEN, UNUSED = "its requires_grad is False", "this graph does not use it"
MAYBE = f"{UNUSED}, or the detach() before {{}} cuts it off"


class Cut(NamedTuple):
    """A place where a graph was cut. leaves: ids of the leaves behind it; None: they are gone."""

    leaves: frozenset[int] | None
    said: str
    source: Source | None


class Cuts:
    """The places where a recording sees tensors leave their graphs."""

    def __init__(self) -> None:
        self._leaves: dict[tuple[str, Place], set[int]] = {}  # how and where -> ids of leaves

    def note(self, said: str, leaves: Iterable[Any], where: Place | None) -> None:
        """Note that leaves were cut off by a line."""
        if where is not None and (len(self._leaves) < MOST_CUTS or (said, where) in self._leaves):
            self._leaves.setdefault((said, where), set()).update(map(id, leaves))

    def not_recorded(self, inputs: Iterable[Any]) -> None:
        """Note the leaves that an operation got as inputs in `no_grad()`."""
        leaves = [x for x in inputs if isinstance(x, Tensor) and x._needs and x._node is None]
        if leaves:
            self.note(IN_NO_GRAD, leaves, place())

    def told(self) -> list[Cut]:
        """The cuts, with their lines."""
        pairs = self._leaves.items()
        return [Cut(frozenset(leaves), said, source_at(at)) for (said, at), leaves in pairs]


def unreached_by(
    modules: Iterable[tuple[str, Any]],
    library: Library,
    reached: Callable[[Any], bool],
    cuts: Iterable[Cut] = (),
    ran: Container[str] = (),
) -> tuple[Unreached, ...]:
    """The parameters that get no gradient, with the reason as far as it is known.

    modules: with the variables that hold them. ran: the variables of those that are known to run.
    """
    found: dict[int, Unreached] = {}
    cuts = sorted(cuts, key=lambda cut: cut.leaves is None)
    for variable, walk in library.walks(modules):
        parameters = [
            (join(path, key), one) for path, part in walk for key, one in library.parameters(part)
        ]
        lost = [(path, one) for path, one in parameters if not reached(one)]
        whole = len(lost) == len(parameters)
        ids = {id(one) for _, one in lost}
        if whole and variable not in ran and not any(ids & (cut.leaves or set()) for cut in cuts):
            continue
        told: dict[int, Unreached] = {}
        for path, one in lost:
            name = f"{variable}.{path}".removeprefix("self.")
            if not one.requires_grad:
                told[id(one)] = Unreached(name, FROZEN)
                continue
            here = (cut for cut in cuts if cut.leaves is None or id(one) in cut.leaves)
            cut = next(here, Cut(None, UNUSED, None))
            told[id(one)] = Unreached(name, cut.said, cut.source)
        reasons = {(one.why, one.source) for one in told.values()}
        if whole and len(told) > 1 and len(reasons) == 1:
            told = {next(iter(told)): Unreached(f"{variable}.*", *reasons.pop())}
        for key, one in told.items():
            found.setdefault(key, one)
    return tuple(found.values())[:MOST]


def cuts_of(copied: Copied) -> list[Cut]:
    """The places where `detach()` cut a graph and its result is an input of a node."""
    found: list[Cut] = []
    for node in copied.nodes:
        for item in input_items(node):
            if not isinstance(item, Tensor) or item._needs or item._more is None:
                continue
            whole = item if item._more.base is None else item._more.base  # the base of a view
            cut = None if whole._more is None else whole._more.cut
            if cut is None:
                continue
            info = copied.graph.node(copied.node_ids[node])
            origin = cut()
            if origin is None:
                found.append(Cut(None, MAYBE.format(info.name), info.source))
                continue
            leaves = {id(origin)} if isinstance(origin, Tensor) else set()
            for behind in nodes_in_order([origin]):
                leaves |= {id(to) for to in behind._next if isinstance(to, Tensor)}
            said = f"cut off by detach() before {info.name}"
            found.append(Cut(frozenset(leaves), said, info.source))
    return found


def detached_inputs(root: Tensor, names: Names) -> dict[str, str]:
    """The results of `detach()` in the trace of `root`: id -> "detach()", for a sentence.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> h = (2 * x).detach()
    >>> detached_inputs(h * x, Names())
    {'t0': 'detach()'}
    """
    nodes = nodes_of(root)
    inputs = [item for node in nodes for item in input_items(node)]
    if not any(_is_cut(item) for item in inputs):
        return {}
    tensors = copy_of(root, names).tensors_by_id()
    return {id: "detach()" for id, tensor in tensors.items() if _is_cut(tensor)}


def _is_cut(item: object) -> bool:
    if not isinstance(item, Tensor) or item._needs:
        return False
    return item._more is not None and item._more.cut is not None
