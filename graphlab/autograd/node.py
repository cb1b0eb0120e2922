"""A node of the graph: what one operation left behind for the backward pass.

`e = u + v` makes a tensor e whose grad_fn is a node AddBackward0. The node knows where its inputs
came from (`next_functions`), what its rules need (`_saved_*`), and how to turn the gradient of
its output into gradients of its inputs (`vjp`).

An edge leads to a node, or straight to a leaf tensor; AccumulateGrad is a view of the leaf made
on request, so nothing points back and dropping a graph frees it at once.

Read next: autograd/record.py
"""

import math
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from graphlab.autograd.grad_mode import UsersCode, state, unusual
from graphlab.autograd.hooks import RemovableHandle, added, leaf_hooks
from graphlab.autograd.introspection import ATTRIBUTES, InputMetadata, Introspected, NodeType
from graphlab.autograd.order import Renumbered
from graphlab.autograd.saved import Packed, SavedTensor, unpack_all
from graphlab.autograd.steps import step_source, vjp_source
from graphlab.dtypes import find
from graphlab.errors import GraphFreedError, ModifiedInPlaceError
from graphlab.ops.base import Op, read
from graphlab.ops.vocabulary import expand
from graphlab.tensor import Tensor, wrap
from graphlab.versions import Version

tensor_words: dict[str, Any] = {}  # the rules' words for tensors, once `words_for_tensors` ran
word_loaders: list[Callable[[], Any]] = []  # functional/ says here how its words are loaded


def words_for_tensors() -> dict[str, Any]:
    """The words in which rules run on tensors: loaded when a backward pass is first recorded."""
    while word_loaders:
        word_loaders.pop()()
    return tensor_words


PLACES = frozenset(  # options that count dimensions, entries or diagonals, and may be negative
    (
        *("dim", "dims", "dim0", "dim1", "dim2", "dimension", "source_dim", "index"),
        *("start", "end", "step", "diagonal", "offset", "shifts", "k", "pad", "ignore_index"),
        *("padding", "padding_idx"),
    )
)
LEAF, NODE, OUTPUT = range(3)  # what an edge leads to
SMALL = 2048  # so many entries are written as quickly as a view of one is made


class Node(Introspected, metaclass=NodeType):
    """One recorded operation. A subclass per operation carries its name and its rules."""

    __slots__ = (
        "__weakref__",
        "_at",  # where in that code: an instruction offset
        "_code",  # the code object whose line made the node
        "_constants",  # inputs that need no gradient, None where one does; None: no such input
        "_extra",  # what few nodes have: metadata, hooks, tensors that retain their gradient
        "_next",  # for each differentiable input: a Node, an Output, a leaf Tensor or None
        "_options",  # option values, then shapes and sizes that rules ask for
        "_reduce",  # for each input, None or (shape, dtype) to bring its gradient back to
        "_saved",  # saved inputs, then saved outputs; None: freed
        "_sequence",
        "_version",  # the version counter of the output, once it has one
    )
    _edge: ClassVar[int] = NODE
    _version: Any  # (counter of the output, its count when it was saved)
    op: ClassVar[type[Op]]
    step: ClassVar[Callable[..., tuple[Any, Any]]]
    vjp: ClassVar[Callable[..., tuple[Any, ...]]]
    vjp_tensors: ClassVar[Callable[..., tuple[Any, ...]]]
    many: ClassVar[bool] = False  # several outputs, whose gradients come as a tuple
    always_runs: ClassVar[bool] = False  # also when no gradient came for any output

    def name(self) -> str:
        """The name of the grad_fn, such as "MulBackward0"."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name == "NotImplemented" else name

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """For each input, the node that its gradient goes to, and which of its outputs it was."""
        return tuple(as_function(target) for target in self._next)

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's own notes."""
        return extra(self).setdefault("metadata", {})

    def _sequence_nr(self) -> int:
        return self._sequence

    def watch(self, version: Version) -> None:
        """The output has a version counter from now on: if it is saved, changes count."""
        if self._saved and self._version is None:  # a stand-in may come after the tensor itself
            self._version = (version, 0)

    def retain(self, output: int, tensor: "weakref.ref[Tensor]") -> None:
        """Write the gradient of an output to that tensor's `.grad` as well."""
        extra(self).setdefault("retained", {})[output] = tensor

    def __call__(self, *grads: Tensor) -> tuple[Any, ...]:
        """The gradients of the inputs for gradients of the outputs; nothing is recorded."""
        before, state.grad_enabled = state.grad_enabled, False
        try:
            return tuple(self.vjp_tensors(grads if self.many else grads[0]))
        finally:
            state.grad_enabled = before

    def _set_sequence_nr(self, number: int) -> None:
        extra(self).setdefault("renumbered", Renumbered())
        self._sequence = number

    def __dir__(self) -> list[str]:
        saved = [f"_saved_{name}" for name in self.op.saved]
        raw = [f"_raw_saved_{name}" for name in raw_names(self.op)]
        return sorted([*dir(object), *ATTRIBUTES, *saved, *raw])

    def output(self, index: int, data: Any, needs: bool) -> Tensor:
        """A tensor like the one that the operation returned, around other data."""
        return wrap(data, needs, (Output(self, index) if self.many else self) if needs else None)

    def saved_origin(self, place: int) -> tuple[Tensor, Any]:
        """A saved value as a tensor, and where it came from: an edge, or an output's number."""
        item, inputs = self._saved[place], len(self.op.inputs)
        if place >= inputs:
            tensor: Any = rebuild_output(self, place - inputs, item)
            return tensor, place - inputs if tensor._needs else None
        tensor = item.tensor if isinstance(item, Pinned) else item
        if not isinstance(tensor, Tensor):
            return number_tensor(tensor), None
        return tensor, edge_of(tensor)

    def saved_data(self, place: int) -> Any:
        """A saved value as a tensor, without a look at what became of it; None: there is none."""
        held = self._saved and self._saved[place] is not None
        return self.saved_origin(place)[0] if held else None


NodeType.hidden += [Node, Introspected]


class Output:
    """An edge to one output of a node that has several."""

    __slots__ = ("index", "node")
    _edge: ClassVar[int] = OUTPUT

    def __init__(self, node: Node, index: int) -> None:
        self.node = node
        self.index = index

    def watch(self, version: Version) -> None:
        """One of several outputs has a version counter from now on."""
        self.node.watch(version)


class AccumulateGrad:
    """The node that adds what arrives to a leaf's `.grad`; made when somebody asks for it.

    Its hooks hang on the leaf.
    """

    __slots__ = ("__weakref__", "variable")
    __module__ = "builtins"  # PyTorch shows <AccumulateGrad object at ...>
    next_functions = ()
    requires_grad = True

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

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
        """Call fn((gradient,)) before it is added; it may give another in its place."""
        return added(leaf_hooks(self.variable).pre, fn)

    def _register_hook_dict(self, tensor: Tensor) -> None:
        """The tensor's hooks hang on it already."""

    def _sequence_nr(self) -> int:
        return 2**64 - 1  # AccumulateGrad runs before every other node that is ready

    def _set_sequence_nr(self, number: int) -> None:
        raise RuntimeError("the place of AccumulateGrad in the order is fixed: it runs first")

    def __dir__(self) -> list[str]:
        return sorted([*dir(object), *ATTRIBUTES, "variable"])


class Pinned:
    """A saved tensor that had been changed, or detached, in place before it was saved."""

    __slots__ = ("detached", "tensor", "version")

    def __init__(self, tensor: Tensor, version: int, detached: int) -> None:
        self.tensor = tensor
        self.version = version
        self.detached = detached


def extra(node: Node) -> dict[str, Any]:
    """The dictionary of what few nodes have."""
    if node._extra is None:
        node._extra = {}
    return node._extra


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """The AccumulateGrad of a leaf: the same object for as long as anybody holds it."""
    more = leaf._rare()
    found = more.accumulate() if more.accumulate is not None else None
    if found is None:
        found = AccumulateGrad(leaf)
        more.accumulate = weakref.ref(found)
    return found


def as_function(target: Any) -> tuple[Any, int]:
    """An edge as `next_functions` shows it: (node or None, output number)."""
    if target is None:
        return (None, 0)
    if isinstance(target, Output):
        return (target.node, target.index)
    return (accumulator(target) if isinstance(target, Tensor) else target, 0)


def edge_of(tensor: Tensor) -> Any:
    """Where a gradient of `tensor` goes: its node, the leaf itself, or None."""
    if not tensor._needs:
        return None
    node = tensor._node
    if node is None and tensor._more is not None and tensor._more.borrows:
        return None  # a view made outside the graph: nothing leads from it to its base
    return tensor if node is None else node


# -- saved values ------------------------------------------------------------------------------


def pin(tensor: Tensor) -> Any:
    """What to save for an input: the tensor, with its version where it was ever changed."""
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
    return Pinned(tensor, version, more.detached)


def unpin(saved: Any, only_shown: bool = False) -> Any:
    """The saved tensor, or number.

    Raises: ModifiedInPlaceError when it was changed since; unless it is only shown, RuntimeError
    when it was detached.
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
    if more.detached != detached and not only_shown:
        raise RuntimeError(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
            "This is not supported, please use out-of-place `.detach()` instead"
        )
    return tensor


def raw(saved: Any) -> Any:
    """The data of what was saved; ModifiedInPlaceError when it was changed since."""
    if type(saved) is Pinned:
        more: Any = saved.tensor._more
        if more.version.count == saved.version:
            return saved.tensor._data
    found = unpin(saved)
    return found._data if isinstance(found, Tensor) else found


HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_IN_ANOMALY_MODE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The "
    "variable in question was changed in there or anywhere later. Good luck!"
)


def modified(data: Any, target: Any, now: int, expected: int) -> ModifiedInPlaceError:
    """The error for a saved tensor that was changed, in PyTorch's words."""
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
    """How errors call a node: "Mul" for MulBackward0, "Pow2" for PowBackward2."""
    name, found, number = node.name().rpartition("Backward")
    if not found or not (number.isdigit() or number == ""):
        return node.name()
    return name + number.removeprefix("0")


def unpack(node: Node) -> tuple[Any, ...]:
    """The raw data of everything the node saved: inputs, outputs, options.

    Raises: GraphFreedError when it was freed, ModifiedInPlaceError when it was changed.
    """
    saved = node._saved
    if saved is None:
        raise GraphFreedError
    if not saved:
        return (*node.op.blanks, *node._options)
    if node._version is not None:
        check_result(node)
    values = []
    for item in unpack_all(node) if any(isinstance(x, Packed) for x in saved) else saved:
        if isinstance(item, Tensor):
            more = item._more
            if more is not None:
                unpin(item)
            values.append(item._data)
        elif isinstance(item, Pinned):
            values.append(unpin(item)._data)
        else:
            values.append(item)
    return (*values, *node._options)


def rebuild_output(node: Node, index: int, data: Any) -> Tensor | None:
    """A tensor like the one that the operation returned: saved outputs hold data alone."""
    if data is None:
        return None
    floating = np.asarray(data).dtype.kind == "f"
    floating = floating and node.op.outputs[index] not in node.op.byproducts
    target = Output(node, index) if node.many else node
    return wrap(data, floating, target if floating else None)


def check_result(node: Node) -> None:
    """Raises: ModifiedInPlaceError when the output was changed since it was saved."""
    version, expected = node._version
    if version.count == expected or not node._saved:
        return
    result = node._saved[len(node.op.inputs)]  # the first output; the indices of a max are its own
    if result is not None and not isinstance(result, Packed):
        made_by = Output(node, 0) if node.many else node
        seen = (node._extra or {}).get("window")  # of a view that was changed in place
        target = made_by if seen is None else seen() or made_by
        raise modified(result, target, version.count, expected)


def saved_attribute(node: Node, name: str) -> Any:
    """What `node._saved_<name>` reads."""
    op = node.op
    names = (*op.options, *op.derived)
    if name in names:
        if name in op.held and node._saved is None:
            raise GraphFreedError
        option = as_tensors(node._options[names.index(name)])
        return unsigned(option) if name in PLACES else option
    if name in op.shown:
        return show(node, op.shown[name])
    if node._saved is None:
        raise GraphFreedError
    if not node._saved:
        return None
    if name in op.inputs:
        item = unpin(node._saved[op.inputs.index(name)], only_shown=True)
        if isinstance(item, Packed):
            return item.unpack(node)
        return number_tensor(item) if isinstance(item, int | float) else item
    if node._version is not None:
        check_result(node)
    index = op.outputs.index(name)
    data = node._saved[len(op.inputs) + index]
    return data.unpack(node) if isinstance(data, Packed) else rebuild_output(node, index, data)


def raw_attribute(node: Node, name: str) -> SavedTensor:
    """What `node._raw_saved_<name>` reads: the value before it is unpacked."""
    return SavedTensor(node, (*node.op.inputs, *node.op.outputs).index(name))


def raw_names(op: type[Op]) -> list[str]:
    """The saved names that stand for tensors: each has a `_raw_saved_` beside its `_saved_`."""
    if op.variadic:
        return []
    shown = {*op.saved} - {*op.shown}
    return [name for name in (*op.inputs, *op.outputs) if name in shown]


def show(node: Node, function: Callable[..., Any]) -> Any:
    """What a `show_` function of the operation makes of what was saved."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = (saved_attribute(node, name) for name in names)
    return as_tensors(function(*(x._data if isinstance(x, Tensor) else x for x in given)))


def unsigned(place: Any) -> Any:
    """A dimension or an index as PyTorch shows it: -1 is the largest number of 64 bits.

    >>> unsigned((0, -1))
    (0, 18446744073709551615)
    """
    if isinstance(place, tuple):
        return tuple(unsigned(part) for part in place)
    return place % (1 << 64) if isinstance(place, int) else place


def as_tensors(option: Any) -> Any:
    """An option as PyTorch shows it: arrays, such as indices, are tensors."""
    if isinstance(option, np.ndarray):
        return wrap(option if option.ndim else option[()], False, None)
    if isinstance(option, tuple):
        return tuple(as_tensors(part) for part in option)
    return option


def number_tensor(number: Any) -> Tensor:
    """A Python number as PyTorch saves it: an int64 or a float64 tensor."""
    kind = (
        np.bool_
        if isinstance(number, bool)
        else np.int64
        if isinstance(number, int)
        else np.float64
    )
    return wrap(kind(number), False, None)


# -- one node class per operation --------------------------------------------------------------


def defined(source: str, rules: Iterable[Callable[..., Any]], op: type[Op]) -> Any:
    """The function that a source text of our own defines, beside the rules that it calls."""
    names = {**step_names, **{f"rule_{i}": rule for i, rule in enumerate(rules)}}
    exec(compile(source, f"<backward of {op.name}>", "exec"), names, found := {})
    return found.popitem()[1]


step_names: dict[str, Any] = {  # autograd/engine.py adds its own
    "GraphFreedError": GraphFreedError,
    "LEAF": LEAF,
    "NODE": NODE,
    "Tensor": Tensor,
    "check_result": check_result,
    "raw": raw,
    "rebuild_output": rebuild_output,
    "unpin": unpin,
}


def write_out(cls: type[Node]) -> None:
    """Write the functions that call the rules of a node class, from the rules as they are now."""
    op = cls.op
    cls.vjp = defined(vjp_source(op, tensors=False), op.rules.values(), op)
    cls.step = defined(step_source(op), map(with_spread, op.rules.values()), op)


def with_spread(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, with another `expand` for steps, whose gradients nobody looks at."""
    if "expand" not in rule.__code__.co_names:
        return rule
    return read(rule, {**rule.__globals__, "expand": spread})


def spread(x: Any, size: tuple[int, ...]) -> Any:
    """What `expand` gives, written out where it is small: computing with that is quicker."""
    if not size or x.size != 1 or UsersCode.defined or math.prod(size) > SMALL:
        return expand(x, size)
    written = np.empty(size, x.dtype)
    written.fill(x.item())
    return written


def _first_vjp(node: Node, grad: Any) -> Any:
    write_out(type(node))
    return node.vjp(grad)


def _first_step(node: Node, grad: Any, *where: Any) -> Any:
    write_out(type(node))
    return node.step(grad, *where)


def _first_vjp_tensors(node: Node, grad: Any) -> Any:
    words, op = words_for_tensors(), node.op
    rules = [read(rule, words) for rule in op.rules.values()]
    type(node).vjp_tensors = defined(vjp_source(op, tensors=True), rules, op)
    return node.vjp_tensors(grad)


def node_class(op: type[Op]) -> type[Node]:
    """The class of the nodes that `op` leaves behind, named as PyTorch names its grad_fn."""

    fields = {
        "__slots__": (),
        "__module__": "builtins",  # PyTorch shows <MulBackward0 object at ...>
        "__doc__": op.__doc__,
        "op": op,
        "many": op.splits,
        "vjp": _first_vjp,
        "vjp_tensors": _first_vjp_tensors,
        "step": _first_step,
        **{f"_saved_{name}": property(partial(saved_attribute, name=name)) for name in op.saved},
        **{
            f"_raw_saved_{name}": property(partial(raw_attribute, name=name))
            for name in raw_names(op)
        },
    }
    if "::" in op.node:  # PyTorch's own nodes have a name that is not the name of their class
        fields["name"] = lambda node: op.node
    return type(op.node.rpartition("::")[2], (Node,), fields)
