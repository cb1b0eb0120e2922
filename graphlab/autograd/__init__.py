"""The backward pass: recording, the engine, and operations of your own.

Read next: autograd/node.py
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from graphlab.autograd.backward import backward, grad
from graphlab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from graphlab.autograd.gradcheck import gradcheck, gradgradcheck

if TYPE_CHECKING:
    from graphlab.autograd.function import Function

__all__ = [
    "Function", "backward", "enable_grad", "grad", "gradcheck", "gradgradcheck",
    "is_grad_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip

MODULES = ("forward_ad", "function", "functional", "grad_mode", "graph")
LATER = {
    "Function": "autograd.function",
    "SavedTensor": "autograd.saved_tensor_hooks",
    "Variable": "tensor.legacy",
    "variable": "tensor.legacy",
    "detect_anomaly": "autograd.anomaly_mode",
    "inference_mode": "autograd.grad_mode",
    "set_detect_anomaly": "autograd.anomaly_mode",
}  # loaded when they are first used


def __getattr__(name: str) -> Any:
    if name in LATER:
        return getattr(import_module(f"graphlab.{LATER[name]}"), name)
    if name in MODULES:
        return import_module(f"graphlab.autograd.{name}")
    raise AttributeError(f"module 'graphlab.autograd' has no attribute {name!r}")
