"""A highlighted path through the graph shows exactly what lies on it.

Read next: graphlab/faces/render/steady_scenes.py
"""

from __future__ import annotations

import re

import graphlab
from graphlab.adapters.native.graph_copy import graph_of
from graphlab.adapters.native.variable_names import names_of
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.steady_scenes import groups_on, highlighted_svg, pictures_of
from graphlab.faces.render.theme import THEMES


def square():
    """w = x * x + x."""
    x = graphlab.tensor(3.0, requires_grad=True)
    w = x * x + x
    return graph_of(w, names_of({"x": x, "w": w}))


def test_what_lies_on_a_way_is_its_tensors_operations_and_wires():
    graph = square()
    by_label = {tensor.label: tensor.id for tensor in graph.tensors}
    add, mul = (node.id for node in graph.nodes if node.variable is None)
    lit = groups_on(graph, [f"{add}.0", f"{mul}.1"])
    x, w = by_label["x"], by_label["w"]
    (xx,) = graph.node(mul).outputs
    wires = {f"w:{add}>{w}", f"w:{add}.0", f"w:{mul}>{xx}", f"w:{mul}.1"}
    assert lit == {w, add, xx, mul, x} | wires


def test_every_group_that_is_lit_is_drawn():
    graph = square()
    add, mul = (node.id for node in graph.nodes if node.variable is None)
    scene = build_scene(graph, "computation", playable=False)
    drawn = {group.id for group in scene.groups}
    assert groups_on(graph, [f"{add}.0", f"{mul}.1"]) <= drawn


def test_the_rest_is_pale():
    graph = square()
    scene = build_scene(graph, "computation", playable=False)
    add, _ = (node.id for node in graph.nodes if node.variable is None)
    svg = highlighted_svg(scene, graph, [f"{add}.1"], "w ← x & <b>")
    lit = groups_on(graph, [f"{add}.1"])
    groups = [group for group in scene.groups if group.kind != "saved"]
    assert svg.count("<g>") == len(lit)
    assert svg.count('<g opacity="0.3">') == len(groups) - len(lit)
    assert svg.count(f'stroke="{THEMES["light"].gradient}"') == len(lit)
    assert "w ← x &amp; &lt;b&gt;" in svg
    assert not re.search(r"<(script|style|a)\b", svg)


def test_a_picture_is_an_image_that_says_what_it_shows():
    graph = square()
    add, _ = (node.id for node in graph.nodes if node.variable is None)
    picture = pictures_of(graph)([f"{add}.1"], 'the way "w ← x"')
    assert picture.startswith(
        '<img alt="the way &quot;w ← x&quot;" src="data:image/svg+xml;base64,'
    )
