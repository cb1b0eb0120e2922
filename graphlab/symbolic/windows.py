"""The words of ops/windows.py and ops/places.py for entries that are not floats.

They move entries and add them up, which arrays of objects can do as they are; the numbers that
they bring in, such as the zeros of a padding, must be made entries of the right kind.

Read next: symbolic/symbols.py
"""

from collections.abc import Callable, Mapping
from typing import Any

from graphlab.ops import places, windows
from graphlab.ops.base import read


def window_words(words: Mapping[str, Any], numbers: Callable[[Any], Any]) -> dict[str, Any]:
    """The words, read against those that there are; `numbers` makes entries of Python's numbers."""

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: numbers(function(*args))

    found: dict[str, Any] = {}
    for module in (windows, places):
        found |= {name: getattr(module, name) for name in module.WORDS}
    found |= {
        "windows": made(windows.windows),
        "add_windows": made(windows.add_windows),
        "constant_pad": made(places.constant_pad),
        "constant": lambda array, x: numbers(array.astype(object)),
    }
    for module in (windows, places):
        known = {**words, **found}
        found |= {name: read(getattr(module, name), known) for name in module.COMPOSED}
    return found
