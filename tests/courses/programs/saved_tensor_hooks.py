"""What a node saves, and hooks that pack it elsewhere: counting, rounding, files on disk."""

import os
import tempfile
import uuid

import torch
from torch import nn
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

x = torch.linspace(-1, 1, 5).requires_grad_()
y = x.pow(2)
print(x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self, y.grad_fn._saved_exponent)
y = x.exp()
print(y.equal(y.grad_fn._saved_result), y is y.grad_fn._saved_result)
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)


def pack_hook(t):
    print("packing", t)
    return t


def unpack_hook(t):
    print("unpacking", t)
    return t


with saved_tensors_hooks(pack_hook, unpack_hook):
    c = a * b
print(c.grad_fn._saved_other)
c.sum().backward()
print(a.grad, b.grad)


def double(t):
    return t * 2


with saved_tensors_hooks(double, lambda t: t):
    c = a * b * b
a.grad = b.grad = None
c.sum().backward()
print(a.grad, b.grad)
with tempfile.TemporaryDirectory() as folder:

    class SelfDeletingFile:
        def __init__(self):
            self.name = os.path.join(folder, str(uuid.uuid4()))

        def __del__(self):
            if os.path.exists(self.name):
                os.remove(self.name)

    def save_on_disk(t):
        if t.numel() < 6:
            return t
        file = SelfDeletingFile()
        torch.save(t, file.name)
        return file

    def load_from_disk(t):
        return torch.load(t.name) if isinstance(t, SelfDeletingFile) else t

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    inputs = torch.randn(2, 3)
    with saved_tensors_hooks(save_on_disk, load_from_disk):
        loss = net(inputs).pow(2).sum()
    print(len(os.listdir(folder)), loss.grad_fn)
    loss.backward()
    on_disk = net[0].weight.grad.clone()
    del loss
    print(len(os.listdir(folder)))
net.zero_grad()
with save_on_cpu():
    loss = net(inputs).pow(2).sum()
loss.backward()
print(torch.equal(on_disk, net[0].weight.grad), on_disk[0])
y = x.sin()
y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 0, lambda t: t)
print(torch.autograd.grad(y.sum(), x))
try:
    with disable_saved_tensors_hooks("no packing here"), saved_tensors_hooks(double, double):
        x.exp()
except RuntimeError as e:
    print(e)
y = x.exp()
y.sum().backward()
try:
    y.sum().backward()
except RuntimeError as e:
    print(str(e)[:70])
try:
    print(y.grad_fn._saved_result)
except RuntimeError as e:
    print(str(e)[:70])


def change(t):
    t.mul_(2)
    return t


try:
    with saved_tensors_hooks(change, lambda t: t):
        a.exp()
except RuntimeError as e:
    print(str(e)[:90])
