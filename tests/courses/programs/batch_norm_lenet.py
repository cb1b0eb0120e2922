"""Batch normalization as a text book builds it: the formula, a layer of one's own, LeNet with it, the short form."""

import torch
from torch import nn

torch.manual_seed(3)


def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
    if not torch.is_grad_enabled():
        X_hat = (X - moving_mean) / torch.sqrt(moving_var + eps)
    else:
        assert len(X.shape) in (2, 4)
        axes = 0 if len(X.shape) == 2 else (0, 2, 3)
        mean = X.mean(dim=axes, keepdim=len(X.shape) == 4)
        var = ((X - mean) ** 2).mean(dim=axes, keepdim=len(X.shape) == 4)
        X_hat = (X - mean) / torch.sqrt(var + eps)
        moving_mean = (1.0 - momentum) * moving_mean + momentum * mean
        moving_var = (1.0 - momentum) * moving_var + momentum * var
    return gamma * X_hat + beta, moving_mean.data, moving_var.data


class BatchNorm(nn.Module):
    def __init__(self, num_features, num_dims):
        super().__init__()
        shape = (1, num_features) if num_dims == 2 else (1, num_features, 1, 1)
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))
        self.moving_mean = torch.zeros(shape)
        self.moving_var = torch.ones(shape)

    def forward(self, X):
        if self.moving_mean.device != X.device:
            self.moving_mean = self.moving_mean.to(X.device)
            self.moving_var = self.moving_var.to(X.device)
        Y, self.moving_mean, self.moving_var = batch_norm(
            X, self.gamma, self.beta, self.moving_mean, self.moving_var, eps=1e-5, momentum=0.9
        )
        return Y


X = torch.arange(12.0).reshape(4, 3)
layer = BatchNorm(3, num_dims=2)
print(layer(X), layer.moving_mean, layer.moving_var)
print(torch.allclose(layer(X), nn.BatchNorm1d(3)(X)))
X4 = torch.randn(2, 3, 4, 4) * 2 + 1
layer4 = BatchNorm(3, num_dims=4)
Y4 = layer4(X4)
print(Y4.mean(dim=(0, 2, 3)).abs() < 1e-6, Y4.var(dim=(0, 2, 3), unbiased=False))
Y4.pow(3).sum().backward()
print(layer4.gamma.grad, layer4.beta.grad, layer4.moving_var.shape)

batch_size, num_batches, num_classes = 128, 6, 10
labels = torch.randint(0, num_classes, (batch_size * num_batches,))
strokes = torch.randn(num_classes, 1, 28, 28)
images = (0.6 * strokes[labels] + torch.randn(len(labels), 1, 28, 28) * 0.5).sigmoid()
train_iter = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(images, labels), batch_size, shuffle=False
)
print(images.shape, labels[:10], images.mean())


def init_cnn(module):
    if type(module) == nn.Linear or type(module) == nn.Conv2d:
        nn.init.xavier_uniform_(module.weight)


def accuracy(net, data_iter):
    net.eval()
    hits, count = 0.0, 0
    with torch.no_grad():
        for X, y in data_iter:
            hits += (net(X).argmax(dim=1).type(y.dtype) == y).type(torch.float32).sum().item()
            count += y.numel()
    return hits / count


def train(net, train_iter, lr):
    net(next(iter(train_iter))[0])  # the lazy layers learn their shapes
    net.apply(init_cnn)
    loss = nn.CrossEntropyLoss()
    trainer = torch.optim.SGD(net.parameters(), lr=lr)
    net.train()
    for i, (X, y) in enumerate(train_iter):
        trainer.zero_grad()
        l = loss(net(X), y)
        l.backward()
        trainer.step()
        print(f"batch {i}, loss {l:.3f}")
    return accuracy(net, train_iter)


scratch = nn.Sequential(
    nn.LazyConv2d(6, kernel_size=5), BatchNorm(6, num_dims=4), nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.LazyConv2d(16, kernel_size=5), BatchNorm(16, num_dims=4), nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Flatten(), nn.LazyLinear(120), BatchNorm(120, num_dims=2), nn.Sigmoid(),
    nn.LazyLinear(84), BatchNorm(84, num_dims=2), nn.Sigmoid(), nn.LazyLinear(num_classes),
)  # fmt: skip
print(scratch[0], scratch[9])
print(f"accuracy {train(scratch, train_iter, lr=0.1):.1f}")
print(scratch[1].gamma.reshape((-1,)), scratch[1].beta.reshape((-1,)))
print(scratch[1].moving_mean.flatten(), scratch[1].moving_var.flatten())

concise = nn.Sequential(
    nn.LazyConv2d(6, kernel_size=5), nn.LazyBatchNorm2d(), nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.LazyConv2d(16, kernel_size=5), nn.LazyBatchNorm2d(), nn.Sigmoid(),
    nn.AvgPool2d(kernel_size=2, stride=2),
    nn.Flatten(), nn.LazyLinear(120), nn.LazyBatchNorm1d(), nn.Sigmoid(),
    nn.LazyLinear(84), nn.LazyBatchNorm1d(), nn.Sigmoid(), nn.LazyLinear(num_classes),
)  # fmt: skip
print(concise)
print(f"accuracy {train(concise, train_iter, lr=0.1):.1f}")
print(concise)
print(concise[1].weight, concise[1].bias, concise[1].running_mean, concise[1].num_batches_tracked)
X = images[:1]
for part in concise:
    X = part(X)
    print(part.__class__.__name__, "output shape:\t", X.shape)
