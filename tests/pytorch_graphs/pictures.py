"""The pictures of docs/pytorch.md.

    python -m tests.pytorch_graphs.pictures

Read next: docs/pytorch.md
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import graphlab

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


def residual_net(torch: Any) -> Any:
    """A small residual net."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.norm1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.norm2 = nn.BatchNorm2d(width)

        def forward(self, x: Any) -> Any:
            h = self.norm1(self.conv1(x)).relu()
            return (self.norm2(self.conv2(h)) + x).relu()

    class ResNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(3, 8, 3, padding=1)
            self.layer1 = nn.Sequential(Block(8), Block(8))
            self.layer2 = nn.Sequential(Block(8), Block(8))
            self.head = nn.Linear(8, 10)

        def forward(self, x: Any) -> Any:
            h = self.layer2(self.layer1(self.stem(x).relu()))
            return self.head(h.mean((2, 3)))

    return ResNet()


def main() -> None:
    import torch

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    loss = layer(torch.randn(5, 8)).square().mean()
    graphlab.draw(loss, scope="layer.self_attn").save(str(IMAGES / "pytorch-attention.svg"))
    net = residual_net(torch)
    x, target = torch.randn(2, 3, 8, 8), torch.tensor([3, 7])
    loss = torch.nn.functional.cross_entropy(net(x), target)
    graphlab.draw(loss, scope="net.layer1").save(str(IMAGES / "pytorch-guessed.svg"))


if __name__ == "__main__":
    main()
