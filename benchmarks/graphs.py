"""The graphs that pictures are measured on, made with GraphLab or with PyTorch: `lib` is either.

Read next: benchmarks/layout.py
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Made = tuple[Any, dict[str, Any]]  # the result, and the variables that name tensors


def leaf(lib: Any, value: float) -> Any:
    return lib.tensor(value, requires_grad=True)


def product_and_sum(lib: Any) -> Made:
    a, b, c, d = (leaf(lib, value) for value in (2.0, 3.0, 5.0, 10.0))
    u = a * b
    t = lib.log(d)
    v = t * c
    e = u + v
    return e, locals()


def used_twice(lib: Any) -> Made:
    a = leaf(lib, 3.0)
    u = a * a
    y = u + a
    return y, locals()


def diamond(lib: Any) -> Made:
    """A naive depth-first walk finds 6 here in place of 4."""
    a = leaf(lib, 1.0)
    b = 2 * a
    p, q = b + 1, b + 2
    y = p + q
    return y, locals()


def regression(lib: Any) -> Made:
    x, y = lib.randn(20, 3), lib.randn(20)
    w, b = lib.randn(3, requires_grad=True), leaf(lib, 0.0)
    prediction = x @ w + b
    error = prediction - y
    loss = (error * error).mean() + 0.1 * (w * w).sum()
    return loss, locals()


def softplus(lib: Any) -> Made:
    x = leaf(lib, 0.5)
    low, high = lib.exp(-x), lib.exp(x)
    y = lib.log(1 + high) * (high - low) / (high + low)
    return y, locals()


def mlp(lib: Any) -> Made:
    nn = lib.nn
    model = nn.Sequential(
        nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)
    )
    x, target = lib.randn(32, 4), lib.randint(0, 3, (32,))
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, target)
    return loss, locals()


def convolution(lib: Any) -> Made:
    nn = lib.nn
    conv1, conv2, fc = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3), nn.Linear(32, 10)
    x, target = lib.randn(2, 1, 8, 8), lib.randint(0, 10, (2,))
    h = nn.functional.max_pool2d(lib.relu(conv1(x)), 2)
    logits = fc(lib.relu(conv2(h)).flatten(1))
    loss = nn.functional.cross_entropy(logits, target)
    return loss, locals()


def attention(lib: Any) -> Made:
    """A block of a transformer, one head: attention and a network, each beside a way past it."""
    x = lib.randn(5, 8)
    names = ("Wq", "Wk", "Wv", "Wo", "W1", "W2")
    weights = {name: lib.randn(8, 8, requires_grad=True) for name in names}
    Wq, Wk, Wv, Wo, W1, W2 = weights.values()
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    p = lib.softmax(q @ k.T / 8**0.5, -1)
    h = p @ v @ Wo + x
    out = lib.relu(h @ W1) @ W2 + h
    loss = (out * out).mean()
    return loss, {name: value for name, value in locals().items() if name != "weights"}


def recurrence(lib: Any, steps: int = 8) -> Made:
    w, u, b = (
        lib.randn(4, 4, requires_grad=True),
        lib.randn(4, 4, requires_grad=True),
        leaf(lib, 0.1),
    )
    xs = lib.randn(steps, 4)
    h = lib.zeros(4)
    for x in xs:
        h = lib.tanh(h @ w + x @ u + b)
    loss = h.sum()
    return loss, {"w": w, "u": u, "b": b, "loss": loss}


def lstm(lib: Any, steps: int = 3) -> Made:
    cell = lib.nn.LSTMCell(3, 4)
    x, h, c = lib.randn(steps, 2, 3), lib.zeros(2, 4), lib.zeros(2, 4)
    for t in range(steps):
        h, c = cell(x[t], (h, c))
    loss = h.sum()
    return loss, locals()


def residual(lib: Any, blocks: int = 24) -> Made:
    x = leaf(lib, 0.5)
    h = x
    for _ in range(blocks):
        h = h + lib.sin(h)
    return h, {"x": x, "h": h}


def tangle(lib: Any, nodes: int, seed: int) -> Made:
    """`nodes` operations, each on one or two of the last twelve results, and a sum of the rest."""
    choose = random.Random(seed)
    pool = [leaf(lib, choose.uniform(0.5, 1.5)) for _ in range(1 + nodes // 4)]
    leaves, used = list(pool), set()
    for _ in range(nodes - 2):
        near = pool[-12:]
        one, other = choose.choice(near), choose.choice(near)
        op = choose.choice(("mul", "add", "sin"))
        made = lib.sin(one) if op == "sin" else getattr(one, op)(other)
        used.update(id(each) for each in (one, other))
        pool.append(made)
    loose = [each for each in pool if id(each) not in used]
    root = lib.stack(loose).sum()
    return root, {"leaves": leaves, "root": root}


LESSONS: dict[str, Callable[[Any], Made]] = {
    make.__name__: make
    for make in (
        product_and_sum,
        used_twice,
        diamond,
        regression,
        softplus,
        mlp,
        convolution,
        attention,
        recurrence,
        lstm,
        residual,
    )
}
TANGLES: dict[str, Callable[[Any], Made]] = {
    f"tangle of {nodes}, seed {seed}": lambda lib, nodes=nodes, seed=seed: tangle(lib, nodes, seed)
    for nodes in (10, 20, 40, 80, 150)
    for seed in range(4)
}
