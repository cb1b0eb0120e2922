"""Small results that PyTorch does not keep, computed again by GraphLab's operations.

An operation is not run again if an input or an option is unknown, if it is the user's own, or if
its result would not have the shape that PyTorch gave it.

Read next: adapters/pytorch/rehearsed_pass.py
"""

from typing import Any

import numpy as np

from graphlab.adapters.native.graph_walk import edge_of, input_items, saved_by
from graphlab.adapters.native.saved_values import recompute
from graphlab.adapters.native.snapshots import SMALL
from graphlab.adapters.native.variable_names import Names, edge_key, known_results
from graphlab.adapters.pytorch.accessors import outputs_of
from graphlab.adapters.pytorch.stand_ins import StandIns, is_array
from graphlab.autograd.node import Node
from graphlab.tensor.tensor import Tensor


def results_of(
    stand_ins: StandIns, names: Names, held: dict[Any, Any] | None = None
) -> dict[Node, tuple[Any, ...]]:
    """The results of nodes that no variable holds and no node has saved.

    held: takes all results that are known, by edge.
    """
    held = {} if held is None else held
    for key, tensor in known_results(names, stand_ins.nodes):
        held.setdefault(key, data(tensor))
    found: dict[Node, tuple[Any, ...]] = {}
    for original in reversed(stand_ins.order):
        node = stand_ins.of[original]
        if original in stand_ins.accumulators:
            continue
        if held.get((node, 0)) is not None and not node.many:
            continue
        if own_result(node):
            made = made_again(node, [None])
        elif node in stand_ins.complete:
            made = made_again(node, [value(item, held) for item in input_items(node)])
        else:
            continue
        if made is None:
            continue
        shapes = [shape for shape, _ in outputs_of(original)]
        if any(np.shape(one) != to for one, to in zip(made, shapes, strict=False)):
            continue
        found[node] = made
        for index, one in enumerate(made):
            held.setdefault((node, index), one)
    return found


def own_result(node: Node) -> bool:
    """Whether a node has saved its result."""
    saved = saved_by(node)
    return bool(saved) and saved[-1] is not None


def made_again(node: Node, inputs: list[Any]) -> tuple[Any, ...] | None:
    """The results of a node, or None if they are not known or would take long."""
    if any(one is None for one in inputs) or sum(map(np.size, inputs)) > SMALL:
        inputs = [None]  # only what the node has saved is known
    try:
        return recompute(node, inputs)
    except (ArithmeticError, AttributeError, IndexError, KeyError, RuntimeError, TypeError):
        return None  # a PyTorch option that GraphLab's operation does not take
    except ValueError:
        return None  # shapes that do not fit


def value(item: Any, held: dict[Any, Any]) -> Any:
    """The data of an input; None if it is unknown."""
    if isinstance(item, Tensor) and edge_of(item) is None:
        return data(item)
    if isinstance(item, Tensor):
        return held.get(edge_key(edge_of(item)), data(item))
    if is_array(item):
        return item
    return held.get(edge_key(item))


def data(tensor: Tensor) -> Any:
    """The data of a stand-in, if it can be computed with."""
    return tensor._data if is_array(tensor._data) else None
