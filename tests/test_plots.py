"""The data behind the plots, exactly; what they say; and that they are drawn in both themes."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib import colors

import graphlab
from graphlab import nn, plots
from graphlab.faces.plots import canvas
from graphlab.faces.plots.canvas import EITHER
from graphlab.faces.plots.gradients import gradients_of, sizes_in_words, thinned
from graphlab.faces.plots.memory import bytes_over, largest_freed
from graphlab.faces.plots.surface import surface_of
from graphlab.faces.render.theme import THEMES
from graphlab.graph import states

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def walk(forward: bool = True):
    x = graphlab.ones(100, requires_grad=True)
    return graphlab.trace(graphlab.exp(x * x).sum(), forward=forward)


def test_the_bytes_over_a_pass_rise_and_fall_to_nothing():
    held = bytes_over(walk()).all
    assert held[0] == 0
    assert max(held) == 1200
    assert held[-1] == 0
    falls = [a - b for a, b in pairwise(held) if b < a]
    assert falls == [400, 800]
    assert bytes_over(walk(forward=False)).all[0] == 1200


def kept_and_walked(forward: bool):
    """Three passes: the first keeps its graph of 800 bytes, the third walks it again."""
    x = graphlab.ones(100, requires_grad=True)
    with graphlab.record(forward=forward) as timeline:
        first, second = (x * x).sum(), graphlab.exp(x).sum()
        first.backward(retain_graph=True)
        second.backward()
        first.backward()
    return timeline


@pytest.mark.parametrize("forward", [False, True])
def test_a_graph_that_a_pass_kept_counts_beside_that_of_the_next_pass(forward):
    held = bytes_over(kept_and_walked(forward))
    assert max(held.own) == 800
    assert max(held.earlier) == 800
    assert max(held.all) == 1200  # 800 kept and 400 of the second pass
    assert held.all[-1] == 0
    text = plots.saved_memory(kept_and_walked(forward)).graphlab_text
    assert "hold 1,200 bytes at most" in text
    assert "Of these, at most 800 belong to graphs that earlier passes kept." in text


def test_what_create_graph_kept_counts_beside_the_second_graph():
    x = graphlab.ones(100, requires_grad=True)
    with graphlab.record() as timeline:
        (g,) = graphlab.autograd.grad((x * x * x).sum(), x, create_graph=True)
        g.sum().backward()
    held = bytes_over(timeline)
    assert held.own[0] == 1600  # two products save two tensors each
    assert held.earlier[-1] == 800  # the product that the second pass does not reach
    assert max(held.all) == max(held.own) + 800


def test_passes_that_free_their_graphs_leave_nothing_to_the_next():
    x = graphlab.ones(100, requires_grad=True)
    with graphlab.record() as timeline:
        for _ in range(3):
            (x * x).sum().backward()
    held = bytes_over(timeline)
    assert held.all == held.own
    assert max(held.all) == 800
    axes = plots.saved_memory(timeline)
    assert [text.get_text() for text in axes.texts if "pass" in text.get_text()] == [
        " pass 1", " pass 2", " pass 3",
    ]  # fmt: skip


def test_each_patch_is_folded_once_however_long_the_walk_is(monkeypatch):
    folded = []
    absorb = states.absorb
    monkeypatch.setattr(states, "absorb", lambda *both: (folded.append(1), absorb(*both)))
    monkeypatch.setattr(graphlab.Timeline, "state_at", None)
    for length in (10, 40):
        y = x = graphlab.ones(3, requires_grad=True)
        for _ in range(length):
            y = graphlab.sin(y)
        timeline = graphlab.trace(y.sum())
        folded.clear()
        bytes_over(timeline)
        assert len(folded) == len(timeline), x


def test_the_nodes_that_free_most_are_numbered():
    x = graphlab.ones(100, requires_grad=True)
    u = graphlab.exp(x)
    y = (graphlab.sin(graphlab.sin(u)) * x).sum()
    groups = largest_freed(graphlab.trace(y))
    assert [(one.nbytes, len(one.places)) for one in groups] == [(800, 1), (400, 2), (400, 1)]
    assert [one.text for one in groups] == [
        "MulBackward0 of sin(sin(u)) * x, 800 bytes",
        "SinBackward0, 400 bytes, 2 times",
        "ExpBackward0 of u, 400 bytes",
    ]
    axes = plots.saved_memory(graphlab.trace(y))
    assert sorted(text.get_text() for text in axes.texts) == ["1", "2", "2", "3"]
    assert "Most is freed by MulBackward0 of sin(sin(u)) * x, 800 bytes." in axes.graphlab_text


@pytest.mark.parametrize("theme", ["light", "dark", None])
def test_the_plots_are_drawn_in_both_themes_with_a_sentence(theme):
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    net(graphlab.ones(2, 3)).sum().backward()
    drawn = [
        plots.saved_memory(walk(), theme=theme),
        plots.gradient_histograms(net, theme=theme),
        plots.loss_surface(lambda w, b: w * w + b, [(1.0, 1.0), (0.5, 0.5)], theme=theme),
    ]
    assert drawn[0].graphlab_text == (
        "Saved tensors hold 1,200 bytes at most, at event 5, and 0 at the end. "
        "Most is freed by MulBackward0 of x * x, 800 bytes."
    )
    assert drawn[1].graphlab_text.startswith(
        "The median absolute value in the gradient of 0.weight is"
    )
    assert drawn[2].graphlab_text == "In 1 step the loss went from 2 to 0.75."
    for axes in drawn:
        axes.figure.canvas.draw()
        assert axes.get_title()


def test_a_vanishing_gradient_is_a_band_that_wanders():
    graphlab.manual_seed(0)
    layers = [layer for _ in range(8) for layer in (nn.Linear(6, 6), nn.Sigmoid())]
    net = nn.Sequential(*layers)
    net(graphlab.ones(4, 6)).sum().backward()
    middles = [np.median(one.sizes) for one in gradients_of(net).values()]
    assert middles[-1] - middles[0] > 3  # powers of ten


def test_many_layers_are_thinned_and_zeros_are_said():
    many = {f"w{k}": np.full(3, 10.0**-k) for k in range(60)}
    shown = list(thinned(gradients_of(many)))
    assert len(shown) == 24
    assert (shown[0], shown[-1]) == ("w0", "w59")
    text = plots.gradient_histograms(many | {"dead": np.zeros(3)}).graphlab_text
    assert text.endswith("All entries are 0 in dead. 24 of 61 gradients are shown.")


def said_of(**gradients) -> str:
    axes = plots.gradient_histograms(gradients)
    axes.figure.canvas.draw()
    return axes.graphlab_text


def test_zeros_holes_and_emptiness_are_told_apart():
    assert said_of(a=np.zeros(3), b=np.zeros(2)) == "All entries are 0 in a and b."
    assert said_of(a=np.ones(3), v=np.full(3, np.nan)).endswith("10^0.0. NaN or inf occurs in v.")
    assert said_of(a=np.ones(2), b=np.array([0.0, 0.0, 1.0])).endswith(
        "that of b 10^0.0. Some entries are 0: 2 of 3 in b."
    )
    assert said_of(a=np.ones(2), e=np.zeros(0)).endswith("There are no entries in e.")
    both = said_of(v=np.array([0.0, np.nan]))
    assert both == "Some entries are 0: 1 of 2 in v. NaN or inf occurs in v."


def test_what_the_shades_do_not_show_stands_beside_the_rows():
    gradients = {
        "a": np.ones(2), "b": np.array([0.0, 1.0]), "dead": np.zeros(2), "e": np.zeros(0),
        "v": np.array([np.inf, 1.0]),
    }  # fmt: skip
    axes = plots.gradient_histograms(gradients)
    assert [text.get_text() for text in axes.texts] == [
        "0 in 1 of 2", "all 0", "no entries", "1 NaN or inf",
    ]  # fmt: skip


def recorded_training(size: int):
    graphlab.manual_seed(0)
    net = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, 1))
    optimizer = graphlab.optim.SGD(net.parameters(), lr=0.1)
    with graphlab.record() as timeline:
        for _ in range(2):
            optimizer.zero_grad()
            net(graphlab.ones(2, size)).square().mean().backward()
            optimizer.step()
    return net, timeline


@pytest.mark.parametrize("size", [3, 20])
def test_a_recording_shows_the_gradients_that_its_leaves_got_last(size):
    net, timeline = recorded_training(size)
    of_net, of_timeline = gradients_of(net), gradients_of(timeline)
    assert [*of_net] == [*of_timeline] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    for name, one in of_net.items():
        # 5 digits are in a trace: 1e-4 of a number is 4.3e-5 in its logarithm
        assert np.allclose(one.sizes, of_timeline[name].sizes, atol=1e-4)
        assert one.zeros == of_timeline[name].zeros
    assert plots.gradient_histograms(timeline).graphlab_text


def test_a_recording_whose_large_gradients_are_gone_shows_their_corners():
    net, timeline = recorded_training(20)
    net.zero_grad()
    found = gradients_of(timeline)["0.weight"]
    assert (found.known, found.count) == (25, 400)
    assert "The recording holds only some entries: 25 of 400 of 0.weight." in sizes_in_words(
        gradients_of(timeline)
    )
    net(graphlab.zeros(2, 20)).sum().backward()  # other gradients than those recorded
    assert gradients_of(timeline)["0.weight"].known == 25


@pytest.mark.filterwarnings("error")
def test_a_loss_that_is_infinite_in_places_is_drawn_without_a_warning():
    axes = plots.loss_surface(lambda a, b: float("inf") if a < 1 else a + b, [(1.0, 0.0)])
    axes.figure.canvas.draw()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_path_stands_out_from_the_deepest_part_of_the_map(theme):
    colours = THEMES[theme]
    deepest = [
        0.3 * a + 0.7 * b for a, b in zip(rgb(colours.forward), rgb(colours.paper), strict=True)
    ]
    for line in (colours.gradient, colours.muted):
        lights = sorted((luminance(rgb(line)), luminance(deepest)))
        assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 3


def rgb(colour):
    return [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def luminance(parts):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_surface_is_the_loss_on_a_grid_around_the_path():
    xs, ys, values = surface_of(lambda w, b: 3 * w + b, [(0.0, 0.0), (2.0, 4.0)])
    assert np.allclose(values, 3 * xs[None, :] + ys[:, None])
    assert xs[0] < 0 < 2 < xs[-1]
    assert ys[0] < 0 < 4 < ys[-1]


def test_a_tensor_is_a_loss_too_and_what_is_not_finite_is_a_hole():
    w = graphlab.tensor(1.0)
    axes = plots.loss_surface(lambda a, b: (w * a).log() + b, [(1.0, 0.0), (2.0, 0.0)])
    axes.figure.canvas.draw()
    _, _, values = surface_of(lambda a, b: float("nan") if a < 1 else b, [(1.0, 0.0)])
    assert np.isnan(values).any()


def test_a_surface_is_darker_where_the_loss_is_lower():
    axes = plots.loss_surface(lambda w, b: w, [(0.0, 0.0), (1.0, 0.0)])
    shades = next(one for one in axes.collections if hasattr(one, "levels"))
    axes.figure.canvas.draw()
    alphas = shades.get_facecolor()[:, 3]
    assert alphas[0] == pytest.approx(0.3, abs=0.02)  # of 256 colours
    assert alphas[-1] == pytest.approx(0, abs=0.02)
    assert (np.diff(alphas) < 0).all()


def test_the_arrows_of_a_surface_are_parallel_to_steps_of_descent():
    axes = plots.loss_surface(lambda w, b: w + 100 * b, [(0.0, 0.0), (1.0, 40.0)])
    arrows = next(one for one in axes.collections if hasattr(one, "angles"))
    assert arrows.angles == "xy"  # and not those of the screen
    assert np.allclose(np.asarray(arrows.V) / np.asarray(arrows.U), 100)


def test_lines_and_shades_of_a_surface_share_their_levels():
    axes = plots.loss_surface(lambda w, b: w * w + b * b, [(1.0, 1.0), (0.5, 0.5)])
    shades, lines = (one for one in axes.collections if hasattr(one, "levels"))
    assert list(lines.levels) == list(shades.levels)


@pytest.mark.filterwarnings("error")
def test_holes_and_a_path_that_leaves_the_map_are_said():
    def bowl(w, b):
        return w * w + b

    def with_hole(w, b):
        return float("nan") if w < 0 else w + b

    nan = float("nan")
    assert "In 1 step the loss went" in plots.loss_surface(bowl, [(1, 1), (0, 0)]).graphlab_text
    holed = plots.loss_surface(with_hole, [(1.0, 0.0), (0.1, 0.0)])
    assert "The map has a hole where the loss is not finite: at " in holed.graphlab_text
    lost = plots.loss_surface(bowl, [(1.0, 1.0), (0.5, 1.0), (nan, 1.0), (nan, nan)])
    assert lost.graphlab_text == (
        "The path has 3 steps. The loss begins at 2. "
        "The point after step 2 is not finite; 2 such points are not drawn."
    )
    begins = plots.loss_surface(bowl, [(nan, 1.0), (0.5, 1.0)])
    assert "The first point is not finite; 1 such point is not drawn." in begins.graphlab_text
    ends = plots.loss_surface(lambda w, b: 1 / w if w else nan, [(1.0, 1.0), (0.0, 1.0)])
    assert "went from 1 to nan. The loss is not finite" in ends.graphlab_text
    flat = plots.loss_surface(lambda w, b: 1.0, [(1.0, 1.0), (0.0, 1.0)])
    assert flat.graphlab_text.endswith("The loss is the same everywhere on the map.")
    for axes in (holed, lost, begins, ends, flat):
        axes.figure.canvas.draw()


# -- colours -----------------------------------------------------------------------------------


def test_the_colours_fit_the_background_that_matplotlib_has():
    from matplotlib import pyplot

    timeline = walk()
    fresh = plots.saved_memory(timeline)
    assert fresh.figure.get_facecolor()[3] == 0  # no background: the page shows through
    assert line_of(fresh) == EITHER.forward
    for style, theme in (("dark_background", "dark"), ("default", "light")):
        with pyplot.style.context(style):
            _, ax = pyplot.subplots()
            before = ax.figure.get_facecolor()
            assert line_of(plots.saved_memory(timeline, ax=ax)) == THEMES[theme].forward
            assert ax.figure.get_facecolor() == before
    with pyplot.rc_context({"figure.facecolor": "#101010", "axes.facecolor": "none"}):
        assert line_of(plots.saved_memory(timeline)) == THEMES["dark"].forward
    painted = plots.saved_memory(timeline, theme="light")
    assert colors.to_hex(painted.figure.get_facecolor()) == THEMES["light"].paper


def line_of(axes) -> str:
    return axes.lines[0].get_color()


def test_colours_without_a_background_can_be_read_on_white_and_on_black():
    for colour, least in (
        (EITHER.ink, 4), (EITHER.muted, 3.9), (EITHER.forward, 3), (EITHER.gradient, 3),
    ):  # fmt: skip
        for paper in ("#ffffff", "#111111"):  # JupyterLab's
            lights = sorted((luminance(rgb(colour)), luminance(rgb(paper))))
            assert (lights[1] + 0.05) / (lights[0] + 0.05) >= least, (colour, paper)


def test_a_notebook_lays_no_background_below_a_figure_without_one():
    axes = plots.saved_memory(walk())
    axes.figure.canvas.draw()
    labels = [label for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()]
    bright = [np.dot(colors.to_rgb(one.get_color()), (0.299, 0.587, 0.114)) for one in labels]
    assert min(bright) < 0.5 < max(bright)  # as the notebook asks: are all alike?


# -- refusals ----------------------------------------------------------------------------------


def pair_of(w, b):
    return graphlab.tensor([w, b])


def walk_to_nothing():
    x = graphlab.ones(2, requires_grad=True)
    with graphlab.record() as timeline:
        graphlab.autograd.grad((x * x).sum(), x)
    return timeline


def test_what_cannot_be_drawn_is_refused_with_a_sentence():
    empty = graphlab.record()
    with empty as timeline:
        pass
    for call, kind, said in (
        (lambda: plots.saved_memory(3), TypeError, "record() return it, got int 3"),
        (lambda: plots.saved_memory(timeline), ValueError, "nothing was recorded"),
        (lambda: plots.saved_memory(walk(), theme="blue"), ValueError, "unknown theme 'blue'"),
        (lambda: plots.gradient_histograms(3), TypeError, "takes a module, a Timeline or a dict"),
        (lambda: plots.gradient_histograms(nn.Linear(2, 2)), ValueError, "call backward() first"),
        (
            lambda: plots.loss_surface(lambda w, b: w, []),
            ValueError,
            "path must be a list of points",
        ),
        (lambda: plots.loss_surface(lambda w, b: w, [(np.nan, 1)]), ValueError, "has diverged"),
        (
            lambda: plots.loss_surface(lambda w, b: w, [(0, 0), (1,)]),
            ValueError,
            "path must be a list",
        ),
        (
            lambda: plots.loss_surface(lambda w, b: np.nan, [(0, 1)]),
            ValueError,
            "not finite anywhere",
        ),
        (lambda: plots.loss_surface(lambda w, b: [w, b], [(0, 1)]), TypeError, "got list ["),
        (lambda: plots.loss_surface(pair_of, [(0, 1)]), TypeError, "of shape (2,);"),
        (
            lambda: plots.loss_surface(3, [(0, 1)]),
            TypeError,
            "loss must be a function of two numbers",
        ),
        (
            lambda: plots.loss_surface(max, [(0, 1)], names="wb"),
            ValueError,
            "names must be two texts",
        ),
        (lambda: plots.saved_memory(walk(), ax=3), TypeError, "got int 3; leave it out"),
        (
            lambda: said_of(a="text"),
            TypeError,
            "gradient of a must be a tensor or an array of numbers",
        ),
        (lambda: said_of(a=[[1.0], [1.0, 2.0]]), TypeError, "; pass a module"),
        (lambda: plots.gradient_histograms(walk_to_nothing()), ValueError, "got a gradient; rec"),
    ):
        with pytest.raises(kind, match=re.escape(said)):
            call()


def test_matplotlib_is_loaded_only_when_something_is_drawn():
    code = "import sys, graphlab.faces.plots as p; print('matplotlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.mark.torch
def test_a_module_of_pytorchs_is_drawn_as_well(torch):
    net = torch.nn.Linear(3, 2)
    net(torch.ones(1, 3)).sum().backward()
    assert [*gradients_of(net)] == ["weight", "bias"]
    assert plots.gradient_histograms(net).graphlab_text
    half = net.to(torch.bfloat16)
    half.zero_grad()
    half(torch.ones(1, 3, dtype=torch.bfloat16)).sum().backward()
    assert gradients_of(half)["weight"].count == 6


# --- show -------------------------------------------------------------------------------------


def test_show_prints_the_text_outside_of_a_notebook_and_closes_the_figures(capsys):
    plt.close("all")
    figure, pair = plt.subplots(1, 2)
    x = graphlab.ones(10, requires_grad=True)
    for axes in pair:
        plots.saved_memory(graphlab.trace(graphlab.exp(x).sum()), ax=axes)
    plots.show()
    assert capsys.readouterr().out == " ".join([pair[0].graphlab_text] * 2) + "\n"
    assert not plt.fignum_exists(figure.number)


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        (None, ValueError, "has no text for people who cannot see it"),
        ("", ValueError, "has no text for people who cannot see it"),
        (3, TypeError, "takes a text that says what the figure shows, got int 3"),
    ],
)
def test_show_wants_a_text_and_leaves_the_figure_open_without_one(text, error, sentence):
    plt.close("all")
    figure, _ = plt.subplots()
    with pytest.raises(error, match=sentence):
        plots.show(text)
    assert plt.fignum_exists(figure.number)
    plt.close(figure)


def test_show_gives_a_notebook_a_picture_with_an_escaped_text(monkeypatch):
    shown = []
    monkeypatch.setattr(canvas, "has_kernel", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    plt.close("all")
    plt.subplots()
    plots.show('a "b" <c>')
    (data,) = shown
    assert data["text/html"].startswith('<img alt="a &quot;b&quot; &lt;c&gt;" src="data:image/png')
    assert data["text/plain"] == 'a "b" <c>'


def test_a_name_is_no_mathematics():
    net = nn.ModuleDict({"cost$ \\frac$": nn.Linear(1, 1)})
    x = graphlab.ones(3, requires_grad=True)
    net["cost$ \\frac$"](x[:1]).sum().backward()
    axes = plots.gradient_histograms(net)
    axes.figure.savefig(io.BytesIO())  # matplotlib reads mathematics as it draws
    memory = plots.saved_memory(graphlab.trace((x * x).sum()))
    for text in (*axes.get_yticklabels(), memory.title, *memory.get_legend().get_texts()):
        assert not text.get_parse_math()
