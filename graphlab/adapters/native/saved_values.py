"""The values of a node: what it saved, and its results where no variable holds them any more.

Saved values are PyTorch's `_saved_*` attributes, as data. A result is recomputed from the inputs of
its node, without running the user's code; it is unknown if an input is gone or has changed.

Read next: adapters/native/graph_walk.py
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from graphlab.adapters.native.graph_walk import Moment, option_text
from graphlab.adapters.native.variable_names import edge_key, node_of
from graphlab.autograd.forwards import forward_of
from graphlab.autograd.function import Context, SavedOutput
from graphlab.autograd.grad_mode import without_warnings
from graphlab.autograd.node import Node, Pinned
from graphlab.autograd.node_formulas import options_of
from graphlab.autograd.operands import promote
from graphlab.autograd.saved import saved_attribute
from graphlab.autograd.saved_tensor_hooks import Packed, has_packed
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.common.errors import ModifiedInPlaceError
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.model import Saved
from graphlab.graph.value import Value
from graphlab.tensor.tensor import Tensor


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


def recompute(node: Node, data: list[Any]) -> tuple[Any, ...] | None:
    """The results of a node; None if an input is gone, or if the node runs the user's code."""
    op = node.op
    if isinstance(node, Context):
        return None
    if isinstance(node, CopySlices):
        return recompute_slices(node, data)
    saved: tuple[Any, ...] = (node._saved or ())[len(op.inputs) :]
    as_saved = node._version is None or node._version[0].count == node._version[1]
    results = [item for item in saved if not isinstance(item, Packed | None)]
    if len(saved) == len(results) == 1 and as_saved:
        return (saved[0],)
    if any(x is None for x in data):
        return None
    inputs = promote(op, data) if op.types != "keep" else data
    if not op.variadic and len(inputs) < len(op.inputs):
        inputs = inputs + [None] * (len(op.inputs) - len(inputs))
    arguments = (tuple(inputs),) if op.variadic else inputs
    result = without_warnings(forward_of(op), *arguments, **options_of(node))
    return result if isinstance(result, tuple) else (result,)


def recompute_slices(node: CopySlices, data: list[Any]) -> tuple[Any, ...] | None:
    """A tensor after a part of it was overwritten; None if an input is gone."""
    if node.inner is None or any(x is None for x in data):
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
    results = recompute(node.inner, [x for x in inside if x is not None])
    if results is None:
        return None
    return (node.op.forward(data[0], results[0], **options_of(node)),)
