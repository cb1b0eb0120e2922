"""Diffusion from scratch, as a practical course writes it: noise, a U-Net with saved activations, one cycle, sampling."""

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn, optim, tensor
from torch.nn import init
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, default_collate

torch.set_printoptions(precision=2, linewidth=140, sci_mode=False)
torch.manual_seed(42)
n_steps, bs = 1000, 16
sig_data = 0.66


def abar(t):
    return (t * math.pi / 2).cos() ** 2


def inv_abar(x):
    return x.sqrt().acos() * 2 / math.pi


ts = torch.linspace(0, 1 - 0.01, 5)
print(abar(ts), inv_abar(abar(ts)))
betamin, betamax = 0.0001, 0.02
beta = torch.linspace(betamin, betamax, n_steps)
alpha = 1.0 - beta
alphabar = alpha.cumprod(dim=0)
sigma = beta.sqrt()
print(alphabar[::200], sigma[-1])


def noisify(x0):
    t = torch.rand(len(x0)).to(x0).clamp(0, 0.999)
    eps = torch.randn(x0.shape)
    abar_t = abar(t).reshape(-1, 1, 1, 1)
    xt = abar_t.sqrt() * x0 + (1 - abar_t).sqrt() * eps
    return (xt, t), eps


def collate_ddpm(b):
    return noisify(default_collate(b)["image"])


rows = torch.arange(16.0)
pictures = [
    {
        "image": torch.where((rows[:, None] - a) ** 2 + (rows - b) ** 2 < 9, 1.0, -1.0)[None],
        "label": a,
    }
    for a, b in torch.randint(4, 12, (48, 2)).tolist()
]
dl = DataLoader(pictures, batch_size=bs, collate_fn=collate_ddpm, num_workers=0)
(xt, t), eps = next(iter(dl))
print(xt.shape, t, eps.std())


def unet_conv(ni, nf, ks=3, stride=1, act=nn.SiLU, norm=None, bias=True):
    layers = nn.Sequential()
    if norm:
        layers.append(norm(ni))
    if act:
        layers.append(act())
    layers.append(nn.Conv2d(ni, nf, stride=stride, kernel_size=ks, padding=ks // 2, bias=bias))
    return layers


def timestep_embedding(tsteps, emb_dim, max_period=10000):
    exponent = -math.log(max_period) * torch.linspace(0, 1, emb_dim // 2)
    emb = tsteps[:, None].float() * exponent.exp()[None, :]
    emb = torch.cat([emb.sin(), emb.cos()], dim=-1)
    return F.pad(emb, (0, 1, 0, 0)) if emb_dim % 2 == 1 else emb


print(timestep_embedding(tensor([0, 10, 500]), 8), timestep_embedding(tensor([3]), 5).shape)


class EmbResBlock(nn.Module):
    def __init__(self, n_emb, ni, nf=None, ks=3, act=nn.SiLU, norm=nn.BatchNorm2d):
        super().__init__()
        if nf is None:
            nf = ni
        self.emb_proj = nn.Linear(n_emb, nf * 2)
        self.conv1 = unet_conv(ni, nf, ks, act=act, norm=norm)
        self.conv2 = unet_conv(nf, nf, ks, act=act, norm=norm)
        self.idconv = nn.Identity() if ni == nf else nn.Conv2d(ni, nf, 1)

    def forward(self, x, t):
        inp = x
        x = self.conv1(x)
        emb = self.emb_proj(F.silu(t))[:, :, None, None]
        scale, shift = torch.chunk(emb, 2, dim=1)
        x = x * (1 + scale) + shift
        return self.conv2(x) + self.idconv(inp)


class SaveModule:
    def forward(self, x, *args, **kwargs):
        self.saved = super().forward(x, *args, **kwargs)
        return self.saved


class SavedEmbResBlock(SaveModule, EmbResBlock):
    pass


class SavedConv(SaveModule, nn.Conv2d):
    pass


class EmbUNetModel(nn.Module):
    def __init__(self, in_channels=1, out_channels=1, nfs=(16, 32)):
        super().__init__()
        self.conv_in = nn.Conv2d(in_channels, nfs[0], kernel_size=3, padding=1)
        self.n_temb = nf = nfs[0]
        n_emb = nf * 4
        self.emb_mlp = nn.Sequential(unet_lin(self.n_temb, n_emb, act=None), unet_lin(n_emb, n_emb))
        self.down1 = SavedEmbResBlock(n_emb, nfs[0])
        self.shrink = SavedConv(nfs[0], nfs[0], 3, stride=2, padding=1)
        self.down2 = SavedEmbResBlock(n_emb, nfs[0], nfs[1])
        self.mid_block = EmbResBlock(n_emb, nfs[1])
        self.up2 = EmbResBlock(n_emb, nfs[1] * 2, nfs[1])
        self.up = nn.Sequential(
            nn.Upsample(scale_factor=2.0), nn.Conv2d(nfs[1], nfs[1], 3, padding=1)
        )
        self.up1 = EmbResBlock(n_emb, nfs[1] + nfs[0], nfs[0])
        self.conv_out = unet_conv(
            nfs[0], out_channels, act=nn.SiLU, norm=nn.BatchNorm2d, bias=False
        )

    def forward(self, inp):
        x, t = inp
        emb = self.emb_mlp(timestep_embedding(t * 1000, self.n_temb))
        x = self.shrink(self.down1(self.conv_in(x), emb))
        x = self.mid_block(self.down2(x, emb), emb)
        x = self.up(self.up2(torch.cat([x, self.down2.saved], dim=1), emb))
        return self.conv_out(self.up1(torch.cat([x, self.down1.saved], dim=1), emb))


def unet_lin(ni, nf, act=nn.SiLU, norm=None, bias=True):
    layers = nn.Sequential()
    if act:
        layers.append(act())
    layers.append(nn.Linear(ni, nf, bias=bias))
    return layers


def init_ddpm(model):
    for block in (model.down1, model.down2, model.mid_block, model.up1, model.up2):
        init.zeros_(block.conv2[-1].weight)
        for p in block.idconv.parameters():
            if p.dim() > 1:
                init.orthogonal_(p)
    init.orthogonal_(model.shrink.weight)


model = EmbUNetModel()
init_ddpm(model)
print(model.up1, sum(p.numel() for p in model.parameters()))
lr, epochs = 4e-3, 3
tmax = epochs * len(dl)
opt = partial(optim.Adam, eps=1e-5)(model.parameters(), lr=lr)
sched = partial(lr_scheduler.OneCycleLR, max_lr=lr, total_steps=tmax)(opt)
loss_func = nn.MSELoss()
for epoch in range(epochs):
    model.train()
    losses = []
    for xb, yb in dl:
        loss = loss_func(model(xb), yb)
        loss.backward()
        opt.step()
        opt.zero_grad()
        sched.step() if sched.last_epoch < tmax - 1 else None
        losses.append(loss.item())
    print(f"epoch {epoch} loss {sum(losses) / len(losses):.3f} lr {sched.get_last_lr()[0]:.5f}")
print([tuple(m.saved.shape) for m in (model.down1, model.shrink, model.down2)])


def ddim_step(x_t, noise, abar_t, abar_t1, bbar_t, bbar_t1, eta):
    sig = ((bbar_t1 / bbar_t).sqrt() * (1 - abar_t / abar_t1).sqrt()) * eta
    x_0_hat = (x_t - bbar_t.sqrt() * noise) / abar_t.sqrt()
    x_0_hat = x_0_hat.clamp(-2, 2)
    if bbar_t1 <= sig**2 + 0.01:
        sig = 0.0
    x_t = abar_t1.sqrt() * x_0_hat + (bbar_t1 - sig**2).sqrt() * noise
    return x_t + sig * torch.randn(x_t.shape)


@torch.no_grad()
def sample(f, model, sz, steps, eta=1.0):
    model.eval()
    ts = torch.linspace(1 - 1 / steps, 1 / steps, steps - 1)
    x_t = torch.randn(sz)
    for i, t in enumerate(ts):
        t = t[None]
        abar_t = abar(t)
        noise = model((x_t, t))
        abar_t1 = abar(t - 1 / steps) if t >= 1 / steps else torch.tensor(1)
        x_t = f(x_t, noise, abar_t, abar_t1, 1 - abar_t, 1 - abar_t1, eta)
    return x_t


samples = sample(ddim_step, model, (4, 1, 16, 16), steps=10)
print(samples.shape, samples.requires_grad, samples.isfinite().all(), samples.abs().max() < 5)
torch.set_printoptions(profile="default")
