"""A Question is what an author asks inside a walk; a saved file holds its answer in scrambled form.

A player asks a question before it shows the event of the question. Whoever looks at the file cannot
read the answer and the hints. This is no protection: the player must be able to unscramble them.

Read next: graph/states.py
"""

import base64
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Integral
from typing import Any

from graphlab.common.errors import described
from graphlab.common.notebook import shortened
from graphlab.graph.codec import LARGEST_INTEGER, decode, fault
from graphlab.graph.event_log import ForwardPart, with_parts, without_parts

KINDS = ("whole", "number", "text", "choice")
LONGEST = 400  # characters of a question, a choice or a hint
MOST = 8  # choices
Questions = tuple[tuple[int, "Question"], ...]  # questions with the indexes of their events
SHARE = 0.01  # how far off a float may be, as a part of the right one; as in js/src/answers.ts
EXAMPLE = 'graphlab.Question("How many bytes are held now?", 8)'


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a player asks before it shows an event; `timeline.ask({17: question})`.

    text: the question. right: the answer, a number or a string; a list if several are right. An
    answer must equal an int exactly, a float within 1%, and a string except for case and spaces.
    choices: the answers to choose from, 2 to 8 strings that include `right`, or a dict from each to
    what to say about it. hints: what to say about wrong answers, {answer: sentence}. hint: what to
    say about all other wrong answers, and to a student who asks for a hint. why: what to say about
    a right answer.

    Raises: TypeError or ValueError that says what is missing, repeated or of a wrong type.

    >>> import graphlab
    >>> question = graphlab.Question("How many bytes are held now?", 8, hints={2: "Count bytes."})
    >>> question.kind, question.right
    ('whole', (8,))
    >>> graphlab.Question("Which error comes?", "none", choices=["none"])
    Traceback (most recent call last):
    ValueError: the question 'Which error comes?' has 1 choice; give at least two, ...
    """

    text: str
    right: Any
    choices: Any = field(default=(), kw_only=True)
    hints: Any = field(default=(), kw_only=True)
    hint: str = field(default="", kw_only=True)
    why: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        said = _text("a question", self.text, f"such as {EXAMPLE}")
        where = f"the question {_short(said)}"
        about = self.choices if isinstance(self.choices, Mapping) else {}
        choices = _choices(where, self.choices)
        right = _right(where, self.right, choices)
        why = _text(f"why= of {where}", self.why, "a sentence", True)
        hints: dict[Any, str] = {}
        for answer, hint in _pairs(where, self.hints):
            hints[_wrong(where, answer, right, choices)] = _hint(where, answer, hint)
        for answer, hint in about.items():
            if not hint:
                continue
            sentence, one = _hint(where, answer, hint), _same(answer, choices)
            if one in right:
                why = why or sentence
            else:
                hints.setdefault(one, sentence)
        hint = _text(f"hint= of {where}", self.hint, "a sentence", True)
        found = {"text": said, "right": right, "choices": choices, "hint": hint, "why": why}
        for name, value in {**found, "hints": tuple(hints.items())}.items():
            object.__setattr__(self, name, value)

    @property
    def kind(self) -> str:
        """The kind of answer: "whole" (an exact number), "number", "text" or "choice".

        >>> import graphlab
        >>> graphlab.Question("What will x.grad hold?", 6.0).kind
        'number'
        """
        if self.choices:
            return "choice"
        if isinstance(self.right[0], str):
            return "text"
        return "whole" if all(isinstance(one, int) for one in self.right) else "number"


# -- what an author gives -------------------------------------------------------------------------


def questions_of(given: Any, place: Any) -> Questions:
    """The questions that `ask` was given, with the indexes of their events.

    given: a dict from events to questions; an event is its index, or the result of a `find` that
    found one event. place: the function that checks an index.
    Raises: TypeError or ValueError that says what is wrong; IndexError for an unknown event.
    """
    if not isinstance(given, Mapping) or not given:
        raise TypeError(
            f"ask takes a dict from events to questions, such as {{17: {EXAMPLE}}}, "
            f"got {described(given)}"
        )
    found: list[tuple[int, Question]] = []
    for event, question in given.items():
        if not isinstance(question, Question):
            raise TypeError(
                f"the question of event {event!r} must be a graphlab.Question, such as {EXAMPLE}; "
                f"got {described(question)}"
            )
        if isinstance(event, tuple) and len(event) != 1:
            many = f"{len(event)} events, {event[:6]}" if event else "no event"
            raise ValueError(
                f"timeline.find found {many}; ask {_short(question.text)} at exactly one event, "
                "such as timeline.find('LeafWritten')[0]"
            )
        k = place(event[0] if isinstance(event, tuple) else event)
        if k == 0:
            raise ValueError(
                "event 0 is shown immediately, so no question can be asked before it; ask "
                f"{_short(question.text)} before a later event"
            )
        found.append((k, question))
    return tuple(found)


def in_order(questions: Questions) -> Questions:
    """Questions sorted by event; those of one event stay in the order given."""
    return tuple(sorted(questions, key=lambda one: one[0]))


def with_forward_parts(questions: Questions, parts: Sequence[ForwardPart]) -> Questions:
    """Questions of a walk without forward parts, with indexes for the walk with them."""
    return tuple((with_parts(k, parts), question) for k, question in questions)


def without_forward_parts(questions: Questions, parts: Sequence[ForwardPart]) -> Questions:
    """The reverse of `with_forward_parts`; it drops the questions at events of forward parts."""
    moved = ((without_parts(k, parts), k, question) for k, question in questions)
    return tuple((at, one) for at, k, one in moved if without_parts(k + 1, parts) > at)


def same_answer(one: Any, other: Any, share: float = 0.0) -> bool:
    """Whether two answers count as the same one. share: how far off a number may be.

    >>> same_answer(" Two  words", "two words"), same_answer(3, 3.0), same_answer("3", 3)
    (True, True, False)
    """
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and _plain(one) == _plain(other)
    near = share > 0 and abs(one - other) <= (abs(other) * share or 0.001)
    return near or one == other or (math.isnan(one) and math.isnan(other))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _choices(where: str, given: Any) -> tuple[str, ...]:
    listed = isinstance(given, Sequence | Mapping) and not isinstance(given, str)
    if not listed:
        raise TypeError(
            f"choices of {where} must be a list of strings, or a dict from a choice to what to say "
            f"about it, got {described(given)}"
        )
    choices = tuple(_text(f"a choice of {where}", one, "such as 'it doubles'") for one in given)
    if len(choices) == 1:
        raise ValueError(
            f"{where} has 1 choice; give at least two, or none so that students type the answer"
        )
    if len(choices) > MOST:
        raise ValueError(f"{where} has {len(choices)} choices; give at most {MOST}")
    for one, other in pairwise(sorted(choices, key=_plain)):
        if same_answer(one, other):
            raise ValueError(f"{where} has the choice {other!r} twice; give each once")
    return choices


def _right(where: str, given: Any, choices: tuple[str, ...]) -> tuple[Any, ...]:
    several = isinstance(given, list | tuple | set | frozenset)
    right = tuple(_answer(where, one) for one in (given if several else (given,)))
    if not right:
        raise ValueError(f"{where} has no right answer; give at least one, such as {EXAMPLE}")
    if len({isinstance(one, str) for one in right}) > 1:
        raise TypeError(
            f"the right answers of {where} must all be numbers or all be strings, got {right}"
        )
    if not choices:
        return right
    right = tuple(_same(one, choices, where) for one in right)
    if len(set(right)) == len(choices):
        raise ValueError(f"every choice of {where} is right; add a wrong one")
    return right


def _answer(where: str, given: Any) -> Any:
    """One answer: an int, a float, or a string."""
    advice = f"expected a number or a string, such as {EXAMPLE}"
    if isinstance(given, str):
        return _text(f"the right answer of {where}", given, "a number or a string")
    if given is None:
        raise ValueError(f"{where} has no right answer; {advice}")
    if isinstance(given, bool):
        raise TypeError(f'an answer of {where} is {given}; use choices=["yes", "no"] instead')
    if isinstance(given, Integral):
        if abs(int(given)) > LARGEST_INTEGER:
            raise ValueError(
                f"an answer of {where} is {given}, which browsers would round; ask for a smaller "
                "number"
            )
        return int(given)
    try:
        number = float(given.detach() if hasattr(given, "detach") else given)
        return float(f"{number:.6g}")  # the digits that are shown; float32 has no more
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(f"an answer of {where} is {described(given)}; {advice}") from None


def _same(given: Any, choices: tuple[str, ...], where: str = "") -> str:
    """The choice that equals an answer, except for case and spaces."""
    for one in choices:
        if same_answer(one, given):
            return one
    raise ValueError(f"{given!r} is not a choice of {where} (must be one of {list(choices)})")


def _pairs(where: str, given: Any) -> Iterator[tuple[Any, Any]]:
    try:
        yield from dict(given).items()
    except (TypeError, ValueError):
        raise TypeError(
            f"hints of {where} must be a dict from wrong answers to sentences, "
            f"got {described(given)}"
        ) from None


def _wrong(where: str, given: Any, right: tuple[Any, ...], choices: tuple[str, ...]) -> Any:
    answer = _same(given, choices, where) if choices else _answer(where, given)
    if isinstance(answer, str) != isinstance(right[0], str):
        raise TypeError(
            f"hints of {where} must be for answers like {right[0]!r}, got {described(given)}"
        )
    share = SHARE * any(isinstance(one, float) for one in right)
    if any(same_answer(answer, one, share) for one in right):
        within = " (within 1%)" * bool(share)
        raise ValueError(
            f"{given!r} is a right answer of {where}{within}; write what to say about it into why="
        )
    return answer


def _hint(where: str, answer: Any, hint: Any) -> str:
    return _text(f"the hint of {where} for {answer!r}", hint, "a sentence")


def _text(what: str, given: Any, example: str, empty: bool = False) -> str:
    """`given` without outer spaces. Raises: TypeError or ValueError if it is no usable string."""
    if not isinstance(given, str):
        raise TypeError(f"{what} must be a string, {example}; got {described(given)}")
    text = given.encode("utf-8", "replace").decode("utf-8").strip()
    if not text and not empty:
        raise ValueError(f"{what} must be a non-empty string, {example}; got {given!r}")
    if len(text) > LONGEST:
        raise ValueError(f"{what} has {len(text)} characters; write at most {LONGEST}")
    return text


def _short(text: str) -> str:
    return repr(shortened(text, 40))


# -- in a document --------------------------------------------------------------------------------


def write_questions(questions: Questions) -> list[dict[str, Any]]:
    """Questions as JSON, with their answers and hints sealed."""
    return [_written(k, question) for k, question in questions]


def _written(k: int, question: Question) -> dict[str, Any]:
    secret: dict[str, Any] = {"right": [_told(one) for one in question.right]}
    if question.hints:
        secret["hints"] = [[_told(answer), hint] for answer, hint in question.hints]
    secret.update({name: text for name in ("hint", "why") if (text := getattr(question, name))})
    sealed = seal(json.dumps(secret, ensure_ascii=False), question.text)
    choices = {"choices": list(question.choices)} if question.choices else {}
    return {"at": k, "text": question.text, "kind": question.kind, **choices, "sealed": sealed}


def _told(answer: Any) -> str:
    """An answer as a string, because JSON has no NaN."""
    return answer if isinstance(answer, str) else repr(answer)


def read_questions(data: Any, count: int, cut: bool) -> Questions:
    """The questions in a document. cut: whether events were left out.

    count: the number of its events, including those of forward parts.
    Raises: TraceError that says what is damaged.
    """
    if not isinstance(data, list | tuple):
        raise fault("questions", data, "a list")
    found: list[tuple[int, Question]] = []
    for i, one in enumerate(data):
        path = f"questions[{i}]"
        if not isinstance(one, Mapping):
            raise fault(path, one, "an object with the fields of a question")
        k = decode(int, one.get("at"), f"{path}.at")
        if cut and k >= count:
            continue
        if not 0 <= k < count:
            raise fault(f"{path}.at", k, f"the index of an event, 0 to {count - 1}")
        kind = one.get("kind")
        if kind not in KINDS:
            raise fault(f"{path}.kind", kind, f"one of {sorted(KINDS)}")
        found.append((k, _read(one, kind, path)))
    return in_order(tuple(found))


def _read(one: Mapping[str, Any], kind: str, path: str) -> Question:
    text = decode(str, one.get("text"), f"{path}.text")
    choices = decode(tuple[str, ...], one.get("choices", ()), f"{path}.choices")
    sealed = decode(str, one.get("sealed"), f"{path}.sealed")
    try:
        secret = json.loads(unsealed(sealed, text))
        answer = str if kind in ("text", "choice") else _number
        right = [answer(one) for one in secret["right"]]
        hints = {answer(one): hint for one, hint in secret.get("hints", ())}
        more = {name: secret[name] for name in ("hint", "why") if name in secret}
        question = Question(text, right, choices=choices, hints=hints, **more)
        if question.kind == kind:
            return question
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        pass
    raise fault(f"{path}.sealed", sealed, f"the sealed answer of a question of the kind {kind!r}")


def _number(text: str) -> float:
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def seal(text: str, key: str) -> str:
    """`text` in a form that cannot be read by looking at a file; the player undoes it.

    >>> unsealed(seal("8 bytes", "How many?"), "How many?")
    '8 bytes'
    """
    mixed = bytes(a ^ b for a, b in zip(text.encode("utf-8", "replace"), _noise(key)))  # noqa: B905
    return base64.b64encode(mixed).decode("ascii")


def unsealed(sealed: str, key: str) -> str:
    """The text that was sealed. Raises: ValueError if `seal` did not make `sealed`."""
    mixed = base64.b64decode(sealed, validate=True)
    return bytes(a ^ b for a, b in zip(mixed, _noise(key))).decode("utf-8")  # noqa: B905


def _noise(key: str) -> Iterator[int]:
    """An endless stream of pseudorandom bytes: xorshift32, seeded with the key's FNV-1a hash."""
    state = 2166136261
    for byte in key.encode("utf-8", "replace"):
        state = ((state ^ byte) * 16777619) & 0xFFFFFFFF
    state = state or 1
    while True:
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        yield state & 255
