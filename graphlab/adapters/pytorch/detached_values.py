"""Where the values of a tensor enter a PyTorch graph without a gradient, as after `detach()`.

PyTorch does not record a cut. But if a saved value shares memory with a tensor that requires a
gradient, somebody took it out of its graph.

Read next: adapters/native/unreached.py
"""

from collections.abc import Iterable
from typing import Any

from graphlab.adapters.native.graph_walk import held_by
from graphlab.adapters.native.unreached import Cut
from graphlab.adapters.pytorch.accessors import is_accumulator, root_of
from graphlab.adapters.pytorch.ready_queue import edges_behind
from graphlab.adapters.pytorch.stand_ins import StandIns
from graphlab.autograd.node import Node, Pinned

SAID = "cut off by detach() or .data before {}"


def cuts_in(stand_ins: StandIns, tensors: Iterable[Any]) -> list[Cut]:
    """The cuts that can be seen, given the tensors that the user's variables hold."""
    sources: dict[int, list[Any]] = {}  # where memory begins -> tensors in it
    for one in tensors:
        if one.requires_grad and (place := memory_of(one)):
            sources.setdefault(place, []).append(one)
    original = {id(stand_in): tensor for tensor, stand_in in stand_ins.tensors()}
    found: list[Cut] = []
    for node in stand_ins.order:
        own = stand_ins.of[node]
        for item in held_by(own) if isinstance(own, Node) else ():
            held = original.get(id(item.tensor if isinstance(item, Pinned) else item))
            if held is None or held.requires_grad:
                continue
            for one in sources.get(memory_of(held), ()):
                if overlap(one, held):
                    found.append(Cut(leaves_behind(one), SAID.format(node.name()), None))
    return found


def memory_of(tensor: Any) -> int:
    """The address at which a tensor's memory begins; 0 if it has none that can be read."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):
        return 0


def overlap(one: Any, other: Any) -> bool:
    """Whether one of two tensors in the same memory begins within the other."""
    first, second = sorted((one, other), key=lambda tensor: tensor.data_ptr())
    return second.data_ptr() < first.data_ptr() + first.nbytes or one.data_ptr() == other.data_ptr()


def leaves_behind(tensor: Any) -> frozenset[int]:
    """The ids of the leaves from which a tensor was computed, or of itself."""
    nodes = edges_behind([root_of(tensor)])
    return frozenset(id(node.variable) for node in nodes if is_accumulator(node))
