"""Samples of the rules that a recorded backward pass records as one node.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from graphlab.autograd.record import apply
from graphlab.ops import registry
from tests.core.samples.base import LOPSIDED, SIGNED, UNIT, ZEROS, Arg, M, S, Sample


def run(lib: ModuleType, name: str, *tensors: Any, **options: Any) -> Any:
    """Call the operation; PyTorch's users can reach it as well, below the public functions."""
    if lib.__name__ == "graphlab":
        return apply(registry[name], *tensors, **options)
    name = f"_{name}" if name == "prelu_kernel_backward" else name
    more = [False] if name in ("leaky_relu_backward", "rrelu_with_noise_backward") else []
    return getattr(lib.ops.aten, name)(*tensors, *options.values(), *more)


def sample(name: str, *args: Arg, note: str = "", **options: Any) -> Sample:
    return S(name, lambda lib, *tensors: run(lib, name, *tensors, **options), *args, note=note)


def rrelu(training: bool) -> Callable[..., Any]:
    """The rule of a random relu whose slope is drawn as 0.3 everywhere."""

    def call(lib: ModuleType, grad: Any, x: Any) -> Any:
        noise = (grad + x).detach() * 0 + 0.3
        options = {**SLOPES, "training": training}
        return run(lib, "rrelu_with_noise_backward", grad, x, noise, **options)

    return call


WIDE = Arg((2, 3), -2.0, 8.0)
SLOPES = {"lower": 0.1, "upper": 0.4}
WEIGHT = Arg((1,))

SAMPLES: list[Sample] = [
    sample("tanh_backward", M, UNIT),
    sample("sigmoid_backward", M, UNIT),
    sample("threshold_backward", M, LOPSIDED, threshold=0),
    sample("threshold_backward", M, LOPSIDED, threshold=0.4, note="above 0"),
    sample("leaky_relu_backward", M, LOPSIDED, negative_slope=0.2),
    sample("hardtanh_backward", M, LOPSIDED, min_val=-1.0, max_val=1.0),
    sample("hardtanh_backward", M, WIDE, min_val=0, max_val=6, note="relu6"),
    sample("hardshrink_backward", M, SIGNED, lambd=0.7),
    sample("softshrink_backward", M, SIGNED, lambd=0.7),
    S("rrelu_with_noise_backward", rrelu(False), M, LOPSIDED),
    S("rrelu_with_noise_backward", rrelu(True), M, LOPSIDED, note="drawn"),
    sample("prelu_kernel_backward", M, LOPSIDED, WEIGHT),
    sample("prelu_kernel_backward", M, LOPSIDED, UNIT, note="a weight for each entry"),
]

FOUR = Arg((4,))
KINKS: list[Sample] = [
    sample("threshold_backward", FOUR, ZEROS, threshold=0),
    sample("leaky_relu_backward", FOUR, ZEROS, negative_slope=0.2),
    sample("hardtanh_backward", FOUR, ZEROS, min_val=-1.0, max_val=1.0),
    sample("hardshrink_backward", FOUR, ZEROS, lambd=1.0),
    sample("softshrink_backward", FOUR, ZEROS, lambd=1.0),
    sample("prelu_kernel_backward", FOUR, ZEROS, WEIGHT),
]

ZERO = "the gradient is 0"
EQUIVALENT = {
    (name, "self", change): ZERO
    for name, op in registry.items()
    if op.again == name and "self" in op.rules
    for change in ("sign", "factor")
}
