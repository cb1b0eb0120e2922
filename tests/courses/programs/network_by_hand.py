"""A two-layer net as a vision course does it: flat functions, modules, kaiming, Sequential."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
N, D_in, H, D_out = 16, 30, 12, 5
x = torch.randn(N, D_in)
y = torch.randn(N, D_out)
w1 = torch.randn(D_in, H)
w2 = torch.randn(H, D_out)
rate = 1e-4
for t in range(5):
    h = x.mm(w1)
    h_relu = h.clamp(min=0)
    y_pred = h_relu.mm(w2)
    loss = (y_pred - y).pow(2).sum().item()
    print(t, f"{loss:.2f}")
    grad_y_pred = 2.0 * (y_pred - y)
    grad_w2 = h_relu.t().mm(grad_y_pred)
    grad_h_relu = grad_y_pred.mm(w2.t())
    grad_h = grad_h_relu.clone()
    grad_h[h < 0] = 0
    grad_w1 = x.t().mm(grad_h)
    w1 -= rate * grad_w1
    w2 -= rate * grad_w2
w1 = torch.randn(D_in, H, requires_grad=True)
w2 = torch.randn(H, D_out, requires_grad=True)
for t in range(5):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    print(t, f"{loss.item():.2f}")
    loss.backward()
    with torch.no_grad():
        w1 -= rate * w1.grad
        w2 -= rate * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_x = grad_output.clone()
        grad_x[x < 0] = 0
        return grad_x


print(MyReLU.apply(x.mm(w1)).mm(w2).sum())


def flatten(x):
    return x.view(x.shape[0], -1)


x = torch.arange(12).view(2, 1, 3, 2)
print("Before flattening: ", x)
print("After flattening: ", flatten(x))


def random_weight(shape):
    fan_in = shape[0] if len(shape) == 2 else shape[1] * shape[2] * shape[3]
    w = torch.randn(shape) * (2.0 / fan_in) ** 0.5
    w.requires_grad = True
    return w


images = torch.zeros((4, 3, 16, 16))
conv_w1, conv_b1 = random_weight((6, 3, 5, 5)), torch.zeros((6,), requires_grad=True)
conv_w2, conv_b2 = random_weight((9, 6, 3, 3)), torch.zeros((9,), requires_grad=True)
fc_w, fc_b = random_weight((9 * 16 * 16, 10)), torch.zeros((10,), requires_grad=True)
scores = F.relu(F.conv2d(images + 0.1, conv_w1, conv_b1, padding=2))
scores = F.relu(F.conv2d(scores, conv_w2, conv_b2, padding=1))
scores = flatten(scores).mm(fc_w) + fc_b
print(scores.size())
loss = F.cross_entropy(scores, torch.tensor([1, 2, 3, 4]))
loss.backward()
print(f"{loss.item():.4f}", [f"{p.grad.norm().item():.4f}" for p in (conv_w1, conv_b2, fc_w)])


class TwoLayerFC(nn.Module):
    def __init__(self, input_size, hidden_size, num_classes):
        super().__init__()
        self.fc1 = nn.Linear(input_size, hidden_size)
        nn.init.kaiming_normal_(self.fc1.weight)
        self.fc2 = nn.Linear(hidden_size, num_classes)
        nn.init.kaiming_normal_(self.fc2.weight)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(flatten(x))))


model = TwoLayerFC(50, 42, 10)
scores = model(torch.zeros((64, 50), dtype=torch.float32))
print(scores.size(), model)


class Flatten(nn.Module):
    def forward(self, x):
        return flatten(x)


model = nn.Sequential(Flatten(), nn.Linear(3 * 4 * 4, 20), nn.ReLU(), nn.Linear(20, 10))
print(model)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9, nesterov=True)
batch, labels = torch.randn(8, 3, 4, 4), torch.arange(8)
for t in range(5):
    model.train()
    loss = F.cross_entropy(model(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
model.eval()
with torch.no_grad():
    _, preds = model(batch).max(1)
    print((preds == labels).sum())
