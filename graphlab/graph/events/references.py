"""A reference names the value that a part of a sentence shows, so that a player can update it.

    "after"             the text of the event's field `after`
    "changes.0.before"  the field `before` of the first change of an optimizer
    "sent"              the gradient on the event's edge, after a broadcast is undone
    "slope"             the local derivative at the event's edge
    "saved"             the value that the event's node saved under the event's name
    "t5"                the value of a tensor

A form may follow: "after:list" is the list of all entries, "after:7" entry 7, "slope:named" the
part after the last " = ", and "after:told.0" to "after:told.2" are the three parts of `measured`.

Read next: graph/events/event.py
"""

from __future__ import annotations

import re
from typing import Annotated

Reference = Annotated[str, "reference"]

# fields of events that hold a value, and other values that an event shows
FIELDS = (
    "added", "after", "before", "contribution", "gradient", "upstream", "value",
    "saved", "sent", "slope",
)  # fmt: skip
KNOWN = re.compile(
    rf"(?:{'|'.join(FIELDS)}|changes\.\d{{1,6}}\.(?:before|after)|(?P<tensor>t\d+))"
    r"(?::(?:list|named|told\.[012]|\d{1,6}))?"
)
EXPECTED = 'a reference to a value, such as "after", "slope:named" or "t5" (docs/trace.md)'


def tensor_of(reference: str) -> str | None:
    """The id of the tensor that a reference names; "" for any other value; None if it is wrong.

    >>> tensor_of("t5:list"), tensor_of("after:told.2"), tensor_of("yesterday")
    ('t5', '', None)
    """
    found = KNOWN.fullmatch(reference)
    return None if found is None else found["tensor"] or ""
