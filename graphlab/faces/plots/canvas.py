"""The Axes that a plot is drawn into, and colours that are readable on its background.

Read next: faces/plots/memory.py
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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
    axes.set_title(title, fontsize=11)
    axes.graphlab_text = text
    axes.set_gid(text)  # so that an SVG contains the sentences
    return axes


def described(thing: Any) -> str:
    """Describe what was received, for an error.

    >>> described(3), described("a"), described([1, 2])
    ('3', "'a'", 'a list')
    """
    if thing is None or isinstance(thing, bool | int | float | complex | str):
        return repr(thing)[:40]
    name = type(thing).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def some_of(names: list[str], most: int = 3) -> str:
    """List names in a sentence, at most the first `most`.

    >>> some_of(["a", "b"]), some_of(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
