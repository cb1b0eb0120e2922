"""A text book's linear regression with classes for data, model and trainer; weight decay, from scratch and concise."""

import inspect

import torch
from torch import nn


def add_to_class(Class):
    def wrapper(obj):
        setattr(Class, obj.__name__, obj)

    return wrapper


class HyperParameters:
    def save_hyperparameters(self, ignore=()):
        frame = inspect.currentframe().f_back
        _, _, _, local_vars = inspect.getargvalues(frame)
        self.hparams = {
            k: v
            for k, v in local_vars.items()
            if k not in {*ignore, "self"} and not k.startswith("_")
        }
        for k, v in self.hparams.items():
            setattr(self, k, v)


class Module(nn.Module, HyperParameters):
    def __init__(self):
        super().__init__()
        self.train_losses, self.val_losses = [], []

    def loss(self, y_hat, y):
        raise NotImplementedError

    def forward(self, X):
        return self.net(X)

    def training_step(self, batch):
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.train_losses.append(l.detach().numpy())
        return l

    def validation_step(self, batch):
        l = self.loss(self(*batch[:-1]), batch[-1])
        self.val_losses.append(l.detach().numpy())


class DataModule(HyperParameters):
    def train_dataloader(self):
        return self.get_dataloader(train=True)

    def val_dataloader(self):
        return self.get_dataloader(train=False)

    def get_tensorloader(self, tensors, train, indices=slice(0, None)):
        tensors = tuple(a[indices] for a in tensors)
        dataset = torch.utils.data.TensorDataset(*tensors)
        return torch.utils.data.DataLoader(dataset, self.batch_size, shuffle=train)


class SyntheticRegressionData(DataModule):
    def __init__(self, w, b, noise=0.01, num_train=1000, num_val=1000, batch_size=32):
        super().__init__()
        self.save_hyperparameters()
        n = num_train + num_val
        self.X = torch.randn(n, len(w))
        noise = torch.randn(n, 1) * noise
        self.y = torch.matmul(self.X, w.reshape((-1, 1))) + b + noise

    def get_dataloader(self, train):
        i = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, i)


class Trainer(HyperParameters):
    def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0):
        self.save_hyperparameters()

    def fit(self, model, data):
        self.train_dataloader, self.val_dataloader = data.train_dataloader(), data.val_dataloader()
        self.optim = model.configure_optimizers()
        for self.epoch in range(self.max_epochs):
            model.train()
            for batch in self.train_dataloader:
                loss = model.training_step(batch)
                self.optim.zero_grad()
                with torch.no_grad():
                    loss.backward()
                    self.optim.step()
            model.eval()
            for batch in self.val_dataloader:
                with torch.no_grad():
                    model.validation_step(batch)


class SGD(HyperParameters):
    def __init__(self, params, lr):
        self.save_hyperparameters()

    def step(self):
        for param in self.params:
            param -= self.lr * param.grad

    def zero_grad(self):
        for param in self.params:
            if param.grad is not None:
                param.grad.zero_()


class LinearRegressionScratch(Module):
    def __init__(self, num_inputs, lr, sigma=0.01):
        super().__init__()
        self.save_hyperparameters()
        self.w = torch.normal(0, sigma, (num_inputs, 1), requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)

    def forward(self, X):
        return torch.matmul(X, self.w) + self.b

    def loss(self, y_hat, y):
        l = (y_hat - y) ** 2 / 2
        return l.mean()

    def configure_optimizers(self):
        return SGD([self.w, self.b], self.lr)


class LinearRegression(Module):
    def __init__(self, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.LazyLinear(1)
        self.net.weight.data.normal_(0, 0.01)
        self.net.bias.data.fill_(0)

    def loss(self, y_hat, y):
        return nn.MSELoss()(y_hat, y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.lr)

    def get_w_b(self):
        return (self.net.weight.data, self.net.bias.data)


@add_to_class(DataModule)
def summary(self):
    print("batches:", len(self.train_dataloader()), len(self.val_dataloader()))


torch.manual_seed(0)
data = SyntheticRegressionData(w=torch.tensor([2, -3.4]), b=4.2)
print("features:", data.X[0], "\nlabel:", data.y[0])
X, y = next(iter(data.train_dataloader()))
print("X shape:", X.shape, "\ny shape:", y.shape)
data.summary()
model = LinearRegressionScratch(2, lr=0.03)
print(model, list(model.parameters()), model.hparams)
trainer = Trainer(max_epochs=3)
trainer.fit(model, data)
with torch.no_grad():
    print(
        f"error in estimating w: {[round(v, 3) for v in (data.w - model.w.reshape(data.w.shape)).tolist()]}"
    )
    print(f"error in estimating b: {(data.b - model.b).item():.3f}")
print(
    len(model.train_losses),
    f"{model.train_losses[0]:.4f} {model.train_losses[-1]:.6f}",
    len(model.val_losses),
)
model = LinearRegression(lr=0.03)
print(model)
trainer = Trainer(max_epochs=3)
trainer.fit(model, data)
w, b = model.get_w_b()
print(model, w.shape)
print(
    f"error in estimating w: {[round(v, 3) for v in (data.w - w.reshape(data.w.shape)).tolist()]}"
)
print(f"error in estimating b: {(data.b - b).item():.3f}")


class Data(DataModule):
    def __init__(self, num_train, num_val, num_inputs, batch_size):
        self.save_hyperparameters()
        n = num_train + num_val
        self.X = torch.randn(n, num_inputs)
        noise = torch.randn(n, 1) * 0.01
        w, b = torch.ones((num_inputs, 1)) * 0.01, 0.05
        self.y = torch.matmul(self.X, w) + b + noise

    def get_dataloader(self, train):
        i = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader([self.X, self.y], train, i)


def l2_penalty(w):
    return (w**2).sum() / 2


class WeightDecayScratch(LinearRegressionScratch):
    def __init__(self, num_inputs, lambd, lr, sigma=0.01):
        super().__init__(num_inputs, lr, sigma)
        self.save_hyperparameters()

    def loss(self, y_hat, y):
        return super().loss(y_hat, y) + self.lambd * l2_penalty(self.w)


class WeightDecay(LinearRegression):
    def __init__(self, wd, lr):
        super().__init__(lr)
        self.save_hyperparameters()
        self.wd = wd

    def configure_optimizers(self):
        return torch.optim.SGD(
            [{"params": self.net.weight, "weight_decay": self.wd}, {"params": self.net.bias}],
            lr=self.lr,
        )


data = Data(num_train=20, num_val=100, num_inputs=200, batch_size=5)
trainer = Trainer(max_epochs=10)
for lambd in (0, 3):
    model = WeightDecayScratch(num_inputs=200, lambd=lambd, lr=0.01)
    trainer.fit(model, data)
    print(f"lambda {lambd}: L2 norm of w: {float(l2_penalty(model.w)):.5f}")
    print(f"train {model.train_losses[-1]:.4f}, valid {model.val_losses[-1]:.4f}")
model = WeightDecay(wd=3, lr=0.01)
trainer.fit(model, data)
print(f"L2 norm of w: {float(l2_penalty(model.get_w_b()[0])):.5f}", trainer.optim)
