"""Live widgets: the player, connected to Python.

Read next: faces/widgets/stepper.py
"""

from graphlab.faces.widgets.stepper import Stepper

__all__ = ["Stepper"]
