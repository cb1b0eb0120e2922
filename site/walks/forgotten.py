"""A forgotten zero_grad().

This program trains for three rounds and never clears `w.grad`. There is no error message. Press `n`
to go from pass to pass and read what `w.grad` holds: each pass adds its gradient to the earlier
ones, so `step()` moves `w` too far.

Read next: site/gallery.py.
"""

import graphlab as torch

w = torch.tensor(3.0, requires_grad=True)
x, y = torch.tensor(2.0), torch.tensor(4.0)
optimizer = torch.optim.SGD([w], lr=0.1)

with torch.record() as timeline:
    for _ in range(3):
        loss = (w * x - y) ** 2
        loss.backward()  # optimizer.zero_grad() should stand before this line
        optimizer.step()
