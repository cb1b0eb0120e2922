"""Averages of weights: stochastic weight averaging, and exponential averages.

In the manner of PyTorch's blog on SWA.
"""

import torch
from torch import nn
from torch.optim import swa_utils
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn

torch.manual_seed(0)
X = torch.randn(32, 3)
Y = X.sum(1, keepdim=True)
batches = list(zip(X.split(16), Y.split(16)))


def build():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))


WAYS = {
    "mean": {},
    "mean of each": {"avg_fn": swa_utils.get_swa_avg_fn()},
    "mean of all": {"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()},
    "exponential": {"multi_avg_fn": get_ema_multi_avg_fn(0.9)},
    "exponential, each": {"avg_fn": get_ema_avg_fn(0.9)},
    "half": {"avg_fn": lambda average, new, n: 0.5 * average + 0.5 * new},
    "with buffers": {"use_buffers": True, "multi_avg_fn": get_ema_multi_avg_fn(0.8)},
}
for name, options in WAYS.items():
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
    average = AveragedModel(model, **options)
    late = SWALR(optimizer, swa_lr=0.05, anneal_epochs=3)
    rates = []
    for epoch in range(8):
        for x, y in batches:
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
        if epoch > 2:
            average.update_parameters(model)
            late.step()
        else:
            scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    print(name, loss.item(), rates)
    print(average.n_averaged, average.module[1].running_mean, average.module[1].num_batches_tracked)
    swa_utils.update_bn(batches, average)
    print(average.module[1].running_var, average.module[1].momentum, average.training)
    print(average(X[:3]).flatten(), list(average.state_dict())[:3])

again = AveragedModel(build())
again.load_state_dict(average.state_dict())
print(again)
print(late.state_dict())


def refusal(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)


refusal(lambda: AveragedModel(model, avg_fn=max, multi_avg_fn=max))
refusal(lambda: get_ema_multi_avg_fn(2.0))
refusal(lambda: SWALR(optimizer, 0.1, anneal_strategy="steps"))
refusal(lambda: SWALR(optimizer, 0.1, -1))
refusal(lambda: SWALR(optimizer, [0.1, 0.2]))

optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
late = SWALR(optimizer, 0.5, anneal_epochs=4, anneal_strategy="linear")
for _ in range(6):
    optimizer.step()
    late.step()
    print(late.get_last_lr())
