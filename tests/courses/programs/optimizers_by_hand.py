"""Optimizers written by hand beside those of torch.optim; line searches; fixed points."""

import math

import torch

torch.manual_seed(9)


def himmelblau(p):
    x, y = p
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def run(make, steps=30):
    p = torch.tensor([0.0, 0.0], requires_grad=True)
    opt = make([p])
    for _ in range(steps):
        opt.zero_grad()
        himmelblau(p).backward()
        opt.step()
    return " ".join(f"{v:.4f}" for v in p.tolist())


O = torch.optim  # short
for name, make in {
    "sgd": lambda p: O.SGD(p, lr=0.01),
    "momentum": lambda p: O.SGD(p, lr=0.01, momentum=0.5, dampening=0.1),
    "nesterov": lambda p: O.SGD(p, lr=0.01, momentum=0.5, nesterov=True, weight_decay=0.01),
    "maximize": lambda p: O.SGD(p, lr=1e-5, maximize=True),
    "adagrad": lambda p: O.Adagrad(p, lr=0.5, lr_decay=0.01),
    "adadelta": lambda p: O.Adadelta(p, lr=5.0),
    "rmsprop": lambda p: O.RMSprop(p, lr=0.1, alpha=0.9, centered=True, momentum=0.2),
    "adam": lambda p: O.Adam(p, lr=0.2, betas=(0.8, 0.99), amsgrad=True),
    "adamw": lambda p: O.AdamW(p, lr=0.2, weight_decay=0.1),
    "adamax": lambda p: O.Adamax(p, lr=0.2),
    "nadam": lambda p: O.NAdam(p, lr=0.2),
    "radam": lambda p: O.RAdam(p, lr=0.2),
    "asgd": lambda p: O.ASGD(p, lr=0.01),
    "rprop": lambda p: O.Rprop(p, lr=0.05),
}.items():
    print(f"{name:9s}", run(make))


class MyAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)
                state["t"] += 1
                state["m"].mul_(b1).add_(p.grad, alpha=1 - b1)
                state["v"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                m = state["m"] / (1 - b1 ** state["t"])
                v = state["v"] / (1 - b2 ** state["t"])
                p.addcdiv_(m, v.sqrt().add_(group["eps"]), value=-group["lr"])
        return loss


print("mine     ", run(lambda p: MyAdam(p, lr=0.2)))
print("theirs   ", run(lambda p: O.Adam(p, lr=0.2)))
p = torch.tensor([1.0, 1.0], requires_grad=True)
opt = MyAdam([p], lr=0.2)
print(opt, opt.state_dict())


def closure():
    opt.zero_grad()
    loss = himmelblau(p)
    loss.backward()
    return loss


print(opt.step(closure), p, p.grad, opt.state_dict()["state"])
p = torch.tensor([1.0, 1.0], dtype=torch.double, requires_grad=True)
for step in range(5):
    f = himmelblau(p)
    (g,) = torch.autograd.grad(f, p)
    t = 1.0
    while himmelblau(p - t * g) > f - 0.3 * t * g.dot(g):
        t *= 0.5
    p = (p - t * g).detach().requires_grad_()
    print(step, f"{f.item():.5f}", t)
A = torch.randn(5, 5, dtype=torch.double)
A = A @ A.T + torch.eye(5, dtype=torch.double)
b = torch.randn(5, dtype=torch.double)
x, r = torch.zeros_like(b), b.clone()
d = r.clone()
for _ in range(5):
    alpha = (r @ r) / (d @ A @ d)
    x = x + alpha * d
    new = r - alpha * (A @ d)
    d = new + (new @ new) / (r @ r) * d
    r = new
print(x, torch.allclose(A @ x, b), torch.linalg.cond(A) > 1)
v = torch.randn(5, dtype=torch.double)
for _ in range(200):
    v = torch.nn.functional.normalize(A @ v, dim=0)
print(torch.allclose(v @ A @ v, torch.linalg.eigvalsh(A)[-1]))
theta = torch.tensor(0.5, dtype=torch.double, requires_grad=True)
z = torch.tensor(0.0, dtype=torch.double)
with torch.no_grad():
    for _ in range(60):
        z = torch.cos(theta * z)
z0 = z.clone().requires_grad_()
f = torch.cos(theta * z0)
dz, dtheta = torch.autograd.grad(f, (z0, theta))
print(z, dtheta / (1 - dz))
z = torch.tensor(0.0, dtype=torch.double)
for _ in range(60):
    z = torch.cos(theta * z)
print(torch.autograd.grad(z, theta), math.isclose(z.item(), z0.item()))
