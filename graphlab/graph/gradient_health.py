"""A diagnosis of a backward pass tells where a NaN came from and where the gradient was lost.

It reads only the events and the graph, so it works in the same way for GraphLab's tensors and for
PyTorch's, for a rehearsal and for a recording.

Read next: graph/timeline.py
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, overload

from graphlab.graph.events import (
    DependencyMet,
    Event,
    LeafWritten,
    NodeEntered,
    OptimizerStepped,
    RuleApplied,
)
from graphlab.graph.model import Graph, NodeInfo, Source, Unreached
from graphlab.graph.series import magnitude
from graphlab.graph.value import Value

MASKS = ("masked_fill", "where")  # operations that often write -inf on purpose


@dataclass(frozen=True, slots=True)
class Nonfinite:
    """The place where a NaN or an infinity first appears.

    direction: "forward" or "backward". node, name: the node's id and name. scope: the module.
    source: the line that made the node, if it is known. what: "nan", "inf" or "-inf". event: the
    index of the event of a backward pass.
    """

    direction: str
    node: str
    name: str
    scope: str
    source: Source | None
    what: str
    event: int | None = None

    def __str__(self) -> str:
        line = f", line {self.source.line}: {self.source.text}" if self.source else ""
        where = f" in {self.scope}" if self.scope else ""
        did = "computed" if self.direction == "forward" else "sent"
        return f"{self.name}{where} is the first that is known to have {did} {self.what}{line}"


@dataclass(frozen=True, slots=True)
class Flow:
    """How a node changed the size of the gradient that passed through it.

    came, sent: the Euclidean norms of the gradient that it received and of all that it sent; nan if
    the entries are not known. zeros: the share of zeros in what it sent, 0 to 1, or nan.
    """

    node: str
    name: str
    scope: str
    came: float
    sent: float
    zeros: float

    def __str__(self) -> str:
        where = f" in {self.scope}" if self.scope else ""
        lost = f", {self.zeros:.0%} zeros" if self.zeros > 0 else ""
        return f"{self.name}{where}: {self.came:.3g} -> {self.sent:.3g}{lost}"


@dataclass(frozen=True, slots=True)
class DeadUnits:
    """The dead units of an activation, for one whole batch.

    units: how many columns, or channels of images, it has. silent: how many of them are 0 for every
    example. blocked: how many of them send no gradient for any example.
    """

    node: str
    name: str
    scope: str
    units: int
    silent: int
    blocked: int

    def __str__(self) -> str:
        where = f" in {self.scope}" if self.scope else ""
        silent, blocked = self.silent, self.blocked
        said = [f"{silent} {'is' if silent == 1 else 'are'} 0 for the whole batch"] * bool(silent)
        said += [f"{blocked} send{'s' * (blocked == 1)} no gradient"] * bool(blocked)
        units = f"{self.units} unit{'s' * (self.units != 1)}"
        return f"{self.name}{where}: of {units}, {' and '.join(said)}"


class Diagnosis:
    """The methods of a Timeline that find what is wrong with gradients."""

    graph: Graph
    events: tuple[Event, ...]

    def first_nonfinite(self) -> Nonfinite | None:
        """Where a NaN or an infinity first appears, in the forward pass or else in the backward.

        It is the first operation or rule whose known inputs are finite: likely the cause, and not a
        consequence. None if all known numbers are finite.

        >>> import graphlab
        >>> x = graphlab.tensor([1.0, -1.0], requires_grad=True)
        >>> y = graphlab.log(x)
        >>> print(graphlab.trace((y * 2).sum()).first_nonfinite().name)
        LogBackward0
        """
        return first_forward(self.graph) or first_backward(self.graph, self.events)

    def flow(self) -> tuple[Flow, ...]:
        """The norm of the gradient before and after each node, in the order of the pass.

        >>> import graphlab
        >>> x = graphlab.tensor([3.0, -4.0], requires_grad=True)
        >>> timeline = graphlab.trace(graphlab.relu(x * 2).sum())
        >>> print(*timeline.flow(), sep="\\n")
        SumBackward0: 1 -> 1.41
        ReluBackward0: 1.41 -> 1, 50% zeros
        MulBackward0: 1 -> 2, 50% zeros
        """
        return tuple(flow_of(self.graph, self.events))

    def saved_bytes(self, depth: int | None = None) -> dict[str, int]:
        """The bytes that nodes keep for the backward pass, by module, the largest first.

        A tensor that several nodes keep counts once, for the node that kept it first, and as a
        whole if that keeps a view of it. Leaves, such
        as parameters, and views of them do not count, because they exist anyway, nor does what a
        pack hook or a checkpoint keeps elsewhere. depth: int >= 1,
        how many levels of nested modules to distinguish; default all. "" stands for no module.
        Raises: ValueError if `depth` is less than 1.

        >>> import graphlab
        >>> x = graphlab.tensor([3.0, -4.0], requires_grad=True)
        >>> graphlab.trace(graphlab.exp(x + 1).sum()).saved_bytes()
        {'': 8}
        """
        if depth is not None and (not isinstance(depth, int) or depth < 1):
            raise ValueError(f"depth must be an integer of at least 1, got {depth!r}")
        return bytes_by_scope(self.graph, depth)

    def dead_units(self) -> tuple[DeadUnits, ...]:
        """The activations with units that are 0, or send no gradient, for the whole batch.

        Only operations that can set entries to zero, such as relu and hardtanh, are examined, and
        only on batches of two or more examples.

        >>> import graphlab
        >>> x = graphlab.tensor([[1.0, -1.0], [2.0, -3.0]], requires_grad=True)
        >>> print(*graphlab.trace(graphlab.relu(x).sum()).dead_units())
        ReluBackward0: of 2 units, 1 is 0 for the whole batch and 1 sends no gradient
        """
        return tuple(
            DeadUnits(node.id, node.name, node.scope, node.units, node.silent, node.blocked)
            for node in self.graph.nodes
            if node.units
        )

    @overload
    def unreached(self) -> tuple[Unreached, ...]: ...

    @overload
    def unreached(self, model: Any) -> tuple[str, ...]: ...

    def unreached(self, model: Any = None) -> tuple[Unreached, ...] | tuple[str, ...]:
        """The parameters to which this graph sends no gradient.

        Without `model`: the parameters of all modules in the caller's variables, each with the
        reason and, if it is known, the line that cut it off. With `model`, a module of either
        library: the names of its parameters.
        Raises: TypeError if `model` has no named_parameters().

        >>> import graphlab
        >>> net = graphlab.nn.ModuleList([graphlab.nn.Linear(2, 2), graphlab.nn.Linear(2, 2)])
        >>> loss = net[0](graphlab.ones(2)).sum()
        >>> graphlab.trace(loss).unreached(net)
        ('1.weight', '1.bias')
        >>> print(graphlab.trace(loss).unreached()[0])
        net.1.weight: this graph does not use it
        """
        if model is None:
            return self.graph.unreached
        if not hasattr(model, "named_parameters"):
            raise TypeError(f"unreached(model) takes a module, got {type(model).__name__}")
        met = [event for event in self.events if isinstance(event, DependencyMet)]
        came = {event.node for event in met if event.came}
        lost = {event.node for event in met if not event.remaining} - came  # they only got None
        nothing = {self.graph.node(node).variable for node in lost}
        leaves = [t for t in self.graph.tensors if t.is_leaf and t.requires_grad]
        reached = [t.label for t in leaves if t.id not in nothing]
        names = [name for name, _ in model.named_parameters()]
        return tuple(name for name in names if not any(is_called(one, name) for one in reached))

    def unstepped(self) -> tuple[str, ...]:
        """The parameters of modules that get gradients, but that no optimizer has stepped.

        () if no optimizer took a step.

        >>> import graphlab as torch
        >>> body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        >>> with torch.record() as timeline:
        ...     head(body(torch.ones(2))).sum().backward()
        ...     optimizer.step()
        >>> timeline.unstepped()
        ('body.weight', 'body.bias')
        """
        stepped: set[str] = set()
        given: dict[str, str] = {}
        for event in self.events:
            if isinstance(event, OptimizerStepped):
                stepped.update(one.tensor for one in event.changes)
            elif isinstance(event, LeafWritten) and "." in event.name:
                given[event.tensor] = event.name
        names = {name for tensor, name in given.items() if stepped and tensor not in stepped}
        return tuple([one.label for one in self.graph.tensors if one.label in names])


def is_called(label: str, name: str) -> bool:
    """Whether a leaf with this label is the parameter with this name."""
    return label == name or label.endswith(f".{name}")


def first_forward(graph: Graph) -> Nonfinite | None:
    """The first operation whose result is not finite although its inputs are."""
    values: dict[str, Value] = {t.id: t.value for t in graph.tensors if t.value is not None}
    for node in graph.nodes:
        for saved in node.saved:
            if saved.tensor is not None and saved.value is not None:
                values.setdefault(saved.tensor, saved.value)
                if not entries_known(values[saved.tensor]):
                    values[saved.tensor] = saved.value
    made = sorted((n for n in graph.nodes if n.variable is None), key=lambda n: n.sequence)
    for node in made:
        found = [said for one in node.outputs if (said := trouble(values.get(one)))]
        if not found or any(trouble(values.get(one)) for one in node.inputs):
            continue
        if found[0] == "-inf" and node.op.startswith(MASKS):
            continue
        return Nonfinite("forward", node.id, node.name, node.scope, node.source, found[0])
    return None


def first_backward(graph: Graph, events: Iterable[Event]) -> Nonfinite | None:
    """The first rule whose result is not finite although the gradient that it received is."""
    for k, event in enumerate(events):
        if isinstance(event, RuleApplied) and (what := trouble(event.contribution)):
            if trouble(event.upstream):
                continue
            node = graph.node(event.node)
            return Nonfinite("backward", node.id, node.name, node.scope, node.source, what, k)
    return None


def flow_of(graph: Graph, events: Iterable[Event]) -> Iterator[Flow]:
    """The norms of the gradient before and after each node."""
    node: NodeInfo | None = None
    came, sent = math.nan, []
    for event in [*events, None]:
        if isinstance(event, RuleApplied):
            sent.append(event.contribution)
            continue
        if node is not None and sent and (event is None or isinstance(event, NodeEntered)):
            squares = math.fsum(norm(value) ** 2 for value in sent)
            known = [value for value in sent if value.statistics or numbers(value)]
            size = sum(math.prod(value.shape) for value in known)
            share = sum(map(zeros_in, known)) / size if size else math.nan
            yield Flow(node.id, node.name, node.scope, came, math.sqrt(squares), share)
        if isinstance(event, NodeEntered):
            node, sent = graph.node(event.node), []
            came = math.nan if event.gradient is None else norm(event.gradient)


def bytes_by_scope(graph: Graph, depth: int | None) -> dict[str, int]:
    """The bytes of saved tensors by module, as `Diagnosis.saved_bytes` counts them."""
    tensors = {tensor.id: tensor for tensor in graph.tensors}
    counted: set[str] = set()
    found: dict[str, int] = {}
    for node in sorted(graph.nodes, key=lambda node: node.sequence):
        for saved in node.saved:
            owner, nbytes = tensors.get(saved.tensor or ""), saved.nbytes
            if owner is not None:
                owner = tensors.get(owner.base or "", owner)
                if owner.is_leaf and owner.requires_grad:
                    continue
                if owner.id in counted:
                    continue
                counted.add(owner.id)
                if nbytes and owner.value and not owner.is_leaf:
                    nbytes = max(nbytes, owner.value.nbytes)  # a view keeps the whole
            if nbytes:
                scope = ".".join(node.scope.split(".")[:depth]) if node.scope else ""
                found[scope] = found.get(scope, 0) + nbytes
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


# -- values ------------------------------------------------------------------------------------


def entries_known(value: Value) -> bool:
    """Whether a value tells anything about its entries."""
    return bool(value.entries) or value.statistics is not None or math.prod(value.shape) == 1


def trouble(value: Value | None) -> str:
    """ "nan", "inf" or "-inf" if a value contains it; "" if not, or if it is unknown."""
    if value is None:
        return ""
    counts = value.statistics
    if counts is not None:
        pairs = (("nan", counts.nan), ("inf", counts.pos_inf), ("-inf", counts.neg_inf))
        return next((word for word, count in pairs if count), "")
    return value.text if value.text in ("nan", "inf", "-inf") else ""


def numbers(value: Value) -> list[float]:
    """All entries of a value; [] if some are unknown."""
    if value.kept or len(value.texts) != math.prod(value.shape):
        return []
    try:
        return [float(text) for text in value.texts]
    except ValueError:
        return []


def norm(value: Value) -> float:
    """The Euclidean norm, with about 5 digits; nan if the entries are unknown."""
    if not (value.norm or entries_known(value) or math.prod(value.shape) == 0):
        return math.nan
    return abs(magnitude(value))


def zeros_in(value: Value) -> int:
    """The number of zeros among the known entries."""
    if value.statistics is not None:
        return value.statistics.zeros
    return sum(one == 0 for one in numbers(value))
