"""Sequences of several lengths as one padded tensor: `nn.utils.rnn`.

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
    """Stack sequences of several lengths, padded to the longest.

    sequences: an iterable of B tensors (Lᵢ, *)
    batch_first: bool, return (B, L, *) instead of (L, B, *)
    padding_value: float
    padding_side: "right" or "left", where the padding goes
    Returns: (L, B, *) or (B, L, *), L the largest of the Lᵢ.
    Raises: RuntimeError without sequences, or for another side.

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
    """Return the sequences of a padded batch, each cut to its length.

    padded_sequences: (L, B, *), or (B, L, *) with batch_first
    lengths: (B,), int
    batch_first: bool
    Returns: a list of B tensors (Lᵢ, *).

    >>> import graphlab as torch
    >>> unpad_sequence(torch.ones(3, 2), torch.tensor([3, 1]))
    [tensor([1., 1., 1.]), tensor([1.])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    places = arange(rows.shape[1])
    return [row[places < length] for row, length in zip(rows, lengths, strict=True)]
