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

`ctx` is the node itself, which is why it has `next_functions` and is named ExpBackward. The
forward may also stand alone, without ctx, beside a `setup_context(ctx, inputs, output)`.

Read next: autograd/context.py
"""

import functools
import inspect
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

import numpy as np

from graphlab.autograd.context import Context, FunctionCtx, SavedOutput, among, check_marks
from graphlab.autograd.grad_mode import UsersCode, no_grad, state, unusual
from graphlab.autograd.introspection import NodeType
from graphlab.autograd.node import Output, edge_of
from graphlab.autograd.saved import pin
from graphlab.autograd.users_code import place_node
from graphlab.autograd.views import take_over
from graphlab.autograd.watch import made
from graphlab.common.errors import users_level
from graphlab.tensor.tensor import Tensor, share_memory, wrap
from graphlab.tensor.versions import Version, grad_type, next_sequence

__all__ = ["Context", "Function", "FunctionCtx", "SavedOutput", "once_differentiable"]

BackwardCFunction = Context  # PyTorch's name for the class of all their nodes
_function_id = count()

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
    "autograd function with static forward method. "
    "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)


class Function:
    """An operation of your own: define the static methods `forward` and `backward`, call `apply`.

    forward(ctx, *args) returns the outputs; backward(ctx, *grads) takes the gradient of each output
    and returns one for each argument, None where it has none.
    Raises: what these raise. Source: PyTorch, torch.autograd.Function.

    >>> import graphlab as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return 2 * grad
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> Double.apply(x).backward()
    >>> x.grad
    tensor(2.)
    """

    _node_class: ClassVar[Any] = None
    _backward_cls: ClassVar[Any] = None  # PyTorch's name for it

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; `ctx` is the first argument unless there is a `setup_context`."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what `backward` needs in `ctx`, for a `forward` without one."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Return the gradient of each input of `forward`, given those of its outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward  # another name for it, which may be defined instead
    forward_within: ClassVar[Any] = None  # how compat/func runs a user's forward
    forward_rule: ClassVar[Any] = None  # what forward_ad.py does with the results, within a level

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Return the tangent of each output, given those of the inputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    generate_vmap_rule = False  # True: `func.vmap` may run the forward for each example
    clear_saved_tensors_on_access = False  # True: ctx forgets its tensors when they are read

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Return the outputs of a batch, and the dimension of each along which the batch lies."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
            "set generate_vmap_rule=True."
        )

    def __init_subclass__(cls) -> None:
        if not cls.__module__.startswith("graphlab."):
            UsersCode.defined = True
        cls._node_class = cls._backward_cls = NodeType(
            f"{cls.__name__}Backward",
            (Context,),
            {
                "__slots__": (),
                "__module__": "torch.autograd.function",
                "__doc__": cls.__doc__,
                "function": cls,
            },
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=users_level(),
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    @classmethod
    def backward_of_user(cls) -> Callable[..., Any]:
        """Return the backward that the user wrote, under the name `backward` or `vjp`."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        return cls.vjp

    @classmethod
    def run(cls, ctx: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the forward, and `setup_context` if there is one, outside the graph."""
        with no_grad():
            within = cls.forward_within
            if cls.setup_context is Function.setup_context:
                if within is not None and not cls.__module__.startswith("graphlab."):
                    within(cls)
                return cls.forward(ctx, *args, **kwargs)
            result = within(cls, args, kwargs) if within else cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, result)
            return result

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the forward, and record a node if an input requires a gradient: `Double.apply(x)`."""
        if cls.setup_context is not Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if cls._node_class is None:
            return cls.forward()
        needs = tuple(isinstance(a, Tensor) and a._needs for a in args)
        recorded = state.grad_enabled and any(needs)
        ctx = cls._begin(args, needs, recorded)
        if recorded and (kwargs or len(ctx._next) < len(args)):
            ctx.__dict__["_others"] = None if kwargs else plain_ones(args)
        send_forwards = cls.forward_rule(args) if cls.forward_rule is not None else None
        result = cls.run(ctx, args, kwargs)
        outputs = result if isinstance(result, tuple) else (result,)
        if ctx.dirty_tensors or ctx.non_differentiable:
            check_marks(ctx, args, outputs)
        kept = saved_by(ctx, outputs) if recorded else []
        finished = tuple(_finished(ctx, args, out, i, recorded) for i, out in enumerate(outputs))
        mark_views(ctx, finished)
        ctx.finish(finished)
        if send_forwards is not None:
            send_forwards(ctx, args, finished)
        for mark in ("dirty_tensors", "non_differentiable"):  # a node that held its own outputs
            vars(ctx).pop(mark, None)  # would never be freed
        if recorded:
            _save(ctx, kept, finished)
            if unusual:
                made(ctx)
        return finished if isinstance(result, tuple) else finished[0]

    @classmethod
    def _begin(cls, args: tuple[Any, ...], needs: tuple[bool, ...], recorded: bool) -> Any:
        ctx: Any = cls._node_class()
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx._next = tuple(edge_of(args[i]) if needs[i] and recorded else None for i in places)
        ctx._sequence = next_sequence()
        ctx._saved = ctx._options = ()
        ctx._constants = tuple(
            [args[i] if edge is None else None for i, edge in zip(places, ctx._next, strict=True)]
        )
        ctx._reduce = ctx._version = ctx._extra = None
        place_node(ctx)
        ctx.__dict__.update(
            _needs_input_grad=needs,
            _id=next(_function_id),
            _places=places,
            _shapes={i: args[i]._data.shape for i in places},
            _types={i: grad_type(args[i]) for i in places},
        )
        return ctx


def plain_ones(args: tuple[Any, ...]) -> dict[int, Any] | None:
    """Return the arguments that are not tensors, by position, so that a check can run it again.

    None unless all are numbers, strings or short tuples of these: others may be large or change.
    """
    others = {i: arg for i, arg in enumerate(args) if not isinstance(arg, Tensor)}
    return others if all(map(is_plain, others.values())) else None


def is_plain(value: Any) -> bool:
    """Return whether the value is small, and cannot change."""
    if isinstance(value, tuple):
        return len(value) <= 16 and all(map(is_plain, value))
    return value is None or isinstance(value, int | float | str | np.generic)


def _finished(ctx: Any, args: tuple[Any, ...], output: Any, index: int, recorded: bool) -> Any:
    """Return an output as the caller gets it: with its node, where a gradient can flow."""
    if not isinstance(output, Tensor):
        return output
    is_input = among(output, args)
    plain = among(output, ctx.non_differentiable)
    flows = recorded and not plain and output.is_floating_point()
    target = Output(ctx, index) if flows else None
    if is_input and among(output, ctx.dirty_tensors):
        return _changed(output, target)
    if is_input and plain and recorded:
        return output.detach()
    if is_input:  # returned as it is: a view, for the input itself keeps its own history
        share_memory(output)
        view = wrap(output._data, flows, target)
        view._become_view(output)
        return view
    if not flows:
        return output
    if type(output) is Version.outdated:
        output.__class__ = Tensor  # a view that the forward changed: its history begins here
        output._version_counter().add(output)
    more, made_by = output._more, output._node
    if isinstance(made_by, Output) and made_by.node is ctx:  # returned twice
        output._node = target
        return output
    if output._needs and not (more is not None and more.base_needs):
        return wrap(output._data, True, target)  # not made here: its own history stays
    output._needs, output._node = True, target
    if more is not None:
        more.base_needs = False
    return output


def _changed(tensor: Tensor, target: Output | None) -> Tensor:
    """Return an input that the forward changed in place; the node is its history from now on."""
    counter = tensor._version_counter()
    counter.advance()
    if target is not None and tensor._needs and tensor._node is None:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    if target is None:
        return tensor
    if tensor._base is not None:  # its base gets a new history too
        return tensor.copy_(wrap(np.array(tensor._data), True, target))
    take_over(tensor, target)
    tensor._grad = None
    target.node._version = (counter, counter.count)
    return tensor


def mark_views(ctx: Context, finished: tuple[Any, ...]) -> None:
    """Forbid changes in place of views among the outputs: the user's backward would be lost.

    A Function that only makes a view may say so; then the view's history replaces its own.
    """
    pure = ctx._is_pure_view
    if pure and (len(finished) > 1 or len(ctx._next) > 1):
        raise RuntimeError(
            "Pure view custom Function can only have one input Tensor and one output Tensor. Open "
            "an issue if you need to support more."
        )
    for tensor in finished:
        more = tensor._more if isinstance(tensor, Tensor) else None
        if more is not None and more.base is not None and not among(tensor, ctx.dirty_tensors):
            several = sum(1 for t in finished if isinstance(t, Tensor) and t._needs) > 1
            more.origin = "" if pure else "many" if several else "custom"


def saved_by(ctx: Any, outputs: tuple[Any, ...]) -> list[tuple[Any, int | None]]:
    """Return the arguments of `save_for_backward`, each with its output number, if any."""
    kept: list[tuple[Any, int | None]] = []
    for i, tensor in enumerate(ctx.to_save or ()):
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type "
                f"{type(tensor).__name__}"
            )
        places = [place for place, out in enumerate(outputs) if out is tensor]
        kept.append((tensor, places[0] if places and tensor is not None else None))
    vars(ctx).pop("to_save", None)
    return kept


def _save(ctx: Context, kept: list[tuple[Any, int | None]], finished: tuple[Any, ...]) -> None:
    """Keep outputs as data, because a node that held its own output would never be freed."""
    saved = []
    for tensor, place in kept:
        if tensor is None:
            saved.append(None)
        elif place is not None and finished[place] is tensor:
            saved.append(SavedOutput(tensor, place))
        else:
            saved.append(pin(tensor))
    ctx._saved = tuple(saved)


# -- a backward that has no derivative ---------------------------------------------------------


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` that cannot be differentiated itself: it is not recorded.

    A second backward pass through its results raises a RuntimeError that says so.
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args, **kwargs)
        if not any(isinstance(arg, Tensor) and arg._needs for arg in args):
            return outputs
        if not state.grad_enabled:
            return outputs
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        leaves = (
            wrap(np.float32(0) if t is None else t._data, t is not None, None) for t in several
        )
        passed = zip(DelayedError.apply(*leaves), several, strict=True)
        failing = tuple(None if t is None else out for out, t in passed)
        return failing if isinstance(outputs, tuple) else failing[0]

    wrapper.recorded = fn  # type: ignore[attr-defined]  # what a check reads
    return wrapper


class DelayedError(Function):
    """A function that passes tensors on, and fails in the backward pass."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


DelayedError._node_class.__name__ = DelayedError._node_class.__qualname__ = "Error"
DelayedError._node_class.__module__ = "builtins"


class InplaceFunction(Function):
    """A Function with a flag `inplace`: kept, as in PyTorch, for old programs."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
