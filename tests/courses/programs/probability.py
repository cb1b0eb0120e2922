"""Models with noise: policy gradients on a bandit, a Gaussian process, factorization, clusters."""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(11)
payout = torch.tensor([0.2, 0.5, 0.8])
logits = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([logits], lr=2.0)
baseline = 0.0
for step in range(60):
    probs = torch.softmax(logits, 0)
    actions = torch.multinomial(probs.detach(), 10, replacement=True)
    rewards = torch.bernoulli(payout[actions])
    log_prob = torch.log_softmax(logits, 0)[actions]
    loss = -(log_prob * (rewards - baseline)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline = 0.9 * baseline + 0.1 * rewards.mean().item()
    if step % 20 == 19:
        print(step, f"{baseline:.3f}", probs)
print(loss.grad_fn, logits.grad)

x = torch.linspace(0, 1, 8, dtype=torch.double).unsqueeze(1)
y = torch.sin(2 * math.pi * x).squeeze() + 0.1 * torch.randn(8, dtype=torch.double)
raw = torch.tensor([0.0, -1.0, -2.0], dtype=torch.double, requires_grad=True)


def kernel(a, b, raw):
    variance, length = raw[0].exp(), raw[1].exp()
    return variance * torch.exp(-0.5 * torch.cdist(a, b).pow(2) / length**2)


def neg_log_likelihood(raw):
    K = kernel(x, x, raw) + raw[2].exp() * torch.eye(len(x), dtype=x.dtype)
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y.unsqueeze(1), L).squeeze(1)
    return 0.5 * y @ alpha + L.diagonal().log().sum() + 0.5 * len(x) * math.log(2 * math.pi)


print(neg_log_likelihood(raw), torch.autograd.gradcheck(neg_log_likelihood, (raw,)))
opt = torch.optim.SGD([raw], lr=0.05, momentum=0.5)
for step in range(10):
    opt.zero_grad()
    nll = neg_log_likelihood(raw)
    nll.backward()
    opt.step()
print(nll, raw)
K = kernel(x, x, raw) + raw[2].exp() * torch.eye(8, dtype=x.dtype)
print(torch.linalg.slogdet(K).logabsdet, torch.logdet(K), K.grad_fn)
xs = torch.tensor([[0.25], [0.6]], dtype=torch.double)
print(kernel(xs, x, raw) @ torch.linalg.solve(K, y))

R = torch.tensor([[5.0, 3, 0, 1], [4, 0, 0, 1], [1, 1, 0, 5], [0, 1, 5, 4]])
known = R > 0
U, V = (0.5 * torch.randn(4, 2)).requires_grad_(), (0.5 * torch.randn(4, 2)).requires_grad_()
opt = torch.optim.Adam([U, V], lr=0.1)
for _ in range(40):
    loss = F.mse_loss((U @ V.T)[known], R[known]) + 0.01 * (U.norm() ** 2 + V.norm() ** 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss, (U @ V.T).detach().round(decimals=1)[0])
Us, S, Vh = torch.linalg.svd(R)
print(S, torch.dist(Us[:, :2] * S[:2] @ Vh[:2], R))

points = torch.cat([torch.randn(10, 2) * 0.3 + c for c in torch.tensor([[0.0, 0], [3, 0], [0, 3]])])
centres = points[[0, 12, 25]].clone()
for _ in range(4):
    nearest = torch.cdist(points, centres).argmin(dim=1)
    sums = torch.zeros_like(centres).index_add_(0, nearest, points)
    centres = sums / nearest.bincount(minlength=3).unsqueeze(1)
print(nearest.tolist(), centres)
mean = points.mean(0)
cov = torch.cov(points.T)
print(mean, cov, torch.linalg.eigh(cov).eigenvalues, torch.corrcoef(points.T)[0, 1])

z = F.normalize(torch.randn(6, 4, requires_grad=True), dim=1)
sim = (z @ z.T / 0.5).fill_diagonal_(float("-inf"))
partner = torch.arange(6).roll(3)
print(F.cross_entropy(sim, partner), sim.grad_fn, sim[0])
d = torch.cdist(z[:3], z[3:])
same = torch.eye(3)
contrastive = same * d**2 + (1 - same) * (1.0 - d).clamp(min=0) ** 2
print(
    contrastive.mean(),
    F.triplet_margin_loss(z[:2], z[2:4], z[4:]),
    F.kl_div(sim[:1, 1:].log_softmax(1), torch.full((1, 5), 0.2), reduction="batchmean"),
)
