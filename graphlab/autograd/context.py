"""The `ctx` of a custom Function, which is the node that it leaves behind.

Read next: autograd/function.py
"""

import warnings
from typing import Any, ClassVar

import numpy as np

from graphlab.autograd.grad_mode import state
from graphlab.autograd.introspection import ATTRIBUTES, InputMetadata, NodeType
from graphlab.autograd.node import Node, Output, Pinned, edge_of, extra
from graphlab.autograd.saved import modified, unpin
from graphlab.autograd.saved_tensor_hooks import Packed, SavedTensor
from graphlab.common.errors import GraphFreedError, users_level
from graphlab.ops.base import Op
from graphlab.primitives import tensor_namespace
from graphlab.primitives.numpy_reading.shapes import sum_to
from graphlab.tensor.tensor import Tensor, wrap

ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
    "autograd.Function. Either access saved_tensors only once, or set "
    "clear_saved_tensors_on_access=False."
)


class Custom(Op):
    """The operation of every custom Function. It has no formula: the user's class has it."""

    node, symbol, types = "CustomBackward", "ƒ", "keep"

    def forward(tensors):  # pyright: ignore[reportSelfClsParameterName]
        raise NotImplementedError("a custom Function runs its own forward")


class FunctionCtx:
    """The methods with which a forward, or a setup_context, describes itself."""

    __slots__ = ()
    __module__ = "torch.autograd.function"

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward pass: inputs, outputs, or neither."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`, which finds them in `saved_tensors`."""
        if not all(tensor is None or isinstance(tensor, Tensor) for tensor in tensors):
            raise AssertionError(
                "save_for_forward expects all arguments to be tensors; you should save non-tensors "
                "as attributes on ctx."
            )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare which inputs the forward changes in place; it must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward gets zeros (True) or None for unused outputs."""
        self.materialize_grads = value


class SavedOutput:
    """A saved output as data alone, so that node and tensor do not hold each other."""

    __slots__ = ("data", "floating", "index")

    def __init__(self, tensor: Tensor, index: int) -> None:
        self.data = tensor._data
        self.floating = tensor._needs
        self.index = index


class Context(Node, FunctionCtx):
    """The node of a custom Function: it runs the user's backward."""

    __slots__ = ("__dict__",)
    op = Custom
    many = always_runs = unpacks_itself = True
    one_rule_each = False

    # what PyTorch's ctx holds besides
    dirty_tensors: Any = None
    materialize_grads: Any = None  # None: not set, which means True
    non_differentiable: Any = None
    saved_for_forward: Any = None
    to_save: Any = None
    _compiled_autograd_backward_state: Any = None
    _is_pure_view: Any = None
    _stops: ClassVar[bool] = False  # let no gradient through where a `jvp` has given tangents
    _materialize_non_diff_grads: Any = True
    function: ClassVar[Any]

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        return self.__dict__["_needs_input_grad"]

    @property
    def requires_grad(self) -> bool:
        return any(self.needs_input_grad)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept; outputs come back with their history."""
        if self._saved is None:
            raise GraphFreedError
        if self._version is not None:
            check_outputs(self)
        own: Any = self.__dict__
        if "_read" in own:
            raise RuntimeError(ONCE)
        values = tuple(map(self._unsaved, self._saved))
        if self.function.clear_saved_tensors_on_access:
            own["_read"], self._saved = True, ()
        return values

    def _unsaved(self, item: Any) -> Any:
        if isinstance(item, Packed):
            return item.unpack(self, recorded=state.grad_enabled and bool(state.passes))
        if isinstance(item, SavedOutput):
            return self.output(item.index, item.data, item.floating)
        return unpin(item, True)

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'",
            DeprecationWarning,
            stacklevel=users_level(),
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        if self._saved is None:
            raise GraphFreedError
        return tuple(SavedTensor(self, place) for place in range(len(self._saved)))

    def saved_origin(self, place: int) -> tuple[Tensor, Any]:
        item = self._saved[place]
        if isinstance(item, SavedOutput):
            return self._unsaved(item), item.index if item.floating else None
        tensor = item.tensor if isinstance(item, Pinned) else item
        return tensor, edge_of(tensor)

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        known = (self._extra or {}).get("outputs", ())
        return tuple(InputMetadata(wrap(np.empty(*k), False, None)) for k in known if k is not None)

    @property
    def _autograd_function_id(self) -> int:
        return self.__dict__["_id"]

    @property
    def _forward_cls(self) -> Any:
        return self.function

    def __dir__(self) -> list[str]:
        names = {*vars(Context), *vars(FunctionCtx), *self.__dict__, *ATTRIBUTES, *dir(object)}
        return sorted(names - HIDDEN)

    def finish(self, outputs: tuple[Any, ...]) -> None:
        """Store the shapes and types of the outputs, for the zeros of missing gradients."""
        without = () if self._materialize_non_diff_grads else self.non_differentiable or ()
        shapes = [
            (t._data.shape, t._data.dtype)
            if isinstance(t, Tensor) and not any(t is one for one in without)
            else None
            for t in outputs
        ]
        zeros = self.materialize_grads is None or bool(self.materialize_grads)
        extra(self).update(outputs=shapes, materialize=zeros)

    # -- the backward pass -----------------------------------------------------------------------

    def vjp(self, grads: Any) -> tuple[Any, ...]:
        """Run the user's backward on tensors; return the gradients as raw data."""
        tensors = tuple(None if g is None else wrap(g, False, None) for g in grads)
        return tuple(
            None if g is None else np.array(g._data)[()] for g in self.vjp_tensors(tensors)
        )

    def vjp_tensors(self, grads: Any) -> tuple[Any, ...]:
        if Context._stops and "_jvp" in self.__dict__:
            return (None,) * len(self._next)
        result = self.apply(*grads)
        return check_gradients(self, result if isinstance(result, tuple) else (result,))

    def apply(self, *grads: Any) -> Any:
        """Run the user's backward."""
        return self.function.backward_of_user()(self, *grads)

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")


NodeType.hidden.append(Context)
HIDDEN = {
    "_id", "_jvp", "_needs_input_grad", "_others", "_outputs", "_places", "_read", "_shapes",
    "_stops", "_types", "_unsaved", "always_runs", "finish", "function", "many",
    "one_rule_each", "op", "saved_origin", "unpacks_itself", "vjp", "vjp_tensors",
    "__annotations__", "__call__", "__dict__", "__module__", "__slots__",
}  # fmt: skip


def check_outputs(ctx: Context) -> None:
    """Raise ModifiedInPlaceError when a saved output was changed since."""
    version, expected = ctx._version
    for item in ctx._saved:
        if isinstance(item, SavedOutput) and version.count != expected:
            raise modified(item.data, Output(ctx, item.index), version.count, expected)


def check_gradients(ctx: Context, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the gradients of the tensor inputs. Raises: RuntimeError when they do not fit."""
    name = type(ctx).__name__
    own = ctx.__dict__
    needs, shapes = ctx.needs_input_grad, own["_shapes"]
    if len(given) < len(needs) or any(grad is not None for grad in given[len(needs) :]):
        raise RuntimeError(
            f"function {name} returned an incorrect number of gradients (expected {len(needs)}, "
            f"got {len(given)})"
        )
    for place, grad in enumerate(given):
        if grad is None or (isinstance(grad, Tensor) and place in shapes):
            continue
        if place not in shapes:
            raise RuntimeError(
                f"function {name} returned a gradient different than None at position {place + 1}, "
                "but the corresponding forward input was not a Variable"
            )
        raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
    found = []
    for place in own["_places"]:
        grad = given[place]
        if grad is not None and needs[place]:  # another one goes nowhere, but hooks see it
            if grad._data.shape != shapes[place]:
                grad = reduced(grad, shapes[place], name, place)
            if own["_types"][place] not in (None, grad._data.dtype):
                grad = grad.to(own["_types"][place])
        found.append(grad)
    return tuple(found)


def reduced(grad: Tensor, shape: tuple[int, ...], name: str, place: int) -> Tensor:
    """Return a gradient summed back to the shape of its input, if that can be broadcast.

    Raises: RuntimeError where it cannot.
    """
    try:
        fits = np.broadcast_shapes(shape, grad.shape) == tuple(grad.shape)
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"Function {name} returned an invalid gradient at index {place} - got "
            f"{list(grad.shape)} but expected shape compatible with {list(shape)}"
        )
    if grad._needs:
        return tensor_namespace()["sum_to"](grad, shape)
    return wrap(sum_to(grad._data, shape), False, None)


NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The "
    "inputs that are modified inplace must all be outputs of the Function."
)
NO_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
    "mutated should be passed to ctx.mark_dirty()."
)
VIEW_OF_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function "
    "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
    "should either make sure the input is not a view (using .clone() for example) or make your "
    "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
    "inplace that returns a single Tensor and a second one that does the other operations). You "
    "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)


def among(thing: Any, things: Any) -> bool:
    """Return whether `thing` is one of `things`, by identity."""
    for one in things or ():
        if one is thing:
            return True
    return False


def check_marks(ctx: Context, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    """Check `mark_dirty` and `mark_non_differentiable`.

    Raises: RuntimeError when a marked value is not a tensor, or is changed and not returned."""
    for i, tensor in enumerate(ctx.dirty_tensors or ()):
        if not isinstance(tensor, Tensor):
            raise RuntimeError(
                f"mark_dirty can only accept variables, but argument {i} is of type "
                f"{type(tensor).__name__}"
            )
        if not among(tensor, outputs):
            raise RuntimeError(NOT_RETURNED)
        if tensor._base is not None and len(outputs) > 1:
            raise RuntimeError(VIEW_OF_SEVERAL)
        if not among(tensor, args):
            if tensor._base is not None:
                raise RuntimeError(NO_INPUT)
            warnings.warn(NO_INPUT, stacklevel=users_level())
    for i, tensor in enumerate(ctx.non_differentiable or ()):
        if not isinstance(tensor, Tensor):
            raise RuntimeError(
                "mark_non_differentiable only accepts variable arguments, but got argument "
                f"{i} of type {type(tensor).__name__}"
            )
