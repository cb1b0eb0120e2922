"""Sample an image at the points of a grid, and make the grid of an affine map.

Read next: primitives/numpy_reading/grid_sampling.py
"""

# pyright: reportSelfClsParameterName=false, reportGeneralTypeIssues=false
from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import constant, zeros_like
from graphlab.primitives.numpy_reading.grid_sampling import (
    base_grid,
    corners,
    grid_values,
    put_grid_values,
)
from graphlab.primitives.numpy_reading.matrices import matmul
from graphlab.primitives.numpy_reading.reductions import sum
from graphlab.primitives.numpy_reading.shapes import reshape, size, stack, transpose


class GridSampler2d(Op):
    """Sample images at points. input: (N, C, H, W), grid: (N, OH, OW, 2) -> (N, C, OH, OW)."""

    node, symbol, types = "GridSampler2DBackward0", "sample", "keep"
    wide = True
    phrase_input = (
        "each pixel gets the gradients of the points that read it, times its weight there"
    )
    phrase_grid = "each point gets the gradient times the slope of the image at that point"

    def forward(input, grid, *, interpolation_mode, padding_mode, align_corners):
        n, c, h, w = size(input)
        total = None
        for number, inside, weight, _, _ in corners(
            grid, (h, w), interpolation_mode, padding_mode, align_corners
        ):
            seen = grid_values(input, number, inside)
            seen = seen if weight is None else seen * weight
            total = seen if total is None else total + seen
        return reshape(total, (n, c, *size(grid)[1:3]))

    def grad_input(grad, input, grid, interpolation_mode, padding_mode, align_corners):
        n, c, h, w = size(input)
        grad = reshape(grad, (n, c, size(grid)[1] * size(grid)[2]))
        total = None
        for number, inside, weight, _, _ in corners(
            grid, (h, w), interpolation_mode, padding_mode, align_corners
        ):
            share = grad if weight is None else grad * weight
            back = put_grid_values(share, size(input), number, inside)
            total = back if total is None else total + back
        return total

    def grad_grid(grad, input, grid, interpolation_mode, padding_mode, align_corners):
        n, c, h, w = size(input)
        grad = reshape(grad, (n, c, size(grid)[1] * size(grid)[2]))
        along_x = along_y = None
        for number, inside, weight, slope_x, slope_y in corners(
            grid, (h, w), interpolation_mode, padding_mode, align_corners
        ):
            if weight is None:
                return zeros_like(grid)
            seen = sum(grad * grid_values(input, number, inside), (1,), True)
            along_x = seen * slope_x if along_x is None else along_x + seen * slope_x
            along_y = seen * slope_y if along_y is None else along_y + seen * slope_y
        return reshape(stack((along_x, along_y), 3), size(grid))


class AffineGridGenerator(Op):
    """Return the image of every pixel under an affine map. theta: (N, d, d + 1) -> (N, *S, d)."""

    node, symbol, types = "AffineGridGeneratorBackward0", "grid", "keep"
    phrase = (
        "each entry gets the sum, over all points, of the gradient times the coordinate that the "
        "entry multiplies"
    )

    def forward(theta, *, size, align_corners):
        points = constant(base_grid(size[2:], align_corners), theta)
        return reshape(matmul(points, transpose(theta, 1, 2)), (size[0], *size[2:], len(size) - 2))

    def grad_theta(grad, size, align_corners):
        points = constant(base_grid(size[2:], align_corners), grad)
        rows = reshape(grad, (size[0], len(points), len(size) - 2))
        return matmul(transpose(rows, 1, 2), points)
