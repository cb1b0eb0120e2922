"""PyTorch's part of `graphlab.record()`: its passes, and what happens between them.

During the block, a proxy of the engine of `torch.autograd` reports when a pass begins, hooks note
the calls of modules and the steps of optimizers, and a torch mode notes the line of each call and
what it changes. All of this is removed after the block. A recorder that fails stops recording; it
never raises an error in the user's program.

Read next: adapters/recorded_timeline.py
"""

import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from graphlab.adapters.namespace import Variables
from graphlab.adapters.native.facts import Notes
from graphlab.adapters.native.optimizer_steps import settings_of
from graphlab.adapters.native.snapshots import differ
from graphlab.adapters.native.unreached import stopped_by, unreached_by
from graphlab.adapters.native.variable_names import scopes_of
from graphlab.adapters.pytorch.accessors import (
    compiled_before,
    in_transform,
    is_accumulator,
    is_plain_step,
    is_tensor,
    loaded,
    maker_of,
    run_uncompiled,
    version_of,
)
from graphlab.adapters.pytorch.arrays import array_of, quick_sample_of
from graphlab.adapters.pytorch.known_nodes import (
    Lines,
    Memory,
    after_step,
    before_step,
    memory_of,
    modes_in_use,
    noting_lines,
    users_frame,
    users_place,
)
from graphlab.adapters.pytorch.module_calls import ModuleCalls, pytorch
from graphlab.adapters.pytorch.recorded_pass import PyTorchPass
from graphlab.adapters.pytorch.rehearsal import CopyOfStandIns
from graphlab.autograd.users_code import uninterrupted
from graphlab.graph.array_sample import ArraySample, shows
from graphlab.graph.model import Unreached
from graphlab.tensor.tensor import Tensor

COMPILED = (
    "Lines, modules and changes in place were not noted: torch.compile has compiled code and would "
    "compile it again. Call torch._dynamo.reset() before the block, then they are noted."
)
ELSEWHERE = "Another thread ran a pass, which is not recorded: record it in that thread."
INSIDE = "A pass inside vmap, torch.func or with is_grads_batched=True was not recorded."
FAILED = "The recording ended early, because GraphLab could not read what came next: {}"

# functions that change how a tensor lies in memory, or its graph, and no entry
NO_NEW_VALUES = {"as_strided_", "detach_", "squeeze_", "swapaxes_", "swapdims_", "t_"}
NO_NEW_VALUES |= {"transpose_", "unsqueeze_"}


class PyTorchRecording(Notes):
    """What happens in PyTorch while a recording is open.

    frame: of the block, whose variables give the names. forget: called when something was noted.
    """

    def __init__(self, frame: FrameType | None, forget: Callable[[], None]) -> None:
        super().__init__(forget)
        self.snapshots = Memory(self._look)
        self.lines = Lines()
        self.failed: Exception | None = None
        self._modules = ModuleCalls(self._take_mode_back)
        self._frame = frame
        self._thread = threading.get_ident()
        self._elsewhere = self._inside = False  # whether passes ran that are not recorded
        self.grads: dict[Tensor, ArraySample | None] = {}
        self._marks: dict[Tensor, tuple[int, int] | None] = {}  # id and version of each `.grad`
        self._stepping: list[Any] = []
        self._mode: Any = None
        self._stack_without: tuple[Any, ...] | None = None  # the modes, while ours is set aside
        self._handles: list[Any] = []
        self.with_lines = not compiled_before()

    @property
    def notice(self) -> str:
        """A sentence if the recording ended early, left out a pass, or knows no lines, or ""."""
        if self.failed is not None:
            return FAILED.format(self.failed)
        if self._inside or (self._elsewhere and not self.entries):
            return INSIDE if self._inside else ELSEWHERE
        return "" if self.with_lines else COMPILED

    def blank_copy(self) -> CopyOfStandIns:
        """What the graph is copied into."""
        copied = CopyOfStandIns()
        copied.scopes, copied.is_parameter = self._modules.scopes, self.snapshots.is_parameter
        return copied

    def unreached(self, copied: Any, held: list[tuple[str, Any]]) -> tuple[Unreached, ...]:
        """The parameters of the user's modules that no pass reached."""
        ids, find = copied.node_ids, self.snapshots.tensor
        living = {stand_in: leaf for leaf, stand_in in self.snapshots.tensors()}
        stopped = stopped_by(copied, self.reaching, living.get)
        ran, cuts = self._modules.has_run, self.lines.exits.cuts(self.snapshots.ran_in_passes)
        used = {at for stand_in, at in self.snapshots.addresses.items() if at and stand_in in ids}
        return unreached_by(
            *(held, pytorch(), lambda x: find(x) in ids, cuts, stopped, ran),
            copied=lambda x: memory_of(x) in used,
        )

    # -- open and close ----------------------------------------------------------------------------

    def open(self) -> None:
        """Begin to note."""
        variable = loaded().autograd.Variable
        variable._execution_engine = Engine(variable._execution_engine, self)
        optimizers = sys.modules["torch.optim.optimizer"]
        self._handles = [
            optimizers.register_optimizer_step_pre_hook(self._step_begins),
            optimizers.register_optimizer_step_post_hook(self._step_ends),
        ]
        if self.with_lines:
            self._handles += run_uncompiled()
            self._modules.open()
            self._mode = noting_lines(self.lines, self._called, self._left, self._refuse)
            self._mode.__enter__()

    def close(self) -> None:
        """End, and leave PyTorch as it was."""
        variable = loaded().autograd.Variable
        if self._mode is not None and self._mode in modes_in_use():
            self._mode.__exit__(None, None, None)
        self._mode = None
        variable._execution_engine = without(variable._execution_engine, self)
        self._modules.close()
        for item in (*self._handles, *self.running):  # a pass is still here after Ctrl-C
            item.remove()
        self._safely(self.look_around)
        self._handles, self._frame, self.grads, self._marks = [], None, {}, {}

    def _safely(self, note: Callable[..., Any], *given: Any) -> Any:
        """Call a function that notes; if it fails, the recording ends and the program goes on."""
        if self.failed is not None:
            return None
        try:
            return note(*given)
        except Exception as error:
            self.failed = error
            return None

    # -- passes ------------------------------------------------------------------------------------

    def mine(self, seeds: Any) -> bool:
        """Whether a pass that begins now with these gradients is recorded."""
        self.full = self.full or self.room <= 0
        elsewhere, inside = threading.get_ident() != self._thread, in_transform(seeds)
        self._elsewhere, self._inside = self._elsewhere or elsewhere, self._inside or inside
        return not (self.full or elsewhere or inside) and self.failed is None

    @uninterrupted
    def begins(self, one: PyTorchPass, seeds: list[Any]) -> None:
        """A pass begins."""
        self._take_mode_back()
        self._safely(one.begin, seeds)
        if self.failed is None:
            self.note(one)
            self.running.append(one)

    @uninterrupted
    def ends(self, one: PyTorchPass, results: Any, error: BaseException | None) -> None:
        """A pass has ended, or failed."""
        if one in self.running:
            self.running.remove(one)
        one.remove()
        self._safely(one.end, results, error)
        one.drop_arrays()
        for leaf, stand_in in self.snapshots.tensors():
            if stand_in in self.grads:
                self.look_at_grad(leaf, stand_in, noted=True)
        self.forget()

    def variables(self) -> Variables:
        """The names of the tensors in the variables of the block and of the caller of backward."""
        return Variables(pytorch(), *scopes_of(self._frame, users_frame(2)))

    # -- between passes ----------------------------------------------------------------------------

    def meet(self, leaf: Any, stand_in: Tensor) -> ArraySample | None:
        """Watch a leaf from now on, and give a sample of its `.grad`."""
        if stand_in not in self.grads:
            self.grads[stand_in] = None if leaf.grad is None else quick_sample_of(leaf.grad)
        return self.grads[stand_in]

    def look_around(self) -> None:
        """Find changes that no torch function made."""
        for leaf, stand_in in self.snapshots.tensors():
            if leaf.grad_fn is None and stand_in in self.grads:
                self._look(leaf, stand_in)

    def _look(self, leaf: Any, stand_in: Tensor) -> None:
        """Note it if a tensor, or its `.grad`, has changed since it was last seen."""
        if stand_in in self.grads:
            self.look_at_grad(leaf, stand_in)
        latest, array = self.snapshots.latest.get(stand_in), array_of(leaf)
        versions, version = self.snapshots.versions, version_of(leaf)
        counted = versions.get(stand_in, stand_in._version) != version
        versions[stand_in] = version
        if latest is None or isinstance(array, ArraySample | None) or shows(latest, array):
            return
        now = self.snapshots.latest[stand_in] = quick_sample_of(leaf)
        self.note(("changed", stand_in, latest, now, version, counted, users_place(2)))

    def _called(self, func: Any, args: tuple[Any, ...]) -> None:
        first = args[:1] if not self._stepping else ()
        for tensor in first[0] if first and isinstance(first[0], tuple | list) else first:
            if is_tensor(tensor):
                self._safely(self._changed, func, tensor)

    def _refuse(self, error: Exception) -> None:
        """A pass failed, perhaps before it began."""
        if threading.get_ident() == self._thread:
            self.refuses(error, users_place(2))

    def _left(
        self, func: Any, name: str, args: Any, kwargs: Any, result: Any, made: tuple[int, int]
    ) -> None:
        """A call may have given a result without a graph, although its inputs may have one."""
        if self._stepping or self.full or threading.get_ident() != self._thread:
            return
        given = (*args, *kwargs.values()) if kwargs else args
        self._safely(self.lines.exits.note, func, name, given, result, made, users_place)

    def _changed(self, func: Any, tensor: Any) -> None:
        """A call may have changed a tensor, or its `.grad`."""
        if func.__name__ == "__set__":
            stand_in = self.snapshots.tensor(tensor)
            if stand_in is not None and maker_of(tensor) is None:
                self._look(tensor, stand_in)
            return
        owner = tensor if tensor._base is None else tensor._base
        self.lines.changed(owner, users_place(2))
        if func.__name__ in NO_NEW_VALUES:
            return
        stand_in, made = self.snapshots.tensor(owner), maker_of(owner)
        if stand_in is not None and made is None:
            self._look(owner, stand_in)
            return
        if made is not None and not owner.is_leaf:
            # what the graph recorded has a node of its own; the tensor before it is shown changed
            recorded = loaded().is_grad_enabled()
            before = made[0].next_functions[:1] if recorded else (made,)
            if before and before[0][0] is not None and not is_accumulator(before[0][0]):
                now, version = quick_sample_of(owner), version_of(owner)
                if stand_in is not None and not recorded:
                    self.snapshots.latest[stand_in] = now
                key = self.snapshots.number(before[0][0]), None, before[0][1]
                if recorded:
                    self.snapshots.went_on.append((key[0], key[2], weakref.ref(owner)))
                self.note(("changed inside", key, now, version, recorded, users_place(2)))
            return
        for leaf, known in self.snapshots.tensors():
            if known in self.grads and leaf.grad is tensor:
                self.look_at_grad(leaf, known)

    def look_at_grad(self, leaf: Any, stand_in: Tensor, noted: bool = False) -> Any:
        """A sample of the `.grad` of a leaf, or None; notes it if that has changed.

        noted: whether a pass has just noted what it wrote.
        """
        before, grad = self.grads[stand_in], leaf.grad
        after = mark = None
        if grad is not None:
            mark = id(grad), version_of(grad)
            array = array_of(grad) if noted or self._marks.get(stand_in) == mark else None
            kept = before is not None and isinstance(array, np.ndarray) and shows(before, array)
            after = before if kept else quick_sample_of(grad)
        self.grads[stand_in], self._marks[stand_in] = after, mark
        if after is not before and differ(before, after):
            if grad is None or not bool(grad.any()):
                self.note(("cleared", stand_in, after, users_place(2)))
            else:
                self.note(("replaced", stand_in, before, after, users_place(2)))
        return after

    # -- optimizers --------------------------------------------------------------------------------

    def _step_begins(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        self._take_mode_back()
        modes = modes_in_use()
        if modes[-1:] == (self._mode,) and is_plain_step(optimizer, args, kwargs):
            self._stack_without = modes[:-1]
            self._mode.__exit__(None, None, None)  # the mode would only slow the step down
        self._stepping.append(None)
        self._safely(self._before_step, optimizer)

    def _before_step(self, optimizer: Any) -> None:
        self._stepping[-1] = before_step(self.snapshots, optimizer)

    def _step_ends(self, optimizer: Any, *_: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        was = self._stepping.pop() if self._stepping else None
        if was is not None:
            self._safely(self._after_step, optimizer, was)
        self._take_mode_back()

    def _take_mode_back(self) -> None:
        """Note calls again after a step, or, if the step failed, when the next event begins."""
        if self._stack_without is not None and self._stack_without == modes_in_use():
            self._stack_without = None
            self._stepping = []
            self._mode.__enter__()

    def _after_step(self, optimizer: Any, was: list[Any]) -> None:
        changes, given = after_step(self.snapshots, optimizer, was)
        told = changes, users_place(2), given, settings_of(optimizer)
        self.note(("stepped", type(optimizer).__name__, *told))


def beside(frame: FrameType | None, forget: Callable[[], None]) -> PyTorchRecording | None:
    """The open recording of PyTorch; None if this version of torch cannot be recorded."""
    recording = PyTorchRecording(frame, forget)
    try:
        recording.open()
    except (AttributeError, ImportError, KeyError, RuntimeError, TypeError):
        recording.close()
        return None
    return recording


class Engine:
    """PyTorch's engine, which tells a recording when a pass begins and ends."""

    def __init__(self, engine: Any, recording: PyTorchRecording) -> None:
        self._engine, self.recording = engine, recording

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_backward(self, tensors: Any, *args: Any, **options: Any) -> Any:
        """Run a pass, and tell of it."""
        one = None
        if self.recording.mine(args[0]):
            one = self.recording._safely(pass_of, self.recording, tensors, args, options)
        if one is None:
            try:
                return self._engine.run_backward(tensors, *args, **options)
            except RuntimeError as error:
                self.recording._refuse(error)
                raise
        try:
            self.recording.begins(one, args[0])
            results = self._engine.run_backward(tensors, *args, **options)
        except BaseException as error:
            self.recording.ends(one, None, error)
            raise
        self.recording.ends(one, results, None)
        return results


def without(engine: Any, recording: PyTorchRecording) -> Any:
    """The engine without the proxy of one recording; the proxies of other threads stay."""
    if not isinstance(engine, Engine):
        return engine
    if engine.recording is recording:
        return engine._engine
    engine._engine = without(engine._engine, recording)
    return engine


def pass_of(
    recording: PyTorchRecording, tensors: Any, args: tuple[Any, ...], options: dict[str, Any]
) -> PyTorchPass | None:
    """What notes a pass; args: as torch.autograd gives them to the engine.

    None for a tensor that requires no gradient: PyTorch refuses the pass before it begins.
    """
    if any(is_tensor(one) and not one.requires_grad for one in tensors):
        return None
    _, keeps, creates, inputs = args[:4]
    writes = options.get("accumulate_grad", args[5] if len(args) > 5 else False)
    return PyTorchPass(recording, list(tensors), bool(keeps), bool(creates), inputs, bool(writes))
