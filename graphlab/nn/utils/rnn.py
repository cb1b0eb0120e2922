"""Sequences of several lengths as one tensor, filled up at the end: `nn.utils.rnn`.

Read next: nn/recurrent.py
"""

from typing import Any

from graphlab.tensor.creation import full
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor


def pad_sequence(
    sequences: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Sequences (Lᵢ, ...) as one tensor (L, B, ...), L the longest; the rest is `padding_value`.

    batch_first: (B, L, ...) instead. padding_side: where the rest is, "right" or "left".
    Raises: RuntimeError without sequences, and for another side.

    >>> import graphlab as torch
    >>> pad_sequence([torch.ones(3), torch.ones(1)], batch_first=True)
    tensor([[1., 1., 1.],
            [1., 0., 0.]])
    """
    given = list(sequences)
    if not given:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest, count = max(len(one) for one in given), len(given)
    sizes = (count, longest) if batch_first else (longest, count)
    padded = full((*sizes, *given[0].shape[1:]), padding_value, dtype=given[0].dtype)
    for i, one in enumerate(given):
        start = longest - len(one) if padding_side == "left" else 0
        row = padded.select(0 if batch_first else 1, i)
        row.narrow(0, start, len(one)).copy_(one)
    return padded


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences that were filled up, each cut to its length again.

    >>> import graphlab as torch
    >>> unpad_sequence(torch.ones(3, 2), torch.tensor([3, 1]))
    [tensor([1., 1., 1.]), tensor([1.])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    places = arange(rows.shape[1])
    return [row[places < length] for row, length in zip(rows, lengths, strict=True)]
