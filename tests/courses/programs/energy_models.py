"""Deep energy models as a university course trains them: samples by Langevin steps, a buffer, contrastive divergence."""

import random

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(42)
random.seed(42)
np.random.seed(42)


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class CNNModel(nn.Module):
    def __init__(self, hidden_features=16, out_dim=1):
        super().__init__()
        c_hid1 = hidden_features // 2
        c_hid2 = hidden_features
        c_hid3 = hidden_features * 2
        self.cnn_layers = nn.Sequential(
            nn.Conv2d(1, c_hid1, kernel_size=5, stride=2, padding=4),
            Swish(),
            nn.Conv2d(c_hid1, c_hid2, kernel_size=3, stride=2, padding=1),
            Swish(),
            nn.Conv2d(c_hid2, c_hid3, kernel_size=3, stride=2, padding=1),
            Swish(),
            nn.Conv2d(c_hid3, c_hid3, kernel_size=3, stride=2, padding=1),
            Swish(),
            nn.Flatten(),
            nn.Linear(c_hid3 * 4, c_hid3),
            Swish(),
            nn.Linear(c_hid3, out_dim),
        )

    def forward(self, x):
        return self.cnn_layers(x).squeeze(dim=-1)


class Sampler:
    def __init__(self, model, img_shape, sample_size, max_len=8192):
        self.model, self.img_shape = model, img_shape
        self.sample_size, self.max_len = sample_size, max_len
        self.examples = [torch.rand((1,) + img_shape) * 2 - 1 for _ in range(self.sample_size)]

    def sample_new_exmps(self, steps=60, step_size=10):
        n_new = np.random.binomial(self.sample_size, 0.05)
        rand_imgs = torch.rand((n_new,) + self.img_shape) * 2 - 1
        old_imgs = torch.cat(random.choices(self.examples, k=self.sample_size - n_new), dim=0)
        inp_imgs = torch.cat([rand_imgs, old_imgs], dim=0).detach()
        inp_imgs = Sampler.generate_samples(self.model, inp_imgs, steps, step_size)
        self.examples = list(inp_imgs.cpu().chunk(self.sample_size, dim=0)) + self.examples
        self.examples = self.examples[: self.max_len]
        return inp_imgs

    @staticmethod
    def generate_samples(model, inp_imgs, steps=60, step_size=10, return_img_per_step=False):
        is_training = model.training
        model.eval()
        for p in model.parameters():
            p.requires_grad = False
        inp_imgs.requires_grad = True
        had_gradients_enabled = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        noise = torch.randn(inp_imgs.shape, device=inp_imgs.device)
        imgs_per_step = []
        for _ in range(steps):
            noise.normal_(0, 0.005)
            inp_imgs.data.add_(noise.data)
            inp_imgs.data.clamp_(min=-1.0, max=1.0)
            out_imgs = -model(inp_imgs)
            out_imgs.sum().backward()
            inp_imgs.grad.data.clamp_(-0.03, 0.03)
            inp_imgs.data.add_(-step_size * inp_imgs.grad.data)
            inp_imgs.grad.detach_()
            inp_imgs.grad.zero_()
            inp_imgs.data.clamp_(min=-1.0, max=1.0)
            if return_img_per_step:
                imgs_per_step.append(inp_imgs.clone().detach())
        for p in model.parameters():
            p.requires_grad = True
        model.train(is_training)
        torch.set_grad_enabled(had_gradients_enabled)
        return torch.stack(imgs_per_step, dim=0) if return_img_per_step else inp_imgs


grid = torch.linspace(-1, 1, 28)
radius = torch.rand(24, 1, 1) * 0.4 + 0.3
circles = ((grid[:, None] ** 2 + grid[None] ** 2).sqrt()[None] - radius).abs() < 0.12
real_imgs = circles.float().unsqueeze(1) * 2 - 1
print(real_imgs.shape, real_imgs.mean(), circles.sum(dim=(1, 2))[:5])
model = CNNModel()
print(model.cnn_layers[:4], sum(p.numel() for p in model.parameters()))
sampler = Sampler(model, (1, 28, 28), sample_size=24)
optimizer = optim.Adam(model.parameters(), lr=1e-4, betas=(0.0, 0.999))
scheduler = optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.97)
for epoch in range(4):
    small_noise = torch.randn_like(real_imgs) * 0.005
    batch = real_imgs.clone().add_(small_noise).clamp_(min=-1.0, max=1.0)
    fake_imgs = sampler.sample_new_exmps(steps=12, step_size=10)
    inp_imgs = torch.cat([batch, fake_imgs], dim=0)
    real_out, fake_out = model(inp_imgs).chunk(2, dim=0)
    reg_loss = 0.1 * (real_out**2 + fake_out**2).mean()
    cdiv_loss = fake_out.mean() - real_out.mean()
    loss = reg_loss + cdiv_loss
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    scheduler.step()
    print(f"epoch {epoch}: {loss.item():.3f} = {reg_loss.item():.3f} + {cdiv_loss.item():.3f}")
    print(len(sampler.examples), f"{real_out.mean():.3f} {fake_out.mean():.3f}")
print(scheduler.get_last_lr(), fake_imgs.requires_grad, fake_imgs.grad.abs().sum())
model.eval()
start = torch.rand((4, 1, 28, 28)) * 2 - 1
torch.set_grad_enabled(True)
steps = Sampler.generate_samples(model, start, steps=8, step_size=10, return_img_per_step=True)
print(steps.shape, steps.requires_grad, steps.min(), steps.max(), model.training)
torch.set_grad_enabled(False)
compared = torch.cat([real_imgs[:2], torch.rand((2, 1, 28, 28)) * 2 - 1], dim=0)
print(model(compared).shape, model(compared).requires_grad, model(compared).round(decimals=2))
shifted = torch.zeros_like(compared[0])
shifted[..., 3:] = compared[0, ..., :-3]
print(
    shifted.shape,
    torch.is_grad_enabled(),
    model(torch.stack([shifted, -shifted])).round(decimals=2),
)
torch.set_grad_enabled(True)
