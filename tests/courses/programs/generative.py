"""A variational autoencoder and a generator against a discriminator, on a ring of points."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
angle = torch.rand(64) * 2 * math.pi
ring = torch.stack([angle.cos(), angle.sin()], dim=1) * 0.5 + 0.5


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 16)
        self.fc21 = nn.Linear(16, 2)
        self.fc22 = nn.Linear(16, 2)
        self.fc3 = nn.Linear(2, 16)
        self.fc4 = nn.Linear(16, 2)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 2))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    bce = F.binary_cross_entropy(recon_x, x.view(-1, 2), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld, kld


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    optimizer.zero_grad()
    recon, mu, logvar = model(ring)
    loss, kld = loss_function(recon, ring, mu, logvar)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item() / len(ring):.4f} kl {kld.item():.4f}")
print(loss, recon.grad_fn, mu[0], logvar.grad_fn)
with torch.no_grad():
    print(model.decode(torch.zeros(1, 2)), model(ring[:1])[0].requires_grad)

real_label, fake_label = 1.0, 0.0


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Linear") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.3)
        if m.bias is not None:
            nn.init.constant_(m.bias.data, 0)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)


netG = nn.Sequential(nn.Linear(3, 8, bias=False), nn.BatchNorm1d(8), nn.ReLU(True), nn.Linear(8, 2))
netD = nn.Sequential(
    nn.Linear(2, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1), nn.Sigmoid()
)
netG.apply(weights_init)
netD.apply(weights_init)
print(netG, netD)
criterion = nn.BCELoss()
fixed_noise = torch.randn(2, 3)
optimizerD = torch.optim.Adam(netD.parameters(), lr=0.01, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=0.01, betas=(0.5, 0.999))
for i in range(6):
    netD.zero_grad()
    real = ring[i * 8 : i * 8 + 8]
    label = torch.full((8,), real_label, dtype=torch.float)
    errD_real = criterion(netD(real).view(-1), label)
    errD_real.backward()
    fake = netG(torch.randn(8, 3))
    label.fill_(fake_label)
    errD_fake = criterion(netD(fake.detach()).view(-1), label)
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    label.fill_(real_label)
    output = netD(fake).view(-1)
    errG = criterion(output, label)
    errG.backward()
    optimizerG.step()
    print(f"[{i}] D {(errD_real + errD_fake).item():.4f} G {errG:.4f} D(G(z)) {output.mean():.4f}")
print(netG.eval()(fixed_noise).detach(), netG[1].running_mean[:3], netG[1].num_batches_tracked)
print(F.binary_cross_entropy_with_logits(torch.zeros(3), torch.ones(3)), F.softplus(mu[:1]))
