"""What a docstring of the public API must have, as a list of what it lacks.

Read next: tests/optim/test_docstrings.py
"""

import inspect
import re


def missing(thing):
    """Return what the docstring of a function or class lacks, in words.

    >>> def half(x): "Divide by two"
    >>> missing(half)
    ['a full stop after the first sentence', 'an example', 'the parameter x']
    """
    text = inspect.cleandoc(thing.__doc__ or "")
    found = []
    if not text.partition("\n")[0].endswith("."):
        found.append("a full stop after the first sentence")
    if ">>> " not in text:
        found.append("an example")
    for name in inspect.signature(thing).parameters:
        if not name.startswith("_") and not re.search(rf"(?<!\w){name}(?!\w)", text):
            found.append(f"the parameter {name}")
    return found
