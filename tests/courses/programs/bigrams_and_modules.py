"""What is left of the lessons: bigrams, parameters made by hand, custom modules, a gradient penalty."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    IterableDataset,
    TensorDataset,
    default_collate,
)

torch.manual_seed(6)
words = ["emma", "olivia", "ava", "mia", "amelia"]
chars = ["."] + sorted(set("".join(words)))
stoi = {s: i for i, s in enumerate(chars)}
N = torch.zeros((len(chars), len(chars)), dtype=torch.int32)
for w in words:
    chs = ["."] + list(w) + ["."]
    for ch1, ch2 in zip(chs, chs[1:], strict=False):
        N[stoi[ch1], stoi[ch2]] += 1
print(N[0], N.sum(1), N.dtype)
P = (N + 1).float()
P /= P.sum(1, keepdim=True)
g = torch.Generator().manual_seed(2147483647)
for _ in range(3):
    out, ix = [], 0
    while True:
        ix = torch.multinomial(P[ix], num_samples=1, replacement=True, generator=g).item()
        if ix == 0 or len(out) > 15:
            break
        out.append(chars[ix])
    print("".join(out))
xs = torch.tensor([stoi[c] for w in words for c in "." + w])
ys = torch.tensor([stoi[c] for w in words for c in w + "."])
W = torch.randn((len(chars), len(chars)), generator=g, requires_grad=True)
for k in range(5):
    logits = F.one_hot(xs, num_classes=len(chars)).float() @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(len(xs)), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -10 * W.grad
    print(k, loss.item())
print(loss.grad_fn, loss.grad_fn.next_functions[0][0], probs[0])


class Gain(nn.Module):
    scale: torch.Tensor

    def __init__(self, n):
        super().__init__()
        self.register_parameter("gain", nn.Parameter(torch.ones(n)))
        self.register_parameter("unused", None)
        self.register_buffer("scale", torch.full((n,), 2.0), persistent=False)
        self.parts = nn.ModuleDict({"a": nn.Linear(n, n), "b": nn.Identity()})
        self.vectors = nn.ParameterList([nn.Parameter(torch.zeros(n)) for _ in range(2)])

    def forward(self, x, which="a"):
        return self.parts[which](x) * self.gain * self.scale + sum(self.vectors)


m = Gain(3)
print(m, list(m.state_dict()), [n for n, _ in m.named_buffers()], len(list(m.parameters())))
m.register_module("extra", nn.Tanh())
print([type(c).__name__ for c in m.children()], m.get_submodule("parts.a"), m.get_parameter("gain"))
m.half().float().double()
print(m.gain.dtype, m(torch.ones(1, 3, dtype=torch.double)).dtype, m.requires_grad_(False).gain)
try:
    m(torch.ones(1, 3))
except RuntimeError as e:
    print(e)
try:
    m.gain = torch.ones(3)
except TypeError as e:
    print(e)
try:
    nn.Linear(3, 2)(torch.ones(1, 4))
except RuntimeError as e:
    print(e)
try:
    print(m.missing)
except AttributeError as e:
    print(e)

critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
real, fake = torch.randn(6, 2), torch.randn(6, 2) + 2
mix = torch.rand(6, 1)
between = (mix * real + (1 - mix) * fake).requires_grad_()
(slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
total = critic(fake).mean() - critic(real).mean() + 10 * penalty
total.backward()
print(total, slope.grad_fn, critic[0].bias.grad, critic[2].weight.grad)
ema = torch.nn.Sequential(*[nn.Linear(2, 2)])
with torch.no_grad():
    for a, b in zip(ema.parameters(), critic.parameters(), strict=False):
        a.mul_(0.9).add_(b[:2], alpha=0.1)
print(ema[0].weight)


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(5))


print([b for b in DataLoader(Stream(), batch_size=2)])
both = ConcatDataset([TensorDataset(torch.arange(3)), TensorDataset(torch.arange(3, 5))])
print(len(both), both[4], default_collate([{"a": 1, "b": (2.0, "x")}, {"a": 3, "b": (4.0, "y")}]))
collate = lambda batch: nn.utils.rnn.pad_sequence([b for b in batch], batch_first=True)  # noqa: E731
print(next(iter(DataLoader([torch.ones(2), torch.ones(1), torch.ones(3)], 3, collate_fn=collate))))
print(next(iter(DataLoader(both, batch_size=3, sampler=torch.utils.data.SequentialSampler(both)))))
w = torch.utils.data.WeightedRandomSampler(
    [0.1, 0.9], 5, generator=torch.Generator().manual_seed(0)
)
print(list(w))
