"""Attention: where to look.

Three words, each with a query, a key and a value of two numbers. The scores say how well each query
fits each key; softmax turns them into shares with the sum 1; the result is the mean of the values,
weighted with the shares. In the backward pass, the gradient of a share says how the loss would
change if that share were larger.

Read next: site/gallery.py.
"""

import graphlab as torch

torch.manual_seed(0)
queries = torch.randn(3, 2, requires_grad=True)
keys = torch.randn(3, 2, requires_grad=True)
values = torch.randn(3, 2, requires_grad=True)

scores = queries @ keys.T / 2**0.5
shares = scores.softmax(dim=1)
result = shares @ values
loss = (result**2).mean()

timeline = torch.trace(loss)
