"""How far the rule of a node is proved: what the proofs found, written down beside this file.

`python -m tests.symbolic.proved` writes proofs.json from docs/rules.md, and a test keeps it true:
nothing is proved while a graph is copied, and SymPy is not needed for it.

Read next: adapters/native.py
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices

PATH = Path(__file__).with_name("proofs.json")
PROVED = "✓ rule proved"
YOURS = "? your own backward: nobody has proved it; graphlab.check compares it"


@cache
def table() -> dict[str, Any]:
    """The operations by name: "" is proved, [calls, of, why] in part, and [why] not at all."""
    found = json.loads(PATH.read_text(encoding="utf-8"))
    return {**dict.fromkeys(found["proved"].split(), ""), **found["else"]}


def proof_of(node: Node) -> str:
    """One sentence: is the rule of this node proved? "" where nothing is known."""
    if isinstance(node, Context):
        return YOURS
    inner = proof_of(node.inner) if isinstance(node, CopySlices) and node.inner is not None else ""
    own = sentence(table().get(node.op.name))
    return inner if inner and inner != PROVED else own


def sentence(found: Any) -> str:
    """What to say of an entry of the table.

    >>> sentence([2, 4, "its formula is too long"])
    '✓ rule proved in 2 of 4 calls: the others agree to 50 digits, as its formula is too long'
    """
    if found is None:
        return ""
    if found == "":
        return PROVED
    if len(found) == 1:
        return f"≈ rule checked to 50 digits: {found[0]}"
    calls, total, why = found
    others = "the other agrees" if total - calls == 1 else "the others agree"
    return f"✓ rule proved in {calls} of {total} calls: {others} to 50 digits, as {why}"
