"""Checks the backward of a user's own Function: PyTorch's gradcheck of that node alone.

It needs the inputs of the node, so it is tried only where they are known, and where every argument
of the Function was a tensor. The Function's forward and backward run, in float64.

Read next: adapters/pytorch/edge_check.py
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from graphlab.adapters.native.graph_walk import input_items
from graphlab.adapters.native.variable_names import Names
from graphlab.adapters.pytorch.accessors import is_custom, loaded
from graphlab.adapters.pytorch.edge_check import DIFFERS, EQUAL, NOT_TRIED, EdgeRow
from graphlab.adapters.pytorch.recomputing import results_of, value
from graphlab.adapters.pytorch.stand_ins import StandIns

MOST_ENTRIES = 256  # of all inputs of a checked Function: each entry is moved twice
GRADCHECK = "gradcheck agrees with its backward"
CANNOT = "its inputs are no longer known, or not all of them are tensors"


def custom_rows(stand_ins: StandIns, rows: list[EdgeRow], ids: dict[Any, str]) -> list[EdgeRow]:
    """The rows, with a verdict on those of the user's Functions that can be tried."""
    custom = {ids[stand_ins.of[node]]: node for node in stand_ins.order if is_custom(node)}
    if not custom:
        return rows
    held: dict[Any, Any] = {}
    results_of(stand_ins, Names(), held)
    verdicts = {name: tried(node, stand_ins.of[node], held) for name, node in custom.items()}
    found = []
    for row in rows:
        if row.node in verdicts:
            verdict, why = verdicts[row.node]
            row = replace(row, verdict=verdict, why=why)
        found.append(row)
    return found


def tried(node: Any, own: Any, held: dict[Any, Any]) -> tuple[str, str]:
    """The verdict on one Function, and the reason."""
    torch = loaded()
    arrays = [value(item, held) for item in input_items(own)]
    whole = len(node.needs_input_grad) == len(node.next_functions) == len(arrays)
    if not whole or any(one is None for one in arrays):
        return NOT_TRIED, CANNOT
    if sum(map(np.size, arrays)) > MOST_ENTRIES:
        return NOT_TRIED, f"its inputs have more than {MOST_ENTRIES} entries"
    inputs = [torch.tensor(np.asarray(one, np.float64), requires_grad=True) for one in arrays]
    try:
        with torch.random.fork_rng():
            torch.autograd.gradcheck(node._forward_cls.apply, inputs)
    except sys.modules["torch.autograd.gradcheck"].GradcheckError as error:
        return DIFFERS, " ".join(str(error).split())[:200]
    except Exception as error:  # the Function is the user's: anything may happen in it
        return NOT_TRIED, f"its forward cannot run again in float64 ({type(error).__name__})"
    return EQUAL, GRADCHECK
