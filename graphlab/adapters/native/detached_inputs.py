"""The constants of a live graph that `detach()` made are found here.

A trace shows only that a tensor is a constant; the live tensor knows what it was detached from.

Read next: graph/comparing/cuts.py
"""

from graphlab.adapters.native.graph_copy import copy_of
from graphlab.adapters.native.graph_walk import input_items, nodes_behind
from graphlab.adapters.native.variable_names import Names
from graphlab.tensor.tensor import Tensor


def detached_inputs(root: Tensor, names: Names) -> dict[str, str]:
    """The results of `detach()` in the trace of `root`: id -> "detach()", for a sentence.

    >>> import graphlab
    >>> x = graphlab.tensor(3.0, requires_grad=True)
    >>> h = (2 * x).detach()
    >>> detached_inputs(h * x, Names())
    {'t0': 'detach()'}
    """
    nodes = nodes_behind([root if root._node is None else root._node])
    inputs = [item for node in nodes for item in input_items(node)]
    if not any(_is_cut(item) for item in inputs):
        return {}
    tensors = copy_of(root, names).tensors_by_id()
    return {id: "detach()" for id, tensor in tensors.items() if _is_cut(tensor)}


def _is_cut(item: object) -> bool:
    if not isinstance(item, Tensor) or item._needs:
        return False
    return item._more is not None and item._more.cut is not None
