"""A network with one hidden layer.

The network has two inputs, three hidden units and one output. The walk begins with the forward
pass: press the right arrow key to see each operation save what its slope will need. The backward
pass follows, and each weight gets its gradient.

Read next: site/gallery.py.
"""

import graphlab as torch
from graphlab import nn

torch.manual_seed(0)
network = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.tensor([[0.5, -1.0], [1.5, 2.0]])
y = torch.tensor([[1.0], [-1.0]])
loss = nn.functional.mse_loss(network(x), y)

timeline = torch.trace(loss, forward=True)
