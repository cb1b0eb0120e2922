"""Watching training: hooks on tensors, modules and nodes; vanishing gradients; an ODE by steps."""

import torch
import torch.nn as nn

torch.manual_seed(5)


def mlp(act, depth=6, width=16):
    layers = [nn.Linear(8, width), act()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), act()]
    return nn.Sequential(*layers, nn.Linear(width, 1))


x, y = torch.randn(16, 8), torch.randn(16, 1)
for act in (nn.Sigmoid, nn.Tanh, nn.ReLU, nn.GELU):
    net = mlp(act)
    stats, handles = [], []
    for m in net:
        if isinstance(m, act):
            handles.append(m.register_forward_hook(lambda m, i, o: stats.append(o.std().item())))
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    sizes = [m.weight.grad.abs().mean().item() for m in net if isinstance(m, nn.Linear)]
    for h in handles:
        h.remove()
    print(act.__name__, f"{stats[0]:.3f} {stats[-1]:.3f}", " ".join(f"{s:.1e}" for s in sizes[::3]))
net = mlp(nn.ReLU, depth=2)
for name, module in net.named_children():
    module.register_full_backward_hook(
        lambda m, gi, go, name=name: print(
            name, type(m).__name__, gi[0] is None, tuple(go[0].shape)
        )
    )
net[0].register_forward_pre_hook(lambda m, args: (args[0] * 2,))
net[2].weight.register_hook(lambda g: g.clamp(-1e-3, 1e-3))
net[4].bias.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad.shape))
out = net(x)
out.pow(2).mean().backward()
print(net[2].weight.grad.abs().max(), out.grad_fn)


def walk(node, depth=0):
    if node is None or depth > 5:
        return
    print("  " * depth + node.name())
    for child, _ in node.next_functions:
        walk(child, depth + 1)


walk(out.grad_fn)
out = mlp(nn.Tanh, depth=1)(x)
out.grad_fn.register_hook(
    lambda gi, go: print("node", [None if g is None else tuple(g.shape) for g in gi])
)
out.grad_fn.register_prehook(lambda go: (go[0] * 10,))
out.sum().backward()

h = torch.zeros(1, 4, requires_grad=True)
W = torch.randn(4, 4) * 0.9
state, states = h, []
for _ in range(10):
    state = torch.tanh(state @ W + 0.1)
    state.retain_grad()
    states.append(state)
state.sum().backward()
print(" ".join(f"{s.grad.norm().item():.4f}" for s in states))


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))

    def forward(self, t, y):
        return self.net(y**3)


def rk4(f, y, ts):
    path = [y]
    for t0, t1 in zip(ts[:-1], ts[1:], strict=True):
        dt = t1 - t0
        k1 = f(t0, y)
        k2 = f(t0 + dt / 2, y + dt * k1 / 2)
        k3 = f(t0 + dt / 2, y + dt * k2 / 2)
        k4 = f(t1, y + dt * k3)
        y = y + dt * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        path.append(y)
    return torch.stack(path)


true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
ts = torch.linspace(0.0, 1.0, 6)
y0 = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    truth = rk4(lambda t, y: y**3 @ true_A, y0, ts)
field = Field()
opt = torch.optim.RMSprop(field.parameters(), lr=1e-2)
for step in range(8):
    opt.zero_grad()
    loss = (rk4(field, y0, ts) - truth).abs().mean()
    loss.backward()
    opt.step()
print(truth.squeeze()[-1], loss, field.net[0].weight.grad[0])
exact = torch.linalg.matrix_exp(true_A)
print(exact, torch.allclose(torch.matrix_exp(true_A * 0.5) @ torch.matrix_exp(true_A * 0.5), exact))
