"""The fourth reading: a formula that records its own steps while it computes with NumPy.

With these primitives, `grad * exp(self)` computes its result and also records its steps on a tape,
as data: `exp` of input 0, then `mul` of the gradient and of step 0. The player, in JavaScript, runs
these steps at other values. So no rule is written a second time.

A step without a variable is computed at once, and its result is a constant. A step that is on the
tape already is not recorded again. Only steps that lead to a result are kept.

Read next: graph/formulas.py
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np

from graphlab.primitives.table import complete, numpy_functions

# Python's operators, under the names of the module `operator`.
_OF_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_OF_THE_FIRST = ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne", "getitem")
OPERATORS = (*_OF_TWO, *_OF_THE_FIRST)
_UNKNOWN = {"size"}  # its result is fixed, not a step


class Ref(NamedTuple):
    """A value that a step reads: "x1", an input; "y0", an output; "g0", its gradient; "s3", a step.

    part: which of the values of a step that has several.
    """

    kind: str
    number: int
    part: int | None = None


class Step(NamedTuple):
    """One step: the name of a primitive or operator, its arguments, and those given by name."""

    name: str
    args: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...] = ()


class NotTaped(Exception):
    """A formula cannot be written as steps; the text says why."""


class Term:
    """A value on a tape: its reference, and the number or array that it is now."""

    __slots__ = ("ref", "tape", "value")
    __array_ufunc__ = None  # NumPy leaves `array * term` to the term
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tape: "Tape", ref: Ref, value: Any) -> None:
        self.tape, self.ref, self.value = tape, ref, value

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value)

    @property
    def ndim(self) -> int:
        return np.ndim(self.value)

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Any]:
        return (_item(self, i) for i in range(len(self.value)))

    def _looked_at(self, *_: Any) -> NoReturn:
        raise NotTaped("its formula depends on what the numbers are")

    __bool__ = __int__ = __float__ = __index__ = __complex__ = __array__ = _looked_at


class Tape:
    """The steps of one formula, as they are recorded.

    >>> tape = Tape()
    >>> x = tape.term(Ref("x", 0), np.float64(3.0))
    >>> y = 2 * tape_reading()["exp"](x)
    >>> program, results = tape.steps_to([y])
    >>> [step.name for step in program], results
    (['exp', 'mul'], (Ref(kind='s', number=1, part=None),))
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._known: dict[Any, Any] = {}  # a step -> its result

    def term(self, ref: Ref, value: Any) -> Term:
        """Return a variable of the formula."""
        return Term(self, ref, value)

    def note(self, name: str, function: Callable[..., Any], args: Any, named: Any) -> Any:
        """Compute and record a step, unless the tape has it already; return its result."""
        step = Step(name, tuple(map(said, args)), tuple((k, said(x)) for k, x in named.items()))
        key = compared(step)
        if key in self._known:
            return self._known[key]
        value = function(*map(bare, args), **{k: bare(x) for k, x in named.items()})
        place = len(self.steps)
        self.steps.append(step)
        if isinstance(value, tuple | list):
            made: Any = tuple(Term(self, Ref("s", place, i), one) for i, one in enumerate(value))
        else:
            made = Term(self, Ref("s", place), value)
        self._known[key] = made
        return made

    def steps_to(self, results: Sequence[Any]) -> tuple[tuple[Step, ...], tuple[Any, ...]]:
        """Return the steps that lead to some results, numbered anew, and the results."""
        wanted: set[int] = set()
        said_results = [said(one) for one in results]
        waiting = [ref for one in said_results for ref in refs_in(one)]
        while waiting:
            ref = waiting.pop()
            if ref.kind == "s" and ref.number not in wanted:
                wanted.add(ref.number)
                step = self.steps[ref.number]
                waiting += refs_in(step.args)
                waiting += refs_in([x for _, x in step.named])
        places = {old: new for new, old in enumerate(sorted(wanted))}
        kept = [self.steps[old] for old in sorted(wanted)]
        move = partial(moved, places=places)
        steps = [
            Step(step.name, tuple(map(move, step.args)), tuple((k, move(x)) for k, x in step.named))
            for step in kept
        ]
        return tuple(steps), tuple(map(move, said_results))


def moved(arg: Any, places: Mapping[int, int]) -> Any:
    """Return an argument with its references changed to the new numbers of steps."""
    if isinstance(arg, Ref):
        return arg._replace(number=places[arg.number]) if arg.kind == "s" else arg
    if isinstance(arg, tuple):
        return tuple(moved(x, places) for x in arg)
    return arg


def refs_in(arg: Any) -> list[Ref]:
    """Return the references in an argument."""
    if isinstance(arg, Ref):
        return [arg]
    return [ref for x in arg for ref in refs_in(x)] if isinstance(arg, tuple | list) else []


def said(arg: Any) -> Any:
    """Return an argument as a step holds it. Raises: NotTaped unless it is data."""
    if isinstance(arg, Term):
        return arg.ref
    if isinstance(arg, tuple | list):
        return tuple(map(said, arg))
    if isinstance(arg, np.generic):
        return arg.item()
    if isinstance(arg, type) and issubclass(arg, np.generic):
        return np.dtype(arg)
    if isinstance(arg, np.ndarray) and arg.dtype.kind == "O":
        raise NotTaped("its formula makes arrays of what only a tape understands")
    if isinstance(arg, bool | int | float | str | np.ndarray | np.dtype | slice):
        return arg
    if arg is None:
        return None
    raise NotTaped(f"its formula takes a {type(arg).__name__}")


def compared(arg: Any) -> Any:
    """Return a key to compare arguments by: -0.0 is not 0.0, and 1 is neither 1.0 nor True."""
    if isinstance(arg, Ref):
        return arg
    if isinstance(arg, tuple):
        return tuple(map(compared, arg))
    if isinstance(arg, np.ndarray):
        return arg.dtype.str, arg.shape, arg.tobytes()
    if isinstance(arg, float):
        return float, arg.hex()
    if isinstance(arg, slice):
        return slice, arg.start, arg.stop, arg.step
    return type(arg), arg


def bare(arg: Any) -> Any:
    """Return an argument with values in place of terms."""
    if isinstance(arg, Term):
        return arg.value
    if isinstance(arg, tuple | list):
        return tuple(map(bare, arg))
    return arg


def tape_of(args: Any) -> Tape | None:
    """Return the tape of the first variable among some arguments; None if all are constants."""
    for arg in args:
        if isinstance(arg, Term):
            return arg.tape
        if isinstance(arg, tuple | list) and (found := tape_of(arg)) is not None:
            return found
    return None


def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that computes a step, and records it if one of its inputs is a Term."""

    def call(*args: Any, **named: Any) -> Any:
        tape = tape_of(args) or tape_of(named.values())
        if tape is None:
            return function(*args, **named)
        if name in _UNKNOWN:
            return function(*map(bare, args))
        return tape.note(name, function, args, named)

    return call


def _give_operators() -> None:
    for name in OPERATORS:
        step = noted(name, python_operator(name))
        setattr(Term, f"__{name}__", lambda *args, step=step: step(*args))
        if name in _OF_TWO:
            setattr(Term, f"__r{name}__", lambda a, b, step=step: step(b, a))


def python_operator(name: str) -> Callable[..., Any]:
    """Return the function of Python's module `operator`: "and" is `operator.and_`."""
    return getattr(operator, f"{name}_" if name in ("and", "or") else name)


def _item(x: Term, key: Any) -> Any:
    """Return x[key], with a slice for each dimension that an ellipsis stands for."""
    parts = key if isinstance(key, tuple) else (key,)
    if any(part is Ellipsis for part in parts):
        place = next(i for i, part in enumerate(parts) if part is Ellipsis)
        taken = sum(part is not None for part in parts) - 1
        parts = (*parts[:place], *(slice(None),) * (x.ndim - taken), *parts[place + 1 :])
    return noted("getitem", operator.getitem)(x, parts)


_give_operators()
setattr(Term, "__getitem__", _item)  # noqa: B010
_reading: dict[str, Any] = {}


def tape_reading() -> dict[str, Any]:
    """Return the tape reading of every primitive, by name; it is made on first use."""
    if not _reading:
        for name, thing in numpy_functions("own", "forward_only"):
            _reading[name] = noted(name, thing) if callable(thing) else thing
        complete(_reading)
    return _reading
