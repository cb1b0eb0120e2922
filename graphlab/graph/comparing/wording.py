"""These functions write the parts of sentences about differences: numbers, lines, names, counts.

Read next: graph/comparing/differences.py
"""

import math
from collections.abc import Iterable, Sequence

from graphlab.graph.comparing.differences import near
from graphlab.graph.events.event import MOST_NAMED, in_words
from graphlab.graph.model import NodeInfo, Source
from graphlab.graph.value import Value, number_text

MOST_ENTRIES = 6  # of an array that a sentence lists
MOST_TERMS = 4  # of a sum that a sentence writes
SHORT_CODE = 12  # characters of an expression that a sentence quotes
SIDES = ("first", "second")


def number(value: Value | None) -> str:
    """A value in a sentence: its entries if they are few, else its shape."""
    if value is None:
        return "none"
    if math.prod(value.shape) == 1 or value.text.startswith("["):
        return value.text
    if value.entries and not value.kept and math.prod(value.shape) <= MOST_ENTRIES:
        return value.nested
    return f"an array of shape {shape(value)}"


def added(values: Sequence[Value]) -> str:
    """The terms of a sum: "3.0 + 2.0"; "" if they are too many or too large."""
    texts = [number(value) for value in values]
    if len(texts) > MOST_TERMS or any(text.startswith("an array") for text in texts):
        return ""
    return " + ".join(texts)


def shape(value: Value) -> str:
    """A shape as Python writes it: "(3,)"; "()" for a single number."""
    return str(tuple(value.shape))


def contrast(one: Value | None, other: Value | None) -> tuple[str, str]:
    """The texts of two values, in which the difference can be seen."""
    where, mine, theirs = _apart(one, other)
    return (f"{mine} at {where}", f"{theirs} at {where}") if where else (mine, theirs)


def told(name: str, one: Value | None, other: Value | None) -> str:
    """A sentence about two values, without its full stop.

    >>> from graphlab.graph.value import summarise
    >>> told("w", summarise(1.0), summarise(2.0))
    'w is 1.0 in the first graph, and 2.0 in the second'
    """
    where, mine, theirs = _apart(one, other)
    if one is not None and other is not None and one.shape != other.shape:
        return f"{name} has shape {shape(one)} in the first graph, and {shape(other)} in the second"
    what = f"Entry {where} of {name[:1].lower()}{name[1:]}" if where else name
    return f"{what} is {mine} in the first graph, and {theirs} in the second"


def _apart(one: Value | None, other: Value | None) -> tuple[str, str, str]:
    """The index of the first entry that differs if arrays are large, or "", and both texts."""
    mine, theirs = number(one), number(other)
    if one is None or other is None or mine != theirs:
        return "", mine, theirs
    if one.dtype != other.dtype:
        return "", f"{mine} ({one.dtype})", f"{theirs} ({other.dtype})"
    if one.shape == other.shape:
        pairs = zip(one.entries.split(), other.entries.split(), strict=False)
        for place, (a, b) in enumerate(pairs):
            if a != b:
                return _index(place, one.kept or one.shape), a, b
    if one.statistics is not None and other.statistics is not None:
        means = (one.statistics.mean, other.statistics.mean)
        return "", f"{mine} with mean {means[0]}", f"one with mean {means[1]}"
    return "", mine, theirs


def _index(place: int, sizes: Sequence[int]) -> str:
    parts: list[str] = []
    for size in reversed(sizes):
        parts.insert(0, str(place % size))
        place //= size
    return f"[{', '.join(parts)}]"


def ratio(one: Value | None, other: Value | None) -> float | None:
    """The factor from the first value to the second, if it is the same for all known entries.

    >>> from graphlab.graph.value import summarise
    >>> ratio(summarise([1.0, 2.0]), summarise([4.0, 8.0]))
    4.0
    """
    if one is None or other is None or one.shape != other.shape:
        return None
    try:
        pairs = [(float(a), float(b)) for a, b in zip(one.texts, other.texts, strict=True)]
    except ValueError:
        return None
    factors = [b / a for a, b in pairs if a != 0]
    if not factors or any(b != 0 for a, b in pairs if a == 0):
        return None
    top = max(factors, key=abs)
    if not math.isfinite(top) or top == 0:
        return None
    rounded = (
        float(round(top)) if abs(top) >= 1 else 1 / round(1 / top) if abs(1 / top) < 1e6 else top
    )
    exact = rounded if math.isclose(rounded, top, rel_tol=5e-4) else top
    return exact if all(math.isclose(f, top, rel_tol=5e-4) for f in factors) else None


def times(factor: float | None) -> str:
    """A factor in a sentence: "4 times as large", "nearly the same"; "" for None and 1.

    >>> times(0.125), times(-2.0)
    ('1/8 as large', 'twice as large and of the opposite sign')
    >>> times(1.0028)
    'nearly the same'
    """
    if factor is None or near(str(factor), "1", 1e-3, 0):
        return ""
    if near(str(factor), "-1", 1e-3, 0):
        return "of the opposite sign"
    size = abs(factor)
    sign = " and of the opposite sign" if factor < 0 else ""
    if abs(size - 1) < 5e-3:
        return f"nearly the same{' size' * (factor < 0)}{sign}"
    if size == 2:
        return f"twice as large{sign}"
    if size > 1:
        return f"{_short(size)} times as large{sign}"
    parts = {2: "half", 3: "a third", 4: "a quarter"}
    count = 1 / size
    if abs(count - round(count)) < 1e-3:
        return f"{parts.get(round(count), f'1/{round(count)}')} as large{sign}"
    return f"{_short(size)} times as large{sign}"


def _short(size: float) -> str:
    return str(round(size)) if size == round(size) else number_text(size, 3)


def often(count: int) -> str:
    """How often: "once", "twice", "3 times".

    >>> often(1), often(2), often(5)
    ('once', 'twice', '5 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def listed(texts: Iterable[str], most: int = MOST_NAMED) -> str:
    """Names in a list, each once: "w, b, v and 2 more"."""
    return in_words(dict.fromkeys(texts), most)


def at(source: Source | None) -> str:
    """The line of a thing, " (line 7)"; "" if it is unknown."""
    return "" if source is None else f" (line {source.line})"


def lines(sources: Iterable[Source | None]) -> str:
    """The lines of several things, " (lines 3 and 4)"; "" if they are unknown."""
    found = list(dict.fromkeys(str(one.line) for one in sources if one is not None))
    return f" (line{'s' if len(found) > 1 else ''} {listed(found, 4)})" if found else ""


def kind_and_name(kind: str, name: str) -> str:
    """A name after its kind, or the name alone if it says its kind.

    >>> kind_and_name("leaf", "leafy"), kind_and_name("leaf", "leaf 2")
    ('leaf leafy', 'leaf 2')
    """
    return name if name.partition(" ")[0] == kind else f"{kind} {name}"


def op(node: NodeInfo) -> str:
    """An operation in a sentence: "mean (line 7)", or "permute (W.T, line 7)" if it is short."""
    source = node.source
    if source is None:
        return node.op
    code = source.text[source.start : source.end]
    short = code if len(code) <= SHORT_CODE and "(" not in code else ""
    return f"{node.op} ({short}{', ' if short else ''}line {source.line})"


def ops(nodes: Sequence[NodeInfo]) -> str:
    """Several operations, in the order of the forward pass."""
    return listed([op(node) for node in nodes])
