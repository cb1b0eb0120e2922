"""One node class per operation: named as PyTorch names its grad_fn, with its rules bound to it.

`vjp(node, grad)` gives the gradient of each input: it fetches what a rule names from what the node
saved, and calls the rule. `vjp_of` makes it, once for an operation; the rules are the functions
that stand in ops/, so a breakpoint in a rule is hit.

Read next: autograd/record.py
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import UsersCode
from graphlab.autograd.held import check_result, raw, raw_attribute, saved_attribute, unpin
from graphlab.autograd.introspection import raw_names
from graphlab.autograd.node import Node, rebuild_output
from graphlab.autograd.tensor_reading import tensor_reading
from graphlab.common.errors import GraphFreedError
from graphlab.ops.base import Op, read, rule_arguments
from graphlab.ops.vocabulary import expand
from graphlab.tensor.tensor import Tensor

SMALL = 2048  # entries; so many are written as quickly as a view of one is made
Rule = Callable[..., Any]
node_classes: dict[type[Op], type[Node]] = {}


def node_class(op: type[Op]) -> type[Node]:
    """The class of the nodes that `op` leaves behind; made once, on the first use."""
    found = node_classes.get(op)
    if found is None:
        found = node_classes[op] = make_node_class(op)
    return found


def make_node_class(op: type[Op]) -> type[Node]:
    """A new class, with its rules and an attribute for each saved value."""
    fields = {
        "__slots__": (),
        "__module__": "builtins",  # PyTorch shows <MulBackward0 object at ...>
        "__doc__": op.__doc__,
        "op": op,
        "many": op.splits,
        "one_rule_each": not op.variadic,
        "vjp_tensors": _first_vjp_tensors,
        **{f"_saved_{name}": property(partial(saved_attribute, name=name)) for name in op.saved},
        **{
            f"_raw_saved_{name}": property(partial(raw_attribute, name=name))
            for name in raw_names(op)
        },
    }
    if "::" in op.node:  # PyTorch's own nodes have a name that is not the name of their class
        fields["name"] = lambda node: op.node
    made = type(op.node.rpartition("::")[2], (Node,), fields)
    bind_rules(made)
    return made


def bind_rules(cls: type[Node]) -> None:
    """Give a node class its `vjp`, from the rules of its operation as they are now."""
    rules = [with_small_expand(rule) for rule in cls.op.rules.values()]
    cls.vjp = vjp_of(cls.op, rules, from_saved)


def _first_vjp_tensors(node: Node, grad: Any) -> Any:
    """Bind the rules to the primitives for tensors when a pass is first recorded."""
    primitives, op = tensor_reading(), node.op
    rules = [read(rule, primitives) for rule in op.rules.values()]
    type(node).vjp_tensors = vjp_of(op, rules, tensor_from_saved)
    return node.vjp_tensors(grad)


def vjp_of(op: type[Op], rules: list[Rule], fetching: Callable[..., Any]) -> Callable[..., Any]:
    """The function (node, gradient) -> gradients of the inputs, None where an edge leads nowhere.

    fetching: `from_saved` for raw data, `tensor_from_saved` for rules that are read for tensors.
    """
    shares = [share_of(op, rule, fetching) for rule in rules]
    if op.variadic:  # one rule gives the gradients of all inputs
        return shares[0]
    if len(shares) == 1:
        (share,) = shares

        def vjp_of_one(node: Node, grad: Any) -> tuple[Any]:
            return (share(node, grad),)

        return vjp_of_one
    if len(shares) == 2:
        first, second = shares

        def vjp_of_two(node: Node, grad: Any) -> tuple[Any, Any]:
            a, b = node._next
            return (
                None if a is None else first(node, grad),
                None if b is None else second(node, grad),
            )

        return vjp_of_two

    def vjp_of_many(node: Node, grad: Any) -> tuple[Any, ...]:
        return tuple(
            [
                None if target is None else share(node, grad)
                for target, share in zip(node._next, shares, strict=True)
            ]
        )

    return vjp_of_many


def share_of(op: type[Op], rule: Rule, fetching: Callable[..., Any]) -> Callable[..., Any]:
    """The function (node, gradient) -> gradient of one input: the rule, with what it names."""
    names = rule_arguments(rule)
    if not names:
        return lambda node, grad: rule(grad)
    if len(names) == 1 and fetching is from_saved and names[0] not in op.held:
        return share_with_one(op, rule, names[0])
    fetchers = [fetching(op, name) for name in names]

    def share(node: Node, grad: Any) -> Any:
        return rule(grad, *[fetch(node) for fetch in fetchers])

    return share


def share_with_one(op: type[Op], rule: Rule, name: str) -> Callable[..., Any]:
    """The same for a rule that names one thing, as that of a product does, without a fetcher."""
    if name in op.inputs:
        place = op.inputs.index(name)

        def share_with_input(node: Node, grad: Any) -> Any:
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            item = saved[place]
            if type(item) is Tensor and item._more is None:
                return rule(grad, item._data)
            return rule(grad, raw(item))

        return share_with_input
    if name in op.outputs:
        place = len(op.inputs) + op.outputs.index(name)

        def share_with_output(node: Node, grad: Any) -> Any:
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            if node._version is not None:
                check_result(node)
            return rule(grad, saved[place])

        return share_with_output
    place = (*op.options, *op.derived).index(name)
    return lambda node, grad: rule(grad, node._options[place])


# -- what a rule names, from what the node saved -----------------------------------------------


def from_saved(op: type[Op], name: str) -> Callable[[Node], Any]:
    """The function that gives the value of a name as raw data.

    It raises GraphFreedError when the node was freed, ModifiedInPlaceError when a saved tensor was
    changed since.
    """
    if name in op.inputs:
        place = op.inputs.index(name)

        def saved_input(node: Node) -> Any:
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            item = saved[place]
            return item._data if type(item) is Tensor and item._more is None else raw(item)

        return saved_input
    if name in op.outputs:
        place = len(op.inputs) + op.outputs.index(name)

        def saved_output(node: Node) -> Any:
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            if node._version is not None:
                check_result(node)
            return saved[place]

        return saved_output
    return option_of(op, name)


def tensor_from_saved(op: type[Op], name: str) -> Callable[[Node], Any]:
    """The function that gives the value of a name as a tensor, with its history."""
    if name in op.inputs:
        place = op.inputs.index(name)

        def saved_input(node: Node) -> Any:
            if node._saved is None:
                raise GraphFreedError
            return unpin(node._saved[place])

        return saved_input
    if name in op.outputs:
        index = op.outputs.index(name)

        def saved_output(node: Node) -> Any:
            if node._saved is None:
                raise GraphFreedError
            if node._version is not None:
                check_result(node)
            return rebuild_output(node, index, node._saved[len(op.inputs) + index])

        return saved_output
    return option_of(op, name)


def option_of(op: type[Op], name: str) -> Callable[[Node], Any]:
    """The function that gives the value of an option, or of a name such as `self_sym_sizes`."""
    place = (*op.options, *op.derived).index(name)
    held = name in op.held  # it holds tensors, and is freed with them

    def option(node: Node) -> Any:
        if held and node._saved is None:
            raise GraphFreedError
        return node._options[place]

    return option


# -- a shortcut for small arrays ---------------------------------------------------------------


def with_small_expand(rule: Rule) -> Rule:
    """The rule, with an `expand` that writes small results out."""
    if "expand" not in rule.__code__.co_names:
        return rule
    return read(rule, {**rule.__globals__, "expand": small_expand})


def small_expand(x: Any, size: tuple[int, ...]) -> Any:
    """Like `expand`, but written out where it is small: computing with that is quicker."""
    if not size or x.size != 1 or UsersCode.defined or math.prod(size) > SMALL:
        return expand(x, size)
    written = np.empty(size, x.dtype)
    written.fill(x.item())
    return written
