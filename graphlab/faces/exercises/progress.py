"""A learner's progress: one small file beside the notebook, which belongs to the learner.

It holds, for each exercise, how often it was tried and whether it is done; no answers, no times, no
names. It can be deleted at any time.

Read next: faces/exercises/answers.py
"""

import html
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
        """The number of exercises done: "3 of 4 exercises done, 2 at the first try"."""
        done = sum(one.right for one in self.values())
        at_once = sum(one.at_once for one in self.values())
        if not self:
            return "No exercise has been tried yet."
        return f"{done} of {len(self)} exercises done, {at_once} at the first try"

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
        self._results: Results | None = None

    @property
    def results(self) -> Results:
        if self._results is None:
            self._results = self._read()
        return self._results

    def keep_in(self, path: Path | None) -> None:
        """Read and write another file; None: keep the results in memory only."""
        self.path, self._results, self.note = path, None, ""

    def _read(self) -> Results:
        if self.path is None or not self.path.exists():
            return Results()
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if {key: found.get(key) for key in FORMAT} != FORMAT:
                raise ValueError("another format")
            return Results({one: Progress(**seen) for one, seen in found["answers"].items()})
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return self._set_aside(self.path)

    def _set_aside(self, path: Path) -> Results:
        """Rename a file that cannot be read, and begin a new one."""
        aside = path.with_suffix(".unreadable.json")
        try:
            path.replace(aside)
            self.note = (
                f"{path.name} could not be read; it was renamed to {aside.name}, and a new one "
                "was begun."
            )
        except OSError:
            self.path = None
            self.note = f"{path.name} could not be read; the results are kept in memory only."
        return Results()

    def write(self) -> None:
        """Write the file, through another one, so that it is never half written."""
        if self.path is None:
            return
        answers: dict[str, Any] = {one: asdict(seen) for one, seen in self.results._ordered()}
        beside = self.path.with_suffix(".new")
        try:
            beside.write_text(
                json.dumps({**FORMAT, "answers": answers}, indent=1), encoding="utf-8"
            )
            beside.replace(self.path)
        except OSError as error:
            why = error.strerror
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
