"""Checkpoints: save only the inputs of a function, and compute the rest again in the backward pass.

    y = checkpoint(block, x, use_reentrant=False)      block(x), without its saved tensors

A backward pass that needs a saved tensor runs `block` a second time, up to the last tensor that is
needed: it takes less memory and more time. There are two ways. The plain one leaves the nodes of
`block` in the graph, with a place in them for each tensor that they would have saved. The reentrant
one is a single node, whose backward runs `block` and a backward pass through it.

Read next: utils/hooks.py
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

from graphlab.autograd.backward import backward
from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import UsersCode, enable_grad, is_grad_enabled, no_grad, state
from graphlab.autograd.graph import saved_tensors_hooks
from graphlab.autograd.saved import pin, unpin
from graphlab.autograd.saved_tensor_hooks import Packed
from graphlab.common.errors import users_level
from graphlab.compat.random import fork_rng
from graphlab.tensor.random.generator import get_rng_state, set_rng_state
from graphlab.tensor.tensor import Tensor

UNSAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
    "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants."
)
TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
    "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
    "Otherwise please open an issue with details on your use case."
)
MORE = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
    "original forward pass."
)
__all__ = [
    "CheckpointError", "checkpoint", "checkpoint_sequential", "set_checkpoint_early_stop",
]  # fmt: skip


class CheckpointError(RuntimeError):
    """The second run of a function did not save the same tensors as the first one.

    >>> from graphlab.utils.checkpoint import CheckpointError
    >>> issubclass(CheckpointError, RuntimeError)
    True
    """


class EarlyStop:
    """The setting of `set_checkpoint_early_stop`; None leaves it to each checkpoint."""

    enabled: ClassVar[bool | None] = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set whether the second run of each checkpoint in the block ends with the last needed tensor.

    enable: bool

    >>> import graphlab as torch
    >>> from graphlab.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(torch.exp, x, use_reentrant=False)
    >>> y.backward()
    >>> x.grad
    tensor(2.7183)
    """
    before, EarlyStop.enabled = EarlyStop.enabled, enable
    try:
        yield
    finally:
        EarlyStop.enabled = before


class Place:
    """The place in a node for a tensor that is not saved, but computed again."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: Tensor | None = None

    def __repr__(self) -> str:
        return "nothing yet (checkpoint)"  # shown where a node's saved values are listed


class Enough(Exception):
    """Ends a second run, because all needed tensors are computed."""


class Frame:
    """One call of a function, and the places for the tensors that its nodes would have saved."""

    def __init__(self, again: Callable[[], Any], preserve: bool, early_stop: bool) -> None:
        self.again, self.early_stop = again, early_stop
        self.state = get_rng_state() if preserve else None
        self.places: list[Place] = []
        self.ran_in: int | None = None  # the number of the pass in which the function ran last
        self.shapes: list[tuple[Any, Any]] = []

    def packed(self, tensor: Tensor) -> Place:
        """Return a place for a tensor of the first run."""
        self.places.append(Place())
        self.shapes.append((tuple(tensor.shape), tensor.dtype))
        return self.places[-1]

    def unpacked(self, place: Place) -> Tensor:
        """Return the tensor of a place, computed again at most once in each backward pass."""
        now = state.passes[-1].number if state.passes else None
        if place.value is None and (now is None or now != self.ran_in):
            self.run_again()
            self.ran_in = now
        value, place.value = place.value, None
        if value is None:
            raise CheckpointError(TWICE)
        return value

    def run_again(self) -> None:
        """Run the function a second time, and fill the places."""
        made = 0

        def fill(tensor: Tensor) -> Tensor:
            nonlocal made
            if made == len(self.places):
                raise CheckpointError(MORE)
            self.compare(made, tensor)
            self.places[made].value = tensor.detach() if tensor.requires_grad else tensor
            made += 1
            if self.early_stop and made == len(self.places):
                raise Enough
            return tensor

        call = self.again()  # reads the inputs, before these hooks see what is saved
        with as_before(self.state), enable_grad(), saved_tensors_hooks(fill, lambda kept: kept):
            try:
                call()
            except Enough:
                return
        if made != len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.places)}\nNumber of tensors saved during recomputation: {made}."
            )

    def compare(self, i: int, tensor: Tensor) -> None:
        """Raise CheckpointError if tensor i has another shape or dtype than in the first run."""
        now, was = (tuple(tensor.shape), tensor.dtype), self.shapes[i]
        if now != was:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n"
                f"tensor at position {i}:\nsaved metadata: {was}\nrecomputed metadata: {now}"
            )


@contextmanager
def as_before(state: Any) -> Iterator[None]:
    """Let the block draw the random numbers of the first run again; for None, new ones."""
    with fork_rng(enabled=state is not None):
        if state is not None:
            set_rng_state(state)
        yield


class CheckpointFunction(Function):
    """The reentrant way: one node, whose backward runs the function and a backward pass."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        """Run the function without recording it."""
        if not any(isinstance(x, Tensor) and x.requires_grad for x in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None",
                stacklevel=users_level(),
            )
        ctx.run_function, ctx.args = run_function, args
        ctx.state = get_rng_state() if preserve_rng_state else None
        ctx.save_for_backward(*(x for x in args if isinstance(x, Tensor)))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run the function again, and a backward pass through it."""
        if state.captures:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can "
                "either set use_reentrant=False, or call .backward() without passing the `inputs` "
                "argument."
            )
        saved = iter(ctx.saved_tensors)
        args = [
            next(saved).detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x
            for x in ctx.args
        ]
        with as_before(ctx.state), enable_grad():
            outputs = ctx.run_function(*args)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [
            (out, grad)
            for out, grad in zip(outputs, grads, strict=True)
            if isinstance(out, Tensor) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in args))


def as_saved(tensor: Tensor) -> Any:
    """Return what a checkpoint keeps of an input: the result of the user's pack hook, if any."""
    if not state.packing:
        return pin(tensor)
    hooks: Any = state.packing[-1]
    return Packed(tensor, None, *hooks.keywords.values())


def opened(kept: Any) -> Any:
    """Return the input that was kept. Raises: RuntimeError if it was changed since."""
    return kept.unpack_hook(kept.held) if isinstance(kept, Packed) else unpin(kept)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function without saving the tensors that its nodes would save.

    function: function of `args` and `kwargs`; a backward pass that needs the tensors runs it again.
    use_reentrant: bool, False for a graph with the function's own nodes, True for a single node;
        default True, with a warning.
    preserve_rng_state: bool, whether the second run draws the same random numbers; default True.
    early_stop: bool, whether the second run ends with the last needed tensor; default True.
    kwargs: keyword arguments of the function; only with use_reentrant=False.
    Returns: the result of the function.
    Raises: ValueError for kwargs with use_reentrant=True; in the backward pass CheckpointError, if
        the function saves other tensors when it runs again.
    Warns: UserWarning if `use_reentrant` is not given.
    Source: T. Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.

    >>> import graphlab as torch
    >>> from graphlab.utils.checkpoint import checkpoint
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([  5.4366, 218.3926])
    """
    if use_reentrant is None:
        warnings.warn(UNSAID, UserWarning, stacklevel=users_level())
        use_reentrant = True
    if use_reentrant:
        UsersCode.defined = True  # a backward pass will run another one
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if not is_grad_enabled():
        return function(*args, **kwargs)
    kept = [as_saved(x) if isinstance(x, Tensor) else x for x in args]
    needed = [isinstance(x, Tensor) and x.requires_grad for x in args]

    def again() -> Callable[[], Any]:
        inputs = [opened(x) for x in kept]
        for k, x in enumerate(inputs):
            # what hooks give back need not say whether it needed a gradient
            if needed[k] if isinstance(kept[k], Packed) else getattr(x, "requires_grad", False):
                inputs[k] = x.detach().requires_grad_()
        return partial(function, *inputs, **kwargs)

    frame = Frame(again, preserve_rng_state, early_stop)
    if EarlyStop.enabled is not None:
        frame.early_stop = EarlyStop.enabled
    with saved_tensors_hooks(frame.packed, frame.unpacked):
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Call modules one after the other, in segments that are checkpoints, except for the last.

    functions: Sequential, or an iterable of functions of one argument.
    segments: int > 0, the number of segments.
    input: the argument of the first function.
    use_reentrant, preserve_rng_state: as for `checkpoint`.
    Warns: UserWarning if `use_reentrant` is not given.

    >>> import graphlab as torch
    >>> from graphlab.utils.checkpoint import checkpoint_sequential
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    >>> checkpoint_sequential(model, 2, torch.ones(1, 2), use_reentrant=False).shape
    torch.Size([1, 1])
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be "
            "passed explicitly. In version 2.9 we will raise an exception if use_reentrant is not "
            "passed. use_reentrant=False is recommended, but if you need to preserve the current "
            "default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
            "the differences between the two variants.",
            UserWarning,
            stacklevel=users_level(),
        )
        use_reentrant = True
    layers: list[Any] = list(functions.children() if hasattr(functions, "children") else functions)

    def part(own: Sequence[Any]) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for layer in own:
                value = layer(value)
            return value

        return run

    size, start = len(layers) // segments, 0
    for _ in range(segments - 1):
        input = checkpoint(
            part(layers[start : start + size]),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
        start += size
    return part(layers[start:])(input)
