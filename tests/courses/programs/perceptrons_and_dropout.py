"""A text book's multilayer perceptrons: activations, from scratch and in short, dropout, numerical stability."""

import torch
from torch import nn
from torch.utils import data

torch.manual_seed(2)
x = torch.arange(-8.0, 8.0, 0.1, requires_grad=True)
y = torch.relu(x)
y.backward(torch.ones_like(x), retain_graph=True)
print(y.detach()[::20], x.grad[::20])
x.grad.data.zero_()
y = torch.sigmoid(x)
y.backward(torch.ones_like(x), retain_graph=True)
print(y.detach()[::20], x.grad[::20])
x.grad.data.zero_()
y = torch.tanh(x)
y.backward(torch.ones_like(x), retain_graph=True)
print(y.detach()[::20], x.grad[::20])
print(torch.nn.functional.prelu(x.detach()[::40], torch.tensor([0.25])))

prototypes = torch.rand(10, 1, 28, 28)


def load_images(n, batch_size, train):
    labels = torch.randint(0, 10, (n,))
    images = 0.5 * prototypes[labels] + 0.5 * torch.rand(n, 1, 28, 28)
    return data.DataLoader(data.TensorDataset(images, labels), batch_size, shuffle=train)


batch_size = 256
train_iter = load_images(1536, batch_size, True)
test_iter = load_images(512, batch_size, False)


def evaluate_accuracy(net, data_iter):
    correct, total = 0, 0
    with torch.no_grad():
        for X, y in data_iter:
            correct += (net(X).argmax(1) == y).sum()
            total += y.numel()
    return correct / total


def train(net, loss, num_epochs, updater):
    for epoch in range(num_epochs):
        total, count = 0.0, 0
        for X, y in train_iter:
            l = loss(net(X), y)
            updater.zero_grad()
            l.mean().backward()
            updater.step()
            total, count = total + float(l.detach().sum()), count + len(y)
        print(
            f"epoch {epoch + 1}, loss {total / count:.4f}, test acc {evaluate_accuracy(net, test_iter):.3f}"
        )


num_inputs, num_outputs, num_hiddens = 784, 10, 256
W1 = nn.Parameter(torch.randn(num_inputs, num_hiddens, requires_grad=True) * 0.01)
b1 = nn.Parameter(torch.zeros(num_hiddens, requires_grad=True))
W2 = nn.Parameter(torch.randn(num_hiddens, num_outputs, requires_grad=True) * 0.01)
b2 = nn.Parameter(torch.zeros(num_outputs, requires_grad=True))
params = [W1, b1, W2, b2]
print([(tuple(p.shape), p.is_leaf, p.requires_grad) for p in params])


def relu(X):
    a = torch.zeros_like(X)
    return torch.max(X, a)


def net(X):
    X = X.reshape((-1, num_inputs))
    H = relu(X @ W1 + b1)
    return H @ W2 + b2


loss = nn.CrossEntropyLoss(reduction="none")
num_epochs, lr = 3, 0.1
updater = torch.optim.SGD(params, lr=lr)
train(net, loss, num_epochs, updater)

net = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


def init_weights(m):
    if type(m) == nn.Linear:
        nn.init.normal_(m.weight, std=0.01)


net.apply(init_weights)
trainer = torch.optim.SGD(net.parameters(), lr=lr)
train(net, loss, num_epochs, trainer)


def dropout_layer(X, dropout):
    assert 0 <= dropout <= 1
    if dropout == 1:
        return torch.zeros_like(X)
    if dropout == 0:
        return X
    mask = (torch.rand(X.shape) > dropout).float()
    return mask * X / (1.0 - dropout)


X = torch.arange(16, dtype=torch.float32).reshape((2, 8))
print(X)
print(dropout_layer(X, 0.0))
print(dropout_layer(X, 0.5))
print(dropout_layer(X, 1.0))
dropout1, dropout2 = 0.2, 0.5


class Net(nn.Module):
    def __init__(self, num_inputs, num_outputs, num_hiddens1, num_hiddens2, is_training=True):
        super().__init__()
        self.num_inputs = num_inputs
        self.training = is_training
        self.lin1 = nn.Linear(num_inputs, num_hiddens1)
        self.lin2 = nn.Linear(num_hiddens1, num_hiddens2)
        self.lin3 = nn.Linear(num_hiddens2, num_outputs)
        self.relu = nn.ReLU()

    def forward(self, X):
        H1 = self.relu(self.lin1(X.reshape((-1, self.num_inputs))))
        if self.training is True:
            H1 = dropout_layer(H1, dropout1)
        H2 = self.relu(self.lin2(H1))
        if self.training is True:
            H2 = dropout_layer(H2, dropout2)
        return self.lin3(H2)


net = Net(num_inputs, num_outputs, 256, 256)
trainer = torch.optim.SGD(net.parameters(), lr=0.5)
train(net, loss, 2, trainer)
net = nn.Sequential(
    nn.Flatten(),
    nn.Linear(784, 256),
    nn.ReLU(),
    nn.Dropout(dropout1),
    nn.Linear(256, 256),
    nn.ReLU(),
    nn.Dropout(dropout2),
    nn.Linear(256, 10),
)
net.apply(init_weights)
trainer = torch.optim.SGD(net.parameters(), lr=0.5)
train(net, loss, 2, trainer)
net.eval()
print(net, torch.equal(net(prototypes), net(prototypes)))

x = torch.arange(-8.0, 8.0, 0.1, requires_grad=True)
y = torch.sigmoid(x)
y.backward(torch.ones_like(x))
print(
    f"{x.grad.max():.4f} at {x[x.grad.argmax()]:.1f}, at the ends {x.grad[0]:.6f} {x.grad[-1]:.6f}"
)
M = torch.normal(0, 1, size=(4, 4))
print("a single matrix \n", M)
for i in range(100):
    M = M @ torch.normal(0, 1, size=(4, 4))
print("after multiplying 100 matrices", f"{M.abs().max().log10():.3f}")
n_train, lambd = 4, 0.5
X = torch.randn(n_train, 3)
W = torch.randn(3, 2, requires_grad=True)
J = torch.relu(X @ W).sum() + lambd / 2 * (W**2).sum()
J.backward()
print(W.grad, torch.allclose(W.grad, X.T @ (X @ W > 0).float() + lambd * W))
