"""A practical course from the foundations: matrix products four ways, starts, backward by hand, layers, modules."""

from math import sqrt

import torch
from torch import tensor

torch.manual_seed(0)


def matmul(a, b):
    ar, ac = a.shape
    br, bc = b.shape
    assert ac == br
    c = torch.zeros(ar, bc)
    for i in range(ar):
        for j in range(bc):
            for k in range(ac):
                c[i, j] += a[i, k] * b[k, j]
    return c


m1 = torch.randn(5, 28 * 28)
m2 = torch.randn(784, 10)
t1 = matmul(m1[:2], m2[:, :2])
t2 = m1 @ m2
print(t1, torch.allclose(t1, t2[:2, :2], atol=1e-3))
a = tensor([10.0, 6, -4])
b = tensor([2.0, 8, 7])
print(a + b, a < b, (a < b).all(), (a == b).all(), (a + b).mean().item())
m = tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
print(m * m)
n = tensor([[1.0, 2, 3], [4, 5, 6]])
try:
    m * n
except RuntimeError as error:
    print(error)


def matmul(a, b):
    ar, ac = a.shape
    br, bc = b.shape
    c = torch.zeros(ar, bc)
    for i in range(ar):
        for j in range(bc):
            c[i, j] = (a[i] * b[:, j]).sum()
    return c


print(torch.allclose(matmul(m1, m2), t2, atol=1e-3))
print(a > 0, (m - 5) / 2.73)
c = tensor([10.0, 20, 30])
print(m.shape, c.shape, m + c, c.expand_as(m))
t = c.expand_as(m)
print(list(t.untyped_storage().tolist())[:4], t.stride(), t.shape)
c = tensor([10.0, 20])
try:
    print(c + n)
except RuntimeError as error:
    print(error)
c = tensor([10.0, 20, 30]).unsqueeze(1)
print(m.shape, c.shape, c + m)
t = c.expand_as(m)
print(t.stride(), t.shape)
c = tensor([10.0, 20, 30])
print(c.shape, c.unsqueeze(0).shape, c.unsqueeze(1).shape)
print(c[None, :].shape, c[:, None].shape, c[None].shape, c[..., None].shape)


def matmul(a, b):
    ar, ac = a.shape
    br, bc = b.shape
    c = torch.zeros(ar, bc)
    for i in range(ar):
        c[i] = (a[i].unsqueeze(-1) * b).sum(dim=0)
    return c


print(torch.allclose(matmul(m1, m2), t2, atol=1e-3))
print(torch.allclose(torch.einsum("ik,kj->ij", m1, m2), t2, atol=1e-3))


def lin(x, w, b):
    return x @ w + b


x = torch.randn(200, 100)
y = torch.randn(200)
w1 = torch.randn(100, 50)
b1 = torch.zeros(50)
w2 = torch.randn(50, 1)
b2 = torch.zeros(1)
l1 = lin(x, w1, b1)
print(l1.shape, l1.mean(), l1.std())
for scale in (1, 0.01, 0.1):
    x = torch.randn(200, 100)
    for i in range(50):
        x = x @ (torch.randn(100, 100) * scale)
    print(x[0:2, 0:5], x.std().isnan())


def relu(x):
    return x.clamp_min(0.0)


for factor in (1, 2):
    x = torch.randn(200, 100)
    for i in range(50):
        x = relu(x @ (torch.randn(100, 100) * sqrt(factor / 100)))
    print(f"{x.mean():.4g} {x.std():.4g}")
x = torch.randn(200, 100)
y = torch.randn(200)
w1 = torch.randn(100, 50) * sqrt(2 / 100)
w2 = torch.randn(50, 1) * sqrt(2 / 50)
l1 = lin(x, w1, b1)
l2 = relu(l1)
print(l2.mean(), l2.std())


def model(x):
    l1 = lin(x, w1, b1)
    l2 = relu(l1)
    return lin(l2, w2, b2)


def mse(output, targ):
    return (output.squeeze(-1) - targ).pow(2).mean()


out = model(x)
print(out.shape, mse(out, y))


def mse_grad(inp, targ):
    inp.g = 2.0 * (inp.squeeze() - targ).unsqueeze(-1) / inp.shape[0]


def relu_grad(inp, out):
    inp.g = (inp > 0).float() * out.g


def lin_grad(inp, out, w, b):
    inp.g = out.g @ w.t()
    w.g = inp.t() @ out.g
    b.g = out.g.sum(0)


def forward_and_backward(inp, targ):
    l1 = inp @ w1 + b1
    l2 = relu(l1)
    out = l2 @ w2 + b2
    mse_grad(out, targ)
    lin_grad(l2, out, w2, b2)
    relu_grad(l1, l2)
    lin_grad(inp, l1, w1, b1)


forward_and_backward(x, y)
by_hand = [t.g.clone() for t in (w1, b1, w2, b2, x)]
w12, b12, w22, b22, x2 = (t.clone().requires_grad_(True) for t in (w1, b1, w2, b2, x))
mse(lin(relu(lin(x2, w12, b12)), w22, b22), y).backward()
for g, t in zip(by_hand, (w12, b12, w22, b22, x2)):
    print(torch.allclose(g, t.grad, atol=1e-5), end=" ")
print(b22.grad)


class LayerFunction:
    def __call__(self, *args):
        self.args = args
        self.out = self.forward(*args)
        return self.out

    def forward(self):
        raise Exception("not implemented")

    def bwd(self):
        raise Exception("not implemented")

    def backward(self):
        self.bwd(self.out, *self.args)


class Relu(LayerFunction):
    def forward(self, inp):
        return inp.clamp_min(0.0)

    def bwd(self, out, inp):
        inp.g = (inp > 0).float() * out.g


class Lin(LayerFunction):
    def __init__(self, w, b):
        self.w, self.b = w, b

    def forward(self, inp):
        return inp @ self.w + self.b

    def bwd(self, out, inp):
        inp.g = out.g @ self.w.t()
        self.w.g = inp.t() @ self.out.g
        self.b.g = out.g.sum(0)


class Mse(LayerFunction):
    def forward(self, inp, targ):
        return (inp.squeeze() - targ).pow(2).mean()

    def bwd(self, out, inp, targ):
        inp.g = 2 * (inp.squeeze() - targ).unsqueeze(-1) / targ.shape[0]


class Model:
    def __init__(self):
        self.layers = [Lin(w1, b1), Relu(), Lin(w2, b2)]
        self.loss = Mse()

    def __call__(self, x, targ):
        for l in self.layers:
            x = l(x)
        return self.loss(x, targ)

    def backward(self):
        self.loss.backward()
        for l in reversed(self.layers):
            l.backward()


model = Model()
print(model(x, y))
model.backward()
print(torch.equal(w1.g, by_hand[0]), b2.g)


class LinearLayer(torch.nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(n_out, n_in) * sqrt(2 / n_in))
        self.bias = torch.nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ self.weight.t() + self.bias


layer = LinearLayer(10, 2)
p1, p2 = layer.parameters()
print(p1.shape, p2.shape, layer)
