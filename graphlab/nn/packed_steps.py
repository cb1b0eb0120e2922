"""Steps of packed sequences: how many sequences reach each step, and a recurrent cell along them.

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
Step = Callable[[Tensor, State], State]  # maps the input's gates and a state to the next state
NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
    "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
    "requirement if you do not need ONNX exportability."
)


def batch_sizes_of(input: Tensor, lengths: Tensor, batch_first: bool) -> np.ndarray:
    """Return how many sequences reach each step. Raises: RuntimeError for lengths that do not fit.

    input: (T, B, *), or (B, T, *) with batch_first. lengths: (B,), in decreasing order.
    """
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.ndim != 1:
        raise RuntimeError(
            "'lengths' argument should be a 1D CPU int64 tensor, but got "
            f"{lengths.ndim}D cpu {type_name(lengths)} tensor"
        )
    one_dim(1, input.ndim)
    batch = input.size(0 if batch_first else 1)
    sizes: Any = lengths._data
    if len(sizes) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} "
            f"(batch_size={batch})"
        )
    if sizes[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )
    if (np.diff(sizes) > 0).any():
        raise RuntimeError(NOT_SORTED)
    longest = input.size(1 if batch_first else 0)
    if sizes[0] > longest:
        raise RuntimeError(
            f"Expected no length above the {longest} steps of the input, got {int(sizes[0])}"
        )
    return (sizes[:, None] > np.arange(sizes[0])).sum(0)


def forwards(step: Step, gates: Tensor, state: State, sizes: Sequence[int]) -> tuple[Tensor, State]:
    """Run from the first step to the last; keep the state of each sequence that has ended.

    gates: (sum of sizes, ...). sizes: how many sequences reach each step
    Returns: the outputs, (sum of sizes, H), and the last state of each sequence.
    """
    outputs, ended, offset = [], [], 0
    for before, n in zip((sizes[0], *sizes), sizes, strict=False):
        if n < before:
            ended.append(rows(state, n, before))
            state = rows(state, 0, n)
        state = step(F.narrow(gates, 0, offset, n), state)
        outputs.append(state[0])
        offset += n
    return F.cat(outputs, 0), joined([state, *reversed(ended)])


def backwards(
    step: Step, gates: Tensor, state: State, sizes: Sequence[int]
) -> tuple[Tensor, State]:
    """Run from the last step to the first; a shorter sequence starts at its own last step.

    gates: (sum of sizes, ...). sizes: how many sequences reach each step
    Returns: the outputs, (sum of sizes, H), and the state of each sequence at its first step.
    """
    outputs, offset, first = [], gates.shape[0], state
    state = rows(first, 0, sizes[-1])
    for before, n in zip((sizes[-1], *reversed(sizes)), reversed(sizes), strict=False):
        if n > before:
            state = joined([state, rows(first, before, n)])
        offset -= n
        state = step(F.narrow(gates, 0, offset, n), state)
        outputs.append(state[0])
    return F.cat(outputs[::-1], 0), state


def rows(state: State, start: int, end: int) -> State:
    """Return the states of the sequences from `start` up to `end`."""
    return tuple([F.narrow(part, 0, start, end - start) for part in state])


def joined(states: list[State]) -> State:
    """Return the states of several groups of sequences as one state."""
    return tuple([F.cat(parts, 0) for parts in zip(*states, strict=True)])
