"""The graph that a report is about, and the names of its tensors.

A chain rule or a Jacobian is computed later, from the graph itself, so a report keeps the root
alive, as any variable would.

Read next: faces/symbolic/chain_rule.py
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from graphlab.common.notebook import registered
from graphlab.faces.symbolic.custom_functions import record_functions
from graphlab.faces.symbolic.live_graph import Key, Node, Subgraph, Tensor, node_and_output, walk
from graphlab.graph.model import Graph, TensorInfo

LARGEST = 60  # nodes of a graph whose paths are drawn


@dataclass(eq=False)
class CheckedGraph:
    """The root, the gradient that enters there, and names.

    named: the names of leaves and targets. called: the caller's names, by the id of the tensor.
    inner: (node, output number) -> the variable with the result. copy: makes the graph as data, for
    labels and pictures. assumed: the assumptions about values. symbolic: the graph on symbols, and
    recorded: the graph with its Functions recorded; both None until they are needed.
    pictures: the number of pictures that a table has shown. chains: the chain rules made so far.
    """

    root: Tensor
    gradient: Tensor
    named: Mapping[Tensor, str]
    name: str = ""
    called: Mapping[int, str] = field(default_factory=dict)
    inner: Mapping[Any, str] = field(default_factory=dict)
    copy: Callable[[], Graph] | None = None
    assumed: Mapping[Tensor, Any] = field(default_factory=dict)
    symbolic: Any = None
    recorded: Subgraph | None = None
    pictures: int = 0
    chains: dict[Tensor, Any] = field(default_factory=dict)

    def walk(self, stop: Sequence[Tensor] = ()) -> Subgraph:
        """Return the graph behind the root, down to `stop`, with its Functions recorded."""
        found = walk(self.root, stop)
        if found.custom:
            if self.recorded is None:
                self.recorded = walk(self.root)
                record_functions(self.recorded, self.recorded.leaves)
            found.copy_functions(self.recorded)
        return found

    @cached_property
    def graph(self) -> Graph | None:
        """The graph as data; None if there is no `copy`."""
        return None if self.copy is None else self.copy()

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each node in the graph as data, by its sequence number."""
        made = sorted({node._sequence for node in walk(self.root).nodes})
        return {sequence: place for place, sequence in enumerate(made)}

    @cached_property
    def results(self) -> dict[tuple[int, int], TensorInfo]:
        """The tensors of the graph as data, by the number of the node and the output."""
        if self.graph is None:
            return {}
        return {
            (node.sequence, i): self.graph.tensor(t)
            for node in self.graph.nodes
            for i, t in enumerate(node.outputs)
        }

    def label(self, node: Node, output: int) -> str:
        """Return the label of a result in pictures; the operation's name if there is no picture."""
        found = self.results.get((self.numbers.get(node._sequence, -1), output))
        return node.op.name if found is None else found.label

    def size(self, key: Key) -> int:
        """Return how many entries a tensor of the graph has; 1 if that is not known."""
        if isinstance(key, Tensor):
            return key.numel()
        node, output = node_and_output(key)
        found = self.results.get((self.numbers.get(node._sequence, -1), output))
        return 1 if found is None or found.value is None else prod(found.value.shape)

    def picture(self, edges: Iterable[tuple[int, int]], about: str) -> str:
        """Return the graph with some edges highlighted, as HTML; "" if there is no picture.

        edges: each a node's sequence number, and the index of the input that it leads to.
        """
        if self.graph is None or self._draw is None:
            return ""
        nodes = {node.sequence: node.id for node in self.graph.nodes}
        highlighted = [f"{nodes[self.numbers[sequence]]}.{index}" for sequence, index in edges]
        return self._draw(highlighted, about)

    @cached_property
    def _draw(self) -> Callable[[list[str], str], str] | None:
        """The function that draws paths; None for a graph that is too large for pictures."""
        pictures_of = registered("CheckedGraph.pictures")
        if self.graph is None or pictures_of is None or len(self.graph.nodes) > LARGEST:
            return None
        return pictures_of(self.graph)
