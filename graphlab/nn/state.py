"""A module's state as a dictionary, and back: `state_dict()` and `load_state_dict()`.

Read next: nn/containers.py
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.views import check_change
from graphlab.nn.parameter import Parameter
from graphlab.tensor.inplace import check_memory
from graphlab.tensor.tensor import Tensor

if TYPE_CHECKING:
    from graphlab.nn.module import Module

EXTRA = "_extra_state"  # the key of what `get_extra_state` returns
WRITES = "writes"  # the key, in a module's metadata, of what is written once all is checked


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` did not find, and what it did not know."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class Misfit(Exception):
    """Why a tensor cannot be loaded."""


def persistent(module: "Module") -> dict[str, Any]:
    """The buffers of the module itself that belong to its state."""
    skipped = module._non_persistent_buffers_set
    return {name: buffer for name, buffer in module._buffers.items() if name not in skipped}


def has(module: "Module", method: str) -> bool:
    """Whether the module's class has a method of its own: `get_extra_state`, `set_extra_state`."""
    from graphlab.nn.module import Module

    return getattr(type(module), method, None) is not getattr(Module, method)


def save(module: "Module", destination: Any, prefix: str, keep_vars: bool) -> None:
    """Write what the module itself holds into `destination`, outside the graph."""
    for name, tensor in {**module._parameters, **persistent(module)}.items():
        if tensor is not None:
            as_it_is = keep_vars or hasattr(tensor, "materialize")  # a lazy one has no data yet
            destination[prefix + name] = tensor if as_it_is else tensor.detach()
    if has(module, "get_extra_state"):
        destination[prefix + EXTRA] = module.get_extra_state()


def load_tree(
    module: "Module", given: Mapping[str, Any], strict: bool, assign: bool
) -> _IncompatibleKeys:
    """Load a whole module: see `Module.load_state_dict`.

    The modules check what is theirs, and leave what they would write in the list `writes` of the
    metadata; it is written when nothing is wrong anywhere.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    writes: list[Callable[[], Any]] = []
    metadata = getattr(given, "_metadata", None) or {}

    def load(part: "Module", state: dict[str, Any], prefix: str) -> None:
        local = {**metadata.get(prefix[:-1], {}), WRITES: writes}
        if assign:
            local["assign_to_params_buffers"] = True
        part._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
        for name, child in part._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                load(child, {k: v for k, v in state.items() if k.startswith(inner)}, inner)

    load(module, dict(given), "")
    if strict and missing:
        errors.insert(0, f"Missing key(s) in state_dict: {quoted(missing)}. ")
    if strict and unexpected:
        place = 1 if missing else 0
        errors.insert(place, f"Unexpected key(s) in state_dict: {quoted(unexpected)}. ")
    if errors:
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors)
        )
    for write in writes:
        write()
    return _IncompatibleKeys(missing, unexpected)


def quoted(keys: list[str]) -> str:
    """Keys as PyTorch lists them."""
    return ", ".join(f'"{key}"' for key in keys)


def load_own(
    module: "Module",
    state: dict[str, Any],
    prefix: str,
    local_metadata: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load what the module itself holds; note what is missing, unexpected or does not fit.

    Where nobody waits for the list of what to write, what fits is written at once.
    """
    writes: list[Callable[[], Any]] = []
    everything = {**module._parameters, **persistent(module)}
    held = {name: tensor for name, tensor in everything.items() if tensor is not None}
    for name, tensor in held.items():
        key = prefix + name
        if key not in state:
            if strict:
                missing.append(key)
            continue
        assign = bool(local_metadata.get("assign_to_params_buffers"))
        try:
            writes.append(loading(module, name, key, tensor, state[key], assign))
        except Misfit as problem:
            errors.append(str(problem))
    extra = prefix + EXTRA
    if has(module, "set_extra_state"):
        if extra in state:
            writes.append(partial(module.set_extra_state, state[extra]))
        elif strict:
            missing.append(extra)
    elif strict and extra in state:
        unexpected.append(extra)
    if WRITES in local_metadata:
        local_metadata[WRITES] += writes
    else:
        for write in writes:
            write()
    if not strict:
        return
    for key in state:
        if not key.startswith(prefix) or key == extra:
            continue
        first, dot, _ = key[len(prefix) :].partition(".")
        if first not in (module._modules if dot else held):
            unexpected.append(key)


def loading(
    module: "Module", name: str, key: str, tensor: Any, given: Any, assign: bool
) -> Callable[[], Any]:
    """What loads one tensor, into its memory or in its place. Raises: Misfit, and why."""
    if not isinstance(given, Tensor):
        raise Misfit(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(given)}"
        )
    lazy = hasattr(tensor, "materialize")
    if lazy and hasattr(given, "materialize"):
        return partial(setattr, module, name, given) if assign else nothing
    if not lazy and tensor.ndim == 0 and tuple(given.shape) == (1,):
        given = given[0]  # as very old files had it
    if not lazy and given.shape != tensor.shape:
        raise Misfit(
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, "
            f"the shape in current model is {tensor.shape}."
        )
    if assign:
        return partial(take_place, module, name, tensor, given)
    try:
        if not lazy:
            check_change(tensor, recording=False)
            check_memory(tensor, [given])
    except RuntimeError as error:
        raise Misfit(
            f'While copying the parameter named "{key}", whose dimensions in the model are '
            f"{tensor.size()} and whose dimensions in the checkpoint are {given.size()}, an "
            f"exception occurred : {error.args}."
        ) from None
    return partial(copy_into, tensor, given)


def nothing() -> None:
    """What there is to write when neither tensor has a shape yet."""


def take_place(module: "Module", name: str, tensor: Tensor, given: Tensor) -> None:
    """Put `given` where `tensor` was, a parameter where a parameter was."""
    if isinstance(tensor, Parameter):
        needs = tensor.requires_grad
        a_parameter = isinstance(given, Parameter)
        given = given.requires_grad_(needs) if a_parameter else Parameter(given, needs)
    setattr(module, name, given)


def copy_into(tensor: Any, given: Tensor) -> None:
    """Copy the entries; a lazy parameter takes the shape with them."""
    if hasattr(tensor, "materialize"):
        tensor.materialize(given.shape)
    with no_grad():
        tensor.copy_(given)
