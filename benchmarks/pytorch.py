"""What GraphLab's view of PyTorch's graphs costs, as ratios of PyTorch's own passes.

    python benchmarks/pytorch.py             thread time, the least of several rounds, in turns

It needs torch: `python3 dev.py test --with-torch --only lint` installs it.

Read next: docs/pytorch.md
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch import nn

import graphlab
from graphlab.adapters.pytorch.accessors import root_of
from graphlab.adapters.pytorch.arrays import quick_sample_of
from graphlab.adapters.pytorch.rehearsal import Facts
from graphlab.adapters.pytorch.rehearsed_pass import walk
from graphlab.adapters.pytorch.stand_ins import StandIns

ROUNDS = 7


class Attention(nn.Module):
    """A block of a GPT."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Any) -> Any:
        q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y)
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Bottleneck(nn.Module):
    """A block of a ResNet-50."""

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        after = 4 * width
        self.conv1, self.norm1 = nn.Conv2d(before, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.conv3, self.norm3 = nn.Conv2d(width, after, 1, bias=False), nn.BatchNorm2d(after)
        short = nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
        self.short = nn.Sequential(*short) if before != after or stride > 1 else nn.Identity()

    def forward(self, x: Any) -> Any:
        h = self.norm1(self.conv1(x)).relu()
        h = self.norm2(self.conv2(h)).relu()
        return (self.norm3(self.conv3(h)) + self.short(x)).relu()


def gpt() -> tuple[Any, Callable[[], Any]]:
    """Four blocks of width 64 over 4 x 32 tokens."""
    embed, head = nn.Embedding(65, 64), nn.Linear(64, 65)
    net = nn.Sequential(embed, *[Attention(64) for _ in range(4)], head)
    tokens = torch.randint(0, 65, (4, 32))
    return net, lambda: nn.functional.cross_entropy(net(tokens).flatten(0, 1), tokens.flatten())


def resnet() -> tuple[Any, Callable[[], Any]]:
    """ResNet-50's blocks on one image of 3 x 112 x 112."""
    layers: list[Any] = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    before = 64
    for count, width, stride in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
        for k in range(count):
            layers.append(Bottleneck(before, width, 1 if k else stride))
            before = 4 * width
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))
    image = torch.randn(1, 3, 112, 112)
    return net, lambda: nn.functional.cross_entropy(net(image), torch.tensor([3]))


def deep() -> tuple[Any, Callable[[], Any]]:
    """200 linear layers and tanh: about 1,000 nodes."""
    net = nn.Sequential(*[layer for _ in range(200) for layer in (nn.Linear(8, 8), nn.Tanh())])
    x = torch.randn(4, 8)
    return net, lambda: net(x).square().mean()


class Silent:
    """Watches a pass and notes nothing."""

    def seeded(self, roots: Any, grads: Any) -> None: ...
    def entered(self, node: Any, grads: Any) -> None: ...
    def sent(
        self, node: Any, index: int, rule: Any, share: Any, before: Any, after: Any
    ) -> None: ...
    def applied(self, node: Any, grads: Any) -> None: ...
    def arrived(self, node: Any, grad: Any) -> None: ...


class Quick(Facts):
    """Notes the norm of each large gradient, and of a small one all entries."""

    def _look(self, tensor: Any) -> Any:
        found = self._seen.get(id(tensor))
        if found is None:
            found = self._seen[id(tensor)] = tensor, quick_sample_of(tensor)
        return found[1]


def seconds(run: Callable[[], Any]) -> float:
    began = time.thread_time()
    run()
    return time.thread_time() - began


def measure(name: str, make: Callable[[], tuple[Any, Callable[[], Any]]]) -> None:
    """Print the ratios for one model."""
    torch.manual_seed(0)
    net, formula = make()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5)
    taken: dict[str, list[float]] = {}

    def passes() -> None:
        formula().backward()

    def step() -> None:
        optimizer.zero_grad()
        formula().backward()
        optimizer.step()

    def recorded(run: Callable[[], None]) -> None:
        with graphlab.record():
            run()

    step()

    def note(**runs: Callable[[], Any]) -> None:
        for what, run in runs.items():
            taken.setdefault(what, []).append(seconds(run))

    for _ in range(ROUNDS):
        note(step=step, recorded_step=partial(recorded, step))
        note(passes=passes, recorded_passes=partial(recorded, passes))
        loss = formula()
        roots = [root_of(loss)], [torch.ones_like(loss)]
        quick = Quick(StandIns(roots[0]))
        optimizer.zero_grad()
        note(bare=partial(walk, *roots, Silent()), quick=partial(walk, *roots, quick))
        note(trace=partial(graphlab.trace, loss))
        note(backward=loss.backward)
    least = {what: min(times) for what, times in taken.items()}
    timeline = graphlab.trace(formula())
    html = len(timeline._repr_mimebundle_(None, None)["text/html"]) / 1000
    print(
        f"{name:10} {len(timeline.graph.nodes):5} nodes {len(timeline):6} events   "
        f"rehearsal {least['bare'] / least['backward']:.2f} x backward, "
        f"{least['quick'] / least['backward']:.2f} x with norms   "
        f"trace {1000 * least['trace']:.0f} ms, {least['trace'] / least['backward']:.1f} x   "
        f"record {least['recorded_step'] / least['step']:.2f} x step, "
        f"{least['recorded_passes'] / least['passes']:.2f} x its passes   html {html:.0f} kB"
    )


def main() -> None:
    torch.set_num_threads(1)
    for name, make in (("GPT", gpt), ("ResNet-50", resnet), ("200 layers", deep)):
        measure(name, make)


if __name__ == "__main__":
    main()
