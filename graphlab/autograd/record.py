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

node_classes: dict[type[Op], type[Node]] = {}


def class_of(op: type[Op]) -> type[Node]:
    """The node class of an operation, made once."""
    found = node_classes.get(op)
    if found is None:
        found = node_classes[op] = node_class(op)
    return found


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


def in_full(op: type[Op], inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Run `op` on tensors, numbers or None, of whatever types, and record it.

    A variadic operation takes its tensors as `inputs`. Raises ShapeError as PyTorch does.
    """
    if not op.variadic and not isinstance(inputs[0], Tensor):
        check_first(op, inputs)
    if op.view:
        share_memory(inputs[0])
    data = [x._data if isinstance(x, Tensor) else x for x in inputs]
    if op.no_bool:
        bools = [type(x) is bool or getattr(x, "dtype", None) == np.bool_ for x in data]
        if any(bools):
            raise RuntimeError((all(bools) and op.no_bools) or op.no_bool)
    if op.kernel:
        check_kind(op, data)
    if op.types != "keep":
        data = promote(op, data)
    arguments = [tuple(data)] if op.variadic else data
    try:
        result = quietly(op.forward, *arguments, **options)
    except (ValueError, RuntimeError) as error:
        result = again(op, error, arguments, options)
    return finish(op, inputs, result, options)


def check_first(op: type[Op], inputs: tuple[Any, ...]) -> None:
    """Raises: TypeError when the first input is no tensor; in arithmetic it may be a number."""
    first = inputs[0]
    if op.name in ("add", "sub", "mul", "div") and isinstance(first, int | float):
        return
    raise TypeError(
        f"{op.name}(): argument 'input' (position 1) must be Tensor, not {type(first).__name__}"
    )


def check_kind(op: type[Op], data: list[Any]) -> None:
    """Raises: NotImplementedError, in PyTorch's words, for entries of another kind."""
    kernel, _, kinds = op.kernel.partition(":")
    kind = common([x for x in data if x is not None])
    if kind.kind not in kinds:
        name = find(kind).legacy.removesuffix("Tensor")
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{name}'")


def again(op: type[Op], error: Exception, data: list[Any], options: dict[str, Any]) -> Any:
    """What to do when a forward failed: when only the quiet context was taken, run it without.

    Another thread may be in it, or this one, when a finalizer computes with tensors.
    """
    if isinstance(error, RuntimeError) and str(error).startswith("cannot enter context"):
        try:
            with np.errstate(all="ignore"):
                return op.forward(*data, **options)
        except ValueError as another:
            error = another
    if isinstance(error, ValueError):
        raise shape_error(op, data, error) from None
    raise error


def finish(op: type[Op], inputs: tuple[Any, ...], result: Any, options: dict[str, Any]) -> Any:
    """The tensor, or the tuple of tensors, around what a forward gave, with a node behind it."""
    outputs = result if isinstance(result, tuple) else (result,)
    node = record(op, inputs, outputs, options) if state.grad_enabled else None
    tensors = tuple(_output(op, node, i, raw) for i, raw in enumerate(outputs))
    if op.view:
        for tensor in tensors:
            tensor._become_view(inputs[0], op.splits)
    return tensors if isinstance(result, tuple) else tensors[0]


def became_view(tensor: Tensor, base: Tensor) -> Tensor:
    """The tensor, which shares the memory of `base`, and its version counter from now on."""
    tensor._become_view(base)
    return tensor


def _output(op: type[Op], node: Node | None, index: int, raw: Any) -> Tensor:
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
    outputs: tuple[Any, ...],
    options: dict[str, Any],
) -> Node | None:
    """Make the node; None when no differentiable input needs a gradient."""
    names = op.inputs * len(inputs) if op.variadic else op.inputs
    places = [i for i, name in enumerate(names) if name in op.rules]
    edges = [edge_of(inputs[i]) if isinstance(inputs[i], Tensor) else None for i in places]
    asking = [isinstance(inputs[i], Tensor) and inputs[i]._needs for i in places]
    if not any(asking):
        return None
    needs = 1 if op.variadic else sum(1 << k for k, asks in enumerate(asking) if asks)
    given = {**op.defaults, **options}
    node: Any = class_of(op)()
    node._next = tuple(edges)
    node._sequence = next_sequence()
    node._saved = _saved(op, needed(op, needs), inputs, outputs)
    node._options = (
        *(given[name] for name in op.options),
        *(derived(op, name, inputs) for name in op.derived),
    )
    history = {i for i, asks in zip(places, asking, strict=True) if asks}
    constants = tuple(None if i in history else x for i, x in enumerate(inputs))
    node._constants = constants if any(x is not None for x in constants) else None
    node._reduce = _reductions(op, names, places, inputs, outputs)
    node._code, node._at = users_place()
    node._version = node._extra = None
    if op.splits:
        extra(node)["outputs"] = [(raw.shape, raw.dtype) for raw in outputs]
        if not op.materialize:
            extra(node)["materialize"] = False
    if unusual:
        made(node)
    return node


def _saved(
    op: type[Op], wanted: frozenset[str], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Inputs, then outputs, None in the place of those that no rule asks for."""
    if op.variadic or not wanted.intersection((*op.inputs, *op.outputs)):
        return op.blanks if op.held else ()
    return (
        *(
            (pin(x) if isinstance(x, Tensor) else x) if name in wanted else None
            for name, x in zip(op.inputs, inputs, strict=True)
        ),
        *(
            raw if name in wanted else None
            for name, raw in zip(op.outputs, named_outputs(op, outputs), strict=True)
        ),
    )


def named_outputs(op: type[Op], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs that rules can ask for: the parts of a split have no names."""
    return (None,) if op.splits and len(op.outputs) == 1 else outputs


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


# -- the operations that a program is full of --------------------------------------------------


def recorder(op: type[Op], operator: bool = False) -> Callable[..., Any]:
    """The function that runs and records `op`: the shortcut, which is written on the first call.

    operator: the second operand may be a number, options have their defaults.
    """
    names = {**_SHORTCUT_NAMES, "op": op, "operator": operator}
    function: Any = types.FunctionType(_first_call.__code__, names, op.name)
    function.__doc__ = op.__doc__
    names["function"] = function
    return function


def _first_call(*inputs: Any, **options: Any) -> Any:
    mine = globals()  # each recorder has names of its own
    write_shortcut(mine["function"], mine["op"], mine["operator"])
    return mine["function"](*inputs, **options)


def write_shortcut(function: Any, op: type[Op], operator: bool) -> None:
    """Give a recorder the code that `source` writes for its operation."""
    from graphlab.autograd.shortcut import functions_of, has_shortcut, source

    names = function.__globals__
    if has_shortcut(op):
        names.update(node_class=class_of(op), **functions_of(op))
        text, place = source(op, operator), os.path.join(OURS, f"<{op.name}>")
        written: dict[str, Any] = {}
        exec(compile(text, place, "exec"), names, written)
        function.__code__ = written[op.name].__code__
        function.__kwdefaults__ = None if operator else op.defaults
    else:
        function.__code__ = _no_shortcut.__code__


def _no_shortcut(*inputs: Any, **options: Any) -> Any:
    return in_full(globals()["op"], inputs, options)


def unary(op: type[Op]) -> Callable[[Any], Tensor]:
    """The function of one tensor that runs and records an `op` without options."""
    return recorder(op)


def binary(op: type[Op]) -> Callable[[Any, Any], Any]:
    """The function of two operands that runs and records a pointwise `op`."""
    return recorder(op, operator=True)


_recorders: dict[type[Op], Callable[..., Any]] = {}


def apply(op: type[Op], *inputs: Any, **options: Any) -> Any:
    """Run `op` on tensors, numbers or None, and record it: a tensor, or a tuple of tensors.

    A variadic operation takes its tensors as `inputs`. Raises ShapeError as PyTorch does.
    """
    return (_recorders.get(op) or applied(op))(*inputs, **options)


def applied(op: type[Op]) -> Callable[..., Any]:
    """The function that `apply` calls for an operation: who uses it much may hold it."""
    found = _recorders.get(op)
    if found is None:
        found = _recorders[op] = recorder(op)
    return found


def is_operand(x: Any) -> bool:
    """Whether `x` may stand beside a tensor: a number, or a NumPy scalar or array.

    Raises: TypeError for complex numbers.
    """
    if isinstance(x, complex):
        raise TypeError(NO_COMPLEX)
    return isinstance(x, Tensor | int | float | np.generic | np.ndarray)


def operand(x: Any) -> Any:
    """What stands beside a tensor: NumPy's scalars count as Python numbers, arrays as tensors."""
    if isinstance(x, np.generic):
        return x.item()
    return wrap(x, False, None) if isinstance(x, np.ndarray) else x


_SHORTCUT_NAMES: dict[str, Any] = {
    "__builtins__": builtins,
    "Tensor": Tensor,
    "again": again,
    "became_view": became_view,
    "clock": clock,
    "derived": derived,
    "edge_of": edge_of,
    "finish": finish,
    "getframe": sys._getframe,
    "in_full": in_full,
    "is_operand": is_operand,
    "ndarray": np.ndarray,
    "new": object.__new__,
    "operand": operand,
    "ours": ours,
    "pin": pin,
    "quietly": quietly,
    "share_memory": share_memory,
    "strides_of": strides_of,
    "unusual": unusual,
    "users_code": None,  # the code of the last caller that was the user's
    "wrap": wrap,
    "write_shortcut": write_shortcut,
}
