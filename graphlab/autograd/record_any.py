"""Run any operation, on operands of every kind, and make its node.

Whatever `record.py` and `record_few.py` do in fewer steps for the usual cases is done here for
all: numbers and None as inputs, inputs of several types, any number of inputs and results.

Read next: autograd/node_classes.py
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.decisions import decision_of, remember
from graphlab.autograd.derived import derived_values
from graphlab.autograd.grad_mode import quietly, state, unusual
from graphlab.autograd.half_precision import forward_of
from graphlab.autograd.node import Node, Output, edge_of, extra
from graphlab.autograd.node_classes import node_class
from graphlab.autograd.operands import check_first, check_types, promote, shape_error
from graphlab.autograd.saved import pin
from graphlab.autograd.users_code import place_node
from graphlab.autograd.watch import made
from graphlab.ops.base import Op, needed
from graphlab.tensor.tensor import Tensor, share_memory, wrap
from graphlab.tensor.versions import clock

new = object.__new__
ndarray = np.ndarray


def recorder_of_any(op: type[Op]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the function that runs and records `op` on tensors, numbers or None of any types.

    A variadic operation takes its tensors as inputs. It raises ShapeError as PyTorch does.
    Also returns the function that finishes what has run already.
    """
    forward, defaults, view, variadic = forward_of(op), op.defaults, op.view, op.variadic
    leave = node_maker(op)

    def call(*inputs: Any, **options: Any) -> Any:
        if not isinstance(inputs[0], Tensor) and not variadic:
            check_first(op, inputs)
        if view:
            share_memory(inputs[0])
        data = [x._data if isinstance(x, Tensor) else x for x in inputs]
        alike = of_one_type(data)
        if not alike:
            if op.no_bool or op.kernel:
                check_types(op, data)
            if op.types != "keep":
                data = promote(op, data)
        arguments = (tuple(data),) if variadic else data
        try:
            result = quietly(forward, *arguments, **options)
        except (ValueError, RuntimeError) as error:
            result = again(op, error, arguments, options)
        return finish(inputs, result, options, alike)

    def finish(inputs: tuple[Any, ...], result: Any, options: dict[str, Any], alike: bool) -> Any:
        several = isinstance(result, tuple)
        outputs = result if several else (result,)
        if not view:
            outputs = tuple([x[()] if type(x) is ndarray and not x.ndim else x for x in outputs])
        node = None
        if not unusual or state.grad_enabled:
            node = leave(inputs, outputs, {**defaults, **options} if options else defaults, alike)
        tensors = tuple([wrapped_output(op, node, i, raw) for i, raw in enumerate(outputs)])
        if view:
            for tensor in tensors:
                tensor._become_view(inputs[0], op.splits)
        if node is None and not several:
            of_masks(op, tensors[0], inputs, options)
        return tensors if several else tensors[0]

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.__doc__
    return call, finish


def of_masks(
    op: type[Op], result: Tensor, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Tensor:
    """Let a result that is calculated from masks alone remember how; return it."""
    recorded = any(isinstance(x, Tensor) and x._needs for x in inputs)
    if not recorded and any(map(decision_of, inputs)):
        remember(result, op, inputs[: len(op.inputs)], {**op.defaults, **options})
    return result


def of_one_type(data: list[Any]) -> bool:
    """Return whether the inputs, without None, are arrays of one floating type."""
    first = getattr(data[0], "dtype", None)
    if first is None or first.kind != "f":
        return False
    for x in data[1:]:  # noqa: SIM110  (a loop, for it is run often)
        if x is not None and getattr(x, "dtype", None) is not first:
            return False
    return True


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
    of one type. It gives None when no input that has a rule needs a gradient.
    """
    has_rule = [name in op.rules for name in op.inputs]
    option_names, shapes_of, plans = op.options, derived_values(op), {}
    stretches = bool(op.broadcasts) and len(op.inputs) > 1
    node_type: Any = None

    def leave(
        inputs: tuple[Any, ...], outputs: tuple[Any, ...], options: dict[str, Any], alike: bool
    ) -> Node | None:
        nonlocal node_type
        edges, constants, needs, bit, constant = [], [], 0, 1, False
        for rule, x in zip(has_rule * len(inputs) if op.variadic else has_rule, inputs):  # noqa: B905
            if rule:
                if isinstance(x, Tensor) and x._needs:
                    edges.append(edge_of(x) if x._more else x._node or x)
                    needs |= bit
                    x = None
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
        node._sequence = next(clock)
        plan = plans.get(needs)
        if plan is None:
            plan = plans[needs] = saved_plan(op, needs)
        node._saved = saved_values(plan, inputs, outputs) if plan else op.blanks if op.held else ()
        node._options = tuple([options[name] for name in option_names])
        if shapes_of:
            node._options += tuple([value(inputs) for value in shapes_of])
        node._reduce = None
        if stretches or not alike or outputs[0].dtype is not inputs[0]._data.dtype:
            node._reduce = reductions(op, inputs, outputs[0])
        place_node(node)
        node._version = node._extra = None
        if op.splits:
            extra(node)["outputs"] = [(raw.shape, raw.dtype) for raw in outputs]
            if not op.materialize:
                extra(node)["materialize"] = False
        if unusual:
            made(node)
        return node

    return leave


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
    """Return inputs and outputs, with None in place of those that no rule reads."""
    values = [
        (pin(x) if isinstance(x, Tensor) and x._more else x) if wanted else None
        for wanted, x in zip(plan, inputs)  # noqa: B905  (the plan goes on with the outputs)
    ]
    for wanted, raw in zip(plan[len(inputs) :], outputs):  # noqa: B905
        values.append(raw if wanted else None)
    values += [None] * (len(plan) - len(values))
    return tuple(values)


def named_outputs(op: type[Op], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the outputs that rules can name: the parts of a split have no names."""
    return (None,) if op.splits and len(op.outputs) == 1 else outputs


def reductions(op: type[Op], inputs: tuple[Any, ...], result: Any) -> tuple[Any, ...] | None:
    """Return, for each differentiable input, the (shape, dtype) to reduce its gradient to, or None.

    A rule may multiply by another input, whose type may be wider; then all gradients are cast.
    """
    names = op.inputs * len(inputs) if op.variadic else op.inputs
    dtype, found = result.dtype, []
    cast = any(
        isinstance(x, Tensor) and x._data.dtype is not dtype and x._data.dtype.kind != "b"
        for x in inputs
    )
    for name, x in zip(names, inputs, strict=True):
        if name in op.rules:
            back = None
            if isinstance(x, Tensor) and x._needs:
                own = x._data
                stretched = name in op.broadcasts and own.shape != result.shape
                if stretched or cast:
                    back = (own.shape if stretched else None, own.dtype if cast else None)
            found.append(back)
    return tuple(found) if any(found) else None


def again(op: type[Op], error: Exception, data: Sequence[Any], options: dict[str, Any]) -> Any:
    """What to do when a forward failed: when only the quiet context was taken, run it without.

    Another thread may be in it, or this one, when a finalizer computes with tensors.
    """
    if isinstance(error, RuntimeError) and str(error).startswith("cannot enter context"):
        try:
            with np.errstate(all="ignore"):
                return forward_of(op)(*data, **options)
        except ValueError as another:
            error = another
    if isinstance(error, ValueError):
        raise shape_error(op, data, error) from None
    raise error
