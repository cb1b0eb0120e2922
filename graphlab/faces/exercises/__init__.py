"""Exercises that check themselves: `exercises.answer("6.1", 6.0)`, with hints in steps.

An answer is checked on this computer; nothing is sent anywhere. A learner's progress is kept in one
small file beside the notebook, which belongs to the learner.

Read next: faces/exercises/answers.py
"""

from graphlab.faces.exercises.grading import export
from graphlab.faces.exercises.marking import (
    Feedback,
    Results,
    answer,
    hint,
    keep_in,
    passed,
    question,
    results,
)

__all__ = [
    "Feedback",
    "Results",
    "answer",
    "export",
    "hint",
    "keep_in",
    "passed",
    "question",
    "results",
]
