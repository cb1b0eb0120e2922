"""The values of a node: what it saved, and its results where no variable holds them any more.

Saved values are PyTorch's `_saved_*` attributes, as data. A result is recomputed from the inputs of
its node, without running the user's code; it is unknown if an input is gone or has changed. Not all
changes are counted, so known results are recomputed as well: if one differs, an input has changed.

Read next: adapters/native/graph_walk.py
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from graphlab.adapters.native.graph_walk import (
    RUNS_AT_ONCE,
    Moment,
    changed,
    input_items,
    inputs_there,
    option_text,
)
from graphlab.adapters.native.variable_names import edge_key, node_of
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.grad_mode import without_warnings
from graphlab.autograd.node import Node, Output, Pinned, count_of_outputs
from graphlab.autograd.node_formulas import options_of
from graphlab.autograd.operands import forward_of, promote
from graphlab.autograd.saved import saved_attribute
from graphlab.autograd.saved_tensor_hooks import Packed, has_packed
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.common.errors import ModifiedInPlaceError
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.model import Saved
from graphlab.graph.value import Value
from graphlab.tensor.tensor import Tensor

# a factor may be another one in PyTorch, and an inverse has the rounding errors of its matrix
INEXACT = ("graphlab.ops.factoring", "graphlab.ops.solving")
SMALL = 4096  # entries of the inputs, up to which a result is recomputed


class Copy(Protocol):
    """The part of a graph's copy that this file uses."""

    tensors: dict[Any, str]
    variables: dict[str, str]
    made_by: dict[Any, Any]

    def inputs(self, node: Node) -> tuple[str, ...]: ...
    def outputs(self, node: Node) -> tuple[str, ...]: ...
    def options(self, node: Node) -> dict[str, Any]: ...
    def summary(self, raw: Any) -> Value: ...


def saved_values(copied: Copy, node: Node, items: tuple[Any, ...] | None) -> list[Saved]:
    """The saved values of a node, tensors first. items: what it holds; None if it was freed."""
    if isinstance(node, Context):
        freed = [Saved("saved_tensors", None, freed=True)]
        return freed if items is None else _saved_by_user(copied, node, items)
    op = node.op
    if isinstance(node, CopySlices):
        return []  # what it keeps is a node, which is a part of it
    words, options = [*op.inputs, *op.outputs], copied.options(node)
    found = []
    if items is None:
        found = [Saved(word, None, freed=True) for word in words if word in op.saved]
    elif items:
        for word, item in zip(words, items, strict=True):
            if item is not None and word not in op.hidden:
                found.append(_saved_item(copied, word, item, node))
    if items is None:
        found += [Saved(word, None, freed=True) for word in op.shown]
        options = {word: held for word, held in options.items() if word not in op.freed_options}
        found += [Saved(word, None, freed=True) for word in op.freed_options if word in op.saved]
    else:
        options |= worked_out(node)
    for word in op.saved:
        if word in options and "_sym_" not in word:  # sizes would crowd the picture
            found += _option(copied, word, options[word], op.defaults)
    return sorted(found, key=lambda saved: saved.value is None and not saved.freed)


def worked_out(node: Node) -> dict[str, Any]:
    """Values that only PyTorch saves, computed from what the node saved unless that changed."""
    if node._extra and "worked out" in node._extra:
        return node._extra["worked out"]
    if has_packed(node):
        return {}  # reading the values would call unpack hooks
    found = {}
    with suppress(ModifiedInPlaceError):
        for word in node.op.shown:
            made = saved_attribute(node, word)
            found[word] = made._data if isinstance(made, Tensor) else made
    return found


def _option(copied: Copy, word: str, held: Any, defaults: dict[str, Any]) -> Iterator[Saved]:
    """An option or a computed value: an array as a Value, anything else as text."""
    if isinstance(held, np.ndarray | np.generic | ArraySample):
        value = copied.summary(held)
        yield Saved(word, value, nbytes=value.nbytes)
    elif isinstance(held, tuple) and any(isinstance(x, np.ndarray | ArraySample) for x in held):
        for k, part in enumerate(held):  # an index such as x[:, rows]
            if part is not None:
                yield from _option(copied, f"{word}[{k}]", part, {})
    elif word not in defaults or held != defaults[word]:  # a default would crowd the picture
        usual = option_text(defaults[word]) if word in defaults else ""
        yield Saved(word, None, text=option_text(held), default=usual)


def _saved_by_user(copied: Copy, node: Node, items: tuple[Any, ...]) -> list[Saved]:
    """What a custom Function saved, named after the variables that hold it, if any do."""
    found = [_saved_item(copied, f"saved_tensors[{i}]", x, node) for i, x in enumerate(items)]
    names = [copied.variables.get(saved.tensor or "", "") for saved in found]
    return [
        replace(saved, name=name) if name and names.count(name) == 1 else saved
        for saved, name in zip(found, names, strict=True)
    ]


def _saved_item(copied: Copy, word: str, item: Any, node: Node) -> Saved:
    if isinstance(item, Packed):  # only its unpack hook can restore the value
        return Saved(word, None, text=option_text(item.held))
    saved_at = now = 0
    if isinstance(item, SavedOutput):
        tensor, raw = copied.outputs(node)[item.index], item.data
    elif isinstance(item, Tensor | Pinned):
        held = item.tensor if isinstance(item, Pinned) else item
        saved_at = item.version if isinstance(item, Pinned) else 0
        raw, now = held._data, held._version
        if isinstance(item, Moment):
            raw, now = item.data, item.now
        made_by = node_of(held)
        tensor = copied.tensors.get(edge_key(held if made_by is None else made_by))
        tensor = tensor or copied.tensors.get(id(held))  # a constant
    elif word in node.op.outputs:
        place, raw, made = node.op.outputs.index(word), item, copied.outputs(node)
        tensor = made[place] if place < len(made) else None  # indices have no gradient
        if node._version:
            saved_at, now = node._version[1], node._version[0].count
    elif node in copied.made_by:  # a number in a rule, which is no tensor in PyTorch either
        return Saved(word, None, text=option_text(item))
    else:  # a Python number of the user's, which PyTorch saves as a tensor
        tensor, raw = copied.inputs(node)[node.op.inputs.index(word)], item
    value = copied.summary(raw)
    return Saved(
        word, value, tensor=tensor, version_saved=saved_at, version_now=now, nbytes=value.nbytes
    )


def results_of(
    nodes: Iterable[Node],
    held: dict[Any, tuple[Any, int]],
    most: float = SMALL,
    again: Callable[[Node, list[Any]], tuple[Any, ...] | None] | None = None,
) -> dict[Node, tuple[Any, ...]]:
    """The results of nodes, oldest first, that `held` lacks: what they saved, or recomputed.

    held: edge -> its data, and when it was last changed in place; takes the results.
    An input that was changed without notice, or may have been, is RUNS_AT_ONCE there.
    most: entries of the inputs, up to which a result is recomputed. again: instead of `recompute`.
    """
    found: dict[Node, tuple[Any, ...]] = {}
    sources: dict[Node, set[Any]] = {}  # what a result was recomputed from
    doubted: set[Any] = set()  # among these inputs is one that was changed without notice
    for node in nodes:
        edges = [(node, i) for i in range(count_of_outputs(node))]
        new = any(held.get(edge, (None,))[0] is None for edge in edges)
        if new and (kept := kept_result(node)):
            found[node], new = kept, False
            held.setdefault(edges[0], (kept[0], -1))
        items = input_items(node)
        data = [seen_by(node, item, held) for item in items]
        if any(x is None for x in data) or sum(map(np.size, data)) > (most if new else SMALL):
            continue
        made = None
        with suppress(Exception):  # a PyTorch option that GraphLab's operation does not take
            made = (again or recompute)(node, data)
        keys = {edge_key(x) for x in items if isinstance(x, Node | Output | Tensor)}
        if made and new:
            found[node], sources[node] = made, keys
        for edge, one in zip(edges, made or (), strict=False):
            known, when = held.setdefault(edge, (one, -1))
            exact = node.op.__module__ not in INEXACT
            if exact and when < node._sequence and differ(known, one, data):
                doubted |= keys
    for node in reversed(sources):
        if not doubted.isdisjoint((node, i) for i, _ in enumerate(found[node])):
            doubted |= sources[node]
    for node, keys in sources.items():
        if keys & doubted:
            doubted |= {(node, i) for i, _ in enumerate(found.pop(node))}
    held.update((key, (None, RUNS_AT_ONCE)) for key in doubted)
    return found


def seen_by(node: Node, item: Any, held: dict[Any, tuple[Any, int]]) -> Any:
    """The data of an input as the node saw it; None if it is unknown or has changed."""
    data, when = item, -1
    if isinstance(item, Node | Output):
        data, when = held.get(edge_key(item), (None, -1))
    elif isinstance(item, Tensor):
        data, when = item._data, changed(item)
    return None if when > node._sequence or isinstance(data, ArraySample) else data


def differ(known: Any, made: Any, inputs: list[Any]) -> bool:
    """Whether a result and the recomputed one differ by more than rounding errors."""
    if known is made or np.array_equal(known, made):
        return False
    one, other, *given = map(np.asarray, (known, made, *inputs))
    if one.dtype.kind not in "fc" or one.shape != other.shape:
        return False
    floats = [x[np.isfinite(x)] for x in (one, *given) if x.dtype.kind in "fc"]
    size = max(np.abs(x).max(initial=0) for x in floats)
    share = max(1e-4, 8 * np.finfo(one.dtype).eps)
    return not np.allclose(one, other, share, share * size / 10, equal_nan=True)


def kept_result(node: Node) -> tuple[Any, ...] | None:
    """The result that a node has saved; None if it has none, or it was changed."""
    other = isinstance(node, Context | CopySlices)
    saved = () if other else (node._saved or ())[len(node.op.inputs) :]
    as_saved = node._version is None or node._version[0].count == node._version[1]
    known = as_saved and len(saved) == 1 and not isinstance(saved[0], Packed | None)
    return saved if known else None


def recompute(
    node: Node, data: list[Any], there: list[bool] | None = None
) -> tuple[Any, ...] | None:
    """The results of a node, given its inputs; None if the node runs the user's code."""
    op = node.op
    if isinstance(node, Context):
        return None
    if isinstance(node, CopySlices):
        return recompute_slices(node, data)
    inputs = iter(promote(op, data) if op.types != "keep" else data)
    if op.variadic:
        arguments = (tuple(inputs),)
    else:
        arguments = [next(inputs) if one else None for one in there or inputs_there(node)]
    result = without_warnings(forward_of(op), *arguments, **options_of(node))
    return result if isinstance(result, tuple) else (result,)


def recompute_slices(node: CopySlices, data: list[Any]) -> tuple[Any, ...] | None:
    """A tensor after a part of it was overwritten."""
    if node.inner is None:
        return None
    given = iter(data[1:])
    others = [
        None if edge is None and constant is None else next(given)
        for edge, constant in zip(
            node._next[1:], (node._constants or (None,) * len(node._next))[1:], strict=True
        )
    ]
    part = node.op.rules["values"](data[0], *node._options)
    inside = inner_inputs(node, part, others, lambda x: x._data if isinstance(x, Tensor) else x)
    there = [x is not None for x in inside]
    results = recompute(node.inner, [x for x in inside if x is not None], there)
    if results is None:
        return None
    return (node.op.forward(data[0], results[0], **options_of(node)),)
