"""`Function`: an operation of your own, with a backward pass of your own.

    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * y

`ctx` is the node itself, which is why it has `next_functions` and is named ExpBackward.

Read next: functional/__init__.py
"""

import warnings
from itertools import count
from typing import Any, ClassVar

import numpy as np

from graphlab.autograd.grad_mode import UsersCode, no_grad, state
from graphlab.autograd.node import Node, Output, edge_of, extra, modified, pin, unpin
from graphlab.autograd.record import users_place
from graphlab.errors import GraphFreedError
from graphlab.ops.base import Op
from graphlab.tensor import Tensor, next_sequence, wrap

_function_id = count()


class InputMetadata:
    """What a node knows of one of its outputs: shape and type."""

    __module__ = "torch._C._autograd"
    __qualname__ = "_InputMetadata"

    def __init__(self, tensor: Tensor) -> None:
        self.shape = tensor.shape
        self.dtype = tensor.dtype


class SavedTensor:
    """A saved tensor before it is unpacked."""

    __module__ = "torch._C._autograd"
    __qualname__ = "SavedTensor"

    def __init__(self, item: Any) -> None:
        self.data = item


class Custom(Op):
    """Stands in the registry's place for operations that the user writes."""

    node, symbol, types = "CustomBackward", "ƒ", "keep"

    def forward(tensors):
        raise NotImplementedError("a custom Function runs its own forward")


class Context(Node):
    """The `ctx` of a custom Function, and the node that it leaves behind."""

    __slots__ = ("__dict__",)
    op = Custom
    many = True

    # what PyTorch's ctx holds besides
    dirty_tensors: Any = None
    materialize_grads: Any = None
    non_differentiable: Any = None
    saved_for_forward: Any = None
    to_save: Any = None
    _compiled_autograd_backward_state: Any = None
    _is_pure_view: Any = None
    _materialize_non_diff_grads: Any = True
    function: ClassVar[Any]

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for the backward pass: inputs, outputs, or neither."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    "save_for_backward can only save variables, but argument 0 is of type "
                    f"{type(tensor).__name__}"
                )
        self.__dict__["_to_save"] = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs the forward changes in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether the backward pass is given zeros (True) or None for outputs nothing used."""
        extra(self)["materialize"] = bool(value)

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
        return tuple(
            wrap(item.data, item.floating, Output(self, item.index) if item.floating else None)
            if isinstance(item, SavedOutput)
            else unpin(item)
            for item in self._saved
        )

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        return tuple(SavedTensor(item) for item in self._saved or ())

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        return tuple(self.__dict__.get("_outputs", ()))

    @property
    def _autograd_function_id(self) -> int:
        return self.__dict__["_id"]

    def __dir__(self) -> list[str]:
        names = [n for n in ("_autograd_function_id", *vars(Context)) if not n.startswith("__")]
        own = [n for n in self.__dict__ if n not in HIDDEN]
        return sorted(
            {"metadata", "name", "next_functions", *names, *own} - {"function", "op", "many"}
        )

    def vjp(self, grads: Any) -> tuple[Any, ...]:
        """Run the user's backward on tensors and hand over raw data."""
        tensors = tuple(None if g is None else wrap(g, False, None) for g in grads)
        return tuple(
            None if g is None else np.array(g._data)[()] for g in self.vjp_tensors(tensors)
        )

    def vjp_tensors(self, grads: Any) -> tuple[Any, ...]:
        if self._saved is None:
            raise GraphFreedError
        result = self.function.backward(self, *grads)
        given = result if isinstance(result, tuple) else (result,)
        return check_gradients(self, given)


HIDDEN = frozenset(
    {"_to_save", "_needs_input_grad", "_outputs", "_id", "_shapes", "_places", "_types"}
)


class SavedOutput:
    """A saved output: its data alone, so that node and tensor do not hold each other."""

    __slots__ = ("data", "floating", "index")

    def __init__(self, tensor: Tensor, index: int) -> None:
        self.data = tensor._data
        self.floating = tensor.is_floating_point()
        self.index = index


def check_outputs(ctx: Context) -> None:
    """Raises: ModifiedInPlaceError when a saved output was changed since."""
    version, expected = ctx._version
    for item in ctx._saved:
        if isinstance(item, SavedOutput) and version.count != expected:
            raise modified(item.data, Output(ctx, item.index), version.count, expected)


def check_gradients(ctx: Context, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of the inputs that have an edge; RuntimeError when they do not fit."""
    name = type(ctx).__name__
    needs = ctx.needs_input_grad
    if len(given) < len(needs) or any(g is not None for g in given[len(needs) :]):
        raise RuntimeError(
            f"function {name} returned an incorrect number of gradients (expected {len(needs)}, "
            f"got {len(given)})"
        )
    shapes = ctx.__dict__["_shapes"]
    found = []
    for place in ctx.__dict__["_places"]:
        grad = given[place]
        if grad is None or not needs[place]:
            found.append(None)
            continue
        if not isinstance(grad, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
        if tuple(grad.shape) != shapes[place]:
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {place} - got "
                f"{list(grad.shape)} but expected shape compatible with {list(shapes[place])}"
            )
        found.append(grad.to(ctx.__dict__["_types"][place]))
    return tuple(found)


class Function:
    """An operation of your own: define `forward(ctx, ...)` and `backward(ctx, *grads)`, static.

    Raises: what they raise. Source: PyTorch, torch.autograd.Function.
    """

    _node_class: ClassVar[Any] = None

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    def __init_subclass__(cls) -> None:
        UsersCode.defined = True
        cls._node_class = type(
            f"{cls.__name__}Backward",
            (Context,),
            {"__slots__": (), "__module__": "builtins", "__doc__": cls.__doc__, "function": cls},
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run the forward, and record a node when an input requires a gradient."""
        recording = state.grad_enabled
        needs = tuple(recording and isinstance(a, Tensor) and a._needs for a in args)
        ctx = cls._begin(args, needs)
        with no_grad():
            result = cls.forward(ctx, *args)
        outputs = result if isinstance(result, tuple) else (result,)
        finished = tuple(_attach(ctx, args, out, i, any(needs)) for i, out in enumerate(outputs))
        _save(ctx, args, outputs, finished)
        ctx.__dict__["_outputs"] = [InputMetadata(t) for t in finished if isinstance(t, Tensor)]
        extra(ctx)["outputs"] = [
            (t._data.shape, t._data.dtype) if isinstance(t, Tensor) else None for t in finished
        ]
        return finished if isinstance(result, tuple) else finished[0]

    @classmethod
    def _begin(cls, args: tuple[Any, ...], needs: tuple[bool, ...]) -> Any:
        ctx: Any = cls._node_class()
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx._next = tuple(edge_of(args[i]) if needs[i] else None for i in places)
        ctx._sequence = next_sequence()
        ctx._saved = ctx._options = ()
        ctx._constants = tuple(None if needs[i] else args[i] for i in places)
        ctx._reduce = ctx._version = ctx._extra = None
        ctx._code, ctx._at = users_place()
        ctx.__dict__.update(
            _needs_input_grad=tuple(needs),
            _id=next(_function_id),
            _places=places,
            _shapes={i: tuple(args[i].shape) for i in places},
            _types={i: args[i].dtype for i in places},
        )
        return ctx


def _attach(ctx: Any, args: tuple[Any, ...], output: Any, index: int, recorded: bool) -> Any:
    """An output as the caller gets it: with the node behind it, where a gradient can flow."""
    if not isinstance(output, Tensor):
        return output
    plain = ctx.non_differentiable or ()
    if not recorded or any(output is t for t in plain) or not output.is_floating_point():
        return output
    if any(output is a for a in (ctx.dirty_tensors or ())):
        if output._needs and output._node is None:
            raise RuntimeError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        output._node, output._needs = Output(ctx, index), True
        output._version_counter().advance()
        return output
    return wrap(output._data, True, Output(ctx, index))


def _save(
    ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...], finished: tuple[Any, ...]
) -> None:
    kept = ctx.__dict__.pop("_to_save", ())
    saved = []
    for tensor in kept:
        places = [i for i, out in enumerate(outputs) if out is tensor]
        if tensor is None:
            saved.append(None)
        elif places and not any(tensor is a for a in args):
            saved.append(SavedOutput(finished[places[0]], places[0]))
        else:
            saved.append(pin(tensor))
    ctx._saved = tuple(saved)
