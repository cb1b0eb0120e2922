"""Make the explorer of a function: values become leaves, the function runs, its result is walked.

Read next: adapters/program_runs.py
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphlab.adapters.native.rehearsal import rehearse
from graphlab.adapters.program_runs import Program, Ran, told
from graphlab.common.errors import described
from graphlab.faces.argument_checks import advice_for
from graphlab.faces.render.steady_scenes import SteadyScenes
from graphlab.faces.widgets.explorer import Explorer, Outcome
from graphlab.faces.widgets.value_ranges import Varied, varied
from graphlab.graph.structure_keys import keys_of
from graphlab.graph.timeline import Timeline
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor

EXAMPLE = "write graphlab.explore(f, a=2.0, b=3.0) for a function f(a, b)"


def explorer_of(
    function: Callable[..., Any], gradient: Tensor | None, given: Mapping[str, Any]
) -> Explorer:
    """Return the explorer of a function. Raises: TypeError, ValueError as `graphlab.explore`."""
    given = given or defaults_of(function)
    check_function(function, given)
    if gradient is not None and not isinstance(gradient, Tensor):
        raise TypeError(
            f"graphlab.explore(), gradient: expected a tensor of the shape of the result, got "
            f"{described(gradient)}"
        )
    program, scenes, foresight = Program(function), SteadyScenes(), Foresight()
    arguments = [varied(name, as_tensor(value)) for name, value in given.items()]

    def run(values: dict[str, Any]) -> Outcome:
        ran = program.run({one.name: leaf_of(one, values[one.name]) for one in arguments})
        why = ran.problem or no_picture(ran, gradient, program.name, arguments)
        if why:
            return Outcome(problem=why, printed=ran.printed)
        try:
            timeline = scenes.drawn(rehearse(ran.result, gradient, ran.names))
        except Exception as error:  # a user-defined Function or hook may raise anything
            why = told(error, f"the backward pass of {program.name}")
            return Outcome(problem=why, printed=ran.printed)
        return Outcome(
            ran.result,
            timeline,
            printed=ran.printed,
            retold=scenes.retold,
            foreseen=foresight.after(timeline, values, ran.asked),
        )

    return Explorer(program.name, arguments, run)


def check_function(function: Any, given: Mapping[str, Any]) -> None:
    """Raises: TypeError if `function` cannot be called with these keyword arguments."""
    if not callable(function):
        what = (
            f"{EXAMPLE}: the function itself, not its result"
            if isinstance(function, Tensor)
            else EXAMPLE
        )
        raise TypeError(f"graphlab.explore expects a function, got {described(function)}; {what}")
    if not given:
        raise TypeError(f"graphlab.explore needs at least one value to vary; {EXAMPLE}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some functions that are written in C have no signature
    try:
        signature.bind(**given)
    except TypeError as error:
        raise TypeError(
            f"graphlab.explore cannot call the function with {', '.join(given)}: {error}; its "
            f"arguments are {signature}"
        ) from None


def defaults_of(function: Any) -> dict[str, Any]:
    """Return the defaults of a function's arguments that can vary."""
    try:
        known = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {one.name: one.default for one in known if varies(one.default)}


def varies(default: Any) -> bool:
    """Return whether a default is a value to vary. Integers in a tuple are a shape, not a range.

    >>> [varies(one) for one in (2.0, (2.0, -5, 5), (3, 3), (1, 0, 2), (0.5, 0.4, 0.3), "mean")]
    [True, True, False, False, False, False]
    """
    if isinstance(default, tuple) and not isinstance(default[:1] and default[0], float):
        return False
    try:
        varied("", as_tensor(default))
    except (TypeError, ValueError):
        return False
    return True


def as_tensor(value: Any) -> Any:
    """Return the leaf of a list of numbers; every other value as it is."""
    if not isinstance(value, list) or not value:
        return value
    try:
        made = tensor(value)
    except (TypeError, ValueError, RuntimeError):
        return value  # `varied` raises the error
    if made._data.dtype.kind == "b":
        return made
    return (made * 1.0).requires_grad_()  # [1, 2] means floats


def leaf_of(one: Varied, value: Any) -> Any:
    """Return a value as the function gets it: a new leaf, a constant tensor, an int or a bool."""
    if one.kind == "number":
        return tensor(value, requires_grad=True)
    if one.kind == "array":
        return tensor(value, requires_grad=not one.constant)
    return value


def no_picture(ran: Ran, gradient: Tensor | None, name: str, arguments: Sequence[Varied]) -> str:
    """Say in one sentence why a result cannot be walked; "" if it can."""
    result = ran.result
    if result is None:
        return f"{name} returned None: end it with return and the tensor to explore."
    if not isinstance(result, Tensor):
        advice = advice_for("explore", result)
        if isinstance(result, list | tuple | dict):
            advice = "return one tensor, such as the sum of them"
        return f"{name} returned {described(result)}, which is not a tensor: {advice}."
    if not result.requires_grad:
        plain = [one.name for one in arguments if one.constant and one.value.dtype.kind == "f"]
        advice = (
            f"Create {' and '.join(plain)} with requires_grad=True."
            if plain
            else "Integers and True or False are not leaves; .item(), detach() and no_grad() cut "
            "the graph."
        )
        return (
            f"{name} returned a tensor without a graph: no recorded operation leads from "
            f"{', '.join(one.name for one in arguments)} to it. {advice}"
        )
    if gradient is None and result.numel() != 1:
        return (
            f"{name} returned a tensor of shape {list(result.shape)}, but a backward pass starts "
            "at one number: return its sum or mean, or pass gradient=, a tensor of that shape, to "
            "graphlab.explore."
        )
    return ""


# -- foresight -----------------------------------------------------------------------------------


class Foresight:
    """Watches the runs of one function: which changes can a page compute before it runs again?

    The page has the formulas of the last graph (graph/formulas.py). They hold for the next graph
    as well if the function read no number from a tensor, the page knows the condition of each `if`,
    and every constant stayed the same when the argument changed before.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._known: Any = None  # the graph and its constants in the last run
        self._proved: set[str] = set()  # arguments whose changes changed no constant

    def after(
        self, timeline: Timeline, values: Mapping[str, Any], asked: int | None
    ) -> dict[str, str]:
        """The names of the arguments whose changes the page can compute, with their leaves.

        values: the arguments of the last run. asked: how often the function asked for the truth
        value of a tensor; None if it read numbers.
        """
        leaves = {
            one.name: one.id
            for one in timeline.graph.tensors
            if one.is_leaf and one.requires_grad and one.name in values
        }
        known = self._constants(timeline, set(leaves.values()), asked)
        changed = {name for name, value in values.items() if not self._is(name, value)}
        if known is None or known != self._known:
            self._proved.clear()
        else:
            self._proved |= changed
        self._known, self._values = known, dict(values)
        return {name: leaves[name] for name in leaves if name in self._proved}

    def _is(self, name: str, value: Any) -> bool:
        return name in self._values and np.array_equal(self._values[name], value, equal_nan=True)

    def _constants(self, timeline: Timeline, leaves: set[str], asked: int | None) -> Any:
        """The graph and its constants; None if the formulas are not enough."""
        replay = timeline.replay
        if replay is None or replay.problem or replay.cannot:
            return None
        if asked != sum(isinstance(one.outcome, bool) for one in replay.decided):
            return None  # the condition of a branch is unknown
        constants = {id: one for id, one in replay.data.items() if id not in leaves}
        return keys_of(timeline.graph), constants
