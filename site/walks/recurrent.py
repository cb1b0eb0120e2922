"""A recurrent network: one weight, used at every step.

The state `h` is made from itself, with the same weight `w` each time, so `w` gets a gradient from
every step, and the gradient of an early step has passed through all the later ones. Watch the
gradient of `h` shrink on its way back: each step multiplies it by `w` and by the slope of tanh.

Read next: site/gallery.py.
"""

import graphlab as torch

w = torch.tensor(0.8, requires_grad=True)
u = torch.tensor(0.5, requires_grad=True)
words = [1.0, -0.5, 0.25, 0.0]

h = torch.tensor(0.0)
for word in words:
    h = torch.tanh(w * h + u * word)
loss = (h - 1) ** 2

timeline = torch.trace(loss)
