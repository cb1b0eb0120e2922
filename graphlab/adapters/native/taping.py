"""Taping gets a node's formula as data: its forward and rules run once on values that note steps.

The steps depend only on the operation, its options, and the shapes and types of its inputs, so a
hundred equal nodes of a graph are taped once.

Read next: adapters/native/formulas_of_graph.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.function import Context
from graphlab.autograd.grad_mode import quietly
from graphlab.autograd.node import Node
from graphlab.autograd.operands import promote
from graphlab.autograd.record_any import named_outputs
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.graph.formulas import KINDS, Formula, Program
from graphlab.ops.base import Op, rule_arguments
from graphlab.primitives import rebind
from graphlab.primitives.numpy_reading.strides import contiguous_strides
from graphlab.primitives.tape_reading import NotTaped, Ref, Tape, Term, compared, said, tape_reading
from graphlab.tensor.tensor import Tensor

KEPT = 1_000  # formulas that are kept for the next trace
_taped: dict[Any, Formula | str] = {}
_bound: dict[Any, Callable[..., Any]] = {}


def formula_of(
    node: Node, inputs: Sequence[Any], came: Sequence[bool], moving: Sequence[bool]
) -> Formula:
    """The formula of a node.

    inputs: the data of its inputs, in the order of `input_items`. came: for each output, whether a
    gradient arrives there. moving: for each input, whether it is computed from others.
    Raises: NotTaped with the reason why there is none, as the end of a sentence.
    """
    why = "its formula has a step that a page cannot compute"
    for literal in (lambda x: False, is_counted, is_number):
        if any(moves and literal(x) for x, moves in zip(inputs, moving, strict=True)):
            break
        key = key_of(node, inputs, came, literal)
        found = _taped.get(key)
        if found is None:
            try:
                found = quietly(tape_node, node, inputs, came, literal)
            except NotTaped as error:
                found = str(error)
            except (TypeError, ValueError, AttributeError, IndexError, KeyError):
                found = why  # the formula uses a value in a way that only an array allows
            if len(_taped) >= KEPT:
                _taped.clear()
            _taped[key] = found
        if isinstance(found, Formula):
            return found
        why = found
    raise NotTaped(why)


def is_counted(x: Any) -> bool:
    """Whether an input holds integers or bools, which may be literals of the formula."""
    return np.asarray(x).dtype.kind in "iub" and not isinstance(x, int)


def is_number(x: Any) -> bool:
    """Whether an input holds integers or bools, or is a Python number."""
    return isinstance(x, int | float) or is_counted(x)


def key_of(node: Node, inputs: Sequence[Any], came: Sequence[bool], literal: Any) -> Any:
    """Everything that a formula depends on. Raises: NotTaped for an option that is not data."""
    if node.op.name == "as_strided" and not is_plain(inputs[0], node._options):
        raise NotTaped("it reads memory in another order than row by row")
    looks = tuple(
        compared(said(x)) if literal(x) else (type(x), np.shape(x), getattr(x, "dtype", None))
        for x in inputs
    )
    there = tuple(edge is not None for edge in node._next)
    held = () if node._constants is None else tuple(x is not None for x in node._constants)
    key = (node.op, looks, compared(said(tuple(node._options))), there, held, tuple(came))
    if isinstance(node, CopySlices) and node.inner is not None:
        inner = node.inner
        kept = tuple(x is not None for x in inner._constants or ())
        return (*key, inner.op, compared(said(tuple(inner._options))), kept, inner._reduce)
    return key


def is_plain(x: Any, options: tuple[Any, ...]) -> bool:
    """Whether an array is contiguous and begins at the beginning of its memory."""
    sizes, strides, offset = options[3][2:5]
    return offset == 0 and strides == contiguous_strides(sizes) and np.shape(x) == sizes


def bound(function: Callable[..., Any]) -> Callable[..., Any]:
    """A forward or a rule that notes its steps."""
    found = _bound.get(function)
    if found is None:
        found = _bound[function] = rebind(function, tape_reading())
    return found


def tape_node(node: Node, inputs: Sequence[Any], came: Sequence[bool], literal: Any) -> Formula:
    """Tape the forward and the rules of a node."""
    for x in inputs:
        if np.asarray(x).dtype.name not in KINDS:
            raise NotTaped(f"it computes with {np.asarray(x).dtype.name}")
    forward, backward = Tape(), Tape()
    outputs = outputs_of(node, terms(forward, node, inputs, literal))
    raw = tuple(x.value if isinstance(x, Term) else x for x in outputs)
    made = tuple(backward.term(Ref("y", i), x) for i, x in enumerate(raw))
    filled = (node._extra or {}).get("materialize", node.op.materialize)  # with zeros, if need be
    grads = tuple(
        backward.term(Ref("g", i), np.ones_like(x)[()]) if arrives or filled else None
        for i, (x, arrives) in enumerate(zip(raw, came, strict=False))
    )
    given = terms(backward, node, inputs, literal)
    shares = shares_of(node, given, made, grads if node.many else grads[0])
    return Formula(
        Program(*forward.steps_to(outputs)),
        Program(*backward.steps_to(shares)),
        domain_of(node, inputs, literal),
    )


def domain_of(node: Node, inputs: Sequence[Any], literal: Any) -> Program | None:
    """Where a node has a value and a derivative; None: everywhere."""
    op = node.op
    if isinstance(node, Context | CopySlices) or op.domain is None:
        return None
    tape = Tape()
    values = dict(zip((*op.options, *op.derived), node._options, strict=False))
    values.update(zip(op.inputs, terms(tape, node, inputs, literal), strict=False))
    names = op.domain.__code__.co_varnames[: op.domain.__code__.co_argcount]
    holds = bound(op.domain)(*[values[name] for name in names])
    return Program(*tape.steps_to((holds,))) if isinstance(holds, Term) else None


def terms(tape: Tape, node: Node, inputs: Sequence[Any], literal: Any) -> list[Any]:
    """The inputs of the forward as variables of the tape; None for an absent input."""
    op = node.op
    data = promote(op, list(inputs)) if op.types != "keep" else list(inputs)
    found = [
        x if literal(x) else tape.term(Ref("x", i), x[()] if isinstance(x, np.ndarray) else x)
        for i, x in enumerate(data)
    ]
    if isinstance(node, Context | CopySlices) or op.variadic:
        return found
    left = iter(found)
    return [next(left) if there else None for there in inputs_there(node)]


def inputs_there(node: Node) -> list[bool]:
    """For each input of the forward, whether it is present."""
    op, kept = node.op, node._constants or (None,) * len(node.op.inputs)
    edges = dict(zip(op.rules, node._next, strict=True))
    return [
        edges.get(name) is not None or constant is not None
        for name, constant in zip(op.inputs, kept, strict=False)
    ]


def options_of(node: Node) -> dict[str, Any]:
    """The options of the forward by name."""
    return dict(zip(node.op.options, node._options, strict=False))


def outputs_of(node: Node, inputs: list[Any]) -> tuple[Any, ...]:
    """The outputs of the forward."""
    if isinstance(node, CopySlices):
        (new,) = outputs_of(node.inner, inside(node, inputs))
        return (bound(node.op.forward)(inputs[0], new, **options_of(node)),)
    arguments = (tuple(inputs),) if node.op.variadic else inputs
    result = bound(node.op.forward)(*arguments, **options_of(node))
    return result if isinstance(result, tuple) else (result,)


def shares_of(node: Node, inputs: list[Any], outputs: tuple[Any, ...], grad: Any) -> list[Any]:
    """The results of the rules, one for each edge; None where there is no edge."""
    op = node.op
    if isinstance(node, CopySlices):
        return shares_of_slices(node, inputs, grad)
    if op.variadic:
        (rule,) = op.rules.values()
        values = dict(zip((*op.options, *op.derived), node._options, strict=True))
        shares = list(applied(op, rule, grad, values))
        return [None if e is None else x for e, x in zip(node._next, shares, strict=True)]
    names = (*op.inputs, *op.outputs, *op.options, *op.derived)
    made = named_outputs(op, outputs)
    values = dict(zip(names, (*inputs, *made, *node._options), strict=True))
    return [
        None if edge is None else applied(op, rule, grad, values)
        for edge, rule in zip(node._next, op.rules.values(), strict=True)
    ]


def applied(op: type[Op], rule: Callable[..., Any], grad: Any, values: dict[str, Any]) -> Any:
    """The result of one rule, called with the values that its arguments name."""
    return bound(rule)(grad, *[values[name] for name in rule_arguments(rule)])


def inside(node: CopySlices, inputs: list[Any]) -> list[Any]:
    """The inputs of the operation that wrote a part of a tensor."""
    if node.inner is None:
        raise NotTaped("its saved tensors are freed")
    part = bound(node.op.rules["values"])(inputs[0], *node._options)
    return inner_inputs(node, part, inputs[1:], lambda x: x._data if isinstance(x, Tensor) else x)


def shares_of_slices(node: CopySlices, inputs: list[Any], grad: Any) -> list[Any]:
    """The gradients through an operation that wrote a part of a tensor.

    The gradients of all other entries pass unchanged.
    """
    op, inner, within = node.op, node.inner, inside(node, inputs)
    outputs = outputs_of(inner, within)
    part = bound(op.rules["values"])(grad, *node._options)
    found = shares_of(inner, within, outputs, part)
    sizes = [back and back[0] for back in inner._reduce or (None,) * len(found)]
    sum_to = tape_reading()["sum_to"]
    first, *rest = [
        x if x is None or to is None else sum_to(x, to) for x, to in zip(found, sizes, strict=True)
    ]
    if first is None:
        return [bound(op.rules["self"])(grad, *node._options), *rest]
    return [bound(op.forward)(grad, first, **options_of(node)), *rest]
