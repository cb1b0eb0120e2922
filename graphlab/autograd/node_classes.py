"""One node class for each operation, named as PyTorch names its grad_fn, with its rules.

`node.vjp(grad)`, the vector-Jacobian product, returns the gradient of each input: it takes what a
rule names from what the node saved, and calls the rule. `vjp_of` makes this function, once for each
operation. The rules are the functions in ops/ themselves, so a breakpoint in a rule is hit.

Read next: autograd/record.py
"""

import math
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import UsersCode
from graphlab.autograd.half_precision import HALF, narrowed, widened
from graphlab.autograd.introspection import raw_names
from graphlab.autograd.node import Node, rebuild_output
from graphlab.autograd.saved import check_result, raw, raw_attribute, saved_attribute, unpin
from graphlab.autograd.tensor_reading import tensor_reading
from graphlab.common.errors import GraphFreedError
from graphlab.ops.base import Op, rule_arguments
from graphlab.primitives import rebind
from graphlab.primitives.numpy_reading.shapes import expand
from graphlab.tensor.tensor import Tensor

SMALL = 2048  # entries; up to so many, writing them is as quick as making a view
Rule = Callable[..., Any]
node_classes: dict[type[Op], type[Node]] = {}


def node_class(op: type[Op]) -> type[Node]:
    """Return the class of the nodes of `op`, made on first use."""
    found = node_classes.get(op)
    if found is None:
        found = node_classes[op] = make_node_class(op)
    return found


def make_node_class(op: type[Op]) -> type[Node]:
    """Return the new class of an operation's nodes, with an attribute for each saved value."""
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
    cls.vjp = vjp_of(cls.op, rules)
    if cls.op.wide:
        cls.vjp = in_float32(cls.vjp, vjp_of_any(cls.op, rules, as_wide_arrays))


def in_float32(vjp: Callable[..., Any], wide: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function (node, gradient) -> gradients that is `wide` for float16, else `vjp`."""

    def call(node: Node, grad: Any) -> Any:
        if grad.dtype != HALF:
            return vjp(node, grad)
        return narrowed(wide(node, *widened((grad,))))

    return call


def _first_vjp_tensors(node: Node, grad: Any) -> Any:
    """Bind the rules to the primitives for tensors when a pass is first recorded."""
    primitives, op = tensor_reading(), node.op
    rules = [rebind(rule, primitives) for rule in op.rules.values()]
    type(node).vjp_tensors = vjp_of_any(op, rules, as_tensors)
    return node.vjp_tensors(grad)


def vjp_of(op: type[Op], rules: list[Rule]) -> Callable[..., Any]:
    """Return the function (node, gradient) -> gradients of the inputs, None without an edge.

    Most rules of elementwise operations name at most one value. For up to two such rules the
    function is written out here; `vjp_of_any` makes it for all others.
    """
    if len(rules) > 2 or op.variadic or any(len(rule_arguments(rule)) > 1 for rule in rules):
        return vjp_of_any(op, rules, as_arrays)
    if len(rules) == 1:
        only = rule_of(op, rules[0])

        def vjp_of_one(node: Node, grad: Any) -> tuple[Any]:
            return (only(node, grad),)

        return vjp_of_one
    if len(rules) == 2:
        first, second = rule_of(op, rules[0]), rule_of(op, rules[1])

        def vjp_of_two(node: Node, grad: Any) -> tuple[Any, Any]:
            a, b = node._next
            return (
                None if a is None else first(node, grad),
                None if b is None else second(node, grad),
            )

        return vjp_of_two
    return lambda node, grad: ()


def rule_of(op: type[Op], rule: Rule) -> Callable[..., Any]:
    """Return (node, gradient) -> gradient of one input, for a rule that names at most one value."""
    names = rule_arguments(rule)
    if not names:
        return lambda node, grad: rule(grad)
    (name,) = names
    place = (*op.inputs, *op.outputs, *op.options, *op.derived).index(name)
    if name in op.inputs:

        def rule_with_input(node: Node, grad: Any) -> Any:
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            item = saved[place]
            if type(item) is Tensor and item._more is None:
                return rule(grad, item._data)
            return rule(grad, raw(item))

        return rule_with_input
    if name in op.outputs:

        def rule_with_output(node: Node, grad: Any) -> Any:
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            if node._version is not None:
                check_result(node)
            return rule(grad, saved[place])

        return rule_with_output
    place -= len(op.inputs) + len(op.outputs)
    freed = name in op.freed_options  # it holds tensors, and is freed with them

    def rule_with_option(node: Node, grad: Any) -> Any:
        if freed and node._saved is None:
            raise GraphFreedError
        return rule(grad, node._options[place])

    return rule_with_option


def vjp_of_any(op: type[Op], rules: list[Rule], values_of: Callable[..., Any]) -> Callable:
    """Return the function (node, gradient) -> gradients of the inputs, for any rules.

    values_of: gets the saved values that the rules take: `as_arrays`, or `as_tensors` for rules
    that are bound to the primitives for tensors.
    """
    picks = [picker(op, rule) for rule in rules]
    names = {name for rule in rules for name in rule_arguments(rule)}
    reads_saved = bool(names & {*op.inputs, *op.outputs, *op.freed_options})
    if op.variadic:
        (rule,), (pick,) = rules, picks

        def vjp_of_variadic(node: Node, grad: Any) -> Any:
            return rule(grad, *pick(values_of(node, reads_saved)))

        return vjp_of_variadic

    pairs = tuple(zip(rules, picks, strict=True))

    def vjp(node: Node, grad: Any) -> list[Any]:
        values, shares = values_of(node, reads_saved), []
        for target, (rule, pick) in zip(node._next, pairs):  # noqa: B905  (quicker)
            shares.append(None if target is None else rule(grad, *pick(values)))
        return shares

    return vjp


def picker(op: type[Op], rule: Rule) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that picks, from all values of a node, those that a rule names."""
    layout = (*op.inputs, *op.outputs, *op.options, *op.derived)
    places = [layout.index(name) for name in rule_arguments(rule)]
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: tuple([values[place] for place in places])


def as_arrays(node: Node, reads_saved: bool) -> tuple[Any, ...]:
    """Return a node's values as raw data: inputs, outputs, options, derived names.

    Raises: GraphFreedError when it was freed, ModifiedInPlaceError when it was changed.
    """
    saved = node._saved
    if not saved:
        if saved is None and reads_saved:
            raise GraphFreedError
        return (*node.op.blanks, *node._options)
    if node._version is not None:
        check_result(node)
    values = [
        item._data
        if type(item) is Tensor and item._more is None
        else item
        if item is None or type(item) is np.ndarray
        else raw(item)
        for item in saved
    ]
    return (*values, *node._options)


def as_wide_arrays(node: Node, reads_saved: bool) -> tuple[Any, ...]:
    """Return a node's values as raw data, float16 as float32."""
    return widened(as_arrays(node, reads_saved))


def as_tensors(node: Node, reads_saved: bool) -> tuple[Any, ...]:
    """Return a node's values as tensors, with their histories."""
    saved = node._saved
    if not saved:
        if saved is None and reads_saved:
            raise GraphFreedError
        return (*node.op.blanks, *node._options)
    if node._version is not None:
        check_result(node)
    inputs = len(node.op.inputs)
    values = [
        *map(unpin, saved[:inputs]),
        *(rebuild_output(node, i, raw) for i, raw in enumerate(saved[inputs:])),
    ]
    return (*values, *node._options)


# -- a shortcut for small arrays ---------------------------------------------------------------


def with_small_expand(rule: Rule) -> Rule:
    """Return the rule with an `expand` that copies small results."""
    if "expand" not in rule.__code__.co_names:
        return rule
    return rebind(rule, {**rule.__globals__, "expand": small_expand})


def small_expand(x: Any, size: tuple[int, ...]) -> Any:
    """Expand, as a copy if it is small: computing with that is faster."""
    if not size or x.size != 1 or UsersCode.defined or math.prod(size) > SMALL:
        return expand(x, size)
    written = np.empty(size, x.dtype)
    written.fill(x.item())
    return written
