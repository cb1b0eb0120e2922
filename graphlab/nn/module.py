"""The module: a part of a model, with its parameters, buffers and inner modules.

tree.py registers these, traversal.py finds and converts them; this file calls, saves and shows the
module.

Read next: nn/module_hooks.py
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from graphlab.autograd.scopes import note_call
from graphlab.nn import state
from graphlab.nn.module_hooks import (
    RemovableHandle,
    add_hook,
    call_with_hooks,
    hooks_of,
    registers,
    shown,
)
from graphlab.nn.traversal import Traversal
from graphlab.tensor.tensor import Tensor
from graphlab.tensor.versions import next_sequence

LOAD = "_ = model.load_state_dict(model.state_dict())"


def indented(text: str, n: int = 2) -> str:
    """Return a text whose lines after the first are indented by n spaces."""
    return text.replace("\n", "\n" + " " * n)


def unwritten(self: "Module", *input: Any) -> Any:
    """Compute the output of the module; every module defines its own.

    >>> import graphlab as torch
    >>> torch.nn.ReLU().forward(torch.tensor(-2.0))
    tensor(0.)
    """
    raise NotImplementedError(
        f'Module [{type(self).__name__}] is missing the required "forward" function'
    )


class Module(Traversal):
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

        >>> import graphlab as torch
        >>> model = torch.nn.Sequential(torch.nn.Dropout()).train(False)
        >>> model.training, model[0].training
        (False, False)
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Set the evaluation mode, as `train(False)` does, and return the module.

        >>> import graphlab as torch
        >>> torch.nn.Dropout().eval()(torch.ones(2))
        tensor([1., 1.])
        """
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether the parameters get gradients (False freezes them); return the module.

        >>> import graphlab as torch
        >>> torch.nn.Linear(1, 1).requires_grad_(False).weight.requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to 0 with set_to_none=False.

        >>> import graphlab as torch
        >>> model = torch.nn.Linear(1, 1)
        >>> model(torch.ones(1)).backward()
        >>> model.zero_grad()
        >>> print(model.weight.grad)
        None
        """
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

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

        >>> import graphlab as torch
        >>> trained, fresh = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        >>> fresh.load_state_dict(trained.state_dict())
        <All keys matched successfully>
        >>> torch.equal(fresh.weight, trained.weight)
        True
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
        "_state_dict_pre_hooks",
        "Call `hook(module, prefix, keep_vars)` before each `state_dict`.",
        example=shown("register_state_dict_pre_hook", "_ = model.state_dict()"),
    )
    register_load_state_dict_pre_hook = registers(
        "_load_state_dict_pre_hooks",
        "Call `hook(module, state_dict, prefix, local_metadata, strict, missing_keys, "
        "unexpected_keys, error_msgs)` before the module's own entries are loaded.",
        example=shown("register_load_state_dict_pre_hook", LOAD),
    )
    register_load_state_dict_post_hook = registers(
        "_load_state_dict_post_hooks",
        "Call `hook(module, incompatible_keys)` once the module and its inner modules are loaded.",
        example=shown("register_load_state_dict_post_hook", LOAD),
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

        >>> import graphlab as torch
        >>> model = torch.nn.ReLU()
        >>> _ = model.register_forward_pre_hook(lambda module, args: (-args[0],))
        >>> model(torch.tensor(-2.0))
        tensor(2.)
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

        >>> import graphlab as torch
        >>> model = torch.nn.ReLU()
        >>> _ = model.register_forward_hook(lambda module, args, output: print(output))
        >>> _ = model(torch.tensor(-2.0))
        tensor(0.)
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

        >>> import graphlab as torch
        >>> model = torch.nn.ReLU()
        >>> _ = model.register_full_backward_pre_hook(lambda module, grads: print(grads))
        >>> model(torch.tensor(2.0, requires_grad=True)).backward()
        (tensor(1.),)
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

        >>> import graphlab as torch
        >>> model = torch.nn.ReLU()
        >>> _ = model.register_full_backward_hook(lambda module, to, from_: print(to, from_))
        >>> model(torch.tensor(-2.0, requires_grad=True)).backward()
        (tensor(0.),) (tensor(1.),)
        """
        self._use_backward_hooks(full=True)
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook with the gradients around the last node of the module; deprecated.

        `register_full_backward_hook` gives a hook the gradients of the module's own inputs.

        hook: function (module, grad_input, grad_output) of the gradients that leave the last node
            and those that reach it; it returns None or other gradients to leave it.
        Returns: RemovableHandle, whose `remove()` removes the hook.

        >>> import graphlab as torch
        >>> model = torch.nn.ReLU()
        >>> _ = model.register_backward_hook(lambda module, to, from_: print(to, from_))
        >>> x = torch.tensor(-2.0, requires_grad=True)
        >>> model(x.clone()).backward()
        (tensor(0.),) (tensor(1.),)
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
        """Return what the module's line shows in parentheses; a module overrides it.

        >>> import graphlab as torch
        >>> torch.nn.Linear(2, 1).extra_repr()
        'in_features=2, out_features=1, bias=True'
        """
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
