"""A recording, made by `graphlab.record()`, notes what happens in a block while it happens.

Gradients are written, tensors change, and errors reach the user as usual. A recording notes facts
about snapshots (snapshots.py); the timeline is made from them when it is used.

Read next: adapters/recorded_timeline.py
"""

import os
import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from graphlab.adapters.namespace import own_library
from graphlab.adapters.native.facts import MOST, Notes, PassNotes, Watch, raw
from graphlab.adapters.native.formulas_of_graph import MOST as MOST_FOLLOWED
from graphlab.adapters.native.formulas_of_graph import FirstPass
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.optimizer_steps import Step
from graphlab.adapters.native.snapshots import Snapshots, differ
from graphlab.adapters.native.unreached import Cuts, cuts_of, stopped_by, unreached_by
from graphlab.adapters.native.variable_names import Names, names_in
from graphlab.adapters.pytorch.accessors import loaded
from graphlab.autograd.hooks import LivingHooks
from graphlab.autograd.node import Node
from graphlab.autograd.scopes import noted
from graphlab.autograd.users_code import Place, place, uninterrupted, users_frame
from graphlab.autograd.watch import watcher, watchers
from graphlab.graph.array_sample import ArraySample, shows
from graphlab.graph.array_sample import quick_sample as sample
from graphlab.graph.model import Unreached
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor, own_node
from graphlab.tensor.versions import upcoming_sequence

WRITE = "write `with graphlab.record() as timeline:`"
NO_FUNCTION = f"graphlab.record() records a block, not a function; {WRITE} around the call"


class Recording(Notes):
    """Records the backward passes of a block; `with` returns the Timeline.

    Raises: RuntimeError if it is entered twice, or inside another recording of the same thread;
    AssertionError if the block ends without the expected error.
    """

    notice = ""  # a sentence that the player adds

    def __init__(
        self,
        make: Callable[["Recording"], Timeline],
        draw: Any,
        expect: tuple[type[Exception], ...] = (),
    ) -> None:
        self.timeline = Timeline.later(lambda: make(self), draw)
        super().__init__(self.timeline._forget)
        self.expect = expect  # errors that may end the block; (): none is expected
        self.error: Exception | None = None  # the expected error that ended it
        self.first: FirstPass | None = None  # the formulas of the first pass
        self.snapshots = Snapshots()
        self.cuts = Cuts()
        self.thread = 0
        self.pytorchs: Any = None  # the recording of PyTorch's passes, if torch is loaded
        self._state = "new"
        self._frame: FrameType | None = None
        self._leaves: dict[int, Any] = {}  # id -> weak reference to a leaf that is watched
        self._grads: dict[int, ArraySample | None] = {}
        self._stepping = 0
        self._began = self._ended = 0  # numbers of the nodes of the block

    def __enter__(self) -> Timeline:
        if self._state != "new":
            state = "is open already" if self._state == "open" else "has ended"
            raise RuntimeError(
                f"this recording {state}, and a recording records only one block: write "
                "`with graphlab.record() as timeline:` for each block"
            )
        if watcher() is not None:
            raise RuntimeError(
                "a recording is open already: a `graphlab.record()` block cannot be inside "
                "another; the outer block records what happens here"
            )
        self._frame = sys._getframe(1)
        try:
            self._open()
        except BaseException:
            self._close()
            raise
        return self.timeline

    @uninterrupted
    def _open(self) -> None:
        self._state, self.thread = "open", threading.get_ident()
        self._began = upcoming_sequence()
        with LivingHooks.lock:
            watchers.append(self)
            LivingHooks.add(1)  # now passes call their observers
        if loaded() is not None:
            from graphlab.adapters.pytorch.recording import beside

            self.pytorchs = beside(self._frame, self.forget)

    def _close(self) -> None:
        if self._state != "open":
            return
        if self.pytorchs is not None:
            self.pytorchs.close()
        with LivingHooks.lock:
            watchers.remove(self)
            LivingHooks.add(-1)
        self._state, self._frame, self._ended = "ended", None, upcoming_sequence()
        self._leaves, self._grads = {}, {}
        self.forget()

    # "or None", so that type checkers do not take each block for one that swallows errors
    def __exit__(self, *exception: object) -> bool | None:
        try:
            return self._end(*exception)
        finally:
            self._close()  # if Ctrl-C came before the end began

    @uninterrupted
    def _end(self, *exception: object) -> bool:
        error = exception[1] if len(exception) > 1 else None
        if self.expect and isinstance(error, self.expect):
            # a traceback would keep the tensors of all its frames alive
            self.error = error.with_traceback(None)
        try:
            self.look_around(grads=True)
            named = {snapshot for one in self.pass_notes for snapshot in one.names.of_leaf}
            if not named.issuperset(id(self.snapshots.find(leaf)) for leaf in self._alive()):
                self._look_for_names()
        finally:
            self._close()
        if self.expect and error is None:
            names = " or ".join(one.__name__ for one in self.expect)
            raise AssertionError(
                f"graphlab.record(expect={names}) expected the block to end with an error of this "
                "type, but it ended without one; the Timeline holds what was recorded. Remove "
                "expect=, or find out what is missing in the block, such as a second backward()"
            )
        return self.error is not None

    def __call__(self, *given: Any) -> Any:
        raise TypeError(NO_FUNCTION)

    def __getattr__(self, name: str) -> Any:
        advice = f": this is the recording, not its timeline; {WRITE}"
        known = not name.startswith("_") and hasattr(Timeline, name)
        raise AttributeError(f"'Recording' object has no attribute {name!r}{advice * known}")

    def __repr__(self) -> str:
        said = {"new": "has not begun", "open": "is open", "ended": "has ended"}[self._state]
        return f"<Recording that {said}; `as timeline` gives its Timeline>"

    def _look_for_names(self) -> None:
        """Find the variables that now hold leaves which had no name when a pass ran."""
        for identity, name in names_in(self._frame).of_leaf.items():
            leaf = self._leaf(identity)
            if leaf is not None:
                self.names_at_end[id(self.snapshots.find(leaf))] = name

    @staticmethod
    def blank_copy() -> Copied:
        """An empty copy of a graph, to be filled."""
        return Copied()

    def unreached(self, copied: Copied, held: list[tuple[str, Any]]) -> tuple[Unreached, ...]:
        """The parameters of the user's modules that no pass reached."""
        ids, find = copied.node_ids, self.snapshots.find
        living = self.snapshots.living()
        stopped = stopped_by(copied, self.reaching, lambda leaf: living[leaf]())
        cuts = [*cuts_of(copied), *self.cuts.told(copied)]
        calls = noted(self._began, self._ended or upcoming_sequence())
        ran = {id(module()) for *_, module in calls if module is not None}
        return unreached_by(
            held, own_library(), lambda x: find(x) in ids, cuts, stopped, lambda x: id(x) in ran
        )

    def refuses(self, error: Exception, where: Place | None = None) -> None:
        """A pass could not begin."""
        super().refuses(error, where or place())

    # -- passes --------------------------------------------------------------------------------

    def watch(self, keeps: bool, creates: bool, accumulate: bool) -> "RecordedPass | None":
        """The observer of the pass that is about to begin; None if the recording is full."""
        self.full = self.full or self.room <= 0
        return None if self.full else RecordedPass(self, keeps, creates, accumulate)

    def names(self) -> Names:
        """The names of the tensors in the variables of the block and of the caller of backward."""
        return names_in(self._frame, users_frame(sys._getframe(1)))

    # -- between passes ------------------------------------------------------------------------

    def changed(self, tensor: Tensor, made: Any, before: Any) -> None:
        """Note a change in place. made: the earlier node of `tensor`, if the change is recorded."""
        if self._stepping or self.full:
            return
        recorded = made is not None
        if recorded and tensor._base is not None:
            tensor, before = tensor._base, None  # now the base is another node's result as well
        made = own_node.__get__(tensor)  # the slot, so that a view gets no new grad_fn
        if made is not None:
            self._changed_inside(tensor, made, recorded, before)
            return
        leaf = self._leaf(id(tensor))
        leaf = self._owner(tensor) if leaf is None else leaf
        if leaf is not None:
            self._changed(leaf, tensor is leaf or tensor._base is leaf)
        elif (owner := self._owner_of_grad(tensor)) is not None:
            self._grad_changed(owner)
        elif tensor._base is None and not tensor.is_inference():
            self._meet(tensor, changed=True)

    def assigned(self, tensor: Tensor, before: Any) -> None:
        """Note that `.grad` was assigned."""
        if self._stepping or self.full:
            return
        snapshot = self._meet(tensor) if tensor._node is None else self.snapshots.find(tensor)
        if snapshot is None:
            return
        if tensor._grad is None:
            self._grads[id(snapshot)] = None
            self.note(("cleared", snapshot, None, place()))
        elif before is None or differ(sample(raw(before)), sample(raw(tensor._grad))):
            self._grads.setdefault(id(snapshot), None if before is None else sample(raw(before)))
            self._grad_changed(tensor)

    def stepping(self, optimizer: Any) -> "Step":
        """A context manager that notes all changes of one optimizer step together."""
        return Step(self, optimizer)

    def look_at(self, tensor: Tensor) -> None:
        """Note it if the data of a watched leaf is another now."""
        if not (self._stepping or self.full) and self._leaf(id(tensor)) is not None:
            self._as_it_is(tensor)

    def look_around(self, grads: bool = False) -> None:
        """Find changes that are not reported: those through NumPy."""
        for leaf in self._alive():
            snapshot, _ = self._as_it_is(leaf)
            if grads and id(snapshot) in self._grads:
                held, last = leaf._grad, self._grads[id(snapshot)]
                same = held is last if held is None or last is None else shows(last, raw(held))
                if not same:
                    self._grad_changed(leaf)

    def _meet(self, leaf: Tensor, changed: bool = False) -> Tensor:
        """The snapshot of a leaf; the leaf is watched from now on."""
        snapshot = self.snapshots.tensor(leaf)
        if self._leaf(id(leaf)) is None:
            self._leaves[id(leaf)] = weakref.ref(leaf)
            seen = self.snapshots.latest[snapshot]
            if not shows(seen, leaf._data):
                self._changed(leaf, counted=changed)
            elif changed:
                self.note(("changed", snapshot, None, seen, leaf._version, True, place()))
        return snapshot

    def _as_it_is(self, leaf: Tensor) -> tuple[Tensor, ArraySample]:
        """The snapshot of a leaf, and its current data."""
        snapshot = self._meet(leaf)
        if not shows(self.snapshots.latest[snapshot], leaf._data):
            self._changed(leaf, counted=False)
        return snapshot, self.snapshots.latest[snapshot]

    def _leaf(self, identity: int) -> Any:
        """The leaf with this id, if it is watched and alive."""
        reference = self._leaves.get(identity)
        return None if reference is None else reference()

    def _alive(self) -> list[Any]:
        """The watched leaves that still exist."""
        return [leaf for leaf in map(self._leaf, self._leaves) if leaf is not None]

    def _owner(self, tensor: Tensor) -> Any:
        """The leaf whose memory `tensor` shares, as a view or as `.data`; None if there is none."""
        if (leaf := self._leaf(id(tensor._base))) is not None:
            return leaf
        data = tensor._data
        if not isinstance(data, np.ndarray):
            return None
        for leaf in self._alive():
            if isinstance(leaf._data, np.ndarray) and np.may_share_memory(leaf._data, data):
                return leaf
        return None

    def _changed_inside(self, tensor: Tensor, made: Any, recorded: bool, before: Any) -> None:
        node, output = getattr(made, "node", made), getattr(made, "index", 0)
        reference, now = weakref.ref(node), sample(tensor._data)
        key = id(node), reference, output
        self.note(("changed inside", key, now, tensor._version, recorded, place()))
        if recorded:
            self.snapshots.went_on[id(node)] = reference, output, weakref.ref(tensor), before
            return
        self.snapshots.written_over[id(node), output] = reference
        if (snapshot := self.snapshots.find(tensor)) is not None:
            self.snapshots.latest[snapshot] = now

    def _owner_of_grad(self, tensor: Tensor) -> Any:
        return next((leaf for leaf in self._alive() if leaf._grad is tensor), None)

    def _changed(self, leaf: Tensor, counted: bool) -> None:
        snapshot = self.snapshots.find(leaf)
        before, after = self.snapshots.latest[snapshot], sample(leaf._data)
        self.snapshots.latest[snapshot] = after
        self.note(("changed", snapshot, before, after, leaf._version, counted, place()))

    def _grad_changed(self, leaf: Tensor) -> None:
        snapshot, held = self.snapshots.find(leaf), leaf._grad
        before = self._grads.get(id(snapshot))
        after = self._grads[id(snapshot)] = None if held is None else sample(raw(held))
        if held is None or not np.any(raw(held)):
            self.note(("cleared", snapshot, after, place()))
        elif before is None or differ(before, after):  # clipping may be by 1
            self.note(("replaced", snapshot, before, after, place()))


def leave_to_parent() -> None:
    """Let the open recordings end in a forked process, which may then record itself."""
    for one in watchers:
        one.thread = 0  # that of no thread
        if one.pytorchs is not None:
            one.pytorchs.close()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=leave_to_parent)


class RecordedPass(PassNotes, Watch):
    """The observer of one pass of a recording, which notes facts about snapshots."""

    rehearsal = False
    sample = staticmethod(sample)

    def __init__(self, recording: Recording, keeps: bool, creates: bool, accumulate: bool) -> None:
        Watch.__init__(self, recording.snapshots.find)
        PassNotes.__init__(self, keeps, creates, accumulate, place())
        self.recording = recording
        self._clock = 0

    def began(self, roots: list[tuple[Any, Any]], one: Any) -> None:
        recording, snapshots = self.recording, self.recording.snapshots
        recording.look_around()
        names = recording.names()
        self.names = snapshots.add(one.nodes, names)
        is_first = recording.room == MOST  # no pass ran before
        if is_first and len(one.nodes) <= MOST_FOLLOWED and len(roots) == 1:
            recording.first = FirstPass.of(roots, names, snapshots.find)
        self.again = snapshots.again
        for snapshot, before, after, version in snapshots.moved:
            recording.note(("changed", snapshot, before, after, version, False, self.place))
        snapshots.moved.clear()
        self.modules = [(name, weakref.ref(module)) for name, module in names.modules]
        self.edges = [snapshots.edge(edge) for edge, _ in roots]
        running = one.nodes if one.needed is None else one.nodes & one.needed
        self.runs = {snapshots.find(item) for item in running}
        recording.room -= len(running)
        for leaf in running:
            if isinstance(leaf, Tensor):
                snapshot = recording._meet(leaf)
                held = None if leaf._grad is None else sample(raw(leaf._grad))
                recording._grads[id(snapshot)] = held
                if held is not None:
                    self.holding.append((snapshot, held))
        recording.note(self)
        recording.running.append(self)
        super().began(roots, one)

    def entered(self, node: Node, grad: Any) -> None:
        super().entered(node, grad)
        self._clock = upcoming_sequence() if self.creates else 0

    def applied(self, node: Node, grad: Any, made: Any, sent: Any) -> None:
        if self.creates:
            self.recording.snapshots.ran(self.stand_in(node), self._clock, upcoming_sequence())
        super().applied(node, grad, made, sent)

    def wrote(self, tensor: Tensor, before: Any, grad: Any) -> None:
        super().wrote(tensor, before, grad)
        if tensor._node is None:
            self.recording._grads[id(self.stand_in(tensor))] = self.facts[-1][4]

    def forget(self) -> None:
        for leaf in self.written.values():  # after a failed pass they have their old gradients
            held = leaf._grad
            kept = self.recording._grads
            kept[id(self.stand_in(leaf))] = None if held is None else sample(raw(held))
        super().forget()
        if self in self.recording.running:
            self.recording.running.remove(self)
        self.recording.forget()
