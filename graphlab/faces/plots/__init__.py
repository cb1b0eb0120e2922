"""Plots of what is easier seen than read: memory during a pass, gradients by layer, a loss surface.

They are drawn with matplotlib, which is imported when the first one is drawn. Each returns the
Axes, with sentences about what it shows in `axes.graphlab_text`; `show()` gives these to screen
readers.

Read next: docs/plots.md
"""

from graphlab.faces.plots.canvas import show
from graphlab.faces.plots.gradients import gradient_histograms
from graphlab.faces.plots.memory import saved_memory
from graphlab.faces.plots.surface import loss_surface

__all__ = ["gradient_histograms", "loss_surface", "saved_memory", "show"]
