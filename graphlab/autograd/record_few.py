"""Run and record an operation on up to three tensors of one type: a sum, a matrix product, a view.

It does what `record_any.py` does, but names the inputs a, b and c instead of looping over them,
because most operations of a network are recorded here. It hands all other cases over.

Read next: autograd/record_any.py
"""

# How many inputs there are is known when the closure is made, but not to a type checker.
# pyright: reportOptionalMemberAccess=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import quietly, unusual
from graphlab.autograd.node_classes import named, node_class, with_own_code
from graphlab.autograd.operands import derived_values, forward_of, is_operand, operand
from graphlab.autograd.record_any import (
    after_failure,
    recorder_of_any,
    recording_is_off,
    remember_masks,
    saved_plan,
)
from graphlab.autograd.saved import pin
from graphlab.autograd.users_code import place_node
from graphlab.ops.base import Op
from graphlab.tensor.tensor import Tensor, share_memory, wrap
from graphlab.tensor.versions import sequence_numbers

new = object.__new__
ndarray = np.ndarray


def recorder_of_few(op: type[Op], operator: bool = False) -> Callable[..., Any]:
    """Return the function that runs and records `op`; operator: as for `record.recorder`."""
    if not has_few_inputs(op):
        general, _ = recorder_of_any(op)
        return for_operators(general) if operator else general
    return recorder_of_one(op) if len(op.inputs) == 1 else recorder_of_several(op, operator)


def recorder_of_one(op: type[Op]) -> Callable[..., Any]:
    """Return the function of one tensor and options that runs and records `op`."""
    general, finish = recorder_of_any(op)
    forward, node_type = forward_of(op), node_class(op)
    takes_integers = not (op.types == "float" or op.no_bool or op.kernel)
    view, pointwise, names = op.view, op.pointwise, op.options
    defaults = tuple([op.defaults.get(name) for name in names])
    derived = derived_values(op)
    saves = saved_plan(op, 1)
    saves_input, saves_result = saves or (False, False)

    def call(a: Any, **options: Any) -> Any:
        # 1. The data of the inputs, and whether each needs a gradient.
        if not isinstance(a, Tensor):
            return general(a, **options)
        if view:
            share_memory(a)
        x, recorded = a._data, a._needs
        if not (recorded or takes_integers or x.dtype.kind == "f"):
            return general(a, **options)
        # 2. The operation's own forward.
        try:
            result = quietly(forward, x, **options) if options else quietly(forward, x)
        except (ValueError, RuntimeError) as error:
            result = after_failure(op, error, (x,), options)
        if type(result) is ndarray and not (result.ndim or view):
            result = result[()]
        if not recorded or (unusual and recording_is_off()):
            tensor = wrap(result, False, None)
            if view:
                tensor._become_view(a)
            return remember_masks(op, tensor, (a,), options) if recorded or a._more else tensor
        if unusual or (not pointwise and result.dtype is not x.dtype):
            return finish((a,), result, options, False)
        # 3. The node: where gradients go, what the rules need, when and where it was made.
        node = node_type()
        edge, constants = a._node, None
        if edge is None:
            if a._more and a._more.base_needs:
                constants = (a,)
            else:
                edge = a
        node._next = (edge,)
        node._constants = constants
        node._sequence = next(sequence_numbers)
        node._saved = ()
        if saves:
            node._saved = (
                (pin(a) if a._more else a) if saves_input else None,
                result if saves_result else None,
            )
        node._options = tuple(map(options.get, names, defaults)) if options else defaults
        for _, read in derived:
            node._options += (read(a),)
        place_node(node)
        node._reduce = node._version = node._extra = None
        # 4. The result points to its node.
        tensor = new(Tensor)
        tensor._data, tensor._needs, tensor._node = result, True, node
        tensor._grad = tensor._more = None
        if view:
            tensor._become_view(a)
        return tensor

    return with_own_code(named(call, op))


def recorder_of_several(op: type[Op], operator: bool = False) -> Callable[..., Any]:
    """Return the function of two or three inputs and options that runs and records `op`."""
    general, finish = recorder_of_any(op)
    if operator:
        general = for_operators(general)
    forward, node_type, three = forward_of(op), node_class(op), len(op.inputs) == 3
    takes_integers = not (op.types == "float" or op.no_bool or op.kernel)
    view, pointwise, names = op.view, op.pointwise, op.options
    defaults = tuple([op.defaults.get(name) for name in names])
    derived = derived_values(op)
    plans = [saved_plan(op, needs) for needs in range(8)]
    a_stretches, b_stretches, c_stretches = stretching(op)
    stretches = bool(op.broadcasts)

    def call(a: Any, b: Any = None, c: Any = None, **options: Any) -> Any:
        # The same four steps as in `binary` of record.py.
        inputs = (a, b, c) if three else (a, b)
        if not isinstance(a, Tensor):
            return general(*inputs, **options)
        if view:
            share_memory(a)
        x, a_needs = a._data, a._needs
        y = z = None
        b_needs = c_needs = False
        if isinstance(b, Tensor):
            y, b_needs = b._data, b._needs
            if (type(x) is ndarray or type(x) is not type(y)) and x.dtype is not y.dtype:
                return general(*inputs, **options)
        elif operator and (type(b) is float or type(b) is int):
            y = b
        elif operator or b is not None:
            return general(*inputs, **options)
        if three and c is not None:
            z = getattr(c, "_data", None)
            if z is None or x.dtype is not z.dtype:
                return general(*inputs, **options)
            c_needs = c._needs
        recorded = a_needs or b_needs or c_needs
        alike = b is None or y is not b
        if not (recorded or x.dtype.kind == "f" or (takes_integers and alike)):
            return general(*inputs, **options)
        try:
            if three:
                result = quietly(forward, x, y, z, **options)
            elif options:
                result = quietly(forward, x, y, **options)
            else:
                result = quietly(forward, x, y)
        except (ValueError, RuntimeError) as error:
            result = after_failure(op, error, (x, y, z)[: len(inputs)], options)
        if type(result) is ndarray and not (result.ndim or view):
            result = result[()]
        if not recorded or (unusual and recording_is_off()):
            tensor = wrap(result, False, None)
            if view:
                tensor._become_view(a)
            noted = recorded or a._more or getattr(b, "_more", None)
            noted = noted or (three and getattr(c, "_more", None))
            return remember_masks(op, tensor, inputs, options) if noted else tensor
        if unusual or (not pointwise and result.dtype is not x.dtype):
            return finish(inputs, result, options, False)
        node = node_type()
        a_edge = b_edge = c_edge = None
        if a_needs:
            a_edge = a._node
            if a_edge is None and not (a._more and a._more.base_needs):
                a_edge = a
        if b_needs:
            b_edge = b._node
            if b_edge is None and not (b._more and b._more.base_needs):
                b_edge = b
        if three:
            if c_needs:
                c_edge = c._node
                if c_edge is None and not (c._more and c._more.base_needs):
                    c_edge = c
            node._next = (a_edge, b_edge, c_edge)
            node._constants = (
                a if a_edge is None else None,
                b if b_edge is None else None,
                c if c_edge is None else None,
            )
        else:
            node._next = (a_edge, b_edge)
            node._constants = None
            if a_edge is None or b_edge is None:
                node._constants = (a if a_edge is None else None, b if b_edge is None else None)
        node._sequence = next(sequence_numbers)
        node._saved = ()
        plan = plans[a_needs + 2 * b_needs + 4 * c_needs]
        if plan:
            saved_a = saved_b = None
            if plan[0]:
                saved_a = pin(a) if a._more else a
            if plan[1]:
                saved_b = pin(b) if y is not b and b._more else b
            if three:
                saved_c = (pin(c) if c is not None and c._more else c) if plan[2] else None
                node._saved = (saved_a, saved_b, saved_c, result if plan[3] else None)
            else:
                node._saved = (saved_a, saved_b, result if plan[2] else None)
        node._options = tuple(map(options.get, names, defaults)) if options else defaults
        if derived:
            node._options += tuple([read(inputs[place]) for place, read in derived])
        node._reduce = None
        if stretches and type(result) is ndarray:
            shape = result.shape
            a_back = (x.shape, None) if a_needs and a_stretches and x.shape != shape else None
            b_back = (y.shape, None) if b_needs and b_stretches and y.shape != shape else None
            if three:
                c_back = (z.shape, None) if c_needs and c_stretches and z.shape != shape else None
                if a_back or b_back or c_back:
                    node._reduce = (a_back, b_back, c_back)
            elif a_back or b_back:
                node._reduce = (a_back, b_back)
        place_node(node)
        node._version = node._extra = None
        tensor = new(Tensor)
        tensor._data, tensor._needs, tensor._node = result, True, node
        tensor._grad = tensor._more = None
        if view:
            tensor._become_view(a)
        return tensor

    return with_own_code(named(call, op))


def has_few_inputs(op: type[Op]) -> bool:
    """Return whether an operation has up to three inputs, all with a rule, and one result."""
    few = len(op.inputs) == len(op.rules) <= 3 and len(op.outputs) == 1
    return few and not (op.variadic or op.splits or op.freed_options or op.byproducts)


def for_operators(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns NotImplemented unless its second operand fits an operator."""

    def call(a: Any, b: Any) -> Any:
        return function(a, operand(b)) if is_operand(b) else NotImplemented

    return call


def stretching(op: type[Op]) -> list[bool]:
    """Return, for each of three inputs, whether it may be smaller than the result."""
    return [*(name in op.broadcasts for name in op.inputs), False, False][:3]
