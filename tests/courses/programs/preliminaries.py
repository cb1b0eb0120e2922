"""A text book's preliminaries: data manipulation, linear algebra, probability by sampling."""

import numpy as np
import torch
from torch.distributions import multinomial

x = torch.arange(12, dtype=torch.float32)
print(x, x.numel(), x.shape)
X = x.reshape(3, 4)
print(X, x.reshape(-1, 4).shape)
print(torch.zeros((2, 3, 4)), torch.ones((2, 3, 4)).sum())
torch.manual_seed(0)
print(torch.randn(3, 4))
print(torch.tensor([[2, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]]))
print(X[-1], X[1:3])
X[1, 2] = 17
X[:2, :] = 12
print(X)
print(torch.exp(x))
x = torch.tensor([1.0, 2, 4, 8])
y = torch.tensor([2, 2, 2, 2])
print(x + y, x - y, x * y, x / y, x**y)
X = torch.arange(12, dtype=torch.float32).reshape((3, 4))
Y = torch.tensor([[2.0, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
print(torch.cat((X, Y), dim=0), torch.cat((X, Y), dim=1))
print(X == Y, X.sum())
a = torch.arange(3).reshape((3, 1))
b = torch.arange(2).reshape((1, 2))
print(a + b)
before = id(Y)
Y = Y + X
print(id(Y) == before)
Z = torch.zeros_like(Y)
before = id(Z)
Z[:] = X + Y
print(id(Z) == before)
before = id(X)
X += Y
print(id(X) == before)
A = X.numpy()
B = torch.from_numpy(A)
print(type(A), type(B).__name__)
a = torch.tensor([3.5])
print(a, a.item(), float(a), int(a))

inputs = np.array([[3.0, 0.0, 1.0], [2.0, 0.0, 1.0], [4.0, 1.0, 0.0], [3.0, 0.0, 1.0]])
targets = np.array([127500, 106000, 178100, 140000])
X, y = torch.tensor(inputs), torch.tensor(targets)
print(X, y, X.dtype, y.dtype)

x = torch.tensor(3.0)
y = torch.tensor(2.0)
print(x + y, x * y, x / y, x**y)
A = torch.arange(6).reshape(3, 2)
print(A, A.T)
A = torch.tensor([[1, 2, 3], [2, 0, 4], [3, 4, 5]])
print(A == A.T)
print(torch.arange(24).reshape(2, 3, 4))
A = torch.arange(6, dtype=torch.float32).reshape(2, 3)
B = A.clone()
print(A, A + B, A * B)
a = 2
X = torch.arange(24).reshape(2, 3, 4)
print(a + X, (a * X).shape)
print(A.shape, A.sum(axis=0), A.sum(axis=1).shape)
print(A.sum(axis=[0, 1]) == A.sum(), A.mean(), A.sum() / A.numel())
print(A.mean(axis=0), A.sum(axis=0) / A.shape[0])
sum_A = A.sum(axis=1, keepdims=True)
print(sum_A, A / sum_A, A.cumsum(axis=0))
x = torch.arange(3, dtype=torch.float32)
y = torch.ones(3, dtype=torch.float32)
print(torch.dot(x, y), torch.sum(x * y))
print(A.shape, x.shape, torch.mv(A, x), A @ x)
B = torch.ones(3, 4)
print(torch.mm(A, B), A @ B)
u = torch.tensor([3.0, -4.0])
print(torch.norm(u), torch.abs(u).sum(), torch.norm(torch.ones((4, 9))))


def f(x):
    return 3 * x**2 - 4 * x


for h in 10.0 ** np.arange(-1, -6, -1):
    print(f"h={h:.5f}, numerical limit={(f(1 + h) - f(1)) / h:.5f}")

num_tosses = 100
heads = sum(torch.rand(num_tosses) > 0.5)
tails = num_tosses - heads
print("heads, tails: ", [heads, tails])
fair_probs = torch.tensor([0.5, 0.5])
counts = multinomial.Multinomial(100, fair_probs).sample()
print(counts, counts / 100)
counts = multinomial.Multinomial(10000, fair_probs).sample()
print(counts / 10000)
counts = multinomial.Multinomial(1, fair_probs).sample((10000,))
cum_counts = counts.cumsum(dim=0)
estimates = cum_counts / cum_counts.sum(dim=1, keepdims=True)
estimates = estimates.numpy()
print(estimates.shape, estimates[[9, 99, 999, -1]])
fair_probs = torch.ones([6]) / 6
print(multinomial.Multinomial(10, fair_probs).sample((4,)).sum(dim=0))
print(
    len(
        [
            name
            for name in dir(torch.distributions)
            if name in ("Normal", "Beta", "Uniform", "Poisson")
        ]
    )
)
