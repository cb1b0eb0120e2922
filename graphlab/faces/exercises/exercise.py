"""An exercise: how an answer is judged, hints from general to specific, and known slips.

A slip is a wrong answer that a misconception leads to; it has a hint of its own.

Read next: faces/exercises/answers.py
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


class Unreadable(Exception):
    """The answer is of the wrong kind: a sentence that says what was expected. It is not a try."""


class Answer(ABC):
    """One kind of answer, such as a number, and the right one: `right`, or a function for it."""

    __slots__ = ()
    right: Any

    @abstractmethod
    def read(self, given: Any) -> Any:
        """What the learner gave, in one form. Raises: Unreadable."""

    @abstractmethod
    def matches(self, expected: Any, read: Any) -> bool:
        """Whether an answer that `read` gave is the expected one."""

    def expected(self) -> Any:
        """The right answer; a function for it is called, so that GraphLab itself works it out."""
        return self.right() if callable(self.right) else self.right

    def remark(self, read: Any) -> str:
        """A sentence on what is wrong with an answer, such as its shape; "" if there is none."""
        return ""


@dataclass(frozen=True, slots=True)
class Slip:
    """A wrong answer that a misconception leads to, and what to say about it.

    when: the wrong answer itself, or a function of the answer that says whether it is this slip.
    """

    when: Any
    hint: str


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise of a lesson.

    id: "6.1", the lesson and the number. question: one or two sentences. hints: at least two, each
    closer to the answer than the one before. slips: wrong answers that have hints of their own.
    why: what is said to a right answer.
    """

    id: str
    question: str
    answer: Answer
    hints: tuple[str, ...]
    slips: tuple[Slip, ...] = ()
    why: str = ""

    def slip(self, read: Any) -> str:
        """The hint for the slip that an answer is; "" if it is none that is known."""
        for slip in self.slips:
            found = slip.when(read) if callable(slip.when) else self.answer.matches(slip.when, read)
            if found:
                return slip.hint
        return ""
