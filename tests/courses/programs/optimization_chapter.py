"""A text book's chapter on optimization: curves in the plane, then each method from scratch and from torch.optim."""

import math

import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils import data


def train_2d(trainer, steps=20):
    x1, x2, s1, s2 = -5, -2, 0, 0
    for _ in range(steps):
        x1, x2, s1, s2 = trainer(x1, x2, s1, s2)
    print(f"epoch {steps}, x1: {float(x1):f}, x2: {float(x2):f}")


eta, beta = 0.4, 0.5
train_2d(lambda x1, x2, s1, s2: (x1 - eta * 0.2 * x1, x2 - eta * 4 * x2, 0, 0))
train_2d(lambda x1, x2, v1, v2: (
    x1 - eta * (beta * v1 + 0.2 * x1),
    x2 - eta * (beta * v2 + 4 * x2),
    beta * v1 + 0.2 * x1,
    beta * v2 + 4 * x2,
))  # fmt: skip
x = torch.tensor(10.0, requires_grad=True)
for _ in range(10):
    (x**2).backward()
    with torch.no_grad():
        x -= 0.2 * x.grad
    x.grad.zero_()
print(f"epoch 10, x: {x.item():f}")
torch.manual_seed(0)
point = torch.tensor([-5.0, -2.0])
for t in range(50):
    noise = torch.normal(0.0, 1, (2,))
    point = point - 0.1 * math.exp(-0.1 * t) * (torch.tensor([2.0, 4.0]) * point + noise)
print(point)

A, B, C = torch.zeros(64, 64), torch.randn(64, 64), torch.randn(64, 64)
for i in range(64):
    for j in range(16):
        A[i, j] = torch.dot(B[i, :], C[:, j])
print(torch.allclose(A[:, :16], torch.mm(B, C)[:, :16], atol=1e-4))
for j in range(64):
    A[:, j] = torch.mv(B, C[:, j])
print(torch.allclose(A, B @ C, atol=1e-4))


def get_data_ch11(batch_size=10, n=700):
    generator = torch.Generator().manual_seed(5)
    features = torch.randn(n, 5, generator=generator)
    labels = features @ torch.tensor([0.5, -0.4, 0.3, -0.2, 0.1]) + 0.5 * torch.randn(
        n, generator=generator
    )
    return data.DataLoader(data.TensorDataset(features, labels), batch_size, shuffle=True), 5


def linreg(X, w, b):
    return torch.matmul(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def evaluate_loss(net, data_iter, loss):
    total, count = 0.0, 0
    for X, y in data_iter:
        l = loss(net(X), y)
        total, count = total + float(l.sum()), count + l.numel()
    return total / count


def train_ch11(trainer_fn, states, hyperparams, data_iter, feature_dim, num_epochs=1):
    w = torch.normal(mean=0.0, std=0.01, size=(feature_dim, 1), requires_grad=True)
    b = torch.zeros((1), requires_grad=True)
    net, loss = lambda X: linreg(X, w, b), squared_loss
    for _ in range(num_epochs):
        for X, y in data_iter:
            l = loss(net(X), y).mean()
            l.backward()
            trainer_fn([w, b], states, hyperparams)
    print(f"{trainer_fn.__name__} loss: {evaluate_loss(net, data_iter, loss):.3f}")


def sgd(params, states, hyperparams):
    for p in params:
        p.data.sub_(hyperparams["lr"] * p.grad)
        p.grad.data.zero_()


def sgd_momentum(params, states, hyperparams):
    for p, v in zip(params, states):
        with torch.no_grad():
            v[:] = hyperparams["momentum"] * v + p.grad
            p[:] -= hyperparams["lr"] * v
        p.grad.data.zero_()


def adagrad(params, states, hyperparams):
    eps = 1e-6
    for p, s in zip(params, states):
        with torch.no_grad():
            s[:] += torch.square(p.grad)
            p[:] -= hyperparams["lr"] * p.grad / torch.sqrt(s + eps)
        p.grad.data.zero_()


def rmsprop(params, states, hyperparams):
    gamma, eps = hyperparams["gamma"], 1e-6
    for p, s in zip(params, states):
        with torch.no_grad():
            s[:] = gamma * s + (1 - gamma) * torch.square(p.grad)
            p[:] -= hyperparams["lr"] * p.grad / torch.sqrt(s + eps)
        p.grad.data.zero_()


def adadelta(params, states, hyperparams):
    rho, eps = hyperparams["rho"], 1e-5
    for p, (s, delta) in zip(params, states):
        with torch.no_grad():
            s[:] = rho * s + (1 - rho) * torch.square(p.grad)
            g = (torch.sqrt(delta + eps) / torch.sqrt(s + eps)) * p.grad
            p[:] -= g
            delta[:] = rho * delta + (1 - rho) * g * g
        p.grad.data.zero_()


def adam(params, states, hyperparams):
    beta1, beta2, eps = 0.9, 0.999, 1e-6
    for p, (v, s) in zip(params, states):
        with torch.no_grad():
            v[:] = beta1 * v + (1 - beta1) * p.grad
            s[:] = beta2 * s + (1 - beta2) * torch.square(p.grad)
            v_bias_corr = v / (1 - beta1 ** hyperparams["t"])
            s_bias_corr = s / (1 - beta2 ** hyperparams["t"])
            p[:] -= hyperparams["lr"] * v_bias_corr / (torch.sqrt(s_bias_corr) + eps)
        p.grad.data.zero_()
    hyperparams["t"] += 1


def one_state(feature_dim):
    return (torch.zeros((feature_dim, 1)), torch.zeros(1))


def two_states(feature_dim):
    return tuple((torch.zeros(shape), torch.zeros(shape)) for shape in ((feature_dim, 1), (1,)))


data_iter, feature_dim = get_data_ch11(700)
train_ch11(sgd, None, {"lr": 1}, data_iter, feature_dim, 10)
data_iter, feature_dim = get_data_ch11(100)
train_ch11(sgd, None, {"lr": 0.4}, data_iter, feature_dim, 2)
data_iter, feature_dim = get_data_ch11(batch_size=10)
train_ch11(sgd, None, {"lr": 0.05}, data_iter, feature_dim)
train_ch11(sgd_momentum, one_state(5), {"lr": 0.02, "momentum": 0.5}, data_iter, feature_dim)
train_ch11(adagrad, one_state(5), {"lr": 0.1}, data_iter, feature_dim)
train_ch11(rmsprop, one_state(5), {"lr": 0.01, "gamma": 0.9}, data_iter, feature_dim)
train_ch11(adadelta, two_states(5), {"rho": 0.9}, data_iter, feature_dim)
train_ch11(adam, two_states(5), {"lr": 0.01, "t": 1}, data_iter, feature_dim)


def train_concise_ch11(trainer_fn, hyperparams, data_iter, num_epochs=1):
    net = nn.Sequential(nn.Linear(5, 1))

    def init_weights(m):
        if type(m) == nn.Linear:
            torch.nn.init.normal_(m.weight, std=0.01)

    net.apply(init_weights)
    optimizer = trainer_fn(net.parameters(), **hyperparams)
    loss = nn.MSELoss(reduction="none")
    for _ in range(num_epochs):
        for X, y in data_iter:
            optimizer.zero_grad()
            out = net(X)
            y = y.reshape(out.shape)
            l = loss(out, y)
            l.mean().backward()
            optimizer.step()
    print(f"{trainer_fn.__name__} loss: {evaluate_loss(net, data_iter, loss) / 2:.3f}")


train_concise_ch11(torch.optim.SGD, {"lr": 0.05}, data_iter)
train_concise_ch11(torch.optim.SGD, {"lr": 0.005, "momentum": 0.9}, data_iter)
train_concise_ch11(torch.optim.Adagrad, {"lr": 0.1}, data_iter)
train_concise_ch11(torch.optim.RMSprop, {"lr": 0.01, "alpha": 0.9}, data_iter)
train_concise_ch11(torch.optim.Adadelta, {"rho": 0.9}, data_iter)
train_concise_ch11(torch.optim.Adam, {"lr": 0.01}, data_iter)

net = nn.Linear(5, 1)
trainer = torch.optim.SGD(net.parameters(), lr=0.5)
scheduler = lr_scheduler.MultiStepLR(trainer, milestones=[15, 30], gamma=0.5)


def get_lr(trainer, scheduler):
    lr = scheduler.get_last_lr()[0]
    trainer.step()
    scheduler.step()
    return lr


print([get_lr(trainer, scheduler) for t in range(40)][::10])


class CosineScheduler:
    def __init__(self, max_update, base_lr=0.01, final_lr=0, warmup_steps=0, warmup_begin_lr=0):
        self.base_lr_orig, self.final_lr, self.max_update = base_lr, final_lr, max_update
        self.warmup_steps, self.warmup_begin_lr = warmup_steps, warmup_begin_lr
        self.max_steps = self.max_update - self.warmup_steps

    def __call__(self, epoch):
        if epoch < self.warmup_steps:
            increase = (self.base_lr_orig - self.warmup_begin_lr) * epoch / self.warmup_steps
            return self.warmup_begin_lr + increase
        turn = math.pi * (epoch - self.warmup_steps) / self.max_steps
        return self.final_lr + (self.base_lr_orig - self.final_lr) * (1 + math.cos(turn)) / 2


schedule = CosineScheduler(20, warmup_steps=5, base_lr=0.3, final_lr=0.01)
for epoch in range(20):
    for param_group in trainer.param_groups:
        param_group["lr"] = schedule(epoch)
    if epoch % 5 == 0:
        print(f"{epoch}: {trainer.param_groups[0]['lr']:.4f}")
