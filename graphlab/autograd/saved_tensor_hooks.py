"""The user's hooks on saved tensors: pack hooks, unpack hooks, and `_raw_saved_*`.

    with saved_tensors_hooks(pack, unpack): y = x * x     the node keeps pack(x), and a backward
                                                          pass reads unpack(that) in its place

A value that was packed stands in the node's `_saved` as a `Packed`. Numbers are not packed.

Read next: autograd/graph.py
"""

from collections.abc import Callable
from typing import Any, ClassVar

from graphlab.autograd.grad_mode import no_grad
from graphlab.autograd.hooks import LivingHooks
from graphlab.ops.base import rule_arguments
from graphlab.tensor.tensor import Tensor, wrap

CHANGED = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
    "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
    "Please open an issue if you need to perform in-place operations on the input to a pack hook."
)
FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values "
    "of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to "
    "access saved variables after calling backward."
)
TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one "
    "pair of hooks is allowed at a time."
)


class Packed:
    """The result of a pack hook for a saved tensor.

    place: where the tensor came from: an edge (None: it needs no gradient), or for an output its
    number, because a node that held itself would never be freed.
    """

    __slots__ = ("held", "needs", "place", "unpack_hook")
    living: ClassVar[int] = 0  # the number of them

    def __init__(self, tensor: Tensor, place: Any, pack: Any, unpack: Any) -> None:
        before = tensor._version
        with no_grad():
            self.held = pack(tensor)
        if tensor._version != before:
            raise RuntimeError(CHANGED)
        self.unpack_hook = unpack
        self.needs = tensor._needs
        self.place = place
        LivingHooks.add(1, Packed)

    def __del__(self) -> None:
        if hasattr(self, "place"):
            LivingHooks.add(-1, Packed)

    def unpack(self, node: Any, recorded: bool = False) -> Tensor:
        """Return the tensor that the unpack hook returns, with the history of the packed one.

        recorded: whether the pass is recorded: then the tensor of a leaf is connected to the leaf.
        Raises: TypeError when the hook returns something else.
        """
        tensor = self.unpack_hook(self.held)
        if not isinstance(tensor, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(tensor).__name__}"
            )
        if node.unpacks_itself and not (self.needs or tensor._needs):
            return tensor
        if isinstance(self.place, int):
            return node.output(self.place, tensor._data, self.needs)
        if isinstance(self.place, Tensor) and recorded:
            stands_for_it = self.place.clone()
            stands_for_it._data = tensor._data
            return stands_for_it
        if isinstance(self.place, Tensor):
            return wrap(tensor._data, True, None)
        return wrap(tensor._data, self.needs, self.place)


def has_packed(node: Any) -> bool:
    """Return whether pack hooks replaced something that a node has saved."""
    return any(isinstance(item, Packed) for item in node._saved or ())


class SavedTensor:
    """A saved value before it is unpacked, as `node._raw_saved_self` gives it."""

    __module__ = "torch._C._autograd"
    __slots__ = ("_node", "_place")

    def __init__(self, node: Any = None, place: int = 0) -> None:
        if node is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self._node = node
        self._place = place

    @property
    def _item(self) -> Any:
        saved = self._node._saved
        return saved[self._place] if saved else None

    @property
    def data(self) -> Any:
        """What the node holds: the tensor, or what a pack hook made of it; None: freed."""
        item = self._item
        return item.held if isinstance(item, Packed) else self._node.saved_data(self._place)

    @property
    def unpack_hook(self) -> Any:
        item = self._item
        return item.unpack_hook if isinstance(item, Packed) else None

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """Keep `pack_hook(tensor)` from now on, and read `unpack_hook(that)` in its place.

        Raises: TypeError unless both are functions; RuntimeError when the value was freed, is None,
        or has hooks already.
        """
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(
                "register_hooks(): incompatible function arguments: expected two functions, "
                "pack_hook and unpack_hook"
            )
        node, place = self._node, self._place
        if node._saved is None:
            raise RuntimeError(FREED)
        if isinstance(self._item, Packed):
            raise RuntimeError(TWICE)
        if self._item is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor with value None is forbidden"
            )
        tensor, came_from = node.saved_origin(place)
        packed = Packed(tensor.detach(), came_from, *hooks)
        packed.needs = came_from is not None
        node._saved = (*node._saved[:place], packed, *node._saved[place + 1 :])


def pack_all(node: Any, pack: Any, unpack: Any) -> None:
    """Pass everything that a new node saved to a pack hook."""
    items: list[Any] = list(node._saved or ())
    for place in places(node):
        if items[place] is not None and not isinstance(items[place], int | float):
            tensor, came_from = node.saved_origin(place)
            items[place] = Packed(tensor, came_from, pack, unpack)
    node._saved = tuple(items)


def places(node: Any) -> list[int]:
    """Return the indices in `_saved`, in the order in which the node's rules read them."""
    op, items = node.op, node._saved or ()
    names = [*op.inputs, *op.outputs]
    if len(names) != len(items):
        return list(range(len(items)))
    asked = [name for rule in op.rules.values() for name in rule_arguments(rule)]
    ordered = [names.index(name) for name in dict.fromkeys(asked) if name in names]
    return [*ordered, *(i for i in range(len(items)) if i not in ordered)]


def unpack_all(node: Any, recorded: bool = False) -> tuple[Any, ...]:
    """Unpack everything that a node saved: inputs as tensors, outputs as raw data."""
    items = list(node._saved)
    for place in places(node):
        item = items[place]
        if isinstance(item, Packed):
            tensor = item.unpack(node, recorded)
            items[place] = tensor._data if isinstance(item.place, int) else tensor
    return tuple(items)
