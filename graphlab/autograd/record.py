"""Running an operation forward, and making the node that its backward pass will need.

`recorder(op)` makes the function that does both. Most operations of a formula are elementwise, on
one or two tensors of one floating type; `unary` and `binary` record these, and show every step.
Operations with options or with three inputs are recorded by `record_few.py`. All other cases, such
as inputs of different types, are recorded by `record_any.py`.

Read next: ops/elementwise.py
"""

# `y is not other` says that the second operand is a tensor, which a type checker cannot know.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import quietly, unusual
from graphlab.autograd.node_classes import appliers, named, node_class, with_own_code
from graphlab.autograd.operands import HALF, forward_of
from graphlab.autograd.record_any import (
    after_failure,
    recorder_of_any,
    recording_is_off,
    remember_masks,
    saved_plan,
)
from graphlab.autograd.record_few import recorder_of_few
from graphlab.autograd.saved import pin
from graphlab.autograd.users_code import own_files, place_node, users_frame
from graphlab.ops.base import Op
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.versions import sequence_numbers

new = object.__new__
ndarray = np.ndarray
getframe = sys._getframe
_recorders: dict[type[Op], Callable[..., Any]] = {}


def apply(op: type[Op], *inputs: Any, **options: Any) -> Any:
    """Run `op` on tensors, numbers or None, and record it: a tensor, or a tuple of tensors."""
    return (_recorders.get(op) or applied(op))(*inputs, **options)


def applied(op: type[Op]) -> Callable[..., Any]:
    """Return the function that `apply` calls for an operation, made once."""
    found = _recorders.get(op)
    if found is None:
        found = _recorders[op] = recorder(op)
    return found


appliers.append(applied)


def recorder(op: type[Op], operator: bool = False) -> Callable[..., Any]:
    """Return the function that runs and records `op`: inputs in order, options by name.

    operator: the second operand may be a number, the options have their defaults, and
    NotImplemented is returned for what is neither a tensor nor a number.
    """
    if operator and op.pointwise and len(op.inputs) == 2 == len(op.rules):
        return binary(op)
    plain = op.pointwise and len(op.outputs) == 1 and not (op.options or op.derived or op.view)
    if plain and len(op.inputs) == 1 == len(op.rules):
        return unary(op)
    return recorder_of_few(op, operator)


def unary(op: type[Op]) -> Callable[[Any], Tensor]:
    """Return the function of one tensor that runs and records an elementwise `op`."""
    general, forward, node_type = recorder_of_few(op), forward_of(op), node_class(op)
    _, finish = recorder_of_any(op)
    saves = saved_plan(op, 1)
    saves_input, saves_result = saves or (False, False)
    options = tuple(op.defaults[name] for name in op.options)

    def call(input: Any, *, out: Any = None) -> Tensor:
        if out is not None:
            outputs = import_module("graphlab.tensor.functions.outputs")
            return outputs.written_into(op.name, call(input), out)
        if not isinstance(input, Tensor):
            return general(input)
        # The same four steps as in `binary`, where they are explained.
        data = input._data
        if not input._needs and data.dtype.kind != "f":
            return general(input)
        try:
            result = quietly(forward, data)
        except (ValueError, RuntimeError) as error:
            result = after_failure(op, error, [data], {})
        if not input._needs or (unusual and recording_is_off()):
            tensor = wrap(result, False, None)
            noted = input._needs or input._more
            return remember_masks(op, tensor, (input,), {}) if noted else tensor
        if unusual:
            return finish((input,), result, {}, True)
        node = node_type()
        edge, constants = input._node, None
        if edge is None:
            if input._more and input._more.base_needs:
                constants = (input,)
            else:
                edge = input
        node._next = (edge,)
        node._constants = constants
        node._sequence = next(sequence_numbers)
        if saves:
            node._saved = (
                (pin(input) if input._more else input) if saves_input else None,
                result if saves_result else None,
            )
        else:
            node._saved = ()
        node._options = options
        node._reduce = node._version = node._extra = None
        place_node(node)
        tensor = new(Tensor)
        tensor._data, tensor._needs, tensor._node = result, True, node
        tensor._grad = tensor._more = None
        return tensor

    return with_own_code(named(call, op))


def binary(op: type[Op]) -> Callable[[Any, Any], Any]:
    """Return the function of two operands that runs and records an elementwise `op`.

    The second operand may be a number; for anything else the function returns NotImplemented.
    Options have their defaults. `general` records the cases that are not usual.
    """
    general, forward, node_type = recorder_of_few(op, True), op.forward, node_class(op)
    _, finish = recorder_of_any(op)
    plans = [saved_plan(op, needs) for needs in range(4)]
    options = tuple(op.defaults[name] for name in op.options)
    takes_integers = not (op.types == "float" or op.no_bool or op.kernel)
    wide = op.wide

    def call(input: Any, other: Any) -> Any:
        # 1. The data of both operands, and whether each needs a gradient.
        if not isinstance(input, Tensor):
            return general(input, other)
        x, a_needs = input._data, input._needs
        if wide and x.dtype is HALF:
            return general(input, other)
        if isinstance(other, Tensor):
            y, b_needs = other._data, other._needs
            if (type(x) is ndarray or type(x) is not type(y)) and x.dtype is not y.dtype:
                return general(input, other)
        elif type(other) is float or type(other) is int:
            y, b_needs = other, False  # from here on, `y is not other` says that other is a tensor
        else:
            return general(input, other)
        if not (a_needs or b_needs or x.dtype.kind == "f" or (takes_integers and y is not other)):
            return general(input, other)
        # 2. The operation's own forward; `quietly` calls it without NumPy's warnings.
        try:
            result = quietly(forward, x, y)
        except (ValueError, RuntimeError) as error:
            result = after_failure(op, error, [x, y], {})
        recorded = a_needs or b_needs
        if unusual or not recorded:  # such as in no_grad()
            if recorded and not recording_is_off():
                return finish((input, other), result, {}, y is not other)
            tensor = wrap(result, False, None)
            noted = recorded or input._more or (y is not other and other._more)
            return remember_masks(op, tensor, (input, other), {}) if noted else tensor
        # 3. The node: where gradients go, what the rules need, when and where it was made.
        node = node_type()
        a_edge = b_edge = None
        if a_needs:
            a_edge = input._node
            if a_edge is None and not (input._more and input._more.base_needs):
                a_edge = input
        if b_needs:
            b_edge = other._node
            if b_edge is None and not (other._more and other._more.base_needs):
                b_edge = other
        node._next = (a_edge, b_edge)
        if a_edge is not None and b_edge is not None:
            node._constants = None
        else:
            node._constants = (input if a_edge is None else None, other if b_edge is None else None)
        node._sequence = next(sequence_numbers)
        node._saved = ()
        if plan := plans[a_needs + 2 * b_needs]:
            a_saved = b_saved = None
            if plan[0]:
                a_saved = pin(input) if input._more else input
            if plan[1]:
                b_saved = pin(other) if y is not other and other._more else other
            node._saved = (a_saved, b_saved, result if plan[2] else None)
        node._options = options
        node._reduce = node._version = node._extra = None
        # an input that was broadcast: the shape that its gradient is summed back to
        if type(result) is ndarray and y is not other and x.shape != y.shape:
            node._reduce = (
                (x.shape, None) if a_needs and x.shape != result.shape else None,
                (y.shape, None) if b_needs and y.shape != result.shape else None,
            )
        # `place_node`, written out: this saves a call
        try:
            frame = getframe(1)  # the caller: usually the user's program
        except ValueError:  # no caller: a thread runs this call alone
            frame = getframe()
        code = frame.f_code
        if own_files[code.co_filename]:
            frame = users_frame(frame)
            code = frame.f_code
        node._code, node._at = code, frame.f_lasti
        # 4. The result points to its node.
        tensor = new(Tensor)
        tensor._data, tensor._needs, tensor._node = result, True, node
        tensor._grad = tensor._more = None
        return tensor

    return with_own_code(named(call, op))
