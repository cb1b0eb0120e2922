"""From GraphLab's own live graph to the neutral one: what is there, copied once.

Nothing is changed and nothing is kept alive: values become summaries. Results that no variable
holds any more are computed again from what is known.

Read next: adapters/recorder.py
"""

from typing import Any

import numpy as np

from graphlab.adapters.formulas import written
from graphlab.adapters.names import Names, edge_key, expression_of, source_of
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.grad_mode import state
from graphlab.autograd.node import Node, Output, Pinned
from graphlab.autograd.record import promote
from graphlab.autograd.saved import Packed
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.graph.model import EdgeInfo, Graph, NodeInfo, Saved, TensorInfo
from graphlab.graph.value import summarise
from graphlab.tensor import Tensor

RUNS_AT_ONCE = 2**64 - 1  # AccumulateGrad's sequence number: higher than any node's


class Copied:
    """The graph as data, with the way back from live objects to ids (for the recorder)."""

    def __init__(self, root: Tensor, names: Names) -> None:
        self.names = names
        self.nodes = nodes_of(root)
        self.order: list[Any] = []  # nodes and leaves as the engine runs them
        self.node_ids: dict[Any, str] = {}
        self._number_nodes(root)
        self.tensors: dict[Any, str] = {}  # edge key, or id of a constant -> tensor id
        self.infos: list[TensorInfo] = []
        self.raw: dict[str, Any] = {}  # tensor id -> data, while the copy is made
        self._changed: dict[str, int] = {}  # tensor id -> when its data was last changed in place
        self.live: dict[Any, Tensor] = {}  # edge key -> a tensor that still holds it
        self._leaves: dict[str, Tensor] = {}
        self.retained: dict[str, Any] = {}  # tensor id -> the gradient that it retains by now
        self._constants: list[Any] = []  # kept while their ids are used as keys
        self._find_live(root)
        self._inputs: dict[Node, tuple[str, ...]] = {}
        self._outputs: dict[Node, tuple[str, ...]] = {}
        self._labels: dict[str, int] = {}
        for node in reversed(self.nodes):  # oldest first: inputs before results
            self._copy_tensors(node)
        root_key = edge_key(root._node) if root._node is not None else (root, 0)
        self.root = self.tensors.get(root_key) or self._leaf(root)
        self.graph = Graph(
            root=self.root,
            tensors=tuple(sorted(self.infos, key=self._as_the_caller_lists_them)),
            nodes=tuple(self._node_info(item) for item in self.order),
            edges=tuple(self._edges()),
        )

    def _as_the_caller_lists_them(self, info: TensorInfo) -> int:
        """Named leaves in the order of the caller's variables, then the rest as they were made."""
        order = list(self.names.of_leaf.values())
        return order.index(info.name) if info.is_leaf and info.name in order else len(order)

    # -- order and ids -------------------------------------------------------------------------

    def _number_nodes(self, root: Tensor) -> None:
        """Ids in engine order: descending sequence, each leaf once its last user has run."""
        uses: dict[Any, int] = {}
        for node in self.nodes:
            for target in node._next:
                if isinstance(target, Tensor):
                    uses[target] = uses.get(target, 0) + 1
        for node in self.nodes:
            self.order.append(node)
            for target in node._next:
                if isinstance(target, Tensor):
                    uses[target] -= 1
                    if uses[target] == 0:
                        self.order.append(target)
        if root._node is None:
            self.order.append(root)
        self.node_ids = {item: f"n{i}" for i, item in enumerate(self.order)}

    def _find_live(self, root: Tensor) -> None:
        """Tensors that still exist: the root, the caller's variables, what nodes saved."""
        if root._node is not None:
            self.live[edge_key(root._node)] = root
        for key, (_, tensor) in self.names.made_by.items():
            self.live.setdefault(key, tensor)
        for node in self.nodes:
            for item in node._saved or ():
                tensor = item.tensor if isinstance(item, Pinned) else item
                if isinstance(tensor, Tensor) and tensor._node is not None:
                    self.live.setdefault(edge_key(tensor._node), tensor)

    # -- tensors -------------------------------------------------------------------------------

    def _copy_tensors(self, node: Node) -> None:
        inputs = input_items(node)
        self._inputs[node] = tuple(self._tensor_id(item) for item in inputs)
        count = len(node._extra["outputs"]) if node.many and node._extra else 1
        results = None
        if any((node, i) not in self.live for i in range(count)):
            results = recompute(node, [self._seen_by(node, i) for i in self._inputs[node]])
        ids = []
        for index in range(count):
            known = self.live.get((node, index))
            raw = known._data if known is not None else (results[index] if results else None)
            ids.append(self._result(node, index, known, raw))
        self._outputs[node] = tuple(ids)

    def _seen_by(self, node: Node, tensor: str) -> Any:
        """The data of an input as the node saw it; None where it was changed since."""
        return None if self._changed[tensor] > node._sequence else self.raw[tensor]

    def _tensor_id(self, item: Any) -> str:
        if isinstance(item, Node | Output):
            return self.tensors[edge_key(item)]
        if isinstance(item, Tensor) and item._needs:
            return self.tensors.get((item, 0)) or self._leaf(item)
        return self.tensors.get(id(item)) or self._constant(item)

    def _leaf(self, leaf: Tensor) -> str:
        identity = self._add(
            (leaf, 0),
            leaf._data,
            name=self.names.of_leaf.get(id(leaf)) or self._numbered("leaf"),
            is_leaf=leaf._node is None,
            requires_grad=leaf._needs,
            grad=None if leaf._grad is None else summarise(leaf._grad._data),
            version=leaf._version,
            changed=changed(leaf),
        )
        self._leaves[identity] = leaf
        return identity

    def _constant(self, item: Any) -> str:
        raw = item._data if isinstance(item, Tensor) else item
        self._constants.append(item)
        name = self.names.of_leaf.get(id(item)) if isinstance(item, Tensor) else None
        if isinstance(item, Tensor) and item._node is not None and name is None:
            name = self.names.made_by.get(edge_key(item._node), (None, None))[0]
        version = item._version if isinstance(item, Tensor) else 0
        return self._add(
            id(item), raw, name=name, is_leaf=True, requires_grad=False, version=version,
            changed=changed(item),
        )  # fmt: skip

    def _result(self, node: Node, index: int, known: Tensor | None, raw: Any) -> str:
        variable = self.names.made_by.get((node, index))
        held = None if known is None or known._grad is None else known._grad._data
        identity = self._add(
            (node, index),
            raw,
            name=variable[0] if variable else self._name_without_variable(node),
            is_leaf=False,
            requires_grad=True,
            retains_grad=known is not None and known.retains_grad,
            grad=None if held is None else summarise(held),
            version=0 if known is None else known._version,
            changed=changed(known),
            producer=self.node_ids[node],
            output_nr=index,
        )
        if held is not None:
            self.retained[identity] = held
        return identity

    def _name_without_variable(self, node: Node) -> str:
        """The expression that made a result, or, inside a function of ours, its operation."""
        if isinstance(node, CopySlices) and (earlier := self._earlier(node)):
            return self._numbered(earlier)
        name = expression_of(source_of(node))
        inner = any(
            user._code is node._code
            and user._at == node._at
            and node in map(target_node, user._next)
            for user in self.nodes
        )
        if name is None or inner or name in self._labels:
            said = node.op.symbol  # "relu", not "xⁿ" or "Σ"
            word = said if said.isalpha() and said.isascii() else node.op.name
            name = node.name().removesuffix("Backward") if isinstance(node, Context) else word
        return self._numbered(name)

    def _earlier(self, node: Node) -> str | None:
        """`earlier b`, of a whole tensor that was written into once more before it became `b`.

        The expression, `b[0]`, would name the part that was written, not the whole.
        """
        last = node
        for user in sorted(self.nodes, key=lambda one: one._sequence_nr()):
            if isinstance(user, CopySlices) and target_node(user._next[0]) is last:
                last = user
        variable = self.names.made_by.get((last, 0))
        return None if last is node or variable is None else f"earlier {variable[0]}"

    def _numbered(self, name: str) -> str:
        """The name, with a number from its second use on."""
        number = self._labels[name] = self._labels.get(name, 0) + 1
        return name if number == 1 else f"{name} {number}"

    def _add(self, key: Any, raw: Any, changed: int, **fields: Any) -> str:
        identity = f"t{len(self.infos)}"
        value = None if raw is None else summarise(raw)
        self.infos.append(TensorInfo(identity, value=value, **fields))
        self.tensors[key] = identity
        self.raw[identity] = raw
        self._changed[identity] = changed
        return identity

    # -- nodes and edges -----------------------------------------------------------------------

    def label(self, tensor_id: str) -> str:
        return self.infos[int(tensor_id[1:])].label

    def live_leaf(self, tensor_id: str) -> Tensor:
        """The leaf itself, for what it holds now."""
        return self._leaves[tensor_id]

    def inputs(self, node: Node) -> tuple[str, ...]:
        return self._inputs[node]

    def outputs(self, node: Node) -> tuple[str, ...]:
        return self._outputs[node]

    def names_of_inputs(self, node: Node) -> dict[str, str]:
        """How the rule's words for its inputs and outputs read in the user's names."""
        op = node.op
        if op.variadic:
            return {}
        pairs = zip(op.inputs, self._inputs[node], strict=False)
        outputs = zip(op.outputs, self._outputs[node], strict=False)
        return {word: self.label(t) for word, t in [*pairs, *outputs]}

    def options(self, node: Node) -> dict[str, Any]:
        return dict(zip((*node.op.options, *node.op.derived), node._options, strict=False))

    def _node_info(self, item: Any) -> NodeInfo:
        if isinstance(item, Tensor):
            tensor = self.tensors.get((item, 0)) or self._leaf(item)
            return NodeInfo(
                self.node_ids[item], "AccumulateGrad", "accumulate", "+=", RUNS_AT_ONCE,
                (tensor,), (), variable=tensor,
            )  # fmt: skip
        custom = isinstance(item, Context)
        return NodeInfo(
            id=self.node_ids[item],
            name=item.name(),
            op=item.function.__name__ if custom else item.op.name,
            symbol=item.function.__name__ if custom else symbol_of(item),
            sequence=item._sequence,
            inputs=self._inputs[item],
            outputs=self._outputs[item],
            saved=tuple(self._saved(item)),
            source=source_of(item),
            formula=""
            if custom
            else written(item.op.forward, self.names_of_inputs(item), self.options(item)),
        )

    def _saved(self, node: Node) -> list[Saved]:
        """What PyTorch shows as `_saved_*`, tensors first."""
        if isinstance(node, Context):
            return [
                self._saved_item(f"saved {i}", item, node)
                for i, item in enumerate(node._saved or ())
            ]
        op = node.op
        if isinstance(node, CopySlices):
            return []  # the node that it keeps is a part of it
        words = [*op.inputs, *op.outputs]
        found = []
        if node._saved is None:
            found = [Saved(w, None, freed=True) for w in words if w in op.saved]
        elif node._saved:
            for word, item in zip(words, node._saved, strict=True):
                if item is not None:
                    found.append(self._saved_item(word, item, node))
        shown = self.options(node)
        for word in op.saved:  # sizes, and options that were not given, would only fill the picture
            usual = word in op.defaults and shown.get(word) == op.defaults[word]
            if word in shown and not usual and "_sym_" not in word:
                found.append(Saved(word, None, text=option_text(shown[word])))
        return found

    def _saved_item(self, word: str, item: Any, node: Node) -> Saved:
        if isinstance(item, Packed):  # what it stands for, the unpack hook alone can say
            return Saved(word, None, text=option_text(item.held))
        if isinstance(item, SavedOutput):
            tensor, raw, saved_at, now = self._outputs[node][item.index], item.data, 0, 0
        elif isinstance(item, Tensor | Pinned):
            held = item.tensor if isinstance(item, Pinned) else item
            saved_at = item.version if isinstance(item, Pinned) else 0
            raw, now = held._data, held._version
            target = held._node if held._needs and held._node is not None else held
            key = edge_key(target) if held._needs else id(held)
            tensor = self.tensors.get(key)
        elif word in node.op.outputs:
            place, raw = node.op.outputs.index(word), item
            made = self._outputs[node]
            tensor = made[place] if place < len(made) else None  # indices have no gradient
            saved_at, now = (node._version[1], node._version[0].count) if node._version else (0, 0)
        else:  # a Python number
            place = node.op.inputs.index(word)
            tensor, raw, saved_at, now = self._inputs[node][place], item, 0, 0
        value = summarise(raw)
        return Saved(
            word, value, tensor=tensor, version_saved=saved_at, version_now=now, nbytes=value.nbytes
        )

    def _edges(self) -> list[EdgeInfo]:
        edges = []
        for node in self.nodes:
            for index, target in enumerate(node._next):
                if target is not None:
                    goal = target if isinstance(target, Tensor) else target_node(target)
                    edges.append(
                        EdgeInfo(
                            id=f"{self.node_ids[node]}.{index}",
                            source=self.node_ids[node],
                            target=self.node_ids[goal],
                            index=index,
                            output_nr=target.index if isinstance(target, Output) else 0,
                            tensor=self._tensor_id(target),
                        )
                    )
        return edges


def graph_of(root: Tensor, names: Names | None = None) -> Graph:
    """The graph behind `root` as data: every node, every tensor, every saved value.

    Raises: TypeError when `root` is no tensor, RuntimeError when it has no graph.
    """
    return Copied(root, names or Names()).graph


def nodes_of(root: Tensor) -> list[Node]:
    """Every node behind `root`, in the order in which the engine runs them."""
    start = target_node(root._node)
    seen = {start} if start is not None else set()
    stack = list(seen)
    while stack:
        for target in stack.pop()._next:
            node = target_node(target)
            if node is not None and node not in seen:
                seen.add(node)
                stack.append(node)
    return sorted(seen, key=lambda node: -node._sequence)


def symbol_of(node: Node) -> str:
    """What stands in the circle of a node."""
    if not isinstance(node, CopySlices) or node.inner is None:
        return node.op.symbol
    return f"[…] {node.inner.op.symbol}"


def target_node(target: Any) -> Any:
    """The node of an edge; None for a leaf, or for no edge."""
    if isinstance(target, Output):
        return target.node
    return target if isinstance(target, Node) else None


def input_items(node: Node) -> list[Any]:
    """What went into a node, in order: edges, constants, numbers."""
    if isinstance(node, Context | CopySlices) or node.op.variadic:
        constants = node._constants or (None,) * len(node._next)
        return [c if e is None else e for e, c in zip(node._next, constants, strict=True)]
    edges = dict(zip(node.op.rules, node._next, strict=True))
    constants = dict(zip(node.op.inputs, node._constants or (), strict=False))
    items = [constants.get(w) if edges.get(w) is None else edges[w] for w in node.op.inputs]
    return [item for item in items if item is not None]


def changed(tensor: Any) -> int:
    """When the memory of a tensor was last changed in place, on the clock of the nodes."""
    more = tensor._more if isinstance(tensor, Tensor) else None
    return -1 if more is None or more.version is None else more.version.changed


def recompute(node: Node, data: list[Any]) -> tuple[Any, ...] | None:
    """The results of a node, computed again; None when an input is gone or the code is not ours."""
    op = node.op
    if isinstance(node, Context):
        return None
    if isinstance(node, CopySlices):
        return recompute_slices(node, data)
    saved: tuple[Any, ...] = (node._saved or ())[len(op.inputs) :]
    as_saved = node._version is None or node._version[0].count == node._version[1]
    results = [item for item in saved if not isinstance(item, Packed | None)]
    if len(saved) == len(results) == 1 and as_saved:
        return (saved[0],)
    if any(x is None for x in data):
        return None
    inputs = promote(op, data) if op.types != "keep" else data
    if not op.variadic and len(inputs) < len(op.inputs):
        inputs = inputs + [None] * (len(op.inputs) - len(inputs))
    options = dict(zip(op.options, node._options, strict=False))
    arguments = (tuple(inputs),) if op.variadic else inputs
    result = state.run(op.forward, *arguments, **options)
    return result if isinstance(result, tuple) else (result,)


def recompute_slices(node: CopySlices, data: list[Any]) -> tuple[Any, ...] | None:
    """What a tensor was after a part of it was written over; None when that is not known."""
    if node.inner is None or any(x is None for x in data):
        return None
    given = iter(data[1:])
    others = [
        None if edge is None and constant is None else next(given)
        for edge, constant in zip(
            node._next[1:], (node._constants or (None,) * len(node._next))[1:], strict=True
        )
    ]
    part = node.op.rules["values"](data[0], *node._options)
    inside = inner_inputs(node, part, others, lambda x: x._data if isinstance(x, Tensor) else x)
    results = recompute(node.inner, [x for x in inside if x is not None])
    if results is None:
        return None
    options = dict(zip(node.op.options, node._options, strict=True))
    return (node.op.forward(data[0], results[0], **options),)


def option_text(value: Any) -> str:
    """An option on one short line."""
    text = summarise(value).text if isinstance(value, np.ndarray) else repr(value)
    return text if len(text) <= 24 else text[:23] + "…"
