"""A university's practica: matrices that stretch clouds of points, a graph walked by hand, spirals to classify."""

import math

import torch
from torch import nn, optim

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print(device)
torch.manual_seed(4)
n_points = 1000
X = torch.randn(n_points, 2).to(device)
print(X.shape, X.mean(0), X.std(0))
for i in range(3):
    W = torch.randn(2, 2).to(device)
    Y = X @ W.t()
    U, S, V = torch.svd(W)
    print(f"singular values {S[0]:.3f} {S[1]:.3f}, area {W.det().abs():.4f}", Y.std(0))
model = nn.Sequential(nn.Linear(2, 2, bias=False))
model.to(device)
for s in range(1, 6):
    W = s * torch.eye(2)
    model[0].weight.data.copy_(W)
    with torch.no_grad():
        Y = torch.tanh(model(X)).data
    print(s, f"{Y.abs().max():.4f}", f"{(Y.abs() > 0.9).float().mean():.4f}")
n_hidden = 5
model = nn.Sequential(nn.Linear(2, n_hidden), nn.Tanh(), nn.Linear(n_hidden, 2))
for t in range(3):
    with torch.no_grad():
        Y = model(X).detach()
    print(Y[:2])
NL = nn.ReLU()
for depth in (1, 3):
    layers = [nn.Linear(2, n_hidden)]
    for _ in range(depth):
        layers += [NL, nn.Linear(n_hidden, n_hidden)]
    deep = nn.Sequential(*layers, nn.Linear(n_hidden, 2))
    print(len(deep), deep(X).detach().std(0))

x = torch.tensor([[1, 2], [3, 4]], requires_grad=True, dtype=torch.float32)
y = x - 2
print(y, y.grad_fn is not None, x.grad_fn)
print(y.grad_fn.next_functions[0][0].variable is x)
z = y * y * 3
a = z.mean()
print(z, a)
a.backward()
print(x.grad)
i = a.grad_fn
while i.next_functions:
    print(type(i).__name__)
    i = i.next_functions[0][0]
print(type(i).__name__)
x = torch.randn(3, requires_grad=True)
y = x * 2
i = 0
while y.data.norm() < 1000:
    y = y * 2
    i += 1
print(y, i)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(x.grad)
n = 3
x = torch.arange(1.0, n + 1, requires_grad=True)
w = torch.ones(n, requires_grad=True)
z = w @ x
z.backward()
print(x.grad, w.grad, sep="\n")
x = torch.arange(1.0, n + 1)
w = torch.ones(n, requires_grad=True)
z = w @ x
z.backward()
print(x.grad, w.grad, sep="\n")
with torch.no_grad():
    z = w @ x
try:
    z.backward()
except RuntimeError as e:
    print("RuntimeError!!! >:[")
    print(e)

torch.manual_seed(12345)
N = 1000
D = 2
C = 3
H = 100
X = torch.zeros(N * C, D).to(device)
y = torch.zeros(N * C, dtype=torch.long).to(device)
for c in range(C):
    index = 0
    t = torch.linspace(0, 1, N)
    inner_var = (
        torch.linspace((2 * math.pi / C) * c, (2 * math.pi / C) * (2 + c), N) + torch.randn(N) * 0.2
    )
    for ix in range(N * c, N * (c + 1)):
        X[ix] = t[index] * torch.FloatTensor(
            (math.sin(inner_var[index]), math.cos(inner_var[index]))
        )
        y[ix] = c
        index += 1
print("Shapes:")
print("X:", tuple(X.size()))
print("y:", tuple(y.size()))
print(X[N - 1], y[-1], X.mean(0))

learning_rate = 1e-3
lambda_l2 = 1e-5
model = nn.Sequential(nn.Linear(D, H), nn.Linear(H, C))
model.to(device)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate, weight_decay=lambda_l2)
for t in range(60):
    y_pred = model(X)
    loss = criterion(y_pred, y)
    score, predicted = torch.max(y_pred, 1)
    acc = (y == predicted).sum().float() / len(y)
    if t % 20 == 0:
        print("[EPOCH]: %i, [LOSS]: %.4f, [ACCURACY]: %.3f" % (t, loss.item(), acc))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model)
model = nn.Sequential(nn.Linear(D, H), nn.ReLU(), nn.Linear(H, C))
optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, weight_decay=lambda_l2)
for e in range(60):
    y_pred = model(X)
    loss = criterion(y_pred, y)
    score, predicted = torch.max(y_pred, 1)
    acc = (y == predicted).sum().float() / len(y)
    if e % 20 == 0:
        print("[EPOCH]: %i, [LOSS]: %.4f, [ACCURACY]: %.3f" % (e, loss.item(), acc))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model)

X = torch.unsqueeze(torch.linspace(-1, 1, 100), dim=1)
y = X.pow(3) + 0.3 * torch.rand(X.size())
for net in (
    nn.Sequential(nn.Linear(1, H), nn.Linear(H, 1)),
    nn.Sequential(nn.Linear(1, H), nn.Tanh(), nn.Linear(H, 1)),
):
    criterion = torch.nn.MSELoss()
    optimizer = optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-5)
    for t in range(200):
        loss = criterion(net(X), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("[EPOCH]: %i, [LOSS or MSE]: %.4f" % (t, loss.item()))
