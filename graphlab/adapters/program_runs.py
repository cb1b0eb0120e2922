"""A program run calls the user's function with chosen values; it notes names, output and errors.

The function runs as usual, on new leaves, with the random numbers of the first run. Its variables
are gone after it returns, so their names are read at the moment of its return.

Read next: adapters/native/rehearsal.py
"""

import functools
import inspect
import linecache
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from graphlab.adapters.native.source_lines import label_of
from graphlab.adapters.native.variable_names import Names, names_of
from graphlab.common.errors import HERE, is_ours
from graphlab.common.notebook import shortened
from graphlab.common.output import captured
from graphlab.tensor.random.generator import get_rng_state, set_rng_state
from graphlab.tensor.tensor import Tensor

MOST_PRINTED = 20_000  # characters of a function's output that are kept
LONGEST_ERROR = 300  # characters of an error in a sentence
# functions that read numbers, indices or tensors without history from a graph; what follows may
# depend on their results
READS = {
    "item", "tolist", "numpy", "as_bool", "as_float", "as_int", "to_number", "equal",
    "allclose", "data", "detach", "detach_", "grad", "grad_enabled", "enter_inference",
    "run_backward", "argmax", "argmin", "argsort", "sort", "topk", "kthvalue", "median", "mode",
    "max", "min", "aminmax", "cummax", "cummin", "nonzero", "argwhere", "unique",
    "unique_consecutive", "bincount", "bucketize", "searchsorted", "histc", "multinomial",
    "bernoulli", "poisson", "normal", "converted", "new_tensor",
}  # fmt: skip


@dataclass(slots=True)
class Ran:
    """The outcome of one run.

    result: what the function returned. problem: a sentence about the error that ended it, or "".
    printed: what it wrote to stdout and stderr. asked: how often it asked for the truth value of a
    tensor, as `if` does; None if it was not watched, or read numbers in another way.
    """

    result: Any = None
    names: Names = field(default_factory=Names)
    printed: str = ""
    problem: str = ""
    asked: int | None = None


class Program:
    """A function that runs again and again, each time with the same random numbers."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = name_of(function)
        self._code = code_of(function)
        self._random = get_rng_state()

    def run(self, arguments: Mapping[str, Any]) -> Ran:
        """Call the function with keyword arguments. Its errors are noted, not raised."""
        ran, caught = Ran(), Frame(self._code)
        with self._same_random_numbers(), captured("stdout", "stderr") as printed:
            try:
                with caught:
                    ran.result = self.function(**arguments)
            except Exception as error:
                ran.problem = told(error, self.name)
        ran.printed = cut(printed.getvalue())
        ran.names, ran.asked = caught.names, caught.asked
        for name, value in arguments.items():
            if isinstance(value, Tensor):
                ran.names.of_leaf[id(value)] = name
        return ran

    @contextmanager
    def _same_random_numbers(self) -> Any:
        before = get_rng_state()
        set_rng_state(self._random)
        try:
            yield
        finally:
            set_rng_state(before)


class Frame:
    """Reads the names of the tensors in a function's variables at the moment of its return.

    It watches the outermost call, in a `with` block, of the function with this code. asked: see
    Ran.
    """

    def __init__(self, code: CodeType | None) -> None:
        self.names = Names()
        self.asked: int | None = None
        self._code = code
        self._frame: FrameType | None = None

    def __enter__(self) -> None:
        self._before = sys.getprofile()
        # a profiler of the user's is left in place; then no names are read
        if self._code is not None and self._before is None:
            self.asked = 0
            sys.setprofile(self._look)

    def __exit__(self, *error: object) -> None:
        if self._code is not None and self._before is None:
            sys.setprofile(None)
        self._frame = None

    def _look(self, frame: FrameType, event: str, _: Any) -> None:
        if frame.f_code is not self._code:
            name = frame.f_code.co_name
            if name in READS and event == "call" and is_ours(frame.f_code):
                asked, self.asked = self.asked, None
                if name == "as_bool" and asked is not None:
                    self.asked = asked + 1
            return
        if event == "call" and self._frame is None:
            self._frame = frame
        elif event == "return" and frame is self._frame:
            # not `names_in`, because clearing `f_locals` in a profiler deletes the variables
            self.names = names_of(frame.f_locals, frame.f_globals)


def code_of(function: Any) -> CodeType | None:
    """The Python code that a call of `function` runs, inside wrappers; None if there is none."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not hasattr(function, "__code__") and not inspect.isclass(function):
        forward = getattr(function, "forward", None)  # a module calls its forward
        function = forward if forward is not None else type(function).__call__
    found = getattr(inspect.unwrap(function), "__code__", None)
    return found if isinstance(found, CodeType) else None


def name_of(function: Any) -> str:
    """The name of a function in a sentence: `f`, or "the function" for a lambda."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", "") or type(function).__name__
    return name if name.isidentifier() else "the function"


def told(error: Exception, name: str) -> str:
    """A sentence about an error: its type and message, and the last line of the user's code."""
    kind = type(error).__name__
    message = shortened(" ".join(str(error).split()), LONGEST_ERROR)
    place = place_of(error)
    said = f"{name} stopped{place}: {kind}{f': {message}' if message else ''}"
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def place_of(error: Exception) -> str:
    """Where the user's code raised an error: " in line 3, `y = log(x)`"; "" if that is unknown."""
    steps = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(HERE)
    ]
    if isinstance(error, SyntaxError) or not steps:
        return ""
    filename, line = steps[-1]
    text = linecache.getline(filename, line).strip()
    return f" in {label_of(filename)}, line {line}" + (f", `{text}`" if text else "")


def cut(text: str) -> str:
    """Printed output; of a long one, only the end."""
    if len(text) <= MOST_PRINTED:
        return text
    return f"… {len(text) - MOST_PRINTED:,} characters left out …\n{text[-MOST_PRINTED:]}"
