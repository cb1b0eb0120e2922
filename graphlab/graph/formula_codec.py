"""Formulas are written as JSON here, and the JSON Schema of that form is made.

A step is a list that begins with its name: ["mul", "g0", "s1"]. A string among its arguments is a
reference. Objects stand for what JSON cannot express, such as infinity.

Read next: graph/formula_reading.py
"""

import math
from typing import Any

import numpy as np

from graphlab.graph.codec import LARGEST_INTEGER
from graphlab.graph.formulas import Decided, Followed, Numbers, Program, Replay, numbers_of
from graphlab.primitives.tape_reading import Ref, Step

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
