"""A node of the graph: what one recorded operation keeps for the backward pass.

`c = a * b` makes a tensor c whose grad_fn is a node, MulBackward0. The node knows where the
gradients of its inputs go (`next_functions`), what its rules need (`_saved_*`), and how to turn the
gradient of its output into the gradients of its inputs (`vjp`).

An edge leads to a node, or straight to a leaf tensor. The AccumulateGrad that PyTorch shows there
is made on request and holds the leaf; the leaf does not hold it. So nothing in a graph points back,
and dropping the last tensor frees the whole graph at once.

Read next: autograd/saved.py
"""

import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from graphlab.autograd.hooks import RemovableHandle, Renumbered, added, leaf_hooks
from graphlab.autograd.introspection import (
    ATTRIBUTES,
    InputMetadata,
    Introspected,
    NodeType,
    raw_names,
)
from graphlab.ops.base import Op
from graphlab.tensor.tensor import Tensor, wrap
from graphlab.tensor.versions import Version

LEAF, NODE, OUTPUT = range(3)  # what an edge leads to: its `_edge` is one of these


class Node(Introspected, metaclass=NodeType):
    """One recorded operation. A subclass per operation carries its name and its rules."""

    __slots__ = (
        "__weakref__",
        "_at",  # the instruction of `_code` that made the node
        "_code",  # the code object of the user's program that made the node
        "_constants",  # the inputs without an edge, None for the others; None: all have one
        "_extra",  # what few nodes have: metadata, hooks, tensors that retain their gradient
        "_leaves",  # once a backward pass has begun here: the leaves that it reached
        "_next",  # the edge of each input that has a rule: a Node, Output, leaf Tensor or None
        "_options",  # the values of the options, then the shapes and sizes that rules ask for
        "_read",  # when a number was read out of its output, and which: autograd/decisions.py
        "_reduce",  # for each input None, or the (shape, dtype) to bring its gradient back to
        "_saved",  # saved inputs, then saved outputs, None where not saved; None: freed
        "_sequence",  # nodes made later have higher numbers
        "_version",  # (version counter of the output, its count when saved), once there is one
    )
    _edge: ClassVar[int] = NODE
    _version: Any
    op: ClassVar[type[Op]]
    vjp: ClassVar[Callable[..., tuple[Any, ...]]]
    vjp_tensors: ClassVar[Callable[..., tuple[Any, ...]]]
    many: ClassVar[bool] = False  # it has several outputs; their gradients are passed as a tuple
    always_runs: ClassVar[bool] = False  # it runs even when none of its outputs has a gradient
    unpacks_itself: ClassVar[bool] = False  # its rule unpacks what pack hooks made of saved tensors
    one_rule_each: ClassVar[bool] = True  # each input has a rule; False: one rule for all inputs

    def name(self) -> str:
        """Return the name of the grad_fn, such as "MulBackward0"."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name == "NotImplemented" else name

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """For each input, the node that made it, and its number among that node's outputs."""
        return tuple(as_function(target) for target in self._next)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        return extra(self).setdefault("metadata", {})

    def _sequence_nr(self) -> int:
        return self._sequence

    def watch(self, version: Version) -> None:
        """Store the version counter of the output; it is checked before a rule reads the output."""
        # A change in place asks twice, for the tensor and for its stand-in: the first one counts.
        if self._saved and self._version is None:
            self._version = (version, 0)

    def retain(self, output: int, tensor: "weakref.ref[Tensor]") -> None:
        """Write the gradient of an output to that tensor's `.grad` as well."""
        extra(self).setdefault("retained", {})[output] = tensor

    def __call__(self, *grads: Tensor) -> Any:
        """Return the gradient of each input, given those of the outputs."""
        if not self.many and len(grads) != 1:
            raise TypeError(f"expected 1 arguments, got {len(grads)} instead")
        found = tuple(self.vjp_tensors(grads if self.many else grads[0]))
        return found[0] if len(found) == 1 else found

    def _set_sequence_nr(self, number: int) -> None:
        extra(self).setdefault("renumbered", Renumbered())
        self._sequence = number

    def __dir__(self) -> list[str]:
        saved = [f"_saved_{name}" for name in self.op.saved]
        raw = [f"_raw_saved_{name}" for name in raw_names(self.op)]
        return sorted([*dir(object), *ATTRIBUTES, *saved, *raw])

    def output(self, index: int, data: Any, needs: bool) -> Tensor:
        """Return a tensor like the operation's result, around other data."""
        return wrap(data, needs, (Output(self, index) if self.many else self) if needs else None)

    def saved_origin(self, place: int) -> tuple[Tensor, Any]:
        """Return a saved value as a tensor, and its origin: an edge, or an output's number."""
        item, inputs = self._saved[place], len(self.op.inputs)
        if place >= inputs:
            tensor: Any = rebuild_output(self, place - inputs, item)
            return tensor, place - inputs if tensor._needs else None
        tensor = item.tensor if isinstance(item, Pinned) else item
        if not isinstance(tensor, Tensor):
            return number_tensor(tensor), None
        return tensor, edge_of(tensor)

    def saved_data(self, place: int) -> Any:
        """Return a saved value as a tensor without checking for changes, or None."""
        held = self._saved and self._saved[place] is not None
        return self.saved_origin(place)[0] if held else None


NodeType.hidden += [Node, Introspected]


class Output:
    """An edge to one output of a node that has several."""

    __slots__ = ("__weakref__", "_read", "index", "node")
    _edge: ClassVar[int] = OUTPUT

    def __init__(self, node: Node, index: int) -> None:
        self.node = node
        self.index = index

    def watch(self, version: Version) -> None:
        """Take note of the version counter of one of several outputs."""
        self.node.watch(version)


class AccumulateGrad:
    """The node that adds gradients to a leaf's `.grad`; made on request.

    The leaf holds its hooks.
    """

    __slots__ = ("__weakref__", "variable")
    __module__ = "builtins"  # PyTorch shows <AccumulateGrad object at ...>
    next_functions = ()
    requires_grad = True

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def __call__(self, grad: Tensor) -> tuple[()]:
        """Add a gradient to the leaf's `.grad`."""
        self.variable.backward(grad)
        return ()

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        return leaf_hooks(self.variable).metadata

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        return (InputMetadata(self.variable),)

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call fn((), (gradient,)) when the gradient has been added to `.grad`."""
        return added(leaf_hooks(self.variable).post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call fn((gradient,)) before the gradient is added; fn may return another one."""
        return added(leaf_hooks(self.variable).pre, fn)

    def _register_hook_dict(self, tensor: Tensor) -> None:
        """Do nothing: the leaf holds its hooks already."""

    def _sequence_nr(self) -> int:
        return 2**64 - 1  # AccumulateGrad runs before every other node that is ready

    def _set_sequence_nr(self, number: int) -> None:
        raise RuntimeError("the place of AccumulateGrad in the order is fixed: it runs first")

    def __dir__(self) -> list[str]:
        return sorted([*dir(object), *ATTRIBUTES, "variable"])


class Pinned:
    """A saved tensor that was changed, or detached, in place before it was saved: with counts."""

    __slots__ = ("detached", "tensor", "version")

    def __init__(self, tensor: Tensor, version: int, detached: int) -> None:
        self.tensor = tensor
        self.version = version
        self.detached = detached


def extra(node: Node) -> dict[str, Any]:
    """Return the dictionary of fields that few nodes have."""
    if node._extra is None:
        node._extra = {}
    return node._extra


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """Return the AccumulateGrad of a leaf: the same object while anybody holds it."""
    more = leaf._rare()
    found = more.accumulate() if more.accumulate is not None else None
    if found is None:
        found = AccumulateGrad(leaf)
        more.accumulate = weakref.ref(found)
    return found


def as_function(target: Any) -> tuple[Any, int]:
    """Return an edge as `next_functions` shows it: (node or None, output number)."""
    if target is None:
        return (None, 0)
    if isinstance(target, Output):
        return (target.node, target.index)
    return (accumulator(target) if isinstance(target, Tensor) else target, 0)


def edge_of(tensor: Tensor) -> Any:
    """Return where a gradient of `tensor` goes: its node, the leaf itself, or None."""
    if not tensor._needs:
        return None
    node = tensor._node
    if node is None and tensor._more is not None and tensor._more.base_needs:
        return None  # a view made outside the graph: no edge leads from it to its base
    return tensor if node is None else node


def rebuild_output(node: Node, index: int, data: Any) -> Tensor | None:
    """Return a saved output as a tensor with its history, because a node saves its data alone."""
    if data is None:
        return None
    floating = getattr(data, "_data", data).dtype.kind == "f"  # a hook may have packed a tensor
    floating = floating and node.op.outputs[index] not in node.op.byproducts
    target = Output(node, index) if node.many else node
    return wrap(data, floating, target if floating else None)


def number_tensor(number: Any) -> Tensor:
    """Return a Python number as PyTorch saves it: an int64 or a float64 tensor."""
    return wrap(np.asarray(number)[()], False, None)


class Waiting(threading.local):
    """The references that dying nodes of one thread have handed over, where the stack is small.

    When a tensor is dropped, so are its node and the nodes behind it, each inside the drop of the
    one before. CPython limits such nesting, but not enough for WebAssembly (Pyodide, JupyterLite):
    a chain of 3,000 nodes crashed the kernel there. So a dying node hands its references to a list,
    and the first one of a chain drops them in a loop.
    """

    def __init__(self) -> None:
        self.things: list[Any] = []
        self.dropping = False


waiting = Waiting()


def count_of_outputs(node: Node) -> int:
    """Return how many outputs a node has."""
    return len(node._extra["outputs"]) if node.many and node._extra else 1


def drop_in_turn(node: Any) -> None:
    """As `__del__` of a node: take over its references; the outermost call drops them all."""
    for name in ("_next", "_saved", "_constants", "_extra"):
        if (held := getattr(node, name, None)) is not None:
            waiting.things.append(held)
            setattr(node, name, None)
    held = None
    if waiting.dropping:
        return
    waiting.dropping = True
    try:
        while waiting.things:
            waiting.things.pop()
    finally:
        waiting.dropping = False


if sys.platform == "emscripten":  # the stack of a browser is small
    Node.__del__ = drop_in_turn  # pyright: ignore[reportAttributeAccessIssue]


# -- nodes with several outputs, and tensors that retain their gradient ----------------------------


def all_outputs(
    node: Node,
    gathered: dict[int, Any] | None,
    create_graph: bool,
    capture: dict[Any, Any] | None = None,
) -> tuple[Any, ...] | None:
    """Return the gradients of all outputs of a node, with zeros for unused ones.

    Returns None when no gradient has arrived, except for a custom Function, whose backward is
    called in any case.
    """
    if gathered is None or all(grad is None for grad in gathered.values()):
        if not node.always_runs:
            return None
        gathered = {}
    grads = []
    for index, known in enumerate(node._extra["outputs"]):  # None: not a tensor
        grad = gathered.get(index)
        if capture is not None and (node, index) in capture:
            capture[node, index] = grad
        if grad is None and known is not None and node._extra.get("materialize", True):
            zeros = np.zeros(*known)
            grad = wrap(zeros, False, None) if create_graph else zeros
        grads.append(grad)
    return tuple(grads)


def retaining(node: Node, grad: Any) -> list[tuple[Tensor, Any]]:
    """Return the tensors that called `retain_grad`, each with its gradient.

    grad: what has gathered at the node; by the number of the output where it has several.
    """
    found = []
    for index, reference in node._extra.get("retained", {}).items():
        tensor = reference()
        one = grad.get(index) if node.many and grad is not None else grad
        if tensor is not None and one is not None:
            found.append((tensor, one))
    return found
