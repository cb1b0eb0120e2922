"""Operations in place: `x += 1`, `x.zero_()`, `x.mul_(y)`.

The operation runs as always, and its result is written into the memory of the tensor. The version
of the tensor goes up by one, by which a backward pass notices that a saved tensor has changed. What
becomes of the graph of the tensor, of its base and of its views is in autograd/views.py.

Read next: tensor/writing.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import state, unusual
from graphlab.autograd.node import edge_of
from graphlab.autograd.node_classes import node_class
from graphlab.autograd.record import apply
from graphlab.autograd.views import (
    SEVERAL,
    WRITTEN,
    before_the_change,
    check_change,
    new_node,
    rebase,
)
from graphlab.autograd.watch import changed_in_place, sample_now, watchers
from graphlab.common.dtypes import CATEGORY
from graphlab.common.errors import named_kind
from graphlab.common.public import mark
from graphlab.ops.base import registry
from graphlab.ops.elementwise import Clone
from graphlab.ops.writing import Compare, Copy, Zero
from graphlab.primitives.numpy_reading.strides import (
    address,
    is_expanded,
    span,
    strides_of,
    writeable,
)
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import can_fit, no_cast
from graphlab.tensor.functions.refusals import MOST, reordered
from graphlab.tensor.inplace_examples import documented
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.versions import next_sequence
from graphlab.tensor.writing import (
    FORWARDS,
    UFUNCS,
    check_fit,
    check_shared,
    computed_at_once,
    copy,
    fill,
    warn_if_expanded,
    written_at_once,
    zero,
)


def in_place(
    function: Callable[..., Tensor],
    repeats: Callable[..., bool] | None = None,
    operator: bool = False,
    alias: str = "",
) -> Callable[..., Tensor]:
    """Return the in-place form of a function: it overwrites the first argument.

    repeats: tells from the arguments whether entries may share memory, as after `expand`.
    operator: return NotImplemented for an invalid operand, as `+=` does; else raise TypeError.
    alias: the public name, if it is not the function's own.
    """

    name = function.__name__
    ufunc = UFUNCS.get(name)
    forward = registry[name].forward if name in FORWARDS else None
    most = MOST.get(name)

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if most is not None and len(args) >= most:
            every, kwargs = reordered(name, (self, *args), kwargs, f"{name}_")
            args = every[1:]
        if ufunc is not None and written_at_once(ufunc, self, args, kwargs):
            return self
        if forward is not None and computed_at_once(forward, self, args, kwargs):
            return self
        others = tensors_in((*args, *kwargs.values()) if kwargs else args)
        if unusual:
            check_shared(self, others)
        recording = is_recorded(self, others)
        check_change(self, recording)
        if repeats is None or not repeats(self, *args, **kwargs):
            check_memory(self, [] if function is fill else others, name == "index_add")
        elif name.endswith("_fill"):
            warn_if_expanded(self, name)
        if not recording:
            with_no_history = wrap(self._data, False, None)
            result = function(with_no_history, *args, **kwargs)
            if result is NotImplemented:
                return result if operator else refused(f"{name}_", args)
            fits(self, result)
            overwrite(self, result._data)
            if watchers:
                changed_in_place(self)
            return self
        if self._more is None or not self._more.inference:
            self._version_counter()  # its node must watch this counter, not that of the stand-in
        start = next_sequence()
        old = wrap(self._data, self._needs, self._node)  # stands in for `self` as it was
        result = function(old, *args, **kwargs)
        if result is NotImplemented:
            return result if operator else refused(f"{name}_", args)
        fits(self, result)
        if result._node is None and name in COMPARED:
            node = f"{COMPARED[name]}Backward{int(bool(others))}"
            result._node = (
                compared(old, others[0], result, node) if others else flat_node(old, node)
            )
        name_in_place(result._node)
        change(self, result, old, start)
        return self

    called = alias or name
    call.__name__ = call.__qualname__ = f"{called}_"
    call.__wrapped__ = function  # type: ignore[attr-defined]  # for inspect.signature
    code = getattr(function, "__wrapped__", function).__code__
    named = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    call.__doc__ = documented(called, [x for x in named if x != "out"])
    return call


def refused(name: str, args: tuple[Any, ...]) -> Any:
    """Raise TypeError for an argument that is not an operand."""
    raise TypeError(
        f"{name}(): argument 'other' (position 1) must be Tensor, not {named_kind(args[-1])}"
    )


COMPARED = {name: name.title() for name in ("eq", "ne", "lt", "le", "gt", "ge")} | {
    "not_equal": "Ne", "less": "Lt", "less_equal": "Le", "greater": "Gt", "greater_equal": "Ge",
}  # fmt: skip
_flat_classes: dict[str, Any] = {}


def name_in_place(node: Any) -> None:
    """Give a node, or None, the name that PyTorch gives it when the operation runs in place."""
    if node is not None and node.op.in_place_node:
        renamed(node, node.op.in_place_node)


def flat_node(old: Tensor, name: str) -> Any:
    """Return the node of a change that ignores the old entries: their gradient is 0."""
    return renamed(apply(Zero, old)._node, name)


def renamed(node: Any, name: str) -> Any:
    """Return the node under another name; None where there is none."""
    if node is None:
        return None
    if name not in _flat_classes:
        fields = {"__slots__": (), "__module__": "builtins"}
        kind: Any = type(node)
        _flat_classes[name] = type(kind)(name, (kind,), fields)
    node.__class__ = _flat_classes[name]
    return node


def compared(old: Tensor, other: Tensor, result: Tensor, name: str) -> Any:
    """Return the node of a comparison with a tensor: the gradient of both is 0."""
    return renamed(apply(Compare, old, other, found=np.asarray(result._data))._node, name)


def filled(self: Tensor, data: Any, name: str) -> Tensor:
    """Write data over all entries; `name` is that of the node, where it is recorded."""
    recording = is_recorded(self, [])
    check_change(self, recording)
    check_memory(self, [])
    if not recording:
        overwrite(self, data)
        if watchers:
            changed_in_place(self)
        return self
    self._version_counter()
    start = next_sequence()
    old = wrap(self._data, self._needs, self._node)
    change(self, wrap(data, False, flat_node(old, name)), old, start)
    return self


def tensors_in(things: Any) -> list[Tensor]:
    """Return the tensors among arguments, and in tuples and lists among them."""
    found = []
    for thing in things:
        if isinstance(thing, Tensor):
            found.append(thing)
        elif isinstance(thing, tuple | list):
            found += tensors_in(thing)
    return found


def is_recorded(self: Tensor, others: list[Tensor]) -> bool:
    """Return whether a change of `self` leaves a node: one of the tensors requires a gradient."""
    if not state.recording or self._data.dtype.kind != "f":
        return False
    return self._needs or any(other._needs for other in others)


def check_memory(self: Tensor, others: list[Tensor], apart: bool = False) -> None:
    """Raise RuntimeError when an entry is written that is also read, or written twice.

    apart: whether the same memory as a whole is refused, too.
    """
    data = self._data
    if not isinstance(data, np.ndarray):
        return
    if is_expanded(data):
        raise RuntimeError(SEVERAL.format(WRITTEN))
    more = self._more
    for other in others:
        theirs = other._more
        if more is None or theirs is None or more.version is not theirs.version:
            continue  # no memory is shared
        fit = can_fit(other._data.shape, data.shape)  # or computing the result raises an error
        if fit and more.version is not None and partly_the_same(data, other._data, apart):
            some = "some elements of the input tensor and the written-to tensor refer"
            raise RuntimeError(SEVERAL.format(some))


def overlaps(data: Any) -> bool:
    """Return whether several entries of an array are one place in memory."""
    return type(data) is np.ndarray and is_expanded(data)


def partly_the_same(a: np.ndarray, b: np.ndarray, or_all: bool = False) -> bool:
    """Return whether two arrays without gaps share some of their memory, but not all of it.

    or_all: whether all of it counts, too.
    """
    if not all(span(x.shape, strides_of(x)) == x.size > 0 for x in (a, b)):
        return False
    first, second = address(a), address(b)
    if first == second and a.nbytes == b.nbytes and not or_all:
        return a.shape != b.shape or strides_of(a) != strides_of(b)
    return first < second + b.nbytes and second < first + a.nbytes


def fits(self: Tensor, result: Tensor) -> None:
    """Raise RuntimeError, in PyTorch's words, when the result has another shape or kind."""
    data, own = result._data, self._data
    if data.shape != own.shape:
        check_fit(self.shape, result.shape)
    if CATEGORY[data.dtype.kind] > CATEGORY[own.dtype.kind]:
        raise no_cast(result, self)


def overwrite(self: Tensor, data: Any) -> None:
    """Write data into the memory of `self`, cast to its type, and raise its version."""
    own, data = self._data, np.asarray(data)
    if own.dtype != data.dtype:
        with np.errstate(all="ignore"):
            data = data.astype(own.dtype)
    if isinstance(own, np.generic):
        self._data = data[()]
    else:
        if not own.flags.writeable:
            own = writeable(own)
        if overlaps(own):  # write only what is new
            bits = f"u{own.itemsize}"  # nan is nan, and -0 is not 0
            new = own.view(bits) != data.view(bits)
            own[new] = data[new]
        else:
            own[...] = data
    if self._more is None or not self._more.inference:
        self._version_counter().advance()


def change(self: Tensor, result: Tensor, old: Tensor, start: int) -> None:
    """Write a recorded result into the memory of `self`, which takes over its history.

    old: stands in for `self` as it was. start: nodes with a higher sequence number made the result.
    """
    made = result._node
    node: Any = getattr(made, "node", made)
    if node is not None and node._sequence > start:
        if self._base is not None and (node is not made or node._next[0] is not edge_of(old)):
            made = apply(Copy, old, result, dtype=old._data.dtype)._node  # one copy, not several
            node = made
        keep(old, node, start)
    data, own = result._data, self._data
    before = before_the_change(self)
    was = watchers and old._node is not None and sample_now(self)
    overwrite(self, data)
    if was:
        changed_in_place(self, old._node, was)
    if node is None:
        return
    counter = self._version_counter()
    if node._saved and len(node._saved) > len(node.op.inputs):
        node._version = (counter, counter.count)
        if isinstance(own, np.ndarray) and own.dtype == data.dtype:  # the result is in `self` now
            node._saved = tuple(own if saved is data else saved for saved in node._saved)
    rebase(self, made, before)


def keep(old: Tensor, node: Any, start: int) -> None:
    """Copy the old entries for a node that has saved them."""
    stack, seen = [node], set()
    while stack:
        node = stack.pop()
        if node is None or isinstance(node, Tensor) or node in seen or node._sequence <= start:
            continue
        seen.add(node)
        if any(item is old for item in (*(node._saved or ()), *(node._constants or ()))):
            edge = edge_of(old)
            old._data = np.copy(old._data)[()]
            if edge is not None:
                old._node = new_node(node_class(Clone), (edge,), (), ())
            return
        stack += [getattr(target, "node", target) for target in node._next]


zero_ = in_place(zero, repeats=lambda self: True)
fill_ = in_place(fill, repeats=lambda self, value: not isinstance(value, Tensor))
copy_ = in_place(copy, repeats=lambda self, src, *_, **__: src is self)


def __getattr__(name: str) -> Any:
    """Return the in-place form of a function of tensor/functions, made on first use: `add_`.

    `operator_add` is that of the operator `+=`.
    """
    if name.startswith("operator_"):
        found = in_place(getattr(F, name.removeprefix("operator_")), operator=True)
    elif name.endswith("_") and not name.startswith("_"):
        one = name in ("masked_fill_", "index_fill_", "tril_", "triu_")
        repeats = (lambda *_, **__: True) if one else None
        found = in_place(getattr(F, name[:-1]), repeats, alias=name[:-1])
    else:
        raise AttributeError(f"module 'graphlab.tensor.inplace' has no attribute {name!r}")
    globals()[name] = found
    return found


mark(
    "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ "
    "atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ "
    "exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ lcm_ ldexp_ log10_ log1p_ "
    "log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ "
    "sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_"
)
mark("copy fill zero", function=False, in_place=True)
