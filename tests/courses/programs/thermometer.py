"""A book's chapters on learning: an old thermometer fitted by hand, by autograd, by optimizers, by networks."""

from collections import OrderedDict

import torch
from torch import nn, optim

torch.set_printoptions(edgeitems=2, linewidth=75)
t_c = [0.5, 14.0, 15.0, 28.0, 11.0, 8.0, 3.0, -4.0, 6.0, 13.0, 21.0]
t_u = [35.7, 55.9, 58.2, 81.9, 56.3, 48.9, 33.9, 21.8, 48.4, 60.4, 68.4]
t_c = torch.tensor(t_c)
t_u = torch.tensor(t_u)


def model(t_u, w, b):
    return w * t_u + b


def loss_fn(t_p, t_c):
    squared_diffs = (t_p - t_c) ** 2
    return squared_diffs.mean()


w = torch.ones(())
b = torch.zeros(())
t_p = model(t_u, w, b)
print(t_p, loss_fn(t_p, t_c))
x, y, z, a = torch.ones(()), torch.ones(3, 1), torch.ones(1, 3), torch.ones(2, 1, 1)
print(
    f"shapes: x: {x.shape}, y: {y.shape}", "x * y:", (x * y).shape, "y * z * a:", (y * z * a).shape
)
delta = 0.1
rate = (loss_fn(model(t_u, w + delta, b), t_c) - loss_fn(model(t_u, w - delta, b), t_c)) / (
    2.0 * delta
)
print(w - 1e-2 * rate)


def dloss_fn(t_p, t_c):
    return 2 * (t_p - t_c) / t_p.size(0)


def grad_fn(t_u, t_c, t_p, w, b):
    dloss_dtp = dloss_fn(t_p, t_c)
    dloss_dw = dloss_dtp * t_u
    dloss_db = dloss_dtp * 1.0
    return torch.stack([dloss_dw.sum(), dloss_db.sum()])


def training_loop(n_epochs, learning_rate, params, t_u, t_c):
    for epoch in range(1, n_epochs + 1):
        w, b = params
        t_p = model(t_u, w, b)
        loss = loss_fn(t_p, t_c)
        grad = grad_fn(t_u, t_c, t_p, w, b)
        params = params - learning_rate * grad
        if epoch in {1, 2, 3, 10, 99} or epoch % 1000 == 0:
            print("Epoch %d, Loss %f" % (epoch, float(loss)))
            print("    Params:", params, "Grad:  ", grad)
        if not torch.isfinite(loss).all():
            break
    return params


training_loop(3, 1e-2, torch.tensor([1.0, 0.0]), t_u, t_c)
t_un = 0.1 * t_u
params = training_loop(1000, 1e-2, torch.tensor([1.0, 0.0]), t_un, t_c)

params = torch.tensor([1.0, 0.0], requires_grad=True)
print(params.grad is None)
loss = loss_fn(model(t_u, *params), t_c)
loss.backward()
print(params.grad)


def training_loop(n_epochs, learning_rate, params, t_u, t_c):
    for epoch in range(1, n_epochs + 1):
        if params.grad is not None:
            params.grad.zero_()
        t_p = model(t_u, *params)
        loss = loss_fn(t_p, t_c)
        loss.backward()
        with torch.no_grad():
            params -= learning_rate * params.grad
        if epoch % 500 == 0:
            print("Epoch %d, Loss %f" % (epoch, float(loss)))
    return params


print(training_loop(500, 1e-2, torch.tensor([1.0, 0.0], requires_grad=True), t_un, t_c))


def training_loop(n_epochs, optimizer, params, train_t_u, val_t_u, train_t_c, val_t_c):
    for epoch in range(1, n_epochs + 1):
        train_t_p = model(train_t_u, *params)
        train_loss = loss_fn(train_t_p, train_t_c)
        with torch.no_grad():
            val_t_p = model(val_t_u, *params)
            val_loss = loss_fn(val_t_p, val_t_c)
            assert val_loss.requires_grad == False
        optimizer.zero_grad()
        train_loss.backward()
        optimizer.step()
        if epoch <= 3 or epoch % 250 == 0:
            print(
                f"Epoch {epoch}, Training loss {train_loss.item():.4f}, Validation loss {val_loss.item():.4f}"
            )
    return params


torch.manual_seed(1)
n_samples = t_u.shape[0]
n_val = int(0.2 * n_samples)
shuffled_indices = torch.randperm(n_samples)
train_indices = shuffled_indices[:-n_val]
val_indices = shuffled_indices[-n_val:]
print(train_indices, val_indices)
train_t_u, train_t_c = t_u[train_indices], t_c[train_indices]
val_t_u, val_t_c = t_u[val_indices], t_c[val_indices]
train_t_un, val_t_un = 0.1 * train_t_u, 0.1 * val_t_u
params = torch.tensor([1.0, 0.0], requires_grad=True)
optimizer = optim.SGD([params], lr=1e-2)
print(training_loop(500, optimizer, params, train_t_un, val_t_un, train_t_c, val_t_c))
params = torch.tensor([1.0, 0.0], requires_grad=True)
optimizer = optim.Adam([params], lr=1e-1)
print(training_loop(500, optimizer, params, train_t_u, val_t_u, train_t_c, val_t_c))


def calc_forward(t_u, t_c, is_train):
    with torch.set_grad_enabled(is_train):
        return loss_fn(model(t_u, *params), t_c)


print(calc_forward(t_u, t_c, True).requires_grad, calc_forward(t_u, t_c, False).requires_grad)

t_c, t_u = t_c.unsqueeze(1), t_u.unsqueeze(1)
t_un_train, t_un_val = 0.1 * t_u[train_indices], 0.1 * t_u[val_indices]
t_c_train, t_c_val = t_c[train_indices], t_c[val_indices]
linear_model = nn.Linear(1, 1)
print(linear_model(t_un_val), linear_model.weight, linear_model.bias)
print(linear_model(torch.ones(10, 1)).shape)


def training_loop(n_epochs, optimizer, model, loss_fn, t_u_train, t_u_val, t_c_train, t_c_val):
    for epoch in range(1, n_epochs + 1):
        t_p_train = model(t_u_train)
        loss_train = loss_fn(t_p_train, t_c_train)
        t_p_val = model(t_u_val)
        loss_val = loss_fn(t_p_val, t_c_val)
        optimizer.zero_grad()
        loss_train.backward()
        optimizer.step()
        if epoch == 1 or epoch % 250 == 0:
            print(
                f"Epoch {epoch}, Training loss {loss_train.item():.3f}, Validation loss {loss_val.item():.3f}"
            )


optimizer = optim.SGD(linear_model.parameters(), lr=1e-2)
training_loop(500, optimizer, linear_model, nn.MSELoss(), t_un_train, t_un_val, t_c_train, t_c_val)
print(linear_model.weight, linear_model.bias)
seq_model = nn.Sequential(
    OrderedDict([
        ("hidden_linear", nn.Linear(1, 8)),
        ("hidden_activation", nn.Tanh()),
        ("output_linear", nn.Linear(8, 1)),
    ])
)  # fmt: skip
print(seq_model, [param.shape for param in seq_model.parameters()])
for name, param in seq_model.named_parameters():
    print(name, param.shape)
print(seq_model.output_linear.bias)
optimizer = optim.SGD(seq_model.parameters(), lr=1e-3)
training_loop(500, optimizer, seq_model, nn.MSELoss(), t_un_train, t_un_val, t_c_train, t_c_val)
print(
    "output",
    [round(v, 2) for v in seq_model(t_un_val).flatten().tolist()],
    "answer",
    t_c_val.flatten(),
)


class SubclassModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden_linear = nn.Linear(1, 14)
        self.output_linear = nn.Linear(14, 1)

    def forward(self, input):
        return self.output_linear(torch.tanh(self.hidden_linear(input)))


print(SubclassModel(), sum(p.numel() for p in SubclassModel().parameters() if p.requires_grad))
input_t = torch.arange(-3, 3.1, 1.0)
for activation in (nn.Tanh(), nn.Sigmoid(), nn.Hardtanh(), nn.Softplus(), nn.LeakyReLU(), nn.Tanhshrink(),
                   nn.Softshrink(), nn.Hardshrink(), nn.Softsign(), nn.LogSigmoid(), nn.ELU()):  # fmt: skip
    print(activation, activation(input_t))
torch.set_printoptions(profile="default")
