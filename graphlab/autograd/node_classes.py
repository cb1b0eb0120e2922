"""One node class for each operation, named as PyTorch names its grad_fn, with its rules.

`node.vjp(grad)`, the vector-Jacobian product, returns the gradient of each input: it takes what a
rule names from what the node saved, and calls the rule. `vjp_of` makes this function, once for each
operation. The rules are the functions in ops/ themselves, so a breakpoint in a rule is hit.

Read next: tensor/tensor.py
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from operator import itemgetter
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import UsersCode
from graphlab.autograd.introspection import raw_names
from graphlab.autograd.node import Node, rebuild_output
from graphlab.autograd.operands import HALF, narrowed, widened
from graphlab.autograd.saved import check_result, raw, raw_attribute, saved_attribute, unpin
from graphlab.common.errors import GraphFreedError
from graphlab.common.public import with_import
from graphlab.ops.base import Op, registry, rule_arguments
from graphlab.primitives import rebind, tensor_namespace
from graphlab.primitives.numpy_reading.shapes import expand
from graphlab.tensor.tensor import Tensor

# where the value that a rule names comes from
FROM_NOTHING, FROM_INPUT, FROM_RESULT, FROM_OPTION = "nothing", "input", "result", "option"
SMALL = 2048  # entries, of which a copy is as quick as a view
Rule = Callable[..., Any]
node_classes: dict[type[Op], type[Node]] = {}
appliers: list[Callable[[type[Op]], Callable[..., Any]]] = []  # record.py adds `applied` to it


def node_class(op: type[Op]) -> type[Node]:
    """Return the class of the nodes of `op`, made on first use."""
    found = node_classes.get(op)
    if found is None:
        found = node_classes.setdefault(op, make_node_class(op))  # one for all threads
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


def in_float32(op: type[Op], rules: list[Rule]) -> Callable[..., Any]:
    """Return the function (node, gradient) -> gradients of float16 that computes in float32."""
    vjp = vjp_of_any(op, rules, as_wide_arrays)

    def call(node: Node, grad: Any) -> Any:
        several = type(grad) is tuple
        return narrowed(vjp(node, widened(grad) if several else widened((grad,))[0]))

    return call


def unless_half(vjp: Callable[..., Any], wide: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return the function (node, gradient) -> gradients that is `wide` for float16, else `vjp`."""
    if wide is None:
        return vjp

    def call(node: Node, grad: Any) -> Any:
        half = (grad[0] if type(grad) is tuple else grad).dtype == HALF
        return wide(node, grad) if half else vjp(node, grad)

    return call


def _first_vjp_tensors(node: Node, grad: Any) -> Any:
    """Bind the rules to the primitives for tensors when a pass is first recorded."""
    primitives, op = tensor_namespace(), node.op
    rules = [rebind(rule, primitives) for rule in op.rules.values()]
    found = as_one_node(op, rules) if op.again else vjp_of_any(op, rules, as_tensors)
    type(node).vjp_tensors = found
    return found(node, grad)


def as_one_node(op: type[Op], rules: list[Rule]) -> Callable[..., Any]:
    """Return the function (node, gradient) -> gradients that runs `op.again` for the first rule.

    If that has several results, they are the gradients of all inputs.
    """
    import_module("graphlab.ops.activation")  # which makes these operations
    again, (applied,) = registry[op.again], appliers
    call, inputs = applied(again), len(again.inputs) - 1

    def rule(grad: Any, *values: Any) -> Any:
        return call(grad, *values[:inputs], **dict(zip(again.options, values[inputs:])))

    if not again.splits:
        return vjp_of_any(op, [rule, *rules[1:]], as_tensors)
    pick = picker(op, op.rules["self"])
    return lambda node, grad: rule(grad, *pick(as_tensors(node, True)))


def vjp_of(op: type[Op], rules: list[Rule]) -> Callable[..., Any]:
    """Return the function (node, gradient) -> gradients of the inputs, None without an edge.

    Most rules of elementwise operations name at most one value. For up to two such rules the
    function is written out here; `vjp_of_any` makes it for all others.
    """
    wide = in_float32(op, rules) if op.wide else None
    many = any(len(rule_arguments(rule)) > 1 for rule in rules)
    if len(rules) > 2 or op.variadic or op.freed_options or many:
        return unless_half(vjp_of_any(op, rules, as_arrays), wide)
    if not rules:
        return lambda node, grad: ()
    a_rule, (a_from, a_place) = rules[0], origin_of(op, rules[0])
    if len(rules) == 1:

        def vjp_of_one(node: Node, grad: Any) -> tuple[Any]:
            if a_from is FROM_NOTHING:
                return (a_rule(grad),)
            if a_from is FROM_OPTION:
                return (a_rule(grad, node._options[a_place]),)
            saved = node._saved
            if saved is None:
                raise GraphFreedError
            item = saved[a_place]
            if type(item) is Tensor and item._more is None:
                item = item._data
            elif a_from is FROM_INPUT:
                item = raw(item)
            elif node._version is not None:
                check_result(node)
            return (a_rule(grad, item),)

        return unless_half(with_own_code(vjp_of_one), wide)
    b_rule, (b_from, b_place) = rules[1], origin_of(op, rules[1])
    a_saved, b_saved = a_from in (FROM_INPUT, FROM_RESULT), b_from in (FROM_INPUT, FROM_RESULT)
    reads_saved = a_saved or b_saved

    def vjp_of_two(node: Node, grad: Any) -> tuple[Any, Any]:
        if wide and grad.dtype is HALF:  # float16, which the rules compute in float32
            return wide(node, grad)
        a_edge, b_edge = node._next
        a_grad = b_grad = None
        saved = node._saved
        if reads_saved:
            if saved is None:
                raise GraphFreedError
            if node._version is not None:
                check_result(node)
        if a_edge is not None:
            if a_saved:
                item = saved[a_place]
                unchanged = type(item) is Tensor and item._more is None
                a_grad = a_rule(grad, item._data if unchanged else raw(item))
            elif a_from is FROM_NOTHING:
                a_grad = a_rule(grad)
            else:
                a_grad = a_rule(grad, node._options[a_place])
        if b_edge is not None:
            if b_saved:
                item = saved[b_place]
                unchanged = type(item) is Tensor and item._more is None
                b_grad = b_rule(grad, item._data if unchanged else raw(item))
            elif b_from is FROM_NOTHING:
                b_grad = b_rule(grad)
            else:
                b_grad = b_rule(grad, node._options[b_place])
        return a_grad, b_grad

    return with_own_code(vjp_of_two)


def origin_of(op: type[Op], rule: Rule) -> tuple[str, int]:
    """Return what the one name of a rule is, and its place in `_saved` or in `_options`."""
    names = rule_arguments(rule)
    if not names:
        return FROM_NOTHING, 0
    (name,) = names
    place = (*op.inputs, *op.outputs, *op.options, *op.derived).index(name)
    if name in op.inputs or name in op.outputs:
        return FROM_INPUT if name in op.inputs else FROM_RESULT, place
    return FROM_OPTION, place - len(op.inputs) - len(op.outputs)


def vjp_of_any(op: type[Op], rules: list[Rule], values_of: Callable[..., Any]) -> Callable:
    """Return the function (node, gradient) -> gradients of the inputs, for any rules.

    values_of: gets the saved values that the rules take: `as_arrays`, or `as_tensors` for rules
    that are bound to the primitives for tensors.
    """
    picks = [picker(op, rule) for rule in op.rules.values()]
    names = {name for rule in op.rules.values() for name in rule_arguments(rule)}
    reads_saved = bool(names & {*op.inputs, *op.outputs, *op.freed_options})
    if op.variadic:
        (rule,), (pick,) = rules, picks

        def vjp_of_variadic(node: Node, grad: Any) -> Any:
            return rule(grad, *pick(values_of(node, reads_saved)))

        return with_own_code(vjp_of_variadic)

    pairs = tuple(zip(rules, picks, strict=True))

    def vjp(node: Node, grad: Any) -> list[Any]:
        values, shares = values_of(node, reads_saved), []
        for target, (rule, pick) in zip(node._next, pairs):
            shares.append(None if target is None else rule(grad, *pick(values)))
        return shares

    return with_own_code(vjp)


def picker(op: type[Op], rule: Rule) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that picks, from all values of a node, those that a rule names."""
    layout = (*op.inputs, *op.outputs, *op.options, *op.derived)
    places = [layout.index(name) for name in rule_arguments(rule)]
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: tuple([values[place] for place in places])


def as_arrays(node: Node, reads_saved: bool) -> Sequence[Any]:
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
    values = []
    for item in saved:
        if type(item) is Tensor and item._more is None:
            item = item._data
        elif item is not None and type(item) is not np.ndarray:
            item = raw(item)
        values.append(item)
    values += node._options
    return values


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
        *(rebuild_output(node, i, data) for i, data in enumerate(saved[inputs:])),
    ]
    return (*values, *node._options)


# -- what makes it quick -----------------------------------------------------------------------


def named(function: Rule, op: type[Op]) -> Rule:
    """Return the function, with the name and the docstring of an operation."""
    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = with_import(op.__doc__ or "")
    return function


def with_own_code(function: Rule) -> Rule:
    """Return the function, with a copy of the code that its `def` gave it.

    CPython specializes each instruction of a function's code for the types that it meets there (PEP
    659). All functions that one `def` makes share one code object. So `a * b` and `a + b`, whose
    nodes have different classes, would undo each other's specialization. The copy has the same
    lines: a debugger stops in it as it does in the original.

    >>> def power(n): return lambda x: x**n
    >>> square, cube = power(2), with_own_code(power(3))
    >>> square.__code__ is cube.__code__, square.__code__ == cube.__code__
    (False, True)
    """
    function.__code__ = function.__code__.replace()
    return function


def with_small_expand(rule: Rule) -> Rule:
    """Return the rule with an `expand` that copies small results."""
    if "expand" not in rule.__code__.co_names:
        return rule
    return rebind(rule, {**rule.__globals__, "expand": small_expand})


def small_expand(x: Any, size: tuple[int, ...]) -> Any:
    """Expand a number, as a copy if it is small: computing with that is faster."""
    if not (isinstance(x, np.generic) and size) or UsersCode.defined or math.prod(size) > SMALL:
        return expand(x, size)
    written = np.empty(size, x.dtype)
    written.fill(x)
    return written
