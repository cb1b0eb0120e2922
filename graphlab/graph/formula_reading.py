"""Formulas are read from JSON here without trusting it: everything is checked, nothing is run.

A step must have a known name and may only read inputs and the results of earlier steps, an array
must have the bytes of its shape, and all sizes are limited. An error names the place that is wrong.

Read next: graph/replaying.py
"""

import base64
import binascii
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.graph.codec import decode, fault
from graphlab.graph.formulas import (
    INFINITE,
    KINDS,
    MOST_ENTRIES,
    MOST_STEPS,
    Decided,
    Followed,
    Formula,
    Numbers,
    Program,
    Replay,
)
from graphlab.graph.model import Graph, NodeInfo
from graphlab.primitives.table import FAMILIES
from graphlab.primitives.tape_reading import OPERATORS, Ref, Step, refs_in

REFERENCE = re.compile(r"([xygs])(0|[1-9]\d{0,5})(?:\.(0|[1-9]\d{0,5}))?")
NAMES = set(OPERATORS)
NAMES |= set(" ".join(f"{one.own} {one.forward_only}" for one in FAMILIES.values()).split())
DEEPEST = 8  # lists in lists
LARGEST = 1_000_000  # entries that an array of such sizes may have
WANTED = 'a reference ("x0", "s3", …), a number, true, false, null, a list, or an object for one'


def read_replay(data: Any, graph: Graph) -> Replay:
    """The Replay that plain JSON describes, for a graph that was read already.

    Raises: TraceError that names the first place that is wrong.
    """
    table = entries_of(data, "replay")
    listed = table.get("formulas", ())
    if not isinstance(listed, list | tuple):
        raise fault("replay.formulas", listed, "a list")
    formulas = tuple(read_formula(one, f"replay.formulas[{k}]") for k, one in enumerate(listed))
    nodes: dict[str, int] = {}
    for name, index in entries_of(table.get("nodes", {}), "replay.nodes").items():
        place = f"replay.nodes.{name}"
        node = node_named(graph, name, place)
        decode(int, index, place)
        if not 0 <= index < len(formulas):
            raise fault(place, index, f"the index of a formula, less than {len(formulas)}")
        check_fits(formulas[index], node, graph, place)
        nodes[name] = index
    numbers = read_arrays(table.get("data", {}), graph, "replay.data")
    gradients = read_arrays(table.get("gradients", {}), graph, "replay.gradients")
    cannot = entries_of(table.get("cannot", {}), "replay.cannot")
    for name, why in cannot.items():
        node_named(graph, name, f"replay.cannot.{name}")
        decode(str, why, f"replay.cannot.{name}")
    problem = decode(str, table.get("problem", ""), "replay.problem")
    follows = read_follows(table.get("follows", {}), graph)
    decided = read_decided(table.get("decided", ()), graph)
    return Replay(formulas, nodes, numbers, dict(cannot), problem, gradients, follows, decided)


def read_follows(data: Any, graph: Graph) -> dict[str, Followed]:
    """Constants that are computed from tensors; none of these tensors is such a constant itself."""
    table, found = entries_of(data, "replay.follows"), {}
    for name, one in table.items():
        place = f"replay.follows.{name}"
        if not graph.has("tensor", name) or graph.tensor(name).producer is not None:
            raise fault(place, name, "the id of a tensor that no node made")
        found[name] = read_followed(one, graph, place)
        for k, tensor in enumerate(found[name].inputs):
            if tensor in table:
                raise fault(f"{place}.inputs[{k}]", tensor, "a tensor that replay.follows lacks")
    return found


def read_decided(data: Any, graph: Graph) -> tuple[Decided, ...]:
    """The programs whose outcomes must stay the same."""
    found = []
    for k, one in enumerate(listed_in({"decided": data}, "decided", "replay")):
        place = f"replay.decided[{k}]"
        followed = read_followed(one, graph, place)
        sentence = decode(str, one.get("sentence"), f"{place}.sentence")
        outcome = one.get("outcome")
        if not isinstance(outcome, bool):
            outcome = read_numbers(outcome, f"{place}.outcome")
        found.append(Decided(followed, outcome, sentence))
    return tuple(found)


def read_followed(data: Any, graph: Graph, path: str) -> Followed:
    """A program with one result that reads no more inputs than it lists."""
    inputs: tuple[str, ...] = decode(
        tuple[str, ...], entries_of(data, path).get("inputs"), f"{path}.inputs"
    )
    for k, name in enumerate(inputs):
        if not graph.has("tensor", name):
            raise fault(f"{path}.inputs[{k}]", name, "the id of a tensor in graph.tensors")
    program = read_program(data, path, "xs")
    if len(program.results) != 1:
        raise fault(f"{path}.results", list(data["results"]), "one result")
    for ref in refs_of(program):
        if ref.kind == "x" and ref.number >= len(inputs):
            raise fault(path, f"x{ref.number}", f"one of {len(inputs)} inputs")
    return Followed(inputs, program)


def refs_of(program: Program) -> list[Ref]:
    """All references in a program."""
    args = [*program.results, *(a for s in program.steps for a in s.args)]
    return refs_in([*args, *(arg for step in program.steps for _, arg in step.named)])


def read_arrays(data: Any, graph: Graph, path: str) -> dict[str, Numbers]:
    """Arrays by the id of a tensor or of its `.grad`; each has the shape of the tensor."""
    found: dict[str, Numbers] = {}
    room = MOST_ENTRIES
    for name, one in entries_of(data, path).items():
        place, tensor = f"{path}.{name}", str(name).removesuffix(".grad")
        if not graph.has("tensor", tensor):
            raise fault(place, name, "the id of a tensor in graph.tensors")
        found[name] = read_numbers(one, place, room)
        known = graph.tensor(tensor).value
        if known is not None and known.shape != found[name].shape:
            raise fault(f"{place}.shape", found[name].shape, f"the tensor's, {known.shape}")
        room -= math.prod(found[name].shape)
    return found


def entries_of(data: Any, path: str) -> Mapping[str, Any]:
    """`data`, which should be an object. Raises: TraceError if it is not."""
    if not isinstance(data, Mapping):
        raise fault(path, data, "an object")
    return data


def node_named(graph: Graph, name: str, path: str) -> NodeInfo:
    """The node with this id. Raises: TraceError if there is none."""
    if not graph.has("node", name):
        raise fault(path, name, "the id of a node in graph.nodes")
    return graph.node(name)


def check_fits(formula: Formula, node: NodeInfo, graph: Graph, path: str) -> None:
    """Raise TraceError unless a node has the inputs, outputs and edges that a formula needs."""
    made = len(formula.forward.results)
    most = {"x": len(node.inputs), "y": made, "g": len(node.outputs)}
    for program in formula.programs:
        for ref in refs_of(program):
            if ref.kind != "s" and ref.number >= most[ref.kind]:
                wanted = f"a formula that reads only inputs and outputs of {node.id}"
                raise fault(path, f"{ref.kind}{ref.number}", wanted)
    if made < len(node.outputs):
        raise fault(path, made, f"a formula with at least {len(node.outputs)} results")
    edges = [edge.index for edge in graph.edges_from(node.id)]
    if edges and max(edges) >= len(formula.backward.results):
        raise fault(path, max(edges), "a formula with a rule for each edge")


def read_formula(data: Any, path: str) -> Formula:
    """A formula: `forward` reads inputs; the rules in `backward` read outputs and gradients too."""
    table = entries_of(data, path)
    return Formula(
        read_program(table.get("forward"), f"{path}.forward", "xs"),
        read_program(table.get("backward"), f"{path}.backward", "xygs"),
        read_program(table["domain"], f"{path}.domain", "xs") if "domain" in table else None,
    )


def read_program(data: Any, path: str, kinds: str) -> Program:
    """A program of known steps, each of which reads only earlier ones."""
    table = entries_of(data, path)
    listed, results = listed_in(table, "steps", path), listed_in(table, "results", path)
    steps = tuple(read_step(one, f"{path}.steps[{k}]", k, kinds) for k, one in enumerate(listed))
    found = [
        read_arg(one, f"{path}.results[{k}]", len(steps), kinds) for k, one in enumerate(results)
    ]
    return Program(steps, tuple(found))


def listed_in(table: Mapping[str, Any], name: str, path: str) -> Sequence[Any]:
    """The list `name` of an object. Raises: TraceError if it is no list, or too long."""
    found = table.get(name)
    if not isinstance(found, list | tuple):
        raise fault(f"{path}.{name}", found, "a list")
    if len(found) > MOST_STEPS:
        raise fault(f"{path}.{name}", f"a list of {len(found)}", f"at most {MOST_STEPS}")
    return found


def read_step(data: Any, path: str, place: int, kinds: str) -> Step:
    """The step at index `place`. Raises: TraceError if it is wrong."""
    if not isinstance(data, list | tuple) or not data:
        raise fault(path, data, "a step, a list that begins with a name")
    name, *args = data
    if not isinstance(name, str) or name not in NAMES:
        raise fault(f"{path}[0]", name, "the name of a primitive or an operator")
    named: Mapping[str, Any] = {}
    if args and isinstance(args[-1], Mapping) and "kw" in args[-1]:
        named = entries_of(args.pop()["kw"], f"{path}.kw")
    return Step(
        name,
        tuple(read_arg(arg, f"{path}[{k}]", place, kinds) for k, arg in enumerate(args, 1)),
        tuple((str(k), read_arg(arg, f"{path}.kw.{k}", place, kinds)) for k, arg in named.items()),
    )


def read_arg(data: Any, path: str, place: int, kinds: str, depth: int = 0) -> Any:
    """One argument of the step at index `place`. Raises: TraceError if it is wrong."""
    if data is None or isinstance(data, bool | int | float):
        if isinstance(data, float) and not math.isfinite(data):
            raise fault(path, data, 'a finite number, or {"f": "inf"}')
        return data
    if isinstance(data, str):
        return read_reference(data, path, place, kinds)
    if isinstance(data, list | tuple):
        if depth == DEEPEST:
            raise fault(path, data, f"lists nested at most {DEEPEST} deep")
        read = tuple(
            read_arg(x, f"{path}[{k}]", place, kinds, depth + 1) for k, x in enumerate(data)
        )
        if math.prod(max(1, x) for x in read if type(x) is int) > LARGEST:
            raise fault(path, data, f"sizes of at most {LARGEST:,} entries")
        return read
    if not isinstance(data, Mapping) or len(data) != 1:
        raise fault(path, data, WANTED)
    ((kind, inner),) = data.items()
    if kind == "f" and isinstance(inner, str) and inner in INFINITE:
        return INFINITE[inner]
    if kind == "text" and isinstance(inner, str):
        return inner
    if kind == "dtype" and isinstance(inner, str) and inner in KINDS:
        return np.dtype(inner)
    if kind == "array":
        return read_numbers(inner, f"{path}.array").array()
    if kind == "slice" and isinstance(inner, list | tuple) and len(inner) == 3:
        parts = [read_arg(x, f"{path}.slice[{k}]", place, "", DEEPEST) for k, x in enumerate(inner)]
        if all(part is None or type(part) is int for part in parts):
            return slice(*parts)
    raise fault(path, data, WANTED)


def read_reference(text: str, path: str, place: int, kinds: str) -> Ref:
    """A reference of one of these kinds. Raises: TraceError, also if it is to a later step."""
    found = REFERENCE.fullmatch(text)
    if found is None or found[1] not in kinds:
        raise fault(path, text, f"a reference that begins with one of {', '.join(kinds)}")
    if found[1] == "s" and int(found[2]) >= place:
        raise fault(path, text, f"a reference to a step before s{place}")
    return Ref(found[1], int(found[2]), None if found[3] is None else int(found[3]))


def read_numbers(data: Any, path: str, room: int = MOST_ENTRIES) -> Numbers:
    """An array of at most `room` entries that has the bytes its shape requires."""
    numbers: Numbers = decode(Numbers, data, path)
    if numbers.dtype not in KINDS:
        raise fault(f"{path}.dtype", numbers.dtype, f"one of {sorted(KINDS)}")
    if any(n < 0 for n in numbers.shape):
        raise fault(f"{path}.shape", list(numbers.shape), "sizes of 0 or more")
    count = math.prod(numbers.shape)
    if count > room:
        most = f"at most {MOST_ENTRIES:,} entries in all arrays together"
        raise fault(f"{path}.shape", list(numbers.shape), most)
    try:
        found = len(base64.b64decode(numbers.data, validate=True))
    except (binascii.Error, ValueError):
        raise fault(f"{path}.data", numbers.data, "bytes in base64") from None
    size = count * np.dtype(KINDS[numbers.dtype]).itemsize
    if found != size:
        raise fault(f"{path}.data", f"{found} bytes", f"{size} bytes for its shape")
    return numbers
