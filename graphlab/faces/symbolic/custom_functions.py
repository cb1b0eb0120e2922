"""A Function of your own, read as formulas: what its forward and its backward calculate.

Both are run on tensors that record. What they leave is a graph like any other, which runs on
symbols, on many digits and on float64:

    forward:  y = x * x            backward:  grad * 2 * x
    a graph from x to y            a graph from grad and x to the gradient

A record does not show everything: a number taken out with `.item()`, or an array that NumPy
changed, stands in it as a constant. So both run a second time at values a little aside, and the
Function counts as read only when nothing but these values differs between the two records.

Read next: faces/symbolic/backward_interpretation.py
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.autograd.backward import key_of
from graphlab.autograd.context import check_gradients
from graphlab.autograd.function import Context, Function
from graphlab.autograd.grad_mode import enable_grad
from graphlab.autograd.held import pin
from graphlab.autograd.node import Node, Output, edge_of
from graphlab.autograd.order import as_made
from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.interpretation import (
    Interpretation,
    Subgraph,
    arguments,
    float_interpretation,
    forward,
    inputs_of,
    key,
    walk,
)
from graphlab.tensor.random.generator import get_rng_state, set_rng_state
from graphlab.tensor.tensor import Tensor, wrap

ASIDE = 1 / 512  # how far the second run is from the first, relative
FAR = -1.75  # and the third, which shows what was decided by the values
WORK = 20_000_000  # entries that may be calculated to find out what goes in


def record_functions(graph: Subgraph, given: Sequence[Tensor]) -> None:
    """Read every Function of the user's in the graph, or say in `graph.reason` why one is not.

    given: the tensors that the graph is a function of. Nothing is changed, nor the next random
    number.
    """
    if not graph.custom:
        return
    state = get_rng_state()
    try:
        with np.errstate(all="ignore"):
            graph.functions = functions_of(graph, {key_of(t): as_float(t._data) for t in given})
        graph.custom = ""
    except Unsupported as reason:
        graph.reason = str(reason)
    except Exception as error:  # it is the user's own code
        graph.reason = f"it raised {type(error).__name__}: {error}"
    finally:
        set_rng_state(state)


def functions_of(graph: Subgraph, given: Mapping[Any, Any]) -> dict[Node, "RecordedFunction"]:
    """The Functions of a graph, by node. Raises: Unsupported, and whatever they raise."""
    if not any(isinstance(node, Context) for node in graph.nodes):
        return {}
    entries = float_interpretation()
    values = forward(graph, given, entries, Budget(WORK))
    found: dict[Node, RecordedFunction] = {}
    for node in graph.nodes:
        if isinstance(node, Context):
            found[node] = read(node, inputs_of(node, values, entries))
    return found


def as_float(data: Any) -> Any:
    """Floats in float64; what is no float stays."""
    return np.asarray(data, np.float64)[()] if np.asarray(data).dtype.kind == "f" else data


def read(node: Context, inputs: Sequence[Any]) -> "RecordedFunction":
    """A Function, read at these inputs. Raises: Unsupported when it is more than its record."""
    first = Record(node, inputs)
    graph = signature(first)
    moving = [edge is not None for edge in node._next]
    if graph != signature(Record(node, changed(inputs, moving, aside))):
        raise Unsupported(
            "it takes numbers out of its tensors, or decides by them, which a formula does not show"
        )
    try:
        decided = graph != signature(Record(node, changed(inputs, moving, far)))
    except Exception:  # outside its domain, perhaps
        decided = False
    return RecordedFunction(first, decided)


def changed(
    inputs: Sequence[Any], moving: Sequence[bool], change: Callable[[Any], Any]
) -> list[Any]:
    """The inputs with those changed that a gradient goes to; the others are constants."""
    return [change(x) if moves else x for x, moves in zip(inputs, moving, strict=True)]


def aside(data: Any) -> Any:
    """Values a little aside; what is no float stays."""
    if np.asarray(data).dtype.kind != "f":
        return data
    source = np.random.default_rng(np.size(data))
    return data * (1 + ASIDE * source.uniform(0.5, 1.0, np.shape(data)))


def far(data: Any) -> Any:
    """Values far away, with other signs."""
    return FAR * data + 0.25 if np.asarray(data).dtype.kind == "f" else data


class Record:
    """One run of a forward, on tensors that record; and of the backward, when it is asked for."""

    def __init__(self, node: Context, inputs: Sequence[Any]) -> None:
        own = node.__dict__
        kinds = [own["_types"][place] for place in own["_places"]]
        self.node = node
        self.leaves = [
            wrap(np.array(x, kind)[()], edge is not None, None)
            for x, kind, edge in zip(inputs, kinds, node._next, strict=True)
        ]
        source = random.Random(len(inputs))
        self.grads = [
            None if known is None or known[1].kind != "f" else leaf_like(known, source)
            for known in (node._extra or {})["outputs"]
        ]
        self.ctx = self.fresh()
        with enable_grad():
            # copies, for a forward may change what it is given
            args = tuple(arguments(node, [x.clone() for x in self.leaves]))
            cls = node.function
            if cls.setup_context is Function.setup_context:
                result = cls.forward(self.ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(self.ctx, args, result)
        self.outputs = result if isinstance(result, tuple) else (result,)
        kept = self.ctx.__dict__.pop("to_save", None)
        self.ctx._saved = tuple(None if t is None else pin(t) for t in kept or ())
        self.forward = walk_all([t for t in self.outputs if isinstance(t, Tensor)])
        given = {leaf: as_float(leaf._data) for leaf in self.leaves}
        self.forward.functions = functions_of(self.forward, given)

    def fresh(self) -> Any:
        """A ctx that knows what the node's knew before its forward."""
        ctx = self.node.function._node_class()
        ctx._saved = ctx._options = ctx._next = ()
        ctx._extra = ctx._version = ctx._constants = ctx._reduce = None
        own = self.node.__dict__
        known = ("_needs_input_grad", "_id", "_places", "_shapes", "_types")
        ctx.__dict__.update({name: own[name] for name in known})
        return ctx

    def backward(self, present: Sequence[bool]) -> tuple[Subgraph, list[Tensor | None]]:
        """The graph of the backward, and the gradient of each input that is a tensor.

        present: for which outputs a gradient came.
        """
        fn = self.node.function.backward_of_user()
        grads = [g if there else None for g, there in zip(self.grads, present, strict=True)]
        with enable_grad():
            result = getattr(fn, "recorded", fn)(self.ctx, *grads)
            results = result if isinstance(result, tuple) else (result,)
            made = check_gradients(self.ctx, results)
        found = [
            grad if edge is not None else None
            for grad, edge in zip(made, self.node._next, strict=True)
        ]
        graph = walk_all([t for t in found if t is not None])
        given = [*self.leaves, *(g for g in grads if g is not None)]
        graph.functions = functions_of(graph, {t: as_float(t._data) for t in given})
        return graph, found


def leaf_like(known: tuple[Any, Any], source: random.Random) -> Tensor:
    """A gradient of some shape and type; its values count for nothing but what is decided."""
    shape, kind = known
    data = np.array([source.uniform(0.5, 1.5) for _ in range(int(np.prod(shape)))])
    return wrap(data.reshape(shape).astype(kind)[()], True, None)


class RecordedFunction:
    """What stands in the place of a Function: its records, run on any entries."""

    def __init__(self, record: Record, decided: bool) -> None:
        self.record, self.decided = record, decided
        self._backwards: dict[Any, tuple[Subgraph, list[Tensor | None]]] = {}

    @property
    def name(self) -> str:
        return self.record.node.function.__name__

    @property
    def said(self) -> str:
        """What a report says of it."""
        own = f"{self.name} is a Function of your own, read as formulas"
        return f"{own}, whose way was decided by the current values" if self.decided else own

    def outputs(
        self, inputs: Sequence[Any], entries: Interpretation, budget: Budget
    ) -> tuple[Any, ...]:
        """What the forward makes of the inputs."""
        record = self.record
        values = forward(record.forward, dict(self.given(inputs)), entries, budget)
        return tuple(
            value_of(out, values, entries) if isinstance(out, Tensor) else out
            for out in record.outputs
        )

    def gradients(
        self, inputs: Sequence[Any], grads: Sequence[Any], entries: Interpretation, budget: Budget
    ) -> list[Any]:
        """What the backward makes of the gradients that came: one for each input, or None."""
        present = tuple(g is not None for g in grads)
        if present not in self._backwards:
            self._backwards[present] = self.record.backward(present)
        graph, found = self._backwards[present]
        given = dict(self.given(inputs))
        for leaf, grad in zip(self.record.grads, grads, strict=True):
            if leaf is not None and grad is not None:
                given[leaf] = grad
        values = forward(graph, given, entries, budget)
        return [None if t is None else value_of(t, values, entries) for t in found]

    def given(self, inputs: Sequence[Any]) -> list[tuple[Tensor, Any]]:
        return [
            (leaf, x) for leaf, x in zip(self.record.leaves, inputs, strict=True) if leaf._needs
        ]


def value_of(tensor: Tensor, values: Mapping[Any, Any], entries: Interpretation) -> Any:
    """What a tensor of a record is worth."""
    edge = edge_of(tensor)
    return entries.constant_input(tensor) if edge is None else values[key(edge)]


def walk_all(tensors: Sequence[Tensor]) -> Subgraph:
    """Everything that several tensors were made from; the last is the root."""
    together = Subgraph(None)
    seen: set[Any] = set()
    for tensor in tensors:
        if edge_of(tensor) is None:
            continue
        part = walk(tensor)
        together.root = part.root
        together.nodes += [n for n in part.nodes if n not in seen]
        together.leaves += [t for t in part.leaves if t not in seen]
        seen.update(part.nodes, part.leaves)
        together.custom = together.custom or part.custom
    together.nodes = as_made(together.nodes)
    return together


# -- whether two records are the same --------------------------------------------------------------


def signature(record: Record) -> Any:
    """All that a record holds beside the values of the leaves."""
    numbers: dict[Any, int] = {}
    for leaf in (*record.leaves, *(g for g in record.grads if g is not None)):
        numbers[leaf] = len(numbers)
    floating = [g is not None for g in record.grads]
    graph, found = record.backward(floating)
    both = as_made({*record.forward.nodes, *graph.nodes})
    lines = []
    for node in both:
        lines.append(
            (
                type(node),
                tuple(map(plain, node._options)),
                tuple(map(plain, node._constants or ())),
                tuple(place(edge, numbers) for edge in node._next),
                node._reduce if node._reduce is None else repr(node._reduce),
                node.__dict__.get("_others") if isinstance(node, Context) else None,
            )
        )
        numbers[node] = len(numbers)
    ends = [end(thing, numbers) for thing in (*record.outputs, *found)]
    return lines, ends


def end(thing: Any, numbers: Mapping[Any, int]) -> Any:
    """What a run gave: where in the record it was made, or else what it holds."""
    edge = edge_of(thing) if isinstance(thing, Tensor) else None
    return plain(thing) if edge is None else place(edge, numbers)


def place(edge: Any, numbers: Mapping[Any, int]) -> Any:
    """An edge, by numbers."""
    if edge is None:
        return None
    return (numbers[edge.node], edge.index) if type(edge) is Output else (numbers[edge], 0)


def plain(value: Any) -> Any:
    """A constant as what can be compared."""
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return type(value).__name__, repr(value)
