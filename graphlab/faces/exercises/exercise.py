"""An exercise: how an answer is checked, hints from general to specific, and known slips.

A slip is a wrong answer that a misconception leads to; it has a hint of its own.

Read next: faces/exercises/answers.py
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
        for wrong, hint in self.slips.items():
            if wrong(read) if callable(wrong) else self.answer.matches(wrong, read):
                return hint
        return ""
