"""The formulas of a graph are plain data, so that a page can run the graph again with other values.

A formula is the forward of a node and its rules, as lists of named steps. Nodes that compute the
same share one formula. No text in it is ever evaluated. docs/trace.md describes the JSON.

Read next: graph/formula_reading.py
"""

import base64
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.graph.codec import LARGEST_INTEGER, record
from graphlab.primitives.tape_reading import Ref, Step

MOST_ENTRIES = 10_000  # of all tensors of a graph together; a larger graph needs a kernel
MOST_STEPS = 2_000  # in one program
KINDS = {"bool": "|b1", "uint8": "|u1", "int8": "|i1", "int16": "<i2", "int32": "<i4"}
KINDS |= {"int64": "<i8", "float32": "<f4", "float64": "<f8"}


@record
class Numbers:
    """An array: its type, its shape, and its little-endian bytes row by row, in base64."""

    dtype: str
    shape: tuple[int, ...]
    data: str

    def array(self) -> np.ndarray:
        """The array itself.

        >>> numbers_of(np.float32([[1.5, 2]])).array()
        array([[1.5, 2. ]], dtype=float32)
        """
        return np.frombuffer(base64.b64decode(self.data), KINDS[self.dtype]).reshape(self.shape)


@record
class Program:
    """Steps, and their results: references or constants; None where there is no result."""

    steps: tuple[Step, ...]
    results: tuple[Any, ...]


@record
class Formula:
    """A node's forward, with a result for each output, and its rules, with one for each edge.

    domain: where the operation has a value and a derivative, entry by entry; None: everywhere.
    """

    forward: Program
    backward: Program
    domain: Program | None = None

    @property
    def programs(self) -> tuple[Program, ...]:
        """The two or three programs of this formula."""
        return (self.forward, self.backward, *([] if self.domain is None else [self.domain]))


@record
class Followed:
    """How a constant is computed from tensors of the graph, such as the mask `x > 0`.

    inputs: ids of tensors; "x1" in the program is the second of them.
    """

    inputs: tuple[str, ...]
    program: Program


@record
class Decided:
    """A condition or a mask on which the graph depends: with another outcome it is another graph.

    followed: how the condition is computed. outcome: the recorded one, true or false, or the mask.
    sentence: what to say when the outcome is another.
    """

    followed: Followed
    outcome: bool | Numbers
    sentence: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Everything that is needed to run a graph again.

    nodes: node id -> index into `formulas`. data: exact entries of leaves and constants, by id.
    cannot: node id -> why it has no formula, in one sentence; then no node has one. problem: why
    the graph cannot be run again. gradients: "t4" -> the gradient that enters at t4, unless it is
    1; "t0.grad" -> the `.grad` that leaf t0 had before. follows: constants that are computed from
    tensors, by id. decided: the conditions on which the graph depends.
    """

    formulas: tuple[Formula, ...] = ()
    nodes: dict[str, int] = field(default_factory=dict)
    data: dict[str, Numbers] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    gradients: dict[str, Numbers] = field(default_factory=dict)
    follows: dict[str, Followed] = field(default_factory=dict)
    decided: tuple[Decided, ...] = ()


def numbers_of(array: Any) -> Numbers:
    """An array, a NumPy scalar or a Python number as data.

    Raises: KeyError for a type that a trace cannot hold, such as float16.

    >>> numbers_of(2.0)
    Numbers(dtype='float64', shape=(), data='AAAAAAAAAEA=')
    """
    array = np.asarray(array)
    kind = KINDS[array.dtype.name]
    text = base64.b64encode(np.ascontiguousarray(array, kind).tobytes()).decode("ascii")
    return Numbers(array.dtype.name, array.shape, text)


INFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


# -- writing ------------------------------------------------------------------------------------


def write_replay(replay: Replay) -> dict[str, Any]:
    """Plain JSON for a Replay; what is empty is left out."""
    written: dict[str, Any] = {
        "formulas": [
            {
                "forward": write_program(one.forward),
                "backward": write_program(one.backward),
                **({} if one.domain is None else {"domain": write_program(one.domain)}),
            }
            for one in replay.formulas
        ],
        "nodes": dict(replay.nodes),
        "data": {name: write_numbers(one) for name, one in replay.data.items()},
    }
    if replay.cannot:
        written["cannot"] = dict(replay.cannot)
    if replay.gradients:
        written["gradients"] = {k: write_numbers(one) for k, one in replay.gradients.items()}
    if replay.follows:
        written["follows"] = {k: write_followed(one) for k, one in replay.follows.items()}
    if replay.decided:
        written["decided"] = [write_decided(one) for one in replay.decided]
    if replay.problem:
        written["problem"] = replay.problem
    return written


def write_program(program: Program) -> dict[str, Any]:
    """A program as JSON."""
    return {
        "steps": [write_step(step) for step in program.steps],
        "results": [write_arg(one) for one in program.results],
    }


def write_followed(followed: Followed) -> dict[str, Any]:
    """A program, and the tensors that it reads, as JSON."""
    return {"inputs": list(followed.inputs), **write_program(followed.program)}


def write_decided(decided: Decided) -> dict[str, Any]:
    """A program whose outcome must stay the same, as JSON."""
    recorded = decided.outcome
    outcome = recorded if isinstance(recorded, bool) else write_numbers(recorded)
    return {**write_followed(decided.followed), "outcome": outcome, "sentence": decided.sentence}


def write_step(step: Step) -> list[Any]:
    """A step as a list; keyword arguments come last.

    >>> write_step(Step("sum", (Ref("x", 0),), (("keepdim", True),)))
    ['sum', 'x0', {'kw': {'keepdim': True}}]
    """
    named = {name: write_arg(arg) for name, arg in step.named}
    return [step.name, *map(write_arg, step.args), *([{"kw": named}] if named else [])]


def write_arg(arg: Any) -> Any:
    """One argument of a step as JSON."""
    if isinstance(arg, Ref):
        return f"{arg.kind}{arg.number}" + ("" if arg.part is None else f".{arg.part}")
    if isinstance(arg, tuple):
        return [write_arg(x) for x in arg]
    if isinstance(arg, float):
        return arg if math.isfinite(arg) else {"f": str(arg)}
    if isinstance(arg, bool) or arg is None:
        return arg
    if isinstance(arg, int):
        return max(-LARGEST_INTEGER, min(arg, LARGEST_INTEGER))
    if isinstance(arg, str):
        return {"text": arg}
    if isinstance(arg, slice):
        return {"slice": [write_arg(x) for x in (arg.start, arg.stop, arg.step)]}
    if isinstance(arg, np.dtype):
        return {"dtype": arg.name}
    return {"array": write_numbers(numbers_of(arg))}


def write_numbers(numbers: Numbers) -> dict[str, Any]:
    """An array as JSON."""
    return {"dtype": numbers.dtype, "shape": list(numbers.shape), "data": numbers.data}
