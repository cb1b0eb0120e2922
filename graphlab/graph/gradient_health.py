"""A diagnosis of a backward pass tells where a NaN came from and where the gradient was lost.

It reads only the events and the graph, so it works in the same way for GraphLab's tensors and for
PyTorch's, for a rehearsal and for a recording.

Read next: graph/timeline.py
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from graphlab.graph.causes import Nonfinite, lost, nonfinite
from graphlab.graph.events import (
    Accumulated,
    DependencyMet,
    Event,
    Failed,
    HookRan,
    NodeEntered,
    RuleApplied,
    Seeded,
)
from graphlab.graph.model import Graph, NodeInfo, Unreached
from graphlab.graph.readings import check_pass_number, pass_numbers_of
from graphlab.graph.series import magnitude
from graphlab.graph.value import Value

VIEWS = re.compile("m?t|transpose|permute|(unsafe_)?view|expand|(un)?squeeze|select|slice|to_copy")


@dataclass(frozen=True, slots=True, repr=False)
class Flow:
    """How a node changed the size of the gradient that passed through it.

    came: the Euclidean norm of the gradient that it received; sent: of what it sent on to other
    operations; leaves: of what it sent to leaves, such as weights, or to views of them. 0 if it
    received or sent nothing there. zeros: the share of zeros in all that it sent, 0 to 1, or nan.
    pass_number: the number of the pass, counted from 1. unknown: which of `came`, `sent` and
    `leaves` are nan because their entries are not known, not because one of them is NaN.
    """

    node: str
    name: str
    scope: str
    came: float
    sent: float
    leaves: float
    zeros: float
    pass_number: int = 1
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f" in {self.scope}" if self.scope else ""
        sizes = {name: f"{getattr(self, name):.3g}" for name in ("came", "sent", "leaves")}
        sizes |= dict.fromkeys(self.unknown, "unknown")
        sent = [sizes["sent"]] if self.sent or not self.leaves else []
        sent += [f"{sizes['leaves']} to leaves"] if self.leaves else []
        zeros = self.zeros
        share = "<1%" if zeros < 0.005 else ">99%" if 0.995 <= zeros < 1 else f"{zeros:.0%}"
        lost = f", {share} zeros" if zeros > 0 else ""
        return f"{self.name}{where}: {sizes['came']} -> {' and '.join(sent)}{lost}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True, repr=False)
class DeadUnits:
    """The dead units of an activation, for one whole batch.

    units: how many columns, or channels of images, it has. silent: how many of them are 0 for every
    example. blocked: how many get a gradient, but send none for any example; 0 if the
    input gets gradients from other nodes, too.
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

    def __repr__(self) -> str:
        return f"<{self}>"


class Diagnosis:
    """The methods of a Timeline that find what is wrong with gradients."""

    graph: Graph
    events: tuple[Event, ...]

    def first_nonfinite(self) -> Nonfinite | None:
        """Where a NaN or an infinity first appears: the cause, not a consequence.

        It is an input that holds one already, or what made one: an operation, a rule, a hook, a
        change of a parameter or of its `.grad`, such as an optimizer's step. Values that the
        timeline does not hold cannot be examined; only if all are known to be, the sentence
        says "from finite numbers". None if no known number is infinite or NaN.

        >>> import graphlab
        >>> x = graphlab.tensor([1.0, -1.0], requires_grad=True)
        >>> y = graphlab.log(x)
        >>> print(graphlab.trace((y * 2).sum()).first_nonfinite().said)
        LogBackward0 computed nan from finite numbers
        """
        return next(nonfinite(self.graph, self.events), None)

    def flow(self, pass_number: int | None = None) -> tuple[Flow, ...]:
        """The norm of the gradient before and after each node, in the order of the passes.

        What a node sends on to other operations is separate from what it sends to leaves, such as
        weights: only the first shows whether gradients vanish or explode from layer to layer.

        pass_number: the pass to report, counted from 1 as in `find`; by default all of them.
        Raises: TypeError or ValueError when there is no such pass.

        >>> import graphlab
        >>> x = graphlab.tensor([3.0, -4.0], requires_grad=True)
        >>> timeline = graphlab.trace(graphlab.relu(x * 2).sum())
        >>> print(*timeline.flow(), sep="\\n")
        SumBackward0: 1 -> 1.41
        ReluBackward0: 1.41 -> 1, 50% zeros
        MulBackward0: 1 -> 2 to leaves, 50% zeros
        """
        rows = flow_of(self.graph, self.events)
        if pass_number is None:
            return tuple(rows)
        check_pass_number(pass_number, max(pass_numbers_of(self.events), default=0))
        return tuple(one for one in rows if one.pass_number == pass_number)

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

        relu, hardtanh and their like are examined, and tanh, sigmoid, gelu, elu and softplus, which
        send exactly 0 from far inputs; only on batches of two or more examples.

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
            return lost(self.graph, self.graph.unreached, self.graph.unreached)
        if not hasattr(model, "named_parameters"):
            raise TypeError(f"unreached(model) takes a module, got {type(model).__name__}")
        met = [event for event in self.events if isinstance(event, DependencyMet)]
        came = {event.node for event in met if event.came}
        stopped = {event.node for event in met if not event.remaining} - came  # only got None
        nothing = {self.graph.node(node).variable for node in stopped}
        leaves = [t for t in self.graph.tensors if t.is_leaf and t.requires_grad]
        reached = [t.label for t in leaves if t.id not in nothing]
        names = [name for name, _ in model.named_parameters()]
        return tuple(name for name in names if not any(is_called(one, name) for one in reached))

    def unstepped(self) -> tuple[str, ...]:
        """The parameters of modules that get gradients, but that no optimizer has stepped.

        () if no optimizer took a step. In a notebook the reasons are shown as well.

        >>> import graphlab as torch
        >>> body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        >>> with torch.record() as timeline:
        ...     head(body(torch.ones(2))).sum().backward()
        ...     optimizer.step()
        >>> timeline.unstepped()
        body (2 parameters): no optimizer steps them
        >>> print(*timeline.unstepped())
        body.weight body.bias
        """
        listed = self.graph.unstepped
        return lost(self.graph, listed, [one.name for one in listed])


def is_called(label: str, name: str) -> bool:
    """Whether a leaf with this label is the parameter with this name."""
    return label == name or label.endswith(f".{name}")


def failure_in(events: Sequence[Event]) -> str:
    """The number of the first pass that failed, and why, as the end of a text; "" if none did."""
    for number, event in zip(pass_numbers_of(events), events, strict=True):
        if isinstance(event, Failed):
            return f"; pass {number} {event.reason}"
    return ""


def flow_of(graph: Graph, events: Sequence[Event]) -> Iterator[Flow]:
    """The norms of the gradient before and after each node."""
    node: NodeInfo | None = None
    came: list[Value] = []
    sent: list[tuple[bool, Value]] = []
    number = 1
    waiting: dict[str, Value] = {}  # by tensor: the sum of the gradients so far
    ends, edges = leaves_and_views(graph), {edge.id: edge for edge in graph.edges}
    for now, event in zip([*pass_numbers_of(events), 0], [*events, None], strict=True):
        if isinstance(event, RuleApplied):
            sent.append((edges[event.edge].target in ends, event.contribution))
            continue
        if node is not None and sent and (event is None or isinstance(event, NodeEntered)):
            parts = {"came": came}
            for end, name in ((False, "sent"), (True, "leaves")):
                parts[name] = [value for last, value in sent if last is end]
            into, on, ended = (math.hypot(*map(norm, values)) for values in parts.values())
            unknown = [name for name, values in parts.items() if not all(map(is_known, values))]
            known = [value for _, value in sent if value.statistics or numbers(value)]
            size = sum(math.prod(value.shape) for value in known)
            share = sum(map(zeros_in, known)) / size if size else math.nan
            name, scope = node.name, node.scope
            yield Flow(node.id, name, scope, into, on, ended, share, number, tuple(unknown))
        match event:
            case Seeded() | HookRan():
                value = event.value if isinstance(event, Seeded) else event.after
                waiting |= {} if value is None else {event.tensor: value}
            case Accumulated():
                waiting[event.tensor] = event.after
            case NodeEntered():
                node, sent, number = graph.node(event.node), [], now
                held = [waiting.pop(one) for one in node.outputs if one in waiting]
                only = [] if event.gradient is None else [event.gradient]
                several = bool(only) and only[0].dtype == "tuple"
                came = held if several else only
            case _:
                pass


def leaves_and_views(graph: Graph) -> set[str]:
    """The nodes of leaves, and those of views of them, such as the transposed weight of a layer."""
    found = {node.id for node in graph.nodes if node.variable is not None}
    targets: dict[str, list[str]] = {}
    for edge in graph.edges:
        targets.setdefault(edge.source, []).append(edge.target)
    for node in sorted(graph.nodes, key=lambda node: node.sequence):
        if VIEWS.fullmatch(node.op) and found.issuperset(targets.get(node.id, [node.id])):
            found.add(node.id)
    return found


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


def numbers(value: Value) -> list[float]:
    """All entries of a value; [] if some are unknown."""
    if value.kept or len(value.texts) != math.prod(value.shape):
        return []
    try:
        return [float(text) for text in value.texts]
    except ValueError:
        return []


def is_known(value: Value) -> bool:
    """Whether the norm of a value is known."""
    if value.text == "unknown" or value.dtype == "tuple":
        return bool(value.norm)
    return bool(value.norm) or entries_known(value) or math.prod(value.shape) == 0


def norm(value: Value) -> float:
    """The Euclidean norm, with about 5 digits; nan if the entries are unknown."""
    return abs(magnitude(value)) if is_known(value) else math.nan


def zeros_in(value: Value) -> int:
    """The number of zeros among the known entries."""
    if value.statistics is not None:
        return value.statistics.zeros
    return sum(one == 0 for one in numbers(value))
