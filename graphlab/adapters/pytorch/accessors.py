"""Every private or fragile attribute of PyTorch's autograd that GraphLab reads, in one file.

Tested with PyTorch 2.13.0. Nothing here runs a hook, an unpack hook or a backward rule.

Read next: adapters/pytorch/arrays.py
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

SAVED = "_saved_"
FREED = "after they have already been freed"
NO_TENSORS = frozenset((int, float, bool, str, type(None), tuple, list, dict))
SIZES = frozenset((int, tuple))
LISTS = frozenset((tuple, list, type(None)))
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


@dataclass(slots=True)  # thousands of them are made: `frozen` would take four times as long
class Held:
    """The value of one saved attribute of a node.

    Attributes:
        name: without `_saved_`.
        value: a tensor, a number, a text, a tuple or None.
        freed: a backward pass has freed it.
        packed: what a pack hook returned for it, as text; "" without a hook.
        expected: the version of a tensor that was changed in place since; None if it was not.
    """

    name: str
    value: Any = None
    freed: bool = False
    packed: str = ""
    expected: int | None = None


def has_bias(held: dict[str, Held]) -> bool:
    """Whether a layer whose node does not keep its bias has one; norms have none without weight."""
    known = held.get("bias_sym_sizes_opt") or held.get("weight")
    return known is not None and known.value is not None


def loaded() -> Any:
    """The module torch, or None if the user's program has not imported it.

    A program may call GraphLab `torch`, also in `sys.modules`, and torch may be half imported.
    """
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "_C") and hasattr(torch, "Tensor") else None


def clock() -> int:
    """The sequence number that the next node of this thread will have."""
    return sys.modules["torch"]._C._autograd._get_sequence_nr()


def in_transform(seeds: Any) -> bool:
    """Whether a pass begins inside `vmap` or a function of `torch.func`, such as `grad`."""
    functorch = sys.modules["torch"]._C._functorch
    batched = any(one is not None and functorch.is_legacy_batchedtensor(one) for one in seeds)
    return batched or functorch.peek_interpreter_stack() is not None


def compiled_before() -> bool:
    """Whether there is compiled code, which a mode would make torch.compile compile again."""
    frames = sys.modules.get("torch._dynamo.convert_frame")
    return frames is not None and bool(frames.output_codes.seen_ids)


STANCES: list[Any] = []  # one object, once for each open recording


def run_uncompiled() -> list[Any]:
    """Let what torch.compile has not compiled yet run as it is written, until a handle is removed.

    PyTorch would compile the hooks and the mode of a recording, too, and lose an operation.
    """
    if "torch._dynamo" not in sys.modules:
        return []
    held = STANCES[0] if STANCES else loaded().compiler.set_stance("force_eager")
    STANCES.append(held)

    def remove() -> None:
        STANCES.pop()
        if not STANCES:
            held.__exit__(None, None, None)

    return [SimpleNamespace(remove=remove)]


def is_plain_step(optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a step of torch's own optimizer runs no code of the user's and makes no graph."""
    own = type(optimizer).__module__.startswith("torch.optim.")
    graph = any(group.get("differentiable") for group in optimizer.param_groups)
    return own and not graph and len(args) == 1 and not any(kwargs.values())


class Shared:
    """A tensor whose memory NumPy may read.

    `Tensor.numpy()` reads it too, but PyTorch refuses to resize such memory from then on, and FSDP
    resizes the memory of parameters.
    """

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __dlpack__(self, **_: Any) -> Any:
        return sys.modules["torch"]._C._to_dlpack(self.tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU


def numpy_of(plain: Any) -> np.ndarray:
    """A tensor as an array that shares its memory. Raises: what PyTorch raises if it cannot."""
    torch = sys.modules["torch"]
    if plain.is_cpu and not plain.data_ptr() and plain.numel():
        raise TypeError("a ZeroTensor, or one whose storage is freed")  # NumPy would invent entries
    if type(plain) not in (torch.Tensor, torch.nn.Parameter) or not plain.is_cpu:
        return plain.numpy()
    if plain.is_conj() or plain.is_neg():
        raise TypeError("its entries are not what its memory holds")
    return np.from_dlpack(Shared(plain))


def is_tensor(thing: Any) -> bool:
    """Whether it is a PyTorch tensor; none of its own code runs."""
    kind = type(thing)
    return kind not in NO_TENSORS and is_tensor_class(kind)  # quick exit for most values


@lru_cache(maxsize=1024)
def is_tensor_class(kind: type) -> bool:
    """Whether a class is one of PyTorch's tensors."""
    torch = loaded()
    return torch is not None and issubclass(kind, torch.Tensor)


def is_accumulator(node: Any) -> bool:
    """Whether a node adds gradients to a leaf."""
    return type(node).__name__ == "AccumulateGrad"


def is_custom(node: Any) -> bool:
    """Whether a node belongs to a Function that a user wrote in Python."""
    return hasattr(type(node), "_forward_cls")


def sequence_of(node: Any) -> int:
    """The number by which the engine orders the nodes that are ready, the largest first."""
    return node._sequence_nr()


def edges_of(node: Any) -> list[tuple[Any, int] | None]:
    """For each input, the node that its gradient goes to and which of its outputs that is."""
    return [None if to is None else (to, output) for to, output in node.next_functions]


def maker_of(tensor: Any) -> tuple[Any, int] | None:
    """The node that made `tensor`, and which of its outputs it is; None for a leaf."""
    return None if tensor.grad_fn is None else (tensor.grad_fn, tensor.output_nr)


def known_maker_of(tensor: Any) -> tuple[Any, int] | None:
    """As `maker_of`; None also for a view that PyTorch forbids to use, because its base changed."""
    try:
        return maker_of(tensor)
    except RuntimeError:
        return None


def root_of(tensor: Any) -> tuple[Any, int]:
    """The edge at which a gradient of `tensor` enters; the tensor requires one."""
    made = maker_of(tensor)
    if made is not None:
        return made
    with sys.modules["torch"].enable_grad():  # a leaf: where its copy sends gradients
        node, output = tensor.clone().grad_fn.next_functions[0]
    return node, output


def outputs_of(node: Any) -> list[tuple[tuple[int, ...], Any]]:
    """The shape and dtype of each output, which are those of its gradient."""
    return [(shape_of(one), one.dtype) for one in node._input_metadata]


def output_of(edge: tuple[Any, int]) -> tuple[tuple[int, ...], Any]:
    """The shape and dtype of the gradient that goes along an edge."""
    one = edge[0]._input_metadata[edge[1]]
    return shape_of(one), one.dtype


def count_of_outputs(node: Any) -> int:
    """How many outputs a node's operation has."""
    return len(node._input_metadata)


def shape_of(metadata: Any) -> tuple[int, ...]:
    """A shape; () if it is unknown, such as that of a nested tensor."""
    if metadata.is_nested_tensor or metadata.is_cpp_nested_tensor:
        return ()
    try:
        return tuple(map(int, metadata.shape))
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return ()


def saved_of(node: Any, asked: frozenset[str]) -> dict[str, Held]:
    """What a node has saved, by name: all tensors, and the requested numbers."""
    found = {}
    for name, attribute, raw_attribute in saved_names(type(node), asked):
        raw = None
        try:
            if raw_attribute:
                raw = getattr(node, raw_attribute)
                if type(raw) not in LISTS and getattr(raw, "unpack_hook", None) is not None:
                    found[name] = Held(name, packed=_packed(raw))
                    continue
            value = getattr(node, attribute)
        except RuntimeError as error:
            found[name] = _unreadable(name, raw, str(error))
            continue
        found[name] = Held(name, _signed(value) if type(value) in SIZES else value)
    return found


@lru_cache(maxsize=4096)
def saved_names(kind: type, asked: frozenset[str]) -> tuple[tuple[str, str, str], ...]:
    """What the nodes of a class save: the name, and its attributes after and before hooks."""
    names = dir(kind)
    found = []
    for attribute in sorted(name for name in names if name.startswith(SAVED)):
        name = attribute.removeprefix(SAVED)
        raw = f"_raw_saved_{name}"
        if raw in names or name in asked:
            found.append((name, attribute, raw if raw in names else ""))
    return tuple(found)


def _unreadable(name: str, raw: Any, said: str) -> Held:
    """What is known of a saved value that PyTorch refuses to return."""
    if FREED in said:
        return Held(name, freed=True)
    found = _VERSIONS.search(said)
    if found is None:  # a value that Python cannot see
        return Held(name)
    return Held(name, getattr(raw, "data", None), expected=int(found[2]))


def saved_by_user(node: Any) -> Iterator[Held]:
    """The tensors that a Function's forward gave to `save_for_backward`."""
    try:
        raws = node._raw_saved_tensors
    except RuntimeError:
        yield Held("saved_tensors", freed=True)
        return
    if any(map(_packed, raws)):
        for place, raw in enumerate(raws):
            yield Held(f"saved_tensors[{place}]", packed=_packed(raw) or "a saved tensor")
        return
    try:
        tensors = node.saved_tensors
    except RuntimeError as error:
        found = _VERSIONS.search(str(error))
        for place, raw in enumerate(raws):
            expected = None if found is None else int(found[2])
            yield Held(f"saved_tensors[{place}]", getattr(raw, "data", None), expected=expected)
        return
    for place, tensor in enumerate(tensors):
        yield Held(f"saved_tensors[{place}]", tensor)


def _packed(raw: Any) -> str:
    """What a pack hook returned for a saved tensor, as text; "" without a hook."""
    if type(raw) in LISTS or getattr(raw, "unpack_hook", None) is None:
        return ""
    held = raw.data
    if type(held).__module__ == "torch.utils.checkpoint":
        return "made again"
    return type(held).__name__ if is_tensor(held) else " ".join(repr(held).split())[:80] or "''"


def _signed(value: Any) -> Any:
    """Undo that PyTorch shows a negative dimension as an unsigned number."""
    if type(value) is int:
        return value - 2**64 if value >= 2**63 else value
    if type(value) is tuple and value and type(value[0]) is int and max(value) >= 2**63:
        return tuple(map(_signed, value))
    return value


def unpack_hooks_of(node: Any) -> list[Any]:
    """The unpack hooks, which restore what pack hooks replaced."""
    raws: list[Any] = []
    for attribute in dir(node):
        if attribute.startswith("_raw_saved_"):
            try:
                raw = getattr(node, attribute)
            except RuntimeError:  # it was freed
                continue
            raws += raw if isinstance(raw, tuple | list) else [raw]
    hooks = [getattr(raw, "unpack_hook", None) for raw in raws]
    return [hook for hook in hooks if hook is not None]


def hooks_of(node: Any) -> int:
    """How many hooks a user has registered on a node."""
    found = 0
    for register in (node.register_hook, node.register_prehook):
        try:
            handle = register(lambda *_: None)
        except (RuntimeError, AttributeError):
            continue
        found += len(handle.hooks_dict_ref() or ()) - 1
        handle.remove()
    return found


def hooks_on(tensor: Any) -> int:
    """How many hooks a user has registered on a tensor."""
    tables = (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None))
    return sum(len(table) for table in tables if table)


def version_of(tensor: Any) -> int:
    """How often a tensor was changed in place."""
    try:
        return tensor._version
    except RuntimeError:  # made in inference mode
        return 0
