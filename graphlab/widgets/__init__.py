"""Live widgets for notebooks: the same player as in a saved output, with Python at the other end.

Read next: widgets/stepper.py
"""

from graphlab.widgets.stepper import Stepper

__all__ = ["Stepper"]
