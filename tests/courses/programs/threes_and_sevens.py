"""A practical course's first classifier: threes and sevens by pixel distance, then by gradient descent."""

import torch
import torch.nn.functional as F
from torch import nn, tensor
from torch.utils.data import DataLoader

torch.manual_seed(42)
grid = torch.linspace(-1, 1, 28)
rows, cols = grid[:, None].expand(28, 28), grid[None].expand(28, 28)
three = ((cols**2 + (rows.abs() - 0.4) ** 2 - 0.18).abs() < 0.09) & (cols > -0.2)
seven = ((rows + 0.6).abs() < 0.12) & (cols.abs() < 0.6) | ((cols + 0.6 * rows).abs() < 0.12) & (
    rows > -0.6
)
print(three.sum(), seven.sum())


def draw(shape, n):
    images = [
        torch.roll(shape.float(), (int(a), int(b)), (0, 1)) for a, b in torch.randint(-3, 4, (n, 2))
    ]
    noise = torch.rand(n, 28, 28)
    return [((0.7 * im + 0.3 * ns) * 255).to(torch.uint8) for im, ns in zip(images, noise)]


three_tensors, seven_tensors = draw(three, 400), draw(seven, 400)
print(len(three_tensors), len(seven_tensors), three_tensors[0][4:10, 12:18])
stacked_sevens = torch.stack(seven_tensors).float() / 255
stacked_threes = torch.stack(three_tensors).float() / 255
print(stacked_threes.shape, len(stacked_threes.shape), stacked_threes.ndim)
mean3, mean7 = stacked_threes.mean(0), stacked_sevens.mean(0)
a_3 = stacked_threes[1]
dist_3_abs = (a_3 - mean3).abs().mean()
dist_3_sqr = ((a_3 - mean3) ** 2).mean().sqrt()
print(dist_3_abs, dist_3_sqr)
dist_7_abs = (a_3 - mean7).abs().mean()
dist_7_sqr = ((a_3 - mean7) ** 2).mean().sqrt()
print(dist_7_abs, dist_7_sqr)
print(F.l1_loss(a_3.float(), mean7), F.mse_loss(a_3, mean7).sqrt())
data = [[1, 2, 3], [4, 5, 6]]
tns = torch.tensor(data)
print(tns, tns[1], tns[:, 1], tns[1, 1:3], tns + 1, tns.type(), tns * 1.5)
valid_3_tens = torch.stack(draw(three, 100)).float() / 255
valid_7_tens = torch.stack(draw(seven, 100)).float() / 255


def mnist_distance(a, b):
    return (a - b).abs().mean((-1, -2))


print(mnist_distance(a_3, mean3))
valid_3_dist = mnist_distance(valid_3_tens, mean3)
print(valid_3_dist[:4], valid_3_dist.shape, tensor([1, 2, 3]) + tensor([1, 1, 1]))


def is_3(x):
    return mnist_distance(x, mean3) < mnist_distance(x, mean7)


print(is_3(a_3), is_3(a_3).float(), is_3(valid_3_tens)[:8])
accuracy_3s = is_3(valid_3_tens).float().mean()
accuracy_7s = (1 - is_3(valid_7_tens).float()).mean()
print(accuracy_3s, accuracy_7s, (accuracy_3s + accuracy_7s) / 2)

xt = tensor([3.0, 4.0, 10.0]).requires_grad_()
yt = (xt**2).sum()
yt.backward()
print(yt, xt.grad)
time = torch.arange(0, 20).float()
speed = torch.randn(20) * 3 + 0.75 * (time - 9.5) ** 2 + 1


def f(t, params):
    a, b, c = params
    return a * (t**2) + (b * t) + c


def mse(preds, targets):
    return ((preds - targets) ** 2).mean().sqrt()


params = torch.randn(3).requires_grad_()


def apply_step(params, prn=True):
    preds = f(time, params)
    loss = mse(preds, speed)
    loss.backward()
    params.data -= 1e-5 * params.grad.data
    params.grad = None
    if prn:
        print(f"{loss.item():.3f}")
    return preds


for i in range(10):
    apply_step(params, prn=i % 3 == 0)

train_x = torch.cat([stacked_threes, stacked_sevens]).view(-1, 28 * 28)
train_y = tensor([1] * len(three_tensors) + [0] * len(seven_tensors)).unsqueeze(1)
dset = list(zip(train_x, train_y))
x, y = dset[0]
print(train_x.shape, train_y.shape, x.shape, y)
valid_x = torch.cat([valid_3_tens, valid_7_tens]).view(-1, 28 * 28)
valid_y = tensor([1] * len(valid_3_tens) + [0] * len(valid_7_tens)).unsqueeze(1)
valid_dset = list(zip(valid_x, valid_y))


def init_params(size, std=1.0):
    return (torch.randn(size) * std).requires_grad_()


weights = init_params((28 * 28, 1))
bias = init_params(1)
print((train_x[0] * weights.T).sum() + bias)


def linear1(xb):
    return xb @ weights + bias


def mnist_loss(predictions, targets):
    predictions = predictions.sigmoid()
    return torch.where(targets == 1, 1 - predictions, predictions).mean()


trgts, prds = tensor([1, 0, 1]), tensor([0.9, 0.4, 0.2])
print(torch.where(trgts == 1, 1 - prds, prds), mnist_loss(prds, trgts))
preds = linear1(train_x)
corrects = (preds > 0.0).float() == train_y
print(corrects[:2], corrects.float().mean().item())
dl = DataLoader(dset, batch_size=256)
valid_dl = DataLoader(valid_dset, batch_size=256)
xb, yb = next(iter(dl))
print(xb.shape, yb.shape)


def calc_grad(xb, yb, model):
    preds = model(xb)
    loss = mnist_loss(preds, yb)
    loss.backward()


batch = train_x[:4]
calc_grad(batch, train_y[:4], linear1)
print(weights.grad.mean(), bias.grad)
calc_grad(batch, train_y[:4], linear1)
print(weights.grad.mean(), bias.grad)
weights.grad.zero_()
bias.grad.zero_()


def batch_accuracy(xb, yb):
    preds = xb.sigmoid()
    correct = (preds > 0.5) == yb
    return correct.float().mean()


def validate_epoch(model):
    accs = [batch_accuracy(model(xb), yb) for xb, yb in valid_dl]
    return round(torch.stack(accs).mean().item(), 4)


def train_epoch(model, lr, params):
    for xb, yb in dl:
        calc_grad(xb, yb, model)
        for p in params:
            p.data -= p.grad * lr
            p.grad.zero_()


print(validate_epoch(linear1), end=" ")
for i in range(10):
    train_epoch(linear1, 1.0, (weights, bias))
    print(validate_epoch(linear1), end=" ")
print()


class BasicOptim:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr

    def step(self, *args, **kwargs):
        for p in self.params:
            p.data -= p.grad.data * self.lr

    def zero_grad(self, *args, **kwargs):
        for p in self.params:
            p.grad = None


def train_model(model, opt, epochs):
    for i in range(epochs):
        for xb, yb in dl:
            calc_grad(xb, yb, model)
            opt.step()
            opt.zero_grad()
        print(validate_epoch(model), end=" ")
    print()


linear_model = nn.Linear(28 * 28, 1)
w, b = linear_model.parameters()
print(w.shape, b.shape)
train_model(linear_model, BasicOptim(linear_model.parameters(), 1.0), 6)
simple_net = nn.Sequential(nn.Linear(28 * 28, 30), nn.ReLU(), nn.Linear(30, 1))
train_model(simple_net, torch.optim.SGD(simple_net.parameters(), 0.1), 8)
m = list(simple_net.modules())
print(len(m), m[1].weight.shape)
