"""Double backward: the slope of a slope.

With `create_graph=True` the backward pass is recorded like any other computation, so its result has
a graph of its own. This walk goes backward through that graph: from the slope of x³, which is 3x²,
to the slope of that slope, 6x.

Read next: site/gallery.py.
"""

import graphlab as torch

x = torch.tensor(2.0, requires_grad=True)
cube = x**3
(slope,) = torch.autograd.grad(cube, x, create_graph=True)

timeline = torch.trace(slope)
