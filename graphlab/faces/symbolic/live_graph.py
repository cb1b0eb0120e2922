"""A backward pass that leaves no trace: tensors that retain their gradient keep the one they had.

Read next: faces/symbolic/check.py
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from graphlab.autograd.backward import execute
from graphlab.tensor.tensor import Tensor


@contextmanager
def untouched(nodes: Iterable[Any]) -> Iterator[None]:
    """Put back what the engine writes to the tensors that the nodes retain gradients of."""
    kept = [
        (tensor, tensor._grad)
        for node in nodes
        if node._extra is not None
        for reference in node._extra.get("retained", {}).values()
        if (tensor := reference()) is not None
    ]
    try:
        yield
    finally:
        for tensor, grad in kept:
            tensor._grad = grad


def captured(
    roots: list[tuple[Any, Any]], wanted: Iterable[Any], nodes: Iterable[Any]
) -> dict[Any, Any]:
    """The gradient that the engine has at each key; None where none arrives. Nothing is written."""
    capture: dict[Any, Any] = {key: None for key in wanted}
    with untouched(nodes):
        execute(roots, _ignore, True, False, capture)
    return capture


def _ignore(leaf: Tensor, grad: Any) -> None:
    """No leaf is written."""
