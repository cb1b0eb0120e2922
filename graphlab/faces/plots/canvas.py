"""The Axes that a plot is drawn into, and colours that are readable on its background.

Read next: faces/plots/memory.py
"""

import base64
import io
from dataclasses import replace
from functools import partial
from typing import Any

from graphlab.common.errors import described
from graphlab.common.notebook import has_kernel
from graphlab.faces.render.svg import attributes, quoted
from graphlab.faces.render.theme import THEMES, Theme

# Readable on white and on black, for a figure without a background. The grey of one axis is darker
# than the middle, that of the other lighter: if all labels were light, or all dark, the notebook
# would put a contrasting background behind the figure.
EITHER = replace(
    THEMES["light"], paper="none", ink="#777777", muted="#808080", forward="#3b82c4",
    gradient="#d9772b",
)  # fmt: skip
DARK = 0.5  # brightness below which a background is dark


def prepared(ax: Any, theme: str | None) -> tuple[Any, Theme]:
    """Return the Axes and the colours. theme: "light", "dark"; None to suit the background.

    Raises: ImportError without matplotlib; ValueError for an unknown theme; TypeError if `ax` is
    not an Axes.
    """
    if theme is not None and theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r} (must be None or one of {list(THEMES)})")
    try:
        import matplotlib as mpl
        from matplotlib import pyplot
        from matplotlib.axes import Axes
    except ImportError:
        raise ImportError(
            "graphlab.plots needs matplotlib, which is not installed: pip install matplotlib"
        ) from None
    if ax is not None and not isinstance(ax, Axes):
        raise TypeError(
            f"ax must be a matplotlib Axes, such as the second result of plt.subplots(), got "
            f"{described(ax)}; leave it out for a new figure"
        )
    if ax is None:
        figure, ax = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
        usual = mpl.rcParamsDefault["figure.facecolor"]
        if theme is None and mpl.rcParams["figure.facecolor"] == usual:
            figure.set_facecolor("none")  # the page, light or dark, shows through
            ax.set_facecolor("none")
    colours = colours_on(ax) if theme is None else THEMES[theme]
    if theme is not None:
        ax.figure.set_facecolor(colours.paper)
        ax.set_facecolor(colours.paper)
    colour_frame(ax, colours)
    return ax, colours


def colours_on(ax: Any) -> Theme:
    """Return colours that are readable on the background of the Axes."""
    from matplotlib.colors import to_rgba

    for colour in (ax.get_facecolor(), ax.figure.get_facecolor()):
        red, green, blue, alpha = to_rgba(colour)
        if alpha >= 0.5:
            bright = 0.299 * red + 0.587 * green + 0.114 * blue
            return THEMES["dark" if bright < DARK else "light"]
    return EITHER


def colour_frame(ax: Any, colours: Theme) -> None:
    """Give ticks, frame and labels the colours of the theme."""
    ax.tick_params(axis="x", colors=colours.ink)
    ax.tick_params(axis="y", colors=colours.muted if colours is EITHER else colours.ink)
    for spine in ax.spines.values():
        spine.set_color(colours.muted)
    for label in (ax.xaxis.label, ax.yaxis.label, ax.title):
        label.set_color(colours.ink)


def fading(colour: str, most: float = 1.0) -> Any:
    """Return a colour map from transparent to a colour of the opacity `most`."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    return LinearSegmentedColormap.from_list("fading", [to_rgba(colour, 0), to_rgba(colour, most)])


def on_top(colours: Theme) -> str:
    """Return the colour of a letter on a patch of the gradients' colour."""
    return "#14171a" if colours.paper == "none" else colours.paper


def told(axes: Any, title: str, text: str) -> Any:
    """Give the Axes a title, and the sentences for people who cannot see the plot."""
    axes.set_title(title, fontsize=11, parse_math=False)
    axes.graphlab_text = text
    axes.set_gid(text)  # so that an SVG contains the sentences
    figure = axes.figure.canvas.figure  # the whole one, if `axes` is in a subfigure
    figure._ipython_display_ = partial(_display, figure)  # a notebook shows it with the sentences
    return axes


# -- showing a figure with a text for people who cannot see it -----------------------------------
#
# Matplotlib gives the picture of a figure no text, so a screen reader skips it.


def show(text: str | None = None) -> None:
    """Show and close the open figures of matplotlib, as `plt.show()` does, with a text for each.

    text: what the figures show, in a sentence or two. Default: what this module's functions wrote
        about the plots that they drew. Outside of a notebook the text is printed.
    Raises: TypeError if `text` is not a str; ValueError if a figure has no text. The figures stay
        open then.

    >>> import graphlab
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> x = graphlab.ones(10, requires_grad=True)
    >>> _ = graphlab.plots.saved_memory(graphlab.trace(graphlab.exp(x).sum()))
    >>> graphlab.plots.show()
    Saved tensors hold 40 bytes at most, ...
    """
    from matplotlib import pyplot

    if text is not None and not isinstance(text, str):
        raise TypeError(
            "graphlab.plots.show takes a text that says what the figure shows, got "
            f"{described(text)}"
        )
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    told = [text if text is not None else _written(figure) for figure in figures]
    if not all(told):
        raise ValueError(
            "this figure has no text for people who cannot see it; say what it shows: "
            'graphlab.plots.show("The loss falls from 0.7 to 0.01 in 800 steps.")'
        )
    if has_kernel():
        for figure, its_text in zip(figures, told, strict=True):
            _display(figure, its_text)
    else:
        pyplot.show()
        print(*told, sep="\n")
    for figure in figures:
        pyplot.close(figure)


def _written(figure: Any) -> str:
    return " ".join(getattr(axes, "graphlab_text", "") for axes in figure.axes).strip()


def _display(figure: Any, text: str = "") -> None:
    from IPython.display import display

    text = text or _written(figure)
    data, size = _png(figure)
    image = f'<img alt={quoted(text)}{attributes(size)} src="data:image/png;base64,{data}">'
    display({"text/html": image, "text/plain": text}, raw=True)


def _png(figure: Any) -> tuple[str, dict[str, Any]]:
    """Return a figure in base64 as the notebook draws it, and its size if that has been set."""
    from IPython import get_ipython

    shell = get_ipython()
    made = shell and shell.display_formatter.formatters["image/png"](figure)
    if not made:  # the notebook draws figures as SVG
        file = io.BytesIO()
        figure.savefig(file, format="png", bbox_inches="tight")
        made = base64.b64encode(file.getvalue()).decode("ascii")
    return made if isinstance(made, tuple) else (made, {})
