"""A classifier of two moons with neurons of one's own, checked against autograd."""

import random

import numpy as np
import torch

x1 = torch.Tensor([2.0]).double()
x1.requires_grad = True
x2 = torch.Tensor([0.0]).double()
x2.requires_grad = True
w1 = torch.Tensor([-3.0]).double()
w1.requires_grad = True
w2 = torch.Tensor([1.0]).double()
w2.requires_grad = True
b = torch.Tensor([6.8813735870195432]).double()
b.requires_grad = True
n = x1 * w1 + x2 * w2 + b
o = torch.tanh(n)
print(o.data.item())
o.backward()
for name, t in [("x2", x2), ("w2", w2), ("x1", x1), ("w1", w1)]:
    print(name, t.grad.item())
x = torch.Tensor([-4.0]).double()
x.requires_grad = True
z = 2 * x + 2 + x
q = z.relu() + z * x
h = (z * z).relu()
y = h + q + q * x
y.backward()
print(y.data.item(), x.grad.item())
a = torch.Tensor([-4.0]).double()
b = torch.Tensor([2.0]).double()
a.requires_grad = True
b.requires_grad = True
c = a + b
d = a * b + b**3
c = c + c + 1
c = c + 1 + c + (-a)
d = d + d * 2 + (b + a).relu()
d = d + 3 * d + (b - a).relu()
e = c - d
f = e**2
g = f / 2.0
g = g + 10.0 / f
g.backward()
print(g.data.item(), a.grad.item(), b.grad.item())

random.seed(1337)
np.random.seed(1337)
angle = np.linspace(0, np.pi, 20)
X = np.vstack([np.c_[np.cos(angle), np.sin(angle)], np.c_[1 - np.cos(angle), 0.5 - np.sin(angle)]])
X += 0.1 * np.random.randn(*X.shape)
y = np.repeat([-1.0, 1.0], 20)
torch.manual_seed(0)
layers = [(2, 8), (8, 8), (8, 1)]
weights = [(torch.rand(i, o) * 2 - 1).requires_grad_() for i, o in layers]
biases = [torch.zeros(o, requires_grad=True) for _, o in layers]
inputs, labels = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
for k in range(20):
    out = inputs
    for w, b in zip(weights[:-1], biases):
        out = (out @ w + b).relu()
    scores = (out @ weights[-1] + biases[-1]).squeeze(1)
    losses = (1 + -labels * scores).relu()
    reg_loss = 1e-4 * sum((p * p).sum() for p in weights + biases)
    total_loss = losses.mean() + reg_loss
    accuracy = ((labels > 0) == (scores > 0)).float().mean()
    for p in weights + biases:
        p.grad = None
    total_loss.backward()
    learning_rate = 1.0 - 0.9 * k / 100
    for p in weights + biases:
        p.data -= learning_rate * p.grad
    if k % 5 == 0:
        print(f"step {k} loss {total_loss.item():.4f}, accuracy {accuracy.item() * 100}%")
