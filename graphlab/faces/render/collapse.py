"""Scenes of a graph that is too large for one: each part in full, the parts inside it as cards,
what it is connected to outside as stubs.

Every node is drawn in full in one scene, so all scenes together grow with the graph alone; wires
between the same two things are one wire, whose gradients are counted.

Read next: faces/render/scope_cards.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf

from graphlab.faces.render.glyphs import Piece, gradient_room, tensor_card
from graphlab.faces.render.layout import Link
from graphlab.faces.render.longest_texts import Expected
from graphlab.faces.render.metrics import FONTS, text_width
from graphlab.faces.render.scene_builder import Wire, build_scene, draw_scene, pieces_of, room_of
from graphlab.faces.render.scope_cards import scope_card, stub_of_node, stub_of_part, stub_of_tensor
from graphlab.faces.render.scope_tree import WHOLE, Part, Plan, below, common, plan
from graphlab.graph.model import EdgeInfo, Graph, NodeInfo, TensorInfo
from graphlab.graph.scene import Scene, View

MOST_SAID = 8  # scopes that an error lists, the nearest first
OVERVIEW = 25  # nodes; a graph with scopes and more nodes has a collapsed scene too


@dataclass(frozen=True, slots=True)
class Use:
    """A tensor that goes from where it lives to a node that uses it."""

    user: NodeInfo
    place: int  # which input
    tensor: TensorInfo
    edge: EdgeInfo | None  # the way of its gradient


def build_scenes_of(
    graph: Graph,
    views: tuple[View, ...],
    walked: bool = True,
    expected: Expected | None = None,
    wide: float = inf,
) -> tuple[Scene, ...]:
    """The scenes that a player needs: in full up to 150 nodes, and collapsed where there is more.

    The first one is shown first. A scene without a card is the whole graph. walked: with what flows
    back. expected: what will be written in it, where that is known. wide: pixels; what is wider
    stands in rows.
    """
    found: list[Scene] = []
    whole = len(graph.nodes) <= WHOLE
    if whole:
        found += [build_scene(graph, view, walked, expected, wide) for view in views]
        if len(graph.nodes) <= OVERVIEW or not graph.scopes:
            return tuple(found)
    drawn = plan(graph)
    if whole and not drawn.root.parts:
        return tuple(found)
    for view in views:
        sketch = Sketch(graph, drawn, view, walked, expected, wide)
        parts = [drawn.root] if whole else drawn.walk()
        found += [sketch.scene(part) for part in parts]
    return tuple(found)


def build_collapsed(
    graph: Graph, view: View = "both", depth: int = 1, walked: bool = True
) -> Scene:
    """One scene in which the scopes of level `depth` are cards: at 1, the outermost."""
    drawn, part = part_at(graph, depth=depth)
    return Sketch(graph, drawn, view, walked).scene(part)


def build_inside(graph: Graph, view: View, scope: str, walked: bool = True) -> Scene:
    """The inside of one scope; ValueError that lists them when there is no such scope."""
    drawn, part = part_at(graph, scope=scope)
    return Sketch(graph, drawn, view, walked).scene(part)


def part_at(graph: Graph, depth: int | None = None, scope: str | None = None) -> tuple[Plan, Part]:
    """The inside of one scope; or all, with the scopes of level `depth` as cards: 1, the outermost.

    Raises: ValueError when there is no such scope; it lists those that there are.
    """
    drawn = plan(graph, depth=depth, keep=scope)
    if scope is None:
        return drawn, drawn.root
    parts = {part.path: part for part in drawn.walk()}
    if scope not in parts:
        raise ValueError(f"unknown scope {scope!r}{_choices(graph, scope, parts)}")
    return drawn, parts[scope]


def _choices(graph: Graph, scope: str, parts: Iterable[str]) -> str:
    """The scopes that there are, those that are called nearly so first."""
    known: dict[str, None] = {}
    for path in (*(one.path for one in graph.scopes), *parts):
        names = path.split(".")
        known.update((".".join(names[:k]), None) for k in range(1, len(names) + 1) if path)
    if not known:
        return (
            ": this graph has no scopes; name parts of a formula "
            '(with graphlab.scope("layer1"): ...) or compute it with modules'
        )
    near = get_close_matches(scope, known, MOST_SAID)
    some = list(dict.fromkeys((*near, *known)))[:MOST_SAID]
    more = f" and {len(known) - MOST_SAID} more" if len(known) > MOST_SAID else ""
    return f" (must be one of {some}{more})"


class Sketch:
    """The scenes of all parts of one graph in one view."""

    def __init__(
        self,
        graph: Graph,
        drawn: Plan,
        view: View,
        walked: bool = True,
        expected: Expected | None = None,
        wide: float = inf,
    ) -> None:
        self.graph = graph
        self.plan = drawn
        self.view: View = view
        self.walked = walked
        self.wide = wide
        self.expected = expected if walked else Expected()
        self.uses: dict[Part, list[Use]] = {part: [] for part in drawn.walk()}
        self.operations: dict[Part, Counter[str]] = {part: Counter() for part in self.uses}
        self._order = {tensor.id: k for k, tensor in enumerate(graph.tensors)}
        self._labels = {part.path: part.label for part in self.uses}
        self._count_operations()
        self._sort_uses()

    def _count_operations(self) -> None:
        for part in reversed(list(self.uses)):  # inner parts first, and the earliest of them
            for node in reversed(part.nodes):  # in the order in which they were made
                if node.variable is None:
                    self.operations[part][node.op] += 1
            if part.parent is not None:
                self.operations[part.parent].update(self.operations[part])

    def _sort_uses(self) -> None:
        """Give each use to the scenes that show something of it."""
        for node in self.graph.nodes:
            if node.variable is not None:
                continue
            edges = self.graph.edges_of_inputs(node)
            for k, id in enumerate(node.inputs):
                use = Use(node, k, self.graph.tensor(id), edges[k])
                if self.view == "backward" and use.edge is None:
                    continue
                here, there = self.plan.nodes[node.id], self._home(use)
                for part in between(here, there):
                    self.uses[part].append(use)

    def _home(self, use: Use) -> Part:
        if self.view == "backward":
            assert use.edge is not None, "only edges are drawn"
            return self.plan.nodes[use.edge.target]
        return self.plan.tensors[use.tensor.id]

    def _origin(self, use: Use) -> str:
        """The id of what a use comes from, where that is drawn in full."""
        if self.view == "backward":
            assert use.edge is not None, "only edges are drawn"
            return use.edge.target
        return use.tensor.id

    # -- one scene -----------------------------------------------------------------------------

    def scene(self, part: Part) -> Scene:
        """The inside of `part`."""
        uses = self.uses[part]
        pieces, strung = pieces_of(self._in_full(part, uses), self.view, self.walked, self.expected)
        pieces = {id: piece for id, piece in pieces.items() if self._lives(id, part)}
        for inner in part.parts:
            pieces[f"@{inner.path}"] = scope_card(inner, self.operations[inner])
        wires = {wire.link.id: wire for wire in strung}
        merged: dict[tuple[str, str], list[Use]] = {}
        for use in uses:
            here, there = self.plan.nodes[use.user.id], self._home(use)
            source = self._seen(there, part, self._origin(use), pieces)
            if here is not part:
                target = self._seen(here, part, use.user.id, pieces)
                merged.setdefault((source, target), []).append(use)
            elif self.view == "backward":
                wire = self._edge_wire(use, source, pieces)
                wires[wire.link.id] = wire
            else:
                wire = wires[f"w:{use.user.id}.{use.place}"]
                link = replace(wire.link, source=source, out=pieces[source].out)
                wires[link.id] = replace(wire, link=link)
        members: dict[str, tuple[str, ...]] = {}
        for (source, target), several in merged.items():
            wire, edges = self._merged(source, target, several, pieces)
            wires[wire.link.id] = wire
            members[wire.flow] = edges
        wires.update({wire.link.id: wire for wire in self._result(part, pieces)})
        drawn = self._drawn(pieces, list(wires.values()))
        groups = tuple(
            replace(group, members=members[group.id]) if group.id in members else group
            for group in drawn.groups
        )
        return replace(drawn, groups=groups, scope=part.path)

    def _drawn(self, pieces: dict[str, Piece], wires: list[Wire]) -> Scene:
        if not self.walked:
            wires = [replace(wire, link=replace(wire.link, room=0), flow="") for wire in wires]
        return draw_scene(self.view, pieces, wires, self.wide)

    def _card(self, tensor: TensorInfo) -> Piece:
        with_grad = self.view != "computation"
        return tensor_card(tensor, self.graph, with_grad, self.walked, self.expected)

    def _lives(self, id: str, part: Part) -> bool:
        """Whether a node or a tensor is drawn in full here; the result is wherever it is inside."""
        home = self.plan.nodes.get(id) or self.plan.tensors[id]
        return home is part or (id == self.graph.root and common(home, part) is part)

    def _in_full(self, part: Part, uses: list[Use]) -> Graph:
        """The part's own nodes as a graph, with the tensors that they touch."""
        nodes = part.nodes
        own = {node.id for node in nodes}
        touched = {id for node in nodes for id in (*node.inputs, *node.outputs)}
        touched |= {node.variable for node in nodes if node.variable is not None}
        touched |= {self.graph.root}
        backward = self.view == "backward"
        edges = [
            edge
            for node in nodes
            for edge in self.graph.edges_from(node.id)
            if edge.target in own or not backward
        ]
        tensors = sorted(self.graph.with_bases(touched), key=self._order.__getitem__)
        known = tuple(self.graph.tensor(id) for id in tensors)
        return Graph(self.graph.root, known, tuple(nodes), tuple(edges))

    def _seen(self, home: Part, part: Part, id: str, pieces: dict[str, Piece]) -> str:
        """What stands in the scene of `part` for something that lives in `home`."""
        if home is part:
            if id not in pieces:
                tensor = self.graph.tensor(id)
                pieces[id] = self._card(tensor)
            return id
        above = common(home, part)
        if home is not above:
            stands = below(home, above)
            id = f"@{stands.path}"
            if id not in pieces:
                pieces[id] = stub_of_part(stands)
        elif id not in pieces:
            is_tensor = self.graph.has("tensor", id)
            pieces[id] = (
                stub_of_tensor(self.graph.tensor(id))
                if is_tensor
                else stub_of_node(self.graph.node(id), self.graph)
            )
        return id

    # -- wires ---------------------------------------------------------------------------------

    def _edge_wire(self, use: Use, source: str, pieces: dict[str, Piece]) -> Wire:
        """The backward view's wire to a node that is drawn in full, from one that is not."""
        edge, user = use.edge, use.user
        assert edge is not None, "only edges are drawn"
        ports = pieces[user.id].into
        into = ports[min(edge.index, len(ports) - 1)]
        room, summed = room_of(edge, use.tensor, self.expected)
        link = Link(f"w:{edge.id}", source, user.id, pieces[source].out, into, room)
        title = f"{user.name}.next_functions[{edge.index}] is {self.graph.node(edge.target).name}"
        back = f"the gradient that {user.name} sends to {use.tensor.label}"
        return Wire(link, title, edge.index, edge.id, back, summed, points_left=True)

    def _merged(
        self, source: str, target: str, uses: list[Use], pieces: dict[str, Piece]
    ) -> tuple[Wire, tuple[str, ...]]:
        """One wire for all that goes the same way, and the edges that go back along it."""
        edges = tuple(use.edge.id for use in uses if use.edge is not None)
        labels = list(dict.fromkeys(use.tensor.label for use in uses))
        what = labels[0] if len(labels) == 1 else f"{len(labels)} tensors"
        backward = self.view == "backward"
        ends = (self._called(source), self._called(target))
        title = f"{what} from {ends[0]} to {ends[1]}"
        room, flow, summed = 0.0, "", ""
        if len(edges) == 1:
            use = next(use for use in uses if use.edge is not None)
            room, summed = room_of(use.edge, use.tensor, self.expected)
            flow = edges[0]
        elif edges:
            flow = f"~{source}>{target}"
            room = text_width(f"{len(edges)} of {len(edges)}", FONTS["contribution"])
        if self.view == "computation":
            room, summed = 0.0, ""
        out, into = pieces[source].out, pieces[target].into[0]
        link = Link(f"w:{source}>{target}", source, target, out, into, room)
        several = "the gradient" if len(edges) == 1 else f"{len(edges)} gradients"
        back = f"{several} of {what} from {ends[1]} to {ends[0]}"
        wire = Wire(link, title, None, flow, back, summed, points_left=backward)
        return wire, edges if len(edges) > 1 else ()

    def _result(self, part: Part, pieces: dict[str, Piece]) -> list[Wire]:
        """The wire to the graph's result, where a part inside made it."""
        root = self.graph.tensor(self.graph.root)
        home = self.plan.tensors[root.id]
        if home is part or common(home, part) is not part or root.producer is None:
            return []
        pieces[root.id] = self._card(root)
        source = f"@{below(home, part).path}"
        text = None if self.expected is None else self.expected.grads.get(root.id, "")
        out, room = pieces[source].out, gradient_room(root.value, text)
        link = Link(f"w:{source}>{root.id}", source, root.id, out, 0, room)
        if self.view == "backward":
            title = f"{root.label}.grad_fn is {self.graph.node(root.producer).name}"
            return [Wire(link, title, points_left=True)]
        back = f"the gradient of {root.label} enters {self._called(source)}"
        title = f"{root.label} is the result of {self._called(source)}"
        return [Wire(link, title, None, f"{root.producer}<{root.id}", back)]

    def _called(self, id: str) -> str:
        if id.startswith("@"):
            return self._labels[id[1:]]
        if self.graph.has("node", id):
            return self.graph.node(id).name
        return self.graph.tensor(id).label


def between(here: Part, there: Part) -> list[Part]:
    """The parts in whose scenes a wire from `there` to `here` is seen, when they are not one."""
    if here is there:
        return []
    shared = common(here, there)
    found = [shared]
    for end in (here, there):
        while end is not shared:
            found.append(end)
            assert end.parent is not None, "shared is above"
            end = end.parent
    return found
