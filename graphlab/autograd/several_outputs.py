"""Nodes with several outputs, and tensors that retain their gradient.

Read next: autograd/undo_broadcast.py
"""

from typing import Any

import numpy as np

from graphlab.autograd.node import Node
from graphlab.tensor.tensor import Tensor, wrap


def all_outputs(
    node: Node,
    gathered: dict[int, Any] | None,
    create_graph: bool,
    capture: dict[Any, Any] | None = None,
) -> tuple[Any, ...] | None:
    """Return the gradients of all outputs of a node, with zeros for unused ones.

    Returns None when no gradient has arrived, except for a custom Function, whose backward is
    called in any case.
    """
    if gathered is None or all(grad is None for grad in gathered.values()):
        if not node.always_runs:
            return None
        gathered = {}
    grads = []
    for index, known in enumerate(node._extra["outputs"]):  # None: not a tensor
        grad = gathered.get(index)
        if capture is not None and (node, index) in capture:
            capture[node, index] = grad
        if grad is None and known is not None and node._extra.get("materialize", True):
            zeros = np.zeros(*known)
            grad = wrap(zeros, False, None) if create_graph else zeros
        grads.append(grad)
    return tuple(grads)


def retaining(node: Node, grad: Any) -> list[tuple[Tensor, Any]]:
    """Return the tensors that called `retain_grad`, each with its gradient.

    grad: what has gathered at the node; by the number of the output where it has several.
    """
    found = []
    for index, reference in node._extra.get("retained", {}).items():
        tensor = reference()
        one = grad.get(index) if node.many and grad is not None else grad
        if tensor is not None and one is not None:
            found.append((tensor, one))
    return found
