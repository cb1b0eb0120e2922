"""Layers written by hand beside those of nn: convolution, batch norm, layer norm, dropout, pooling."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(4)


class MyConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, k, stride=1, padding=0):
        super().__init__()
        self.k, self.stride, self.padding = k, stride, padding
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels * k * k))
        self.bias = nn.Parameter(torch.empty(out_channels))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, x):
        n, _, h, w = x.shape
        cols = F.unfold(x, self.k, padding=self.padding, stride=self.stride)
        out = self.weight @ cols + self.bias[:, None]
        side = [(s + 2 * self.padding - self.k) // self.stride + 1 for s in (h, w)]
        return out.view(n, -1, *side)

    def extra_repr(self):
        return f"{tuple(self.weight.shape)}, k={self.k}, stride={self.stride}"


class MyBatchNorm(nn.Module):
    def __init__(self, num_features, momentum=0.1, eps=1e-5):
        super().__init__()
        shape = (1, num_features, 1, 1)
        self.gamma, self.beta = nn.Parameter(torch.ones(shape)), nn.Parameter(torch.zeros(shape))
        self.register_buffer("moving_mean", torch.zeros(shape))
        self.register_buffer("moving_var", torch.ones(shape))
        self.momentum, self.eps = momentum, eps

    def forward(self, X):
        if not self.training:
            X_hat = (X - self.moving_mean) / torch.sqrt(self.moving_var + self.eps)
        else:
            mean = X.mean(dim=(0, 2, 3), keepdim=True)
            var = ((X - mean) ** 2).mean(dim=(0, 2, 3), keepdim=True)
            X_hat = (X - mean) / torch.sqrt(var + self.eps)
            with torch.no_grad():
                count = X.numel() / X.shape[1]
                unbiased = var * count / (count - 1)
                self.moving_mean.lerp_(mean, self.momentum)
                self.moving_var += self.momentum * (unbiased - self.moving_var)
        return self.gamma * X_hat + self.beta


x = torch.randn(2, 3, 6, 6, requires_grad=True)
mine, theirs = MyConv2d(3, 4, 3, stride=2, padding=1), nn.Conv2d(3, 4, 3, stride=2, padding=1)
theirs.load_state_dict({"weight": mine.weight.view(4, 3, 3, 3), "bias": mine.bias})
a, b = mine(x), theirs(x)
print(mine, theirs, a.shape, torch.allclose(a, b, atol=1e-5), a.grad_fn, b.grad_fn)
ga, gb = (torch.autograd.grad(out.square().sum(), x, retain_graph=True)[0] for out in (a, b))
print(torch.allclose(ga, gb, atol=1e-4), ga[0, 0, 0])
bn, ref = MyBatchNorm(4), nn.BatchNorm2d(4)
for _ in range(3):
    p, q = bn(a * 2 + 1), ref(b * 2 + 1)
print(torch.allclose(p, q, atol=1e-5), q.grad_fn, ref.running_mean, bn.moving_var.flatten())
print(torch.allclose(bn.eval()(a), ref.eval()(b), atol=1e-5), list(bn.state_dict()), ref)
ga, gb = (torch.autograd.grad((o**3).sum(), x, retain_graph=True)[0] for o in (p, q))
print(torch.allclose(ga, gb, atol=1e-3), torch.allclose(bn.moving_mean.flatten(), ref.running_mean))
ln = nn.LayerNorm(6)
hand = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + ln.eps)
print(
    torch.allclose(ln(x), hand, atol=1e-5), ln(x).grad_fn, nn.GroupNorm(3, 3)(x).std(dim=(2, 3))[0]
)
drop = nn.Dropout(0.25)
print((drop(torch.ones(1000)) == 0).float().mean(), drop.eval()(torch.ones(3)))


def pool2d(X, size, mode="max"):
    patches = X.unfold(2, size, size).unfold(3, size, size)
    return patches.amax(dim=(-1, -2)) if mode == "max" else patches.mean(dim=(-1, -2))


print(torch.equal(pool2d(x, 2), F.max_pool2d(x, 2)), pool2d(x, 3, "avg").grad_fn)
print(torch.allclose(pool2d(x, 3, "avg"), nn.AvgPool2d(3)(x)), F.max_pool2d(x, 2).grad_fn)


class Residual(nn.Module):
    def __init__(self, channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(3, channels, 3, padding=1, stride=stride)
        self.conv2 = nn.LazyConv2d(channels, kernel_size=3, padding=1)
        self.skip = nn.Conv2d(3, channels, 1, stride=stride)
        self.bn1, self.bn2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, X):
        Y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(X)))))
        return F.relu(Y + self.skip(X))


block = Residual(4, stride=2)
y = block(x)
y.mean().backward()
print(
    block, y.shape, {n: f"{p.grad.norm():.3f}" for n, p in block.named_parameters() if p.dim() > 1}
)
