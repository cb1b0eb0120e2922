"""An exercise, with hints from general to specific, and the kinds of answers that it may have.

A slip is a wrong answer that a misconception leads to; it has a hint of its own.

Read next: faces/exercises/marking.py
"""

import ast
import math
import operator
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphlab.adapters.native.graph_copy import graph_of
from graphlab.autograd.graph import saved_tensors_hooks
from graphlab.graph.comparing.wording import often
from graphlab.graph.model import Graph
from graphlab.graph.structure_keys import isomorphic
from graphlab.tensor.tensor import Tensor

CLOSE = 1e-3  # relative: an answer needs three digits
NAME = re.compile(r"[\w.]+")
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
          ast.Div: operator.truediv}  # fmt: skip


class Unreadable(Exception):
    """An answer of the wrong kind, which does not count as a try; the message says what to give."""


class Answer(ABC):
    """One kind of answer, such as a number. right: the right answer, or a function for it."""

    __slots__ = ()
    right: Any

    @abstractmethod
    def read(self, given: Any) -> Any:
        """Convert what the learner gave to the form that `matches` takes. Raises: Unreadable."""

    @abstractmethod
    def matches(self, expected: Any, read: Any) -> bool:
        """Return whether an answer that `read` returned is the expected one."""

    def expected(self) -> Any:
        """Return the right answer; if `right` is a function, GraphLab computes it."""
        return self.right() if callable(self.right) else self.right

    def remark(self, read: Any) -> str:
        """Say what is wrong with an answer, such as its shape; "" if there is nothing to say."""
        return ""


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise of a lesson.

    id: "6.1", the lesson and the number. question: one or two sentences. hints: at least two, each
    closer to the answer than the one before. slips: wrong answers, each with a hint of its own; a
    function says whether an answer is this slip. why: the reason, shown after a right answer.
    """

    id: str
    question: str
    answer: Answer
    hints: tuple[str, ...]
    slips: Mapping[Any, str] = field(default_factory=dict)
    why: str = ""

    def slip(self, read: Any) -> str:
        """Return the hint for a wrong answer that is a known slip; "" for any other."""
        asked = re.findall(r"(?<!\w)\(([a-z])\)", self.question)
        if isinstance(self.answer, Choice) and (more := read.difference(asked)):
            return f"There is no {min(more)!r}: the last letter is {asked[-1]!r}."
        for wrong, hint in self.slips.items():
            if wrong(read) if callable(wrong) else self.answer.matches(wrong, read):
                return hint
        return ""


@dataclass(frozen=True, slots=True)
class Number(Answer):
    """One number: an int, a float, a tensor of one entry, or text such as "1/3".

    >>> Number(1 / 3).matches(1 / 3, Number(1 / 3).read("1/3"))
    True
    """

    right: Any

    def read(self, given: Any) -> float:
        if isinstance(given, str):
            return from_text(given)
        if given is None:
            raise Unreadable("None is not a number: did a backward pass write this gradient?")
        number = array_of(given)
        scalar = isinstance(number, int | float | np.ndarray | np.generic)
        data = np.asarray(number if scalar else None)
        if isinstance(given, tuple):
            raise Unreadable("expected one number; write it with a point: 0.5, not 0,5")
        if data.dtype.kind not in "iuf":
            raise Unreadable(f"expected one number, got {type(given).__name__}")
        if data.size != 1:
            raise Unreadable(f"expected one number, got {data.size} of shape {data.shape}")
        return float(data.reshape(()))

    def matches(self, expected: Any, read: float) -> bool:
        wanted = self.read(expected)
        if math.isnan(wanted):
            return math.isnan(read)
        return read == wanted or math.isclose(read, wanted, rel_tol=CLOSE, abs_tol=1e-9)


@dataclass(frozen=True, slots=True)
class Entries(Answer):
    """A tensor, an array, nested lists or text such as "[1, 1/2]": its shape and its entries."""

    right: Any

    def read(self, given: Any) -> np.ndarray:
        if given is None:
            raise Unreadable("None is not a tensor: did a backward pass write this gradient?")
        try:
            return np.asarray(listed(given), np.float64)
        except (TypeError, ValueError, SyntaxError, ArithmeticError, RecursionError, MemoryError):
            raise Unreadable(
                f'expected a tensor or nested lists of numbers, as in [1, "1/2"], got {given!r:.60}'
            ) from None

    def matches(self, expected: Any, read: np.ndarray) -> bool:
        wanted = self.read(expected)
        same_shape = read.shape == wanted.shape
        return same_shape and np.allclose(read, wanted, CLOSE, 1e-9, equal_nan=True)

    def remark(self, read: np.ndarray) -> str:
        wanted = self.read(self.expected())
        if read.shape != wanted.shape:
            return f"Its shape is {read.shape}, but another shape is expected."
        wrong = np.argwhere(~np.isclose(read, wanted, CLOSE, 1e-9, equal_nan=True))
        if not wrong.size or read.ndim == 0:
            return ""
        return f"{len(wrong)} of {read.size} entries differ."


@dataclass(frozen=True, slots=True)
class Order(Answer):
    """Names in an order: a list, or text. right: one order, or a list of right ones."""

    right: Any

    def read(self, given: Any) -> tuple[str, ...]:
        names = NAME.findall(given) if isinstance(given, str) else given
        if isinstance(given, str) and len(names) == 1 and self.of_letters():
            names = [*names[0]]
        if not isinstance(names, Sequence) or not all(isinstance(one, str) for one in names):
            raise Unreadable(
                'expected names in their order, such as ["c", "b", "a"] or "c, b, a", '
                f"got {type(given).__name__}"
            )
        return tuple(one.strip().lower() for one in names)

    def of_letters(self) -> bool:
        """Return whether each name is one letter, so that they may stand side by side."""
        return isinstance(self.right, str) and max(map(len, NAME.findall(self.right))) == 1

    def orders(self, expected: Any) -> list[tuple[str, ...]]:
        """Return each right order."""
        one = not expected or isinstance(expected, str) or isinstance(expected[0], str)
        return [self.read(order) for order in ([expected] if one else expected)]

    def matches(self, expected: Any, read: tuple[str, ...]) -> bool:
        return read in self.orders(expected)

    def remark(self, read: tuple[str, ...]) -> str:
        orders = self.orders(self.expected())
        names, wanted = Counter(read), Counter(orders[0])
        if more := sorted(names - wanted):
            known = more[0] in wanted
            return f"{more[0]!r} {'occurs too often' if known else 'does not belong to the list'}."
        if missing := (wanted - names).total():
            return "One is missing." if missing == 1 else f"{missing} are missing."
        pairs = [zip(read, one, strict=False) for one in orders]
        good = max(next((k for k, (a, b) in enumerate(each) if a != b), 0) for each in pairs)
        return f"The first {good} are right." if good > 1 else ""


@dataclass(frozen=True, slots=True)
class Choice(Answer):
    """One letter, or several if several statements are true: "b", "a c", ["a", "c"]."""

    right: Any

    def read(self, given: Any) -> frozenset[str]:
        parts = given if isinstance(given, list | tuple | set | frozenset) else [given]
        if not all(isinstance(one, str) for one in parts):
            raise Unreadable(f'expected a letter, such as "b", got {type(given).__name__}')
        letters = frozenset(re.sub(r"\b(and|or)\b|[\s.,;&+()]", "", " ".join(parts).lower()))
        if not letters or not all("a" <= c <= "z" for c in letters):
            raise Unreadable(f'expected a letter, such as "b", or several, such as "a c", '
                             f"got {given!r}")  # fmt: skip
        return letters

    def matches(self, expected: Any, read: frozenset[str]) -> bool:
        return self.read(expected) == read

    def remark(self, read: frozenset[str]) -> str:
        wanted = self.read(self.expected())
        if len(wanted) > 1 and read < wanted:
            return "Right so far, but there is more."
        return ""


def has(letter: str) -> Callable[[frozenset[str]], bool]:
    """Return a function that says whether a letter was chosen, for the slips of a `Choice`."""
    return lambda letters: letter in letters


@dataclass(frozen=True, slots=True)
class SameGraph(Answer):
    """A result with the right graph; names and values do not matter.

    right: a function that makes such a result.
    """

    right: Callable[[], Tensor]

    def read(self, given: Any) -> Graph:
        if not isinstance(given, Tensor):
            kind = type(given)
            raise Unreadable(
                "expected a result of your formula, a tensor of GraphLab, "
                f"got {kind.__module__}.{kind.__name__}".replace("builtins.", "")
            )
        if given.grad_fn is None:
            raise Unreadable("this tensor has no graph: a leaf with requires_grad=True is missing")
        return graph_of(given)

    def matches(self, expected: Any, read: Graph) -> bool:
        return isomorphic(self.read(expected), read)

    def remark(self, read: Graph) -> str:
        wanted, found = operations(self.read(self.expected())), operations(read)
        for name in sorted(wanted.keys() | found.keys()):
            if wanted[name] != found[name]:
                have, want = occurs(found[name]), occurs(wanted[name])
                return f"{name} {have} in your graph, and {want} in the right one."
        return "It has the right operations, but they are connected differently."


@dataclass(frozen=True, slots=True)
class Code(Answer):
    """A function that the learner wrote.

    right: a function that tests it, and says what is wrong with it; "" if nothing is. A text with a
    full stop says all; to any other one a hint is added.
    """

    right: Callable[[Any], str]
    what: str = "a function"

    def read(self, given: Any) -> Any:
        if not callable(given):
            raise Unreadable(
                f"expected {self.what}: pass it without parentheses, got {type(given).__name__}"
            )
        return given

    def expected(self) -> Any:
        return self.right

    def matches(self, expected: Any, read: Any) -> bool:
        return not self.tried(expected, read)

    def remark(self, read: Any) -> str:
        return self.tried(self.right, read)

    @staticmethod
    def tried(test: Callable[[Any], str], code: Any) -> str:
        """Say what is wrong with the code; if it raises an error, name that with its message."""
        try:
            return test(code)
        except Exception as error:  # the learner's code may raise anything
            # PyTorch's advice, after the first sentence, would hide the hint
            first, *_ = re.split(r"\.(?=\s|$)|\n", str(error))
            return f"It raises an error: {type(error).__name__}: {first}"


def no_tensor(given: Any) -> str:
    """Say that a function returned no tensor; "" if it did."""
    if isinstance(given, Tensor):
        return ""
    missing = " Is `return` missing?" * (given is None)
    return f"It should return a tensor, not {type(given).__name__}.{missing}"


def went_backward(function: Callable[..., Any], *given: Any) -> tuple[Any, bool]:
    """Call a function; return its result, and whether a backward pass used what was saved in it."""
    used: list[bool] = []
    with saved_tensors_hooks(lambda t: t, lambda t: used.append(True) or t):
        return function(*given), bool(used)


def agree(found: Sequence[Any], wanted: Sequence[float]) -> bool:
    """Return whether two rows of numbers are the same, up to rounding."""
    pairs = zip(found, wanted, strict=True)
    return all(abs(float(one) - other) < 1e-6 for one, other in pairs)


def listed(given: Any) -> Any:
    """Return numbers and arrays, in lists as they were given. Raises: ValueError."""
    if isinstance(given, str):
        given = ast.parse(given.strip().replace("−", "-"), mode="eval").body
    given = getattr(given, "elts", given)
    if isinstance(given, list | tuple):
        return [listed(one) for one in given]
    if isinstance(given, ast.expr):
        return value_of(given)
    return array_of(given)


def array_of(given: Any) -> Any:
    """Return the array in a tensor, in PyTorch's too; anything else as it is."""
    return given.detach().cpu().numpy() if hasattr(given, "detach") else given


def from_text(text: str) -> float:
    """Return the number in a text such as "1/3" or "-2e-3". Raises: Unreadable."""
    try:
        return value_of(ast.parse(text.strip().replace("−", "-"), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        raise Unreadable(f'expected a number such as 2.5, "1/3" or -1e-3, got {text!r}') from None


def value_of(tree: ast.expr) -> float:
    """Return the value of a number, or of a sum, difference, product or quotient of numbers."""
    number = tree.value if isinstance(tree, ast.Constant) else None
    if isinstance(number, int | float) and not isinstance(number, bool):
        return float(number)
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub | ast.UAdd):
        value = value_of(tree.operand)
        return -value if isinstance(tree.op, ast.USub) else value
    if isinstance(tree, ast.BinOp) and type(tree.op) in _SIGNS:
        return _SIGNS[type(tree.op)](value_of(tree.left), value_of(tree.right))
    if isinstance(tree, ast.Name) and tree.id in ("inf", "nan"):
        return float(tree.id)
    raise ValueError(ast.dump(tree))


def operations(graph: Graph) -> Counter[str]:
    """Count each operation, and the leaves' AccumulateGrad, in a graph."""
    return Counter(node.name for node in graph.nodes)


def occurs(count: int) -> str:
    """Say how often something occurs.

    >>> occurs(0), occurs(1), occurs(3)
    ('does not occur', 'occurs once', 'occurs 3 times')
    """
    return f"occurs {often(count)}" if count else "does not occur"
