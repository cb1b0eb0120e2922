"""The options of optimizers: what they mean, which values are valid, and what weight decay does.

Read next: optim/sgd.py
"""

from typing import Any

from graphlab.common.dtypes import float32, float64, get_default_dtype
from graphlab.tensor.creation import tensor, zeros_like
from graphlab.tensor.tensor import Tensor

Options = dict[str, Any]  # the options of a group, {"lr": 0.1, ...}, or the state of a parameter
NOT_NEGATIVE = (
    "eps", "initial_accumulator_value", "lr_decay", "momentum", "momentum_decay", "weight_decay"
)  # fmt: skip

OPTIONS = """The options that several optimizers share.

params: tensors; or pairs (name, tensor); or dicts {"params": tensors, option: value, ...}
lr: float or tensor of one entry, the step size, ≥ 0
betas: (β₁, β₂), the parts of the running means that a step keeps, each in [0, 1)
eps: float ≥ 0, keeps the divisor away from 0
weight_decay: float ≥ 0, the factor of p in its gradient
maximize: bool, move along the gradient instead of against it
differentiable: bool, record the step for autograd
foreach: accepted as in PyTorch, without effect here
capturable: accepted as in PyTorch, without effect here
fused: accepted as in PyTorch, without effect here

Raises: ValueError for an option out of its range.
"""


def valid(condition: bool, what: str, value: Any) -> None:
    """Raise ValueError, "Invalid learning rate: -1", unless the condition holds."""
    if not condition:
        raise ValueError(f"Invalid {what}: {value}")


def checked(given: Options, first: str = "") -> Options:
    """Return the options among the `locals()` of an `__init__`.

    first: the names that PyTorch's groups have first, where it is another order than the arguments'
    Raises: ValueError for an option out of its range.
    """
    names = [k for k in (*first.split(), *given) if k not in ("self", "params", "__class__")]
    options = {name: given[name] for name in names}
    lr = options["lr"]
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    valid(number(lr) >= 0.0, "learning rate", lr)
    for i, beta in enumerate(options.get("betas", ())):
        valid(0.0 <= beta < 1.0, f"beta parameter at index {i}", beta)
    for name in NOT_NEGATIVE:
        value = options.get(name, 0)
        valid(value >= 0.0, f"{'epsilon' if name == 'eps' else name} value", value)
    return options


def number(value: Any) -> Any:
    """Return an option as a number; the option may be a tensor of one entry."""
    return value.item() if isinstance(value, Tensor) else value


def counter(start: float = 0.0) -> Tensor:
    """Return a tensor () in the dtype in which PyTorch counts steps."""
    return tensor(start, dtype=float64 if get_default_dtype() is float64 else float32)


def begin(
    param: Tensor, grad: Tensor, state: Options, group: Options, *averages: str
) -> tuple[float, Tensor]:
    """Count a step and apply weight decay; return the number of steps and the gradient.

    averages: the names of entries of `state` that start as zeros in the shape of `param`
    """
    if "step" not in state:
        state["step"] = counter()
    for name in averages:
        if name not in state:
            state[name] = zeros_like(param)
    state["step"] += 1
    return state["step"].item(), decayed(param, grad, group)


def decayed(param: Tensor, grad: Tensor, group: Options) -> Tensor:
    """Return the gradient with weight decay; decoupled decay scales the parameter instead."""
    decay = group["weight_decay"]
    if decay == 0:
        return grad
    if group.get("decoupled_weight_decay"):
        param.mul_(1 - number(group["lr"]) * decay)
        return grad
    return grad.add(param, alpha=decay)
