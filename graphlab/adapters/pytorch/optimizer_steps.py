"""What a recording notes of the step of one of PyTorch's optimizers.

Read next: adapters/pytorch/recording.py
"""

from collections.abc import Callable
from typing import Any

from graphlab.adapters.native.optimizer_steps import is_same, why_unchanged
from graphlab.adapters.native.snapshots import differ
from graphlab.adapters.pytorch.arrays import checksum_of, quick_sample_of
from graphlab.adapters.pytorch.known_nodes import Memory
from graphlab.adapters.pytorch.stand_ins import version_of
from graphlab.graph.events.updates import Unchanged
from graphlab.tensor.tensor import Tensor


def before_step(memory: Memory, optimizer: Any, look: Callable[..., None]) -> list[Any]:
    """What the parameters of an optimizer hold before its step. look: notes earlier changes."""
    was = []
    for group in optimizer.param_groups:
        for leaf in group["params"]:
            stand_in = memory.tensor(leaf)
            if stand_in is None:
                stand_in = memory.meet(leaf)
            else:
                look(leaf, stand_in)
            held = memory.latest.get(stand_in), version_of(leaf), checksum_of(leaf)
            was.append((leaf, group, stand_in, *held))
    return was


def after_step(memory: Memory, optimizer: Any, was: list[Any]) -> tuple[list[Any], list[Tensor]]:
    """The parameters that a step changed, or tried to, and all that it was given."""
    changes = []
    for leaf, group, stand_in, before, version, sums in was:
        after = memory.latest[stand_in] = quick_sample_of(leaf)
        if version_of(leaf) != version or differ(before, after):
            why: Unchanged = ""
            if is_same(before, after, (sums, sums and checksum_of(leaf))):
                grad = None if leaf.grad is None else leaf.grad.detach()
                why = why_unchanged(type(optimizer).__name__, group, grad)
            changes.append((stand_in, before, after, version_of(leaf), why))
    return changes, [stand_in for _, _, stand_in, *_ in was]
