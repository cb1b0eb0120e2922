"""PyTorch's graph as stand-ins: nodes and tensors of GraphLab's own classes with PyTorch's values.

A stand-in of a node has the edges, the saved values and the options of the node that it stands for,
so adapters/native/graph_copy.py copies it as it copies a snapshot of a recording. Stand-ins live
only while the graph is copied, and so do the arrays, which share PyTorch's memory.

Read next: adapters/pytorch/edge_check.py
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from graphlab.adapters.native.graph_walk import Moment
from graphlab.adapters.native.snapshots import packed
from graphlab.adapters.pytorch.accessors import (
    Held,
    has_bias,
    is_accumulator,
    is_tensor,
    loaded,
    maker_of,
    output_of,
    outputs_of,
    saved_by_user,
    saved_of,
    sequence_of,
    version_of,
)
from graphlab.adapters.pytorch.arrays import array_of, sample_of, type_of
from graphlab.adapters.pytorch.operations import (
    class_of,
    inputs_of,
    is_as_noted,
    is_known,
    recovered,
)
from graphlab.adapters.pytorch.rehearsed_pass import Edge, edges_behind, engine_order
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.node import Node, Output, Pinned
from graphlab.ops.base import Op
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import Version

FIRST = 2**45  # the sequence number of the first stand-in, far from those of GraphLab's own nodes
LATER = 2**50  # when a tensor was changed in place, if that was after a node saved it
OPTIONAL = frozenset(("weight", "bias", "running_mean", "running_var", "attn_mask", "pos_weight"))
PLAIN = frozenset((int, float, bool, str, type(None)))  # types of options
ENTRIES = (np.ndarray, np.generic, int, float, bool)  # types of what can be computed with
NO_LINE = (lambda: None).__code__  # stand-ins have no source line: PyTorch does not keep it


class NotKept:
    """An option that PyTorch's node does not keep."""

    def __repr__(self) -> str:
        return "…"


class StandIns:
    """The stand-ins of one graph.

    roots: edges, where the gradients enter. memory: the stand-ins that a recording knows already.
    lines: what a recording noted of the calls that made the nodes.
    """

    def __init__(self, roots: Iterable[Edge], memory: Any = None, lines: Any = None) -> None:
        self.roots, self.memory, self._lines = list(roots), memory, lines
        self.new: list[Any] = []  # nodes that had no stand-in
        self.edges = edges_behind(self.roots)
        self.order = engine_order(self.roots, self.edges)
        self.of: dict[Any, Any] = {}  # PyTorch node -> stand-in of the node, or of its leaf
        self.held: list[Any] = []  # PyTorch tensors, whose ids are keys
        self._tensors: dict[int, Tensor] = {}  # id of a tensor -> its stand-in
        self.complete: dict[Node, Any] = {}  # stand-in, all inputs and options known -> node
        self._outputs: dict[Any, int] = {}
        self._count_outputs()
        self.accumulators: dict[Any, Any] = {}  # PyTorch node -> its leaf
        last = LATER
        for node in self.order:
            if is_accumulator(node):
                leaf = self.accumulators[node] = node.variable
                self.of[node] = self.tensor(leaf)
                continue
            known = memory and memory.node(node)
            if known is None:
                known = self._node_without_values(node, last)
                self.new.append(node)
            self.of[node], last = known, known._sequence
        for node in reversed(self.new):
            self._fill(node, self.of[node])

    @property
    def nodes(self) -> list[Node]:
        """The stand-ins of nodes, in the order in which the engine runs them."""
        return [self.of[node] for node in self.order if node not in self.accumulators]

    @property
    def leaves(self) -> list[Any]:
        """The PyTorch leaves that get a gradient."""
        return list(self.accumulators.values())

    def edge(self, edge: Edge) -> Any:
        """An edge between stand-ins: a node, one output of it, or a leaf."""
        node, output = edge
        known = self.of[node]
        return Output(known, output) if isinstance(known, Node) and known.many else known

    @property
    def known(self) -> Iterable[int]:
        """The ids of PyTorch's tensors that have a stand-in."""
        return self._tensors.keys()

    # -- tensors -------------------------------------------------------------------------------

    def tensors(self) -> list[tuple[Any, Tensor]]:
        """The tensors that have a stand-in here, and the stand-ins."""
        return [(tensor, self._tensors[id(tensor)]) for tensor in self.held]

    def tensor(self, tensor: Any) -> Tensor:
        """The stand-in of a tensor."""
        known = self._tensors.get(id(tensor))
        if known is None:
            self.held.append(tensor)
            known = None if self.memory is None else self._remembered(tensor)
            known = self._new(tensor) if known is None else known
            self._tensors[id(tensor)] = known
        return known

    def _remembered(self, tensor: Any) -> Tensor | None:
        """The stand-in of an earlier pass, if the tensor is still the result of the same node."""
        known, made = self.memory.tensor(tensor), maker_of(tensor)
        if known is None or (made is None) != (known._node is None):
            return None
        if made is not None and (made[0] not in self.of or self.edge(made) is not known._node):
            return None
        self.memory.look(tensor, known)
        return known

    def _new(self, tensor: Any) -> Tensor:
        stand_in, edge = stand_in_of(tensor), maker_of(tensor)
        if edge is not None and edge[0] in self.of:
            stand_in._node = self.edge(edge)
        if tensor._is_view() and tensor._base is not None:
            stand_in._rare().base = self.tensor(tensor._base)
        return stand_in

    # -- nodes ---------------------------------------------------------------------------------

    def _count_outputs(self) -> None:
        """Note the highest output of each node that gets a gradient."""
        for edges in (*self.edges.values(), self.roots):
            for edge in edges:
                if edge is not None and edge[1] >= self._outputs.get(edge[0], 1):
                    self._outputs[edge[0]] = edge[1] + 1

    def _node_without_values(self, node: Any, last: int) -> Node:
        kind = class_of(node, len(self.edges[node]), self._outputs.get(node, 1))
        stand_in: Any = object.__new__(kind)
        place = len(self.of)
        stand_in._sequence = FIRST + len(self.order) - place
        stand_in._code, stand_in._at = NO_LINE, FIRST + 2 * place
        if self._lines is not None:
            number = sequence_of(node)
            # below the last, also for a view of a changed base, which gets its node late
            stand_in._sequence = min(2 * (FIRST + number), last - 1)
            stand_in._code, stand_in._at = self._lines.of(number) or (NO_LINE, FIRST + 2 * number)
        stand_in._reduce = stand_in._version = stand_in._extra = stand_in._constants = None
        stand_in._next = stand_in._options = stand_in._saved = ()
        if kind.many:
            stand_in._extra = {"outputs": [shape for shape, _ in outputs_of(node)]}
        return stand_in

    def _fill(self, node: Any, stand_in: Any) -> None:
        edges = self.edges[node]
        stand_in._next = tuple([None if edge is None else self.edge(edge) for edge in edges])
        if issubclass(type(stand_in), Context):
            found = list(saved_by_user(node))
            freed = any([one.freed for one in found])
            stand_in._saved = None if freed else tuple([self._saved(one, node) for one in found])
            return
        op, reading = stand_in.op, reading_of(stand_in.op)
        if reading is None:
            found = saved_of(node, frozenset())
            freed = any([one.freed for one in found.values()])
            names = (found.get(name) for name in op.inputs[1:])
            items = [None if one is None else self._saved(one, node) for one in names]
            stand_in._saved = None if freed else (None, *items, *[None for _ in op.outputs])
            return
        held = saved_of(node, reading.asked)
        freed = any([one.freed for one in held.values()])
        of_word = dict(zip(op.rules, edges, strict=op.variadic is False))
        into = edges if op.variadic else [of_word.get(name) for name in op.inputs]
        names = [""] * len(edges) if op.variadic else op.inputs
        given = [None] * len(into)
        if self._lines is not None:
            given = inputs_of(node, [edge is not None for edge in into])
        constants = [
            None if edge else self._constant(name, held, one)
            for name, edge, one in zip(names, into, given, strict=False)
        ]
        stand_in._constants = tuple(constants)
        known = not any(type(one) is Tensor and one._data is None for one in constants)
        if reading.options:
            further = given[len(into) :]
            options = [
                value_of(held[name])
                if name in held
                else further[0]
                if name in ("other", "value") and further  # of 1 - x, masked_fill(mask, 0)
                else self._option(node, op, name, held, of_word, edges)
                for name in reading.options
            ]
            stand_in._options = tuple(options)
            known = known and NotKept not in map(type, options)
        if not op.variadic and op.broadcasts:
            stand_in._reduce = sizes_to_sum_to(op, of_word)
        if known and (all(into) or not freed):
            self.complete[stand_in] = node
        if op.shown:
            told = {name: value_of(held[name]) for name in op.shown if name in held}
            stand_in._extra = {**(stand_in._extra or {}), "worked out": told}
        if freed:
            stand_in._saved = None
        elif reading.saves:
            stand_in._saved = self._saved_items(op, node, held, stand_in)

    def _saved_items(self, op: type[Op], node: Any, held: dict[str, Held], made: Any) -> Any:
        items = [self._saved(held[name], node) if name in held else None for name in op.inputs]
        for name in op.outputs:
            one = held.get(name)
            item = None if one is None else packed(one.packed) if one.packed else one.value
            items.append(sample_or_array(item) if is_tensor(item) else item)
            if one is not None and one.expected is not None:
                made._version = (Version(version_of(item)), one.expected)
        return tuple(items)

    def _saved(self, one: Held, node: Any) -> Any:
        """A saved value as the stand-in holds it."""
        if one.packed:
            return packed(one.packed)
        if not is_tensor(one.value):
            return one.value
        edge = maker_of(one.value)
        if edge is not None and edge[0] is node:  # an output of the node itself
            data = sample_or_array(one.value)
            own_class: Any = type(self.of[node])
            if not own_class.many and is_known(own_class.op):
                return data
            if not own_class.many and edge[1]:
                return blank(data)
            own: Any = object.__new__(SavedOutput)
            own.data, own.floating, own.index = data, True, edge[1]
            return own
        stand_in = self.tensor(one.value)
        seen = None if self.memory is None else self.memory.latest.get(stand_in)
        if seen is not None and seen is not stand_in._data:  # another value than at first
            now = version_of(one.value)
            return Moment(stand_in, now if one.expected is None else one.expected, 0, seen, now)
        if one.expected is None:
            version = version_of(one.value)
            return Pinned(stand_in, version, 0) if version else stand_in
        more = stand_in._rare()
        if more.version is None:
            more.version = Version(one.expected + 1)
        more.version.changed = [LATER]
        return Pinned(stand_in, one.expected, 0)

    def _constant(self, name: str, held: dict[str, Held], given: Any) -> Any:
        """An input that needs no gradient; None where there is none. given: as its call had it."""
        one = held.get(name)
        if one is None or one.packed or one.value is None:
            hidden = name == "bias" and one is None and has_bias(held)
            if given is None:
                return None if name in OPTIONAL and not hidden else blank(None)
            if not isinstance(given, tuple):
                return given
            reference, version, copy = given
            tensor = reference()
            return self.tensor(tensor) if is_as_noted(tensor, version, copy) else blank(copy)
        if not is_tensor(tensor := one.value):
            return tensor
        wrapped = tensor.ndim == 0 and tensor.dtype in wrapped_types() and not tensor.requires_grad
        return tensor.item() if wrapped else self.tensor(tensor)  # PyTorch wraps Python numbers

    def _option(
        self,
        node: Any,
        op: type[Op],
        name: str,
        held: dict[str, Held],
        of_word: dict[str, Edge | None],
        edges: list[Edge | None],
    ) -> Any:
        """An option that the node does not hold under its own name."""
        of, _, what = name.rpartition("_sym_")
        edge = None if op.variadic else of_word.get(of)
        if edge is not None and what.startswith(("sizes", "argsize_")):
            shape, _ = output_of(edge)
            return shape if what.startswith("sizes") else shape[int(what.removeprefix("argsize_"))]
        found = recovered(node, name, held, edges)
        return NotKept() if found is None else found


class Reading(NamedTuple):
    """How to read a node: the numbers it saves, its options, and whether it saves tensors."""

    asked: frozenset[str]
    options: tuple[str, ...]
    saves: bool


@cache
def reading_of(op: type[Op]) -> Reading | None:
    """How the nodes of an operation are read; None if GraphLab does not have it."""
    if not is_known(op):
        return None
    asked = {*op.inputs, *op.outputs, *op.options, *op.derived, *op.shown}
    if "eps" in asked:
        asked.add("normalized_shape")
    saves = any(name in op.saved for name in (*op.inputs, *op.outputs))
    return Reading(frozenset(asked), (*op.options, *op.derived), saves)


def sizes_to_sum_to(op: type[Op], of_word: dict[str, Edge | None]) -> Any:
    """For each rule, the shape and type that its gradient is brought back to after broadcasting."""
    found = []
    for word, edge in of_word.items():
        if edge is None or word not in op.broadcasts:
            found.append(None)
            continue
        shape, dtype = output_of(edge)
        to = numpy_type(dtype)
        found.append(None if to is None else (shape, to))
    return tuple(found) if any(found) else None


@cache
def numpy_type(dtype: Any) -> Any:
    """A floating PyTorch type as NumPy has it; None if NumPy does not."""
    torch = loaded()
    has = dtype in (torch.float64, torch.float32, torch.float16)
    return np.dtype(type_of(dtype).name) if has else None


def stand_in_of(tensor: Any) -> Tensor:
    """The stand-in of a tensor, without the node that made it."""
    stand_in = blank(sample_or_array(tensor))
    stand_in._needs = tensor.requires_grad
    if tensor.grad_fn is None and tensor.grad is not None:
        stand_in._grad = blank(sample_or_array(tensor.grad))
    if tensor.retains_grad:
        stand_in._rare().retains_grad = True
    if count := version_of(tensor):
        stand_in._rare().version = Version(count)
    return stand_in


def blank(data: Any) -> Tensor:
    """A stand-in of a tensor with some data, and nothing else."""
    stand_in = object.__new__(Tensor)
    stand_in._data, stand_in._needs = data, False
    stand_in._grad = stand_in._node = stand_in._more = None
    return stand_in


def sample_or_array(tensor: Any) -> Any:
    """The data of a tensor, as far as it can be read."""
    array = array_of(tensor)
    return sample_of(tensor) if array is None else array


def value_of(one: Held) -> Any:
    """The value of an option, without PyTorch tensors."""
    return one.value if type(one.value) in PLAIN else plain(one.value)


def plain(value: Any) -> Any:
    """A value without PyTorch tensors."""
    if type(value) in PLAIN:
        return value
    if is_tensor(value):
        return sample_or_array(value)
    if isinstance(value, tuple | list):
        return tuple(value) if PLAIN.issuperset(map(type, value)) else tuple(map(plain, value))
    return str(value)


def wrapped_types() -> tuple[Any, ...]:
    """The types that PyTorch gives to a Python number in a formula."""
    torch = loaded()
    return torch.float64, torch.int64, torch.bool


def is_array(data: Any) -> bool:
    """Whether data are entries that can be computed with."""
    return isinstance(data, ENTRIES)
