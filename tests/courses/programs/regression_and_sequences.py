"""Linear and softmax regression from scratch, a recurrent net, attention, weight decay, dropout."""

import random

import torch
from torch import nn


def synthetic_data(w, b, num_examples):
    X = torch.normal(0, 1, (num_examples, len(w)))
    y = torch.matmul(X, w) + b
    y += torch.normal(0, 0.01, y.shape)
    return X, y.reshape((-1, 1))


torch.manual_seed(3)
true_w, true_b = torch.tensor([2, -3.4]), 4.2
features, labels = synthetic_data(true_w, true_b, 100)
print(features[0], labels[0])


def data_iter(batch_size, features, labels):
    num_examples = len(features)
    indices = list(range(num_examples))
    random.Random(0).shuffle(indices)
    for i in range(0, num_examples, batch_size):
        batch = torch.tensor(indices[i : min(i + batch_size, num_examples)])
        yield features[batch], labels[batch]


w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(3):
    for X, y in data_iter(10, features, labels):
        loss = ((torch.matmul(X, w) + b - y.reshape((-1, 1))) ** 2 / 2).sum()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.03 * p.grad / 10
                p.grad.zero_()
    with torch.no_grad():
        train_l = (torch.matmul(features, w) + b - labels) ** 2 / 2
        print(f"epoch {epoch + 1}, loss {float(train_l.mean()):f}")
print(f"error of w: {[round(v, 3) for v in (true_w - w.reshape(true_w.shape)).tolist()]}")

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(X.sum(0, keepdim=True), X.sum(1, keepdim=True))


def softmax(X):
    X_exp = torch.exp(X)
    return X_exp / X_exp.sum(1, keepdim=True)


print(softmax(X))
y = torch.tensor([0, 2])
y_hat = torch.tensor([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
print(y_hat[[0, 1], y], -torch.log(y_hat[range(len(y_hat)), y]))
print((y_hat.argmax(axis=1).type(y.dtype) == y).type(y.dtype).sum())


def dropout_layer(X, dropout):
    mask = (torch.rand(X.shape) > dropout).float()
    return mask * X / (1.0 - dropout)


print(dropout_layer(torch.arange(16, dtype=torch.float32).reshape((2, 8)), 0.5))
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))


def init_weights(m):
    if type(m) is nn.Linear:
        nn.init.normal_(m.weight, mean=0, std=0.01)
        nn.init.zeros_(m.bias)


net.apply(init_weights)
print(net[0].weight, dict(net[2].state_dict()))
print(*[(name, param.shape) for name, param in net.named_parameters()])
trainer = torch.optim.SGD(
    [{"params": net[0].parameters(), "weight_decay": 0.1}, {"params": net[2].parameters()}], lr=0.1
)
print(trainer)
for _ in range(3):
    trainer.zero_grad()
    loss = nn.MSELoss()(net(features), labels)
    loss.backward()
    trainer.step()
print(f"{loss.item():.4f}")


def corr2d(X, K):
    h, w = K.shape
    Y = torch.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y


X = torch.ones((6, 8))
X[:, 2:6] = 0
K = torch.tensor([[1.0, -1.0]])
Y = corr2d(X, K)
print(Y)
conv2d = nn.Conv2d(1, 1, kernel_size=(1, 2), bias=False)
X, Y = X.reshape((1, 1, 6, 8)), Y.reshape((1, 1, 6, 7))
for i in range(10):
    l = (conv2d(X) - Y) ** 2
    conv2d.zero_grad()
    l.sum().backward()
    conv2d.weight.data[:] -= 3e-2 * conv2d.weight.grad
print(f"{l.sum():.3f}")
rnn = nn.RNN(3, 5)
state = torch.zeros((1, 2, 5))
Y, state_new = rnn(torch.linspace(-1, 1, 4 * 2 * 3).reshape(4, 2, 3), state)
print(Y.shape, state_new.shape, Y[-1])
lstm = nn.LSTM(3, 4, num_layers=2, batch_first=True)
out, (h, c) = lstm(torch.linspace(-1, 1, 2 * 5 * 3).reshape(2, 5, 3))
print(out.shape, h.shape, f"{out.sum().item():.4f}")
loss = out.pow(2).sum()
loss.backward()
print([f"{p.grad.norm().item():.4f}" for p in lstm.parameters()])
q, k, v = (torch.linspace(-1, 1, 24).reshape(1, 4, 6) * s for s in (1, 2, 3))
scores = torch.bmm(q, k.transpose(1, 2)) / 6**0.5
mask = torch.tril(torch.ones(4, 4)).bool()
weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
print(weights, torch.bmm(weights, v)[0, -1])
attention = nn.MultiheadAttention(6, 2, batch_first=True)
print(attention(q, k, v)[1].shape)
embedding = nn.Embedding(5, 3)
print(embedding(torch.tensor([[0, 2], [4, 4]])).shape, embedding)
print(nn.LayerNorm(2)(torch.tensor([[1, 2], [2, 3]], dtype=torch.float32)))
