"""Neural networks: modules, and in `nn.functional` their functions, under PyTorch's names.

A file is loaded when one of its names is first used; HOMES says where each one lives.

Read next: nn/module.py
"""

from importlib import import_module
from typing import Any

from graphlab.contents import homes

HOMES = homes(
    {
        "nn.activation": (
            "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid "
            "LogSoftmax Mish PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin "
            "Softplus Softshrink Softsign Tanh Tanhshrink Threshold"
        ),
        "nn.containers": "ModuleDict ModuleList Sequential",
        "nn.linear": "Bilinear Flatten Identity Linear Unflatten",
        "nn.module": "Module",
        "nn.parameter": "Buffer Parameter",
        "nn.parameter_containers": "ParameterDict ParameterList",
    }
)
MODULES = ("functional", "init", "utils")

__all__ = [*HOMES, *MODULES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"graphlab.nn.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'graphlab.nn' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"graphlab.{HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
