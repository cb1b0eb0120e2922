"""Taping gets a node's formula as data: its forward and rules run once on values that note steps.

The steps depend only on the operation, its options, and the shapes and types of its inputs, so a
hundred equal nodes of a graph are taped once.

Read next: adapters/native/formulas_of_graph.py
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from graphlab.adapters.native.graph_walk import inputs_there
from graphlab.autograd.function import Context
from graphlab.autograd.grad_mode import without_warnings
from graphlab.autograd.node import Node
from graphlab.autograd.node_formulas import Entries, input_gradients, outputs_of, settings_of
from graphlab.autograd.operands import promote
from graphlab.autograd.views import CopySlices
from graphlab.graph.formulas import KINDS, Formula, Program
from graphlab.primitives.numpy_reading.strides import contiguous_strides
from graphlab.primitives.tape_reading import NotTaped, Ref, Tape, Term, compared, said, tape_reading

KEPT = 1_000  # formulas that are kept for the next trace
_taped: dict[Any, Formula | str] = {}


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
                found = without_warnings(tape_node, node, inputs, came, literal)
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


@cache
def tape_entries() -> Entries:
    """Entries that note their steps."""
    return Entries(tape_reading())


def tape_node(node: Node, inputs: Sequence[Any], came: Sequence[bool], literal: Any) -> Formula:
    """Tape the forward and the rules of a node."""
    for x in inputs:
        if np.asarray(x).dtype.name not in KINDS:
            raise NotTaped(f"it computes with {np.asarray(x).dtype.name}")
    forward, backward = Tape(), Tape()
    outputs = outputs_of(node, terms(forward, node, inputs, literal), tape_entries())
    raw = tuple(x.value if isinstance(x, Term) else x for x in outputs)
    made = tuple(backward.term(Ref("y", i), x) for i, x in enumerate(raw))
    filled = (node._extra or {}).get("materialize", node.op.materialize)  # with zeros, if need be
    grads = tuple(
        backward.term(Ref("g", i), np.ones_like(x)[()]) if arrives or filled else None
        for i, (x, arrives) in enumerate(zip(raw, came, strict=False))
    )
    given = terms(backward, node, inputs, literal)
    shares = input_gradients(node, given, made, grads if node.many else grads[0], tape_entries())
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
    values = settings_of(node)
    values.update(zip(op.inputs, terms(tape, node, inputs, literal), strict=False))
    names = op.domain.__code__.co_varnames[: op.domain.__code__.co_argcount]
    holds = tape_entries().bind(op, op.domain)(*[values[name] for name in names])
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
