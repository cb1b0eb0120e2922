"""`draw` and `trace` of PyTorch's tensors: copy the graph, rehearse its backward pass.

Read next: adapters/pytorch/__init__.py
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from graphlab.adapters.event_writer import EventWriter
from graphlab.adapters.forward_pass import whole_forward
from graphlab.adapters.namespace import Variables
from graphlab.adapters.native.facts import is_activation, shows_slope
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.graph_walk import changed, held_by, saved_by, targets_of
from graphlab.adapters.native.rehearsal import REHEARSE_FIRST
from graphlab.adapters.native.saved_values import SMALL, recompute, results_of
from graphlab.adapters.native.unreached import Cut, stopped_by, unreached_by, with_dead_units
from graphlab.adapters.native.variable_names import Names, edge_key, known_results
from graphlab.adapters.pytorch.accessors import (
    hooks_of,
    hooks_on,
    is_accumulator,
    known_maker_of,
    loaded,
    outputs_of,
    root_of,
)
from graphlab.adapters.pytorch.arrays import (
    idle_units_of,
    no_value,
    sample_of,
    sample_of_sum,
    type_of,
)
from graphlab.adapters.pytorch.known_nodes import memory_of
from graphlab.adapters.pytorch.module_calls import GuessedScopes, names_of
from graphlab.adapters.pytorch.rehearsed_pass import (
    Edge,
    Grads,
    check_nodes,
    check_tensor,
    edges_behind,
    walk,
)
from graphlab.adapters.pytorch.stand_ins import NotKept, StandIns
from graphlab.autograd.node import Node, Pinned
from graphlab.autograd.users_code import uninterrupted
from graphlab.common.errors import GraphFreedError
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.document import uncollected
from graphlab.graph.event_log import EventLog
from graphlab.graph.model import Graph
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

SAID = "cut off by detach() or .data before {}"
MOST_SLOPES = 4_096  # entries of a gradient, up to which local derivatives are computed


def is_parameter(leaf: Any) -> bool:
    """Whether a leaf is a parameter of a module."""
    return isinstance(leaf, loaded().nn.Parameter)


class CopyOfStandIns(Copied):
    """A copy of stand-ins, which lack options that PyTorch does not keep."""

    def options(self, node: Any) -> dict[str, Any]:
        """The options that are known, by name."""
        found = super().options(node)
        return {name: held for name, held in found.items() if not isinstance(held, NotKept)}


class TorchCopy:
    """PyTorch's graph behind tensors, copied as data, and the stand-ins it was copied from."""

    def __init__(self, root: Any, variables: Variables, *others: Any) -> None:
        edges = [root_of(one) for one in (root, *others)]
        self.root = edges[0]
        self.stand_ins = stand_ins = StandIns(edges)
        self.copied = CopyOfStandIns()
        own = [stand_ins.edge(edge) for edge in edges]
        for edge, one in zip(own, (root, *others), strict=True):
            if one.grad_fn is not None:
                self.copied.live[edge_key(edge)] = stand_ins.tensor(one)
        names = names_of(variables, stand_ins)
        self.copied.scopes = lambda nodes, names: GuessedScopes(stand_ins, variables)
        parameters = {id(stand_ins.tensor(leaf)) for leaf in stand_ins.leaves if is_parameter(leaf)}
        self.copied.is_parameter = lambda leaf: id(leaf) in parameters
        self.copied.most, self.copied.again = SMALL, partial(made_again, stand_ins)
        self.copied.extend(own, names)
        self._add_shapes()
        self.graph: Graph = self.copied.finish(self.copied.tensor_at(own[0]))

    def _add_shapes(self) -> None:
        """Give results that no variable holds the shape and type that PyTorch's node knows."""
        copied = self.copied
        for node in self.stand_ins.order:
            if is_accumulator(node):
                continue
            for index, (shape, dtype) in enumerate(outputs_of(node)):
                tensor = copied.tensors.get((self.stand_ins.of[node], index))
                if tensor is not None and copied.infos[tensor].value is None:
                    info = copied.infos[tensor]
                    copied.infos[tensor] = replace(info, value=no_value(shape, type_of(dtype)))


def graph_of(root: Any, variables: Variables, *others: Any) -> Graph:
    """The graph behind PyTorch tensors as data; it may be freed already."""
    for one in (root, *others):
        check_tensor("draw", one)
    return TorchCopy(root, variables, *others).graph


def rehearse(root: Any, gradient: Any, variables: Variables) -> Timeline:
    """What `root.backward(gradient)` would do, step by step; PyTorch's graph stays as it is.

    Raises: what `backward` raises, in PyTorch's words.
    """
    seed = loaded().ones_like(root).detach() if gradient is None else gradient.detach()
    copy = TorchCopy(root, variables)
    copied = copy.copied
    check_nodes(copy.stand_ins.order)
    if any(saved_by(node) is None for node in copied.nodes):
        raise GraphFreedError(REHEARSE_FIRST)
    held = [root, *(one for _, one in variables.tensors.values())]
    facts = Facts(copy.stand_ins, retained_in(held, copy.stand_ins))
    walk([copy.root], [seed], facts)
    log = EventLog()
    title = copied.label(copied.root)
    with uncollected():
        EventWriter(copied, title, log).tell([*facts.told, ("ended", [])])
        forward = whole_forward(copied)
    notice = " ".join(filter(None, [log.notice, hooks_notice(copy.stand_ins, variables)]))
    reached = {id(leaf) for leaf in copy.stand_ins.leaves}
    modules = variables.modules, variables.library
    own = {id(copy.stand_ins.tensor(leaf)): leaf for leaf in copy.stand_ins.leaves}
    passes = [(facts.told, copied.node_ids)]
    stopped = stopped_by(copied, passes, lambda leaf: own.get(id(leaf)))
    lost = unreached_by(*modules, lambda one: id(one) in reached, (), stopped)
    if lost:
        cuts = cuts_in(copy.stand_ins, [one for _, one in variables.tensors.values()])
        lost = unreached_by(*modules, lambda one: id(one) in reached, cuts, stopped)
    graph = replace(with_dead_units(copied, facts.told), unreached=lost)
    return Timeline(graph, tuple(log), title=title, notice=notice, forward=forward)


@uninterrupted
def hooks_notice(stand_ins: StandIns, variables: Variables) -> str:
    """A sentence on the hooks that a rehearsal did not run; "" if there are none."""
    tensors = {id(leaf): leaf for leaf in stand_ins.leaves}
    tensors.update(
        (id(one), one) for _, one in variables.tensors.values() if in_graph(one, stand_ins)
    )
    count = sum(map(hooks_on, tensors.values())) + sum(map(hooks_of, stand_ins.order))
    if not count:
        return ""
    said, were = ("1 hook", "was") if count == 1 else (f"{count} hooks", "were")
    return f"{said} of yours {were} not run: a rehearsal of PyTorch's graph runs its rules alone."


def retained_in(tensors: list[Any], stand_ins: StandIns) -> dict[Any, Any]:
    """Return the tensors of a graph that called `retain_grad`, by their edges."""
    return {
        known_maker_of(one): one for one in tensors if one.retains_grad and in_graph(one, stand_ins)
    }


def in_graph(tensor: Any, stand_ins: StandIns) -> bool:
    """Whether a gradient of the tensor passes through the graph."""
    made = known_maker_of(tensor)
    return made is not None and made[0] in stand_ins.of


class Facts:
    """Notes a pass as the facts that EventWriter reads.

    retained: the tensors that called `retain_grad`, by their edges.
    """

    def __init__(self, stand_ins: StandIns, retained: dict[Any, Any]) -> None:
        self._retained = retained
        self.told: list[tuple[Any, ...]] = []
        self._of, self._edges = stand_ins.of, stand_ins.edges
        self._gathered: dict[Edge, ArraySample] = {}  # what waits at an edge
        self._shares: dict[int, Any] = {}
        self._seen: dict[int, tuple[Any, ArraySample]] = {}  # while one node runs

    def seeded(self, roots: list[Edge], grads: Grads) -> None:
        seeds = []
        for edge, grad in zip(roots, grads, strict=True):
            seen = self._gathered[edge] = self._look(grad)
            seeds.append(((self._of[edge[0]], edge[1]), seen))
        self.told.append(("seeded", seeds))

    def entered(self, node: Any, grads: Grads) -> None:
        own = self._of[node]
        came = [self._came((node, output), grad) for output, grad in enumerate(grads)]
        for output, grad in enumerate(grads):
            tensor = self._retained.get((node, output))
            if tensor is not None and grad is not None:
                self._wrote((own, output), tensor.grad, grad, came[output])
        shown: Any = tuple(came) if own.many else came[0]
        if shown is not None and is_activation(own):
            shown.idle = idle_units_of(grads[0])
        self._shares = {}
        self.told.append(("entered", own, shown))

    def sent(self, node: Any, index: int, rule: Any, share: Any, before: Any, after: Any) -> None:
        made, now = self._look(rule), self._look(share)
        edge = self._edges[node][index]
        assert edge is not None, "no gradient is sent without an edge"
        was = self._gathered.get(edge)
        total = self._gathered[edge] = now if was is None else self._look(after)
        if is_activation(self._of[node]):
            made.idle = idle_units_of(rule)
        self._shares[index] = (made, now, now, was, total, None)

    def applied(self, node: Any, grads: Grads) -> None:
        own = self._of[node]
        slopes = self._slopes(node, own, grads)
        shares = []
        for index in range(len(targets_of(own))):
            share = self._shares.get(index)
            shares.append(None if share is None else (*share[:5], slopes.get(index)))
        self.told.append(("applied", own, shares, None))
        self._seen = {}

    def arrived(self, node: Any, grad: Any) -> None:
        added = self._came((node, 0), grad)
        if node.variable.requires_grad:  # it may be frozen since the forward pass
            self._wrote((self._of[node], 0), node.variable.grad, grad, added)

    def _wrote(self, key: Any, before: Any, grad: Any, added: ArraySample | None) -> None:
        was = None if before is None else sample_of(before)
        if was is None or added is None:
            now = added
        elif added.norm is None:
            now = sample_of(before + grad)
        else:  # the sum of large gradients is not computed
            now = sample_of_sum(before, was, grad, added)
        self.told.append(("wrote", key, was, added, now))

    def _came(self, edge: Edge, grad: Any) -> ArraySample | None:
        """The sample of what waited at an edge."""
        seen = self._gathered.pop(edge, None)
        if grad is None or seen is None:
            return None if grad is None else self._look(grad)
        self._seen[id(grad)] = grad, seen
        return seen

    def _look(self, tensor: Any) -> ArraySample:
        """A sample of a gradient, taken once while a node runs."""
        found = self._seen.get(id(tensor))
        if found is None:
            found = self._seen[id(tensor)] = tensor, sample_of(tensor)
        return found[1]

    def _slopes(self, node: Any, own: Any, grads: Grads) -> dict[int, ArraySample]:
        """The local derivatives of a pointwise operation: its rule, given the gradient 1."""
        if not self._shares or grads[0] is None or str(grads[0].layout) != "torch.strided":
            return {}
        entries = grads[0].numel()
        wanted = {
            k for k in self._shares if entries <= MOST_SLOPES and shows_slope(own, k, entries)
        }
        if not wanted:
            return {}
        made = node(loaded().ones_like(grads[0]))
        listed = made if isinstance(made, tuple | list) else (made,)
        return {k: sample_of(one) for k, one in enumerate(listed) if k in wanted}


# -- where a value enters without its graph: it shares memory with a tensor that has one ---------


def cuts_in(stand_ins: StandIns, tensors: Iterable[Any]) -> list[Cut]:
    """The cuts that can be seen, given the tensors that the user's variables hold."""
    sources: dict[int, list[Any]] = {}  # where memory begins -> tensors in it
    for one in tensors:
        if one.requires_grad and (place := memory_of(one)):
            sources.setdefault(place, []).append(one)
    original = {id(stand_in): tensor for tensor, stand_in in stand_ins.tensors()}
    found: list[Cut] = []
    for node in stand_ins.order:
        own = stand_ins.of[node]
        for item in held_by(own) if isinstance(own, Node) else ():
            held = original.get(id(item.tensor if isinstance(item, Pinned) else item))
            if held is None or held.requires_grad:
                continue
            for one in sources.get(memory_of(held), ()):
                if overlap(one, held):
                    found.append(Cut(leaves_behind(one), SAID.format(node.name()), None))
    return found


def overlap(one: Any, other: Any) -> bool:
    """Whether one of two tensors in the same memory begins within the other."""
    first, second = sorted((one, other), key=lambda tensor: tensor.data_ptr())
    return second.data_ptr() < first.data_ptr() + first.nbytes or one.data_ptr() == other.data_ptr()


def leaves_behind(tensor: Any) -> frozenset[int]:
    """The ids of the leaves from which a tensor was computed, or of itself."""
    nodes = edges_behind([root_of(tensor)])
    return frozenset(id(node.variable) for node in nodes if is_accumulator(node))


# -- small results that PyTorch does not keep are computed again ---------------------------------


def known_by(
    stand_ins: StandIns, names: Names, roots: Iterable[tuple[Any, Tensor]] = ()
) -> tuple[dict[Node, tuple[Any, ...]], dict[Any, tuple[Any, int]]]:
    """The results of nodes that no variable holds, and all that are known, by edge."""
    held: dict[Any, tuple[Any, int]] = {}
    for key, tensor in (*roots, *known_results(names, stand_ins.nodes)):
        held.setdefault(key, (tensor._data, changed(tensor)))
    return results_of(stand_ins.nodes[::-1], held, again=partial(made_again, stand_ins)), held


def made_again(stand_ins: StandIns, node: Node, inputs: list[Any]) -> tuple[Any, ...] | None:
    """The results of a node; None if an input or option is unknown, or a shape would differ."""
    original = stand_ins.complete.get(node)
    made = original and recompute(node, inputs)
    pairs = zip(made or (), outputs_of(original) if made else (), strict=False)
    return made if all(np.shape(one) == to for one, (to, _) in pairs) else None
