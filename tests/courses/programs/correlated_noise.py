"""Correlated normal noise, as in Gaussian processes and in policies of continuous actions.

Factors of matrices, and tensors read from bytes, are in the last cells.
"""

import torch
from torch import nn
from torch.distributions import MultivariateNormal, kl_divergence

torch.manual_seed(0)
S = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
prior = MultivariateNormal(torch.zeros(2), S)
print(prior, prior.batch_shape, prior.event_shape)
print(prior.sample(), prior.sample((3,)))
print(prior.log_prob(torch.tensor([[0.0, 1.0], [2.0, -1.0]])), prior.entropy())
print(prior.mean, prior.mode, prior.variance, prior.stddev)
print(prior.scale_tril, prior.precision_matrix, prior.covariance_matrix)

mean = torch.tensor([1.0, -1.0], requires_grad=True)
L = torch.tensor([[1.0, 0.0], [0.3, 0.7]], requires_grad=True)
posterior = MultivariateNormal(mean, scale_tril=L)
x = posterior.rsample((4,))
(x**2).sum().backward()
print(x, mean.grad, L.grad)
mean.grad = L.grad = None
(-posterior.log_prob(torch.ones(3, 2)).mean()).backward()
print(mean.grad, L.grad)
print(kl_divergence(posterior, prior), posterior)

precise = MultivariateNormal(torch.zeros(3), precision_matrix=torch.eye(3) * 2 + 0.1)
print(precise.log_prob(torch.ones(3)), precise.covariance_matrix, precise.scale_tril)
several = MultivariateNormal(torch.randn(4, 2), torch.diag_embed(torch.rand(4, 2) + 0.5))
print(several, several.sample((2,)).shape, several.log_prob(torch.zeros(4, 2)), several.entropy())
shared = MultivariateNormal(torch.randn(4, 2), S)
print(shared.log_prob(torch.zeros(5, 4, 2)).shape, shared.covariance_matrix.shape)
print(kl_divergence(shared, prior), kl_divergence(several, shared).shape)
wider = prior.expand((3,))
print(wider.sample().shape, wider.log_prob(torch.zeros(2)))

data = torch.randn(50, 2) @ torch.linalg.cholesky(S).T
mean, raw = torch.zeros(2, requires_grad=True), torch.zeros(2, 2, requires_grad=True)
optimizer = torch.optim.Adam([mean, raw], 0.05)
for _ in range(30):
    L = torch.tril(raw, -1) + torch.diag(raw.diagonal().exp())
    loss = -MultivariateNormal(mean, scale_tril=L).log_prob(data).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss, mean, L @ L.T, data.T.cov())


def refusal(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)


refusal(lambda: MultivariateNormal(torch.tensor(1.0), S))
refusal(lambda: MultivariateNormal(torch.zeros(2)))
refusal(lambda: MultivariateNormal(torch.zeros(2), torch.zeros(2)))
refusal(lambda: MultivariateNormal(torch.zeros(2), -S))
refusal(lambda: MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 2.0], [0.0, 1.0]])))
refusal(lambda: MultivariateNormal(torch.zeros(2), scale_tril=S))
refusal(lambda: prior.log_prob(torch.ones(3)))

A = torch.tensor([[1.0, 2, 0], [3, 4, 1], [5, 1, 2]], requires_grad=True)
print(torch.linalg.lu(A.detach()))
P, L, U = torch.linalg.lu(A)
print(torch.allclose(P @ L @ U, A), P.requires_grad)
(L.sum() * 2 + (U**2).sum()).backward()
print(A.grad)
LU, pivots = torch.linalg.lu_factor(A.detach())
print(torch.lu_unpack(LU, pivots), torch.lu_unpack(LU, pivots, unpack_data=False))
wide = torch.arange(24.0).reshape(2, 3, 4).sin()
for matrices in (wide, wide.mT):
    P, L, U = torch.linalg.lu(matrices)
    print(P.shape, L.shape, U.shape, torch.allclose(P @ L @ U, matrices, atol=1e-6))
refusal(lambda: torch.linalg.lu(torch.ones(3)))

layer = nn.LazyInstanceNorm2d(affine=True)
print(layer, layer(torch.randn(2, 3, 4, 4)).std(), layer)
print(nn.LazyInstanceNorm1d(), nn.LazyInstanceNorm3d(affine=False))

raw = bytearray(b"\x01\x00\x00\x00\x02\x00\x00\x00")
words = torch.frombuffer(raw, dtype=torch.int32)
words[0] = 7
print(words, raw[0], torch.frombuffer(raw, dtype=torch.uint8, count=2, offset=4))
refusal(lambda: torch.frombuffer(3, dtype=torch.uint8))

torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.ones(1).dtype)
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.ones(1).dtype)

torch.manual_seed(0)
x = torch.rand(3, dtype=torch.double, requires_grad=True)
print(torch.autograd.gradgradcheck(torch.sin, x), torch.rand(2))
