"""Mixture density networks: one answer per input is not enough, so the net gives weights, means and spreads."""

import math

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical, MixtureSameFamily, Normal
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
np.random.seed(5)
n_samples = 600
epsilon = torch.randn(n_samples)
x_data = torch.linspace(-10, 10, n_samples)
y_data = 7 * np.sin(0.75 * x_data) + 0.5 * x_data + epsilon
x_data, y_data = x_data.view(-1, 1), y_data.view(-1, 1)
print(x_data.shape, y_data[:3], y_data.mean())

network = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
loss_fn, optimizer = nn.MSELoss(), torch.optim.RMSprop(network.parameters(), lr=0.01)
for epoch in range(120):
    loss = loss_fn(network(x_data), y_data)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 30 == 0:
        print(f"epoch {epoch}: squares {loss.item():.1f}")

inverse_x, inverse_y = y_data, x_data
shuffled = torch.randperm(n_samples)
print(shuffled[:6], inverse_x[shuffled][:2])


class MDN(nn.Module):
    def __init__(self, n_hidden, n_gaussians):
        super().__init__()
        self.z_h = nn.Sequential(nn.Linear(1, n_hidden), nn.Tanh())
        self.z_pi = nn.Linear(n_hidden, n_gaussians)
        self.z_mu = nn.Linear(n_hidden, n_gaussians)
        self.z_sigma = nn.Linear(n_hidden, n_gaussians)

    def forward(self, x):
        z_h = self.z_h(x)
        pi = nn.functional.softmax(self.z_pi(z_h), -1)
        mu = self.z_mu(z_h)
        sigma = torch.exp(self.z_sigma(z_h))
        return pi, mu, sigma


oneDivSqrtTwoPI = 1.0 / np.sqrt(2.0 * np.pi)


def gaussian_distribution(y, mu, sigma):
    result = (y.expand_as(mu) - mu) * torch.reciprocal(sigma)
    result = -0.5 * (result * result)
    return (torch.exp(result) * torch.reciprocal(sigma)) * oneDivSqrtTwoPI


def mdn_loss_fn(pi, mu, sigma, y):
    result = gaussian_distribution(y, mu, sigma) * pi
    result = torch.sum(result, dim=1)
    result = -torch.log(result + 1e-20)
    return torch.mean(result)


def stable_loss_fn(pi, mu, sigma, y):
    log_component = Normal(mu, sigma).log_prob(y.expand_as(mu))
    return -torch.logsumexp(torch.log(pi) + log_component, dim=1).mean()


model = MDN(n_hidden=20, n_gaussians=5)
pi, mu, sigma = model(inverse_x[:4])
print(model, pi.sum(-1), sigma.min() > 0)
mixture = MixtureSameFamily(Categorical(pi), Normal(mu, sigma))
print(mixture.log_prob(inverse_y[:4, 0]).shape, mixture.mean, mixture.variance)
first, second = (f(pi, mu, sigma, inverse_y[:4]) for f in (stable_loss_fn, mdn_loss_fn))
print(f"{first.item():.2f} {-mixture.log_prob(inverse_y[:4, 0]).mean().item():.2f}", second.shape)
(g1,) = torch.autograd.grad(first, [model.z_mu.bias], retain_graph=True)
(g2,) = torch.autograd.grad(-mixture.log_prob(inverse_y[:4, 0]).mean(), [model.z_mu.bias])
print(torch.allclose(g1, g2, rtol=1e-4), g1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(120):
    pi_variable, mu_variable, sigma_variable = model(inverse_x)
    loss = stable_loss_fn(pi_variable, mu_variable, sigma_variable, inverse_y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 30 == 0:
        print(f"epoch {epoch}: {loss.item():.2f}")

batches = DataLoader(TensorDataset(inverse_x, inverse_y), batch_size=100, shuffle=True)
for epoch in range(3):
    losses = []
    for xb, yb in batches:
        pi, mu, sigma = model(xb)
        loss = mdn_loss_fn(pi, mu, sigma, yb)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
    print(f"in batches {epoch}: {torch.stack(losses).mean():.1f}")


def gumbel_sample(x, axis=1):
    z = np.random.gumbel(loc=0, scale=1, size=x.shape)
    return (np.log(x) + z).argmax(axis=axis)


x_test = torch.linspace(-10, 10, 40).view(-1, 1)
pi, mu, sigma = model(x_test)
k = gumbel_sample(pi.data.numpy())
indices = (np.arange(40), k)
rn = torch.randn(40)
sampled = rn * sigma.data[indices] + mu.data[indices]
print(k.shape, sampled.shape, k.min() >= 0, sampled.isfinite().all())
gathered = mu.gather(1, torch.from_numpy(k).view(-1, 1)).squeeze(1)
print(torch.equal(gathered.data, mu.data[indices]), gathered.grad_fn.name())
drawn = MixtureSameFamily(Categorical(pi), Normal(mu, sigma)).sample((3,))
print(drawn.shape, pi.max(dim=1).values.min() > 1 / 5, math.isfinite(drawn.sum()))
print(pi.argmax(dim=1).bincount(minlength=5).sum(), model.z_pi.weight.grad.shape)
