"""One node class per operation: named as PyTorch names its grad_fn, with its rules written out.

The functions that call the rules are written on the first backward pass through such a node, for
arrays, and for tensors when a pass is recorded.

Read next: autograd/record.py
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import UsersCode
from graphlab.autograd.held import check_result, raw, raw_attribute, saved_attribute, unpin
from graphlab.autograd.introspection import raw_names
from graphlab.autograd.node import LEAF, NODE, Node, rebuild_output
from graphlab.common.errors import GraphFreedError
from graphlab.ops.base import Op, read
from graphlab.ops.vocabulary import expand
from graphlab.tensor.tensor import Tensor

SMALL = 2048  # so many entries are written as quickly as a view of one is made
tensor_words: dict[str, Any] = {}  # the rules' words for tensors, once `words_for_tensors` ran
word_loaders: list[Callable[[], Any]] = []  # functional/ says here how its words are loaded


def words_for_tensors() -> dict[str, Any]:
    """The words in which rules run on tensors: loaded when a backward pass is first recorded."""
    while word_loaders:
        word_loaders.pop()()
    return tensor_words


def defined(source: str, rules: Iterable[Callable[..., Any]], op: type[Op]) -> Any:
    """The function that a source text of our own defines, beside the rules that it calls."""
    names = {**step_names, **{f"rule_{i}": rule for i, rule in enumerate(rules)}}
    exec(compile(source, f"<backward of {op.name}>", "exec"), names, found := {})
    return found.popitem()[1]


step_names: dict[str, Any] = {  # autograd/engine.py adds its own
    "GraphFreedError": GraphFreedError,
    "LEAF": LEAF,
    "NODE": NODE,
    "Tensor": Tensor,
    "check_result": check_result,
    "raw": raw,
    "rebuild_output": rebuild_output,
    "unpin": unpin,
}


def write_out(cls: type[Node]) -> None:
    """Write the functions that call the rules of a node class, from the rules as they are now."""
    from graphlab.autograd.steps import step_source, vjp_source

    op = cls.op
    cls.vjp = defined(vjp_source(op, tensors=False), op.rules.values(), op)
    cls.step = defined(step_source(op), map(with_spread, op.rules.values()), op)


def with_spread(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, with another `expand` for steps, whose gradients nobody looks at."""
    if "expand" not in rule.__code__.co_names:
        return rule
    return read(rule, {**rule.__globals__, "expand": spread})


def spread(x: Any, size: tuple[int, ...]) -> Any:
    """What `expand` gives, written out where it is small: computing with that is quicker."""
    if not size or x.size != 1 or UsersCode.defined or math.prod(size) > SMALL:
        return expand(x, size)
    written = np.empty(size, x.dtype)
    written.fill(x.item())
    return written


def _first_vjp(node: Node, grad: Any) -> Any:
    write_out(type(node))
    return node.vjp(grad)


def _first_step(node: Node, grad: Any, *where: Any) -> Any:
    write_out(type(node))
    return node.step(grad, *where)


def _first_vjp_tensors(node: Node, grad: Any) -> Any:
    from graphlab.autograd.steps import vjp_source

    words, op = words_for_tensors(), node.op
    rules = [read(rule, words) for rule in op.rules.values()]
    type(node).vjp_tensors = defined(vjp_source(op, tensors=True), rules, op)
    return node.vjp_tensors(grad)


def node_class(op: type[Op]) -> type[Node]:
    """The class of the nodes that `op` leaves behind, named as PyTorch names its grad_fn."""

    fields = {
        "__slots__": (),
        "__module__": "builtins",  # PyTorch shows <MulBackward0 object at ...>
        "__doc__": op.__doc__,
        "op": op,
        "many": op.splits,
        "vjp": _first_vjp,
        "vjp_tensors": _first_vjp_tensors,
        "step": _first_step,
        **{f"_saved_{name}": property(partial(saved_attribute, name=name)) for name in op.saved},
        **{
            f"_raw_saved_{name}": property(partial(raw_attribute, name=name))
            for name in raw_names(op)
        },
    }
    if "::" in op.node:  # PyTorch's own nodes have a name that is not the name of their class
        fields["name"] = lambda node: op.node
    return type(op.node.rpartition("::")[2], (Node,), fields)
