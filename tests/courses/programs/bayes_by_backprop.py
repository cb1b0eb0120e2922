"""Weights with distributions: reparameterized Gaussians, a mixture as the prior, and the bound that both give."""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(0)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
BATCH_SIZE, TEST_BATCH_SIZE, CLASSES, SAMPLES, TEST_SAMPLES = 100, 5, 10, 2, 10
target = torch.randint(0, CLASSES, (500,))
shapes = torch.rand(CLASSES, 1, 28, 28)
pictures = (shapes[target] + 0.3 * torch.randn(500, 1, 28, 28)).clamp(0, 1)
dataset = torch.utils.data.TensorDataset(pictures, target)
train_loader = torch.utils.data.DataLoader(dataset, batch_size=BATCH_SIZE, shuffle=True)
test_set = torch.utils.data.Subset(dataset, range(20))
test_loader = torch.utils.data.DataLoader(test_set, batch_size=TEST_BATCH_SIZE, shuffle=False)
NUM_BATCHES, TEST_SIZE = len(train_loader), len(test_loader.dataset)
print(torch.cuda.is_available(), NUM_BATCHES, len(test_loader), pictures.mean())


class Gaussian:
    def __init__(self, mu, rho):
        super().__init__()
        self.mu = mu
        self.rho = rho
        self.normal = torch.distributions.Normal(0, 1)

    @property
    def sigma(self):
        return torch.log1p(torch.exp(self.rho))

    def sample(self):
        epsilon = self.normal.sample(self.rho.size()).to(DEVICE)
        return self.mu + self.sigma * epsilon

    def log_prob(self, input):
        return (
            -math.log(math.sqrt(2 * math.pi))
            - torch.log(self.sigma)
            - ((input - self.mu) ** 2) / (2 * self.sigma**2)
        ).sum()


class ScaleMixtureGaussian:
    def __init__(self, pi, sigma1, sigma2):
        super().__init__()
        self.pi = pi
        self.gaussian1 = torch.distributions.Normal(0, sigma1)
        self.gaussian2 = torch.distributions.Normal(0, sigma2)

    def log_prob(self, input):
        prob1 = torch.exp(self.gaussian1.log_prob(input))
        prob2 = torch.exp(self.gaussian2.log_prob(input))
        return (torch.log(self.pi * prob1 + (1 - self.pi) * prob2)).sum()


PI, SIGMA_1, SIGMA_2 = 0.5, torch.FloatTensor([math.exp(-0)]), torch.FloatTensor([math.exp(-6)])
prior = ScaleMixtureGaussian(PI, SIGMA_1, SIGMA_2)
w = torch.tensor([-1.0, 0.0, 0.001, 2.0], requires_grad=True)
prior.log_prob(w).backward()
print(prior.log_prob(w), w.grad)
g = Gaussian(torch.zeros(3, requires_grad=True), torch.tensor([-1.0, 0.0, 1.0], requires_grad=True))
drawn = g.sample()
g.log_prob(drawn.detach()).backward()
print(g.sigma, drawn, g.mu.grad, g.rho.grad)


class BayesianLinear(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight_mu = nn.Parameter(torch.Tensor(out_features, in_features).uniform_(-0.2, 0.2))
        self.weight_rho = nn.Parameter(torch.Tensor(out_features, in_features).uniform_(-5, -4))
        self.weight = Gaussian(self.weight_mu, self.weight_rho)
        self.bias_mu = nn.Parameter(torch.Tensor(out_features).uniform_(-0.2, 0.2))
        self.bias_rho = nn.Parameter(torch.Tensor(out_features).uniform_(-5, -4))
        self.bias = Gaussian(self.bias_mu, self.bias_rho)
        self.weight_prior = ScaleMixtureGaussian(PI, SIGMA_1, SIGMA_2)
        self.bias_prior = ScaleMixtureGaussian(PI, SIGMA_1, SIGMA_2)
        self.log_prior = 0
        self.log_variational_posterior = 0

    def forward(self, input, sample=False, calculate_log_probs=False):
        if self.training or sample:
            weight = self.weight.sample()
            bias = self.bias.sample()
        else:
            weight = self.weight.mu
            bias = self.bias.mu
        if self.training or calculate_log_probs:
            self.log_prior = self.weight_prior.log_prob(weight) + self.bias_prior.log_prob(bias)
            posterior = self.weight.log_prob(weight) + self.bias.log_prob(bias)
            self.log_variational_posterior = posterior
        else:
            self.log_prior, self.log_variational_posterior = 0, 0
        return F.linear(input, weight, bias)


class BayesianNetwork(nn.Module):
    def __init__(self, width=100):
        super().__init__()
        self.l1 = BayesianLinear(28 * 28, width)
        self.l2 = BayesianLinear(width, width)
        self.l3 = BayesianLinear(width, 10)

    def forward(self, x, sample=False):
        x = x.view(-1, 28 * 28)
        x = F.relu(self.l1(x, sample))
        x = F.relu(self.l2(x, sample))
        return F.log_softmax(self.l3(x, sample), dim=1)

    def log_prior(self):
        return self.l1.log_prior + self.l2.log_prior + self.l3.log_prior

    def log_variational_posterior(self):
        return sum(l.log_variational_posterior for l in (self.l1, self.l2, self.l3))

    def sample_elbo(self, input, target, samples=SAMPLES):
        outputs = torch.zeros(samples, BATCH_SIZE, CLASSES).to(DEVICE)
        log_priors = torch.zeros(samples).to(DEVICE)
        log_variational_posteriors = torch.zeros(samples).to(DEVICE)
        for i in range(samples):
            outputs[i] = self(input, sample=True)
            log_priors[i] = self.log_prior()
            log_variational_posteriors[i] = self.log_variational_posterior()
        log_prior = log_priors.mean()
        log_variational_posterior = log_variational_posteriors.mean()
        negative_log_likelihood = F.nll_loss(outputs.mean(0), target, reduction="sum")
        loss = (log_variational_posterior - log_prior) / NUM_BATCHES + negative_log_likelihood
        return loss, log_prior, log_variational_posterior, negative_log_likelihood


net = BayesianNetwork().to(DEVICE)
print([(n, tuple(p.shape)) for n, p in net.named_parameters()][:4])


def train(net, optimizer, epoch):
    net.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        data, target = data.to(DEVICE), target.to(DEVICE)
        net.zero_grad()
        loss, log_prior, posterior, nll = net.sample_elbo(data, target)
        loss.backward()
        optimizer.step()
        if batch_idx % 2 == 0:
            print(f"{epoch}/{batch_idx}: {loss.item():.1f} {log_prior.item():.1f} {nll.item():.1f}")


optimizer = optim.Adam(net.parameters())
for epoch in range(2):
    train(net, optimizer, epoch)


def test_ensemble():
    net.eval()
    correct = 0
    corrects = np.zeros(TEST_SAMPLES + 1, dtype=int)
    with torch.no_grad():
        for data, target in test_loader:
            outputs = torch.zeros(TEST_SAMPLES + 1, TEST_BATCH_SIZE, CLASSES).to(DEVICE)
            for i in range(TEST_SAMPLES):
                outputs[i] = net(data, sample=True)
            outputs[TEST_SAMPLES] = net(data, sample=False)
            output = outputs.mean(0)
            preds = outputs.max(2, keepdim=True)[1]
            pred = output.max(1, keepdim=True)[1]
            corrects += preds.eq(target.view_as(pred)).sum(dim=1).squeeze().cpu().numpy()
            correct += pred.eq(target.view_as(pred)).sum().item()
    for index, num in enumerate(corrects):
        name = f"Component {index}" if index < TEST_SAMPLES else "Posterior Mean"
        print(f"{name} Accuracy: {num}/{TEST_SIZE}") if index % 5 == 0 else None
    print(f"Ensemble Accuracy: {correct}/{TEST_SIZE}")


test_ensemble()
print(net.l1.weight.sigma.mean(), net.l1.weight_rho.grad.norm().log().round(decimals=1))
noise = torch.rand(5, 1, 28, 28)
votes = torch.stack([net(noise, True).max(1)[1] for _ in range(TEST_SAMPLES)])
print(votes.shape, net(noise).exp().sum(1))
