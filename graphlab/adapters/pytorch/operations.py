"""Which of GraphLab's operations a PyTorch node is, by its name and the number of its edges.

Options that the node does not keep are computed from what it does keep. Inputs that it does not
keep, the x of `w + x` or the 1 of `w + 1`, are noted at the node by a recording. A node whose name
GraphLab does not have is drawn and stepped through like any other; its rule is not explained.

Read next: adapters/pytorch/stand_ins.py
"""

import re
import weakref
from functools import cache
from typing import Any, ClassVar

import numpy as np

from graphlab.adapters.pytorch.accessors import (
    Held,
    is_custom,
    loaded,
    outputs_of,
    saved_names,
    version_of,
)
from graphlab.adapters.pytorch.arrays import array_of
from graphlab.autograd.function import Context
from graphlab.autograd.introspection import NodeType
from graphlab.autograd.node import Node
from graphlab.autograd.node_classes import node_class
from graphlab.ops import load_all
from graphlab.ops.base import Op

BACKEND = re.compile("^(Mkldnn|Cudnn|Miopen)")
USUAL = 10.0 ** -np.arange(3, 16)  # values that people give to eps
_DIMENSIONS = re.compile(r"(\d)[dD]Backward")
WORDS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
KEY = "graphlab.inputs"  # in the metadata of nodes
MOST_COPIED = 100  # entries
# functions whose arguments stand in the order of the inputs of their node
ORDERED = frozenset(
    (
        *("add", "add_", "sub", "sub_", "subtract", "rsub", "__rsub__", "mul", "mul_", "multiply"),
        *("div", "div_", "divide", "true_divide", "cat", "concat", "concatenate", "stack", "where"),
        *("lerp", "addcmul", "addcdiv", "addmm", "addmv", "addr", "addbmm", "baddbmm"),
        *("masked_fill", "masked_fill_"),
    )
)


@cache
def operations_by_node() -> dict[str, list[type[Op]]]:
    """The operations by the names of their nodes."""
    found: dict[str, list[type[Op]]] = {}
    for op in load_all().values():
        found.setdefault(op.node, []).append(op)
    return found


def operation_of(name: str, edges: int, many: bool) -> type[Op] | None:
    """GraphLab's operation of that name, with as many rules as the node has edges.

    many: whether several outputs of the node may get a gradient.
    """
    fitting = [
        op
        for op in operations_by_node().get(name, ())
        if op.variadic or len(op.rules) == edges
        if not many or op.splits
    ]
    return fitting[0] if len(fitting) == 1 else None


def class_of(node: Any, edges: int, outputs: int) -> type[Node]:
    """The class of the stand-in of a node."""
    if is_custom(node):
        return custom_class(node._forward_cls)
    return class_named(node.name(), edges, outputs > 1, type(node))


@cache
def class_named(name: str, edges: int, many: bool, kind: type) -> type[Node]:
    """The same for a PyTorch node of a class."""
    saved = tuple(name for name, *_ in saved_names(kind, frozenset()))
    return node_class(operation_of(name, edges, many) or unknown_operation(name, many, saved))


@cache
def custom_class(function: Any) -> type[Node]:
    """The class of nodes of a user's Function."""
    fields = {"__slots__": (), "__module__": "torch.autograd.function", "function": function}
    return NodeType(f"{function.__name__}Backward", (Context,), fields)


@cache
def unknown_operation(name: str, many: bool, saved: tuple[str, ...]) -> type[Op]:
    """An operation that GraphLab does not have, under the name of its node."""
    short = name.rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")
    words = WORDS.findall(BACKEND.sub("", short)) or [short]
    fields = {"node": name, "symbol": " ".join(words).lower(), "splits": many}
    fields["inputs"] = ("tensors", *saved)
    made: Any = type(short, (Unknown,), fields, abstract=True)
    made.name = short
    return made


class Unknown(Op, abstract=True):
    """An operation that GraphLab does not have: only its edges and what it saved are known."""

    node, symbol, types, variadic = "", "?", "keep", True
    phrase = "PyTorch computes this gradient by a rule that GraphLab does not have"

    def forward(tensors):  # pyright: ignore[reportSelfClsParameterName]
        raise NotImplementedError("GraphLab does not have this operation")

    def grad_tensors(grad):  # pyright: ignore[reportSelfClsParameterName]
        raise NotImplementedError("GraphLab does not have this rule")

    inputs, options, derived = ("tensors",), (), ()
    defaults: ClassVar = {}
    rules: ClassVar = {"tensors": grad_tensors}
    phrases: ClassVar = {"tensors": phrase}
    shown: ClassVar = {}
    saved, blanks = (), (None, None)


def is_known(op: type[Op]) -> bool:
    """Whether it is one of GraphLab's operations."""
    return not issubclass(op, Unknown)


def recovered(
    node: Any, name: str, held: dict[str, Held], edges: list[tuple[Any, int] | None]
) -> Any:
    """The value of an option; None if it cannot be found."""
    if name == "tensors_sym_sizes" and all(edges):
        return tuple(outputs_of(edge[0])[edge[1]][0] for edge in edges if edge is not None)
    if name == "factors":
        scales = [one.value for word, one in sorted(held.items()) if word.startswith("scales")]
        return tuple(scales) if scales else None
    if name == "size":  # of a view, also if it is no option of PyTorch's node
        return outputs_of(node)[0][0]
    if name == "contiguous":  # how a copy lies in memory, which no value depends on
        return False
    if name == "dtype":
        kind = str(outputs_of(node)[0][1]).removeprefix("torch.")
        return np.dtype(kind) if hasattr(np, kind) else None
    if name == "output_size" and (found := _DIMENSIONS.search(node.name())):
        return outputs_of(node)[0][0][-int(found[1]) :]
    if name == "eps" and node.name() == "NativeLayerNormBackward0":
        return eps_of_layer_norm(held)
    return None


def eps_of_layer_norm(held: dict[str, Held]) -> float | None:
    """The eps of 1/sqrt(variance + eps), from the layer's input and the saved factor.

    The saved values have at most seven digits, so the result is rounded to a usual value if they
    cannot tell the two apart.
    """
    given, shape, divided = (held.get(name) for name in ("input", "normalized_shape", "result2"))
    if given is None or shape is None or divided is None:
        return None
    if given.value is None or divided.value is None:
        return None
    array, rstd = array_of(given.value), array_of(divided.value)
    if not isinstance(array, np.ndarray) or not np.size(rstd):
        return None
    divisors = np.asarray(rstd).reshape(-1)
    row = int(divisors.argmax())  # the smallest variance, where eps counts most
    inverse = float(divisors[row])
    if not 0 < inverse < np.inf:  # a row with NaN or infinity has no variance
        return None
    entries = array.reshape(divisors.size, -1)[row].astype(np.float64)
    entries -= entries.sum() / entries.size
    eps = inverse**-2 - float(entries.dot(entries)) / entries.size
    error = 8 * np.finfo(array.dtype).eps * inverse**-2
    nearest = float(USUAL[np.abs(USUAL - eps).argmin()])
    if abs(nearest - eps) <= max(error, 0.01 * nearest):
        return nearest
    return float(eps) if eps > error else 0.0


def note_inputs(result: Any, name: str, args: tuple[Any, ...]) -> None:
    """Note at a node, for `inputs_of`, what its call was given besides tensors with a gradient."""
    items = args[0] if isinstance(args[0], list | tuple) else args
    if name == "where" and getattr(items[0], "dtype", None) is not loaded().bool:
        return  # called as x.where(condition, y)
    found, node = [*map(noted, items)], result.grad_fn
    if node is not None and any(one is not None for one in found):
        node.metadata[KEY] = found


def inputs_of(node: Any, needed: list[bool]) -> list[Any]:
    """The inputs of a node without a gradient, as its call was given them; None: not known.

    needed: which inputs of the node have a gradient. Further arguments of the call follow.
    """
    given = node.metadata.pop(KEY, [])
    if [one is None for one in given[: len(needed)]] != needed:
        return [None] * len(needed)
    return given


def noted(item: Any) -> Any:
    """What is kept of an argument of a call: a number; a tensor without a gradient; else None.

    A tensor is kept as a weak reference, its version, and a copy of the entries of a small one.
    """
    torch = loaded()
    if type(item) is not torch.Tensor:
        return item if type(item) in (int, float) else None
    if item.requires_grad or item.is_inference():
        return None
    if torch._C._functorch.is_functorch_wrapped_tensor(item):
        return None
    held = array_of(item) if item.numel() <= MOST_COPIED else None
    copy = held.copy() if isinstance(held, np.ndarray | np.generic) else None
    return weakref.ref(item), version_of(item), copy


def is_as_noted(tensor: Any, version: int, copy: Any) -> bool:
    """Whether a tensor still exists and has not changed since it was noted."""
    if tensor is None or version_of(tensor) != version:
        return False
    return copy is None or np.array_equal(array_of(tensor), copy, equal_nan=copy.dtype.kind in "fc")
