"""A change in place that breaks the backward pass.

`exp` saves its result, because its slope is its result. Then the result is changed in place, and
its version rises from 0 to 1. In the backward pass the node of `exp` finds version 1 instead of the
saved version 0, and raises an error. Go to the last step to see it.

Read next: site/gallery.py.
"""

import graphlab as torch

x = torch.tensor([0.0, 1.0], requires_grad=True)

with torch.record(expect=RuntimeError) as timeline:
    growth = x.exp()
    doubled = growth * 2
    growth += 1  # write growth = growth + 1, and it works
    loss = (doubled + growth).sum()
    loss.backward()
