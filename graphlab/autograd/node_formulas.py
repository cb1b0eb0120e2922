"""The forward and the rules of a recorded node run on other entries: symbols, numbers, a tape.

The formulas of an operation are plain functions, so every reading of the primitives can run them.
The engine has no part in this.

Read next: autograd/rerun.py
"""

from collections.abc import Callable, Mapping
from typing import Any

from graphlab.autograd.node import Node
from graphlab.autograd.views import CopySlices, inner_inputs
from graphlab.ops.base import Op, rule_arguments
from graphlab.primitives import rebind
from graphlab.tensor.tensor import Tensor


class Entries:
    """What formulas run on: a reading of the primitives, and what the values of a node become."""

    __slots__ = ("_bound", "primitives")

    def __init__(self, primitives: Mapping[str, Any]) -> None:
        self.primitives = primitives
        self._bound: dict[Any, Callable[..., Any]] = {}

    def bind(self, op: type[Op], formula: Callable[..., Any]) -> Callable[..., Any]:
        """Return the forward or a rule of `op`, bound to the primitives."""
        found = self._bound.get(formula)
        if found is None:
            found = self._bound[formula] = rebind(formula, self.primitives)
        return found

    def constant_input(self, value: Any) -> Any:
        """Return what an input without a gradient becomes."""
        return value._data if isinstance(value, Tensor) else value

    def option(self, value: Any) -> Any:
        """Return what an option of an operation becomes."""
        return value

    def result(self, made: Any) -> Any:
        """Return what the result of a formula becomes."""
        return made


def outputs_of(node: Node, inputs: list[Any], entries: Entries) -> tuple[Any, ...]:
    """Return the outputs of the node's forward for these inputs."""
    op = node.op
    if isinstance(node, CopySlices):
        (new,) = outputs_of(node.inner, inputs_inside(node, inputs, entries), entries)
        return (put_back(node, inputs[0], new, entries),)
    options = {name: entries.option(value) for name, value in options_of(node).items()}
    forward = entries.bind(op, op.forward)
    made = forward(tuple(inputs), **options) if op.variadic else forward(*inputs, **options)
    return tuple(map(entries.result, made if isinstance(made, tuple) else (made,)))


def options_of(node: Node) -> dict[str, Any]:
    """Return the options of the forward, by name."""
    return dict(zip(node.op.options, node._options, strict=False))


def settings_of(node: Node) -> dict[str, Any]:
    """Return the options, and the shapes and sizes that rules ask for, by name."""
    return dict(zip((*node.op.options, *node.op.derived), node._options, strict=False))


def input_gradients(
    node: Node,
    inputs: list[Any],
    outputs: tuple[Any, ...],
    grad: Any,
    entries: Entries,
    only: int | None = None,
) -> list[Any]:
    """Return what the node's rules return for the incoming gradient, one item for each edge.

    only: the index of the edge whose rule runs; default all.
    """
    op = node.op
    if isinstance(node, CopySlices):
        return gradients_of_slices(node, inputs, grad, entries)
    values = {name: entries.option(value) for name, value in settings_of(node).items()}
    if not op.variadic:
        values.update(zip(op.inputs, inputs, strict=True))
        named = len(op.outputs) > 1 or not op.splits  # the parts of a split have no names
        values.update(zip(op.outputs, outputs if named else (None,), strict=True))
    return run_rules(node, grad, values, entries.bind, only)


def run_rules(
    node: Node,
    grad: Any,
    values: Mapping[str, Any],
    bind: Callable[[type[Op], Callable[..., Any]], Callable[..., Any]],
    only: int | None = None,
) -> list[Any]:
    """Call the rules of a node with the values that they name; None where there is no edge."""
    op = node.op

    def run(rule: Callable[..., Any]) -> Any:
        return bind(op, rule)(grad, *[values[name] for name in rule_arguments(rule)])

    if op.variadic:
        (rule,) = op.rules.values()
        return [
            None if edge is None else one for edge, one in zip(node._next, run(rule), strict=True)
        ]
    return [
        None if edge is None or only not in (None, i) else run(rule)
        for i, (edge, rule) in enumerate(zip(node._next, op.rules.values(), strict=True))
    ]


def reduced(node: Node, found: list[Any], entries: Entries) -> list[Any]:
    """Return the gradients of a node's inputs, summed to the shapes before broadcasting."""
    sizes = [back and back[0] for back in node._reduce or (None,) * len(found)]

    def back_to(one: Any, to: Any) -> Any:
        return entries.result(one if to is None else entries.primitives["sum_to"](one, to))

    pairs = zip(found, sizes, strict=True)
    return [one if one is None else back_to(one, to) for one, to in pairs]


# -- a write to a part of a tensor ----------------------------------------------------------------


def inputs_inside(node: CopySlices, inputs: list[Any], entries: Entries) -> list[Any]:
    """Return the inputs of the operation that wrote a part of a tensor."""
    part = part_of(node, inputs[0], entries)
    return inner_inputs(node, part, inputs[1:], entries.constant_input)


def gradients_of_slices(
    node: CopySlices, inputs: list[Any], grad: Any, entries: Entries
) -> list[Any]:
    """Return the gradients of a write to a part of a tensor; other entries pass grad on."""
    inside = inputs_inside(node, inputs, entries)
    outputs = outputs_of(node.inner, inside, entries)
    found = input_gradients(node.inner, inside, outputs, part_of(node, grad, entries), entries)
    first, *rest = reduced(node.inner, found, entries)
    if first is None:
        return [entries.bind(node.op, node.op.rules["self"])(grad, *node._options), *rest]
    return [put_back(node, grad, first, entries), *rest]


def part_of(node: CopySlices, whole: Any, entries: Entries) -> Any:
    """Return the part of `whole` that the node overwrites."""
    return entries.result(entries.bind(node.op, node.op.rules["values"])(whole, *node._options))


def put_back(node: CopySlices, whole: Any, part: Any, entries: Entries) -> Any:
    """Return `whole` with another part."""
    return entries.bind(node.op, node.op.forward)(whole, part, **options_of(node))
