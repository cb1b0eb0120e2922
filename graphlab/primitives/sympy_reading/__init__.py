"""The primitives for exact entries: SymPy expressions, which prove a rule, or 50-digit numbers.

Both kinds of entries are held in object arrays; an `Arithmetic` has the operations of one kind.
Each file has a function, `reading(entries, known)`, which returns its primitives for a kind of
entry. `known` holds all primitives when one of them runs.

Read next: primitives/sympy_reading/object_arrays.py
"""

from typing import Any

from graphlab.primitives.sympy_reading import elementary, matrices, object_arrays
from graphlab.primitives.sympy_reading.object_arrays import Arithmetic
from graphlab.primitives.table import complete

FILES = (elementary, object_arrays, matrices)

# These subtract the maximum to keep exponentials from overflowing, which changes no result. Exact
# entries do not overflow, so here the maximum counts as 0. (A test proves that any shift will do.)
SHIFTED = frozenset({"softmax", "log_softmax", "logsumexp"})


def exact_primitives(entries: Arithmetic, shifted: bool = False) -> dict[str, Any]:
    """Return every primitive for one kind of entry, by name.

    shifted: the maximum that a softmax subtracts counts as 0 (see SHIFTED).
    """
    known: dict[str, Any] = {}
    for file in FILES:
        known.update(file.reading(entries, known))
    if shifted:
        known["amax"] = elementary.zero_extreme(entries)
    complete(known)
    return known
