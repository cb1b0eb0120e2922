"""Sequences of several lengths in one tensor, padded or packed: `nn.utils.rnn`.

A padded batch has an entry for every step of every sequence. A packed one holds, step by step, only
the sequences that have not ended: a recurrent layer computes nothing for the padding, and its last
state is that at the last step of each sequence.

Read next: nn/recurrent.py
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from graphlab.autograd.record import apply
from graphlab.common import dtypes as types
from graphlab.ops.convolution import PackPaddedSequence
from graphlab.tensor import functions as F
from graphlab.tensor.creation import as_tensor, full
from graphlab.tensor.functions.checks import one_dim, type_name
from graphlab.tensor.ranges import arange
from graphlab.tensor.tensor import Tensor, wrap

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence",
    "pad_packed_sequence", "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


def pad_sequence(
    sequences: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stack sequences of several lengths, padded to the longest.

    sequences: an iterable of B tensors (Lᵢ, *)
    batch_first: bool, return (B, L, *) instead of (L, B, *)
    padding_value: float, the entries of the padding
    padding_side: "right" or "left", the end at which to pad
    Returns: (L, B, *) or (B, L, *), L the largest of the Lᵢ.
    Raises: RuntimeError without sequences, or for another side.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import pad_sequence
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
    lengths: (B,), ints
    batch_first: bool, the first dimension is that of the batch
    Returns: a list of B tensors (Lᵢ, *).

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import unpad_sequence
    >>> unpad_sequence(torch.ones(3, 2), torch.tensor([3, 1]))
    [tensor([1., 1., 1.]), tensor([1.])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    places = arange(rows.shape[1])
    return [row[places < length] for row, length in zip(rows, lengths, strict=True)]


class Packed(NamedTuple):
    """The parts of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(Packed):
    """Sequences of several lengths without padding: all first entries, all second entries, ...

    `pack_padded_sequence` and `pack_sequence` make it; the recurrent layers take it.

    data: (sum of the lengths, *)
    batch_sizes: (T,), int64, how many sequences reach each step
    sorted_indices: (B,), the order of the sequences from the longest to the shortest; None if they
        are given in this order
    unsorted_indices: (B,), the inverse permutation, by default computed

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import pack_sequence
    >>> pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).data
    tensor([1, 3, 2])
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> "PackedSequence":
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """Return the sequences with `data.to(...)`, or the same object if that changes nothing."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else PackedSequence(data, *self[1:])

    def cpu(self) -> "PackedSequence":
        return self

    def _cast(kind: Any) -> Any:  # type: ignore[misc]
        """Return the method that converts `data` to a dtype."""
        return lambda self: self.to(kind)

    double, float, half = _cast(types.float64), _cast(types.float32), _cast(types.float16)
    long, int, short = _cast(types.int64), _cast(types.int32), _cast(types.int16)
    char, byte = _cast(types.int8), _cast(types.uint8)

    def is_pinned(self) -> bool:
        return False

    @property
    def is_cuda(self) -> bool:
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of a permutation. permutation: (N,), int64, or None -> the same.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import invert_permutation
    >>> invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    return None if permutation is None else F.argsort(permutation)


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch: return its sequences without the padding.

    input: (T, B, *), or (B, T, *) with batch_first
    lengths: B ints > 0, the length of each sequence
    batch_first: bool, the first dimension is that of the batch
    enforce_sorted: bool, require sequences from the longest to the shortest; False sorts them
    Returns: a PackedSequence.
    Raises: RuntimeError for lengths that do not fit.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import pack_padded_sequence
    >>> packed = pack_padded_sequence(torch.tensor([[1, 3], [2, 0]]), [2, 1])
    >>> packed.data, packed.batch_sizes
    (tensor([1, 3, 2]), tensor([2, 1]))
    """
    lengths = as_tensor(lengths).long()
    order = None
    if not enforce_sorted:
        lengths, order = F.sort(lengths, descending=True, stable=True)
        input = F.index_select(input, 0 if batch_first else 1, order)
    sizes = batch_sizes_of(input, lengths, batch_first)
    data, sizes = apply(PackPaddedSequence, input, batch_sizes=sizes, batch_first=batch_first)
    return PackedSequence(data, sizes, order)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences as a padded batch, and their lengths.

    sequence: a PackedSequence of B sequences
    batch_first: bool, return (B, T, *) instead of (T, B, *)
    padding_value: float, the entries of the padding
    total_length: int, T; by default the length of the longest sequence
    Returns: (T, B, *) or (B, T, *), and the lengths, (B,).
    Raises: ValueError for a total_length below the longest sequence.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import pack_sequence, pad_packed_sequence
    >>> packed = pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """
    data, sizes = sequence.data, sequence.batch_sizes.tolist()
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but "
            f"got total_length={total_length} and max sequence length being {len(sizes)}"
        )
    padded = full((steps, sizes[0], *data.shape[1:]), padding_value, dtype=data.dtype)
    first = offset = 0
    for t in range(1, len(sizes) + 1):
        if t == len(sizes) or sizes[t] != sizes[first]:  # steps with the same number of sequences
            end = offset + (t - first) * sizes[first]
            part = data[offset:end].view(t - first, sizes[first], *data.shape[1:])
            padded[first:t, : sizes[first]] = part
            first, offset = t, end
    lengths: Any = (np.array(sizes)[:, None] > np.arange(sizes[0])).sum(0)
    padded, lengths = padded.transpose(0, 1) if batch_first else padded, wrap(lengths, False, None)
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return F.index_select(padded, 0 if batch_first else 1, order), lengths[order]


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of several lengths.

    sequences: an iterable of tensors (Lᵢ, *)
    enforce_sorted: as in `pack_padded_sequence`
    Returns: a PackedSequence.
    Raises: RuntimeError for lengths that do not fit.

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import pack_sequence
    >>> pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]).batch_sizes
    tensor([2, 1])
    """
    given = list(sequences)
    lengths = [len(one) for one in given]
    return pack_padded_sequence(pad_sequence(given), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed batch. packed_sequences: a PackedSequence -> [(Lᵢ, *)].

    >>> import graphlab as torch
    >>> from graphlab.nn.utils.rnn import pack_sequence, unpack_sequence
    >>> unpack_sequence(pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]))
    [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


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


def steps_forwards(
    step: Step, gates: Tensor, state: State, sizes: Sequence[int]
) -> tuple[Tensor, State]:
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


def steps_backwards(
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
