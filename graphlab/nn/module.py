"""A module: a piece of a model that knows its parameters, its buffers and the modules in it.

tree.py finds them; here is what is done with them: calling, training, converting, saving, showing.

Read next: nn/hooks.py
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.scopes import note_call
from graphlab.common.devices import check_device, device
from graphlab.common.dtypes import dtype, float16, float32, float64
from graphlab.nn import state
from graphlab.nn.hooks import RemovableHandle, add_hook, call_with_hooks
from graphlab.nn.tree import Tree
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import next_sequence


def indented(text: str, n: int = 2) -> str:
    """The lines after the first, moved to the right."""
    return text.replace("\n", "\n" + " " * n)


def unwritten(self: "Module", *input: Any) -> Any:
    """Stands in the place of `forward` until a module writes its own."""
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


class Module(Tree):
    """The base of every layer and model: write `__init__` and `forward`.

    >>> import graphlab as torch
    >>> class Double(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x * 2
    >>> Double()(torch.tensor(3.0))
    tensor(6.)
    """

    _version = 1  # of what `state_dict` holds

    forward: Callable[..., Any] = unwritten  # what the module computes; every module writes its own

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

    # -- changing all of it --------------------------------------------------------------------

    def apply(self, fn: Callable[["Module"], None]) -> Self:
        """Call `fn` on every module within, children first, and on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set whether the module is being trained, which dropout and batch norm ask."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set the module to be used, not trained."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze (False) or thaw all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; or set them to 0."""
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Put `fn(tensor)` in the place of every parameter, its gradient, and every buffer."""
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
        """Give all floating tensors another type: `to(torch.float64)`. Devices are all "cpu".

        Raises: TypeError for a type that is not floating, AssertionError for cuda.
        """
        target: Any = kwargs.pop("dtype", None)
        for given in args:
            if isinstance(given, dtype | Tensor):
                target = given if isinstance(given, dtype) else given.dtype
        for where in (kwargs.pop("device", None), *args):
            if isinstance(where, str | int | device) and not isinstance(where, bool):
                check_device(where)
        if target is None:
            return self
        if not target.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={target}"
            )
        return self._apply(lambda t: t.to(target) if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """The module itself: everything is computed on the CPU."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """Raises: AssertionError, as a PyTorch without cuda does."""
        return self._apply(lambda t: t.cuda())

    def type(self, dst_type: dtype) -> Self:
        """Give all tensors another type."""
        return self._apply(lambda t: t.to(dst_type))

    def float(self) -> Self:
        """Give all floating tensors the type float32."""
        return self.to(float32)

    def double(self) -> Self:
        """Give all floating tensors the type float64."""
        return self.to(float64)

    def half(self) -> Self:
        """Give all floating tensors the type float16."""
        return self.to(float16)

    # -- state ---------------------------------------------------------------------------------

    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by path; they share the module's memory."""
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = {"version": self._version}
        state.save(self, destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                inner = f"{prefix}{name}."
                module.state_dict(destination=destination, prefix=inner, keep_vars=keep_vars)
        return destination

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy values into parameters and buffers; `assign`: put the tensors in their place.

        Gives the missing and the unexpected keys. Raises: RuntimeError for tensors of another
        shape, and, when strict, for keys that are missing or unexpected; then nothing is loaded.
        PyTorch differs: it has copied what fits when it raises.
        """
        return state.load_tree(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Load what the module itself holds; a module may write its own for its old files."""
        state.load_own(self, state_dict, prefix, local_metadata, *rest)

    def get_extra_state(self) -> Any:
        """What else belongs to the state; a module that writes this writes set_extra_state too."""
        raise RuntimeError(MISSING.format("get", type(self).__name__))

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise RuntimeError(MISSING.format("set", type(self).__name__))

    # -- hooks ---------------------------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; it may return other arguments."""
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
        """Call `hook(module, args, output)` after each forward; it may return another output."""
        marks = [self._forward_hooks_with_kwargs] if with_kwargs else []
        marks += [self._forward_hooks_always_called] if always_call else []
        return add_hook(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` before each backward pass through the module."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` after each backward pass through it."""
        return add_hook(self._backward_hooks, hook, prepend)

    # -- how it is shown -----------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What stands between the brackets of the module's own line."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        inside = [f"({name}): {indented(repr(child))}" for name, child in self._modules.items()]
        if len(own) <= 1 and not inside:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*own, *inside]) + "\n)"


MISSING = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an "
    "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this "
    "bug."
)


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """Forget a gradient; or set it to 0, outside of any graph."""
    if set_to_none:
        parameter.grad = None
    elif parameter.grad is not None:
        grad = parameter.grad
        if grad.grad_fn is not None:
            grad = parameter.grad = grad.detach()
        grad.requires_grad_(False)
        grad.zero_()
