"""Names of PyTorch's tensors: the variables that hold them, as for GraphLab's own.

Read next: adapters/pytorch/rehearsed_pass.py
"""

from collections.abc import Mapping
from types import FrameType
from typing import Any

from graphlab.adapters.namespace import Library, Variables
from graphlab.adapters.native.variable_names import Names, edge_key, scopes_of
from graphlab.adapters.pytorch.accessors import is_tensor, known_maker_of, loaded
from graphlab.adapters.pytorch.stand_ins import StandIns


def pytorch() -> Library:
    """PyTorch's tensors and modules."""
    torch = loaded()
    return Library(is_tensor, torch.Tensor, torch.nn.Module)


def variables_in(*frames: FrameType | None) -> Variables:
    """The tensors and modules in the variables of frames, local and global."""
    return variables_of(*scopes_of(*frames))


def variables_of(*scopes: Mapping[str, Any]) -> Variables:
    """The tensors and modules in some namespaces."""
    return Variables(pytorch(), *scopes)


def names_of(variables: Variables, stand_ins: StandIns) -> Names:
    """The names by stand-in. A tensor that is not in the graph is left out."""
    names = Names(taken=variables.taken)
    for name, tensor in variables.tensors.values():
        edge = known_maker_of(tensor)
        if edge is None:
            if id(tensor) in stand_ins.known:
                names.of_leaf.setdefault(id(stand_ins.tensor(tensor)), name)
        elif edge[0] in stand_ins.of:
            key = edge_key(stand_ins.edge(edge))
            names.made_by.setdefault(key, (name, stand_ins.tensor(tensor)))
    return names
