"""Check an answer: it is right, or it gets a hint that fits it. A walk can ask an exercise too.

A learner's progress is one small file beside the notebook, which belongs to the learner: how often
each exercise was tried and whether it is done; no answers, no times, no names. It can be deleted.

Read next: faces/exercises/answers.py
"""

import difflib
import html
import json
import os
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from graphlab.common.errors import described
from graphlab.common.output import write_whole
from graphlab.faces.exercises.answers import Code, Exercise, Number, Unreadable
from graphlab.graph.questions import Question

LESSONS = "graphlab.faces.exercises.lessons"


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback on an answer; it shows itself as a sentence.

    exercise: the number of the exercise. right: whether the answer is right. text: the sentence.

    >>> from graphlab import exercises
    >>> exercises.Feedback("1.1", True, "Right.")
    ✓ 1.1  Right.
    """

    exercise: str
    right: bool
    text: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return f"{'✓' if self.right else '✗'} {self.exercise}  {self.text}"

    def _repr_html_(self) -> str:
        colour = "#1f9d55" if self.right else "#b7791f"
        first, _, rest = self.text.partition(". ")
        head = html.escape(f"{self.exercise} {first}" + ("." if rest else ""))
        style = f"border-left:4px solid {colour};padding:4px 12px"
        return f'<div role="status" style="{style}"><b>{head}</b> {html.escape(rest)}</div>'


def answer(id: str, given: Any, *more: Any) -> Feedback:
    """Check your answer to an exercise; a wrong one gets a hint that fits it.

    id: the number of the exercise in its lesson, "6.1". given: a number, a tensor, a list of names,
        a letter or a function, as the exercise asks for. more: the other parts, without brackets.
    Returns: a Feedback, which is true if the answer is right.
    Raises: ValueError if there is no such exercise.

    >>> from graphlab import exercises
    >>> exercises.keep_in(None)
    >>> exercises.answer("1.1", "e")
    ✗ 1.1  Not yet. 3 are missing. Read the order of the lines again: which tensor was made last?
    """
    exercise = find(id)
    given = (given, *more) if more else given
    if given is ...:
        return Feedback(exercise.id, False, "Put your answer in the place of the three dots.")
    seen = record.results.setdefault(exercise.id, Progress())
    try:
        read = exercise.answer.read(given)
    except Unreadable as expected:
        return Feedback(exercise.id, False, said(f"Not yet. {sentence(str(expected))}"))
    seen.tries += not seen.right  # a cell with a right answer may run again
    right = exercise.answer.matches(exercise.answer.expected(), read)
    if right:
        seen.at_once = seen.at_once or (not seen.right and seen.tries == 1 and not seen.hints)
        seen.right = True
        record.write()
        return Feedback(exercise.id, True, said(f"Right. {exercise.why}".strip()))
    record.write()
    about = exercise.slip(read)
    if not about:
        about = exercise.answer.remark(read)
        code = isinstance(exercise.answer, Code)  # the last hint for it is nearly the code
        if not code or full_stop(about) != about:
            place = min(seen.tries, len(exercise.hints) - code) - 1
            about = f"{full_stop(about)} {exercise.hints[place]}".strip()
    return Feedback(exercise.id, False, said(f"Not yet. {about}"))


def hint(id: str) -> str:
    """Return the next hint for an exercise; after the last one, the last one again.

    Raises: ValueError if there is no such exercise.

    >>> from graphlab import exercises
    >>> exercises.keep_in(None)
    >>> exercises.hint("1.1")
    'Hint 1 of ...
    """
    exercise = find(id)
    seen = record.results.setdefault(exercise.id, Progress())
    seen.hints = min(seen.hints + 1, len(exercise.hints))
    record.write()
    return f"Hint {seen.hints} of {len(exercise.hints)}: {exercise.hints[seen.hints - 1]}"


def passed(id: str, given: Any) -> None:
    """Raise an AssertionError if an answer is wrong: for nbgrader, otter-grader and the like.

    id: the number of the exercise. given: an answer, as `answer` takes it.
    Raises: AssertionError with a hint if it is wrong; ValueError if there is no such exercise.

    >>> from graphlab import exercises
    >>> exercises.passed("1.1", "e")
    Traceback (most recent call last):
    AssertionError: 1.1: Read the order of the lines again: which tensor was made last?
    """
    exercise = find(id)
    try:
        read = exercise.answer.read(given)
    except Unreadable as expected:
        raise AssertionError(f"{id}: {expected}") from None
    if not exercise.answer.matches(exercise.answer.expected(), read):
        raise AssertionError(f"{id}: {exercise.slip(read) or exercise.hints[0]}")


def find(id: str) -> Exercise:
    """Return the exercise with this number. Raises: TypeError, ValueError."""
    if not isinstance(id, str):
        advice = f', write "{id}" in quotes' if isinstance(id, float) else ""
        raise TypeError(f'an exercise is a text such as "6.1", got {described(id)}{advice}')
    lesson, _, _ = id.strip().partition(".")
    known = exercises_of(lesson)
    found = known.get(id.strip())
    if found is not None:
        return found
    if not known:
        raise ValueError(f"no lesson has the number {lesson!r} (must be one of {lessons()})")
    near = difflib.get_close_matches(id, known, 1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"no exercise has the number {id!r} (must be one of {sorted(known)}){guess}")


def exercises_of(lesson: str) -> dict[str, Exercise]:
    """Return the exercises of a lesson, by id; {} if there is no such lesson."""
    if not lesson.isdigit() or str(int(lesson)) not in lessons():
        return {}
    module = import_module(f"{LESSONS}.lesson_{int(lesson):02}")
    return {one.id: one for one in module.EXERCISES}


def lessons() -> list[str]:
    """Return the numbers of the lessons that have exercises."""
    from pkgutil import iter_modules

    found = iter_modules(import_module(LESSONS).__path__)
    return [str(int(module.name.removeprefix("lesson_"))) for module in found]


def sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop."""
    return full_stop(text[:1].upper() + text[1:])


def full_stop(text: str) -> str:
    """Return a text that ends as a sentence does; "" stays."""
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def said(text: str) -> str:
    """Return a text, with the note about the file of results if there is a new one."""
    note, record.note = record.note, ""
    return f"{text} ({note})" if note else text


def question(id: str) -> Question:
    """Return an exercise that asks for one number as a question for `timeline.ask`.

    id: the number of the exercise in its lesson, "6.4".
    Returns: a graphlab.Question with its text, right answer, first hint, slips and reason. Slips
        that are recognised by a function are left out: a saved page runs no Python.
    Raises: ValueError if there is no such exercise, or if it does not ask for one number.

    >>> from graphlab import exercises
    >>> question = exercises.question("6.4")
    >>> question.right, len(question.hints)
    ((8000,), 5)
    """
    return question_of(find(id))


def question_of(exercise: Exercise) -> Question:
    """Return the question of an exercise. Raises: ValueError if its answer is not one number."""
    answer = exercise.answer
    if not isinstance(answer, Number):
        kind = type(answer).__name__
        raise ValueError(
            f"exercise {exercise.id} asks for {kind}, but only exercises that ask for one Number "
            "can be asked inside a walk; write a graphlab.Question with choices= instead"
        )
    right = answer.expected()
    slips = {wrong: hint for wrong, hint in exercise.slips.items() if not callable(wrong)}
    return Question(
        exercise.question,
        right if isinstance(right, int) else answer.read(right),
        hints={one if isinstance(one, int) else answer.read(one): slips[one] for one in slips},
        hint=exercise.hints[0],
        why=exercise.why,
    )


FILE = "graphlab-answers.json"
FORMAT = {"format": "graphlab.answers", "version": 1}


@dataclass(slots=True)
class Progress:
    """One exercise: its tries, the hints that were asked for, and whether it is done."""

    tries: int = 0
    hints: int = 0
    right: bool = False
    at_once: bool = False  # right at the first try, without a hint


class Results(dict[str, Progress]):
    """The exercises that were tried, by id. It shows itself as a table.

    >>> from graphlab import exercises
    >>> exercises.keep_in(None)
    >>> len(exercises.results())
    0
    """

    note = ""  # why there are none

    def _ordered(self) -> list[tuple[str, Progress]]:
        def key(item: tuple[str, Progress]) -> tuple[int, ...]:
            return tuple(int(part) if part.isdigit() else 0 for part in item[0].split("."))

        return sorted(self.items(), key=key)

    def _lines(self) -> list[tuple[str, str, str]]:
        return [
            (one, "✓ right" if seen.right else "not yet", counted(seen))
            for one, seen in self._ordered()
        ]

    @property
    def summary(self) -> str:
        """The number of exercises done: "3 of 5 exercises done, 2 at the first try"."""
        done = sum(one.right for one in self.values())
        lessons = {id.partition(".")[0] for id in self}
        known = sum(len(exercises_of(lesson)) for lesson in lessons)
        at_once = sum(one.at_once for one in self.values())
        if not self:
            return self.note or "No exercise has been tried yet."
        return f"{done} of {known} exercises done, {at_once} at the first try"

    def __repr__(self) -> str:
        lines = [f"{one:<6}{state:<9}{tries}" for one, state, tries in self._lines()]
        return "\n".join([self.summary, *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(part)}</td>" for part in line) + "</tr>"
            for line in self._lines()
        )
        heads = "".join(f'<th scope="col">{name}</th>' for name in ("exercise", "state", "tries"))
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        return f"<p>{html.escape(self.summary)}</p>{table if self else ''}"


def counted(seen: Progress) -> str:
    """Return the tries and hints of an exercise in words."""
    tries = "1 try" if seen.tries == 1 else f"{seen.tries} tries"
    if not seen.hints:
        return tries
    return f"{tries}, {'1 hint' if seen.hints == 1 else f'{seen.hints} hints'}"


class Record:
    """The results, read from a file when they are first needed, and written after each answer."""

    def __init__(self) -> None:
        self.path: Path | None = Path(os.environ.get("GRAPHLAB_ANSWERS", FILE))
        self.note = ""  # why the file cannot be used; shown once
        self.unreadable = False
        self._results: Results | None = None

    @property
    def results(self) -> Results:
        if self._results is None:
            self._results = self._read()
        return self._results

    def keep_in(self, path: Path | None) -> None:
        """Read and write another file; None: keep the results in memory only."""
        self.path, self._results, self.note, self.unreadable = path, None, "", False

    def _read(self) -> Results:
        found = Results()
        if self.path is None:
            return found
        try:
            held = json.loads(self.path.read_text(encoding="utf-8"))
            if {key: held.get(key) for key in FORMAT} != FORMAT:
                raise ValueError("another format")
            found.update({one: Progress(**seen) for one, seen in held["answers"].items()})
        except FileNotFoundError:
            if self.path != Path(FILE):
                found.note = f"There is no file {self.path} yet."
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            found.note = f"{self.path} could not be read: it is damaged, or holds no results."
            self.unreadable = True
        return found

    def write(self) -> None:
        """Write the file, which is never half written; one that cannot be read is renamed."""
        if self.path is None:
            return
        answers: dict[str, Any] = {one: asdict(seen) for one, seen in self.results._ordered()}
        try:
            if self.unreadable:
                aside = self.path.replace(self.path.with_suffix(".unreadable.json"))
                self.note = f"{self.results.note} It was renamed to {aside.name}."
                self.unreadable = False
            write_whole(self.path, json.dumps({**FORMAT, "answers": answers}, indent=1))
        except OSError as error:
            why = error.strerror or error
            self.note = f"The results could not be written ({why}); they are kept in memory only."
            self.path = None


record = Record()


def results() -> Results:
    """Return your progress: each exercise that you tried.

    >>> from graphlab import exercises
    >>> exercises.keep_in(None)
    >>> exercises.results()
    No exercise has been tried yet.
    """
    return record.results


def keep_in(path: "str | os.PathLike[str] | None") -> None:
    """Choose the file in which your results are kept; None keeps them in memory only.

    The default is `graphlab-answers.json` in the folder of the notebook, or what the environment
    variable GRAPHLAB_ANSWERS names.

    >>> from graphlab import exercises
    >>> exercises.keep_in(None)
    """
    record.keep_in(None if path is None else Path(path))
