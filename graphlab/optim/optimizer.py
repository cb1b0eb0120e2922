"""The optimizer: groups of parameters with their options, and a state for each parameter.

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

A subclass defines `update`, which changes one parameter.

Read next: optim/options.py
"""

import functools
import inspect
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, set_grad_enabled
from graphlab.autograd.watch import watcher, watchers
from graphlab.common.errors import ONE_LIBRARY, named_kind, users_level
from graphlab.nn.layer import completed
from graphlab.nn.module import clear_grad
from graphlab.nn.module_hooks import changed, hooks_of, registers, shown
from graphlab.nn.tree import type_name
from graphlab.optim.options import OPTIONS, Options
from graphlab.tensor.tensor import Tensor

MADE = "optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)"
LOAD = "optimizer.load_state_dict(optimizer.state_dict())"


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `step` method that also calls the hooks of the optimizer."""

    @functools.wraps(step)
    def call(*args: Any, **kwargs: Any) -> Any:
        self: Optimizer = args[0]  # hooks see it
        for hook in hooks_of(self, "_optimizer_step_pre_hooks"):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{changed}."
                    )
                args, kwargs = changed
        recording = watcher() if watchers else None
        if recording is None:
            result = step(*args, **kwargs)
        else:
            with recording.stepping(self):
                result = step(*args, **kwargs)
        for hook in hooks_of(self, "_optimizer_step_post_hooks"):
            hook(self, args, kwargs)
        return result

    return call


class Optimizer:
    """The base class of all optimizers.

    params: tensors; or pairs (name, tensor); or dicts {"params": tensors, option: value, ...},
        each of which is a group with options of its own
    defaults: dict, the options of the groups that do not set their own
    Raises: ValueError without parameters, or for one that is not a leaf; TypeError for a single
        tensor instead of several, or for other objects.

    A subclass calls `super().__init__(params, defaults)` and defines `update`, or `step` itself.

    >>> import graphlab as torch
    >>> class SignDescent(torch.optim.Optimizer):
    ...     def update(self, param, grad, state, group):
    ...         param.sub_(group["lr"] * grad.sign())
    >>> w = torch.tensor([2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> SignDescent([w], {"lr": 0.5}).step()
    >>> w
    tensor([1.5000], requires_grad=True)
    """

    def __init_subclass__(cls) -> None:
        """Let `step` call the hooks; add the shared options to the docstring of a class of ours."""
        if cls.__doc__ and cls.__module__.startswith("graphlab.optim."):
            parameters = inspect.signature(cls.__init__).parameters
            cls.__doc__ = completed([cls.__doc__, OPTIONS], parameters, "optim", [cls.__name__])
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.step)

    def __init__(self, params: Any, defaults: Options) -> None:
        self.defaults = defaults
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got torch.{params.dtype.legacy}"
            )
        self.state: Any = defaultdict(dict)
        self.param_groups: list[Options] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __getstate__(self) -> Options:
        return {name: getattr(self, name) for name in ("defaults", "state", "param_groups")}

    def __setstate__(self, state: Options) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n" + "".join(options)
        return text + ")"

    # -- one step ------------------------------------------------------------------------------

    def update(self, param: Tensor, grad: Tensor, state: Options, group: Options) -> None:
        """Change one parameter in place.

        param, grad: the parameter and its gradient, of the same shape
        state: dict of this parameter, which persists from step to step
        group: dict, the options of its group

        >>> import graphlab as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> optimizer.update(w.data, torch.tensor([2.0]), {}, optimizer.param_groups[0])
        >>> w
        tensor([0.8000], requires_grad=True)
        """
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change all parameters that have a gradient.

        closure: function that computes the loss and its gradients again, or None
        Returns: the loss that `closure` returned, or None.

        >>> import graphlab as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> (3 * w).sum().backward()
        >>> optimizer.step()
        >>> w
        tensor([0.7000], requires_grad=True)
        """
        loss = None
        with set_grad_enabled(bool(self.defaults.get("differentiable"))):
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for param in group["params"]:
                    grad = param.grad
                    if grad is None:
                        continue
                    state = self.state.get(param, {})
                    self.update(param, -grad if group.get("maximize") else grad, state, group)
                    if state:
                        self.state[param] = state
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to 0 with set_to_none=False.

        >>> import graphlab as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> (3 * w).sum().backward()
        >>> torch.optim.SGD([w], lr=0.1).zero_grad()
        >>> print(w.grad)
        None
        """
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    # -- groups --------------------------------------------------------------------------------

    def add_param_group(self, param_group: Options) -> None:
        """Add a group of parameters, a dict {"params": tensors, option: value, ...}.

        Raises: TypeError or ValueError for parameters that are not leaves or have a group already.

        >>> import graphlab as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> optimizer.add_param_group({"params": [torch.nn.Parameter(torch.ones(1))], "lr": 1.0})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 1.0]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        names = [one[0] for one in given if isinstance(one, tuple)]
        params = [one[1] if isinstance(one, tuple) else one for one in given]
        if names and len(names) != len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        for param in params:
            self._check_param(param)
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=users_level(),
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                what = "with names" if names else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param "
                    f"group {what} to the optimizer"
                )
            if not set(params).isdisjoint(group["params"]):
                raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _check_param(self, param: Any) -> None:
        if not isinstance(param, Tensor):
            raise TypeError(
                "optimizer can only optimize Tensors, but one of the params is "
                + (kind if ONE_LIBRARY in (kind := named_kind(param)) else type_name(param))
            )
        differentiable = self.defaults.get("differentiable")
        if not (differentiable or param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    # -- state ---------------------------------------------------------------------------------

    def state_dict(self) -> Options:
        """Return {"state": ..., "param_groups": ...}, with a number in place of each parameter.

        The numbers count the parameters from 0, in the order of the groups.

        >>> import graphlab as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> state = torch.optim.SGD([w], lr=0.1).state_dict()
        >>> state["state"], state["param_groups"][0]["params"]
        ({}, [0])
        """
        for hook in hooks_of(self, "_state_dict_pre_hooks"):
            hook(self)
        place: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            for i, param in enumerate(group["params"], start):
                place.setdefault(id(param), i)
            start += len(group["params"])
            numbers = [place[id(param)] for param in group["params"]]
            options = {key: value for key, value in group.items() if key != "params"}
            groups.append({**options, "params": numbers})
        saved = {
            place[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        return changed(self, "_state_dict_post_hooks", {"state": saved, "param_groups": groups})

    def load_state_dict(self, state_dict: Options) -> None:
        """Restore a state from `state_dict`. Raises: ValueError for groups of other sizes.

        >>> import graphlab as torch
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> optimizer.load_state_dict(torch.optim.SGD([w], lr=0.5).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        state_dict = changed(self, "_load_state_dict_pre_hooks", state_dict.copy())
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        param_of = {
            i: param
            for own, other in zip(groups, saved, strict=True)
            for i, param in zip(other["params"], own["params"], strict=True)
        }
        state: Any = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in param_of:
                state[param_of[key]] = cast(param_of[key], value)
            else:
                state[key] = value
        for own, other in zip(groups, saved, strict=True):
            other["params"] = own["params"]
            if "param_names" in own:
                other.setdefault("param_names", own["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in hooks_of(self, "_load_state_dict_post_hooks"):
            hook(self)

    # -- hooks ---------------------------------------------------------------------------------

    register_step_pre_hook = registers(
        "_optimizer_step_pre_hooks",
        "Call `hook(optimizer, args, kwargs)`, which may return both, before each step.",
        example=shown("register_step_pre_hook", "optimizer.step()", MADE),
    )
    register_step_post_hook = registers(
        "_optimizer_step_post_hooks",
        "Call `hook(optimizer, args, kwargs)` after each step.",
        example=shown("register_step_post_hook", "optimizer.step()", MADE),
    )
    register_state_dict_pre_hook = registers(
        "_state_dict_pre_hooks",
        "Call `hook(optimizer)` before each `state_dict`.",
        prepend=True,
        example=shown("register_state_dict_pre_hook", "_ = optimizer.state_dict()", MADE),
    )
    register_state_dict_post_hook = registers(
        "_state_dict_post_hooks",
        "Call `hook(optimizer, state_dict)`, which may return another, after each `state_dict`.",
        prepend=True,
        example=shown("register_state_dict_post_hook", "_ = optimizer.state_dict()", MADE),
    )
    register_load_state_dict_pre_hook = registers(
        "_load_state_dict_pre_hooks",
        "Call `hook(optimizer, state_dict)`, which may return another, before it is loaded.",
        prepend=True,
        example=shown("register_load_state_dict_pre_hook", LOAD, MADE),
    )
    register_load_state_dict_post_hook = registers(
        "_load_state_dict_post_hooks",
        "Call `hook(optimizer)` after a state is loaded.",
        prepend=True,
        example=shown("register_load_state_dict_post_hook", LOAD, MADE),
    )


Optimizer.step = with_hooks(Optimizer.step)


def cast(param: Tensor, value: Any, key: Any = None) -> Any:
    """Return a state in the dtype of its parameter; the count of steps keeps its own dtype."""
    if isinstance(value, Tensor):
        return value if key == "step" else value.to(param.dtype)
    if isinstance(value, dict):
        return {k: cast(param, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(cast(param, v) for v in value)  # type: ignore[call-arg]
    return value
