"""Activations written as modules, their gradients, and what a start does to a deep network."""

import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(42)


class Activation(nn.Module):
    def __init__(self):
        super().__init__()
        self.name = self.__class__.__name__
        self.config = {"name": self.name}


class Sigmoid(Activation):
    def forward(self, x):
        return 1 / (1 + torch.exp(-x))


class Tanh(Activation):
    def forward(self, x):
        up, down = torch.exp(x), torch.exp(-x)
        return (up - down) / (up + down)


class ReLU(Activation):
    def forward(self, x):
        return x * (x > 0).float()


class LeakyReLU(Activation):
    def __init__(self, alpha=0.1):
        super().__init__()
        self.config["alpha"] = alpha

    def forward(self, x):
        return torch.where(x > 0, x, self.config["alpha"] * x)


class ELU(Activation):
    def forward(self, x):
        return torch.where(x > 0, x, torch.exp(x) - 1)


class Swish(Activation):
    def forward(self, x):
        return x * torch.sigmoid(x)


BY_NAME = {kind.__name__.lower(): kind for kind in (Sigmoid, Tanh, ReLU, LeakyReLU, ELU, Swish)}
print(LeakyReLU(), Sigmoid().config, list(BY_NAME))


def slopes(activation, x):
    x = x.clone().requires_grad_()
    activation(x).sum().backward()
    return x.grad


x = torch.linspace(-2, 2, 5)
for name, kind in BY_NAME.items():
    print(name, kind()(x), slopes(kind(), x))
print(F.sigmoid(x), F.tanh(x), F.leaky_relu(x, 0.1), F.elu(x), F.silu(x), F.mish(x), F.selu(x))
print(
    F.softplus(x),
    F.hardtanh(x),
    F.relu6(x * 4),
    F.logsigmoid(x),
    F.hardswish(x),
    F.gelu(x, approximate="tanh"),
)


class Network(nn.Module):
    def __init__(self, act, inputs=16, classes=4, hidden=(12, 10, 8)):
        super().__init__()
        layers, sizes = [], [inputs, *hidden]
        for before, after in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Linear(before, after), act]
        self.layers = nn.Sequential(*layers, nn.Linear(sizes[-1], classes))
        self.config = {"act": act.config, "sizes": list(hidden)}

    def forward(self, x):
        return self.layers(x.view(x.size(0), -1))


net = Network(Tanh())
print(net)
images, labels = torch.randn(32, 1, 4, 4), torch.randint(0, 4, (32,))
for name, kind in BY_NAME.items():
    torch.manual_seed(42)
    net = Network(kind())
    F.cross_entropy(net(images), labels).backward()
    grads = {n: p.grad.view(-1) for n, p in net.named_parameters() if "weight" in n}
    print(name, {n: f"{g.std(unbiased=False):.4f}" for n, g in grads.items()})
    net.zero_grad()


def constant(model, c=0.005):
    for _, p in model.named_parameters():
        p.data.fill_(c)


def by_variance(model):
    for name, p in model.named_parameters():
        if name.endswith(".bias"):
            p.data.fill_(0)
        else:
            p.data.normal_(std=1.0 / (p.shape[1] ** 0.5))


def xavier(model):
    for name, p in model.named_parameters():
        if name.endswith(".bias"):
            p.data.fill_(0)
        else:
            bound = (6 / (p.shape[0] + p.shape[1])) ** 0.5
            p.data.uniform_(-bound, bound)


def kaiming(model):
    for name, p in model.named_parameters():
        if name.endswith(".bias"):
            p.data.fill_(0)
        elif name.startswith("layers.0"):
            p.data.normal_(0, 1 / p.shape[1] ** 0.5)
        else:
            p.data.normal_(0, 2**0.5 / p.shape[1] ** 0.5)


@torch.no_grad()
def spreads(model, x):
    found = []
    x = x.flatten(1)
    for layer in model.layers:
        x = layer(x)
        if isinstance(layer, nn.Linear):
            found.append(round(x.var().item(), 4))
    return found


for start in (constant, by_variance, xavier, kaiming):
    torch.manual_seed(42)
    net = Network(ReLU())
    start(net)
    print(start.__name__, spreads(net, images))
dead = {}
net = Network(ReLU())
x = images.flatten(1)
for i, layer in enumerate(net.layers):
    x = layer(x)
    if isinstance(layer, ReLU):
        dead[i] = (x <= 0).all(dim=0).sum().item()
print(dead)


class SGD:
    def __init__(self, params, lr, momentum=0.0):
        self.params, self.lr, self.momentum = list(params), lr, momentum
        self.speed = {p: torch.zeros_like(p.data) for p in self.params}

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.detach_()
                p.grad.zero_()

    @torch.no_grad()
    def step(self):
        for p in self.params:
            if p.grad is None:
                continue
            self.speed[p] = (1 - self.momentum) * p.grad + self.momentum * self.speed[p]
            p.add_(-self.lr * self.speed[p])


def fit(model, optimizer, epochs=4):
    losses = []
    for _ in range(epochs):
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(round(loss.item(), 4))
    return losses


for make in (
    lambda p: SGD(p, 0.1),
    lambda p: SGD(p, 0.1, 0.9),
    lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    lambda p: optim.Adam(p, lr=1e-2),
    lambda p: optim.RMSprop(p, lr=1e-2),
    lambda p: optim.Adagrad(p, lr=1e-1),
):
    torch.manual_seed(7)
    net = Network(Tanh())
    optimizer = make(net.parameters())
    print(type(optimizer).__name__, fit(net, optimizer))


def hill(w1, w2):
    return torch.tanh(w1) ** 2 + 0.01 * torch.abs(w1) + 5 * torch.sigmoid(w2)


w = nn.Parameter(torch.FloatTensor([-5, 5]))
optimizer = optim.Adam([w], lr=1.0)
for _ in range(5):
    loss = hill(w[0], w[1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(w, w.grad, loss)
counts, edges = torch.histc(w.grad, bins=3), torch.linspace(w.min().item(), w.max().item(), 4)
print(counts, edges)
