"""A rehearsal is a backward pass that is run to be watched and changes nothing.

Gradients are not written to `.grad`, and saved tensors are kept, so the real pass can still run.
Hooks that receive a gradient are called, and so is the backward of a custom Function; the rehearsal
continues with what they return. Post-accumulate hooks are not called, because they expect that
`.grad` was written, and a rehearsal writes none.

Read next: adapters/event_writer.py
"""

import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from graphlab.adapters.event_writer import EventWriter
from graphlab.adapters.forward_pass import forward_part, values_of
from graphlab.adapters.native.dead_units import with_dead_units
from graphlab.adapters.native.facts import Watch
from graphlab.adapters.native.formulas_of_graph import replay_of
from graphlab.adapters.native.graph_copy import Copied, copy_of
from graphlab.adapters.native.rerunning import Rerunner
from graphlab.adapters.native.unreached import cuts_of, parameters_in, unreached_by
from graphlab.adapters.native.variable_names import Names
from graphlab.autograd.backward import entering, execute
from graphlab.common.errors import GraphFreedError
from graphlab.graph.event_log import EventLog
from graphlab.graph.forward_parts import ForwardPart
from graphlab.graph.timeline import Timeline
from graphlab.tensor.tensor import Tensor

REHEARSE_FIRST = (
    " (A rehearsal also needs the saved tensors: run the formula again, and call trace before "
    "backward.)"
)


def rehearse(root: Tensor, gradient: Tensor | None = None, names: Names | None = None) -> Timeline:
    """What `root.backward(gradient)` would do, step by step; tensors and graph do not change.

    Raises: the errors of `backward`: RuntimeError when `root` needs no gradient, the gradient does
    not fit, the graph was freed, or a saved tensor was changed.
    """
    roots = entering(root, gradient, create_graph=False)
    copied = copy_of(root, names or Names())
    if any(node._saved is None for node in copied.nodes):
        raise GraphFreedError(REHEARSE_FIRST)
    watch, title = Watch(), copied.label(copied.root)
    execute(roots, lambda leaf, grad: None, keep_graph=True, create_graph=False, observer=watch)
    log = EventLog()
    EventWriter(copied, title, log).tell(watch.facts)
    hooked = watch.hooks_changed
    told = forward_part(copied, copied.graph, (copied.root,), copied.nodes, values_of(copied))
    copied.graph = with_dead_units(copied, watch.facts)
    if names is not None and names.modules:
        reached = {id(leaf) for leaf in copied.node_ids}
        lost = unreached_by(
            parameters_in(names.modules), lambda p: id(p) in reached, cuts_of(copied)
        )
        copied.graph = replace(copied.graph, unreached=lost)
    replay = replay_of(copied, roots, hooked)
    return Timeline(
        copied.graph,
        tuple(log),
        title=title,
        notice=log.notice,
        live=live_arrays(copied),
        forward=(ForwardPart(0, told),),
        replay=replay,
        again=Rerunner(root, gradient, copied, hooked, rehearse, replay),
    )


def live_arrays(
    copied: Copied, hold: Callable[[Tensor], weakref.ref[Tensor] | None] = weakref.ref
) -> dict[str, Callable[[], Any]]:
    """The data and the gradient of each tensor that still exists, by "t5" and "t5.grad".

    hold: returns a weak reference to a tensor; for a snapshot, to the tensor that it shows.
    """
    arrays: dict[str, Callable[[], Any]] = {}
    for identity, tensor in copied.tensors_by_id().items():
        reference = hold(tensor)
        if reference is not None:
            arrays[identity] = partial(_data_of, reference)
            arrays[f"{identity}.grad"] = partial(_grad_of, reference)
    return arrays


def _data_of(reference: weakref.ref[Tensor]) -> Any:
    tensor = reference()
    return None if tensor is None else tensor._data


def _grad_of(reference: weakref.ref[Tensor]) -> Any:
    tensor = reference()
    return None if tensor is None or tensor._grad is None else tensor._grad._data
