"""The module: a part of a model, with its parameters, buffers and inner modules.

tree.py registers and finds these; this file calls, converts, saves and shows the module.

Read next: nn/module_hooks.py
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.scopes import note_call
from graphlab.common.devices import check_device, device
from graphlab.common.dtypes import dtype, float16, float32, float64
from graphlab.nn import state
from graphlab.nn.module_hooks import RemovableHandle, add_hook, call_with_hooks, hooks_of, registers
from graphlab.nn.tree import Tree
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import next_sequence


def indented(text: str, n: int = 2) -> str:
    """Return a text whose lines after the first are indented by n spaces."""
    return text.replace("\n", "\n" + " " * n)


def unwritten(self: "Module", *input: Any) -> Any:
    """Compute the output of the module; every module defines its own."""
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


class Module(Tree):
    """The base class of every layer and model.

    Define `forward`, which computes the output. In `__init__`, call `super().__init__()` first;
    parameters, buffers and modules that are assigned to attributes then belong to the module.

    args, kwargs: none; a module with arguments has an `__init__` of its own.
    Raises: TypeError for arguments that no `__init__` takes.

    Attributes:
        training: bool, whether the module is in training mode; see `train`. Starts as True.

    >>> import graphlab as torch
    >>> class Double(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x * 2
    >>> Double()(torch.tensor(3.0))
    tensor(6.)
    """

    _version = 1  # of the entries of `state_dict`
    _is_full_backward_hook: bool | None = None  # the kind of its backward hooks, if it has any

    forward: Callable[..., Any] = unwritten  # computes the output; every module defines its own

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        opened = next_sequence()
        try:
            if not (
                self._backward_hooks
                or self._backward_pre_hooks
                or self._forward_hooks
                or self._forward_pre_hooks
            ):
                return self.forward(*args, **kwargs)
            return call_with_hooks(self, args, kwargs)
        finally:
            note_call(self, opened)

    # -- changes of the whole module -----------------------------------------------------------

    def apply(self, fn: Callable[["Module"], None]) -> Self:
        """Call a function on every inner module, then on this one, and return this one.

        fn: function of one module

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
        >>> _ = model.apply(lambda module: print(type(module).__name__))
        Linear
        ReLU
        Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set the training mode, which changes what dropout and batch norm compute.

        mode: bool, True for training, False for evaluation; default True.
        Returns: the module.
        Raises: ValueError if `mode` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set the evaluation mode, as `train(False)` does, and return the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether the parameters get gradients (False freezes them); return the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to 0 with set_to_none=False."""
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace every parameter, its gradient and every buffer by `fn` of it."""
        for module in self.children() if recurse else ():
            module._apply(fn, recurse)
        with no_grad():
            for parameter in self._parameters.values():
                if parameter is None:
                    continue
                changed = fn(parameter)
                if changed is parameter:
                    continue
                grad, parameter.grad = parameter.grad, None
                parameter.data = changed
                if grad is not None:
                    parameter.grad = fn(grad)
            for name, buffer in self._buffers.items():
                if buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert the floating point parameters and buffers: `to(torch.float64)`.

        args, kwargs: a dtype, a tensor that has the dtype, a device, which can only be "cpu", or
            a memory_format, for parameters of 4 or 5 dimensions
        Returns: the module.
        Raises: TypeError if the dtype is not floating point, AssertionError for cuda.
        """
        target: Any = kwargs.pop("dtype", None)
        for given in args:
            if isinstance(given, dtype | Tensor):
                target = given if isinstance(given, dtype) else given.dtype
        for where in (kwargs.pop("device", None), *args):
            if isinstance(where, str | int | device) and not isinstance(where, bool):
                check_device(where)
        order = kwargs.pop("memory_format", None)
        if order is not None:
            self._apply(lambda t: t.to(memory_format=order) if t.ndim in (4, 5) else t)
        if target is None:
            return self
        if not target.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={target}"
            )
        return self._apply(lambda t: t.to(target) if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """Return the module: GraphLab computes on the CPU only."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """Raise AssertionError, as PyTorch does without cuda, if the module has any tensor."""
        return self._apply(lambda t: t.cuda())

    def type(self, dst_type: dtype) -> Self:
        """Convert all parameters and buffers to `dst_type`, a dtype, and return the module."""
        return self._apply(lambda t: t.to(dst_type))

    def float(self) -> Self:
        """Convert the floating point parameters and buffers to float32."""
        return self.to(float32)

    def double(self) -> Self:
        """Convert the floating point parameters and buffers to float64."""
        return self.to(float64)

    def half(self) -> Self:
        """Convert the floating point parameters and buffers to float16."""
        return self.to(float16)

    # -- state ---------------------------------------------------------------------------------

    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Return a dict from paths, such as "encoder.0.weight", to parameters and buffers.

        Buffers that are not persistent are left out.

        destination: dict to fill; default None, for a new OrderedDict.
        prefix: str, which comes before every path; default "".
        keep_vars: bool, whether to return the parameters themselves instead of detached tensors
            that share their memory; default False.

        >>> import graphlab as torch
        >>> list(torch.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in hooks_of(self, "_state_dict_pre_hooks"):
            hook(self, prefix, keep_vars)
        state.save(self, destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                inner = f"{prefix}{name}."
                module.state_dict(destination=destination, prefix=inner, keep_vars=keep_vars)
        return state.changed_by_hooks(self, destination, prefix, metadata)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy values into the parameters and buffers.

        state_dict: dict, as `state_dict()` returns it.
        strict: bool, whether the keys must be exactly those of the module; default True.
        assign: bool, whether the tensors replace those of the module instead of being copied into
            them; default False.
        Returns: (missing_keys, unexpected_keys), two lists of str.
        Raises: RuntimeError if a shape differs or, if `strict`, a key is missing or unexpected;
            then nothing is loaded. PyTorch differs: it copies what fits before it raises.
        """
        return state.load_tree(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Load the module's own entries; a module overrides this to read older states."""
        state.load_own(self, state_dict, prefix, local_metadata, *rest)

    get_extra_state = state.get_extra_state
    set_extra_state = state.set_extra_state
    register_state_dict_post_hook = state.register_state_dict_post_hook
    _register_state_dict_hook = state._register_state_dict_hook
    _register_load_state_dict_pre_hook = state._register_load_state_dict_pre_hook
    register_state_dict_pre_hook = registers(
        "_state_dict_pre_hooks", "Call `hook(module, prefix, keep_vars)` before each `state_dict`."
    )
    register_load_state_dict_pre_hook = registers(
        "_load_state_dict_pre_hooks",
        "Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, "
        "unexpected_keys, error_msgs)` before the module's own entries are loaded.",
    )
    register_load_state_dict_post_hook = registers(
        "_load_state_dict_post_hooks",
        "Call `hook(module, incompatible_keys)` once the module and its inner modules are loaded.",
    )

    # -- hooks ---------------------------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call a hook before each `forward`.

        hook: function (module, args), or (module, args, kwargs) with `with_kwargs`; it returns
            None, other args, or, with `with_kwargs`, a pair of other args and kwargs.
        prepend: bool, whether the hook runs before the existing ones; default False.
        with_kwargs: bool, whether the hook also gets the keyword arguments; default False.
        Returns: RemovableHandle, whose `remove()` removes the hook.
        """
        marks = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return add_hook(self._forward_pre_hooks, hook, prepend, marks)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call a hook after each `forward`.

        hook: function (module, args, output), or (module, args, kwargs, output) with
            `with_kwargs`; it returns None or another output.
        prepend, with_kwargs: as in `register_forward_pre_hook`.
        always_call: bool, whether the hook runs even if `forward` raises; default False.
        Returns: RemovableHandle.
        """
        marks = [self._forward_hooks_with_kwargs] if with_kwargs else []
        marks += [self._forward_hooks_always_called] if always_call else []
        return add_hook(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call a hook in the backward pass once the gradients of the outputs are known.

        hook: function (module, grad_output); it returns None or other gradients.
        prepend: bool, whether the hook runs before the existing ones; default False.
        Returns: RemovableHandle, whose `remove()` removes the hook.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call a hook in the backward pass once the gradients of the inputs are known.

        hook: function (module, grad_input, grad_output); it returns None or other gradients of
            the inputs.
        prepend: bool, whether the hook runs before the existing ones; default False.
        Returns: RemovableHandle, whose `remove()` removes the hook.
        """
        self._use_backward_hooks(full=True)
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook with the gradients around the last node of the module; deprecated.

        `register_full_backward_hook` gives a hook the gradients of the module's own inputs.

        hook: function (module, grad_input, grad_output) of the gradients that leave the last node
            and those that reach it; it returns None or other gradients to leave it.
        Returns: RemovableHandle, whose `remove()` removes the hook.
        """
        self._use_backward_hooks(full=False)
        return add_hook(self._backward_hooks, hook)

    def _use_backward_hooks(self, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single "
                "Module. Please use only one of them."
            )
        self._is_full_backward_hook = full

    # -- repr ----------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return what the module's line shows in parentheses; a module overrides it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        inside = [f"({name}): {indented(repr(child))}" for name, child in self._modules.items()]
        if len(own) <= 1 and not inside:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*own, *inside]) + "\n)"


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """Set the gradient of a parameter to None, or to 0 without recording."""
    if set_to_none:
        parameter.grad = None
    elif parameter.grad is not None:
        grad = parameter.grad
        if grad.grad_fn is not None:
            grad = parameter.grad = grad.detach()
        grad.requires_grad_(False)
        grad.zero_()
