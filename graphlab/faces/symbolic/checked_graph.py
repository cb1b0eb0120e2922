"""Where a report comes from: the graph that was checked, and what its tensors are called.

A report is data. What is asked for later, the chain rule of a row or a Jacobian, needs the graph
itself; so a report keeps its root, as any variable would.

Read next: faces/symbolic/chain_rule.py
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from graphlab.autograd.node import Node
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.interpretation import Subgraph, walk
from graphlab.graph.model import Graph, TensorInfo
from graphlab.graph.present import registered
from graphlab.tensor.tensor import Tensor

LARGEST = 60  # nodes of a graph whose ways are drawn
Key = Any  # a leaf, a node, or (node, output number)


@dataclass(eq=False)
class CheckedGraph:
    """The root, the gradient that enters there, and names.

    named: the leaves, and the tensors asked for. called: the caller's names, by the id of the
    tensor. inner: (node, output number) -> the variable that holds it. copy: makes the graph as
    data, for labels and pictures. assumed: what is assumed of values, Assumptions.
    """

    root: Tensor
    gradient: Tensor
    named: Mapping[Tensor, str]
    name: str = ""
    called: Mapping[int, str] = field(default_factory=dict)
    inner: Mapping[Any, str] = field(default_factory=dict)
    copy: Callable[[], Graph] | None = None
    assumed: Mapping[Tensor, Any] = field(default_factory=dict)
    reading: Any = None  # the graph on symbols, once that was asked for
    read: Subgraph | None = None  # the whole graph with its Functions read, where that was needed
    pictures: int = 0  # that a table has shown

    def walk(self, stop: Sequence[Tensor] = ()) -> Subgraph:
        """The graph behind the root, down to `stop`; Functions of the user's own are read."""
        found = walk(self.root, stop)
        if found.custom:
            if self.read is None:
                self.read = walk(self.root)
                record_functions(self.read, self.read.leaves)
            found.know(self.read)
        return found

    @cached_property
    def graph(self) -> Graph | None:
        """The graph as data; None where nobody copies it."""
        return None if self.copy is None else self.copy()

    @cached_property
    def numbers(self) -> dict[int, int]:
        """How the graph as data counts its nodes, from the first one on, by sequence number."""
        made = sorted({node._sequence for node in walk(self.root).nodes})
        return {sequence: place for place, sequence in enumerate(made)}

    @cached_property
    def results(self) -> dict[tuple[int, int], TensorInfo]:
        """What is known of a result, by the number of its node and the output."""
        if self.graph is None:
            return {}
        return {
            (node.sequence, i): self.graph.tensor(t)
            for node in self.graph.nodes
            for i, t in enumerate(node.outputs)
        }

    def label(self, node: Node, output: int) -> str:
        """What pictures call a result; its operation, where there is no picture."""
        found = self.results.get((self.numbers.get(node._sequence, -1), output))
        return node.op.name if found is None else found.label

    def size(self, key: Key) -> int:
        """How many entries a tensor of the graph has; 1 where that is not known."""
        if isinstance(key, Tensor):
            return key.numel()
        node, output = place_of(key)
        found = self.results.get((self.numbers.get(node._sequence, -1), output))
        return 1 if found is None or found.value is None else prod(found.value.shape)

    def picture(self, edges: Iterable[tuple[int, int]], about: str) -> str:
        """The graph with some edges lit, as HTML; "" where there is no picture.

        edges: each by the sequence number of its node, and which of the node's inputs it leads to.
        """
        if self.graph is None or self._draw is None:
            return ""
        nodes = {node.sequence: node.id for node in self.graph.nodes}
        lit = [f"{nodes[self.numbers[sequence]]}.{index}" for sequence, index in edges]
        return self._draw(lit, about)

    @cached_property
    def _draw(self) -> Callable[[list[str], str], str] | None:
        """What draws ways; None for a graph that is too large for pictures."""
        pictures_of = registered("CheckedGraph.pictures")
        if self.graph is None or pictures_of is None or len(self.graph.nodes) > LARGEST:
            return None
        return pictures_of(self.graph)


def place_of(key: Key) -> tuple[Any, int]:
    """Node and output number of a result."""
    return key if isinstance(key, tuple) else (key, 0)
