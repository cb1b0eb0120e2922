"""Prose for a terminal or a notebook, wrapped at words: JupyterLab breaks a longer line anywhere.

Read next: graphlab/graph/comparing/differences.py.
"""

from textwrap import fill

WIDTH = 86  # letters; an output of JupyterLab holds some 96 beside the file browser


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
