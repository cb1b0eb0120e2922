"""Large graphs are drawn in parts: each node in full once, and no scene too large."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphlab
from graphlab.faces.render.collapse import (
    HIGH,
    CollapsedScenes,
    build_scenes_of,
    part_at,
    still_scenes,
)
from graphlab.faces.render.row_wrapping import WIDE
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.scope_cards import scope_card
from graphlab.faces.render.scope_tree import MOST, WHOLE, Part, find_loop, scope_tree
from graphlab.faces.render.still import still_svg
from graphlab.graph.model import Graph, ScopeInfo
from graphlab.graph.scene import Scene, View
from tests.graph.builder import Builder, chain, random_graph, recurrent


def loop(turns: int) -> Graph:
    """y = tanh(y * w + b), repeated."""
    build = Builder()
    y, w, b = build.leaf("x"), build.leaf("w"), build.leaf("b")
    for _ in range(turns):
        y = build.apply("mul", "×", [y, w], saved=("self", "other"))
        y = build.apply("add", "+", [y, b])
        y = build.apply("tanh", "tanh", [y], saved=("result",))
    return build.graph()


def in_scopes(graph: Graph, width: int) -> Graph:
    """The graph in scopes of `width` nodes, two of which make a larger scope."""
    made = [node for node in reversed(graph.nodes) if node.variable is None]
    scope = {node.id: f"block{k // (2 * width)}.half{k // width}" for k, node in enumerate(made)}
    nodes = tuple(replace(node, scope=scope.get(node.id, "")) for node in graph.nodes)
    paths = dict.fromkeys(scope.values())
    return replace(graph, nodes=nodes, scopes=tuple(ScopeInfo(path) for path in paths))


@cache
def scenes_of(name: str, view: View) -> tuple[Scene, ...]:
    return build_scenes_of(LARGE[name], (view,))


def collapsed(graph: Graph, depth: int | None = None, scope: str | None = None) -> Scene:
    tree, part = part_at(graph, depth, scope)
    return CollapsedScenes(graph, tree, "both").scene(part)


def drawn_in_full(scenes: tuple[Scene, ...]) -> Counter[str]:
    return Counter(group.id for scene in scenes for group in scene.groups if group.kind == "op")


def operations(graph: Graph, view: View) -> set[str]:
    return {node.id for node in graph.nodes if node.variable is None or view == "backward"}


LARGE = {
    "a loop": loop(60),
    "a residual chain": chain(200),
    "three chains side by side": chain(60, 3),
    "a random graph": random_graph(5, 200),
    "a recurrent net": recurrent(100),
    "scopes": in_scopes(loop(60), 15),
    "scopes that are too many": in_scopes(loop(170), 3),
}
each_large = pytest.mark.parametrize("name", LARGE)
each_view = pytest.mark.parametrize("view", ["both", "backward"])


@each_view
@each_large
def test_every_node_is_drawn_in_full_exactly_once(name, view):
    drawn = drawn_in_full(scenes_of(name, view))
    assert set(drawn) == operations(LARGE[name], view)
    assert set(drawn.values()) == {1}


@each_view
@each_large
def test_no_scene_shows_too_much(name, view):
    for scene in scenes_of(name, view):
        assert sum(group.kind in ("op", "scope") for group in scene.groups) <= MOST


@each_large
def test_every_card_can_be_gone_into(name):
    scenes = scenes_of(name, "both")
    cards = {group.id[1:] for scene in scenes for group in scene.groups if group.kind == "scope"}
    assert {scene.scope for scene in scenes} == {"", *cards}


@each_view
@each_large
def test_every_gradient_has_its_way_where_it_starts(name, view):
    scenes = scenes_of(name, view)
    home = {group.id: scene for scene in scenes for group in scene.groups if group.kind == "op"}
    flows = {
        scene.scope: {id for group in scene.groups if group.kind == "flow"
                      for id in (group.id, *group.members)}
        for scene in scenes
    }  # fmt: skip
    for edge in LARGE[name].edges:
        assert edge.id in flows[home[edge.source].scope]


@each_large
def test_ids_are_used_once_in_a_scene(name):
    for scene in scenes_of(name, "both"):
        ids = [group.id for group in scene.groups]
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize("make", [lambda n: loop(n // 3), chain, lambda n: random_graph(1, n)])
def test_all_that_is_drawn_grows_as_the_graph_does(make):
    small, large = make(160), make(640)
    counts = [
        sum(len(scene.groups) for scene in build_scenes_of(graph, ("both",))) / len(graph.nodes)
        for graph in (small, large)
    ]
    assert counts[1] < 1.3 * counts[0]  # the tree is deeper, but the work is not four times as much


def test_a_graph_of_few_nodes_is_drawn_in_full():
    graph = loop(40)
    assert len(graph.nodes) <= WHOLE
    scenes = build_scenes_of(graph, ("both", "backward"))
    assert [(scene.view, scene.scope) for scene in scenes] == [("both", ""), ("backward", "")]


def test_a_graph_of_few_nodes_with_scopes_can_be_collapsed_too():
    graph = in_scopes(loop(40), 15)
    whole, collapsed = build_scenes_of(graph, ("both",))
    assert set(drawn_in_full((whole,))) == operations(graph, "both")
    assert any(group.kind == "scope" for group in collapsed.groups)


@pytest.mark.parametrize("scoped", [True, False])
def test_a_picture_that_would_be_too_high_has_cards_of_all_that_it_holds(scoped: bool):
    graph = in_scopes(loop(40), 15) if scoped else loop(40)
    whole, first, *inner = (build_scene(graph, "both", False, None, WIDE), *stills(graph))
    assert whole.height > HIGH > 2 * first.height
    assert any(group.kind == "scope" for group in first.groups)
    assert drawn_in_full((first, *inner)) == dict.fromkeys(operations(graph, "both"), 1)


def test_one_that_is_lower_or_has_no_parts_is_whole():
    for graph in (in_scopes(loop(9), 15), chain(12, 4)):
        assert [set(drawn_in_full(stills(graph)))] == [operations(graph, "both")]


def stills(graph: Graph) -> tuple[Scene, ...]:
    return tuple(still_scenes(graph, "both", WIDE))


def test_a_card_has_the_end_of_a_long_path_and_its_class_once():
    path = "TransformerEncoderLayer.LayerNorm"
    node = loop(1).nodes[0]
    for part, shown in (
        (Part(path, path, "LayerNorm", items=[node] * 3), ["LayerNorm", "add", "3 nodes"]),
        (Part(path, path, "Norm", items=[node]), ["LayerNorm", "Norm", "add", "1 node"]),
        (Part("a.b", "a.b", "B", items=[node] * 2), ["a.b", "B", "add", "2 nodes"]),
        (
            Part("x" * 30, "x" * 30, items=[node] * 2),
            ["xxxxxxxxxxxx…xxxxxxxxxxx", "add", "2 nodes"],
        ),
    ):
        (card,) = scope_card(part, Counter(["add"])).draw(0, 0)
        assert [mark.t for mark in card.marks if mark.t] == shown
        assert card.title.startswith(part.label)


def test_a_card_says_how_many_nodes_it_holds_and_which():
    scene = collapsed(in_scopes(loop(40), 30), depth=1)
    card = next(group for group in scene.groups if group.kind == "scope")
    texts = [mark.t for mark in card.marks if mark.t]
    assert texts == ["block1", "20 mul · 20 add · 20 tanh", "60 nodes"]


def test_one_line_counts_the_gradients_that_go_the_same_way():
    scene = collapsed(in_scopes(loop(40), 30), depth=1)
    merged = next(group for group in scene.groups if len(group.members) == 20)
    assert merged.id.startswith("~t")
    assert merged.kind == "flow"


def test_a_still_picture_counts_the_gradients_that_share_a_line():
    with graphlab.scope("one"):
        h = run(leaf(2.0))
    with graphlab.scope("two"):
        z = run(h + h.sin())
    timeline = graphlab.trace(z)
    shared = {
        edge.id for edge in timeline.graph.edges if timeline.graph.tensor(edge.tensor).name == "h"
    }
    sent = [k for k, one in enumerate(timeline) if getattr(one, "edge", "") in shared]
    first, *_, last = (k for k in sent if timeline[k].kind == "RuleApplied")
    assert " of 2" not in still_svg(timeline, first - 1)
    assert ">1 of 2</text>" in still_svg(timeline, first)
    for k in (last, None):
        assert ">2 of 2</text>" in still_svg(timeline, k)


def run(h: graphlab.Tensor) -> graphlab.Tensor:
    for _ in range(80):
        h = h.tanh()
    return h


def test_a_loop_is_cut_into_whole_turns():
    root = scope_tree(loop(120)).root
    assert [part.label for part in root.parts][-2:] == ["steps 7–12", "steps 1–6"]
    assert all(part.size % 3 == 0 for part in root.parts)


def test_a_loop_begins_and_ends_where_its_operations_do():
    x, w = (graphlab.tensor(value, requires_grad=True) for value in (0.3, 1.1))
    h = (x * 2).tanh()
    for _ in range(60):
        h = graphlab.tanh(w * h + x)
    root = scope_tree(graphlab.draw(h**2).graph).root
    ops = [node.op for node in root.nodes]
    assert ops == ["pow", "tanh", "mul", "accumulate", "accumulate"]
    assert [part.label for part in root.parts][:2] == ["steps 56–60", "steps 51–55"]
    assert {part.size for part in root.parts} == {15}


def test_a_first_turn_that_is_another_counts_as_a_turn():
    W, h = leaf(0.5), graphlab.tensor(1.0)
    for _ in range(60):  # h * 0.1 of the first turn has no node
        h = graphlab.tanh(h * W) * 0.9 + h * 0.1
    labels = [part.label for part in scope_tree(graphlab.draw(h).graph).root.parts]
    assert (labels[0], labels[-1]) == ("steps 58–60", "steps 2–5")


def test_many_operations_before_a_loop_have_cards_of_their_own():
    build = Builder()
    y, w = build.leaf("x"), build.leaf("w")
    for op in [*"abcdefghijkl", *["mul", "tanh"] * 60, *"uvwxyzabcdef"]:
        y = build.apply(op, op, [y, w] if op == "mul" else [y])
    labels = [part.label for part in scope_tree(build.graph()).root.parts]
    assert labels[0] == "ops 133–144"
    assert labels[1] == "steps 55–60"
    assert labels[-2:] == ["steps 1–6", "ops 1–12"]


def test_a_leaf_with_which_a_loop_begins_is_drawn_and_one_of_a_single_turn_is_in_its_card():
    first, *rest = (graphlab.tensor(float(k), requires_grad=True) for k in range(81))
    h = first
    for x in rest:
        h = graphlab.tanh(x * h)
    graph = graphlab.draw(h).graph
    tree = scope_tree(graph)
    drawn = [graph.tensor(node.variable).name for node in tree.root.nodes if node.variable]
    assert drawn == ["first"]
    assert [part.size for part in tree.root.parts] == [2 * 3, *[6 * 3] * 13]


def test_neurons_that_are_written_out_are_not_cut_in_two():
    small, demo = (
        scope_tree(graphlab.draw(mlp(sizes)).graph) for sizes in ((3, 4, 4), (2, 16, 16))
    )
    assert [part.size for part in small.root.parts] == [14] * 5 + [11] * 4
    for part in small.root.parts:
        assert [node.op for node in part.nodes].count("relu") == 1
    labels = [part.label for part in demo.root.parts]
    assert labels == [
        *(f"step {k}" for k in range(17, 0, -1)),
        "ops 51–80",
        "ops 26–50",
        "ops 1–25",
    ]
    assert {part.nodes[0].op for part in demo.root.parts} == {"relu"}


def mlp(sizes: tuple[int, ...]) -> graphlab.Tensor:
    x = [1.0] * sizes[0]
    for size in (*sizes[1:], 1):
        x = [sum((leaf(0.1) * v for v in x), leaf(0.0)).relu() for _ in range(size)]
    return x[0]


def test_the_steps_of_a_long_loop_are_counted_on_in_its_cards():
    paths = {part.path for part in scope_tree(loop(1500)).walk()}
    assert {"steps 51–100", "steps 51–100.steps 51–54", "steps 51–100.steps 99–100"} <= paths


def test_many_leaves_are_cards_of_leaves():
    for drawn in (several := [leaf(float(k)) for k in range(100)]), graphlab.stack(several):
        parts = scope_tree(graphlab.draw(drawn).graph).root.parts
        assert [part.label for part in parts][-1] == "leaves 91–100"


def leaf(value: float) -> graphlab.Tensor:
    return graphlab.tensor(value, requires_grad=True)


def test_what_repeats_is_found():
    assert find_loop(["a", "b", "c"] * 9) == (3, 0, 27)
    assert find_loop(["x", "y", *["a", "b", "c"] * 9, "a", "z"]) == (3, 2, 29)
    assert find_loop([*["a", "b", "c"] * 9, "a", "x", "c", *["a", "b", "c"] * 9]) == (3, 0, 57)
    assert find_loop(["a", "b"] * 5 + ["x", "y", "z"] * 5) is None
    assert find_loop([chr(k) for k in range(97, 123)]) is None


def test_scopes_that_interleave_are_given_up_for_blocks():
    graph = loop(100)
    mixed = tuple(
        replace(node, scope="odd" if k % 2 else "even") for k, node in enumerate(graph.nodes)
    )
    scenes = build_scenes_of(replace(graph, nodes=mixed), ("both",))
    assert set(drawn_in_full(scenes)) == operations(graph, "both")


def test_a_scope_that_is_called_as_a_block_is_still_another_one():
    graph = loop(120)
    twin = scope_tree(graph).root.parts[0].path
    one = graph.nodes[0].id, graph.nodes[1].id, graph.nodes[2].id
    nodes = tuple(replace(n, scope=twin) if n.id in one else n for n in graph.nodes)
    scenes = build_scenes_of(replace(graph, nodes=nodes), ("both",))
    assert len({scene.scope for scene in scenes}) == len(scenes)


def test_the_inside_of_one_scope_can_be_drawn_and_an_unknown_one_is_refused():
    graph = in_scopes(loop(40), 30)
    assert collapsed(graph, scope="block0").scope == "block0"
    with pytest.raises(ValueError, match=r"unknown scope 'block9' \(must be one of \['block1'"):
        collapsed(graph, scope="block9")


@settings(max_examples=6, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(WHOLE + 1, 170),
    st.integers(3, 60),
    st.sampled_from(["both", "backward"]),
)
def test_any_graph_in_any_scopes_is_drawn_whole(seed, count, width, view):
    graph = in_scopes(random_graph(seed, count), width)
    drawn = drawn_in_full(build_scenes_of(graph, (view,)))
    assert set(drawn) == operations(graph, view)
    assert set(drawn.values()) == {1}
