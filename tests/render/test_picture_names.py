"""A picture says in words what it shows: a slope, a plot and a drawing."""

import pickle
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from runpy import run_path

import pytest

import graphlab
from graphlab.faces.render.html import image
from graphlab.faces.render.scene_builder import build_scene
from graphlab.faces.render.svg import MOST_TOLD, to_svg
from tests.graph.builder import HOSTILE, hostile
from tests.graph.example import lesson

ROOT = Path(__file__).resolve().parents[2]


def described(svg: str) -> str:
    """The description of a picture; "" without one."""
    return ElementTree.fromstring(svg).findtext("{*}desc", "")


def test_a_slope_is_an_image_with_its_sentence():
    x = graphlab.tensor(3.0, requires_grad=True)
    picture = graphlab.trace(x * x).slope("x")
    assert picture.text == "At x = 3: slope 6, the gradient that autograd finds."
    assert picture._repr_mimebundle_() == {
        "text/html": image(picture.svg, picture.text),
        "text/plain": picture.text,
    }


def test_the_site_frames_a_slope_as_every_picture():
    of_output = run_path(str(ROOT / "site" / "walks_in_pages.py"))["of_output"]
    x = graphlab.tensor(3.0, requires_grad=True)
    bundle = graphlab.trace(x * x).slope("x")._repr_mimebundle_()
    assert of_output(bundle) == f'<div class="site-picture">{bundle["text/html"]}</div>'
    assert of_output({"text/html": "<table></table>"}) is None


def test_a_small_drawing_says_what_each_node_takes_and_makes():
    x = graphlab.tensor(3.0, requires_grad=True)
    y = x * 2 + x
    for view in ("both", "computation", "backward"):
        assert described(graphlab.draw(y, view=view).svg) == (
            "MulBackward0 makes x * 2 from x and 2. AddBackward0 makes y from x * 2 and x."
        )


def test_the_description_of_a_large_drawing_counts():
    y = graphlab.tensor(0.5, requires_grad=True)
    for _ in range(MOST_TOLD):
        y = y.tanh()
    assert described(graphlab.draw(y).svg).count(" makes ") == MOST_TOLD
    assert described(graphlab.draw(y.tanh()).svg) == "22 tensors, 21 nodes"
    net = graphlab.nn.Sequential(graphlab.nn.Linear(2, 2), graphlab.nn.Tanh())
    loss = net(graphlab.ones(1, 2)).sum()
    assert described(graphlab.draw(loss, depth=1).svg).endswith(", 1 scope")


def test_a_description_is_escaped_and_a_step_has_none():
    told = described(to_svg(build_scene(hostile(), "both"), hostile()))
    assert any(name in told for name in HOSTILE)
    walk = lesson()
    assert described(to_svg(walk.scenes[0], walk.graph, state=walk.state_at(-1))) == ""


def test_a_plot_at_the_end_of_a_cell_has_its_sentences(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    formatting = pytest.importorskip("IPython.core.formatters")
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    figure, _ = plt.subplots()
    formatter = formatting.IPythonDisplayFormatter()
    assert not formatter(figure)  # one of the user's own
    graphlab.plots.loss_surface(lambda w, b: w * w + b, [(0.0, 1.0), (0.0, 0.5)], figure.axes[0])
    again = pickle.loads(pickle.dumps(figure))
    for one in (figure, again):
        assert formatter(one)
    assert len(shown) == 2
    for data in shown:
        assert data["text/plain"] == "In 1 step the loss went from 1 to 0.5."
        assert data["text/html"].startswith(f'<img alt="{data["text/plain"]}" src="data:image/png')
    plt.close("all")


def test_a_plot_keeps_the_resolution_that_the_notebook_has(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    tools = pytest.importorskip("IPython.core.pylabtools")
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    axes = graphlab.plots.loss_surface(lambda w, b: w * w + b, [(0.0, 1.0), (0.0, 0.5)])
    for formats in ("retina", "svg"):
        tools.select_figure_formats(shell, formats)
        axes.figure._ipython_display_()
    sharp, usual = (data["text/html"] for data in shown)
    assert '." width="' in sharp
    assert '." src="' in usual
    plt.close("all")
