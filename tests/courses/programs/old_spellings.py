"""What older notebooks write: legacy constructors, `_LRScheduler`, a cell that shows a generator."""

import math

import numpy as np
import torch
from torch import nn, optim

# a tensor made of a tensor is the same memory under another name
page = torch.ones(2, 3)
copy = torch.Tensor(page)
copy[0] = 7
print(page, copy._is_view(), page._version)
counts = torch.arange(3)
torch.LongTensor(counts)[1] = 9
print(counts)
weights = torch.ones(2, requires_grad=True)
named = torch.Tensor(weights)
print(named, named.is_leaf)
(named * 3).sum().backward()
print(weights.grad)
array = np.ones(2, np.float32)
torch.Tensor(array)[0] = 4
print(array, torch.Tensor(np.ones(2)), torch.Tensor(torch.ones(1, dtype=torch.double)))
try:
    torch.LongTensor(torch.ones(2))
except TypeError:
    print("a LongTensor is not made of floats")

# numbers of tensors that have more than one entry
for convert in (float, int, math.sqrt, torch.Tensor.item):
    try:
        convert(torch.ones(2))
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, error)


class Warmup(optim.lr_scheduler._LRScheduler):
    """Rise for some epochs, then stay."""

    def __init__(self, optimizer, epochs):
        self.epochs = epochs
        super().__init__(optimizer)

    def get_lr(self):
        return [rate * min(1.0, (self.last_epoch + 1) / self.epochs) for rate in self.base_lrs]


model = nn.Linear(2, 1)
optimizer = optim.AdamW(model.parameters(), lr=0.1)
schedule = Warmup(optimizer, 4)
for _ in range(3):
    optimizer.step()
    schedule.step()
print(schedule.get_last_lr(), isinstance(schedule, optim.lr_scheduler.LRScheduler))
print(optimizer.state_dict()["param_groups"])
print(optim.Adam(model.parameters()).state_dict(), optim.NAdam(model.parameters()).state_dict())
print(model.parameters(), model.named_parameters(), model.children())

heights, edges = torch.histogram(torch.tensor([1.0, 2.0, 1.0]), density=True)
print(heights.shape, edges[:3], heights.max())
