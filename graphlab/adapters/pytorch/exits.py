"""Where values leave PyTorch's graph, and whether they come back into one.

A call such as `detach()`, `argmax()` or any in `no_grad()` has a result without a graph: an exit.
The results of exits are marked, and so is all that is computed from them, until a call makes a
node: that is where the exit leads. Only an exit that leads to a recorded node can be the reason
why a gradient is missing; others print, compare or measure something.

A set of leaves and exits is an integer with one bit for each, so a union is one operation. Nodes
store what is behind them in their `metadata`, so each is visited once. No tensor is kept alive.

Read next: adapters/pytorch/known_nodes.py
"""

import weakref
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from graphlab.adapters.native.source_lines import source_at
from graphlab.adapters.native.unreached import FEW, MOST_CUTS, Cut, in_a_block
from graphlab.adapters.pytorch.accessors import (
    edges_of,
    is_accumulator,
    is_tensor,
    known_maker_of,
    loaded,
    sequence_of,
)
from graphlab.autograd.users_code import Place

KEY = "graphlab.exits"
# calls whose result is made of Python's or NumPy's numbers
NUMBERS = frozenset(("item", "tolist", "numpy", "__float__", "__int__", "__index__", "__array__"))
OWN_NAME = NUMBERS | {"detach", "__get__"}  # calls that are told also in `no_grad`
MOST_NUMBERS, LONGEST = 1_000, 4_096  # numbers and lists that are remembered; items of such a list


@dataclass(slots=True)
class Exit:
    """A line at which values of some leaves left a graph.

    behind: the leaves, and the exits from which values came there. takes: whether it took numbers
    of floating type, unlike a comparison or `argmax()`.
    """

    bit: int
    behind: int
    takes: bool = False


class Exits:
    """The exits of one recording."""

    def __init__(self) -> None:
        self.marked: dict[int, tuple[Callable[[], Any], int]] = {}  # id -> reference, exits
        self._key = KEY, id(self)  # in the metadata of nodes
        self._bits = count()
        self._leaves: dict[int, int] = {}  # id of a leaf -> its bit
        self._all_leaves = 0
        # how values left, the line, the leaves -> the exit
        self._exits: dict[tuple[str, Place, int], Exit] = {}
        self._into: dict[int, int] = {}  # number of a node -> exits that lead to it
        self._read = 0  # exits whose results became Python's or NumPy's numbers
        self._numbers: deque[Any] = deque()
        self._most = 1_000  # marks, until those of tensors that are gone are removed

    def note(
        self,
        func: Any,
        name: str,
        given: tuple[Any, ...],
        result: Any,
        made: tuple[int, int],
        place: Callable[[], Place | None],
    ) -> None:
        """Note a call. made: the number of the first node that it made, and that after the last."""
        outputs = results_of(name, result)
        anew = range(*made)
        if not outputs and not anew:
            return
        if name == "__set__" and func == loaded().Tensor.grad.__set__:
            return
        if name.startswith("new_") or name.endswith(("_like", "_as")):  # one is used for its shape
            given = given[:1] if name.endswith("_as") else given[1:]
        came = self._marks(given) if self.marked else 0
        for number in anew if came else ():
            self._into[number] = self._into.get(number, 0) | came
        copies = name in ("tensor", "asarray", "as_tensor")  # with requires_grad=True, a new leaf
        outside = [one for one in outputs if not is_tensor(one) or copies or is_outside(one)]
        if len(outside) < len(outputs):  # of several results, indices have no gradient
            outside = [one for one in outside if not one.dtype.is_floating_point]
        if outside and leaves_graph(func, name):
            came |= self._left(name, given, outside, place)
        if came:
            self._read |= came if name in NUMBERS else 0
            for one in outside or (() if anew else outputs):
                self._mark(one, came)

    def cuts(self, ran: Container[int]) -> list[Cut]:
        """The exits; `led` says which led to one of the nodes that ran, perhaps through others."""
        led, before = 0, -1
        for number, exits in self._into.items():
            if number in ran:
                led |= exits
        while led != before:  # what is behind an exit mostly came before it
            before = led
            for one in reversed(self._exits.values()):
                if one.bit & led:
                    led |= one.behind
        told = []
        for (said, where, leaves), one in self._exits.items():
            if one.takes or one.bit & (led | self._read):
                ids = frozenset([id for id, bit in self._leaves.items() if bit & leaves])
                told.append(Cut(ids, said, source_at(where), bool(one.bit & led), one.takes))
        return told

    def _left(
        self, name: str, given: Iterable[Any], outputs: list[Any], place: Callable[[], Any]
    ) -> int:
        """The exits through which the inputs of a call leave their graphs, as one set."""
        direct = behind = 0
        for one in flat(given):
            if is_tensor(one) and one.requires_grad:
                if is_outside(one):
                    one = one._base
                if one.is_leaf:
                    direct |= self._leaf(one)
                elif (made := known_maker_of(one)) is not None:
                    behind |= self._behind(made[0])
        if not direct | behind:
            return 0
        said = f"cut off by {'.data' if name == '__get__' else name.strip('_') + '()'}"
        pairs = [(said, direct | behind)]
        if name not in OWN_NAME and not loaded().is_grad_enabled():
            pairs = in_a_block(loaded().is_inference_mode_enabled(), direct, behind)
        found, where = 0, place()
        if where is None:
            return 0
        takes = any(not is_tensor(one) or one.dtype.is_floating_point for one in outputs)
        for said, behind in pairs:
            key = said, where, behind & self._all_leaves
            if behind and (one := self._exit(key)) is not None:
                one.behind |= behind
                one.takes = one.takes or takes
                found |= one.bit
        return found

    def _exit(self, key: tuple[str, Place, int]) -> Exit | None:
        known = self._exits.get(key)
        if known is None and len(self._exits) < MOST_CUTS:
            known = self._exits[key] = Exit(1 << next(self._bits), 0)
        return known

    def _marks(self, given: Iterable[Any]) -> int:
        """The exits from which some values come."""
        found = 0
        for one in given:
            known = self.marked.get(id(one))
            if known is not None and known[0]() is one:
                found |= known[1]
            elif isinstance(one, list | tuple) and (len(one) <= FEW or is_tensor(one[0])):
                found |= self._marks(one)
        return found

    def _mark(self, thing: Any, exits: int) -> None:
        """Note that a value comes from exits."""
        known = self.marked.get(id(thing))
        if known is not None and known[0]() is thing:
            self.marked[id(thing)] = known[0], known[1] | exits
        elif is_tensor(thing) or isinstance(thing, np.ndarray):
            self.marked[id(thing)] = weakref.ref(thing), exits
        elif isinstance(thing, float) or (isinstance(thing, list) and len(thing) <= LONGEST):
            self._numbers.append(thing)
            self.marked[id(thing)] = (lambda: thing), exits
            if len(self._numbers) > MOST_NUMBERS:
                self.marked.pop(id(self._numbers.popleft()), None)
        if len(self.marked) > self._most:
            for key in [key for key, one in self.marked.items() if one[0]() is None]:
                del self.marked[key]
            self._most = 2 * len(self.marked) + 1_000

    def _leaf(self, leaf: Any) -> int:
        if (bit := self._leaves.get(id(leaf))) is None:
            bit = self._leaves[id(leaf)] = 1 << next(self._bits)
            self._all_leaves |= bit
        return bit

    def _behind(self, root: Any) -> int:
        """The leaves and exits behind a node."""
        key = self._key
        stack: list[tuple[Any, Any]] = [(root, None)]
        while stack:
            node, ends = stack.pop()
            if ends is not None:
                found = self._into.get(sequence_of(node), 0)
                for end in ends:
                    found |= self._known(end) or 0
                node.metadata[key] = found
            elif self._known(node) is None:
                ends = [edge[0] for edge in edges_of(node) if edge is not None]
                stack.append((node, ends))
                stack += [(end, None) for end in ends]
        return self._known(root) or 0

    def _known(self, node: Any) -> int | None:
        return self._leaf(node.variable) if is_accumulator(node) else node.metadata.get(self._key)


def results_of(name: str, result: Any) -> Sequence[Any]:
    """The results of a call that may hold values of a graph."""
    if is_tensor(result) or name in NUMBERS:
        return (result,)
    several = isinstance(result, list | tuple)
    return [one for one in flat(result) if is_tensor(one)] if several else ()


def is_outside(tensor: Any) -> bool:
    """Whether a tensor has no graph, or is a view that was made in `no_grad`."""
    try:
        return not tensor.requires_grad or (tensor.is_leaf and tensor._base is not None)
    except RuntimeError:  # PyTorch reads no such view once its base has changed
        return True


def leaves_graph(func: Any, name: str) -> bool:
    """Whether a call whose result has no graph took it out of one."""
    tensor = loaded().Tensor
    if name != "__get__" or func == tensor.data.__get__:
        return True
    return func != tensor.grad.__get__ and not loaded().is_grad_enabled()


def flat(items: Iterable[Any]) -> Iterator[Any]:
    """The items, and those of lists among them."""
    for one in items:
        if type(one) is list or type(one) is tuple:
            yield from one
        else:
            yield one
