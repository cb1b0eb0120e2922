"""Live widgets for notebooks: the same player as in a saved output, with Python at the other end.

Read next: faces/widgets/stepper.py
"""

from graphlab.faces.widgets.stepper import Stepper

__all__ = ["Stepper"]
