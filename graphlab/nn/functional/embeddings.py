"""Lookups of rows in a table, and of points in images: `F.embedding`, `F.one_hot`, `F.grid_sample`.

Read next: ops/embedding.py
"""

import warnings
from collections.abc import Sequence

import numpy as np

from graphlab.autograd.decisions import came_from
from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError, users_level
from graphlab.ops.embedding import Embedding, EmbeddingBag
from graphlab.ops.resizing import AffineGridGenerator, GridSampler2d
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import check_types, need_tensor, outside
from graphlab.tensor.tensor import Tensor, wrap

MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of `weight` at the indices `input`.

    input: (*), int64 or int32 in [0, V)
    weight: (V, E), the table of V embeddings
    padding_idx: int, a row that gets no gradient
    max_norm: float, the norm to which longer rows among those of `input` are scaled down, in place
    norm_type: float, the exponent of the norm for max_norm
    scale_grad_by_freq: bool, divide the gradient of each row by the number of its uses
    sparse: accepted as in PyTorch, without effect here
    Returns: (*, E).
    Raises: IndexError for an index out of range, RuntimeError for indices of another dtype or a
        weight that is not 2-D, AssertionError for a padding_idx out of range.

    PyTorch differs: with sparse=True the gradient is a sparse tensor; here it is always dense.

    >>> embedding(torch.tensor([1, 0, 1]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    need_tensor("embedding", "weight", 1, weight)
    need_tensor("embedding", "indices", 2, input)
    rows = weight.shape[0] if weight.ndim else 0
    if padding_idx is None:
        padding_idx = -1
    elif not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx = padding_idx + rows
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_index_dtype(input, "embedding")
    if not rows and input.numel():
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    indices = np.array(input._data)  # `input` may change
    if outside(indices, 0, rows).size:
        raise IndexError("index out of range in self")
    if max_norm is not None:
        renormalize(weight, indices, max_norm, norm_type)
    return apply(
        Embedding, weight, indices=indices, padding_idx=padding_idx,
        scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
    )  # fmt: skip


def check_index_dtype(indices: Tensor, function: str) -> None:
    """Raise RuntimeError unless the indices are int64 or int32."""
    if indices._data.dtype not in (np.int32, np.int64):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{indices.dtype.legacy} instead (while checking arguments "
            f"for {function})"
        )


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, the mean or the maximum of the rows of `weight` in each bag of indices.

    input: (B, L) for B bags of L indices, or (M,) with offsets
    weight: (V, E), the table of V embeddings
    offsets: (B,), the position in `input` at which each bag starts; the first is 0
    max_norm, norm_type, scale_grad_by_freq, sparse, padding_idx: as in `embedding`
    mode: "sum", "mean" or "max"
    per_sample_weights: the shape of `input`, factors of the rows; only for "sum"
    include_last_offset: bool, offsets has B + 1 numbers, the last of which ends the last bag
    Returns: (B, E).
    Raises: ValueError, RuntimeError or NotImplementedError for arguments that do not fit together.

    PyTorch differs: with scale_grad_by_freq, it divides by the number of uses of a wrong row.

    >>> table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> embedding_bag(torch.tensor([0, 1, 1]), table, torch.tensor([0, 1]), mode="sum")
    tensor([[1., 2.],
            [6., 8.]])
    """
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then "
            f"it must have the same shape as the input ({input.shape})"
        )
    indices, begins = rows_and_offsets(input, offsets)
    if input.ndim == 2 and per_sample_weights is not None:
        per_sample_weights = F.reshape(per_sample_weights, -1)
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        what = "scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"
        raise ValueError(f"max mode does not support {what}")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    if include_last_offset:
        begins = begins[:-1]
    rows = weight.shape[0]
    if padding_idx is not None and padding_idx < 0:
        padding_idx += rows
    check_bags(input, indices, begins, rows)
    if max_norm is not None:
        renormalize(weight, indices, max_norm, norm_type)
    return apply(
        EmbeddingBag, weight, per_sample_weights, indices=indices, offsets=begins,
        mode=MODES[mode], padding_idx=-1 if padding_idx is None else padding_idx,
        scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
    )[0]  # fmt: skip


def rows_and_offsets(input: Tensor, offsets: Tensor | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices as a vector, and the position at which each bag starts.

    Raises: ValueError for an input or offsets with another number of dimensions.
    """
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        n, each = input.shape
        return input._data.flatten(), np.arange(n) * each
    if input.ndim != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}"
        )
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input._data.copy(), offsets._data.copy()


def check_bags(input: Tensor, indices: np.ndarray, offsets: np.ndarray, rows: int) -> None:
    """Raise RuntimeError for indices or offsets of another dtype or out of range."""
    check_index_dtype(input, "embedding_bag")
    if len(offsets) and offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {offsets[0]}"
        )
    if len(offsets) and offsets[-1] > len(indices):
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {len(indices)} but got "
            f"offsets[-1] of {offsets[-1]}"
        )
    wrong = np.flatnonzero((indices < 0) | (indices >= rows))
    if len(wrong):
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {indices[wrong[0]]} which is not in the valid "
            f"range [0, {rows})"
        )


def renormalize(weight: Tensor, indices: np.ndarray, max_norm: float, norm_type: float) -> None:
    """Scale rows among `indices` down to `max_norm`, in place and without recording."""
    used = np.unique(indices)
    lengths = np.linalg.norm(weight._data[used], ord=norm_type, axis=1)
    long = lengths > max_norm
    scale = (max_norm / (lengths[long] + 1e-7)).astype(weight._data.dtype)
    weight._data[used[long]] *= scale[:, None]
    weight._version_counter().advance()


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return a one-hot vector for each class: 1 at the class, 0 elsewhere.

    tensor: (*), int64 classes in [0, num_classes)
    num_classes: int, or -1 for the largest class + 1
    Returns: (*, num_classes), int64.
    Raises: RuntimeError for another dtype, or a class out of range.

    >>> one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    need_tensor("one_hot", "input", 1, tensor)
    classes = tensor._data
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap(np.zeros((*tensor.shape, num_classes), np.int64), False, None)
    if np.min(classes) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(np.max(classes)) + 1
    elif np.max(classes) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    found = classes[..., None] == np.arange(num_classes)
    found = came_from(wrap(found.astype(np.int64), False, None), (tensor,))
    for _ in range(2):  # PyTorch writes the result in two steps, and counts them
        found._version_counter().advance()
    return found


INTERPOLATIONS = {"bilinear": 0, "nearest": 1, "bicubic": 2}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}
CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
    "Please specify align_corners=True if the old behavior is desired. See the documentation of "
    "grid_sample for details."
)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return the values of an image at the points of a grid, interpolated.

    input: (N, C, H, W)
    grid: (N, H', W', 2), points (x, y); -1 and 1 are the edges of the image
    mode: "bilinear" or "nearest", the interpolation
    padding_mode: "zeros", "border" or "reflection", the values outside of the image
    align_corners: bool, let -1 and 1 be the centres of the outer pixels instead of their edges
    Returns: (N, C, H', W').
    Raises: ValueError for unknown modes, ShapeError for shapes that do not fit, RuntimeError for
        dtypes that differ, NotImplementedError for "bicubic" and for volumes.
    Warns: UserWarning without align_corners.
    Source: Jaderberg et al. 2015 (spatial transformers).

    PyTorch differs: it has the mode "bicubic" and volumes (N, C, D, H, W) as well.

    >>> x, middle = torch.tensor([[[[1.0, 3.0]]]]), torch.zeros(1, 1, 1, 2)
    >>> grid_sample(x, middle, align_corners=False)
    tensor([[[[2.]]]])
    """
    if mode not in INTERPOLATIONS:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(CHANGED, stacklevel=users_level())
    check(input, grid)
    if mode == "bicubic" or input.ndim == 5:
        raise NotImplementedError(
            "grid_sample: expected a 4D input and the mode 'bilinear' or 'nearest', got "
            f"{input.ndim}D and {mode!r}"
        )
    return apply(
        GridSampler2d,
        input,
        grid,
        interpolation_mode=INTERPOLATIONS[mode],
        padding_mode=PADDINGS[padding_mode],
        align_corners=bool(align_corners),
    )


def check(input: Tensor, grid: Tensor) -> None:
    """Raise ShapeError if grid and image do not fit, RuntimeError for dtypes that differ."""
    need_tensor("grid_sampler", "input", 1, input)
    need_tensor("grid_sampler", "grid", 2, grid)
    if not input.ndim or not grid.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    shape, points = list(input.shape), list(grid.shape)
    sizes = f"input with sizes {shape} and grid with sizes {points}"
    if shape[:1] != points[:1]:
        raise ShapeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got {sizes}"
        )
    images = input.ndim in (4, 5) and grid.ndim == input.ndim
    if images and points[-1] != input.ndim - 2:
        raise ShapeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but "
            f"got grid with sizes {points}"
        )
    if not images:
        raise ShapeError(
            f"grid_sampler(): expected {4 if input.ndim != 5 else 5}D input and grid with same "
            f"number of dimensions, but got {sizes}"
        )
    for d in range(2, input.ndim):
        if shape[d] == 0:
            raise ShapeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                f"has sizes {shape} with dimension {d} being empty"
            )
    check_types(input, grid)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return the grid of an affine map for `grid_sample`, with the points theta · (x, y, 1).

    theta: (N, 2, 3), or (N, 3, 4) for volumes
    size: (N, C, H, W) or (N, C, D, H, W), the shape of the image to be sampled
    align_corners: bool, let -1 and 1 be the centres of the outer pixels instead of the edges
    Returns: (N, H, W, 2) or (N, D, H, W, 3).
    Raises: ValueError or ShapeError for shapes that do not fit, NotImplementedError for another
        number of sizes.
    Warns: UserWarning without align_corners.

    >>> identity = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> affine_grid(identity, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    sizes = tuple(int(n) for n in size)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(sizes) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    d = len(sizes) - 2
    if theta.ndim != 3 or tuple(theta.shape[-2:]) != (d, d + 1):
        raise ValueError(
            f"Expected a batch of {d}D affine matrices of shape Nx{d}x{d + 1} for size {size}. Got "
            f"{theta.shape}."
        )
    if min(sizes) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if align_corners is None:
        warnings.warn(CHANGED, stacklevel=users_level())
    if sizes[0] != theta.shape[0]:
        raise ShapeError(f"Expected theta for a batch of {sizes[0]}, but got {theta.shape}.")
    return apply(AffineGridGenerator, theta, size=sizes, align_corners=bool(align_corners))
