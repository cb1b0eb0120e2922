"""Ask an exercise inside a walk: the same text, answer, hints and slips.

Read next: graph/questions.py
"""

from graphlab.faces.exercises.answers import Number
from graphlab.faces.exercises.exercise import Exercise
from graphlab.faces.exercises.marking import find
from graphlab.graph.questions import Question


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
    slips = {slip.when: slip.hint for slip in exercise.slips if not callable(slip.when)}
    return Question(
        exercise.question,
        right if isinstance(right, int) else answer.read(right),
        hints={one if isinstance(one, int) else answer.read(one): slips[one] for one in slips},
        hint=exercise.hints[0],
        why=exercise.why,
    )
