"""Prose for a terminal or a notebook, wrapped at words: JupyterLab breaks a longer line anywhere.

Read next: graphlab/graph/comparing/differences.py.
"""

from textwrap import fill

WIDTH = 88  # letters; an output of JupyterLab holds some 96 beside the file browser


def wrapped(text: str, first: str = "", later: str = "") -> str:
    """Wrap one paragraph: `first` stands before its first line, `later` before the others.

    >>> print(wrapped("w reaches y along two paths, " * 4, "- ", "  "))
    - w reaches y along two paths, w reaches y along two paths, w reaches y along two paths,
      w reaches y along two paths,
    """
    if len(first) + len(text) <= WIDTH:
        return first + text
    indents = {"initial_indent": first, "subsequent_indent": later}
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False, **indents)
