"""Embeddings: a table of learned vectors, one for each integer, alone or in bags.

Read next: nn/loss.py
"""

from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.common.dtypes import dtype
from graphlab.nn import functional as F
from graphlab.nn import init
from graphlab.nn.layer import Layer
from graphlab.nn.parameter import Parameter
from graphlab.tensor.tensor import Tensor


class EmbeddingTable(Layer):
    """The base of the embeddings: a table of vectors, with a row that may be padding."""

    padding_idx: int | None
    weight: Parameter
    _padding = "padding_idx"  # how the error spells it

    def _set_table(
        self, sizes: tuple[int, int], weight: Any, freeze: bool, dtype: dtype | None
    ) -> None:
        """Set the sizes and the weight, given or drawn; make `padding_idx` count from the front."""
        self.num_embeddings, self.embedding_dim = n, _ = sizes
        if self.padding_idx is not None:
            if not -n <= self.padding_idx < n:
                raise AssertionError(f"{self._padding} must be within num_embeddings")
            self.padding_idx %= n
        if weight is None:
            self._add_weight("weight", *sizes, dtype=dtype)
            self.weight.requires_grad_(not freeze)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != sizes:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """Draw new values from N(0, 1); the padding row becomes 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


def sizes_of(table: Tensor) -> tuple[int, int]:
    """Return the numbers of rows and columns. Raises: AssertionError unless there are two dims."""
    if table.dim() != 2:
        raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
    return table.shape[0], table.shape[1]


class Embedding(EmbeddingTable):
    """Look up a learned vector for each integer of the input: weight[input].

    num_embeddings: int, the number of vectors V; the input holds integers in [0, V).
    embedding_dim: int, the size of each vector.
    padding_idx: int, a row that starts at 0 and gets no gradient, such as that of a padding
        token; default None.
    max_norm: float, the largest norm of a vector; the call scales longer ones down, in place;
        default None, for no limit.
    norm_type: float, the exponent of the norm that `max_norm` limits; default 2.
    scale_grad_by_freq: bool, whether to divide the gradient of a vector by how often it occurs in
        the input; default False.
    sparse: bool, without effect here; in PyTorch, True gives a sparse gradient. Default False.
    _weight: Tensor of shape (num_embeddings, embedding_dim), the initial table; default None.
    _freeze: bool, whether the table is not trained; default False.

    Shapes: (...) of integers -> (..., embedding_dim).

    Attributes:
        weight: (num_embeddings, embedding_dim), starts from the normal distribution N(0, 1)

    Raises: AssertionError if `padding_idx` is not a row, or `_weight` has another shape.

    >>> Embedding(10, 3)(torch.tensor([[1, 2, 4, 5]])).shape
    torch.Size([1, 4, 3])
    """

    _padding = "Padding_idx"

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._set_table((num_embeddings, embedding_dim), _weight, _freeze, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, **options: Any
    ) -> "Embedding":
        """Return an embedding of given vectors.

        embeddings: Tensor of shape (V, D).
        freeze: bool, whether the vectors are not trained; default True.
        padding_idx: int, a row that gets no gradient; default None.
        options: further arguments of Embedding.
        Raises: AssertionError if `embeddings` is not 2-D.

        >>> import graphlab as torch
        >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> torch.nn.Embedding.from_pretrained(table)(torch.tensor(1))
        tensor([3., 4.])
        """
        rows, columns = sizes_of(embeddings)
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze, **options)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}" + self._changed(
            padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, sparse=False
        )


class EmbeddingBag(EmbeddingTable):
    """Return the sum, the mean or the maximum of the learned vectors of each bag of integers.

    num_embeddings: int, the number of vectors V; the input holds integers in [0, V).
    embedding_dim: int, the size of each vector.
    max_norm, norm_type, scale_grad_by_freq, sparse, padding_idx: as in Embedding; vectors of the
        padding count in no bag.
    mode: str, "sum", "mean", the default, or "max".
    _weight: Tensor of shape (num_embeddings, embedding_dim), the initial table; default None.
    include_last_offset: bool, whether the last offset is the end of the last bag; default False.

    Shapes: (B, L) for B bags of L integers, or (M,) with offsets (B,), where each bag begins;
        per_sample_weights, factors for "sum": the shape of the input -> (B, embedding_dim).

    Attributes:
        weight: (num_embeddings, embedding_dim), starts from the normal distribution N(0, 1)

    Raises: AssertionError if `padding_idx` is not a row, or `_weight` has another shape.

    >>> EmbeddingBag(10, 3)(torch.tensor([[1, 2], [4, 5]])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(device)
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._set_table((num_embeddings, embedding_dim), _weight, False, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq,
            self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> Any:
        """Return an embedding bag of given vectors.

        embeddings: Tensor of shape (V, D).
        freeze: bool, whether the vectors are not trained; default True.
        options: further arguments of EmbeddingBag.
        Raises: AssertionError if `embeddings` is not 2-D.

        >>> import graphlab as torch
        >>> bags = torch.nn.EmbeddingBag.from_pretrained(torch.eye(2), mode="sum")
        >>> bags(torch.tensor([[0, 1]]))
        tensor([[1., 1.]])
        """
        rows, columns = sizes_of(embeddings)
        made = cls(rows, columns, _weight=embeddings, **options)
        made.weight.requires_grad = not freeze
        return made

    def extra_repr(self) -> str:

        changed = self._changed(max_norm=None, norm_type=2, scale_grad_by_freq=False)
        mode = f", mode={self.mode!r}" + self._changed(padding_idx=None)
        return f"{self.num_embeddings}, {self.embedding_dim}" + changed + mode
