"""Longer lessons, as courses teach them, run alike with either library.

Read next: tests/nn/test_training.py
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import graphlab


def polynomials(torch):
    """A sine by a polynomial: a linear layer with RMSprop, then parameters of no dimension."""
    x = torch.linspace(-math.pi, math.pi, 200)
    y = torch.sin(x)
    powers = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
    model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
    criterion = torch.nn.MSELoss(reduction="sum")
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for _ in range(30):
        loss = criterion(model(powers), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    linear = model[0]
    yield loss.item()
    yield f"y = {linear.bias.item():.4f} + {linear.weight[:, 0].item():.4f} x"

    class Dynamic(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (torch.nn.Parameter(torch.randn(())) for _ in range(3))

        def forward(self, x):
            y = self.a + self.b * x
            for exponent in range(2, random.randint(3, 5)):
                y = y + self.c * x**exponent
            return y

    model = Dynamic()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-7, momentum=0.9)
    for _ in range(20):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    yield loss.item()
    yield repr(list(model.parameters()))


def digits_from_scratch(torch):
    """Weights by hand, then layers, a loader and a device: the same model, refactored."""
    images, labels = torch.rand(60, 64), torch.randint(0, 10, (60,))
    weights = torch.randn(64, 10) / math.sqrt(64)
    weights.requires_grad_()
    bias = torch.zeros(10, requires_grad=True)
    for i in range(3):
        xb, yb = images[i * 20 : (i + 1) * 20], labels[i * 20 : (i + 1) * 20]
        scores = xb @ weights + bias
        logs = scores - scores.exp().sum(-1).log().unsqueeze(-1)
        loss = -logs[range(yb.shape[0]), yb].mean()
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * 0.5
            bias -= bias.grad * 0.5
            weights.grad.zero_()
            bias.grad.zero_()
        yield loss.item()

    class Lambda(torch.nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, x):
            return self.function(x)

    model = torch.nn.Sequential(
        Lambda(lambda x: x.view(-1, 1, 8, 8)),
        torch.nn.Conv2d(1, 4, kernel_size=3, stride=2, padding=1),
        torch.nn.ReLU(),
        torch.nn.Conv2d(4, 10, kernel_size=3, stride=2, padding=1),
        torch.nn.ReLU(),
        torch.nn.AvgPool2d(2),
        Lambda(lambda x: x.view(x.size(0), -1)),
    )
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    data = torch.utils.data.TensorDataset(images, labels)
    train, held = torch.utils.data.random_split(data, [40, 20])
    loader = torch.utils.data.DataLoader(train, batch_size=8, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        model.train()
        for xb, yb in loader:
            loss = torch.nn.functional.cross_entropy(model(xb.to(device)), yb.to(device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            xb, yb = next(iter(torch.utils.data.DataLoader(held, batch_size=20)))
            yield torch.nn.functional.cross_entropy(model(xb), yb).item()
            yield (torch.argmax(model(xb), dim=1) == yb).float().mean().item()
    yield repr(model).replace("function", "")
    yield sum(p.numel() for p in model.parameters() if p.requires_grad)


def language_model(torch):
    """A transformer for letters, written out: tied weights, groups of decay, clipping, sampling."""
    nn, F = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self, width, heads, block):
            super().__init__()
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)
            self.out.narrow = True
            self.heads = heads
            mask = torch.tril(torch.ones(block, block)).view(1, 1, block, block)
            self.register_buffer("mask", mask)

        def forward(self, x):
            B, T, C = x.size()
            parts = self.qkv(x).split(C, dim=2)
            q, k, v = (p.view(B, T, self.heads, C // self.heads).transpose(1, 2) for p in parts)
            scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            scores = scores.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(scores, dim=-1) @ v
            return self.out(y.transpose(1, 2).contiguous().view(B, T, C))

    class Block(nn.Module):
        def __init__(self, width, heads, block):
            super().__init__()
            self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention = Attention(width, heads, block)
            wide, act = nn.Linear(width, 4 * width), nn.GELU(approximate="tanh")
            self.mlp = nn.ModuleDict(dict(wide=wide, act=act, back=nn.Linear(4 * width, width)))

        def forward(self, x):
            x = x + self.attention(self.ln1(x))
            m = self.mlp
            return x + m.back(m.act(m.wide(self.ln2(x))))

    class Model(nn.Module):
        def __init__(self, letters=17, width=16, heads=4, block=8, layers=2):
            super().__init__()
            self.block = block
            self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(block, width)
            self.blocks = nn.ModuleList([Block(width, heads, block) for _ in range(layers)])
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, letters, bias=False)
            self.letters.weight = self.head.weight
            self.apply(self.begin)

        def begin(self, module):
            if isinstance(module, nn.Linear | nn.Embedding):
                std = 0.01 if hasattr(module, "narrow") else 0.02
                torch.nn.init.normal_(module.weight, mean=0.0, std=std)
            if isinstance(module, nn.Linear) and module.bias is not None:
                torch.nn.init.zeros_(module.bias)

        def forward(self, index, targets=None):
            place = torch.arange(0, index.size(1), dtype=torch.long, device=index.device)
            x = self.letters(index) + self.places(place)
            for block in self.blocks:
                x = block(x)
            scores = self.head(self.norm(x))
            if targets is None:
                return scores, None
            flat = scores.view(-1, scores.size(-1))
            return scores, F.cross_entropy(flat, targets.view(-1), ignore_index=-1)

        @torch.no_grad()
        def generate(self, index, n, top):
            for _ in range(n):
                scores = self(index[:, -self.block :])[0][:, -1, :]
                least = torch.topk(scores, top)[0][:, [-1]]
                scores[scores < least] = -float("inf")
                chosen = torch.multinomial(F.softmax(scores, dim=-1), num_samples=1)
                index = torch.cat((index, chosen), dim=1)
            return index

    model = Model()
    yield repr(model)
    named = dict(model.named_parameters())
    groups = [
        {"params": [p for p in named.values() if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in named.values() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95), eps=1e-8)
    data = torch.randint(0, 17, (200,))
    for step in range(10):
        places = torch.randint(len(data) - 8, (4,))
        x = torch.stack([data[i : i + 8] for i in places])
        y = torch.stack([data[i + 1 : i + 9] for i in places])
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        yield torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item()
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * (1 - step / 20)
        optimizer.step()
        yield loss.item()
    model.eval()
    yield str(model.generate(torch.zeros((1, 1), dtype=torch.long), 10, top=5).tolist())
    yield str(Model().load_state_dict(model.state_dict()))


@pytest.mark.torch
@pytest.mark.parametrize(
    "lesson", [polynomials, digits_from_scratch, language_model], ids=lambda f: f.__name__
)
def test_a_lesson_gives_the_same_numbers_and_texts(lesson, torch):
    found = []
    for lib in (graphlab, torch):
        lib.manual_seed(1337)
        random.seed(0)
        found.append(list(lesson(lib)))
    for ours, theirs in zip(*found, strict=True):
        if isinstance(theirs, str):
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-4)  # float32, tens of steps
