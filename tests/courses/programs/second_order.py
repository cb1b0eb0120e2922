"""Gradients of gradients at work: a physics-informed net, Newton, L-BFGS, MAML, implicit solutions."""

import torch
from torch import nn
from torch.autograd import grad
from torch.autograd.functional import hessian

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1))
t = torch.linspace(0, 1, 10).view(-1, 1).requires_grad_(True)
t0 = torch.tensor([[0.0]], requires_grad=True)
optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(6):
    optimiser.zero_grad()
    u0 = net(t0)
    loss1 = (torch.squeeze(u0) - 1) ** 2
    du0 = grad(u0, t0, torch.ones_like(u0), create_graph=True)[0]
    loss2 = (torch.squeeze(du0) - 0) ** 2
    u = net(t)
    dudt = grad(u, t, torch.ones_like(u), create_graph=True)[0]
    d2udt2 = grad(dudt, t, torch.ones_like(dudt), create_graph=True)[0]
    loss3 = torch.mean((d2udt2 + 4 * dudt + 25 * u) ** 2)
    loss = loss1 + 0.1 * loss2 + 1e-3 * loss3
    loss.backward()
    optimiser.step()
    if i % 2 == 1:
        print(i, f"{loss.item():.5f}", d2udt2.grad_fn, net[0].weight.grad.norm())


def rosenbrock(v):
    return (1 - v[0]) ** 2 + 100 * (v[1] - v[0] ** 2) ** 2


v = torch.tensor([-1.2, 1.0], dtype=torch.double)
for _ in range(6):
    v.requires_grad_()
    (g,) = grad(rosenbrock(v), v)
    H = hessian(rosenbrock, v)
    v = (v - torch.linalg.solve(H, g)).detach()
print(v, rosenbrock(v) < 1e-9, torch.linalg.eigvalsh(H))
w = torch.tensor([-1.2, 1.0], requires_grad=True)
lbfgs = torch.optim.LBFGS([w], lr=1, max_iter=20, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = rosenbrock(w)
    loss.backward()
    return loss


for _ in range(2):
    value = lbfgs.step(closure)
    print(f"{value:.4f}", w)


def forward(x, params):
    w1, b1, w2, b2 = params
    return torch.tanh(x @ w1 + b1) @ w2 + b2


params = [torch.randn(1, 8), torch.zeros(8), torch.randn(8, 1) / 8**0.5, torch.zeros(1)]
params = [p.requires_grad_() for p in params]
meta = torch.optim.SGD(params, lr=0.02)
for step in range(4):
    meta.zero_grad()
    total = 0.0
    for phase in (0.0, 1.0, 2.0):
        xs, xq = torch.rand(5, 1) * 4 - 2, torch.rand(5, 1) * 4 - 2
        inner = ((forward(xs, params) - torch.sin(xs + phase)) ** 2).mean()
        grads = grad(inner, params, create_graph=True)
        adapted = [p - 0.1 * g for p, g in zip(params, grads, strict=True)]
        outer = ((forward(xq, adapted) - torch.sin(xq + phase)) ** 2).mean()
        outer.backward()
        total += outer.item()
    meta.step()
    print(step, f"{total / 3:.4f}", params[1].grad[:2], adapted[0].grad_fn)


class SquareRoot(torch.autograd.Function):
    """z with z*z = a by iteration; its derivative by the implicit function theorem."""

    @staticmethod
    def forward(ctx, a):
        z = torch.ones_like(a)
        for _ in range(20):
            z = 0.5 * (z + a / z)
        ctx.save_for_backward(z)
        return z

    @staticmethod
    def backward(ctx, grad_output):
        (z,) = ctx.saved_tensors
        return grad_output / (2 * z)


a = torch.tensor([2.0, 9.0], dtype=torch.double, requires_grad=True)
z = SquareRoot.apply(a)
print(z, grad(z.sum(), a), torch.autograd.gradcheck(SquareRoot.apply, (a,)))
print(torch.autograd.gradgradcheck(lambda a: SquareRoot.apply(a), (a,)))
x = torch.tensor(1.0, requires_grad=True)
y = x.sin()
for order in range(1, 5):
    (y,) = grad(y, x, create_graph=True)
    print(order, y)
try:
    grad(grad((x**3).sum(), x)[0], x)
except RuntimeError as e:
    print(e)
