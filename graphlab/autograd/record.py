"""Running an operation forward, and leaving a node behind for the backward pass.

`apply` does it for every operation. `unary` and `binary` are the same, written out for the
operations that a program is full of: they skip what those never need, and hand over to `apply`
when types or shapes are mixed.

Read next: autograd/engine.py
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.node import Node, Output, edge_of, extra, node_class, pin
from graphlab.dtypes import common, get_default_dtype
from graphlab.errors import ShapeError
from graphlab.ops.base import Op, needed
from graphlab.tensor import Tensor, next_sequence, share_memory, wrap

HERE = os.path.dirname(os.path.dirname(__file__))
OURS = frozenset(  # files whose lines are not the user's
    os.path.join(folder, name) for folder, _, names in os.walk(HERE) for name in names
)

_node_classes: dict[type[Op], type[Node]] = {}


def class_of(op: type[Op]) -> type[Node]:
    """The node class of an operation, made once."""
    found = _node_classes.get(op)
    if found is None:
        found = _node_classes[op] = node_class(op)
    return found


def users_place(depth: int) -> tuple[Any, int]:
    """The code object and instruction of the nearest caller that is not part of GraphLab."""
    frame: Any = sys._getframe(depth)
    while frame.f_code.co_filename in OURS and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


# -- every operation ---------------------------------------------------------------------------


def apply(op: type[Op], *inputs: Any, **options: Any) -> Any:
    """Run `op` on tensors, numbers or None, and record it: a tensor, or a tuple of tensors.

    A variadic operation takes its tensors as `inputs`. Raises ShapeError as PyTorch does.
    """
    if op.view:
        share_memory(inputs[0])
    data = [x._data if isinstance(x, Tensor) else x for x in inputs]
    if op.no_bool and any(type(x) is bool or getattr(x, "dtype", None) == np.bool_ for x in data):
        raise RuntimeError(op.no_bool)
    if op.types != "keep":
        data = promote(op, data)
    try:
        arguments = (tuple(data),) if op.variadic else data
        result = state.run(op.forward, *arguments, **options)
    except ValueError as error:
        raise shape_error(op, data, error) from None
    outputs = result if isinstance(result, tuple) else (result,)
    node = record(op, inputs, outputs, options) if state.grad_enabled else None
    tensors = tuple(_output(op, node, i, raw) for i, raw in enumerate(outputs))
    if op.view:
        for tensor in tensors:
            tensor._become_view(inputs[0])
    return tensors if isinstance(result, tuple) else tensors[0]


def _output(op: type[Op], node: Node | None, index: int, raw: Any) -> Tensor:
    if type(raw) is np.ndarray and raw.ndim == 0 and not op.view:
        raw = raw[()]
    if node is None or raw.dtype.kind != "f":
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
    if all(edge is None for edge in edges):
        return None
    needs = 1 if op.variadic else sum(1 << k for k, edge in enumerate(edges) if edge is not None)
    given = {**op.defaults, **options}
    node: Any = object.__new__(class_of(op))
    node._next = tuple(edges)
    node._sequence = next_sequence()
    node._saved = _saved(op, needed(op, needs), inputs, outputs)
    node._options = (
        *(given[name] for name in op.options),
        *(_derived(op, name, inputs) for name in op.derived),
    )
    history = {i for i, edge in zip(places, edges, strict=True) if edge is not None}
    constants = tuple(None if i in history else x for i, x in enumerate(inputs))
    node._constants = constants if any(x is not None for x in constants) else None
    node._reduce = _reductions(op, names, places, inputs, outputs)
    node._code, node._at = users_place(3)
    node._version = node._extra = None
    if op.splits:
        extra(node)["outputs"] = [(raw.shape, raw.dtype) for raw in outputs]
        if not op.materialize:
            extra(node)["materialize"] = False
    return node


def _saved(
    op: type[Op], wanted: frozenset[str], inputs: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Inputs, then outputs, None in the place of those that no rule asks for."""
    if op.variadic or not wanted.intersection((*op.inputs, *op.outputs)):
        return ()
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


def _derived(op: type[Op], name: str, inputs: tuple[Any, ...]) -> Any:
    """The value of a name such as `self_sym_sizes`: what a rule asks of an input's shape."""
    of, _, what = name.rpartition("_sym_")
    if op.variadic:
        return tuple(x._data.shape for x in inputs)
    given = inputs[op.inputs.index(of)]
    if given is None:
        return (0,)  # what PyTorch shows for the sizes of a bias that is not there
    x = given._data
    if what == "strides":  # PyTorch keeps them for the rule of this input only
        return tuple(step // x.itemsize for step in x.strides) if given._needs else ()
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
    for i in places:
        x = inputs[i]
        if not isinstance(x, Tensor) or not x._needs:
            found.append(None)
            continue
        own, result = x._data, outputs[0]
        stretched = names[i] in op.broadcasts and np.shape(own) != np.shape(result)
        cast = own.dtype != result.dtype
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
        return x if x.dtype == target else target.type(x)
    return target.type(x)


def shape_error(op: type[Op], data: list[Any], error: ValueError) -> Exception:
    """PyTorch's sentence for shapes that do not fit, or NumPy's where PyTorch has none."""
    shapes = [np.shape(x) for x in data if x is not None]
    if op.pointwise and len(shapes) > 1:
        a, b = shapes[-2:]
        for back in range(1, min(len(a), len(b)) + 1):
            if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
                return ShapeError(
                    f"The size of tensor a ({a[-back]}) must match the size of tensor b "
                    f"({b[-back]}) at non-singleton dimension {max(len(a), len(b)) - back}"
                )
    return ShapeError(f"{op.name}: {error} (shapes {', '.join(str(list(s)) for s in shapes)})")


# -- the operations that a program is full of --------------------------------------------------


def _is_floating(data: Any) -> bool:
    """Integers need a conversion, which `apply` makes. What needs a gradient is floating."""
    return data.dtype.kind == "f"


def unary(op: type[Op]) -> Callable[[Any], Tensor]:
    """The function of one tensor that runs and records a pointwise `op` without options."""
    forward, new, cls = op.forward, object.__new__, class_of(op)
    wanted = needed(op, 1)
    keep_input, keep_result = "self" in wanted, "result" in wanted

    def call(self: Any) -> Tensor:
        data = self._data
        if not (self._needs or _is_floating(data)):
            return apply(op, self)
        result = state.run(forward, data)
        if not (self._needs and state.grad_enabled):
            return wrap(result, False, None)
        node: Any = new(cls)
        target = self._node
        node._next = (self if target is None else target,)
        node._sequence = next_sequence()
        if keep_input:
            node._saved = (
                self if self._more is None else pin(self),
                result if keep_result else None,
            )
        else:
            node._saved = (None, result) if keep_result else ()
        node._options = ()
        node._constants = node._reduce = node._version = node._extra = None
        frame: Any = sys._getframe(1)
        if (code := frame.f_code).co_filename in OURS:
            node._code, node._at = users_place(2)
        else:
            node._code, node._at = code, frame.f_lasti
        tensor = new(Tensor)  # `wrap`, written out
        tensor._data = result
        tensor._needs = True
        tensor._node = node
        tensor._grad = tensor._more = None
        return tensor

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.__doc__
    return call


def binary(op: type[Op], alpha: bool = False) -> Callable[[Any, Any], Any]:
    """The function of two operands that runs and records a pointwise `op`.

    `alpha`: the operation has the option alpha, which is 1 when it is written as an operator.
    """
    forward, new, cls = op.forward, object.__new__, class_of(op)
    options = (1,) if alpha else ()
    self_, other_, result_ = op.inputs[0], op.inputs[1], op.outputs[0]
    kept = [
        (self_ in (wanted := needed(op, needs)), other_ in wanted, result_ in wanted)
        for needs in range(4)
    ]

    def call(self: Any, other: Any) -> Any:
        a = self._data
        kind = type(a)
        given: Any = other
        if isinstance(other, Tensor):
            b = other._data
            if kind is not type(b) or (kind is np.ndarray and a.dtype is not b.dtype):
                return apply(op, self, other)
            needs_other = other._needs
            if not (needs_other or self._needs or _is_floating(a)):
                return apply(op, self, other)
        else:
            b, needs_other = other, False
            if type(other) is not float and type(other) is not int:
                return apply(op, self, operand(other)) if is_operand(other) else NotImplemented
            if not (self._needs or _is_floating(a)):
                return apply(op, self, other)
        try:
            result = state.run(forward, a, b)
        except ValueError as error:
            raise shape_error(op, [a, b], error) from None
        needs_self = self._needs
        if not ((needs_self or needs_other) and state.grad_enabled):
            return wrap(result, False, None)
        node: Any = new(cls)
        next_self = next_other = constants = None
        if needs_self:
            next_self = self if self._node is None else self._node
        else:
            constants = (self, None)
        if needs_other:
            next_other = given if given._node is None else given._node
        else:
            constants = (None, other)
        node._next = (next_self, next_other)
        node._sequence = next_sequence()
        keep_self, keep_other, keep_result = kept[needs_self + 2 * needs_other]
        if keep_self or keep_other or keep_result:
            saved_self = saved_other = None
            if keep_self:
                saved_self = self if self._more is None else pin(self)
            if keep_other:
                saved_other = given if b is given or given._more is None else pin(given)
            node._saved = (saved_self, saved_other, result if keep_result else None)
        else:
            node._saved = ()
        node._options = options
        node._constants = constants
        node._version = node._extra = node._reduce = None
        if kind is np.ndarray and b is not other and a.shape != b.shape:
            node._reduce = (
                (a.shape, None) if needs_self and a.shape != result.shape else None,
                (b.shape, None) if needs_other and b.shape != result.shape else None,
            )
        frame: Any = sys._getframe(1)
        if (code := frame.f_code).co_filename in OURS:
            node._code, node._at = users_place(2)
        else:
            node._code, node._at = code, frame.f_lasti
        tensor = new(Tensor)  # `wrap`, written out
        tensor._data = result
        tensor._needs = True
        tensor._node = node
        tensor._grad = tensor._more = None
        return tensor

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.__doc__
    return call


def is_operand(x: Any) -> bool:
    """Whether `x` may stand beside a tensor: a number, or a NumPy scalar or array."""
    return isinstance(x, Tensor | int | float | np.generic | np.ndarray)


def operand(x: Any) -> Any:
    """What stands beside a tensor: NumPy's scalars count as Python numbers, arrays as tensors."""
    if isinstance(x, np.generic):
        return x.item()
    return wrap(x, False, None) if isinstance(x, np.ndarray) else x
