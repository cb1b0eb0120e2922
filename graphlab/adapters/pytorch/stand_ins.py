"""PyTorch's graph as stand-ins: nodes and tensors of GraphLab's own classes with PyTorch's values.

A stand-in of a node has the edges, the saved values and the options of the node that it stands for,
so adapters/native.py copies it as it copies a snapshot of a recording. Stand-ins live only while
the graph is copied, and so do the arrays, which share PyTorch's memory.

Read next: adapters/pytorch/recomputing.py
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from graphlab.adapters.graph_walk import Moment
from graphlab.adapters.pytorch.accessors import (
    Held,
    is_accumulator,
    is_tensor,
    loaded,
    maker_of,
    output_of,
    outputs_of,
    saved_of,
    sequence_of,
)
from graphlab.adapters.pytorch.arrays import array_of, sample_of, type_of
from graphlab.adapters.pytorch.operations import class_of, is_known
from graphlab.adapters.pytorch.ready_queue import Edge, edges_behind, engine_order
from graphlab.adapters.pytorch.recovered_options import recovered
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.node import Node, Output, Pinned
from graphlab.ops.base import Op
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import Rare, Version

FIRST = 2**45  # the sequence number of the first stand-in, far from those of GraphLab's own nodes
LATER = 2**50  # when a tensor was changed in place, if that was after a node saved it
OPTIONAL = frozenset(("weight", "bias", "running_mean", "running_var", "attn_mask", "pos_weight"))
PLAIN = frozenset((int, float, bool, str, type(None)))  # types of options
NO_LINE = (lambda: None).__code__  # stand-ins have no source line: PyTorch does not keep it


class NotKept:
    """An option that PyTorch's node does not keep."""

    def __repr__(self) -> str:
        return "…"


class StandIns:
    """The stand-ins of one graph.

    roots: edges, where the gradients enter. memory: the stand-ins that a recording knows already.
    line: returns the line that made the node with a sequence number.
    """

    def __init__(self, roots: Iterable[Edge], memory: Any = None, line: Any = None) -> None:
        self.roots, self.memory, self._line = list(roots), memory, line
        self.new: list[Any] = []  # nodes that had no stand-in
        self.edges = edges_behind(self.roots)
        self.order = engine_order(self.roots, self.edges)
        self.of: dict[Any, Any] = {}  # node of PyTorch's -> stand-in of the node, or of its leaf
        self.held: list[Any] = []  # tensors of PyTorch's, whose ids are keys
        self._tensors: dict[int, Tensor] = {}  # id of a tensor -> its stand-in
        self.complete: set[Node] = set()  # stand-ins whose inputs and options are all known
        self._outputs: dict[Any, int] = {}
        self._count_outputs()
        for node in self.order:
            if is_accumulator(node):
                self.of[node] = self.tensor(node.variable)
            elif memory is not None and (known := memory.node(node)) is not None:
                self.of[node] = known
            else:
                self.of[node] = self._node_without_values(node)
                self.new.append(node)
        for node in reversed(self.new):
            self._fill(node, self.of[node])

    @property
    def nodes(self) -> list[Node]:
        """The stand-ins of nodes, in the order in which the engine runs them."""
        return [self.of[node] for node in self.order if not is_accumulator(node)]

    @property
    def leaves(self) -> list[Any]:
        """The leaves of PyTorch's that get a gradient."""
        return [node.variable for node in self.order if is_accumulator(node)]

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
        if known is None and self.memory is not None:
            known = self._remembered(tensor)
        if known is None:
            self.held.append(tensor)
            known = self._tensors[id(tensor)] = self._new(tensor)
        return known

    def _remembered(self, tensor: Any) -> Tensor | None:
        """The stand-in of an earlier pass, if the tensor is still the result of the same node."""
        known, made = self.memory.tensor(tensor), maker_of(tensor)
        if known is None or (made is None) != (known._node is None):
            return None
        if made is not None and (made[0] not in self.of or self.edge(made) is not known._node):
            return None
        self.held.append(tensor)
        self._tensors[id(tensor)] = known
        return known

    def _new(self, tensor: Any) -> Tensor:
        array = array_of(tensor)
        stand_in = blank(sample_of(tensor) if array is None else array)
        edge = maker_of(tensor)
        stand_in._needs = tensor.requires_grad
        if edge is not None and edge[0] in self.of:
            stand_in._node = self.edge(edge)
        if tensor.is_leaf and tensor.grad is not None:
            grad = array_of(tensor.grad)
            stand_in._grad = blank(sample_of(tensor.grad) if grad is None else grad)
        more = stand_in._more = Rare()
        more.retains_grad = bool(tensor.retains_grad)
        if count := version_of(tensor):
            more.version = Version()
            more.version.count = count
        if tensor._is_view() and tensor._base is not None:
            more.base = self.tensor(tensor._base)
        return stand_in

    # -- nodes ---------------------------------------------------------------------------------

    def _count_outputs(self) -> None:
        """Note the highest output of each node that gets a gradient."""
        for edges in (*self.edges.values(), self.roots):
            for edge in edges:
                if edge is not None and edge[1] >= self._outputs.get(edge[0], 1):
                    self._outputs[edge[0]] = edge[1] + 1

    def _node_without_values(self, node: Any) -> Node:
        kind = class_of(node, len(self.edges[node]), self._outputs.get(node, 1))
        stand_in: Any = object.__new__(kind)
        place = len(self.of)
        stand_in._sequence = FIRST + len(self.order) - place
        stand_in._code, stand_in._at = NO_LINE, FIRST + 2 * place
        if self._line is not None:
            number = sequence_of(node)
            stand_in._sequence = 2 * (FIRST + number)
            stand_in._code, stand_in._at = self._line(number) or (NO_LINE, FIRST + 2 * number)
        stand_in._reduce = stand_in._version = stand_in._extra = stand_in._constants = None
        stand_in._next = stand_in._options = stand_in._saved = ()
        if kind.many:
            stand_in._extra = {"outputs": [shape for shape, _ in outputs_of(node)]}
        return stand_in

    def _fill(self, node: Any, stand_in: Any) -> None:
        edges = self.edges[node]
        stand_in._next = tuple([None if edge is None else self.edge(edge) for edge in edges])
        op = None if issubclass(type(stand_in), Context) else stand_in.op
        if op is not None and not is_known(op):
            return
        found = saved_of(node, None if op is None or op.variadic else asked_by(op))
        held = {one.name: one for one in found}
        freed = any([one.freed for one in held.values()])
        if op is None:
            items = tuple(self._saved(one, node) for one in held.values())
            stand_in._saved = None if freed else items
            return
        of_word = dict(zip(op.rules, edges, strict=op.variadic is False))
        known = True
        if op.options or op.derived:
            names = (*op.options, *op.derived)
            options = [self._option(node, op, name, held, of_word, edges) for name in names]
            stand_in._options = tuple(options)
            known = not any([isinstance(one, NotKept) for one in options])
        if op.variadic:
            stand_in._constants = tuple(None if edge else unknown() for edge in edges)
            known = known and all(edges)
        else:
            constants = stand_in._constants = self._constants(op, held, of_word)
            known = known and not any(
                [isinstance(one, Tensor) and one._data is None for one in constants]
            )
            stand_in._reduce = sizes_to_sum_to(op, of_word) if op.broadcasts else None
        if known and not freed:
            self.complete.add(stand_in)
        if op.shown:
            told = {name: plain(held[name].value) for name in op.shown if name in held}
            stand_in._extra = {**(stand_in._extra or {}), "worked out": told}
        if freed:
            stand_in._saved = None
        elif saves(op):
            stand_in._saved = self._saved_items(op, node, held, stand_in)

    def _saved_items(self, op: type[Op], node: Any, held: dict[str, Held], made: Any) -> Any:
        found: list[Any] = []
        for name in op.inputs:
            one = held.get(name)
            found.append(None if one is None else self._saved(one, node))
        for name in op.outputs:
            one = held.get(name)
            item = None if one is None or one.value is None else one.value
            found.append(sample_or_array(item) if is_tensor(item) else item)
            if one is not None and one.expected is not None:
                version = Version()
                version.count = version_of(item)
                made._version = (version, one.expected)
        return tuple(found)

    def _saved(self, one: Held, node: Any) -> Any:
        """A saved value as the stand-in holds it."""
        if one.packed:
            return packed(one.packed)
        if not is_tensor(one.value):
            return one.value
        edge = maker_of(one.value)
        if edge is not None and edge[0] is node:  # an output of the node itself
            own: Any = object.__new__(SavedOutput)
            own.data, own.floating, own.index = sample_or_array(one.value), True, edge[1]
            return own if self.of[node].many else sample_or_array(one.value)
        stand_in = self.tensor(one.value)
        seen = None if self.memory is None else self.memory.latest.get(stand_in)
        if seen is not None and seen is not stand_in._data:  # another value than at first
            now = version_of(one.value)
            return Moment(stand_in, now if one.expected is None else one.expected, 0, seen, now)
        if one.expected is None:
            return Pinned(stand_in, version_of(one.value), 0) if version_of(one.value) else stand_in
        assert stand_in._more is not None
        if stand_in._more.version is None:
            stand_in._more.version = Version()
            stand_in._more.version.count = one.expected + 1
        stand_in._more.version.changed = LATER
        return Pinned(stand_in, one.expected, 0)

    def _constants(
        self, op: type[Op], held: dict[str, Held], of_word: dict[str, Edge | None]
    ) -> Any:
        """The inputs that need no gradient, None where one does or where there is none."""
        found: list[Any] = []
        for name in op.inputs:
            one = held.get(name)
            if of_word.get(name) is not None:
                found.append(None)
            elif one is not None and not one.packed and one.value is not None:
                found.append(self._constant(one))
            elif name in OPTIONAL:
                found.append(None)
            else:
                found.append(unknown())
        return tuple(found)

    def _constant(self, one: Held) -> Any:
        if not is_tensor(one.value):
            return one.value
        tensor = one.value
        if tensor.ndim == 0 and tensor.dtype in wrapped_types() and not tensor.requires_grad:
            return tensor.item()  # a Python number, which PyTorch wraps
        return self.tensor(tensor)

    def _option(
        self,
        node: Any,
        op: type[Op],
        name: str,
        held: dict[str, Held],
        of_word: dict[str, Edge | None],
        edges: list[Edge | None],
    ) -> Any:
        one = held.get(name)
        if one is not None:
            return plain(one.value)
        if op.variadic:
            found = recovered(node, name, held, edges)
            return NotKept() if found is None else found
        of, _, what = name.rpartition("_sym_")
        edge = of_word.get(of)
        if what.startswith(("sizes", "argsize_")) and edge is not None:
            shape, _ = output_of(edge)
            return shape if what.startswith("sizes") else shape[int(what.removeprefix("argsize_"))]
        found = recovered(node, name, held, edges)
        return NotKept() if found is None else found


@cache
def asked_by(op: type[Op]) -> frozenset[str]:
    """What is read of a node besides its tensors."""
    found = {*op.inputs, *op.outputs, *op.options, *op.derived, *op.shown}
    return frozenset(found | {"normalized_shape"} if "eps" in found else found)


@cache
def saves(op: type[Op]) -> bool:
    """Whether a node of an operation saves inputs or outputs."""
    return any(name in op.saved for name in (*op.inputs, *op.outputs))


def sizes_to_sum_to(op: type[Op], of_word: dict[str, Edge | None]) -> Any:
    """For each rule, the shape and type that its gradient is brought back to after broadcasting."""
    found = []
    for word, edge in of_word.items():
        if edge is None or word not in op.broadcasts:
            found.append(None)
            continue
        shape, dtype = output_of(edge)
        found.append((shape, np.dtype(type_of(dtype).name)) if dtype in of_numpy() else None)
    return tuple(found) if any(found) else None


def of_numpy() -> tuple[Any, ...]:
    """The floating types of PyTorch's that NumPy has."""
    torch = loaded()
    return torch.float64, torch.float32, torch.float16


def blank(data: Any) -> Tensor:
    """A stand-in of a tensor with some data, and nothing else."""
    stand_in = object.__new__(Tensor)
    stand_in._data, stand_in._needs = data, False
    stand_in._grad = stand_in._node = stand_in._more = None
    return stand_in


def unknown() -> Tensor:
    """The stand-in of a constant that no rule needs, so that PyTorch does not keep it."""
    return blank(None)


def packed(text: str) -> Any:
    """A saved value that a pack hook took over."""
    from graphlab.adapters.snapshots import PackedText
    from graphlab.autograd.saved_tensor_hooks import Packed

    made: Any = object.__new__(Packed)
    made.held = PackedText(text)
    return made


def sample_or_array(tensor: Any) -> Any:
    """The data of a tensor, as far as it can be read."""
    array = array_of(tensor)
    return sample_of(tensor) if array is None else array


def plain(value: Any) -> Any:
    """An option without tensors of PyTorch's."""
    if type(value) in PLAIN:
        return value
    if is_tensor(value):
        return sample_or_array(value)
    if isinstance(value, tuple | list):
        return tuple(value) if PLAIN.issuperset(map(type, value)) else tuple(map(plain, value))
    return str(value)


def version_of(tensor: Any) -> int:
    """How often a tensor was changed in place."""
    try:
        return tensor._version
    except RuntimeError:  # made in inference mode
        return 0


def wrapped_types() -> tuple[Any, ...]:
    """The types that PyTorch gives to a Python number in a formula."""
    torch = loaded()
    return torch.float64, torch.int64, torch.bool


def is_array(data: Any) -> bool:
    """Whether data are entries that can be computed with."""
    return isinstance(data, np.ndarray | np.generic | int | float | bool)
