"""Scenes of a graph that is too large for one picture.

Each part is drawn in full, with the parts inside it as cards and its connections to the outside as
stubs. So every node is drawn in full in exactly one scene. Wires between the same two glyphs are
merged into one, which counts their gradients.

Read next: faces/render/scope_cards.py
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from math import ceil, inf

from graphlab.faces.render.glyphs import Glyph, gradient_room, tensor_card
from graphlab.faces.render.layered_graph import Link
from graphlab.faces.render.metrics import DIGIT, LongestTexts
from graphlab.faces.render.scene_builder import (
    Wire,
    build_scene,
    draw_scene,
    edge_wire,
    glyphs_of,
    room_of,
)
from graphlab.faces.render.scope_cards import scope_card, stub_of
from graphlab.faces.render.scope_tree import (
    CARD,
    MOST,
    WHOLE,
    Part,
    ScopeTree,
    below,
    common,
    scope_tree,
)
from graphlab.graph.model import EdgeInfo, Graph, NodeInfo, TensorInfo
from graphlab.graph.scene import Scene, View

MOST_LISTED = 8  # scopes that an error lists, the most similar names first
HIGH = 2000  # pixels, three windows: a still picture that is higher has cards
OVERVIEW = 25  # nodes: a graph with scopes and more nodes also gets a collapsed scene
OPENED = 12  # nodes: a loop of more operations is drawn as cards of its turns


@dataclass(frozen=True, slots=True)
class Use:
    """One input of a node, which may be drawn in another part than the node."""

    user: NodeInfo
    place: int  # which input
    tensor: TensorInfo
    edge: EdgeInfo | None  # along which its gradient flows


def build_scenes_of(
    graph: Graph,
    views: tuple[View, ...],
    playable: bool = True,
    texts: LongestTexts | None = None,
    wide: float = inf,
) -> tuple[Scene, ...]:
    """Return the scenes that a player needs: whole up to 150 nodes, collapsed above.

    The first one is shown first. playable, texts, wide: as in `build_scene`.
    """
    return tuple(_scenes(graph, views, playable, texts, wide))


def still_scenes(
    graph: Graph,
    view: View,
    wide: float,
    playable: bool = False,
    texts: LongestTexts | None = None,
) -> Iterator[Scene]:
    """Yield the scenes of a still picture: whole, or as cards if it is large or high.

    The cards are the scopes; if these are still too high, the turns of the loop.
    """
    best: Iterator[Scene] = iter(())
    height = inf
    if len(graph.nodes) <= WHOLE:
        scene = build_scene(graph, view, playable, texts, wide)
        best, height = iter((scene,)), scene.height
    for most, times in ((MOST, 1), (OPENED, 1), (OPENED, 2), (OPENED, 4)):
        if height <= HIGH:
            break
        tree = scope_tree(graph, most=most, times=times)
        low = height <= 1.5 * HIGH  # blocks that are no turns of a loop say little
        if most == OPENED and (not tree.root.loop or (tree.root.loop == (0, 0, 0) and low)):
            break
        scenes = map(CollapsedScenes(graph, tree, view, playable, texts, wide).scene, tree.walk())
        first = next(scenes)
        if first.height < height:
            best, height = chain((first,), scenes), first.height
    yield from best


def _scenes(
    graph: Graph, views: tuple[View, ...], playable: bool, texts: LongestTexts | None, wide: float
) -> Iterator[Scene]:
    whole = len(graph.nodes) <= WHOLE
    if whole:
        yield from (build_scene(graph, view, playable, texts, wide) for view in views)
        if len(graph.nodes) <= OVERVIEW or not graph.scopes:
            return
    tree = scope_tree(graph)
    if sum(node.variable is None for node in tree.root.nodes) > OPENED:
        in_turns = scope_tree(graph, most=OPENED)
        if in_turns.root.loop != (0, 0, 0):
            tree = in_turns
    if whole and not tree.root.parts:
        return
    for view in views:
        collapsed = CollapsedScenes(graph, tree, view, playable, texts, wide)
        yield from (collapsed.scene(part) for part in ([tree.root] if whole else tree.walk()))


def part_at(
    graph: Graph, depth: int | None = None, scope: str | None = None
) -> tuple[ScopeTree, Part]:
    """Return the part to draw: one scope, or all with scopes of level `depth` as cards (from 1).

    Raises: ValueError that lists the scopes if there is no such scope.
    """
    tree = scope_tree(graph, depth=depth, keep=scope)
    if scope is None:
        return tree, tree.root
    parts = {part.path: part for part in tree.walk()}
    if scope not in parts:
        raise ValueError(f"unknown scope {scope!r}{_choices(graph, scope, parts)}")
    return tree, parts[scope]


def _choices(graph: Graph, scope: str, parts: Iterable[str]) -> str:
    """List the known scopes for an error, those with similar names first."""
    known: dict[str, None] = {}
    for path in (*(one.path for one in graph.scopes), *parts):
        names = path.split(".")
        known.update((".".join(names[:k]), None) for k in range(1, len(names) + 1) if path)
    if not known:
        return (
            ": this graph has no scopes; name parts of a formula "
            '(with graphlab.scope("layer1"): ...) or compute it with modules'
        )
    near = get_close_matches(scope, known, MOST_LISTED)
    some = list(dict.fromkeys((*near, *known)))[:MOST_LISTED]
    more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    return f" (must be one of {some}{more})"


class CollapsedScenes:
    """The scenes of all parts of one graph in one view."""

    def __init__(
        self,
        graph: Graph,
        tree: ScopeTree,
        view: View,
        playable: bool = True,
        texts: LongestTexts | None = None,
        wide: float = inf,
    ) -> None:
        self.graph = graph
        self.tree = tree
        self.view: View = view
        self.playable = playable
        self.wide = wide
        self.texts = texts if playable else LongestTexts()
        self.uses: dict[Part, list[Use]] = {part: [] for part in tree.walk()}
        self.operations: dict[Part, Counter[str]] = {part: Counter() for part in self.uses}
        self._order = {tensor.id: k for k, tensor in enumerate(graph.tensors)}
        self._labels = {part.path: part.label for part in self.uses}
        self._count_operations()
        self._sort_uses()

    def _count_operations(self) -> None:
        for part in reversed(list(self.uses)):  # inner parts first, the earliest of them first
            for node in reversed(part.nodes):  # in the order in which they were made
                if node.variable is None:
                    self.operations[part][node.op] += 1
            if part.parent is not None:
                self.operations[part.parent].update(self.operations[part])

    def _sort_uses(self) -> None:
        """Assign each use between two parts to the scenes in which its wire is visible."""
        for node in self.graph.nodes:
            if node.variable is not None:
                continue
            edges = self.graph.edges_of_inputs(node)
            for k, id in enumerate(node.inputs):
                if self.view == "backward" and edges[k] is None:
                    continue
                use = Use(node, k, self.graph.tensor(id), edges[k])
                for part in between(self.tree.nodes[node.id], self._origin(use)[1]):
                    self.uses[part].append(use)

    def _origin(self, use: Use) -> tuple[str, Part]:
        """Return what a use comes from, and the part in which that is drawn in full."""
        if self.view == "backward":
            assert use.edge is not None, "only edges are drawn"
            return use.edge.target, self.tree.nodes[use.edge.target]
        return use.tensor.id, self.tree.tensors[use.tensor.id]

    # -- one scene -----------------------------------------------------------------------------

    def scene(self, part: Part) -> Scene:
        """Return the scene of the inside of `part`."""
        uses = self.uses[part]
        own = self._own_graph(part)
        glyphs, own_wires = glyphs_of(own, self.view, self.playable, self.texts)
        glyphs = {id: glyph for id, glyph in glyphs.items() if self._is_in(id, part)}
        for inner in part.parts:
            glyphs[f"@{inner.path}"] = scope_card(inner, self.operations[inner])
        wires = {wire.link.id: wire for wire in own_wires}
        merged: dict[tuple[str, str], list[Use]] = {}
        for use in uses:
            here, (origin, there) = self.tree.nodes[use.user.id], self._origin(use)
            source = self._glyph_for(there, part, origin, glyphs)
            if here is not part:
                target = self._glyph_for(here, part, use.user.id, glyphs)
                merged.setdefault((source, target), []).append(use)
            elif self.view == "backward":
                assert use.edge is not None, "only edges are drawn"
                out = glyphs[source].out
                wire = edge_wire(use.edge, self.graph, glyphs, source, out, self.texts)
                wires[wire.link.id] = wire
            else:
                wire = wires[f"w:{use.user.id}.{use.place}"]
                link = replace(wire.link, source=source, out=glyphs[source].out)
                wires[link.id] = replace(wire, link=link)
        members: dict[str, tuple[str, ...]] = {}
        for (source, target), several in merged.items():
            wire, edges = self._merged(source, target, several, glyphs)
            wires[wire.link.id] = wire
            members[wire.flow] = edges
        wires.update({wire.link.id: wire for wire in self._result(part, glyphs)})
        if not self.playable:
            for id, wire in wires.items():
                wires[id] = replace(wire, link=replace(wire.link, room=0), flow="")
        drawn = draw_scene(self.view, glyphs, list(wires.values()), self.wide)
        groups = tuple(
            replace(group, members=members[group.id]) if group.id in members else group
            for group in drawn.groups
        )
        return replace(drawn, groups=groups, scope=part.path)

    def _card(self, tensor: TensorInfo) -> Glyph:
        with_grad = self.view != "computation"
        return tensor_card(tensor, self.graph, with_grad, self.playable, self.texts)

    def _is_in(self, id: str, part: Part) -> bool:
        """Return whether a node or tensor is drawn in full here; the result also in parts above."""
        home = self.tree.nodes.get(id) or self.tree.tensors[id]
        return home is part or (id == self.graph.root and common(home, part) is part)

    def _own_graph(self, part: Part) -> Graph:
        """Return the part's own nodes as a graph, with their inputs and outputs."""
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

    def _glyph_for(self, home: Part, part: Part, id: str, glyphs: dict[str, Glyph]) -> str:
        """Return the id of the glyph in the scene of `part` for `id`, which is drawn in `home`."""
        above = common(home, part)
        if home is not above:
            outside: Part | TensorInfo | NodeInfo = below(home, above)
            id = f"@{outside.path}"
        elif self.graph.has("tensor", id):
            outside = self.graph.tensor(id)
        else:
            outside = self.graph.node(id)
        if id not in glyphs:
            if home is part and isinstance(outside, TensorInfo):
                glyphs[id] = self._card(outside)
            else:
                glyphs[id] = stub_of(outside, self.graph)
        return id

    # -- wires ---------------------------------------------------------------------------------

    def _merged(
        self, source: str, target: str, uses: list[Use], glyphs: dict[str, Glyph]
    ) -> tuple[Wire, tuple[str, ...]]:
        """Return one wire for all uses between two glyphs, and its edges if there are several."""
        edges = tuple(use.edge.id for use in uses if use.edge is not None)
        labels = list(dict.fromkeys(use.tensor.label for use in uses))
        what = labels[0] if len(labels) == 1 else f"{len(labels)} tensors"
        ends = (self._label(source), self._label(target))
        title = f"{what} from {ends[0]} to {ends[1]}"
        room, flow, summed = 0.0, "", ""
        if len(edges) == 1:
            use = next(use for use in uses if use.edge is not None)
            room, summed = room_of(use.edge, use.tensor, self.texts)
            flow = edges[0]
        elif edges:
            flow = f"~{source}>{target}"
            room = ceil(len(f"{len(edges)} of {len(edges)}") * DIGIT)
        if self.view == "computation":
            room, summed = 0.0, ""
        out, into = glyphs[source].out, glyphs[target].into[0]
        link = Link(f"w:{source}>{target}", source, target, out, into, room)
        several = "the gradient" if len(edges) == 1 else f"{len(edges)} gradients"
        back = f"{several} of {what} from {ends[1]} to {ends[0]}"
        points_left = self.view == "backward"
        wire = Wire(link, title, None, flow, back, summed, points_left=points_left)
        return wire, edges if len(edges) > 1 else ()

    def _result(self, part: Part, glyphs: dict[str, Glyph]) -> list[Wire]:
        """Return the wire to the graph's result, if a part inside made it."""
        root = self.graph.tensor(self.graph.root)
        home = self.tree.tensors[root.id]
        if home is part or common(home, part) is not part or root.producer is None:
            return []
        glyphs[root.id] = self._card(root)
        source = f"@{below(home, part).path}"
        text = None if self.texts is None else self.texts.grads.get(root.id, "")
        out, room = glyphs[source].out, gradient_room(root.value, text)
        link = Link(f"w:{source}>{root.id}", source, root.id, out, 0, room)
        if self.view == "backward":
            title = f"{root.label}.grad_fn is {self.graph.node(root.producer).name}"
            return [Wire(link, title, points_left=True)]
        back = f"the gradient of {root.label} enters {self._label(source)}"
        title = f"{root.label} is the result of {self._label(source)}"
        return [Wire(link, title, None, f"{root.producer}<{root.id}", back)]

    def _label(self, id: str) -> str:
        if id.startswith("@"):
            return self._labels[id[1:]]
        if self.graph.has("node", id):
            return self.graph.node(id).name
        return self.graph.tensor(id).label


def between(here: Part, there: Part) -> list[Part]:
    """Return the parts whose scenes show a wire from `there` to `here`; [] if both are the same."""
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


def collapsed_graph(graph: Graph, tree: ScopeTree, part: Part) -> Graph:
    """Return the inside of `part` as a graph: its own nodes, and one node for each part in it.

    The text formats write this graph. A tensor that comes from outside has no producer.
    """
    nodes = tuple(
        item if isinstance(item, NodeInfo) else _card(item, graph, tree) for item in part.items
    )
    made = [id for node in nodes for id in node.outputs]
    used = {id for node in nodes for id in node.inputs}
    root = next((id for id in made if id == graph.root), None)
    root = root or next((id for id in made if id not in used), graph.root)
    touched = graph.with_bases({root, *used, *made})
    tensors = tuple(tensor for tensor in graph.tensors if tensor.id in touched)
    return Graph(root, tensors, nodes, ())


def _card(part: Part, graph: Graph, tree: ScopeTree) -> NodeInfo:
    """Return a part as a node, with the tensors that enter and leave it."""
    inside = {node.id for node in graph.nodes if part.holds(tree.nodes[node.id])}
    held = {id for id, home in tree.tensors.items() if part.holds(home)}
    takes: dict[str, None] = {}
    gives: dict[str, None] = {}
    for node in reversed(graph.nodes):  # in the order in which they were made
        if node.variable is None and node.id in inside:
            takes.update({id: None for id in node.inputs if id not in held})
    for node in graph.nodes:
        if node.variable is None and node.id not in inside:
            gives.update({id: None for id in node.inputs if id in held})
    if graph.root in held:
        gives[graph.root] = None
    size = f"{part.size} nodes"
    name = f"{part.kind}, {size}" if part.kind else size
    return NodeInfo(
        f"@{part.path}", name, CARD, part.label, 0, tuple(takes), tuple(gives), scope=part.path
    )
