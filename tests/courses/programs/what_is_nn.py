"""One classifier, rewritten step by step: bare tensors, functional, Module, Linear, optim, loaders."""

import math

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
n, d, classes = 96, 16, 4
centres = torch.randn(classes, d)
y_all = torch.randint(0, classes, (n + 32,))
x_all = centres[y_all] + 0.8 * torch.randn(n + 32, d)
x_train, x_valid = x_all[:n], x_all[n:]
y_train, y_valid = y_all[:n], y_all[n:]
print(x_train.shape, y_train.min(), y_train.max())
weights = torch.randn(d, classes) / math.sqrt(d)
weights.requires_grad_()
bias = torch.zeros(classes, requires_grad=True)


def log_softmax(x):
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def model(xb):
    return log_softmax(xb @ weights + bias)


def nll(input, target):
    return -input[range(target.shape[0]), target].mean()


def accuracy(out, yb):
    preds = torch.argmax(out, dim=1)
    return (preds == yb).float().mean()


bs = 24
preds = model(x_train[:bs])
print(preds[0], preds.shape)
print(nll(preds, y_train[:bs]), accuracy(preds, y_train[:bs]))
for _epoch in range(2):
    for i in range((n - 1) // bs + 1):
        xb, yb = x_train[i * bs : (i + 1) * bs], y_train[i * bs : (i + 1) * bs]
        loss = nll(model(xb), yb)
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * 0.5
            bias -= bias.grad * 0.5
            weights.grad.zero_()
            bias.grad.zero_()
print(F.cross_entropy(xb @ weights + bias, yb), accuracy(model(xb), yb), weights.grad.abs().sum())


class Logistic(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(d, classes) / math.sqrt(d))
        self.bias = nn.Parameter(torch.zeros(classes))
        self.lin = nn.Linear(classes, classes)

    def forward(self, xb):
        return self.lin(xb @ self.weights + self.bias)


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


def loss_batch(model, loss_func, xb, yb, opt=None):
    loss = loss_func(model(xb), yb)
    if opt is not None:
        loss.backward()
        opt.step()
        opt.zero_grad()
    return loss.item(), len(xb)


def fit(epochs, model, loss_func, opt, train_dl, valid_dl):
    for epoch in range(epochs):
        model.train()
        for xb, yb in train_dl:
            loss_batch(model, loss_func, xb, yb, opt)
        model.eval()
        with torch.no_grad():
            pairs = [loss_batch(model, loss_func, xb, yb) for xb, yb in valid_dl]
        total = sum(loss * count for loss, count in pairs) / sum(count for _, count in pairs)
        print(epoch, f"{total:.4f}")


train_ds = TensorDataset(x_train, y_train)
train_dl = DataLoader(train_ds, batch_size=bs, shuffle=True)
valid_dl = DataLoader(TensorDataset(x_valid, y_valid), batch_size=bs * 2)
net = Logistic()
print(net, [name for name, _ in net.named_parameters()])
fit(2, net, F.cross_entropy, optim.SGD(net.parameters(), lr=0.5, momentum=0.9), train_dl, valid_dl)
cnn = nn.Sequential(
    Lambda(lambda x: x.view(-1, 1, 4, 4)),
    nn.Conv2d(1, 8, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, classes, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    Lambda(lambda x: x.view(x.size(0), -1)),
)
print(cnn, len(train_dl), len(train_ds), train_ds[0][1])
fit(3, cnn, F.cross_entropy, optim.SGD(cnn.parameters(), lr=0.1, momentum=0.9), train_dl, valid_dl)
