"""Text that fits: prose wrapped at words, because JupyterLab breaks a longer line anywhere; a cut.

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


def shortened(text: str, most: int) -> str:
    """Return a text in at most `most` characters; the end of a longer one is left out.

    >>> shortened("[1.0, 2.0, 3.0]", 10)
    '[1.0, 2.0…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"
