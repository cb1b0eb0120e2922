"""Automatic differentiation as a text book does it: dot products, detach, loops and branches."""

import torch

x = torch.arange(4.0)
print(x)
x.requires_grad_(True)
print(x.grad)
y = 2 * torch.dot(x, x)
print(y)
y.backward()
print(x.grad)
print(x.grad == 4 * x)
x.grad.zero_()
y = x.sum()
y.backward()
print(x.grad)
x.grad.zero_()
y = x * x
y.backward(gradient=torch.ones(len(y)))
print(x.grad)
x.grad.zero_()
y = x * x
u = y.detach()
z = u * x
z.sum().backward()
print(x.grad == u)
x.grad.zero_()
y.sum().backward()
print(x.grad == 2 * x)


def f(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    if b.sum() > 0:
        c = b
    else:
        c = 100 * b
    return c


torch.manual_seed(1)
a = torch.randn(size=(), requires_grad=True)
d = f(a)
d.backward()
print(a, d)
print(a.grad == d / a)

A = torch.arange(20, dtype=torch.float32).reshape(5, 4)
B = A.clone()
print(A, A + B, A * B)
print(A.sum(axis=0), A.sum(axis=1), A.sum(axis=[0, 1]), A.mean(), A.sum() / A.numel())
sum_A = A.sum(axis=1, keepdims=True)
print(sum_A, A / sum_A, A.cumsum(axis=0))
x = torch.arange(4, dtype=torch.float32)
print(torch.mv(A, x), A @ x, torch.mm(A, torch.ones(4, 3)))
print(torch.norm(torch.tensor([3.0, -4.0])), torch.abs(x).sum(), torch.norm(torch.ones((4, 9))))
X = torch.arange(12).reshape(3, 4)
print(X.numel(), X.shape, X[-1], X[1:3], X == X.T.reshape(3, 4))
Y = torch.tensor([[2.0, 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]])
X = X.float()
print(torch.cat((X, Y), dim=0), torch.cat((X, Y), dim=1), X == Y, X.sum())
X[1, 2] = 17
X[:2, :] = 12
print(X)
before = id(X)
X += Y
print(id(X) == before)
array = X.numpy()
again = torch.from_numpy(array)
print(type(array), type(again), array.shape)
a = torch.tensor([3.5])
print(a, a.item(), float(a), int(a))
