"""What PyTorch's engine does in a backward pass, to compare a rehearsal with.

Read next: tests/pytorch_graphs/test_rehearsal.py
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphlab.adapters.pytorch.accessors import is_accumulator, root_of
from graphlab.adapters.pytorch.rehearsed_pass import engine_order, walk


@dataclass
class Pass:
    """The nodes in the order in which they ran, and the gradient that reached each leaf."""

    order: list[Any] = field(default_factory=list)
    leaves: dict[Any, Any] = field(default_factory=dict)

    # what a rehearsal tells
    def seeded(self, roots: Any, grads: Any) -> None: ...
    def sent(
        self, node: Any, index: int, rule: Any, share: Any, before: Any, after: Any
    ) -> None: ...
    def applied(self, node: Any, grads: Any) -> None: ...

    def entered(self, node: Any, grads: Any) -> None:
        self.order.append(node)

    def arrived(self, node: Any, grad: Any) -> None:
        self.order.append(node)
        self.leaves[node] = grad.clone()


def rehearsed(torch: Any, root: Any, gradient: Any) -> Pass:
    """A rehearsal of a pass."""
    told = Pass()
    walk([root_of(root)], [torch.ones_like(root) if gradient is None else gradient], told)
    return told


def real(root: Any, gradient: Any) -> Pass:
    """The pass itself, which writes `.grad`."""
    told = Pass()
    nodes = engine_order([root_of(root)])
    handles = [
        node.register_prehook(lambda _, node=node: told.order.append(node)) for node in nodes
    ]
    leaves = [node for node in nodes if is_accumulator(node)]
    before = {node: node.variable.grad for node in leaves}
    for node in leaves:
        node.variable.grad = None
    root.backward(gradient, retain_graph=True)
    for handle in handles:
        handle.remove()
    for node in leaves:
        if node.variable.grad is not None:
            told.leaves[node] = node.variable.grad
        node.variable.grad = before[node]
    # an AccumulateGrad that is sent None runs and does nothing
    told.order = [n for n in told.order if n in told.leaves or not is_accumulator(n)]
    return told


def bitwise(torch: Any, one: Any, other: Any) -> bool:
    """Whether two tensors are equal to the last bit; NaN equals NaN."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.layout is not torch.strided:
        return bitwise(torch, one.to_dense(), other.to_dense())
    if one.is_complex():
        return bitwise(torch, torch.view_as_real(one), torch.view_as_real(other))
    return torch.equal(torch.nan_to_num(one), torch.nan_to_num(other)) and torch.equal(
        torch.isnan(one), torch.isnan(other)
    )
