"""The table in proofs.json says how far the rule of each operation is proved.

`python -m tests.symbolic.proved` writes the file from docs/rules.md, and a test keeps it up to
date. So copying a graph needs no proofs and no SymPy.

Read next: adapters/native/graph_copy.py
"""

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphlab.adapters.rule_text import written
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices

PATH = Path(__file__).with_name("proofs.json")
PROVED = "✓ rule proved"
OUTSIDE = "✗ outside of its domain: rule proved"  # the player writes one in place of the other
YOURS = "? your own backward: not proved; graphlab.check compares it with numbers"


@cache
def table() -> dict[str, Any]:
    """The operations by name: "" if proved, [calls, of, why] if in part, [why] if not."""
    found = json.loads(PATH.read_text(encoding="utf-8"))
    return {**dict.fromkeys(found["proved"].split(), ""), **found["else"]}


def proof_of(node: Node) -> str:
    """One sentence on how far the rule of a node is proved; "" if unknown."""
    if isinstance(node, Context):
        return YOURS
    inner = proof_of(node.inner) if isinstance(node, CopySlices) and node.inner is not None else ""
    own = sentence(table().get(node.op.name))
    return inner if inner and inner != PROVED else own


def proof_where(
    node: Node,
    names: Mapping[str, str],
    options: Mapping[str, Any],
    moving: Collection[str],
    data: Mapping[str, Any],
) -> str:
    """How far the rule of a node with a domain is proved: "✓ rule proved where d > 0".

    names: what the reader calls its inputs. moving: the inputs that need a gradient. data: the
    inputs' values; if they are outside of the domain, the sentence says so.
    """
    proof, domain = proof_of(node), node.op.domain
    assert domain is not None, "only for operations with a domain"
    words = domain.__code__.co_varnames[: domain.__code__.co_argcount]
    where = written(domain, names, options)
    if proof != PROVED or not set(words) & set(moving) or where in ("", "True"):
        return proof
    values = [options[word] if word in options else data.get(word) for word in words]
    arrays = [value for word, value in zip(words, values, strict=True) if word not in options]
    known = all(isinstance(x, np.ndarray | np.generic | int | float) for x in arrays)
    inside = not known or bool(np.all(domain(*values)))
    return f"{PROVED if inside else OUTSIDE} where {where}"


def sentence(found: Any) -> str:
    """The sentence for an entry of the table.

    >>> sentence([2, 4, "its formula is too long"])
    '✓ rule proved in 2 of 4 calls; the others agree to 50 digits: its formula is too long'
    """
    if found is None:
        return ""
    if found == "":
        return PROVED
    if len(found) == 1:
        return f"≈ rule checked to 50 digits: {found[0]}"
    calls, total, why = found
    others = "the other agrees" if total - calls == 1 else "the others agree"
    return f"✓ rule proved in {calls} of {total} calls; {others} to 50 digits: {why}"
