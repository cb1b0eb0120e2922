"""Read a user-defined Function as formulas: record what its forward and backward calculate.

Both run on tensors that require a gradient, so each leaves a graph like any other, which runs on
symbols, on multiprecision numbers and on float64:

    forward:  y = x * x            backward:  grad * 2 * x
    a graph from x to y            a graph from grad and x to the gradient

A record does not show everything: a number from `.item()`, or an array that NumPy changed, is a
constant in it. So both run a second time at slightly different values, and the record is used only
if the two differ in nothing but these values.

Read next: faces/symbolic/backward_interpretation.py
"""

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from graphlab.faces.symbolic.budget import Budget, Unsupported
from graphlab.faces.symbolic.interpretation import (
    Interpretation,
    arguments,
    as_float,
    float_interpretation,
    forward,
    inputs_of,
)
from graphlab.faces.symbolic.live_graph import (
    Context,
    Function,
    Node,
    Output,
    Subgraph,
    Tensor,
    as_made,
    check_gradients,
    decision_of,
    edge_of,
    enable_grad,
    find_deciding,
    get_rng_state,
    in_float64,
    key,
    key_of,
    node_of,
    pin,
    set_rng_state,
    walk,
    wrap,
)

NEARBY = 1 / 512  # the relative distance of the second run from the first
USES_OUTSIDE = "it uses a tensor that needs a gradient and is not one of its arguments"
FAR = -1.75, 2.5  # a factor, and a value: two more runs show whether the graph depends on values
WORK = 20_000_000  # entries calculated to find the inputs


class DrawsRandomNumbers(Unsupported):
    """A Function draws random numbers, so it gives other values when it runs again."""


def record_functions(graph: Subgraph, given: Sequence[Tensor]) -> None:
    """Record every user-defined Function in the graph, or say why not in `graph.reason`.

    given: the tensors that the graph is a function of. The random state is restored afterwards.
    """
    if not graph.custom:
        return
    state = get_rng_state()
    try:
        with np.errstate(all="ignore"):
            graph.functions = functions_of(graph, {key_of(t): as_float(t._data) for t in given})
        graph.custom = ""
    except Unsupported as reason:
        graph.reason, graph.random = str(reason), isinstance(reason, DrawsRandomNumbers)
    except Exception as error:  # the user's code may raise anything
        graph.reason = f"when it ran again, it raised {type(error).__name__}: {error}"
        if "Can't call numpy()" in str(error):
            graph.reason = "it calculates with NumPy"
    finally:
        set_rng_state(state)


def functions_of(graph: Subgraph, given: Mapping[Any, Any]) -> dict[Node, "RecordedFunction"]:
    """Record the Functions of a graph, by node. Raises: Unsupported, and whatever they raise."""
    if not any(isinstance(node, Context) for node in graph.order):
        return {}
    entries = float_interpretation()
    values = forward(graph, given, entries, Budget(WORK))
    found: dict[Node, RecordedFunction] = {}
    for node in graph.order:
        if isinstance(node, Context):
            found[node] = record(node, inputs_of(node, values, entries))
    return found


def record(node: Context, inputs: Sequence[Any]) -> "RecordedFunction":
    """Record a Function at these inputs. Raises: Unsupported if the record is incomplete."""
    state = get_rng_state()
    first = Record(node, inputs)
    graph = signature(first)
    if not np.array_equal(state._data, get_rng_state()._data):
        raise DrawsRandomNumbers("it draws random numbers, and would draw others if it ran again")
    moving = [edge is not None for edge in node._next]
    near = changed(inputs, moving, nearby)
    alike = graph == signature(Record(node, near))
    if alike:
        # float16 and float32 may round changes away; the user's code may raise anything
        with suppress(Exception), in_float64():
            double = np.dtype(np.float64)
            alike = signature(Record(node, inputs, double)) == signature(Record(node, near, double))
    value_dependent = False
    for change in (far, lambda data: 0 * far(data) + FAR[1]):
        with suppress(Exception):  # perhaps the values are outside its domain
            there = signature(Record(node, changed(inputs, moving, change)))
            value_dependent = value_dependent or graph != there
    if not alike or (value_dependent and not first.forward.nodes):
        raise Unsupported("it takes numbers out of its tensors, or branches on them")
    return RecordedFunction(first, value_dependent)


def changed(
    inputs: Sequence[Any], moving: Sequence[bool], change: Callable[[Any], Any]
) -> list[Any]:
    """Return the inputs, with those changed that need a gradient; the others are constants."""
    return [change(x) if moves else x for x, moves in zip(inputs, moving, strict=True)]


def nearby(data: Any) -> Any:
    """Return slightly different values of floats."""
    if np.asarray(data).dtype.kind != "f":
        return data
    source = np.random.default_rng(np.size(data))
    step = NEARBY * source.uniform(0.5, 1.0, np.shape(data))
    return data + step * np.where(data == 0, 1.0, data)


def far(data: Any) -> Any:
    """Return distant values of floats, with other signs."""
    return FAR[0] * data + 0.25 if np.asarray(data).dtype.kind == "f" else data


class Record:
    """One recorded run of a forward, and of the backward when it is needed.

    double: the dtype to convert floats to; by default each input has that of the first run.
    """

    def __init__(self, node: Context, inputs: Sequence[Any], double: Any = None) -> None:
        own = node.__dict__
        kinds = [own["_types"][place] for place in own["_places"]]
        kinds = [double if double and kind.kind == "f" else kind for kind in kinds]
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
            # copies, because a forward may change its inputs in place
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
        """Return a new ctx, as the node's was before its forward."""
        ctx = self.node.function._node_class()
        ctx._saved = ctx._options = ctx._next = ()
        ctx._extra = ctx._version = ctx._constants = ctx._reduce = None
        own = self.node.__dict__
        known = ("_needs_input_grad", "_id", "_places", "_shapes", "_types")
        ctx.__dict__.update({name: own[name] for name in known})
        return ctx

    def backward(self, present: Sequence[bool]) -> tuple[Subgraph, list[Tensor | None]]:
        """Return the graph of the backward, and the gradient of each input that is a tensor.

        present: whether each output has a gradient.
        """
        fn = self.node.function.backward_of_user()
        grads = [g if there else None for g, there in zip(self.grads, present, strict=True)]
        with enable_grad():
            # copies, because a backward may change its gradients in place
            copies = [None if g is None else g.clone() for g in grads]
            result = getattr(fn, "recorded", fn)(self.ctx, *copies)
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
    """Return a gradient of this (shape, dtype), with arbitrary values."""
    shape, kind = known
    data = np.array([source.uniform(0.5, 1.5) for _ in range(int(np.prod(shape)))])
    return wrap(data.reshape(shape).astype(kind)[()], True, None)


class RecordedFunction:
    """A Function that runs on any entries, from its record.

    value_dependent: whether it calculates something else for other values.
    """

    def __init__(self, record: Record, value_dependent: bool) -> None:
        self.record, self.value_dependent = record, value_dependent
        self._backwards: dict[Any, tuple[Subgraph, list[Tensor | None]]] = {}

    @property
    def name(self) -> str:
        return self.record.node.function.__name__

    @property
    def note(self) -> str:
        """The note in the report."""
        is_ours = self.record.node.function.__module__.startswith("graphlab.")
        own = f"{self.name} is a Function{'' if is_ours else ' of your own'}, read as formulas"
        return f"{own}; its branch depends on the current values" if self.value_dependent else own

    def outputs(
        self, inputs: Sequence[Any], entries: Interpretation, budget: Budget
    ) -> tuple[Any, ...]:
        """Return the outputs of the forward for these inputs."""
        record, given = self.record, dict(self.given(inputs))
        values = forward(record.forward, given, entries, budget)
        if entries.skipped:  # the last round gives what an earlier one gave
            nodes, places = record.forward.nodes, last_round(record.forward.nodes)
            given |= {nodes[i]: values[nodes[i - entries.skipped * len(places)]] for i in places}
            values = forward(record.forward, given, entries, budget)
        return tuple(
            value_of(out, values, entries) if isinstance(out, Tensor) else out
            for out in record.outputs
        )

    def gradients(
        self, inputs: Sequence[Any], grads: Sequence[Any], entries: Interpretation, budget: Budget
    ) -> list[Any]:
        """Return what the backward returns: one gradient for each input, or None."""
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


def last_round(nodes: Sequence[Node]) -> range:
    """Return a loop's last round: what repeats three times, with its constants if possible."""
    exact = [(type(node), plain((node._options, node._constants))) for node in nodes]
    for made in (exact, [kind for kind, _ in exact]):
        for end in range(len(made), 2, -1)[:8]:
            for size in range(1, end // 3 + 1):
                if made[end - 3 * size : end] == made[end - size : end] * 3:
                    return range(end - size, end)
    return range(0)


def value_of(tensor: Tensor, values: Mapping[Any, Any], entries: Interpretation) -> Any:
    """Return the value of a tensor of a record."""
    edge = edge_of(tensor)
    return entries.constant_input(tensor) if edge is None else values[key(edge)]


def walk_all(tensors: Sequence[Tensor]) -> Subgraph:
    """Return the graph that several tensors were made from; the last tensor is its root."""
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
    find_deciding(together)
    return together


# -- whether two records are equal --------------------------------------------------------------


def signature(record: Record) -> Any:
    """Return everything in a record except the values of its leaves."""
    numbers: dict[Any, int] = {}
    for leaf in (*record.leaves, *(g for g in record.grads if g is not None)):
        numbers[leaf] = len(numbers)
    floating = [g is not None for g in record.grads]
    graph, found = record.backward(floating)
    both = as_made({*record.forward.order, *graph.order})
    lines = []
    for node in both:
        lines.append(
            (
                type(node),
                tuple(map(plain, node._options)),
                tuple(constant(c, numbers) for c in node._constants or ()),
                tuple(place(edge, numbers) for edge in node._next),
                node._reduce if node._reduce is None else repr(node._reduce),
                node.__dict__.get("_others") if isinstance(node, Context) else None,
            )
        )
        numbers[node] = len(numbers)
    ends = [end(thing, numbers) for thing in (*record.outputs, *found)]
    return lines, ends


def end(thing: Any, numbers: Mapping[Any, int]) -> Any:
    """Return a result of a run: its place in the record, or its value if it has no place."""
    edge = edge_of(thing) if isinstance(thing, Tensor) else None
    return plain(thing) if edge is None else place(edge, numbers)


def place(edge: Any, numbers: Mapping[Any, int]) -> Any:
    """Return an edge as the number of its node and the index of the output.

    Raises: Unsupported for a leaf that was not given.
    """
    if edge is None:
        return None
    node, index = (edge.node, edge.index) if type(edge) is Output else (edge, 0)
    if node not in numbers:
        raise Unsupported(USES_OUTSIDE)
    return numbers[node], index


def constant(value: Any, numbers: dict[Any, int]) -> Any:
    """Return a constant: for a mask how it was made, or its number; otherwise the value."""
    decision = decision_of(value)
    if decision is None or any(e is not None and node_of(e) not in numbers for e in decision.edges):
        return plain(value)
    if ("mask", value) in numbers:
        return numbers["mask", value]
    numbers["mask", value] = len(numbers)
    return (
        getattr(decision.function, "__name__", ""),
        tuple(place(edge, numbers) for edge in decision.edges),
        tuple(constant(c, numbers) for c in decision.constants),
        tuple(map(plain, decision.options.items())),
    )


def plain(value: Any) -> Any:
    """Return a constant in a form that can be compared."""
    if isinstance(value, Tensor):
        value = value._data
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return type(value).__name__, repr(value)
