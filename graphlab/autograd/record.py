"""Running an operation forward, and leaving a node behind for the backward pass.

`in_full` does it for every operation and for operands of every kind. `apply` gets there by a
shortcut, a function that is written for the operation when it is first used, and that does the
same for tensors of one floating type.

Read next: autograd/shortcut.py
"""

import builtins
import os
import sys
import types
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from graphlab.autograd.classes import node_class
from graphlab.autograd.grad_mode import quietly, state, unusual
from graphlab.autograd.held import pin
from graphlab.autograd.node import Node, Output, edge_of, extra
from graphlab.autograd.watch import made
from graphlab.common.dtypes import NO_COMPLEX, common, find, get_default_dtype
from graphlab.common.errors import WRITTEN, ShapeError
from graphlab.ops.base import Op, needed
from graphlab.tensor.tensor import Tensor, share_memory, wrap
from graphlab.tensor.versions import clock, next_sequence

OURS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")  # where our code lies

class Files(dict[str, bool]):
    """Whether a file is GraphLab's own, not the user's: asked once for each name."""

    def __missing__(self, name: str) -> bool:
        self[name] = found = name.startswith((OURS, *WRITTEN))
        return found


ours = Files()


def users_place() -> tuple[Any, int]:
    """The code object and instruction of the nearest caller that is not part of GraphLab."""
    frame: Any = sys._getframe(2)
    code = frame.f_code
    while ours[code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lasti


# -- every operation ---------------------------------------------------------------------------


def recorder(op: type[Op]) -> Callable[..., Any]:
    """The function that runs and records `op`, on tensors, numbers or None, of whatever types.

    It takes the inputs in their order, and the options by name. A variadic operation takes its
    tensors as inputs. It raises ShapeError as PyTorch does.
    """
    forward, defaults = op.forward, op.defaults

    def call(*inputs: Any, **options: Any) -> Any:
        if not op.variadic and not isinstance(inputs[0], Tensor):
            check_first(op, inputs)
        if op.view:
            share_memory(inputs[0])
        data = [x._data if isinstance(x, Tensor) else x for x in inputs]
        if not of_one_type(data):
            if op.no_bool or op.kernel:
                check_types(op, data)
            if op.types != "keep":
                data = promote(op, data)
        arguments = (tuple(data),) if op.variadic else data
        try:
            result = quietly(forward, *arguments, **options)
        except (ValueError, RuntimeError) as error:
            result = again(op, error, arguments, options)
        outputs = result if isinstance(result, tuple) else (result,)
        node = None
        if not unusual or state.grad_enabled:
            node = record(op, inputs, data, outputs, {**defaults, **options})
        if len(outputs) == 1 and outputs is not result:
            tensor = wrapped_output(op, node, 0, result)
            if op.view:
                tensor._become_view(inputs[0], op.splits)
            return tensor
        tensors = tuple([wrapped_output(op, node, i, raw) for i, raw in enumerate(outputs)])
        if op.view:
            for tensor in tensors:
                tensor._become_view(inputs[0], op.splits)
        return tensors

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.__doc__
    return call


def of_one_type(data: list[Any]) -> bool:
    """Whether all inputs that are there are arrays of one floating type: as nearly always."""
    first = getattr(data[0], "dtype", None)
    if first is None or first.kind != "f":
        return False
    for x in data:
        if x is not None and getattr(x, "dtype", None) is not first:
            return False
    return True


def wrapped_output(op: type[Op], node: Node | None, index: int, raw: Any) -> Tensor:
    """The tensor around one result of a forward, with the node behind it."""
    if type(raw) is np.ndarray and raw.ndim == 0 and not op.view:
        raw = raw[()]
    if node is None or raw.dtype.kind != "f":
        return wrap(raw, False, None)
    if op.byproducts and op.outputs[index] in op.byproducts:
        return wrap(raw, False, None)
    return wrap(raw, True, Output(node, index) if op.splits else node)


def record(
    op: type[Op],
    inputs: tuple[Any, ...],
    data: list[Any],
    outputs: tuple[Any, ...],
    options: dict[str, Any],
) -> Node | None:
    """Make the node; None when no input that has a rule needs a gradient."""
    names = op.inputs * len(inputs) if op.variadic else op.inputs
    rules = op.rules
    edges, constants, needs, bit = [], [], 0, 1
    for name, x in zip(names, inputs, strict=True):
        needed = isinstance(x, Tensor) and x._needs
        if name in rules:
            edges.append(edge_of(x) if needed else None)
            if needed:
                needs |= bit
                x = None
            bit <<= 1
        constants.append(x)
    if not needs:
        return None
    cls = node_classes.get(op) or node_class(op)
    node: Any = new(cls)
    node._next = tuple(edges)
    node._constants = None if all_none(constants) else tuple(constants)
    node._sequence = next(clock)
    node._saved = saved_values(op, needs, inputs, outputs)
    node._options = tuple([options[name] for name in op.options])
    if op.derived:
        node._options += tuple([derived(op, name, inputs) for name in op.derived])
    node._reduce = reductions(op, names, inputs, data, outputs[0])
    place_node(node)
    node._version = node._extra = None
    if op.splits:
        extra(node)["outputs"] = [(raw.shape, raw.dtype) for raw in outputs]
        if not op.materialize:
            extra(node)["materialize"] = False
    if unusual:
        made(node)
    return node


def all_none(things: list[Any]) -> bool:
    for thing in things:  # noqa: SIM110  (a loop, for it is run often)
        if thing is not None:
            return False
    return True


def saved_values(
    op: type[Op], needs: int, inputs: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Inputs, then outputs, None in the place of those that no rule asks for.

    needs: bit i says that the differentiable input i needs a gradient.
    """
    plan = op.saved_for.get(needs)
    if plan is None:
        plan = op.saved_for[needs] = wanted_places(op, needs)
    if not plan:
        return op.blanks if op.held else ()
    values = (*inputs, *named_outputs(op, outputs))
    return tuple(
        [
            None if not wanted else pin(x) if isinstance(x, Tensor) else x
            for wanted, x in zip(plan, values, strict=True)
        ]
    )


def wanted_places(op: type[Op], needs: int) -> tuple[bool, ...]:
    """For each input and output, whether a rule asks for it; () when none is asked for."""
    if op.variadic:
        return ()
    wanted = needed(op, (1 << len(op.rules)) - 1 if op.variadic else needs)
    places = tuple([name in wanted for name in (*op.inputs, *op.outputs)])
    return places if any(places) else ()


def named_outputs(op: type[Op], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs that rules can ask for: the parts of a split have no names."""
    return (None,) if op.splits and len(op.outputs) == 1 else outputs


def reductions(
    op: type[Op], names: tuple[str, ...], inputs: tuple[Any, ...], data: list[Any], result: Any
) -> tuple[Any, ...] | None:
    """For each differentiable input, the (shape, dtype) to bring its gradient back to, or None."""
    dtype, broadcasts, found, some = result.dtype, op.broadcasts, [], False
    mixed = False  # a rule may multiply by another input, which may be wider than the result
    for x in inputs:
        if isinstance(x, Tensor) and x._data.dtype is not dtype and x._data.dtype.kind != "b":
            mixed = True
    for name, x in zip(names, inputs, strict=True):
        if name not in op.rules:
            continue
        back = None
        if isinstance(x, Tensor) and x._needs:
            own = x._data
            stretched = name in broadcasts and own.shape != result.shape
            if stretched or mixed:
                back = (own.shape if stretched else None, own.dtype if mixed else None)
                some = True
        found.append(back)
    return tuple(found) if some else None


def strides_of(x: Any) -> tuple[int, ...]:
    """How far apart the entries lie along each dimension, counted in entries."""
    n = x.itemsize
    if x.ndim == 2:
        rows, columns = x.strides
        return (rows // n, columns // n)
    return tuple([step // n for step in x.strides])


def derived(op: type[Op], name: str, inputs: tuple[Any, ...]) -> Any:
    """The value of a name such as `self_sym_sizes`: what a rule asks of an input's shape."""
    of, _, what = name.rpartition("_sym_")
    if op.variadic:
        return tuple(x._data.shape for x in inputs)
    given = inputs[op.inputs.index(of)]
    if given is None:
        return (0,)  # what PyTorch shows for the sizes of a bias that is not there
    x = given._data
    if what == "strides":  # PyTorch keeps them for the rule of this input only
        return strides_of(x) if given._needs else ()
    if what.startswith("argsize_"):  # one size: argsize_0, argsize_minus_1
        return x.shape[int(what[len("argsize_") :].replace("minus_", "-"))]
    return int(x.size) if what == "numel" else x.shape


def _reductions(
    op: type[Op],
    names: tuple[str, ...],
    places: list[int],
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
) -> tuple[Any, ...] | None:
    """For each differentiable input, the (shape, type) to bring its gradient back to, or None."""
    found = []
    # a rule may multiply by another input, which may be wider than the result
    kinds = {x._data.dtype for x in inputs if isinstance(x, Tensor) and x._data.dtype.kind != "b"}
    mixed = len(kinds) > 1
    for i in places:
        x = inputs[i]
        if not isinstance(x, Tensor) or not x._needs:
            found.append(None)
            continue
        own, result = x._data, outputs[0]
        stretched = names[i] in op.broadcasts and np.shape(own) != np.shape(result)
        cast = mixed or own.dtype != result.dtype
        back = (np.shape(own) if stretched else None, own.dtype if cast else None)
        found.append(back if stretched or cast else None)
    return tuple(found) if any(found) else None


def promote(op: type[Op], data: list[Any]) -> list[Any]:
    """Bring the inputs to one type. Python numbers stay: they take the type of the others."""
    present = [x for x in data if x is not None and not (type(x) is bool or _is_mask(op, data, x))]
    if not present:
        return data
    target = common(present)
    if op.types == "float" and target.kind != "f":
        target = get_default_dtype().numpy
    return [_cast(x, target) if any(x is p for p in present) else x for x in data]


def _is_mask(op: type[Op], data: list[Any], x: Any) -> bool:
    """The condition of a `where` chooses; it takes no part in the type of the result."""
    return op.inputs[0] == "condition" and x is data[0]


def _cast(x: Any, target: np.dtype) -> Any:
    if isinstance(x, np.ndarray):
        return x if x.dtype == target else x.astype(target)
    if isinstance(x, np.generic):
        return x if x.dtype == target else x.astype(target)
    return wrapped(x).astype(target) if target.kind in "iu" else target.type(x)


def wrapped(number: int) -> np.int64:
    """A Python integer of 64 bits; as a smaller type it wraps around. Raises: OverflowError."""
    if not -(1 << 63) <= number < 1 << 63:
        raise OverflowError("int too big to convert")
    return np.int64(number)


def shape_error(op: type[Op], data: list[Any], error: ValueError) -> Exception:
    """PyTorch's sentence for shapes that do not fit, or NumPy's where PyTorch has none."""
    shapes = [np.shape(x) for x in data if x is not None]
    if op.pointwise and len(shapes) > 1:
        for a, b in combinations(shapes, 2):
            if found := broadcast_error(a, b):
                return found
    return ShapeError(f"{op.name}: {error} (shapes {', '.join(str(list(s)) for s in shapes)})")


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> ShapeError | None:
    """PyTorch's sentence for two shapes that do not fit together; None when they do."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return ShapeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b "
                f"({b[-back]}) at non-singleton dimension {max(len(a), len(b)) - back}"
            )
    return None


#CUT

