"""A recurrent network: one weight, used at every step.

Each step computes the next state `h` from the last one with the same weight `w`. So `w` gets a
gradient from every step, and the gradient of an early step has passed through all later steps.
Watch the gradient of `h` shrink on its way back: each step multiplies it by `w` and by the slope of
tanh.

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
