"""A rehearsal is a backward pass that is run to be watched and changes nothing.

Gradients are not written to `.grad`, and saved tensors are kept, so the real pass can still run.
Hooks that receive a gradient are called, and so is the backward of a custom Function; the rehearsal
continues with what they return. Post-accumulate hooks are not called, because they expect that
`.grad` was written, and a rehearsal writes none.

Read next: adapters/event_writer.py
"""

import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from graphlab.adapters.event_writer import EventWriter
from graphlab.adapters.forward_pass import whole_forward
from graphlab.adapters.namespace import own_library
from graphlab.adapters.native.facts import Watch
from graphlab.adapters.native.formulas_of_graph import replay_of
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.adapters.native.unreached import cuts_of, stopped_by, unreached_by, with_dead_units
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.adapters.program_runs import told
from graphlab.autograd.backward import execute, key_of
from graphlab.autograd.edges import entering
from graphlab.autograd.rerun import CannotRerun, Subgraph, rerun, walk
from graphlab.common.errors import GraphFreedError
from graphlab.graph.event_log import EventLog
from graphlab.graph.formulas import Replay
from graphlab.graph.model import Graph
from graphlab.graph.replaying import Replayed, computed_with, decided_otherwise
from graphlab.graph.timeline import Timeline
from graphlab.graph.value import number_text
from graphlab.tensor.tensor import Tensor, wrap

REHEARSE_FIRST = (
    " (A rehearsal also needs the saved tensors: run the formula again, and call trace before "
    "backward.)"
)


def rehearse(root: Tensor, gradient: Tensor | None = None, names: Names | None = None) -> Timeline:
    """What `root.backward(gradient)` would do, step by step; tensors and graph do not change.

    Raises: the errors of `backward`: RuntimeError when `root` needs no gradient, the gradient does
    not fit, the graph was freed, or a saved tensor was changed.
    """
    roots = entering(root, gradient, create_graph=False)
    copied = copy_of(root, names or Names())
    if any(node._saved is None for node in copied.nodes):
        raise GraphFreedError(REHEARSE_FIRST)
    watch, title = Watch(), copied.label(copied.root)
    execute(roots, lambda leaf, grad: None, keep_graph=True, create_graph=False, observer=watch)
    log = EventLog()
    EventWriter(copied, title, log).tell(watch.facts)
    hooked = watch.hooks_changed
    forward = whole_forward(copied)
    copied.graph = with_dead_units(copied, watch.facts)
    if names is not None and names.modules:
        reached = {id(leaf) for leaf in copied.node_ids}
        stopped = stopped_by(copied, [(watch.facts, copied.node_ids)])
        modules, cuts = (names.modules, own_library()), cuts_of(copied)
        lost = unreached_by(*modules, lambda p: id(p) in reached, cuts, stopped)
        copied.graph = replace(copied.graph, unreached=lost)
    replay = replay_of(copied, roots, hooked)
    return Timeline(
        copied.graph,
        tuple(log),
        title=title,
        notice=log.notice,
        live=live_arrays(copied),
        forward=forward,
        replay=replay,
        again=Rerunner(root, gradient, copied, hooked, rehearse, replay),
    )


def live_arrays(
    copied: Copied, hold: Callable[[Tensor], weakref.ref[Tensor] | None] = weakref.ref
) -> dict[str, Callable[[], Any]]:
    """The data and the gradient of each tensor that still exists, by "t5" and "t5.grad".

    hold: returns a weak reference to a tensor; for a snapshot, to the tensor that it shows.
    """
    arrays: dict[str, Callable[[], Any]] = {}
    for identity, tensor in copied.tensors_by_id().items():
        reference = hold(tensor)
        if reference is not None:
            arrays[identity] = partial(_data_of, reference)
            arrays[f"{identity}.grad"] = partial(_grad_of, reference)
    return arrays


def _data_of(reference: weakref.ref[Tensor]) -> Any:
    tensor = reference()
    return None if tensor is None else tensor._data


def _grad_of(reference: weakref.ref[Tensor]) -> Any:
    tensor = reference()
    return None if tensor is None or tensor._grad is None else tensor._grad._data


# -- running a graph again -----------------------------------------------------------------------
#
# With other values of the leaves, if the graph's formulas are not enough, the graph runs again on
# copies of its tensors (autograd/rerun.py), and the new graph is rehearsed.
# The user's tensors are held weakly and only read.


Rehearse = Callable[[Tensor, Tensor | None, Names], Timeline]

MOST_SNAPPED = 10_000  # entries that are compared with the five digits that a page shows
GONE = (
    "The tensors of this graph no longer exist in the kernel, so it cannot be computed again. Run "
    "the cell again."
)
CHANGED = (
    "{0} was changed in place since this was recorded, so the graph cannot run again. Run the cell "
    "again."
)
HOOKED = "A hook changed a gradient, so the graph cannot run again without your program."


class Rerunner:
    """Runs a graph again with other values: called with {leaf: entries}, leaves by name or id.

    It returns the new timeline, or one sentence that says why there is none.
    """

    def __init__(
        self,
        root: Tensor,
        gradient: Tensor | None,
        copied: Copied,
        hooked: bool,
        again: Rehearse,
        replay: Replay | None,
    ) -> None:
        self._root = weakref.ref(root)
        self._gradient = (
            None if gradient is None else wrap(np.array(gradient._data)[()], False, None)
        )
        self._graph: Graph = copied.graph
        self._variables = dict(copied.variables)
        self._leaves = {
            place: (weakref.ref(tensor), tensor._version)
            for place, tensor in copied.tensors_by_id().items()
            if copied.infos[place].is_leaf
        }
        self._hooked, self._again, self._replay = hooked, again, replay or Replay()

    def __call__(self, edits: Mapping[str, Any]) -> Timeline | str:
        root = self._root()
        if root is None:
            return GONE
        if self._hooked:
            return HOOKED
        for place, (held, version) in self._leaves.items():
            tensor = held()
            if tensor is None:
                return GONE
            if tensor._version != version:
                return CHANGED.format(self._graph.tensor(place).label)
        try:
            values = {self._leaf(name): entries for name, entries in edits.items()}
            return self._at({leaf: read(leaf, given) for leaf, given in values.items()}, root)
        except CannotRerun as reason:
            return f"The graph cannot run again at this value: {reason}."
        except Exception as error:  # the user's own code may raise anything
            return told(error, "the graph")

    def _leaf(self, name: str) -> Tensor:
        """A leaf or a constant, by name or id. Raises: CannotRerun."""
        graph = self._graph
        found = [place for place in self._leaves if name in (place, graph.tensor(place).name)]
        tensor = self._leaves[found[0]][0]() if found else None
        if tensor is None:
            raise CannotRerun(f"there is no leaf {name!r} in it")
        return tensor

    def _at(self, values: Mapping[Tensor, Any], root: Tensor) -> Timeline | str:
        graph: Subgraph = walk(root)
        made = rerun(graph, values, follow_cuts=True)
        new: Tensor = made[graph.root]
        fresh = copy_of(new, Names(), whole=False)
        run = Replayed(self._graph, self._replay)
        run.tensors = {k: computed_with(x) for k, x in fresh.raw.items() if x is not None}
        if said := decided_otherwise(run):
            return said
        for leaf in graph.leaves:
            if leaf._grad is not None:
                made[key_of(leaf)]._grad = wrap(np.array(leaf._grad._data)[()], False, None)
        timeline = self._again(new, self._gradient, self._names(fresh, made.values()))
        again = timeline.replay and replace(timeline.replay, decided=self._replay.decided)
        return replace(timeline, graph=self._scoped(timeline.graph), replay=again)

    def _names(self, fresh: Copied, made: Iterable[Any]) -> Names:
        """The names of the first run; a graph of the same structure has the same ids.

        fresh, made: a copy of the new graph, and its tensors.
        """
        names = Names()
        results = {
            edge_key(one._node): one for one in made if isinstance(one, Tensor) and one._node
        }
        keys = {place: key for key, place in fresh.tensors.items()}
        for tensor in self._graph.tensors:  # leaves are in the order of the caller's variables
            key = keys.get(tensor.id)
            if isinstance(key, int) and tensor.name:  # a constant
                names.of_leaf[key] = tensor.name
            elif isinstance(key, tuple) and isinstance(key[0], Tensor) and tensor.name:
                names.of_leaf[id(key[0])] = tensor.name
            elif key in results and tensor.id in self._variables:
                names.made_by[key] = (self._variables[tensor.id], results[key])
        return names

    def _scoped(self, graph: Graph) -> Graph:
        """`graph` with the scopes of the first run, which are not entered again."""
        if not self._graph.scopes:
            return graph
        known = self._graph
        nodes = tuple(
            replace(node, scope=known.node(node.id).scope) if known.has("node", node.id) else node
            for node in graph.nodes
        )
        return replace(graph, nodes=nodes, scopes=known.scopes)


def read(leaf: Tensor, given: Any) -> Any:
    """The new entries from a page, as an array like that of the leaf. Raises: CannotRerun.

    A page shows five digits; an entry whose five digits did not change keeps its value.
    """
    old = np.asarray(leaf._data)
    try:
        data = np.asarray(given)
    except (TypeError, ValueError, OverflowError):
        data = np.asarray(None)
    if data.dtype.kind not in "fiub":
        raise CannotRerun("its new value is not made of numbers")
    data = np.array(data, np.float64)
    if data.shape != old.shape:
        raise CannotRerun(f"a leaf of the shape {list(old.shape)} cannot become {list(data.shape)}")
    if old.dtype.kind == "f" and data.size <= MOST_SNAPPED:
        flat, was = data.reshape(-1), old.reshape(-1).tolist()
        for place, number in enumerate(flat.tolist()):
            if number != was[place] and number_text(number) == number_text(was[place]):
                flat[place] = was[place]
    return data.astype(old.dtype)[()]
