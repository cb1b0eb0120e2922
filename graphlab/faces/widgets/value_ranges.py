"""The values that a person varies: the kind of each one, and the range of its slider.

`graphlab.explore` lists how each kind is given.

Read next: faces/widgets/explorer.py
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from graphlab.common.dtypes import FROM_NUMPY
from graphlab.common.errors import described

MOST_SLIDERS = 6  # entries of an array with sliders; a larger array has none
STEPS = 100  # from the middle of a slider to an end, if its step is not given
FURTHER = 2.0  # times the value: a default range reaches at least this far
LEAST_ROUNDS = 10  # a default range of an integer reaches at least this far
EXTREME = 1e300  # a slider cannot show a larger number, nor one below 1 / EXTREME
FORMS = (
    "a number, (value, low, high), (value, low, high, step), True or False, a tensor or an array"
)

Kind = Literal["number", "whole", "switch", "array"]


@dataclass(frozen=True, slots=True)
class Varied:
    """One argument of the function: its kind, its first value, and the range of its sliders.

    value: float, int, bool or an array of floats. constant: whether an array is not a leaf.
    low, high, step: of the sliders; 0 for a switch.
    """

    name: str
    kind: Kind
    value: Any
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    constant: bool = False

    @property
    def sliders(self) -> list[tuple[int, ...]]:
        """The indices of the entries that have sliders; [()] for a single number."""
        if self.kind != "array":
            return [()]
        return [*np.ndindex(self.value.shape)] if self.value.size <= MOST_SLIDERS else []

    def read(self, value: Any) -> Any:
        """Return another value of this kind and shape. Raises: TypeError, ValueError."""
        wanted = {
            "number": "a number",
            "whole": "an integer",
            "switch": "True or False",
            "array": "numbers",
        }
        refused = TypeError(f"{self.name} takes {wanted[self.kind]}, got {described(value)}")
        if isinstance(value, tuple):
            raise refused
        try:
            found = varied(self.name, value)
        except TypeError:
            raise refused from None
        if self.kind == "number" and found.kind == "whole":
            return float(found.value)
        if self.kind == "array":
            data = array_of(value)
            if found.kind in ("switch", "array") and data.dtype.kind not in "fiu":
                raise refused
            if data.ndim and data.shape != self.value.shape:
                raise ValueError(
                    f"{self.name} has shape {list(self.value.shape)}, got {list(data.shape)}; pass "
                    "a value of the same shape, or one number for all entries"
                )
            return np.array(np.broadcast_to(data, self.value.shape), self.value.dtype)
        if found.kind != self.kind:
            raise refused
        return found.value

    def reaching(self, value: float) -> "Varied":
        """Return the same argument with a range that contains `value`."""
        return replace(self, low=min(self.low, value), high=max(self.high, value))


def varied(name: str, given: Any) -> Varied:
    """Return the argument of the function for a given value. Raises: TypeError, ValueError.

    >>> varied("a", 2.0).high, varied("n", 3).kind, varied("a", (2.0, -1, 4)).step
    (5.0, 'whole', 0.05)
    """
    if isinstance(given, tuple):
        return from_tuple(name, given)
    if isinstance(given, bool | np.bool_):
        return Varied(name, "switch", bool(given))
    if isinstance(given, int | np.integer):
        finite(name, given)
        value = int(given)
        size = max(LEAST_ROUNDS, 2 * abs(value))
        return Varied(name, "whole", value, 0 if value >= 0 else -size, size, 1)
    if isinstance(given, float | np.floating):
        value = finite(name, given)
        high = reach(abs(value))
        return Varied(name, "number", value, -high, high, high / STEPS)
    if isinstance(given, np.ndarray | list) or hasattr(given, "_data"):
        return from_array(name, given)
    raise TypeError(
        f"graphlab.explore(), {name}: got {described(given)}; expected {FORMS}. Give the function "
        "what does not vary as a default or as a variable outside of it"
    )


def from_tuple(name: str, given: tuple[Any, ...]) -> Varied:
    """Return a number with the range of its slider. Raises: TypeError, ValueError."""
    numbers = [one for one in given if is_number(one)]
    if len(numbers) != len(given) or len(given) not in (3, 4):
        raise TypeError(
            f"graphlab.explore(), {name}: got {described(given)}; expected (value, low, high) or "
            f"(value, low, high, step), as in {name}=(2.0, -5, 5)"
        )
    value, low, high, *rest = (finite(name, one) for one in given)
    whole = isinstance(given[0], int | np.integer)
    step = rest[0] if rest else 1.0 if whole else step_of(high - low)
    if not low <= value <= high or low == high:
        raise ValueError(
            f"graphlab.explore(), {name}: got the value {value:g} with the range from {low:g} to "
            f"{high:g}; expected low <= value <= high, as in {name}=(2.0, -5, 5)"
        )
    if not 0 < step <= high - low:
        raise ValueError(
            f"graphlab.explore(), {name}: got the step {step:g} for the range from {low:g} to "
            f"{high:g}; expected a step above 0 and at most as wide as the range"
        )
    if whole:
        if not all(float(one).is_integer() for one in given):
            raise ValueError(
                f"graphlab.explore(), {name}: got {described(given)}; the range and the step of an "
                f"integer must be integers; write {name}=({given[0]}.0, ...) for a float"
            )
        return Varied(name, "whole", int(value), int(low), int(high), int(step))
    return Varied(name, "number", value, low, high, step)


def from_array(name: str, given: Any) -> Varied:
    """Return an array or a tensor, whose entries vary. Raises: TypeError, ValueError."""
    try:
        data = array_of(given)
    except (ValueError, TypeError):
        data = np.array(None)
    if data.dtype not in FROM_NUMPY or data.size == 0:
        raise TypeError(
            f"graphlab.explore(), {name}: got {described(given)}; expected an array of numbers "
            "that is not empty"
        )
    if data.dtype.kind == "f" and not (np.abs(data.astype(np.float64)) <= EXTREME).all():
        raise ValueError(
            f"graphlab.explore(), {name}: expected finite numbers, got NaN, inf or a number beyond "
            f"{EXTREME:g}"
        )
    is_tensor = hasattr(given, "_data")
    constant = data.dtype.kind != "f" or (is_tensor and not given.requires_grad)
    if data.ndim == 0 and not constant:
        return replace(varied(name, float(data)), kind="array", value=data)
    high = reach(float(np.abs(data.astype(np.float64)).max()))
    step = high / STEPS if data.dtype.kind == "f" else 1
    return Varied(name, "array", np.array(data), -high, high, step, constant)


def array_of(value: Any) -> np.ndarray:
    """Return the entries of a tensor, an array, a list or a number."""
    return np.asarray(getattr(value, "_data", value))


def is_number(value: Any) -> bool:
    """Return whether a value is one number, and neither True nor False."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def finite(name: str, value: Any) -> float:
    """Return a value as a finite float. Raises: ValueError."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not abs(number) <= EXTREME:
        raise ValueError(
            f"graphlab.explore(), {name}: expected a finite number up to {EXTREME:g}, got "
            f"{described(value)}"
        )
    return number


def reach(largest: float) -> float:
    """Return where the default range for values up to `largest` ends."""
    return nice(FURTHER * largest) if largest > 1 / EXTREME else 5.0


def nice(least: float) -> float:
    """Return the smallest number >= `least` that is 1, 2 or 5 times a power of ten.

    >>> nice(4.0), nice(0.02), nice(60)
    (5.0, 0.02, 100.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    for times in (1, 2, 5, 10):
        if times * power >= least * (1 - 1e-12):
            return float(f"{times * power:.1g}")
    return least


def step_of(width: float) -> float:
    """Return a step of about a hundredth of a range: 1, 2 or 5 times a power of ten.

    >>> step_of(5.0), step_of(10)
    (0.05, 0.1)
    """
    return nice(width / STEPS)
