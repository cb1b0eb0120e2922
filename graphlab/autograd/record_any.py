"""Run and record any operation, on inputs of every kind.

`record.py` and `record_few.py` take the usual cases, in fewer steps. This file takes all others:
numbers and None as inputs, inputs of different types, any number of inputs and results.

Read next: autograd/node_classes.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.decisions import came_from, decision_of, remember
from graphlab.autograd.grad_mode import is_in_use, quietly, state, unusual, without_warnings
from graphlab.autograd.node import Node, Output, edge_of, extra
from graphlab.autograd.node_classes import named, node_class
from graphlab.autograd.operands import (
    check_first,
    check_types,
    derived_values,
    forward_of,
    promote,
    shape_error,
)
from graphlab.autograd.saved import pin
from graphlab.autograd.users_code import place_node
from graphlab.autograd.watch import left_graph, made, watchers
from graphlab.ops.base import Op, needed
from graphlab.tensor.tensor import Tensor, share_memory, wrap
from graphlab.tensor.versions import grad_type, sequence_numbers

new = object.__new__
ndarray = np.ndarray


def recorder_of_any(op: type[Op]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two functions: `call` runs and records `op`; `finish` records a forward that has run.

    The inputs may be tensors of any types, numbers or None. A variadic operation takes each of its
    tensors as an input. `call` raises ShapeError.
    """
    forward, view, variadic = forward_of(op), op.view, op.variadic
    make_node = node_maker(op)

    def call(*inputs: Any, **options: Any) -> Any:
        if not isinstance(inputs[0], Tensor) and not variadic:
            check_first(op, inputs)
        if view:
            share_memory(inputs[0])
        data = [x._data if isinstance(x, Tensor) else x for x in inputs]
        alike = all_of_one_type(data)
        if not alike:
            if op.no_bool or op.kernel:
                check_types(op, data)
            if op.types != "keep":
                data = promote(op, data)
        arguments = (tuple(data),) if variadic else data
        try:
            result = quietly(forward, *arguments, **options)
        except (ValueError, RuntimeError) as error:
            result = after_failure(op, error, arguments, options)
        return finish(inputs, result, options, alike)

    def finish(inputs: tuple[Any, ...], result: Any, options: dict[str, Any], alike: bool) -> Any:
        several, recorded = isinstance(result, tuple), False
        for x in inputs:
            recorded = recorded or (isinstance(x, Tensor) and x._needs)
        if not (several or view or watchers or recorded):
            data = result[()] if type(result) is ndarray and not result.ndim else result
            return remember_masks(op, wrap(data, False, None), inputs, options)
        outputs = result if several else (result,)
        if not view:
            outputs = tuple([x[()] if type(x) is ndarray and not x.ndim else x for x in outputs])
        node = None
        if recorded and (not unusual or state.recording):
            node = make_node(inputs, outputs, options, alike)
        if not (several or view or node is None) and result.dtype.kind == "f":
            return wrap(outputs[0], True, node)
        tensors = tuple([wrapped_output(op, node, i, raw) for i, raw in enumerate(outputs)])
        if view:
            for tensor in tensors:
                tensor._become_view(inputs[0], op.splits)
        if node is not None and several and not op.byproducts:
            for tensor in tensors:
                if not tensor._needs:  # indices
                    came_from(tensor, inputs)
        if node is None:
            if not several:
                remember_masks(op, tensors[0], inputs, options)
            elif watchers:
                for tensor in tensors:
                    left_graph(tensor, inputs)
        return tensors if several else tensors[0]

    return named(call, op), finish


def recording_is_off() -> bool:
    """Return whether this thread makes no nodes, and no recording sees that."""
    return not state.recording and not watchers


def remember_masks(
    op: type[Op], result: Tensor, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Tensor:
    """Let a result that was computed from masks alone remember how it was made; return it.

    A result that was computed from other tensors of a graph, but not recorded, notes these.
    """
    recorded = masked = noted = False
    for x in inputs:
        if isinstance(x, Tensor):
            recorded = recorded or x._needs
            if x._more is not None:
                masked = masked or x._more.decision is not None
                noted = noted or x._more.cut is not None or x._more.read is not None
    if not (recorded or masked or noted):
        return result
    if masked and not recorded and any(map(decision_of, inputs)):
        remember(result, op, inputs[: len(op.inputs)], {**op.defaults, **options})
    return came_from(result, inputs)


def all_of_one_type(data: list[Any]) -> bool:
    """Return whether the inputs, without None, are arrays of one floating type."""
    first = getattr(data[0], "dtype", None)
    if first is None or first.kind != "f":
        return False
    return all([x is None or getattr(x, "dtype", None) is first for x in data])


def wrapped_output(op: type[Op], node: Node | None, index: int, raw: Any) -> Tensor:
    """Return the tensor around one result of a forward, with its node."""
    if node is None or raw.dtype.kind != "f":
        return wrap(raw, False, None)
    if op.byproducts and op.outputs[index] in op.byproducts:
        return wrap(raw, False, None)
    return wrap(raw, True, Output(node, index) if op.splits else node)


def node_maker(op: type[Op]) -> Callable[..., Node | None]:
    """Return the function that makes the node of an operation that has run.

    It takes the inputs, the outputs as raw data, the options by name, and whether all inputs are
    of one type. It returns None when no input that has a rule needs a gradient.
    """
    has_rule = [name in op.rules for name in op.inputs]
    names, derived, plans = op.options, derived_values(op), {}
    defaults = tuple([op.defaults.get(name) for name in names])
    stretches = bool(op.broadcasts) and len(op.inputs) > 1
    variadic, splits = op.variadic, op.splits
    node_type: Any = None

    def make_node(
        inputs: tuple[Any, ...], outputs: tuple[Any, ...], options: dict[str, Any], alike: bool
    ) -> Node | None:
        nonlocal node_type
        edges, constants, needs, bit, constant = [], [], 0, 1, False
        for rule, x in zip(has_rule * len(inputs) if variadic else has_rule, inputs):
            if rule:
                if isinstance(x, Tensor) and x._needs:
                    edge = edge_of(x) if x._more else x._node or x
                    edges.append(edge)
                    needs |= bit
                    x = None if edge is not None else x
                else:
                    edges.append(None)
                bit += bit
            if x is not None:
                constant = True
            constants.append(x)
        if not needs:
            return None
        if node_type is None:
            node_type = node_class(op)
        node = new(node_type)
        node._next = tuple(edges)
        node._constants = tuple(constants) if constant else None
        node._sequence = next(sequence_numbers)
        plan = plans.get(needs)
        if plan is None:
            plan = plans[needs] = saved_plan(op, needs)
        if plan:
            node._saved = saved_values(plan, inputs, outputs)
        else:
            node._saved = op.blanks if op.freed_options else ()
        node._options = tuple(map(options.get, names, defaults)) if options else defaults
        if derived:
            node._options += tuple([read(inputs[place]) for place, read in derived])
        node._reduce = None
        if stretches or not alike or outputs[0].dtype is not inputs[0]._data.dtype:
            node._reduce = reductions(op, inputs, outputs[0])
        place_node(node)
        node._version = node._extra = None
        if splits:
            extra(node)["outputs"] = [(raw.shape, raw.dtype) for raw in outputs]
            if not op.materialize:
                extra(node)["materialize"] = False
        if unusual:
            made(node)
        return node

    return make_node


def saved_plan(op: type[Op], needs: int) -> tuple[bool, ...]:
    """Return, for each input and each output, whether it is saved; () when nothing is.

    needs: bit i says that input i, of those that have a rule, needs a gradient.
    """
    if op.variadic:
        return ()
    names = needed(op, needs)
    plan = tuple([name in names for name in (*op.inputs, *op.outputs)])
    return plan if any(plan) else ()


def saved_values(
    plan: tuple[bool, ...], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return the inputs and outputs to save, with None for those that no rule reads."""
    values = [
        (pin(x) if isinstance(x, Tensor) and x._more else x) if wanted else None
        for wanted, x in zip(plan, inputs)
    ]
    values += [raw if wanted else None for wanted, raw in zip(plan[len(inputs) :], outputs)]
    values += [None] * (len(plan) - len(values))
    return tuple(values)


def reductions(op: type[Op], inputs: tuple[Any, ...], result: Any) -> tuple[Any, ...] | None:
    """Return, for each differentiable input, the (shape, dtype) to reduce its gradient to, or None.

    A rule may multiply by another input, whose type may be wider; then all gradients are cast.
    """
    names = op.inputs * len(inputs) if op.variadic else op.inputs
    dtype, found, cast = result.dtype, [], False
    for x in inputs:
        if isinstance(x, Tensor) and x._data.dtype is not dtype and x._data.dtype.kind != "b":
            cast = True
    for name, x in zip(names, inputs, strict=True):
        if name in op.rules:
            back = None
            if isinstance(x, Tensor) and x._needs:
                own = x._data
                stretched = name in op.broadcasts and own.shape != result.shape
                if stretched or cast:
                    back = (own.shape if stretched else None, grad_type(x) if cast else None)
            found.append(back)
    return tuple(found) if any(found) else None


def after_failure(
    op: type[Op], error: Exception, data: Sequence[Any], options: dict[str, Any]
) -> Any:
    """Return the result after all, or raise the error that a failed forward should raise.

    If NumPy's prepared context was in use, the forward runs without it. NumPy's error about shapes
    becomes PyTorch's.
    """
    if isinstance(error, RuntimeError) and is_in_use(error):
        try:
            return without_warnings(forward_of(op), *data, **options)
        except ValueError as another:
            error = another
    if isinstance(error, ValueError):
        raise shape_error(op, data, error) from None
    raise error
