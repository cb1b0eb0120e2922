"""A node's saved values: checked when its rules read them, shown on request.

A node saves an input as the tensor itself, together with its version if it was ever changed in
place. It saves an output as data alone, because a node that held its own result would never be
freed.

Read next: tensor/versions.py
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.grad_mode import unusual
from graphlab.autograd.node import Node, Output, Pinned, as_function, number_tensor, rebuild_output
from graphlab.autograd.saved_tensor_hooks import Packed, SavedTensor
from graphlab.common.dtypes import find
from graphlab.common.errors import GraphFreedError, ModifiedInPlaceError
from graphlab.tensor.tensor import Tensor, wrap

new = object.__new__
PLACES = frozenset(  # options that count dimensions, entries or diagonals, and may be negative
    (
        *("dim", "dims", "dim0", "dim1", "dim2", "dimension", "source_dim", "index"),
        *("start", "end", "step", "diagonal", "offset", "shifts", "k", "pad", "ignore_index"),
        *("padding", "padding_idx"),
    )
)


def pin(tensor: Tensor) -> Any:
    """Return what a node saves of an input: the tensor, with its version if it was ever changed."""
    more = tensor._more
    if more is None:
        return tensor
    if more.inference:
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`."
        )
    version = 0 if more.version is None else more.version.count
    if version == 0 and more.detached == 0:
        return tensor
    pinned = new(Pinned)
    pinned.tensor, pinned.version, pinned.detached = tensor, version, more.detached
    return pinned


def unpin(saved: Any, may_be_detached: bool = False) -> Any:
    """Return the saved tensor, or number, after checking that it is still the same.

    may_be_detached: it is shown, or used by a custom Function.
    Raises: ModifiedInPlaceError when it was changed since, RuntimeError when it was detached.
    """
    expected = detached = 0
    tensor = saved
    if isinstance(saved, Pinned):
        tensor, expected, detached = saved.tensor, saved.version, saved.detached
    elif not isinstance(saved, Tensor):
        return saved
    more = tensor._more
    if more is None:
        return tensor
    now = 0 if more.version is None else more.version.count
    if now != expected:
        raise modified(tensor._data, tensor._node, now, expected)
    if more.detached != detached and not may_be_detached:
        raise RuntimeError(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
            "This is not supported, please use out-of-place `.detach()` instead"
        )
    return tensor


def raw(saved: Any) -> Any:
    """Return the data of a saved input. Raises: ModifiedInPlaceError if it was changed since."""
    if type(saved) is Pinned:
        tensor: Any = saved.tensor
        more = tensor._more
        if more.version.count == saved.version and more.detached == saved.detached:
            return tensor._data
    elif not isinstance(saved, Tensor):
        return saved
    return unpin(saved)._data


HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_IN_ANOMALY_MODE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The "
    "variable in question was changed in there or anywhere later. Good luck!"
)


def modified(data: Any, target: Any, now: int, expected: int) -> ModifiedInPlaceError:
    """Return the error for a saved tensor that was changed, in PyTorch's words."""
    node, index = as_function(target) if target is not None else (None, 0)
    kind = np.asarray(data).dtype
    what = f"[torch.{find(kind).legacy} {list(np.shape(data))}]"
    if node is not None:
        what += f", which is output {index} of {short_name(node)},"
    return ModifiedInPlaceError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: {what} is at version {now}; expected version {expected} instead. Hint: "
        + (HINT_IN_ANOMALY_MODE if "anomaly" in unusual else HINT)
    )


def short_name(node: Any) -> str:
    """Return the name of a node in errors: "Mul" for MulBackward0, "Pow2" for PowBackward2."""
    name, found, number = node.name().rpartition("Backward")
    if not found or not (number.isdigit() or number == ""):
        return node.name()
    return name + number.removeprefix("0")


def check_result(node: Node) -> None:
    """Raise ModifiedInPlaceError when the output was changed since it was saved."""
    version, expected = node._version
    if version.count == expected or not node._saved:
        return
    # Only the first output can be changed by others: the indices of a max are the node's own.
    result = node._saved[len(node.op.inputs)]
    if result is not None and not isinstance(result, Packed):
        made_by = Output(node, 0) if node.many else node
        seen = (node._extra or {}).get("window")  # of a view that was changed in place
        target = made_by if seen is None else seen() or made_by
        raise modified(result, target, version.count, expected)


def saved_attribute(node: Node, name: str) -> Any:
    """Return the value of `node._saved_<name>`."""
    op = node.op
    return show(node, op.shown[name]) if name in op.shown else held(node, name)


def held(node: Node, name: str) -> Any:
    """Return what the node holds under a name: an option, a saved input or a saved output."""
    op = node.op
    names = (*op.options, *op.derived)
    if name in names:
        if name in op.freed_options and node._saved is None:
            raise GraphFreedError
        option = as_tensors(node._options[names.index(name)])
        return unsigned(option) if name in PLACES else option
    if node._saved is None:
        raise GraphFreedError
    if not node._saved:
        return None
    if name in op.inputs:
        item = unpin(node._saved[op.inputs.index(name)], may_be_detached=True)
        if isinstance(item, Packed):
            return item.unpack(node)
        return number_tensor(item) if isinstance(item, int | float) else item
    if node._version is not None:
        check_result(node)
    index = op.outputs.index(name)
    data = node._saved[len(op.inputs) + index]
    return data.unpack(node) if isinstance(data, Packed) else rebuild_output(node, index, data)


def raw_attribute(node: Node, name: str) -> SavedTensor:
    """Return the value of `node._raw_saved_<name>`, before it is unpacked."""
    return SavedTensor(node, (*node.op.inputs, *node.op.outputs).index(name))


def show(node: Node, function: Callable[..., Any]) -> Any:
    """Return what a `show_` function of the operation computes from saved values."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = [held(node, name) for name in names]
    with np.errstate(all="ignore"):  # PyTorch is silent about log 0
        found = function(*(x._data if isinstance(x, Tensor) else x for x in given))
    same = (x for x in given if isinstance(x, Tensor) and x._data is found)
    tensor = next(same, None)
    return as_tensors(found) if tensor is None else tensor


def unsigned(place: Any) -> Any:
    """Return a dimension or an index as PyTorch shows it: -1 is the largest 64-bit number.

    >>> unsigned((0, -1))
    (0, 18446744073709551615)
    """
    if isinstance(place, tuple):
        return tuple(unsigned(part) for part in place)
    return place % (1 << 64) if isinstance(place, int) else place


def as_tensors(option: Any) -> Any:
    """Return an option as PyTorch shows it: arrays, such as indices, become tensors."""
    if isinstance(option, np.ndarray):
        return wrap(option if option.ndim else option[()], False, None)
    if isinstance(option, tuple):
        return tuple(as_tensors(part) for part in option)
    return option
