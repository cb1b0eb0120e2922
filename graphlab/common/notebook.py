"""The notebook that the program runs in, if there is one, text that fits its width, and presenters.

Presenters are functions, registered by name, that show a Timeline. The graph layer may not import
the layers above it, which draw; the function is imported when it is first used.

Read next: graph/comparing/differences.py
"""

import sys
from collections.abc import Callable
from importlib import import_module
from textwrap import fill
from typing import Any

WIDTH = 86  # letters; an output of JupyterLab holds some 96 beside the file browser


def shell() -> Any:
    """Return IPython's shell; None if the program runs without IPython."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


cells_run: set[Any] = set()  # the ids of the cells that have run since graphlab was imported


def cell_of(result: Any) -> Any:
    """Return the id of the cell that has run; None in a console."""
    return getattr(getattr(result, "info", None), "cell_id", None)


def follow_cells() -> None:
    """Add the cells that run from now on to `cells_run`, if IPython runs them."""
    if running := shell():
        running.events.register("post_run_cell", lambda result: cells_run.add(cell_of(result)))


def has_kernel() -> bool:
    """Return whether outputs may be pictures, because a kernel runs the program."""
    return hasattr(shell(), "kernel")


def wrapped(text: str, first: str = "", later: str = "") -> str:
    """Wrap one paragraph: `first` stands before its first line, `later` before the others.

    >>> print(wrapped("w reaches y along two paths, " * 3 + "from x", "- ", "  "))
    - w reaches y along two paths, w reaches y along two paths, w reaches y along two paths,
      from x
    """
    return fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


SIGNS = str.maketrans(
    {"∂": "d", "✓": "ok", "✗": "x", "│": "|", "├": "|", "└": "`", "─": "-", "…": "...", "−": "-"}
    | {"·": "*", "×": "x", "→": "->", "←": "<-", "≤": "<=", "≥": ">=", "—": "-"}
    | {"²": "^2", "³": "^3"}
    | dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
)  # fmt: skip


def printable_here(text: str) -> str:
    """Return a text whose signs `print` can write: where it cannot write ∂, ✓ or ├, simpler ones.

    The output of a script is not UTF-8 in some terminals, logs, and files on Windows.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(SIGNS).encode(encoding, "replace").decode(encoding)
    return text


def printable(text: str, kept: str = "\xa0\u200d") -> str:
    """Return a text without characters that move the cursor or turn the direction of a line.

    >>> printable("a\x1b[31m")
    'a�[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else "�" for c in text)


def shortened(text: str, most: int) -> str:
    """Return a text in at most `most` characters; the end of a longer one is left out.

    >>> shortened("[1.0, 2.0, 3.0]", 10)
    '[1.0, 2.0…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


_presenters: dict[str, str] = {}


def register(class_name: str, where: str) -> None:
    """Let the function `where` ("package.module:function") present instances of `class_name`.

    "Timeline.save" is for saving a Timeline, "Timeline.slope" for drawing one of its slopes,
    "Timeline.text" for printing it, and "Timeline.live" for showing it in marimo.
    """
    module, colon, function = where.partition(":")
    if not (module and colon and function):
        raise ValueError(f"a presenter must be 'module:function', got {where!r}")
    _presenters[class_name] = where


def present(thing: object) -> dict[str, Any] | None:
    """The MIME bundle of `thing`; None if nothing is registered, so that IPython shows its repr."""
    function = registered(type(thing).__name__)
    return None if function is None else function(thing)


def registered(name: str) -> Callable[..., Any] | None:
    """The function that is registered under `name`; None if there is none."""
    where = _presenters.get(name)
    if where is None:
        return None
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)
