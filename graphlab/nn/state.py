"""The state of a module as a dictionary: `state_dict()` and `load_state_dict()`.

Read next: nn/containers.py
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.views import check_change
from graphlab.nn.module_hooks import RemovableHandle, hooks_of, registers
from graphlab.nn.parameter import Parameter
from graphlab.tensor.inplace import check_memory
from graphlab.tensor.tensor import Tensor

EXTRA = "_extra_state"  # the key of the value that `get_extra_state` returns
WRITES = "writes"  # the key, in a module's metadata, of the writes to do after all checks
NOT_DEFINED = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an "
    "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this "
    "bug."
)
NO_RESULT = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
    "values, if incompatible_keys need to be modified, it should be done inplace."
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The keys that `load_state_dict` did not find, and those that the module does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class Misfit(Exception):
    """A tensor cannot be loaded; the message says why."""


def persistent(module: Any) -> dict[str, Any]:
    """Return the module's own buffers that belong to its state."""
    skipped = module._non_persistent_buffers_set
    return {name: buffer for name, buffer in module._buffers.items() if name not in skipped}


def get_extra_state(self: Any) -> Any:
    """Return further state to save; a module that overrides this overrides set_extra_state too.

    >>> import graphlab as torch
    >>> class Counter(torch.nn.Module):
    ...     def get_extra_state(self):
    ...         return 7
    >>> Counter().state_dict()["_extra_state"]
    7
    """
    raise RuntimeError(NOT_DEFINED.format("get"))


def set_extra_state(self: Any, state: Any) -> None:
    """Restore the state that `get_extra_state` returned.

    >>> import graphlab as torch
    >>> class Counter(torch.nn.Module):
    ...     def set_extra_state(self, state):
    ...         print("restored", state)
    >>> _ = Counter().load_state_dict({"_extra_state": 7})
    restored 7
    """
    raise RuntimeError(NOT_DEFINED.format("set"))


def overrides(module: Any, default: Callable[..., Any]) -> bool:
    """Return whether the module's class overrides `default`, one of the two functions above."""
    return getattr(type(module), default.__name__) is not default


def save(module: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Add the module's own parameters and buffers to `destination`."""
    for name, tensor in {**module._parameters, **persistent(module)}.items():
        if tensor is not None:
            same = keep_vars or hasattr(tensor, "materialize")  # a lazy tensor has no data yet
            destination[prefix + name] = tensor if same else tensor.detach()
    if overrides(module, get_extra_state):
        destination[prefix + EXTRA] = module.get_extra_state()


def register_state_dict_post_hook(self: Any, hook: Any) -> RemovableHandle:
    """Call `hook(module, state_dict, prefix, local_metadata)` after each `state_dict`.

    hook: function that changes the dictionary in place. Returns: its RemovableHandle.

    >>> import graphlab as torch
    >>> model = torch.nn.Linear(1, 1)
    >>> _ = model.register_state_dict_post_hook(lambda module, state, *_: state.update(epoch=3))
    >>> list(model.state_dict())
    ['weight', 'bias', 'epoch']
    """
    hook._from_public_api = True
    return add_state_hook(self, hook)


def _register_state_dict_hook(self: Any, hook: Any) -> RemovableHandle:
    """As `register_state_dict_post_hook`, but the hook may return another dictionary."""
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError(
            "Cannot register the same function as the state dict post hook that was previously "
            "registered via register_state_dict_post_hook"
        )
    return add_state_hook(self, hook)


def _register_load_state_dict_pre_hook(
    self: Any, hook: Any, with_module: bool = False
) -> RemovableHandle:
    """As `register_load_state_dict_pre_hook`, with the module for the hook only if asked for."""
    add = self.register_load_state_dict_pre_hook
    return add(hook if with_module else lambda module, *rest: hook(*rest))


add_state_hook = registers("_state_dict_hooks", "Call a hook after `state_dict`.")


def changed_by_hooks(module: Any, destination: Any, prefix: str, metadata: Any) -> Any:
    """Call the hooks after `state_dict`; return the dictionary, which some may replace."""
    for hook in hooks_of(module, "_state_dict_hooks"):
        changed = hook(module, destination, prefix, metadata)
        if changed is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = changed
    return destination


def load_tree(
    module: Any, given: Mapping[str, Any], strict: bool, assign: bool
) -> _IncompatibleKeys:
    """Load a module with its inner modules: see `Module.load_state_dict`.

    Every module first checks its own entries and adds its writes to a list in the metadata. The
    writes are done only if no module found an error.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    writes: list[Callable[[], Any]] = []
    metadata = getattr(given, "_metadata", None) or {}

    def load(part: Any, state: dict[str, Any], prefix: str) -> None:
        local = {**metadata.get(prefix[:-1], {}), WRITES: writes}
        if assign:
            local["assign_to_params_buffers"] = True
        part._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
        for name, child in part._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                load(child, {k: v for k, v in state.items() if k.startswith(inner)}, inner)
        for hook in hooks_of(part, "_load_state_dict_post_hooks"):
            while writes:  # a hook sees the module as it was loaded
                writes.pop(0)()
            if hook(part, found) is not None:
                raise AssertionError(NO_RESULT)

    found = _IncompatibleKeys(missing, unexpected)
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
    return found


def quoted(keys: list[str]) -> str:
    """Format keys as PyTorch's messages do."""
    return ", ".join(f'"{key}"' for key in keys)


def load_own(
    module: Any,
    state: dict[str, Any],
    prefix: str,
    local_metadata: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load the module's own entries; collect missing and unexpected keys, and errors.

    If the metadata has no list of writes, the entries are written at once.
    """
    for hook in hooks_of(module, "_load_state_dict_pre_hooks"):
        hook(module, state, prefix, local_metadata, strict, missing, unexpected, errors)
    writes: list[Callable[[], Any]] = []
    members = {**module._parameters, **persistent(module)}
    own = {name: tensor for name, tensor in members.items() if tensor is not None}
    for name, tensor in own.items():
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
    if overrides(module, set_extra_state):
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
        if first not in (module._modules if dot else own):
            unexpected.append(key)


def loading(
    module: Any, name: str, key: str, tensor: Any, given: Any, assign: bool
) -> Callable[[], Any]:
    """Return a function that loads one tensor. Raises: Misfit if the tensor does not fit."""
    if not isinstance(given, Tensor):
        raise Misfit(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(given)}"
        )
    lazy = hasattr(tensor, "materialize")
    if lazy and hasattr(given, "materialize"):
        return partial(setattr, module, name, given) if assign else lambda: None
    if not lazy and tensor.ndim == 0 and tuple(given.shape) == (1,):
        given = given[0]  # the form in very old files
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


def take_place(module: Any, name: str, tensor: Tensor, given: Tensor) -> None:
    """Replace a tensor of the module by the given one, and a parameter by a parameter."""
    if isinstance(tensor, Parameter):
        if isinstance(given, Parameter):
            given.requires_grad_(tensor.requires_grad)
        else:
            given = Parameter(given, tensor.requires_grad)
    setattr(module, name, given)


def copy_into(tensor: Any, given: Tensor) -> None:
    """Copy the entries of `given`; a tensor without a shape takes its shape."""
    if hasattr(tensor, "materialize"):
        tensor.materialize(given.shape)
    with no_grad():
        tensor.copy_(given)
