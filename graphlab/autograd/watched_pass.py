"""The extra work of a backward pass with hooks, anomaly mode, or an observer.

The loop of autograd/engine.py calls a `WatchedPass` at five places: at the start (`start`), when
the gradient of a node is complete (`arrived`), when its rules have run (`send`), for the next node
(`next_node`), and at the end (`ended` or `failed`).

It counts the gradients that each node still waits for, as PyTorch does. So a leaf is written as
soon as its gradient is complete, before the next node runs, and in PyTorch's order among leaves. A
pass that fails restores every `.grad` that it wrote.

Read next: autograd/anomaly_mode.py
"""

from collections.abc import Callable
from itertools import count
from math import inf
from typing import Any

import numpy as np

from graphlab.autograd import anomaly_mode
from graphlab.autograd.edges import in_own_type
from graphlab.autograd.hooks import HookDict, LeafHooks, called
from graphlab.autograd.node import Node, Output, all_outputs, count_of_outputs, retaining
from graphlab.autograd.topological_order import node_of
from graphlab.primitives.numpy_reading.ranking import rise, sink
from graphlab.primitives.numpy_reading.strides import is_expanded
from graphlab.tensor.tensor import Tensor, wrap

_numbers = count()
Called = tuple[str, int, Any]  # where a hook is registered (tensor, pre, node, post); output; hook


class Observer:
    """The events that an observer of a backward pass receives, in order. This one ignores them."""

    rehearsal = False  # True: nothing is written, so hooks of what was written are not called

    def began(self, roots: list[tuple[Any, Any]], one: "WatchedPass") -> None:
        """The nodes to run are known; the gradients of the roots have arrived."""

    def entered(self, node: Node, grad: Any) -> None:
        """A node runs; its gradient is complete."""

    def applied(self, node: Node, grad: Any, made: Any, sent: Any) -> None:
        """The rules of a node returned `made`; in `sent` broadcasts are undone."""

    def hooked(self, item: Any, output: int, before: Any, after: Any) -> None:
        """Hooks saw the gradient of an output of a node, or of a leaf, and passed one on."""

    def seen(self, item: Any, where: str, before: Any, after: Any) -> None:
        """Hooks of a node, or of a leaf's AccumulateGrad, saw gradients; where: pre, node, post."""

    def wrote(self, tensor: Tensor, before: Any, grad: Any) -> None:
        """A gradient was added to `.grad`; before: a copy of the old data, or None."""

    def failed(self, item: Any, error: BaseException, hook: "Called | None") -> None:
        """A node or a leaf raised an error; the written gradients have been restored.

        hook: the hook that raised it, if one did.
        """

    def ended(self, one: "WatchedPass") -> None:
        """All nodes have run."""


class WatchedPass:
    """One backward pass: which nodes are ready, which wait, and which gradients were written.

    Gradients are raw data, or tensors when the pass is recorded; hooks always see tensors.
    """

    def __init__(
        self,
        write: Callable[[Tensor, Any], None],
        create_graph: bool,
        capture: dict[Any, Any] | None,
        needed: set[Any] | None,
        requested: set[Any],
        observer: Observer | None,
        accumulate: bool,
    ) -> None:
        self.number = next(_numbers)
        self.write = write
        self.create_graph = create_graph
        self.capture = capture
        self.needed = needed  # what leads to a requested gradient; None: everything
        self.requested = requested
        self.observer = observer or Observer()
        self.accumulate = accumulate
        self.nodes: set[Any] = set()  # nodes and leaves that the roots lead to
        self.waiting: dict[Any, int] = {}  # node or leaf -> how many gradients it still waits for
        self.gathered: dict[Any, dict[int, Any]] = {}  # node or leaf -> output -> sum so far
        self.ready = Ready()
        self.came: tuple[Any, ...] = ()  # the gradients of the outputs of the current node
        self.current: Any = None  # the node or leaf that runs now
        self.hook: Called | None = None  # the hook that runs now
        self.written: list[tuple[Tensor, Tensor | None, Any]] = []  # what `.grad` was before

    # -- the order -----------------------------------------------------------------------------

    def start(self, roots: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Count what every node waits for, and let the gradients of the roots arrive.

        Returns the first node, as `next_node` does.
        """
        stack = list({node_of(edge) for edge, _ in roots})
        self.nodes = {*stack}
        for edge, _ in roots:
            self.waiting[node_of(edge)] = self.waiting.get(node_of(edge), 0) + 1
        while stack:
            item = stack.pop()
            for target in () if isinstance(item, Tensor) else map(node_of, item._next):
                if target is not None:
                    self.waiting[target] = self.waiting.get(target, 0) + 1
                    if target not in self.nodes:
                        self.nodes.add(target)
                        stack.append(target)
        for edge, entering in roots:
            self.arrive(edge, entering, always=len(roots) == 1)
        self.observer.began(roots, self)
        return self.next_node()

    def arrive(self, edge: Any, grad: Any, always: bool = False) -> None:
        """Receive a gradient, or None, along an edge; the last one makes the node ready."""
        target, index = (edge.node, edge.index) if type(edge) is Output else (edge, 0)
        missing = self.waiting[target] = self.waiting[target] - 1
        if not (always or self.needed is None or target in self.needed):
            return
        sums = self.gathered.get(target)
        if sums is None:
            sums = self.gathered[target] = {}
        if grad is not None:
            before = sums.get(index)
            sums[index] = grad if before is None else before + grad
        if missing == 0:
            self.ready.push(inf if isinstance(target, Tensor) else target._sequence, target)

    def next_node(self) -> tuple[Any, Any]:
        """Return the next node with its accumulated gradients; write the leaves before it."""
        while self.ready:
            item = self.current = self.ready.pop()
            sums = self.gathered.pop(item)
            if not isinstance(item, Tensor):
                return item, sums
            self.leaf(item, sums.get(0))
        return None, None

    def will_run(self, item: Any) -> bool:
        """Return whether this pass reaches a node, or writes a leaf."""
        if self.needed is None:
            return item in self.nodes
        if isinstance(item, Tensor) and item in self.requested and not self.accumulate:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported."
            )
        return item in self.nodes and item in self.needed

    # -- a node --------------------------------------------------------------------------------

    def arrived(self, node: Node, sums: dict[int, Any], called: bool) -> Any:
        """Handle the complete gradients of a node's outputs; return what its rules are given.

        called: whether the rules will run, because the node leads to a requested gradient.
        """
        grads = [sums.get(i) for i in range(count_of_outputs(node))]
        if not called:
            self.captured(node, self.after_tensor_hooks(node, grads))
            return None
        self.captured(node, grads)
        if node._extra:
            grads = self.after_tensor_hooks(node, grads)
            if node._extra.get("prehooks"):
                before = tuple(grads)
                grads = self.seen_by("pre", node._extra["prehooks"], before)
                self.observer.seen(node, "pre", before, grads)
        self.came = tuple(grads)
        given: Any = self.came[0]
        if node.many:
            given = all_outputs(node, dict(enumerate(self.came)), self.create_graph)
        self.observer.entered(node, given)
        return given

    def send(self, node: Node, grad: Any, made: Any, sent: Any) -> tuple[Any, Any]:
        """Show hooks what the rules of a node made, and send it along the edges.

        Returns the next node, as `next_node` does.
        """
        if self.needed is not None and node.one_rule_each:
            # a rule for one input runs if its gradient is requested; a rule for all always runs
            sent = [g if self.leads_on(t) else None for t, g in zip(node._next, sent, strict=True)]
        hooks = node._extra and node._extra.get("hooks")
        if hooks:
            shown = tuple(map(self.as_tensor, self.came))
            before, sent = tuple(sent), self.seen_by("node", hooks, tuple(sent), shown)
            self.observer.seen(node, "node", before, sent)
        self.observer.applied(node, grad, made, sent)
        if anomaly_mode.Anomaly.check_nan and anomaly_mode.Anomaly.enabled:
            anomaly_mode.check_nan(node, sent)
        for target, share in zip(node._next, sent, strict=True):
            if target is not None:
                self.arrive(target, share)
        return self.next_node()

    def leads_on(self, target: Any) -> bool:
        """Return whether an edge leads to a requested gradient."""
        return target is not None and (self.needed is None or node_of(target) in self.needed)

    def captured(self, node: Node, grads: list[Any]) -> None:
        """Store a requested gradient, which `grad` returns."""
        if self.capture is None:
            return
        for index, grad in enumerate(grads):
            key = (node, index) if node.many else node
            if key in self.capture:
                self.capture[key] = grad

    def after_tensor_hooks(self, node: Node, grads: list[Any]) -> list[Any]:
        """Return the gradients after the hooks of the output tensors; write retained ones."""
        if not node._extra:
            return grads
        for index, hooks in node._extra.get("tensor hooks", {}).items():
            if hooks:
                before = grads[index]
                grads[index] = self.seen_by("tensor", hooks, before, output=index)
                self.observer.hooked(node, index, before, grads[index])
        for tensor, grad in retaining(node, dict(enumerate(grads)) if node.many else grads[0]):
            self.write_grad(tensor, grad)
        return grads

    # -- a leaf --------------------------------------------------------------------------------

    def leaf(self, leaf: Tensor, grad: Any) -> None:
        """Write the complete gradient of a leaf, after its hooks have seen it."""
        more = leaf._more
        hooks: LeafHooks | None = more.hooks if more is not None else None
        if more is not None:
            grad = in_own_type(leaf, grad)
        before = grad
        if hooks is not None and hooks.tensor:
            grad = self.seen_by("tensor", hooks.tensor, grad)
        if self.capture is not None and not self.accumulate:
            self.capture[leaf] = grad
            return
        if hooks is not None and hooks.pre:
            (grad,) = self.seen_by("pre", hooks.pre, (grad,))
        if hooks is not None and (hooks.tensor or hooks.pre):
            self.observer.hooked(leaf, 0, before, grad)
        if grad is not None and leaf._needs:
            self.write_grad(leaf, grad)
        if hooks is None or self.observer.rehearsal:
            return
        if hooks.after or hooks.post:
            self.observer.seen(leaf, "post", None, None)
        if hooks.after:
            self.written = [row for row in self.written if row[0] is not leaf]
            for hook in list(hooks.after.values()):
                self.hook = "post", 0, hook
                if hook(leaf) is not None:
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
            self.hook = None
        if hooks.post:
            self.seen_by("post", hooks.post, (), (self.as_tensor(grad),))

    def write_grad(self, tensor: Tensor, grad: Any) -> None:
        """Add to `.grad`, and remember what was there."""
        before = tensor._grad
        self.written.append((tensor, before, None if before is None else before._data.copy()))
        self.write(tensor, grad if self.create_graph else grad.copy())
        self.observer.wrote(tensor, self.written[-1][2], grad)

    # -- the end -------------------------------------------------------------------------------

    def ended(self) -> None:
        """Finish the pass after all nodes have run."""
        self.observer.ended(self)

    def failed(self, error: BaseException) -> None:
        """Restore every written gradient after a rule or a hook raised an error."""
        if (
            isinstance(error, Exception)
            and anomaly_mode.Anomaly.enabled
            and self.current is not None
        ):
            anomaly_mode.report(self.current)
        for tensor, before, data in reversed(self.written):
            tensor._grad = before
            if before is not None and isinstance(before._data, np.ndarray):
                before._data[...] = data
            elif before is not None:
                before._data = data
        if self.current is not None:
            self.observer.failed(self.current, error, self.hook)

    # -- hooks ---------------------------------------------------------------------------------

    def seen_by(
        self, where: str, hooks: HookDict, value: Any, *others: Any, output: int = 0
    ) -> Any:
        """Return a gradient, or a tuple of gradients, as hooks have left or replaced it."""
        several = isinstance(value, tuple)
        shown: Any = tuple(map(self.as_tensor, value)) if several else self.as_tensor(value)
        for hook in list(hooks.values()):  # one of them may remove another
            self.hook = where, output, hook
            shown = called((hook,), shown, *others)
        self.hook = None
        return tuple(map(self.as_grad, shown)) if several else self.as_grad(shown)

    def as_tensor(self, grad: Any) -> Any:
        """Return a gradient as a tensor for a hook, copied, because others may hold the array.

        An array that repeats its entries cannot be changed in place anyway, here as in PyTorch.
        """
        if grad is None or self.create_graph:
            return grad
        return wrap(grad if is_expanded(grad) else grad.copy(), False, None)

    def as_grad(self, tensor: Any) -> Any:
        """Undo `as_tensor`."""
        return tensor if tensor is None or self.create_graph else tensor._data


class Ready:
    """The queue of ready nodes: a binary heap with the highest rank, the newest node, on top.

    Only leaves have equal ranks: AccumulateGrad goes before every node. Which of several ready
    leaves comes first then depends on how the heap moves its items. PyTorch uses
    std::priority_queue of libstdc++, so this heap takes the same steps. (Python's heapq moves its
    items in another order.)
    """

    def __init__(self) -> None:
        self.heap: list[tuple[float, Any]] = []

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, rank: float, item: Any) -> None:
        """Add an item."""
        self.heap.append((rank, item))
        rise(self.heap, 0, len(self.heap) - 1, 0, (rank, item), lower)

    def pop(self) -> Any:
        """Take out the item on top."""
        top, last = self.heap[0], self.heap.pop()
        if self.heap:
            sink(self.heap, 0, 0, len(self.heap), last, lower)
        return top[1]


def lower(one: tuple[float, Any], other: tuple[float, Any]) -> bool:
    """Return whether one item has the lower rank."""
    return one[0] < other[0]
