"""Run a recurrent cell along packed sequences: fewer of them are left at every step.

Source: PyTorch, aten/src/ATen/native/RNN.cpp, PackedLayer and ReversedPackedLayer.

Read next: nn/recurrent.py
"""

from collections.abc import Callable, Sequence

from graphlab.tensor import functions as F
from graphlab.tensor.tensor import Tensor

State = tuple[Tensor, ...]  # each (N, H)
Step = Callable[[Tensor, State], State]  # from the input's gates and a state to the next state


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
