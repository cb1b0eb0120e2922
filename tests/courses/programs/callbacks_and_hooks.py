"""A learner with callbacks and hooks that watch the layers, as practical courses build it step by step."""

import copy
import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn, optim, tensor
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler, default_collate

torch.manual_seed(3)
m1, m2 = torch.randn(5, 6), torch.randn(6, 3)


def product(a, b):
    c = torch.zeros(a.shape[0], b.shape[1])
    for i in range(a.shape[0]):
        c[i] = (a[i, :, None] * b).sum(dim=0)
    return c


print(product(m1, m2), torch.einsum("ik,kj->ij", m1, m2))
print((product(m1, m2) - m1 @ m2).abs().max() < 1e-5)
c = tensor([10.0, 20, 30])
m = tensor([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
t = c.expand_as(m)
print(t, t.storage().size() if False else t.stride(), t.shape, c[None].shape, c[:, None] + m)
print((m > c[..., None]).any(), (m == m.T).all(), m.square().sum(0, keepdim=True).sqrt())


class Data(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


x_train = torch.randn(60, 10)
y_train = (x_train[:, :3].sum(1) > 0).long()
train, valid = Data(x_train[:48], y_train[:48]), Data(x_train[48:], y_train[48:])
print(len(train), train[0:2], default_collate([train[0], train[1]]))
print(list(SequentialSampler(valid)), len(RandomSampler(train)))
train_dl = DataLoader(train, 16, shuffle=True)
valid_dl = DataLoader(valid, 12, drop_last=False)
xb, yb = next(iter(valid_dl))
print(xb.shape, yb, len(train_dl))


class Learner:
    def __init__(self, model, loss, lr, callbacks):
        self.model, self.loss_func, self.lr, self.callbacks = model, loss, lr, callbacks
        for cb in callbacks:
            cb.learn = self

    def __call__(self, name):
        for cb in self.callbacks:
            getattr(cb, name, lambda: None)()

    def fit(self, epochs):
        self.opt = optim.SGD(self.model.parameters(), self.lr, momentum=0.85)
        self("before_fit")
        for self.epoch in range(epochs):
            for self.training, dl in ((True, train_dl), (False, valid_dl)):
                self.model.train(self.training)
                with torch.set_grad_enabled(self.training):
                    for self.xb, self.yb in dl:
                        self.preds = self.model(self.xb)
                        self.loss = self.loss_func(self.preds, self.yb)
                        if self.training:
                            self.loss.backward()
                            self.opt.step()
                            self.opt.zero_grad()
                        self("after_batch")
                self("after_part")


class Metrics:
    def before_fit(self):
        self.seen = []

    def after_batch(self):
        right = (self.learn.preds.argmax(dim=1) == self.learn.yb).float().mean()
        self.seen.append((len(self.learn.xb), self.learn.loss.item(), right.item()))

    def after_part(self):
        total = sum(n for n, _, _ in self.seen)
        means = [sum(part[0] * part[k] for part in self.seen) / total for k in (1, 2)]
        print(
            self.learn.epoch,
            "train" if self.learn.training else "valid",
            [round(x, 3) for x in means],
        )
        self.seen.clear()


class Hook:
    def __init__(self, m, f):
        self.hook = m.register_forward_hook(partial(f, self))

    def remove(self):
        self.hook.remove()

    def __del__(self):
        self.remove()


def stats(hook, module, inp, outp):
    if not hasattr(hook, "stats"):
        hook.stats = ([], [], [])
    acts = outp.detach()
    hook.stats[0].append(acts.mean().item())
    hook.stats[1].append(acts.std().item())
    hook.stats[2].append(acts.abs().histc(10, 0, 5))


class GeneralReLU(nn.Module):
    def __init__(self, leak=None, sub=None, most=None):
        super().__init__()
        self.leak, self.sub, self.most = leak, sub, most

    def forward(self, x):
        x = F.leaky_relu(x, self.leak) if self.leak is not None else F.relu(x)
        if self.sub is not None:
            x -= self.sub
        return x.clamp_max_(self.most) if self.most is not None else x


def start(m, leaky=0.0):
    if isinstance(m, (nn.Linear, nn.Conv1d)):
        nn.init.kaiming_normal_(m.weight, a=leaky)


model = nn.Sequential(
    nn.Linear(10, 16), GeneralReLU(0.1, 0.4, 6.0), nn.BatchNorm1d(16), nn.Linear(16, 2)
)
print(model.apply(partial(start, leaky=0.1)))
hooks = [Hook(layer, stats) for layer in model[:3]]
Learner(model, F.cross_entropy, 0.1, [Metrics()]).fit(3)
for hook in hooks:
    print([round(v, 3) for v in hook.stats[0][:3]], [round(v, 3) for v in hook.stats[1][:3]])
print(torch.stack(hooks[1].stats[2]).t().float().shape, hooks[1].stats[2][0])
for hook in hooks:
    hook.remove()
print(len(model[0]._forward_hooks), model[2].running_mean[:3], model[2].num_batches_tracked)


class BatchNorm(nn.Module):
    def __init__(self, features, mom=0.1, eps=1e-5):
        super().__init__()
        self.mom, self.eps = mom, eps
        self.mults, self.adds = (
            nn.Parameter(torch.ones(features)),
            nn.Parameter(torch.zeros(features)),
        )
        self.register_buffer("vars", torch.ones(1, features))
        self.register_buffer("means", torch.zeros(1, features))

    def update_stats(self, x):
        m, v = x.mean(dim=0, keepdim=True), x.var(dim=0, keepdim=True)
        self.means.lerp_(m, self.mom)
        self.vars.lerp_(v, self.mom)
        return m, v

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                m, v = self.update_stats(x)
        else:
            m, v = self.means, self.vars
        x = (x - m) / (v + self.eps).sqrt()
        return x * self.mults + self.adds


norm = BatchNorm(10)
print(norm(x_train[:8]).mean(0).abs().max() < 1e-5, norm.means[0, :3], norm.state_dict().keys())
norm.eval()
print(norm(x_train[:2])[:, :3])
losses = []
probe, lr = copy.deepcopy(model), 1e-3
opt = optim.SGD(probe.parameters(), lr=lr)
schedule = optim.lr_scheduler.ExponentialLR(opt, gamma=1.8)
for xb, yb in [*train_dl] * 3:
    loss = F.cross_entropy(probe(xb), yb)
    losses.append(loss.item())
    if math.isnan(losses[-1]) or losses[-1] > min(losses) * 3:
        break
    loss.backward()
    opt.step()
    opt.zero_grad()
    schedule.step()
print(len(losses), schedule.get_last_lr(), opt.param_groups[0]["lr"] > lr)
opt = optim.AdamW(model.parameters(), lr=6e-2)
cycle = optim.lr_scheduler.OneCycleLR(opt, max_lr=6e-2, total_steps=10)
rates, momenta = [], []
for _ in range(10):
    rates.append(round(opt.param_groups[0]["lr"], 5))
    momenta.append(round(opt.param_groups[0]["betas"][0], 4))
    opt.step()
    cycle.step()
print(rates, momenta)
for p in model[:3].parameters():
    p.requires_grad_(False)
print([n for n, p in model.named_parameters() if p.requires_grad])
