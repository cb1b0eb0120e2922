"""Packed sequences, step by step: how many of them are left, and a recurrent cell run along them.

Source: PyTorch, aten/src/ATen/native/RNN.cpp, PackedLayer and ReversedPackedLayer.

Read next: nn/recurrent.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import type_name
from graphlab.tensor.functions.dims import one_dim
from graphlab.tensor.tensor import Tensor

State = tuple[Tensor, ...]  # each (N, H)
Step = Callable[[Tensor, State], State]  # from the input's gates and a state to the next state
NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
    "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
    "requirement if you do not need ONNX exportability."
)


def batch_sizes_of(input: Tensor, lengths: Tensor, batch_first: bool) -> np.ndarray:
    """Return how many sequences reach each step. Raises: RuntimeError for unfit lengths."""
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.ndim != 1:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.ndim}D cpu {type_name(lengths)} tensor"
        )
    one_dim(1, input.ndim)
    batch = input.size(0 if batch_first else 1)
    many: Any = lengths._data
    if len(many) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(many)} "
            f"(batch_size={batch})"
        )
    if many[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if (np.diff(many) > 0).any():
        raise RuntimeError(NOT_SORTED)
    longest = input.size(1 if batch_first else 0)
    if many[0] > longest:
        raise RuntimeError(
            f"Expected no length above the {longest} steps of the input, got {int(many[0])}"
        )
    return (many[:, None] > np.arange(many[0])).sum(0)


def forwards(step: Step, gates: Tensor, state: State, sizes: Sequence[int]) -> tuple[Tensor, State]:
    """Run from the first step on; sequences that are over leave their states behind.

    gates: (sum of sizes, ...), sizes: how many sequences reach each step
    Returns: the outputs, (sum of sizes, H), and the last state of each sequence.
    """
    outputs, over, offset = [], [], 0
    for before, n in zip((sizes[0], *sizes), sizes, strict=False):
        if n < before:
            over.append(rows(state, n, before))
            state = rows(state, 0, n)
        state = step(F.narrow(gates, 0, offset, n), state)
        outputs.append(state[0])
        offset += n
    return F.cat(outputs, 0), joined([state, *reversed(over)])


def backwards(
    step: Step, gates: Tensor, state: State, sizes: Sequence[int]
) -> tuple[Tensor, State]:
    """Run from the last step to the first; shorter sequences join on the way.

    gates: (sum of sizes, ...), sizes: how many sequences reach each step
    Returns: the outputs, (sum of sizes, H), and the state of each sequence at its first step.
    """
    outputs, offset, given = [], gates.shape[0], state
    state = rows(given, 0, sizes[-1])
    for before, n in zip((sizes[-1], *reversed(sizes)), reversed(sizes), strict=False):
        if n > before:
            state = joined([state, rows(given, before, n)])
        offset -= n
        state = step(F.narrow(gates, 0, offset, n), state)
        outputs.append(state[0])
    return F.cat(outputs[::-1], 0), state


def rows(state: State, start: int, end: int) -> State:
    """Return the states of some of the sequences."""
    return tuple([F.narrow(part, 0, start, end - start) for part in state])


def joined(states: list[State]) -> State:
    """Return the states of several groups of sequences as one."""
    return tuple([F.cat(parts, 0) for parts in zip(*states, strict=True)])
