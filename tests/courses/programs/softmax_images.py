"""A text book's softmax regression on small images: from scratch with an accumulator, then in short."""

import math

import torch
from torch import nn
from torch.utils import data

torch.manual_seed(1)
text_labels = [
    "t-shirt",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
]
prototypes = torch.rand(10, 1, 28, 28)


def make_images(n):
    labels = torch.randint(0, 10, (n,))
    return data.TensorDataset((prototypes[labels] + torch.rand(n, 1, 28, 28)) / 2, labels)


batch_size = 256
mnist_train, mnist_test = make_images(2048), make_images(512)
train_iter = data.DataLoader(mnist_train, batch_size, shuffle=True)
test_iter = data.DataLoader(mnist_test, batch_size, shuffle=False)
print(len(mnist_train), len(mnist_test), mnist_train[0][0].shape)
X, y = next(iter(test_iter))
print(X.shape, X.dtype, y.shape, y.dtype, [text_labels[int(i)] for i in y[:6]])

num_inputs = 784
num_outputs = 10
W = torch.normal(0, 0.01, size=(num_inputs, num_outputs), requires_grad=True)
b = torch.zeros(num_outputs, requires_grad=True)
X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(X.sum(0, keepdim=True), X.sum(1, keepdim=True))


def softmax(X):
    X_exp = torch.exp(X)
    partition = X_exp.sum(1, keepdim=True)
    return X_exp / partition


X = torch.normal(0, 1, (2, 5))
X_prob = softmax(X)
print(X_prob, X_prob.sum(1))


def net(X):
    return softmax(torch.matmul(X.reshape((-1, W.shape[0])), W) + b)


y = torch.tensor([0, 2])
y_hat = torch.tensor([[0.1, 0.3, 0.6], [0.3, 0.2, 0.5]])
print(y_hat[[0, 1], y])


def cross_entropy(y_hat, y):
    return -torch.log(y_hat[range(len(y_hat)), y])


print(cross_entropy(y_hat, y))


def accuracy(y_hat, y):
    if len(y_hat.shape) > 1 and y_hat.shape[1] > 1:
        y_hat = y_hat.argmax(axis=1)
    cmp = y_hat.type(y.dtype) == y
    return float(cmp.type(y.dtype).sum())


print(accuracy(y_hat, y) / len(y))


class Accumulator:
    def __init__(self, n):
        self.data = [0.0] * n

    def add(self, *args):
        self.data = [a + float(b) for a, b in zip(self.data, args)]

    def reset(self):
        self.data = [0.0] * len(self.data)

    def __getitem__(self, idx):
        return self.data[idx]


def evaluate_accuracy(net, data_iter):
    if isinstance(net, torch.nn.Module):
        net.eval()
    metric = Accumulator(2)
    with torch.no_grad():
        for X, y in data_iter:
            metric.add(accuracy(net(X), y), y.numel())
    return metric[0] / metric[1]


print(f"{evaluate_accuracy(net, test_iter):.3f}")


def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()


def train_epoch_ch3(net, train_iter, loss, updater):
    if isinstance(net, torch.nn.Module):
        net.train()
    metric = Accumulator(3)
    for X, y in train_iter:
        y_hat = net(X)
        l = loss(y_hat, y)
        if isinstance(updater, torch.optim.Optimizer):
            updater.zero_grad()
            l.mean().backward()
            updater.step()
        else:
            l.sum().backward()
            updater(X.shape[0])
        metric.add(float(l.sum()), accuracy(y_hat, y), y.numel())
    return metric[0] / metric[2], metric[1] / metric[2]


def train_ch3(net, train_iter, test_iter, loss, num_epochs, updater):
    for epoch in range(num_epochs):
        train_metrics = train_epoch_ch3(net, train_iter, loss, updater)
        test_acc = evaluate_accuracy(net, test_iter)
        print(
            f"epoch {epoch + 1}: loss {train_metrics[0]:.3f}, train {train_metrics[1]:.3f}, test {test_acc:.3f}"
        )


lr = 0.1


def updater(batch_size):
    return sgd([W, b], lr, batch_size)


num_epochs = 5
train_ch3(net, train_iter, test_iter, cross_entropy, num_epochs, updater)
print(W.requires_grad, W.grad.abs().sum(), b.detach().sum().abs() < 1e-4)


def predict_ch3(net, test_iter, n=6):
    for X, y in test_iter:
        break
    trues = [text_labels[int(i)] for i in y]
    preds = [text_labels[int(i)] for i in net(X).argmax(axis=1)]
    print([true + "/" + pred for true, pred in zip(trues[:n], preds[:n])])


predict_ch3(net, test_iter)

net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))


def init_weights(m):
    if type(m) == nn.Linear:
        nn.init.normal_(m.weight, std=0.01)


print(net.apply(init_weights))
print(f"{net[1].weight.std():.3f}", [math.prod(p.shape) for p in net.parameters()])
loss = nn.CrossEntropyLoss(reduction="none")
trainer = torch.optim.SGD(net.parameters(), lr=0.1)
train_ch3(net, train_iter, test_iter, loss, num_epochs, trainer)
predict_ch3(net, test_iter)
logits = torch.tensor([[100.0, 0.0, -100.0]])
print(
    softmax(logits), nn.functional.softmax(logits, dim=1), nn.functional.log_softmax(logits, dim=1)
)
print(
    nn.CrossEntropyLoss()(logits, torch.tensor([1])), nn.CrossEntropyLoss(reduction="sum")(y_hat, y)
)
