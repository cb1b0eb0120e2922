"""The data behind the plots, exactly; what they say; and that they are drawn in both themes."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest

import graphlab
from graphlab import nn, plots

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
    held = plots.bytes_over(walk())
    assert held[0] == 0
    assert max(held) == 1200
    assert held[-1] == 0
    falls = [a - b for a, b in pairwise(held) if b < a]
    assert falls == [400, 800]
    assert plots.bytes_over(walk(forward=False))[0] == 1200


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_plots_are_drawn_in_both_themes_with_a_sentence(theme):
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    net(graphlab.ones(2, 3)).sum().backward()
    drawn = [
        plots.saved_memory(walk(), theme=theme),
        plots.gradient_histograms(net, theme=theme),
        plots.loss_surface(lambda w, b: w * w + b, [(1.0, 1.0), (0.5, 0.5)], theme=theme),
    ]
    assert drawn[0].graphlab_text == (
        "Saved tensors hold 1,200 bytes at most, at event 5, and 0 at the end."
    )
    assert drawn[1].graphlab_text.startswith("The middle entry of the gradient of 0.weight has")
    assert drawn[2].graphlab_text == "In 1 step the loss went from 2 to 0.75."
    for axes in drawn:
        axes.figure.canvas.draw()
        assert axes.get_title()


def test_a_vanishing_gradient_is_a_band_that_wanders():
    graphlab.manual_seed(0)
    layers = [layer for _ in range(8) for layer in (nn.Linear(6, 6), nn.Sigmoid())]
    net = nn.Sequential(*layers)
    net(graphlab.ones(4, 6)).sum().backward()
    middles = [np.median(row) for row in plots.sizes_of(net).values()]
    assert middles[-1] - middles[0] > 3  # powers of ten


def test_many_layers_are_thinned_and_zeros_are_said():
    many = {f"w{k}": np.full(3, 10.0**-k) for k in range(60)}
    sizes = plots.sizes_of(many)
    assert len(sizes) == 24
    names = list(sizes)
    assert (names[0], names[-1]) == ("w0", "w59")
    axes = plots.gradient_histograms({"a": np.ones(3), "dead": np.zeros(3)})
    assert "All entries are 0 in dead." in axes.graphlab_text


def test_gradients_that_are_all_zero_or_not_finite_are_said():
    axes = plots.gradient_histograms({"a": np.zeros(3), "b": np.zeros(2)})
    assert axes.graphlab_text == "All entries are 0 in a, b."
    axes = plots.gradient_histograms({"a": np.ones(3), "v": np.full(3, np.nan)})
    assert axes.graphlab_text.endswith("that of a 10^0.0. NaN or inf stands in v.")
    axes.figure.canvas.draw()


@pytest.mark.filterwarnings("error")
def test_a_loss_that_is_infinite_in_places_is_drawn_without_a_warning():
    axes = plots.loss_surface(lambda a, b: float("inf") if a < 1 else a + b, [(1.0, 0.0)])
    axes.figure.canvas.draw()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_path_stands_out_from_the_deepest_part_of_the_map(theme):
    colours = plots.THEMES[theme]
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
    xs, ys, values = plots.surface_of(lambda w, b: 3 * w + b, [(0.0, 0.0), (2.0, 4.0)])
    assert np.allclose(values, 3 * xs[None, :] + ys[:, None])
    assert xs[0] < 0 < 2 < xs[-1]
    assert ys[0] < 0 < 4 < ys[-1]


def test_a_tensor_is_a_loss_too_and_what_is_not_finite_is_a_hole():
    w = graphlab.tensor(1.0)
    axes = plots.loss_surface(lambda a, b: (w * a).log() + b, [(1.0, 0.0), (2.0, 0.0)])
    axes.figure.canvas.draw()
    _, _, values = plots.surface_of(lambda a, b: float("nan") if a < 1 else b, [(1.0, 0.0)])
    assert np.isnan(values).any()


def test_what_cannot_be_drawn_is_refused_with_a_sentence():
    empty = graphlab.record()
    with empty as timeline:
        pass
    for call, kind, said in (
        (lambda: plots.saved_memory(3), TypeError, "takes a Timeline, got int"),
        (lambda: plots.saved_memory(timeline), ValueError, "nothing was recorded"),
        (lambda: plots.saved_memory(walk(), theme="blue"), ValueError, "unknown theme 'blue'"),
        (lambda: plots.gradient_histograms(3), TypeError, "takes a module or a dict"),
        (lambda: plots.gradient_histograms(nn.Linear(2, 2)), ValueError, "call backward() first"),
        (lambda: plots.loss_surface(lambda w, b: w, []), ValueError, "path is a list of points"),
        (lambda: plots.loss_surface(lambda w, b: w, [(np.nan, 1)]), ValueError, "has diverged"),
        (lambda: plots.loss_surface(lambda w, b: w, [(0, 0), (1,)]), ValueError, "path is a list"),
        (lambda: plots.loss_surface(lambda w, b: np.nan, [(0, 1)]), ValueError, "finite nowhere"),
        (lambda: plots.loss_surface(lambda w, b: [w, b], [(0, 1)]), TypeError, "a single number"),
    ):
        with pytest.raises(kind, match=said.replace("(", r"\(").replace(")", r"\)")):
            call()


def test_matplotlib_is_loaded_only_when_something_is_drawn():
    code = "import sys, graphlab.faces.plots as p; print('matplotlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.mark.torch
def test_a_module_of_pytorchs_is_drawn_as_well(torch):
    net = torch.nn.Linear(3, 2)
    net(torch.ones(1, 3)).sum().backward()
    assert [*plots.sizes_of(net)] == ["weight", "bias"]
    assert plots.gradient_histograms(net).graphlab_text
