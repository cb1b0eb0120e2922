"""How the results of layers lie in memory: row by row, so that `x.view(x.size(0), -1)` works."""

import pytest

import graphlab as torch
from graphlab import nn
from graphlab.nn import functional as F

LAYERS = {
    "max_pool1d": lambda x: F.max_pool1d(x[0], 2),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "max_pool3d": lambda x: F.max_pool3d(x, (1, 2, 2)),
    "max_pool2d, padded": lambda x: F.max_pool2d(x, 3, 1, 1),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 2),
    "adaptive_avg_pool1d": lambda x: F.adaptive_avg_pool1d(x[0], 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "conv2d": nn.Conv2d(3, 4, 3),
    "conv2d, grouped": nn.Conv2d(3, 6, 3, groups=3),
    "conv_transpose2d": nn.ConvTranspose2d(3, 4, 3),
    "batch norm": nn.BatchNorm2d(3),
    "indices": lambda x: x[:, :, torch.tensor([0, 2, 1])],
    **{
        f"interpolate, {mode}": lambda x, mode=mode: F.interpolate(x, scale_factor=2, mode=mode)
        for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area")
    },
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_results_lie_row_by_row(layer):
    result = layer(torch.randn(2, 3, 6, 6))
    assert result.is_contiguous()
    assert result.view(result.size(0), -1).shape == (len(result), result[0].numel())


def test_the_commonest_line_of_a_convolutional_network_works():
    x = torch.randn(5, 1, 8, 8, requires_grad=True)
    y = F.max_pool2d(F.relu(nn.Conv2d(1, 3, 3)(x)), 2)
    y.view(-1, 3 * 3 * 3).sum().backward()
    assert x.grad.is_contiguous()
