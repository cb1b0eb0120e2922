"""The optimizer: groups of parameters with their options, and what it remembers of each.

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

An optimizer of one's own says in `update` what happens to one parameter.

Read next: optim/sgd.py
"""

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from graphlab.autograd.grad_mode import enable_grad, set_grad_enabled
from graphlab.autograd.watchers import watcher, watchers
from graphlab.common.dtypes import float32, float64, get_default_dtype
from graphlab.nn.hooks import HookTable, RemovableHandle, add_hook
from graphlab.nn.module import clear_grad
from graphlab.nn.tree import type_name
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor


def valid(condition: bool, what: str, value: Any) -> None:
    """Raises: ValueError, "Invalid learning rate: -1", unless the condition holds."""
    if not condition:
        raise ValueError(f"Invalid {what}: {value}")


def valid_rate(lr: Any) -> None:
    """Raises: ValueError for a learning rate that is negative, or not a single number."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    valid(number(lr) >= 0.0, "learning rate", lr)


def number(value: Any) -> Any:
    """An option as a number: it may be a tensor of one entry."""
    return value.item() if isinstance(value, Tensor) else value


def counter(start: float = 0.0) -> Tensor:
    """A number that is counted up, as PyTorch keeps it: a tensor."""
    return tensor(start, dtype=float64 if get_default_dtype() is float64 else float32)


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """The `step` of a class, with the hooks of the optimizer around it."""

    @functools.wraps(step)
    def call(self: "Optimizer", *args: Any, **kwargs: Any) -> Any:
        for hook in list(self._optimizer_step_pre_hooks.values()):
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
            result = step(self, *args, **kwargs)
        else:
            with recording.stepping(self):
                result = step(self, *args, **kwargs)
        for hook in list(self._optimizer_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    return call


class Optimizer:
    """The base of every optimizer.

    params: tensors, pairs (name, tensor), or dicts {"params": ..., options of this group}.
    Raises: ValueError for no parameters, or one that is no leaf; TypeError for a single tensor.
    """

    def __init_subclass__(cls) -> None:
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.step)

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_tables()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got torch.{params.dtype.legacy}"
            )
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _make_tables(self) -> None:
        self._optimizer_step_pre_hooks = HookTable()
        self._optimizer_step_post_hooks = HookTable()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._make_tables()

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n" + "".join(options)
        return text + ")"

    # -- one step ------------------------------------------------------------------------------

    def update(
        self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        """Change one parameter in place, given its gradient, its memory and its options."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change all parameters that have a gradient.

        closure: computes the loss anew, with its gradients; its loss is what `step` returns.
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
        """Forget the gradients of all parameters; or set them to 0."""
        for group in self.param_groups:
            for param in group["params"]:
                clear_grad(param, set_to_none)

    # -- groups --------------------------------------------------------------------------------

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Take charge of more parameters, with options of their own."""
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
                stacklevel=3,
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
                "optimizer can only optimize Tensors, but one of the params is " + type_name(param)
            )
        free = self.defaults.get("differentiable")
        if not free and not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    # -- state ---------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Options and memory; parameters are numbered in the order of the groups."""
        place: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            for i, param in enumerate(group["params"], start):
                place.setdefault(id(param), i)
            start += len(group["params"])
            numbers = [place[id(param)] for param in group["params"]]
            groups.append({**without_params(group), "params": numbers})
        held = {
            place[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        return {"state": held, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take back what `state_dict` gave. Raises: ValueError for groups of other sizes."""
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

    # -- hooks ---------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return other arguments."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)


Optimizer.step = with_hooks(Optimizer.step)


def without_params(group: dict[str, Any]) -> dict[str, Any]:
    """The options of a group alone."""
    return {key: value for key, value in group.items() if key != "params"}


def cast(param: Tensor, value: Any, key: Any = None) -> Any:
    """What is remembered of a parameter, in the parameter's type; a count of steps stays."""
    if isinstance(value, Tensor):
        return value if key == "step" else value.to(param.dtype)
    if isinstance(value, OrderedDict | dict):
        return {k: cast(param, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(cast(param, v) for v in value)  # type: ignore[call-arg]
    return value
