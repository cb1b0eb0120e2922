"""A first tour of tensors: making, indexing, joining, arithmetic, sharing memory with NumPy."""

import numpy as np
import torch

torch.manual_seed(7)
data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
print(x_data, x_np.dtype, torch.as_tensor(np.float32(2.5)))
x_ones = torch.ones_like(x_data)
x_rand = torch.rand_like(x_data, dtype=torch.float)
print(x_ones, x_rand, sep="\n")
tensor = torch.rand(3, 4)
print(f"{tensor.shape} {tensor.dtype} {tensor.device} {tensor.layout} {tensor.numel()}")
print(torch.accelerator.is_available() if hasattr(torch, "accelerator") else False)
print(torch.cuda.is_available())
tensor = torch.ones(4, 4)
tensor[:, 1] = 0
print(tensor, tensor[0], tensor[:, 0], tensor[..., -1], sep="\n")
t1 = torch.cat([tensor, tensor, tensor], dim=1)
print(t1.shape, torch.stack([tensor, tensor]).size(), t1.stride())
y1 = tensor @ tensor.T
y2 = tensor.matmul(tensor.T)
y3 = torch.empty_like(tensor)
torch.matmul(tensor, tensor.T, out=y3)
print(torch.equal(y1, y2), y3)
z3 = torch.rand_like(tensor)
torch.mul(tensor, tensor, out=z3)
print(z3)
agg = tensor.sum()
print(agg, agg.item(), type(agg.item()))
tensor.add_(5)
print(tensor)
t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(t, n)
n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(t, n)
a = torch.arange(12).reshape(3, 4)
print(a[a > 5], a[[0, 2], [1, 3]], a[:, [True, False, True, False]])
print(a[None, 1, ::2].shape, a.T.is_contiguous(), a.view(-1, 6), a.t()[1])
print(a.float().mean(), a.sum(0), a.max(dim=1), a.cumsum(1)[-1])
print(torch.where(a % 2 == 0, a, -a), a.clamp(2, 9), a.unsqueeze(0).shape, a.flip(0)[0])
print((a == 3).nonzero(), torch.nonzero(a > 9, as_tuple=True), (a > 3).any(), (a > 3).all(dim=1))
v, i = torch.topk(torch.tensor([3.0, 9.0, 1.0, 5.0]), 2)
print(v, i, torch.sort(torch.tensor([3, 1, 2]), descending=True))
print(torch.split(torch.arange(7), 3), torch.chunk(torch.arange(6), 4), a.unbind(1)[2])
print(torch.tensor(3.0) / 2, 7 // torch.tensor(2), torch.tensor(7) % -3, torch.tensor([1, 2]) / 2)
print(torch.tensor([1, 2]).dtype, (torch.tensor([1, 2]) + 1.5).dtype, torch.tensor([True]) + 1)
print(torch.tensor([1e-8, 1.0, 1e6]), torch.tensor([0.1, 200.0]), torch.tensor([float("nan"), 1]))
print(torch.zeros(2, 0), torch.zeros(0), torch.full((2, 2), 7), torch.eye(2, dtype=torch.int8))
print(torch.linspace(0, 1, 5), torch.logspace(0, 2, 3), torch.arange(0, 1, 0.25))
x = torch.randn(2, 3, 4)
print(x.permute(2, 0, 1).shape, x.transpose(0, 2).shape, x.flatten(1).shape, x.squeeze().shape)
print(x.movedim(0, -1).shape, x.expand(5, 2, 3, 4).shape, x[0].repeat(2, 1).shape)
print(torch.bincount(torch.tensor([0, 1, 1, 3])), torch.unique(torch.tensor([2, 1, 2])))
print(torch.einsum("bij,bkj->bik", x, x).shape, torch.bmm(x, x.mT).diagonal(dim1=1, dim2=2).sum())
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")[1], torch.outer(t[:2], t[:2]))
try:
    torch.ones(2, 3) + torch.ones(2, 4)
except RuntimeError as e:
    print(e)
try:
    torch.ones(2, 3) @ torch.ones(2, 3)
except RuntimeError as e:
    print(e)
try:
    a.view(5, 3)
except RuntimeError as e:
    print(e)
try:
    torch.ones(3)[5]
except IndexError as e:
    print(e)
