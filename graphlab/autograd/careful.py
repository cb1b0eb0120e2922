"""The backward pass with hooks and checks: what autograd/engine.py does, with time to look around.

The pass takes this way while a hook is alive anywhere, or anomaly mode is on. It counts for every
node how many gradients it waits for, so that a leaf, too, is written as soon as its gradient is
complete: hooks see the same order as in PyTorch. At a node, one after the other:

    hooks of its output tensors -> retained gradients -> pre-hooks -> the rules -> hooks
    hooks of a leaf -> pre-hooks -> `.grad` is written -> post-accumulate hooks -> hooks

A pass that fails puts back the gradients that it wrote (PyTorch leaves them half written), but
for those of leaves with a post-accumulate hook: what such a hook did cannot be undone.

Read next: autograd/ready.py
"""

from collections.abc import Callable
from itertools import count
from math import inf
from typing import Any, Protocol

import numpy as np

from graphlab.autograd import anomaly
from graphlab.autograd.engine import (
    Observer,
    all_outputs,
    leading_to,
    node_of,
    retaining,
    undo_broadcast,
)
from graphlab.autograd.function import Context
from graphlab.autograd.grad_mode import state
from graphlab.autograd.hooks import HookDict, LeafHooks, called
from graphlab.autograd.node import Node, Output
from graphlab.autograd.ready import Ready
from graphlab.autograd.saved import Packed, unpack_all
from graphlab.tensor.tensor import Tensor, wrap

_numbers = count()
Called = tuple[str, int, Any]  # where a hook stands: tensor, pre, node, post; an output; the hook


def run(
    roots: list[tuple[Any, Any]],
    write: Callable[[Tensor, Any], None],
    keep_graph: bool = False,
    create_graph: bool = False,
    capture: dict[Any, Any] | None = None,
    observer: Any = None,
    accumulate: bool = False,
) -> None:
    """Send gradients from the roots to the leaves; the arguments are those of `engine.run`.

    observer: a `Watch`.
    """
    one = Pass(write, create_graph, capture, observer, accumulate)
    state.passes.append(one)
    try:
        one.start(roots)
        if observer is not None:
            observer.began(roots, one)
        while one.ready:
            one.step(one.ready.pop())
    except BaseException as error:
        one.undo()
        if observer is not None and one.current is not None:
            observer.failed(one.current, error, one.hook)
        raise
    finally:
        state.passes.pop()
    if observer is not None:
        observer.ended(one)
    if not keep_graph:
        for node in one.done:
            if node._saved:
                node._saved = None


class Watch(Observer, Protocol):
    """What somebody who watches a careful pass is told besides."""

    rehearsal: bool  # nothing is written, so that hooks of what was written are not called

    def began(self, roots: list[tuple[Any, Any]], one: "Pass") -> None:
        """It is known what will run; the gradients of the roots have arrived."""

    def seen(self, item: Any, where: str, before: Any, after: Any) -> None:
        """Hooks of a node, or of a leaf's AccumulateGrad, saw gradients; where: pre, node, post."""

    def wrote(self, tensor: Tensor, before: Any, grad: Any) -> None:
        """A gradient was added to `.grad`; before: a copy of the data that was there, or None."""

    def failed(self, item: Any, error: BaseException, hook: "Called | None") -> None:
        """An error came up at a node or a leaf; what was written has been put back.

        hook: the hook that was at work, when one was.
        """

    def ended(self, one: "Pass") -> None:
        """All has run."""


class Pass:
    """One backward pass: what is ready, what waits, and what has gathered.

    Gradients are raw data, or tensors when the pass is recorded; hooks always see tensors.
    """

    def __init__(
        self,
        write: Callable[[Tensor, Any], None],
        create_graph: bool,
        capture: dict[Any, Any] | None,
        observer: "Watch | None",
        accumulate: bool,
    ) -> None:
        self.number = next(_numbers)
        self.write = write
        self.create_graph = create_graph
        self.capture = capture
        self.observer = observer
        self.accumulate = accumulate
        self.allowed: set[Any] | None = None  # what leads to something wanted; None: everything
        self.wanted = {key[0] if isinstance(key, tuple) else key for key in capture or ()}
        self.waiting: dict[Any, int] = {}  # node or leaf -> gradients that have yet to come
        self.gathered: dict[Any, dict[int, Any]] = {}  # node or leaf -> output -> sum so far
        self.ready = Ready()
        self.done: list[Node] = []
        self.current: Any = None  # the node or leaf that is being run
        self.hook: Called | None = None  # the hook that is at work
        self.written: list[tuple[Tensor, Tensor | None, Any]] = []  # what `.grad` was before

    def start(self, roots: list[tuple[Any, Any]]) -> None:
        """Count what every node waits for, and let the gradients of the roots arrive."""
        if self.capture is not None:
            self.allowed = leading_to([node_of(edge) for edge, _ in roots], self.capture)
        seen = {node_of(edge) for edge, _ in roots}
        stack = list(seen)
        for edge, _ in roots:
            self.waiting[node_of(edge)] = self.waiting.get(node_of(edge), 0) + 1
        while stack:
            item = stack.pop()
            for target in () if isinstance(item, Tensor) else map(node_of, item._next):
                if target is not None:
                    self.waiting[target] = self.waiting.get(target, 0) + 1
                    if target not in seen:
                        seen.add(target)
                        stack.append(target)
        self.nodes = seen
        for edge, entering in roots:
            self.arrive(edge, entering, always=len(roots) == 1)

    def arrive(self, edge: Any, grad: Any, always: bool = False) -> None:
        """A gradient, or None, has come along an edge; the last one makes its node ready."""
        target, index = (edge.node, edge.index) if type(edge) is Output else (edge, 0)
        missing = self.waiting[target] = self.waiting[target] - 1
        if not (always or self.allowed is None or target in self.allowed):
            return
        sums = self.gathered.get(target)
        if sums is None:
            sums = self.gathered[target] = {}
        if grad is not None:
            before = sums.get(index)
            sums[index] = grad if before is None else before + grad
        if missing == 0:
            self.ready.push(inf if isinstance(target, Tensor) else target._sequence, target)

    def will_run(self, item: Any) -> bool:
        """Whether this pass comes to a node, or writes a leaf."""
        if self.allowed is None:
            return item in self.nodes
        if isinstance(item, Tensor) and item in self.wanted and not self.accumulate:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported."
            )
        return item in self.nodes and item in self.allowed

    def step(self, item: Any) -> None:
        """Run a node, or give a leaf its gradient."""
        self.current = item
        sums = self.gathered.pop(item)
        try:
            if isinstance(item, Tensor):
                self.leaf(item, sums.get(0))
            else:
                self.node(item, sums)
        except Exception:
            if anomaly.Anomaly.enabled:
                anomaly.report(item)
            raise

    # -- a node --------------------------------------------------------------------------------

    def node(self, node: Node, sums: dict[int, Any]) -> None:
        outputs = len(node._extra["outputs"]) if node.many and node._extra else 1
        grads = [sums.get(i) for i in range(outputs)]
        if self.capture is not None:
            if not self.needed(node):
                self.captured(node, self.after_tensor_hooks(node, grads))
                return
            self.captured(node, grads)
        has = node._extra or {}
        if has:
            grads = self.after_tensor_hooks(node, grads)
            if has.get("prehooks"):
                before, grads = tuple(grads), self.seen_by("pre", has["prehooks"], tuple(grads))
                if self.observer is not None:
                    self.observer.seen(node, "pre", before, grads)
        came = tuple(grads)
        given: Any = came[0]
        if node.many:
            given = all_outputs(node, dict(enumerate(came)), self.create_graph)
        if self.observer is not None:
            self.observer.entered(node, given)
        made, sent = self.rules(node, given)
        if self.allowed is not None and not node.op.variadic and not isinstance(node, Context):
            # a rule runs when its gradient is wanted; a single one for all inputs makes all
            sent = [g if self.leads_on(t) else None for t, g in zip(node._next, sent, strict=True)]
        if has.get("hooks"):
            shown = tuple(map(self.as_tensor, came))
            before, sent = tuple(sent), self.seen_by("node", has["hooks"], tuple(sent), shown)
            if self.observer is not None:
                self.observer.seen(node, "node", before, sent)
        if self.observer is not None:
            self.observer.applied(node, given, made, sent)
        if anomaly.Anomaly.check_nan and anomaly.Anomaly.enabled:
            anomaly.check_nan(node, sent)
        self.done.append(node)
        for target, grad in zip(node._next, sent, strict=True):
            if target is not None:
                self.arrive(target, grad)

    def rules(self, node: Node, given: Any) -> tuple[Any, Any]:
        """The gradients of the inputs as the rules make them, and with broadcasts undone."""
        if given is None:
            nothing = (None,) * len(node._next)
            return nothing, nothing
        saved, version = node._saved, node._version
        packed = Packed.living and any(isinstance(item, Packed) for item in saved or ())
        if packed and not isinstance(node, Context):
            node._saved, node._version = unpack_all(node, self.create_graph), None
        try:
            made = node.vjp_tensors(given) if self.create_graph else node.vjp(given)
        finally:
            if packed:
                node._saved, node._version = saved, version
        sent = made if node._reduce is None else undo_broadcast(node, made, self.create_graph)
        return made, sent

    def needed(self, node: Node) -> bool:
        """Whether the rules have to run: something wanted lies behind this node."""
        if self.accumulate and node in self.wanted:
            return True
        return any(self.leads_on(target) for target in node._next)

    def leads_on(self, target: Any) -> bool:
        return target is not None and (self.allowed is None or node_of(target) in self.allowed)

    def captured(self, node: Node, grads: list[Any]) -> None:
        """Keep what was asked for: `grad` returns it."""
        assert self.capture is not None
        for index, grad in enumerate(grads):
            key = (node, index) if node.many else node
            if key in self.capture:
                self.capture[key] = grad

    def after_tensor_hooks(self, node: Node, grads: list[Any]) -> list[Any]:
        """The gradients as the hooks of the output tensors pass them on; some are retained."""
        if not node._extra:
            return grads
        for index, hooks in node._extra.get("tensor hooks", {}).items():
            if hooks:
                before = grads[index]
                grads[index] = self.seen_by("tensor", hooks, before, output=index)
                if self.observer is not None:
                    self.observer.hooked(node, index, before, grads[index])
        for tensor, grad in retaining(node, dict(enumerate(grads)) if node.many else grads[0]):
            self.write_grad(tensor, grad)
        return grads

    # -- a leaf --------------------------------------------------------------------------------

    def leaf(self, leaf: Tensor, grad: Any) -> None:
        more = leaf._more
        hooks: LeafHooks | None = more.hooks if more is not None else None
        before = grad
        if hooks is not None and hooks.tensor:
            grad = self.seen_by("tensor", hooks.tensor, grad)
        if self.capture is not None and not self.accumulate:
            self.capture[leaf] = grad
            return
        if hooks is not None and hooks.pre:
            (grad,) = self.seen_by("pre", hooks.pre, (grad,))
        if self.observer is not None and hooks is not None and (hooks.tensor or hooks.pre):
            self.observer.hooked(leaf, 0, before, grad)
        if grad is not None and leaf._needs:
            self.write_grad(leaf, grad)
        if hooks is None or (self.observer is not None and self.observer.rehearsal):
            return
        if self.observer is not None and (hooks.after or hooks.post):
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
        if self.observer is not None:
            self.observer.wrote(tensor, self.written[-1][2], grad)

    def undo(self) -> None:
        """Put back every gradient that was written: the pass has failed."""
        for tensor, before, data in reversed(self.written):
            tensor._grad = before
            if before is not None and isinstance(before._data, np.ndarray):
                before._data[...] = data
            elif before is not None:
                before._data = data

    # -- hooks ---------------------------------------------------------------------------------

    def seen_by(
        self, where: str, hooks: HookDict, value: Any, *others: Any, output: int = 0
    ) -> Any:
        """What hooks make of a gradient, or of a tuple of gradients."""
        several = isinstance(value, tuple)
        shown: Any = tuple(map(self.as_tensor, value)) if several else self.as_tensor(value)
        for hook in list(hooks.values()):  # one of them may remove another
            self.hook = where, output, hook
            shown = called((hook,), shown, *others)
        self.hook = None
        return tuple(map(self.as_grad, shown)) if several else self.as_grad(shown)

    def as_tensor(self, grad: Any) -> Any:
        """A gradient as a hook sees it, in memory of its own: others may hold the same array.

        What repeats its entries cannot be changed in place anyway, here as in PyTorch.
        """
        if grad is None or self.create_graph:
            return grad
        repeats = any(step == 0 and n > 1 for n, step in zip(grad.shape, grad.strides, strict=True))
        return wrap(grad if repeats else grad.copy(), False, None)

    def as_grad(self, tensor: Any) -> Any:
        return tensor if tensor is None or self.create_graph else tensor._data
