"""GraphLab's own live graph is copied into the plain data of graph/model.py.

Copying changes nothing and keeps nothing alive: values become summaries. Results that no variable
holds any more are recomputed.

Read next: adapters/native/saved_values.py
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import inf
from numbers import Number
from typing import Any

from graphlab.adapters.native.graph_walk import (
    RUNS_AT_ONCE,
    changed,
    engine_order,
    input_items,
    is_parameter,
    nodes_in_order,
    symbol_of,
    target_node,
    users_of_leaves,
)
from graphlab.adapters.native.result_names import ResultNames
from graphlab.adapters.native.saved_values import recompute, results_of, saved_values
from graphlab.adapters.native.scope_paths import Scopes
from graphlab.adapters.native.source_lines import Sources
from graphlab.adapters.native.variable_names import (
    Names,
    ShortNames,
    edge_key,
    known_results,
    node_of,
)
from graphlab.adapters.proofs import proof_of, proof_where
from graphlab.adapters.rule_text import written
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node, Output, count_of_outputs
from graphlab.autograd.node_formulas import settings_of
from graphlab.autograd.topological_order import as_made
from graphlab.autograd.views import CopySlices
from graphlab.graph.model import EdgeInfo, Graph, NodeInfo, Saved, TensorInfo
from graphlab.graph.value import Value, summarise
from graphlab.tensor.tensor import Tensor


class Copied:
    """A graph as data, with the ids of the live nodes and tensors.

    `extend` adds everything that some edges lead to, and `finish` makes the graph.
    """

    scopes: Any = Scopes  # finds the scope of each node
    is_parameter: Any = staticmethod(is_parameter)
    most: float = inf  # entries of inputs, up to which a result is recomputed
    again: Any = staticmethod(recompute)
    latest: Mapping[Tensor, Any] = {}  # snapshot of a tensor -> what it held last

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.node_ids: dict[Any, str] = {}
        self.made_by: dict[Node, Node] = {}  # node -> the node whose rule made it
        self.tensors: dict[Any, str] = {}  # edge key, or id of a constant -> tensor id
        self.infos: dict[str, TensorInfo] = {}  # by id
        self.raw: dict[str, Any] = {}  # tensor id -> data, while the copy is made
        self._changed: dict[str, int] = {}  # tensor id -> when its data was last changed in place
        self.live: dict[Any, Tensor] = {}  # edge key -> a tensor that still holds it
        self._leaves: dict[str, Tensor] = {}
        self.variables: dict[str, str] = {}  # tensor id -> the variable that holds it
        self._sources = Sources()
        self._summaries: dict[int, tuple[Any, Value]] = {}  # id of data -> data, its summary
        self._constants: list[Any] = []  # kept while their ids are used as keys
        self._inputs: dict[Node, tuple[str, ...]] = {}
        self._outputs: dict[Node, tuple[str, ...]] = {}
        self._scopes: list[Scopes] = []
        self._scope_of: dict[Any, str] = {}
        self._short = ShortNames()
        self._listed: dict[str, int] = {}  # name of a leaf -> its place among the variables

    def extend(self, edges: list[Any], names: Names, values: Any = None, call: Any = None) -> None:
        """Copy everything that `edges` lead to, except what was copied before.

        values: the results of nodes that no variable holds, by node; None: they are recomputed.
        call: where the program ran the pass.
        """
        behind = nodes_in_order(edges)
        new = [node for node in behind if node not in self.node_ids]
        self.names = names
        inner = {one for one in new if one in self.made_by or (one._code, one._at) == call}
        self._results = ResultNames(names, self._sources, new[::-1], inner)
        order = engine_order(behind, edges)
        for item in order:
            self.node_ids.setdefault(item, f"n{len(self.node_ids)}")
        for name in names.of_leaf.values():
            self._listed.setdefault(self._short(name), len(self._listed))
        self.nodes += new
        for key, tensor in known_results(names, new):  # in the caller's variables, or saved
            self.live.setdefault(key, tensor)
        scopes, users = self.scopes(new, names), users_of_leaves(behind)
        self._scopes.append(scopes)
        self._scope_of.update(scopes.of)
        for leaf, using in users.items():
            self._scope_of.setdefault(leaf, scopes.of_leaf(using, self.is_parameter(leaf)))
        held = {}
        if values is None:
            held = {key: (one._data, changed(one)) for key, one in self.live.items()}
            values = results_of(new[::-1], held, self.most, self.again)
        for node in reversed(new):  # oldest first: inputs before results
            self._copy_tensors(node, values)
        for key, (_, when) in held.items():
            tensor = self.tensors.get(key) or self.tensors.get(id(key[0]))
            if when == RUNS_AT_ONCE and tensor:
                self._changed[tensor] = when
        for item in order:
            if isinstance(item, Tensor) and (item, 0) not in self.tensors:
                self._leaf(item)

    def see_shapes(self, facts: Iterable[tuple[Any, ...]]) -> None:
        """Give tensors whose values are unknown the shapes of their gradients."""
        for what, *about in facts:
            if what != "entered" or about[1] is None:
                continue
            node, grads = about
            pairs = enumerate(grads if type(grads) is tuple else (grads,))
            for place, grad in ((self.tensors[node, i], grad) for i, grad in pairs):
                info = self.infos[place]
                if info.value is None and grad is not None:
                    shape = Value(grad.shape, grad.dtype.name, "no value", nbytes=grad.nbytes)
                    self.infos[place] = replace(info, value=shape)

    def finish(self, root: str) -> Graph:
        """The graph that was copied so far, with `root` as its root."""
        self.root = root
        self.nodes = as_made(self.nodes)[::-1]
        numbers = sorted({node._sequence for node in self.nodes})
        self._made = {number: place for place, number in enumerate(numbers)}
        leaves = [item for item in self.node_ids if isinstance(item, Tensor)]
        order = engine_order(self.nodes, leaves)
        scopes = {info.path: info for one in self._scopes for info in one.infos}
        self.graph = Graph(
            root=root,
            tensors=tuple(sorted(self.infos.values(), key=self._as_the_caller_lists_them)),
            nodes=tuple(self._node_info(item) for item in order),
            edges=tuple(self._edges()),
            scopes=tuple(scopes.values()),
        )
        self.named = Counter(node.name for node in self.graph.nodes)
        self._summaries.clear()  # the arrays may change after this
        return self.graph

    def _as_the_caller_lists_them(self, info: TensorInfo) -> int:
        """Sort key: named leaves in the order of the caller's variables, then all others."""
        last = len(self._listed)
        return self._listed.get(info.name or "", last) if info.is_leaf else last

    def tensors_by_id(self) -> dict[str, Tensor]:
        """The tensors of the graph that still exist."""
        found = {self.tensors[key]: one for key, one in self.live.items() if key in self.tensors}
        constants = [item for item in self._constants if isinstance(item, Tensor)]
        found.update((self.tensors[id(item)], item) for item in constants)
        return found | self._leaves

    def tensor_at(self, edge: Any) -> str:
        """The id of the tensor whose gradient arrives at an edge."""
        return self.tensors[edge_key(edge)]

    # -- tensors -------------------------------------------------------------------------------

    def _copy_tensors(self, node: Node, values: Any) -> None:
        inputs = input_items(node)
        self._inputs[node] = tuple([self._tensor_id(x, node, k) for k, x in enumerate(inputs)])
        count = count_of_outputs(node)
        results = values.get(node)
        ids = []
        for index in range(count):
            known = self.live.get((node, index))
            raw = known._data if known is not None else (results[index] if results else None)
            ids.append(self._result(node, index, known, raw))
        self._outputs[node] = tuple(ids)

    def changed_after(self, node: Node, tensor: str) -> bool:
        """Whether the data of a tensor was changed in place after a node ran, not by the node."""
        own = tensor in self._outputs.get(node, ()) and self._sources.made(node).in_place
        return self._changed[tensor] > node._sequence + own

    def _tensor_id(self, item: Any, node: Node | None = None, place: int = 0) -> str:
        if isinstance(item, Node | Output):
            return self.tensors[edge_key(item)]
        if isinstance(item, Tensor) and item._needs and not (item._more and item._more.base_needs):
            return self.tensors.get((item, 0)) or self._leaf(item, node, place)
        # Python may keep equal numbers as one object, so each use of a number is a constant
        key = (node, place) if item is None or isinstance(item, Number) else id(item)
        return self.tensors.get(key) or self._constant(key, item, node, place)

    def _leaf(self, leaf: Tensor, user: Node | None = None, place: int = 0) -> str:
        """Copy a leaf. user, place: the node that used it first, and as which input."""
        held = self.names.of_leaf.get(id(leaf))
        called = None if held or user is None else self._results.leaf(user, place)
        identity = self._add(
            (leaf, 0),
            leaf._data,
            name=held or called or self._results.numbered("leaf"),
            guessed=called is not None,
            is_leaf=leaf._node is None,
            requires_grad=leaf._needs,
            grad=None if leaf._grad is None else summarise(leaf._grad._data),
            version=leaf._version,
            changed=changed(leaf),
            base=self._base_of(leaf),
        )
        self._leaves[identity] = leaf
        if held:
            self.variables[identity] = held
        return identity

    def _base_of(self, tensor: Any, made_from: str | None = None) -> str | None:
        """The id of the tensor whose memory a view shares, if that is in the graph.

        made_from: the input of the view, used if no variable holds the view or its base is missing.
        """
        if isinstance(tensor, Tensor) and (base := tensor._base) is not None:
            key = edge_key(base._node) if base._node is not None else (base, 0)
            known = self.tensors.get(key) or self.tensors.get(id(base))
            if known is not None:
                return known
        if made_from is None:
            return None
        return self.infos[made_from].base or made_from

    def _constant(self, key: Any, item: Any, node: Node | None, place: int) -> str:
        raw, name, version = item, None, 0
        self._constants.append(item)
        if isinstance(item, Tensor):
            raw, name, version = item._data, self.names.of_leaf.get(id(item)), item._version
            if name is None and (made_by := node_of(item)) is not None:
                name = self.names.made_by.get(edge_key(made_by), (None, None))[0]
            if name is None and node is not None:
                name = self._results.operand(node, place)
            if name is None and self.latest.get(item, raw) is not raw:  # its value is no name
                name = self._results.numbered("constant")
        return self._add(
            key, raw, name=name, is_leaf=True, requires_grad=False, version=version,
            changed=changed(item), base=self._base_of(item),
        )  # fmt: skip

    def _result(self, node: Node, index: int, known: Tensor | None, raw: Any) -> str:
        variable = self.names.made_by.get((node, index))
        held = None if known is None or known._grad is None else known._grad._data
        shares = not isinstance(node, Context | CopySlices) and node.op.view
        shares = shares and (known is None or known._base is not None)

        def inputs() -> list[str | None]:
            return [self.infos[one].name for one in self._inputs[node]]

        identity = self._add(
            (node, index),
            raw,
            name=variable[0] if variable else self._results.of(node, index, inputs),
            is_leaf=False,
            requires_grad=True,
            retains_grad=known is not None and known.retains_grad,
            grad=None if held is None else summarise(held),
            version=0 if known is None else known._version,
            changed=changed(known),
            producer=self.node_ids[node],
            output_nr=index,
            base=self._base_of(known, self._inputs[node][0] if shares else None),
        )
        if variable:
            self.variables[identity] = variable[0]
        return identity

    def _add(self, key: Any, raw: Any, changed: int, name: str | None, **fields: Any) -> str:
        identity = f"t{len(self.infos)}"
        value = None if raw is None else self.summary(raw)
        name = None if name is None else self._short(name)
        self.infos[identity] = TensorInfo(identity, name, value, **fields)
        self.tensors[key] = identity
        self.raw[identity] = raw
        self._changed[identity] = changed
        return identity

    def summary(self, raw: Any) -> Value:
        """The summary of an array, made once for all that hold it."""
        known = self._summaries.get(id(raw))
        if known is None:
            known = self._summaries[id(raw)] = raw, summarise(raw)
        return known[1]

    # -- nodes and edges -----------------------------------------------------------------------

    def label(self, tensor_id: str) -> str:
        return self.infos[tensor_id].label

    def inputs(self, node: Node) -> tuple[str, ...]:
        return self._inputs[node]

    def outputs(self, node: Node) -> tuple[str, ...]:
        return self._outputs[node]

    def names_of_inputs(self, node: Node) -> dict[str, str]:
        """The user's names for the inputs and outputs of a rule.

        An array that has no name, and too many entries to be told by them, has the rule's name.
        """
        op = node.op
        if op.variadic:
            return {}
        labels = {}
        for word, id in zip(op.inputs, self._inputs[node], strict=False):
            info = self.infos[id]
            labels[word] = info.label if info.name or info.label[:1] != "(" else word
        labels.update(zip(op.outputs, map(self.label, self._outputs[node]), strict=False))
        return labels

    def options(self, node: Node) -> dict[str, Any]:
        return settings_of(node) if node._options else {}

    def _node_info(self, item: Any) -> NodeInfo:
        if isinstance(item, Tensor):
            tensor = self.tensors.get((item, 0)) or self._leaf(item)
            return NodeInfo(
                self.node_ids[item], "AccumulateGrad", "accumulate", "+=", RUNS_AT_ONCE,
                (tensor,), (), variable=tensor, scope=self._scope_of.get(item, ""),
            )  # fmt: skip
        custom = isinstance(item, Context)
        return NodeInfo(
            id=self.node_ids[item],
            name=item.name(),
            op=item.function.__name__ if custom else item.op.name,
            symbol=item.function.__name__ if custom else symbol_of(item),
            sequence=self._made[item._sequence],
            inputs=self._inputs[item],
            outputs=self._outputs[item],
            saved=tuple(self.saved(item)),
            source=self._sources.of(item),
            formula="" if custom else self._formula(item),
            scope=self._scope_of.get(item, ""),
            layer=self._layer(item),
            made_by=self.node_ids.get(self.made_by.get(item)),
            proof=self._proof(item),
        )

    def _proof(self, node: Node) -> str:
        """How far a node's rule is proved, and for which inputs."""
        if isinstance(node, Context | CopySlices) or node.op.domain is None:
            return proof_of(node)
        inputs = dict(zip(node.op.inputs, self._inputs[node], strict=False))
        moving = {name for name, one in inputs.items() if self.infos[one].requires_grad}
        data = {name: self.raw[one] for name, one in inputs.items()}
        return proof_where(node, self.names_of_inputs(node), self.options(node), moving, data)

    def _formula(self, node: Node) -> str:
        return written(node.op.forward, self.names_of_inputs(node), self.options(node))

    def _layer(self, node: Node) -> int:
        """In how many nested passes with create_graph=True a node was made; 0: in the forward."""
        layer = 0
        while (maker := self.made_by.get(node)) is not None:
            layer, node = layer + 1, maker
        return layer

    def saved(self, node: Node, items: tuple[Any, ...] | None = None) -> list[Saved]:
        """The values that PyTorch shows as `_saved_*`, tensors first. items: used instead."""
        return saved_values(self, node, node._saved if items is None else items)

    def _edges(self) -> Iterator[EdgeInfo]:
        for node in self.nodes:
            source = self.node_ids[node]
            for index, target in enumerate(node._next):
                if target is not None:
                    goal = target if isinstance(target, Tensor) else target_node(target)
                    output = target.index if isinstance(target, Output) else 0
                    ids = (f"{source}.{index}", source, self.node_ids[goal])
                    yield EdgeInfo(*ids, index, output, self._tensor_id(target))


def graph_of(root: Tensor, names: Names | None = None, *others: Tensor) -> Graph:
    """The graph of `root` as data: every node, every tensor, every saved value.

    others: further tensors whose graphs are included.

    Raises: TypeError when `root` is not a tensor, RuntimeError when it has no graph.
    """
    return copy_of(root, names or Names(), True, *others).graph


def copy_of(root: Tensor, names: Names, whole: bool = True, *others: Tensor) -> Copied:
    """A copy of the graph of some tensors. whole: False copies only tensors and their ids."""
    copied = Copied()
    roots = (root, *others)
    edges = [one if one._node is None else one._node for one in roots]
    copied.live.update((edge_key(one._node), one) for one in roots if one._node is not None)
    copied.extend(edges, names)
    if whole:
        copied.finish(copied.tensor_at(edges[0]))
    return copied
