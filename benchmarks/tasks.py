"""The tasks that are timed: each is a program, written once for each library.

A task is a dictionary from the name of a library to a function that makes the program and prepares,
untimed, what it needs. A library that cannot express a task is absent from it.

Read next: benchmarks/arrays.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

Program = Callable[[], Any]
OPS = 1000  # operations in the scalar chain, half of them products, half sums
W, B = 0.999, 0.001

# -- the chain: y = x; 500 times y = y * w + b; backward ---------------------------------------


def chain_of_tensors(lib: ModuleType) -> Program:
    """PyTorch's words; `lib` is graphlab or torch."""

    def program() -> float:
        x = lib.tensor(1.0, requires_grad=True)
        w = lib.tensor(W, requires_grad=True)
        b = lib.tensor(B, requires_grad=True)
        y = x
        for _ in range(OPS // 2):
            y = y * w + b
        y.backward()
        return w.grad.item()

    return program


def chain_of_values(engine: ModuleType) -> Program:
    """micrograd's words. Its walk is recursive, two calls to a node."""
    sys.setrecursionlimit(10 * OPS)

    def program() -> float:
        x, w, b = engine.Value(1.0), engine.Value(W), engine.Value(B)
        y = x
        for _ in range(OPS // 2):
            y = y * w + b
        y.backward()
        return w.grad

    return program


def chain_of_boxes(autograd: ModuleType) -> Program:
    """HIPS autograd's words."""

    def formula(p: Any) -> Any:
        x, w, b = p
        y = x
        for _ in range(OPS // 2):
            y = y * w + b
        return y

    gradient = autograd.grad(formula)
    return lambda: gradient((1.0, W, B))[1]


def chain_of_constants(mygrad: ModuleType) -> Program:
    """mygrad's words: every tensor takes part unless it is called a constant."""

    def program() -> float:
        x, w, b = (mygrad.tensor(value) for value in (1.0, W, B))
        y = x
        for _ in range(OPS // 2):
            y = y * w + b
        y.backward()
        return w.grad.item()

    return program


def chain_by_hand(_: ModuleType) -> Program:
    """NumPy scalars, and the backward loop that one would write for exactly this chain."""

    def program() -> float:
        x, w, b = np.float32(1.0), np.float32(W), np.float32(B)
        y, saved = x, []
        for _ in range(OPS // 2):
            saved.append(y)
            y = y * w + b
        grad, grad_w, grad_b = np.float32(1.0), np.float32(0.0), np.float32(0.0)
        for before in reversed(saved):
            grad_b = grad_b + grad
            grad_w = grad_w + grad * before
            grad = grad * w
        return float(grad_w)

    return program


# -- the lesson's graph: e = a*b + c*log(d), one entry each, made and walked -------------------


def lesson_of_tensors(lib: ModuleType) -> Program:
    tensor, log = lib.tensor, lib.log

    def program() -> float:
        a = tensor([2.0], requires_grad=True)
        b = tensor([3.0], requires_grad=True)
        c = tensor([5.0], requires_grad=True)
        d = tensor([10.0], requires_grad=True)
        u = a * b
        t = log(d)
        v = t * c
        e = u + v
        e.backward()
        return d.grad.item()

    return program


def lesson_of_boxes(autograd: ModuleType) -> Program:
    log = autograd.numpy.log
    gradient = autograd.grad(lambda p: (p[0] * p[1] + log(p[3]) * p[2])[0])

    def program() -> float:
        one = np.array([2.0]), np.array([3.0]), np.array([5.0]), np.array([10.0])
        return gradient(one)[3].item()

    return program


def lesson_of_constants(mygrad: ModuleType) -> Program:
    tensor, log = mygrad.tensor, mygrad.log

    def program() -> float:
        a, b, c, d = tensor([2.0]), tensor([3.0]), tensor([5.0]), tensor([10.0])
        e = a * b + log(d) * c
        e.backward()
        return d.grad.item()

    return program


def lesson_by_hand(_: ModuleType) -> Program:
    def program() -> float:
        a = np.array([2.0], np.float32)
        b = np.array([3.0], np.float32)
        c = np.array([5.0], np.float32)
        d = np.array([10.0], np.float32)
        u = a * b
        t = np.log(d)
        v = t * c
        e = u + v
        grad_e = np.ones_like(e)
        grads = grad_e * b, grad_e * a, grad_e * t, grad_e * c / d
        return grads[3].item()

    return program


# -- one step of a 784-128-10 network, batch 64, float32 ---------------------------------------

LAYERS, BATCH, RATE = (784, 128, 10), 64, 0.01


def network(seed: int = 0) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Weights and biases, a batch of inputs, and its classes."""
    rng = np.random.default_rng(seed)
    n, h, c = LAYERS
    shapes = [(h, n), (h,), (c, h), (c,)]
    weights = [(rng.standard_normal(s) / np.sqrt(n)).astype(np.float32) for s in shapes]
    batch = rng.standard_normal((BATCH, n)).astype(np.float32)
    return weights, batch, rng.integers(0, c, BATCH)


def network_of_tensors(lib: ModuleType) -> Program:
    F = lib.nn.functional
    weights, batch, classes = network()
    w1, b1, w2, b2 = params = [lib.tensor(w, requires_grad=True) for w in weights]
    x, y = lib.tensor(batch), lib.tensor(classes)

    def program() -> float:
        hidden = F.relu(F.linear(x, w1, b1))
        loss = F.cross_entropy(F.linear(hidden, w2, b2), y)
        loss.backward()
        with lib.no_grad():
            for p in params:
                p -= RATE * p.grad
                p.grad = None
        return loss.item()

    return program


def network_of_boxes(autograd: ModuleType) -> Program:
    np_ = autograd.numpy
    weights, batch, classes = network()
    chosen = np.eye(LAYERS[-1], dtype=np.float32)[classes]

    def loss(p: Any) -> Any:
        w1, b1, w2, b2 = p
        hidden = np_.maximum(batch @ w1.T + b1, 0)
        scores = hidden @ w2.T + b2
        top = np_.max(scores, axis=1, keepdims=True)
        logs = scores - top - np_.log(np_.sum(np_.exp(scores - top), axis=1, keepdims=True))
        return -np_.sum(logs * chosen) / BATCH

    step = autograd.value_and_grad(loss)

    def program() -> float:
        value, grads = step(weights)
        for p, g in zip(weights, grads, strict=True):
            p -= np.float32(RATE) * g.astype(np.float32)
        return float(value)

    return program


def network_by_hand(_: ModuleType) -> Program:
    """The step without a graph: its derivatives worked out on paper."""
    weights, x, y = network()
    w1, b1, w2, b2 = weights
    rows = np.arange(BATCH)

    def program() -> float:
        hidden = np.maximum(x @ w1.T + b1, 0)
        scores = hidden @ w2.T + b2
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        loss = -logs[rows, y].mean()
        grad = np.exp(logs)
        grad[rows, y] -= 1
        grad /= BATCH
        grad_hidden = grad @ w2 * (hidden > 0)
        grads = grad_hidden.T @ x, grad_hidden.sum(0), grad.T @ hidden, grad.sum(0)
        for p, g in zip(weights, grads, strict=True):
            p -= RATE * g
        return float(loss)

    return program


def products_of_step(_: ModuleType) -> Program:
    """The five matrix products of a step, which no implementation can avoid, and nothing else."""
    weights, x, _ = network()
    w1, _, w2, _ = weights
    hidden = np.maximum(x @ w1.T, 0)
    grad = hidden @ w2.T
    grad_hidden = grad @ w2

    def program() -> Any:
        x @ w1.T
        hidden @ w2.T
        grad @ w2
        grad.T @ hidden
        return grad_hidden.T @ x

    return program


FLOORS: dict[str, dict[str, Callable[[ModuleType], Program]]] = {  # what no graph can go below
    "784-128-10 network, one step, batch 64": {
        "its five matrix products alone, by NumPy": products_of_step,
        "the step by hand": network_by_hand,
    },
}

TASKS: dict[str, dict[str, Callable[[ModuleType], Program]]] = {
    f"chain of {OPS:,} scalar operations": {
        "graphlab": chain_of_tensors,
        "torch": chain_of_tensors,
        "autograd": chain_of_boxes,
        "mygrad": chain_of_constants,
        "micrograd": chain_of_values,
        "numpy": chain_by_hand,
    },
    "the lesson's graph, tensors made anew": {
        "graphlab": lesson_of_tensors,
        "torch": lesson_of_tensors,
        "autograd": lesson_of_boxes,
        "mygrad": lesson_of_constants,
        "numpy": lesson_by_hand,
    },
    "784-128-10 network, one step, batch 64": {
        "graphlab": network_of_tensors,
        "torch": network_of_tensors,
        "autograd": network_of_boxes,
        "numpy": network_by_hand,
    },
}
