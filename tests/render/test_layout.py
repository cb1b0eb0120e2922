"""The layout: nothing overlaps, arguments keep their order, the same graph gives the same picture,
and the work grows with the graph and not with its square."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import graphlab
from graphlab.faces.render import scene_builder as scenes
from graphlab.faces.render.crossings import _Work, crossings, order
from graphlab.faces.render.curves import extent
from graphlab.faces.render.layered_graph import FLOW, Box, Columns, Link, thread
from graphlab.faces.render.layering import Span, minimise, rank
from graphlab.faces.render.layout import MOST_CACHED, apart, arranged, lay_out, place, trade
from graphlab.faces.render.scene_builder import VIEWS, build_scene
from graphlab.graph.model import Graph
from graphlab.graph.scene import Scene
from tests.graph.builder import ALL, Builder, chain, random_graph, recurrent
from tests.graph.example import lesson_graph


def columns_of(graph: Graph, view: str = "both") -> Columns:
    pieces, wires = scenes._backward(graph) if view == "backward" else scenes._forward(graph, True)
    boxes, links = [piece.box for piece in pieces.values()], [wire.link for wire in wires]
    return thread(boxes, links, rank(boxes, links))


def solid(scene: Scene) -> list[tuple[str, tuple[float, float, float, float]]]:
    """The rectangles of cards, circles and chips."""
    return [
        (group.id, extent(mark))
        for group in scene.groups
        for mark in group.marks
        if mark.c in ("card", "op", "chip")
    ]


def assert_nothing_overlaps(scene: Scene) -> None:
    boxes = solid(scene)
    for k, (name, one) in enumerate(boxes):
        for other_name, other in boxes[k + 1 :]:
            inside = scene.view == "backward" and ("s:" in name or "s:" in other_name)
            apart_ = (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            )
            assert apart_ or inside, f"{name} and {other_name} overlap"
    for name, (left, top, right, bottom) in boxes:
        fits = left >= 0 and top >= 0 and right <= scene.width and bottom <= scene.height
        assert fits, f"{name} leaves the picture"


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ALL)
def test_no_card_circle_or_chip_overlaps_another(name: str, view: scenes.View) -> None:
    assert_nothing_overlaps(build_scene(ALL[name](), view))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from(VIEWS))
def test_nothing_overlaps_in_any_graph(seed: int, nodes: int, view: scenes.View) -> None:
    assert_nothing_overlaps(build_scene(random_graph(seed, nodes), view))


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from(VIEWS), st.booleans())
def test_everything_stands_on_half_pixels(
    seed: int, nodes: int, view: scenes.View, walked: bool
) -> None:
    scene = build_scene(random_graph(seed, nodes), view, walked)
    for group in scene.groups:
        for mark in group.marks:
            assert all(2 * number % 1 == 0 for number in (mark.x, mark.y, mark.w, mark.h, mark.r))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 40))
def test_a_column_keeps_its_order_and_its_distances(seed: int, nodes: int) -> None:
    columns = columns_of(random_graph(seed, nodes))
    order(columns)
    y = place(columns)
    for column in columns.columns:
        for upper, lower in pairwise(column):
            space = apart(columns.slots[upper], columns.slots[lower])
            assert y[lower] - y[upper] >= space - 1e-6  # rounding of sums


@pytest.mark.parametrize("name", ALL)
def test_wires_bend_only_between_columns(name: str) -> None:
    pieces, wires = scenes._forward(ALL[name](), True)
    layout = lay_out([piece.box for piece in pieces.values()], [wire.link for wire in wires])
    for wire in wires:
        for x0, _, x1, _ in layout.routes[wire.link.id]:
            for id, piece in pieces.items():
                half = piece.box.width / 2
                assert layout.x[id] + half <= x0 + 0.1 or layout.x[id] - half >= x1 - 0.1


def test_the_same_graph_gives_the_same_picture() -> None:
    assert build_scene(random_graph(7, 40), "both") == build_scene(random_graph(7, 40), "both")


def test_the_first_argument_stands_above_the_second() -> None:
    graph = lesson_graph()
    scene = build_scene(graph, "both")
    top = {id: box[1] for id, box in solid(scene)}
    a, b = (t.id for t in graph.tensors if t.name in "ab")
    assert top[a] < top[b]


def test_a_leaf_stands_in_the_column_before_its_first_user() -> None:
    boxes = [Box(id, 10, 5, 5) for id in "abcd"]
    links = [Link("1", "a", "b"), Link("2", "b", "c"), Link("3", "d", "c")]
    assert rank(boxes, links) == {"a": 0, "b": 1, "c": 2, "d": 1}


def test_what_hangs_on_leaves_alone_stands_by_its_user() -> None:
    # (a*b) + sin(sin(sin(c))): the product waits for the sum with its leaves
    boxes = [Box(id, 10, 5, 5) for id in ("a", "b", "ab", "c", "s1", "s2", "s3", "sum")]
    pairs = ["a ab", "b ab", "c s1", "s1 s2", "s2 s3", "ab sum", "s3 sum"]
    links = [Link(pair, *pair.split()) for pair in pairs]
    ranks = rank(boxes, links)
    assert ranks["ab"] == ranks["s3"] == ranks["sum"] - 1
    assert ranks["a"] == ranks["b"] == ranks["ab"] - 1


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_no_columns_make_the_lines_shorter(seed: int) -> None:
    """Compare with every assignment of a small graph."""
    choose = random.Random(seed)
    count = choose.randint(2, 6)
    spans = [
        Span(tail, head, choose.choice((0, 1, 1, 2)), choose.choice((1, 1, 2, 3)))
        for head in range(1, count)
        for tail in range(head)
        if choose.random() < 0.6
    ]
    if not spans:
        return
    ranks = [0] * count
    for span in spans:  # arguments come first: one pass gives columns that are allowed
        ranks[span.head] = max(ranks[span.head], ranks[span.tail] + span.least)
    minimise(ranks, spans)
    assert all(ranks[s.head] - ranks[s.tail] >= s.least for s in spans)

    def cost(columns: Sequence[int]) -> float:
        return sum(s.weight * (columns[s.head] - columns[s.tail]) for s in spans)

    widest = range(2 * count - 1)
    allowed = (
        columns
        for columns in product(widest, repeat=count)
        if all(columns[s.head] - columns[s.tail] >= s.least for s in spans)
    )
    if count <= 5:
        assert cost(ranks) == min(map(cost, allowed))


def test_parts_of_a_layer_that_no_line_connects_are_drawn() -> None:
    """One part moved to the left by itself: columns between the two were empty."""
    layer = [1.0]
    for width in (8, 12, 1):
        layer = [
            sum((graphlab.tensor(0.1, requires_grad=True) * x for x in layer), 0.0).relu()
            for _ in range(width)
        ]
    assert "relu" in graphlab.draw(layer[0]).svg


def test_an_operation_and_its_result_stand_side_by_side() -> None:
    for seed in range(8):
        graph = random_graph(seed, 40)
        pieces, wires = scenes.glyphs_of(graph, "both")
        ranks = rank([piece.box for piece in pieces.values()], [wire.link for wire in wires])
        for node in graph.nodes:
            for id in node.outputs:
                assert ranks[id] == ranks[node.id] + 1


@pytest.mark.parametrize(("op", "crossed"), [("add", 0), ("div", 1)])
def test_lines_may_trade_places_where_all_inputs_are_alike(op: str, crossed: int) -> None:
    # a+b and b+a cross nothing; in a/b and b/a the numerator stands above
    build = Builder()
    a, b = build.leaf("a"), build.leaf("b")
    one, other = build.apply(op, "?", [a, b]), build.apply(op, "?", [b, a])
    build.apply("div", "÷", [one, other])
    columns = columns_of(build.graph())
    order(columns)
    trade(columns)
    inputs = [strand for strand in columns.strands if columns.slots[strand.left].id in (a, b)]
    assert len({strand.into for strand in inputs}) == 2
    columns.strands[:] = [replace(strand, free=False) for strand in columns.strands]
    assert crossings(columns) == crossed + 1  # K(2,2) crosses once however it is drawn


def heights_of_starts(graph: Graph) -> dict[str, float]:
    """Where the wires leave their tensors, by the wires' ids."""
    found = {}
    for group in build_scene(graph).groups:
        if group.kind == "wire":
            data = next(mark.d for mark in group.marks if mark.c == "wire")
            start = re.match(r"M\S+ ([\d.]+)", data)
            assert start is not None
            found[group.id] = float(start[1])
    return found


def test_two_lines_to_one_operation_run_side_by_side() -> None:
    heights = heights_of_starts(ALL["square"]())
    assert abs(heights["w:n0.0"] - heights["w:n0.1"]) > FLOW


def test_lines_leave_a_tensor_in_the_order_in_which_they_go_on() -> None:
    build = Builder()  # x*x + x: the third line passes the product
    x = build.leaf("x")
    build.apply("add", "+", [build.apply("mul", "×", [x, x]), x])
    heights = heights_of_starts(build.graph())
    pair = heights["w:n0.0"], heights["w:n0.1"]
    assert not min(pair) <= heights["w:n1.1"] <= max(pair)


def test_a_chain_is_one_straight_line() -> None:
    boxes = [Box(str(k), 10 + k, 5 + k, 9) for k in range(30)]
    links = [Link(str(k), str(k), str(k + 1)) for k in range(29)]
    layout = lay_out(boxes, links)
    assert len(set(layout.y.values())) == 1


def test_a_picture_that_was_laid_out_before_is_not_laid_out_again() -> None:
    graph = random_graph(7, 20)
    once = build_scene(graph)
    arranged.cache_clear()
    assert build_scene(graph) == once
    before = arranged.cache_info().hits
    assert build_scene(random_graph(7, 20)) == once
    assert arranged.cache_info().hits == before + 1
    chain = [[Link("w", start, end)] for start, end in ("ab", "cd")]
    for width, names in enumerate(("ab", "cd")):  # other names and widths, the same shape
        lay_out([Box(name, 9 + width, 5, 5) for name in names], chain[width])
    assert arranged.cache_info().hits == before + 2
    arranged.cache_clear()
    lay_out([Box("a", 9, 5, 5)], [])
    boxes = [Box(str(k), 1, 1, 1) for k in range(MOST_CACHED + 1)]
    assert len(lay_out(boxes, []).x) == MOST_CACHED + 1
    assert arranged.cache_info().currsize == 1  # large layouts are not cached


def test_links_of_one_box_share_their_bends() -> None:
    columns = columns_of(recurrent(50))
    bends = sum(box.id == "" for box in columns.slots)
    # all steps share the line of the weight: about one bend per column, not per column and step
    assert bends < 3 * len(columns.columns)


@pytest.mark.parametrize(
    "graph", [chain(20, 3), recurrent(12), ALL["mlp"](), lesson_graph()], ids=str
)
def test_orderly_graphs_are_drawn_without_crossings(graph: Graph) -> None:
    columns = columns_of(graph)
    assert order(columns) == crossings(columns) == 0


def test_two_wires_that_cross_are_uncrossed() -> None:
    boxes = [Box(id, 10, 5, 5) for id in "abcd"]
    links = [Link("1", "a", "d"), Link("2", "b", "c")]
    columns = thread(boxes, links, rank(boxes, links))
    columns.columns[:] = [[0, 1], [2, 3]]
    assert crossings(columns) == 1
    order(columns)
    assert crossings(columns) == 0


def work(graph: Graph) -> int:
    columns = columns_of(graph)
    made = _Work(columns)
    made.begin(next(made.starts()))
    for to_right in (True, False):
        made.sweep(to_right)
        made.swap_neighbours()
        made.crossings()
    return made.touched


class Forgetful(dict[object, object]):
    """A cache that never finds anything."""

    def get(self, key: object, default: object = None) -> object:
        return default


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(5, 40))
def test_what_is_remembered_of_an_order_is_what_would_be_worked_out_anew(
    seed: int, nodes: int
) -> None:
    columns = columns_of(random_graph(seed, nodes))
    found = []
    for memory in (dict, Forgetful):
        made = _Work(columns)
        made._known = memory()
        for start in made.starts():
            made.begin(start)
            for _ in range(3):
                for to_right in (True, False):
                    made.sweep(to_right)
                made.swap_neighbours()
                found.append((memory, list(made.orders), made.crossings()))
    assert found[:6] == [(dict, *rest) for _, *rest in found[6:]]


@pytest.mark.parametrize("make", [chain, recurrent], ids=["chain", "recurrent"])
def test_twice_the_graph_is_about_twice_the_work(make: object) -> None:
    small, large = work(make(200)), work(make(400))  # type: ignore[operator]
    assert large < 2.3 * small  # twice the work and a constant


def test_a_graph_of_two_thousand_nodes_is_laid_out() -> None:
    scene = build_scene(chain(1000))
    assert scene.width > 100_000
    assert all(math.isfinite(mark.x) for group in scene.groups for mark in group.marks)


def test_a_lone_leaf_is_a_picture_too() -> None:
    from tests.graph.builder import Builder

    build = Builder()
    build.leaf("x")
    for view in VIEWS:
        assert "x" in str(build_scene(build.graph(), view))


def test_a_cycle_is_an_error_of_ours() -> None:
    boxes = [Box("a", 1, 1, 1), Box("b", 1, 1, 1)]
    with pytest.raises(AssertionError, match="no cycle"):
        rank(boxes, [Link("1", "a", "b"), Link("2", "b", "a")])


def sum_of_products(count: int) -> Graph:
    """x*c + x*c + …, with one leaf that every column uses."""
    build = Builder()
    x = build.leaf("x")
    total = build.apply("mul", "×", [x, build.constant("c0")])
    for _ in range(1, count):
        total = build.apply("add", "+", [total, build.apply("mul", "×", [x, build.constant(None)])])
    return build.graph()


def test_a_sum_of_many_products_grows_no_faster_than_its_terms() -> None:
    marks = {}
    for count in (40, 80):
        scene = build_scene(sum_of_products(count))
        marks[count] = sum(len(mark.d) for group in scene.groups for mark in group.marks)
    assert marks[80] < 2.2 * marks[40]  # 4 times if every product had a wire of its own
