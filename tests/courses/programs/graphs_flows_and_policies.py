"""Graph networks, autoencoders, flows, adversaries and policies in small, with data made on the spot."""

import math
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical, Normal, kl_divergence

torch.manual_seed(17)


class GraphLayer(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.projection = nn.Linear(c_in, c_out)

    def forward(self, nodes, adjacency):
        neighbours = adjacency.sum(dim=-1, keepdims=True)
        return torch.bmm(adjacency, self.projection(nodes)) / neighbours


nodes = torch.arange(8, dtype=torch.float32).view(1, 4, 2)
adjacency = torch.Tensor([[[1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]]])
layer = GraphLayer(2, 2)
layer.projection.weight.data = torch.Tensor([[1.0, 0.0], [0.0, 1.0]])
layer.projection.bias.data = torch.Tensor([0.0, 0.0])
with torch.no_grad():
    print(nodes, adjacency, layer(nodes, adjacency))


class GraphAttention(nn.Module):
    def __init__(self, c_in, c_out, heads=2, alpha=0.2):
        super().__init__()
        self.heads, c_out = heads, c_out // heads
        self.projection = nn.Linear(c_in, c_out * heads)
        self.a = nn.Parameter(torch.Tensor(heads, 2 * c_out))
        self.leaky = nn.LeakyReLU(alpha)
        nn.init.xavier_uniform_(self.projection.weight.data, gain=1.414)
        nn.init.xavier_uniform_(self.a.data, gain=1.414)

    def forward(self, nodes, adjacency):
        batch, count = nodes.size(0), nodes.size(1)
        nodes = self.projection(nodes).view(batch, count, self.heads, -1)
        edges = adjacency.nonzero(as_tuple=False)
        flat = nodes.view(batch * count, self.heads, -1)
        row, col = edges[:, 0] * count + edges[:, 1], edges[:, 0] * count + edges[:, 2]
        pairs = torch.cat(
            [torch.index_select(flat, 0, row), torch.index_select(flat, 0, col)], dim=-1
        )
        logits = self.leaky(torch.einsum("bhc,hc->bh", pairs, self.a))
        matrix = logits.new_zeros(adjacency.shape + (self.heads,)).fill_(-9e15)
        matrix[adjacency[..., None].repeat(1, 1, 1, self.heads) == 1] = logits.reshape(-1)
        probs = F.softmax(matrix, dim=2)
        print(probs.permute(0, 3, 1, 2)[0, 0])
        return torch.einsum("bijh,bjhc->bihc", probs, nodes).reshape(batch, count, -1)


attention = GraphAttention(2, 4)
out = attention(nodes / 8, adjacency)
print(out)
out.square().mean().backward()
print(attention.a.grad)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 4, kernel_size=3, padding=1, stride=2),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(4 * 16, 4),
        )
        self.linear = nn.Sequential(nn.Linear(2, 4 * 16), nn.GELU())
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(4, 1, kernel_size=3, output_padding=1, padding=1, stride=2),
            nn.Tanh(),
        )

    def forward(self, x):
        mean, log_var = self.encoder(x).chunk(2, dim=-1)
        q = Normal(mean, (0.5 * log_var).exp())
        z = mean + (0.5 * log_var).exp() * torch.randn_like(mean)
        x_hat = self.decoder(self.linear(z).reshape(z.shape[0], -1, 4, 4))
        return x_hat, kl_divergence(q, Normal(torch.zeros_like(mean), torch.ones_like(mean))).sum(
            -1
        )


images = torch.rand(6, 1, 8, 8) * 2 - 1
vae = Autoencoder()
optimizer = optim.Adam(vae.parameters(), lr=1e-3)
scheduler = optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, mode="min", factor=0.2, patience=1, min_lr=5e-5
)
for _ in range(4):
    x_hat, kl = vae(images)
    loss = F.mse_loss(images, x_hat, reduction="none").sum(dim=[1, 2, 3]).mean(dim=[0]) + kl.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step(loss)
    print(loss, optimizer.param_groups[0]["lr"])
print(x_hat.shape, kl, vae.decoder)


class Coupling(nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8))
        self.scaling = nn.Parameter(torch.zeros(4))
        self.register_buffer("mask", mask)

    def forward(self, z, ldj, reverse=False):
        s, t = self.net(z * self.mask).chunk(2, dim=1)
        factor = self.scaling.exp().view(1, -1)
        s = torch.tanh(s / factor) * factor * (1 - self.mask)
        t = t * (1 - self.mask)
        if not reverse:
            return (z + t) * torch.exp(s), ldj + s.sum(dim=1)
        return z * torch.exp(-s) - t, ldj - s.sum(dim=1)


flow = nn.ModuleList([Coupling(torch.Tensor([i % 2, 1 - i % 2] * 2)) for i in range(3)])
x = torch.randn(5, 4)
z, ldj = x, torch.zeros(5)
for part in flow:
    z, ldj = part(z, ldj)
prior = torch.distributions.normal.Normal(loc=0.0, scale=1.0)
bits = -(ldj + prior.log_prob(z).sum(dim=1)) * math.log2(math.e) / 4
print(z, ldj, bits.mean())
back, zero = z, ldj
for part in reversed(flow):
    back, zero = part(back, zero, reverse=True)
print(torch.allclose(back, x, atol=1e-5), zero.abs().max() < 1e-5, flow[0].mask)
quantised = torch.randint(0, 256, (2, 3)).to(torch.float32)
print(
    torch.floor(torch.sigmoid((quantised / 256).logit(eps=1e-5)) * 256)
    .clamp(min=0, max=255)
    .to(torch.int32)
)


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


maker = nn.Sequential(
    nn.ConvTranspose2d(6, 8, 4, 1, 0, bias=False),
    nn.BatchNorm2d(8),
    nn.ReLU(True),
    nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
    nn.Tanh(),
)
judge = nn.Sequential(
    nn.Conv2d(1, 8, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(8, 1, 4, 1, 0, bias=False),
    nn.Sigmoid(),
)
maker.apply(weights_init)
judge.apply(weights_init)
print(maker)
criterion, noise = nn.BCELoss(), torch.randn(6, 6, 1, 1)
opt_d = optim.Adam(judge.parameters(), lr=0.002, betas=(0.5, 0.999))
opt_g = optim.Adam(maker.parameters(), lr=0.002, betas=(0.5, 0.999))
for i in range(3):
    judge.zero_grad()
    label = torch.full((6,), 1.0, dtype=torch.float)
    real = criterion(judge(images).view(-1), label)
    real.backward()
    made = maker(noise)
    label.fill_(0.0)
    fake = criterion(judge(made.detach()).view(-1), label)
    fake.backward()
    opt_d.step()
    maker.zero_grad()
    label.fill_(1.0)
    fooled = criterion(judge(made).view(-1), label)
    fooled.backward()
    opt_g.step()
    print(f"[{i}/3] Loss_D: {(real + fake).item():.4f} Loss_G: {fooled.item():.4f}", made.shape)

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
memory = deque([], maxlen=8)
for k in range(8):
    following = None if k % 4 == 3 else torch.tensor([[k + 1.0, 0.5]])
    memory.append(
        Transition(
            torch.tensor([[float(k), 0.5]]), torch.tensor([[k % 2]]), following, torch.tensor([1.0])
        )
    )
policy, target = nn.Linear(2, 2), nn.Linear(2, 2)
print(target.load_state_dict(policy.state_dict()))
batch = Transition(*zip(*memory))
mask = torch.tensor(tuple(s is not None for s in batch.next_state), dtype=torch.bool)
values = torch.zeros(8)
with torch.no_grad():
    values[mask] = target(torch.cat([s for s in batch.next_state if s is not None])).max(1).values
chosen = policy(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
loss = nn.SmoothL1Loss()(chosen, (values * 0.99 + torch.cat(batch.reward)).unsqueeze(1))
loss.backward()
nn.utils.clip_grad_value_(policy.parameters(), 100)
print(mask, values, loss, policy.weight.grad)
kept, fresh = target.state_dict(), policy.state_dict()
for key in fresh:
    kept[key] = fresh[key] * 0.005 + kept[key] * 0.995
target.load_state_dict(kept)
actor = nn.Sequential(nn.Linear(2, 8), nn.Dropout(p=0.6), nn.ReLU(), nn.Linear(8, 2))
probs = F.softmax(actor.eval()(torch.tensor([[0.1, -0.2], [1.0, 2.0]])), dim=1)
m = Categorical(probs)
action = torch.tensor([1, 0])
returns = torch.tensor([1.9, 1.0])
returns = (returns - returns.mean()) / (returns.std() + torch.finfo(torch.float32).eps)
loss = torch.cat([(-log * r).view(1) for log, r in zip(m.log_prob(action), returns)]).sum()
loss.backward()
print(probs, m.entropy(), loss, actor[0].weight.grad.norm())
