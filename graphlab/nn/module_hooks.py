"""Hooks of modules: before and after `forward`, and in the backward pass.

Read next: nn/state.py
"""

import warnings
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from graphlab.autograd.function import Function
from graphlab.autograd.grad_mode import is_grad_enabled
from graphlab.autograd.hooks import RemovableHandle
from graphlab.common.errors import users_level
from graphlab.tensor.tensor import Tensor

# the hooks of one kind by the number of their handle, in the order of their calls
HookTable = OrderedDict[int, Callable[..., Any]]


def add_hook(
    table: HookTable,
    hook: Callable[..., Any],
    prepend: bool = False,
    marks: list[Any] | None = None,
) -> RemovableHandle:
    """Add a hook to a table, and return its handle.

    marks: further tables with the hook, which say how to call it
    """
    handle = RemovableHandle(table, extra_dict=marks)
    for one in marks or ():
        one[handle.id] = hook
    table[handle.id] = hook
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


def shown(method: str, call: str, owner: str = "model = torch.nn.Linear(1, 1)") -> str:
    """Return an example of a method that adds a hook, which `call` then calls."""
    name = owner.partition(" ")[0]
    lines = ("import graphlab as torch", owner, f'_ = {name}.{method}(lambda *_: print("called"))')
    return "".join(f">>> {line}\n" for line in (*lines, call)) + "called"


def registers(
    table: str, doc: str, *, prepend: bool = False, example: str = ""
) -> Callable[..., Any]:
    """Return a method that adds a hook to a table of its object, which is made for the first hook.

    prepend: the method has an option to call the hook before the existing ones.
    example: the last part of its docstring, which begins with `doc`.
    """

    def register(self: Any, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        return add_hook(self.__dict__.setdefault(table, OrderedDict()), hook, prepend)

    def append(self: Any, hook: Callable[..., Any]) -> RemovableHandle:
        return register(self, hook)

    method = register if prepend else append
    method.__doc__ = f"{doc} Return its RemovableHandle.\n\n{example}"
    return method


def hooks_of(owner: Any, table: str) -> list[Callable[..., Any]]:
    """Return the hooks that such methods have added."""
    return list(owner.__dict__.get(table, {}).values())


def changed(owner: Any, table: str, value: Any) -> Any:
    """Return the value, or what the last hook that changed it has returned."""
    for hook in hooks_of(owner, table):
        found = hook(owner, value)
        value = value if found is None else found
    return value


def call_with_hooks(
    module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tables: Any = None
) -> Any:
    """Run `module.forward` with hooks around it; `tables` has them, by default the module."""
    called: set[int] = set()
    result = None
    tables = tables or module
    try:
        args, kwargs = before_forward(module, args, kwargs, tables)
        watch = None
        of_node = tables._backward_hooks if tables._is_full_backward_hook is False else None
        if tables._backward_pre_hooks or (tables._backward_hooks and of_node is None):
            watch = BackwardWatch(module, tables)
            args = watch.inputs(args)
        result = module.forward(*args, **kwargs)
        for number, hook in list(tables._forward_hooks.items()):
            called.add(number)
            changed = call_one(module, number, hook, args, kwargs, result, tables)
            if changed is not None:
                result = changed
        result = result if watch is None else watch.outputs(result)
        if of_node:
            hook_node(module, args, result, list(of_node.values()))
        return result
    except Exception:
        for number, hook in list(tables._forward_hooks_always_called.items()):
            if number in called:
                continue
            try:
                call_one(module, number, hook, args, kwargs, result, tables)
            except Exception as error:
                warnings.warn(
                    "module forward hook with ``always_call=True`` raised an exception that was "
                    f"silenced as another error was raised in forward: {error}",
                    stacklevel=users_level(),
                )
        raise


def call_one(
    module: Any, number: int, hook: Any, args: Any, kwargs: Any, result: Any, tables: Any
) -> Any:
    """Call one forward hook, with the keyword arguments if it takes them."""
    if number in tables._forward_hooks_with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def before_forward(module: Any, args: Any, kwargs: Any, tables: Any) -> tuple[Any, Any]:
    """Call the hooks before `forward`; return the arguments, which a hook may replace."""
    for number, hook in list(tables._forward_pre_hooks.items()):
        if number in tables._forward_pre_hooks_with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                    f"got {changed}."
                )
            args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


# -- hooks in the backward pass ----------------------------------------------------------------


class BackwardHookFunction(Function):
    """Return tensors unchanged; in the backward pass, call `pass_back` with their gradients."""

    cannot_run_again = (
        "a backward hook of a module is part of the graph, and may change gradients: to check the "
        "rules, remove the hook and compute the result again"
    )

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.pass_back, *tensors = args
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tuple(tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None, *ctx.pass_back(grads))


class BackwardWatch:
    """The backward hooks of one call of a module.

    Its inputs and outputs pass through a BackwardHookFunction. In the backward pass, the gradients
    of the outputs come first and are stored; when those of the inputs come, the hooks get both.
    """

    def __init__(self, module: Any, tables: Any) -> None:
        self.module = module
        full = tables._is_full_backward_hook is not False
        self.after = list(tables._backward_hooks.values()) if full else []
        self.before = list(tables._backward_pre_hooks.values())
        self.grad_outputs: tuple[Any, ...] | None = None
        self.watched_inputs: list[int] | None = None
        self.n_inputs = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments, passed through a node that calls `inputs_passed`."""
        self.n_inputs = len(args)
        args, self.watched_inputs = through(args, self.inputs_passed)
        return args

    def outputs(self, result: Any) -> Any:
        """Return the result, passed through a node that calls `outputs_passed`."""
        if not isinstance(result, Tensor | tuple):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of "
                f"Tensors but received {type(result)}",
                stacklevel=users_level(),
            )
            return result
        results = result if isinstance(result, tuple) else (result,)
        self.n_outputs = len(results)
        results, self.watched_outputs = through(results, self.outputs_passed)
        return results if isinstance(result, tuple) else results[0]

    def outputs_passed(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        indices: Any = self.watched_outputs
        full = spread(indices, grads, self.n_outputs)
        for hook in self.before:
            changed = hook(self.module, full)
            full = replaced(full, changed, "Backward pre hook", "grad_output")
        self.grad_outputs = full
        if self.watched_inputs is None:
            self.call_without_inputs(full)
        return tuple(full[i] for i in indices)

    def call_without_inputs(self, grad_outputs: tuple[Any, ...]) -> None:
        """Call the hooks with the gradients of the outputs only, as no input needs a gradient."""
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See https://docs.pytorch.org/docs/main/"
            "generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for more "
            "details.",
            stacklevel=users_level(),
        )
        for hook in self.after:
            changed = hook(self.module, (None,) * self.n_inputs, grad_outputs)
            if changed is not None and not (
                isinstance(changed, tuple) and all(one is None for one in changed)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )
        self.grad_outputs = None

    def inputs_passed(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        indices: Any = self.watched_inputs
        if self.grad_outputs is None:  # the gradient did not come through the outputs
            return grads
        full = spread(indices, grads, self.n_inputs)
        for hook in self.after:
            changed = hook(self.module, full, self.grad_outputs)
            full = replaced(full, changed, "Backward hook", "grad_input")
        self.grad_outputs = None
        return tuple(full[i] for i in indices)


NESTED = (
    "Using non-full backward hooks on a Module that does not {} a single Tensor or a tuple of "
    "Tensors is deprecated and will be removed in future versions. This hook will be missing some "
    "of the {}. Please use register_full_backward_hook to get the documented behavior."
)
SEVERAL = (
    "Using a non-full backward hook when {} is deprecated and will be removed in future versions. "
    "This hook will be missing some {}. Please use register_full_backward_hook to get the "
    "documented behavior."
)


def hook_node(module: Any, args: tuple[Any, ...], result: Any, hooks: list[Any]) -> None:
    """Register deprecated backward hooks at the node of the result, with a warning if it needs one.

    The module may have more nodes than this one, whose gradients the hooks do not see.
    """
    first = result
    while not isinstance(first, Tensor):
        first = next(iter(first.values())) if isinstance(first, dict) else first[0]
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(partial(hook, module))
    if text := what_is_missing(args, result, node):
        warnings.warn(text, FutureWarning, stacklevel=users_level())


def what_is_missing(args: tuple[Any, ...], result: Any, node: Any) -> str:
    """Return PyTorch's warning if the node does not see all gradients of the module, or ""."""
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(one, Tensor) for one in results):
        return NESTED.format("return", "grad_output")
    if not all(isinstance(one, Tensor) for one in args):
        return NESTED.format("take as input", "grad_input")
    if len({one.grad_fn for one in results}) > 1:
        return SEVERAL.format("outputs are generated by different autograd Nodes", "grad_output")
    before = {one.grad_fn for one in args if one.grad_fn is not None}
    if before != {target for target, _ in node.next_functions}:
        return SEVERAL.format("the forward contains multiple autograd Nodes", "grad_input")
    return ""


def replaced(grads: tuple[Any, ...], changed: Any, hook: str, what: str) -> tuple[Any, ...]:
    """Return the gradients, or those that a hook returned in their place.

    Raises: RuntimeError if the hook returned another number of them.
    """
    if changed is None:
        return grads
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != len(grads):
        raise RuntimeError(
            f"{hook} returned an invalid number of {what}, got {len(changed)}, but expected "
            f"{len(grads)}"
        )
    return changed


def through(
    values: tuple[Any, ...], pass_back: Callable[..., Any]
) -> tuple[tuple[Any, ...], list[int] | None]:
    """Pass the tensors among the values through a node; return the values and the indices of those.

    The indices are None if there is no node, because no tensor needs a gradient.
    """
    indices = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not is_grad_enabled() or not any(values[i].requires_grad for i in indices):
        return values, None
    passed = BackwardHookFunction.apply(pass_back, *[values[i] for i in indices])
    changed = list(values)
    for i, tensor in zip(indices, passed, strict=True):
        changed[i] = tensor
    return tuple(changed), indices


def spread(indices: list[int], values: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """Return a tuple of length n with the values at the indices, and None elsewhere."""
    full: list[Any] = [None] * n
    for i, value in zip(indices, values, strict=True):
        full[i] = value
    return tuple(full)
