"""Sampling of images at the points of a grid: `F.grid_sample(x, grid)`, `F.affine_grid`.

Read next: ops/resizing.py
"""

import warnings
from collections.abc import Sequence

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError, users_level
from graphlab.ops.resizing import AffineGridGenerator, GridSampler2d
from graphlab.tensor.functions.checks import check_types, need_tensor
from graphlab.tensor.tensor import Tensor

MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
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
    if mode not in MODES:
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
        interpolation_mode=MODES[mode],
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
