"""The timed tasks on arrays: a small network, elementwise work, a product, a convolution.

Each task is written once in each library's own words, as in tasks.py. By hand means: the same
NumPy calls in the same order, and no graph.

Read next: benchmarks/chains.py
"""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import numpy as np
from tasks import Program

# -- micrograd's demo: two moons, a 2-16-16-1 network, hinge loss, one step of descent ------------

MOONS, WIDTHS, DECAY = 100, (2, 16, 16, 1), 1e-4


def moons(seed: int = 0) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Weights and biases, points in two half circles, and on which each lies: -1 or 1."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, np.pi, MOONS // 2)
    upper = np.stack([np.cos(angle), np.sin(angle)], 1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], 1)
    points = np.concatenate([upper, lower]) + 0.1 * rng.standard_normal((MOONS, 2))
    sides = np.repeat([-1.0, 1.0], MOONS // 2)
    params: list[np.ndarray] = []
    for n, m in itertools.pairwise(WIDTHS):
        params += [rng.uniform(-1, 1, (n, m)).astype(np.float32), np.zeros(m, np.float32)]
    return params, points.astype(np.float32), sides.astype(np.float32)[:, None]


def moons_of_tensors(lib: ModuleType) -> Program:
    weights, points, sides = moons()
    w1, b1, w2, b2, w3, b3 = params = [lib.tensor(w, requires_grad=True) for w in weights]
    x, y = lib.tensor(points), lib.tensor(sides)

    def program() -> float:
        hidden = (x @ w1 + b1).relu()
        hidden = (hidden @ w2 + b2).relu()
        scores = hidden @ w3 + b3
        loss = (1 - y * scores).relu().mean()
        for p in params:
            loss = loss + DECAY * (p * p).sum()
        loss.backward()
        with lib.no_grad():
            for p in params:
                p -= 0.01 * p.grad
                p.grad = None
        return loss.item()

    return program


def moons_of_boxes(autograd: ModuleType) -> Program:
    np_ = autograd.numpy
    params, x, y = moons()

    def loss(p: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = p
        hidden = np_.maximum(x @ w1 + b1, 0)
        hidden = np_.maximum(hidden @ w2 + b2, 0)
        total = np_.mean(np_.maximum(1 - y * (hidden @ w3 + b3), 0))
        for q in p:
            total = total + DECAY * np_.sum(q * q)
        return total

    step = autograd.value_and_grad(loss)

    def program() -> float:
        value, grads = step(params)
        for p, g in zip(params, grads, strict=True):
            p -= np.float32(0.01) * g.astype(np.float32)
        return float(value)

    return program


def moons_by_hand(_: ModuleType) -> Program:
    params, x, y = moons()
    w1, b1, w2, b2, w3, b3 = params

    def program() -> float:
        first = np.maximum(x @ w1 + b1, 0)
        second = np.maximum(first @ w2 + b2, 0)
        margin = 1 - y * (second @ w3 + b3)
        loss = np.maximum(margin, 0).mean()
        for p in params:
            loss = loss + DECAY * (p * p).sum()
        grad = (margin > 0) * (-y / MOONS)
        grad_second = (grad @ w3.T) * (second > 0)
        grad_first = (grad_second @ w2.T) * (first > 0)
        grads = (
            x.T @ grad_first, grad_first.sum(0), first.T @ grad_second, grad_second.sum(0),
            second.T @ grad, grad.sum(0),
        )  # fmt: skip
        for p, g in zip(params, grads, strict=True):
            p -= 0.01 * (g + (2 * DECAY) * p)
        return float(loss)

    return program


# -- a million entries ---------------------------------------------------------------------------

SIDE = 1000


def square(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((SIDE, SIDE)).astype(np.float32)


def entries_of_tensors(lib: ModuleType) -> Program:
    x, w, b = lib.tensor(square(0)), *(lib.tensor(square(i), requires_grad=True) for i in (1, 2))

    def program() -> float:
        y = (x * w + b).tanh()
        (y * y).sum().backward()
        found = w.grad[0, 0].item()
        w.grad = b.grad = None
        return found

    return program


def entries_by_hand(_: ModuleType) -> Program:
    x, w, b = (square(i) for i in range(3))

    def program() -> float:
        y = np.tanh(x * w + b)
        (y * y).sum()
        one = np.broadcast_to(np.float32(1), y.shape)
        grad_y = one * y + one * y
        grad_sum = grad_y * (1 - y * y)
        grads = grad_sum * x, grad_sum.copy()
        return grads[0][0, 0].item()

    return program


def product_of_tensors(lib: ModuleType) -> Program:
    x, w = (lib.tensor(square(i), requires_grad=True) for i in (0, 1))

    def program() -> float:
        (x @ w).sum().backward()
        found = w.grad[0, 0].item()
        x.grad = w.grad = None
        return found

    return program


def product_by_hand(_: ModuleType) -> Program:
    x, w = square(0), square(1)

    def program() -> float:
        y = x @ w
        y.sum()
        one = np.broadcast_to(np.float32(1), y.shape)
        grads = one @ w.T, x.T @ one
        return grads[1][0, 0].item()

    return program


# -- a convolution: 3x3, from 16 to 32 channels, 8 pictures of 28x28 ------------------------------

PICTURES, CHANNELS, FILTERS, PIXELS = 8, 16, 32, 28


def convolution_of_tensors(lib: ModuleType) -> Program:
    rng = np.random.default_rng(0)
    shapes = (PICTURES, CHANNELS, PIXELS, PIXELS), (FILTERS, CHANNELS, 3, 3), (FILTERS,)
    x, w, b = (
        lib.tensor(rng.standard_normal(shape).astype(np.float32), requires_grad=True)
        for shape in shapes
    )
    conv2d = lib.nn.functional.conv2d

    def program() -> float:
        conv2d(x, w, b, padding=1).sum().backward()
        found = w.grad[0, 0, 0, 0].item()
        x.grad = w.grad = b.grad = None
        return found

    return program


TASKS = {
    "two moons, 2-16-16-1 network, one step": {
        "graphlab": moons_of_tensors,
        "torch": moons_of_tensors,
        "autograd": moons_of_boxes,
        "numpy": moons_by_hand,
    },
    "entry by entry, 1000 x 1000": {
        "graphlab": entries_of_tensors,
        "torch": entries_of_tensors,
        "numpy": entries_by_hand,
    },
    "matrix product, 1000 x 1000": {
        "graphlab": product_of_tensors,
        "torch": product_of_tensors,
        "numpy": product_by_hand,
    },
    "convolution 3 x 3, 16 to 32 channels": {
        "graphlab": convolution_of_tensors,
        "torch": convolution_of_tensors,
    },
}
