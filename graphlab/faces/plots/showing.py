"""Show a figure in a notebook, with a text for people who cannot see it.

`plt.show()` gives a picture no text, so a screen reader skips it.

Read next: faces/plots/canvas.py
"""

from __future__ import annotations

import base64
import io
from typing import Any

from graphlab.faces.plots.canvas import described
from graphlab.faces.render.svg import quoted


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
    if _in_a_notebook():
        for figure, its_text in zip(figures, told, strict=True):
            _display(figure, its_text)
    else:
        pyplot.show()
        print(*told, sep="\n")
    for figure in figures:
        pyplot.close(figure)


def _written(figure: Any) -> str:
    return " ".join(getattr(axes, "graphlab_text", "") for axes in figure.axes).strip()


def _in_a_notebook() -> bool:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")


def _display(figure: Any, text: str) -> None:
    from IPython.display import display

    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    data = base64.b64encode(file.getvalue()).decode("ascii")
    image = f'<img alt={quoted(text)} src="data:image/png;base64,{data}">'
    display({"text/html": image, "text/plain": text}, raw=True)
