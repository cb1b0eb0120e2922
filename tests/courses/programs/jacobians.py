"""Jacobians, Hessians, vector products, gradients for each example of a batch."""

from functools import partial

import torch
import torch.nn.functional as F
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

torch.manual_seed(0)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


D = 4
weight = torch.linspace(-1, 1, D * D).reshape(D, D)
bias = torch.linspace(0, 1, D)
x = torch.linspace(1, 2, D)
xp = x.clone().requires_grad_()
unit_vectors = torch.eye(D)


def compute_jac(xp):
    rows = [torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in unit_vectors]
    return torch.stack(rows)


jacobian = compute_jac(xp)
print(jacobian.shape)
print(jacobian[0])
_, vjp_fn = vjp(partial(predict, weight, bias), x)
(ft_jacobian,) = vmap(vjp_fn)(unit_vectors)
print(torch.allclose(ft_jacobian, jacobian))
print(torch.allclose(jacrev(predict, argnums=2)(weight, bias, x), jacobian))
print(torch.allclose(jacfwd(predict, argnums=2)(weight, bias, x), jacobian))
hess = hessian(predict, argnums=2)(weight, bias, x)
print(hess.shape, hess[0])
print(
    torch.allclose(jacrev(jacrev(predict, argnums=2), argnums=2)(weight, bias, x), hess, atol=1e-5)
)


def hvp(f, primals, tangents):
    return jvp(grad(f), primals, tangents)[1]


def f(x):
    return x.sin().sum()


print(hvp(f, (x,), (torch.ones(D),)))


def model(w, sample):
    return sample.dot(w).relu()


def loss_fn(w, example, target):
    return (model(w, example) - target) ** 2


w = torch.linspace(0.5, 1, 3)
examples = torch.linspace(-1, 2, 12).reshape(4, 3)
targets = torch.linspace(0, 1, 4)
print(vmap(grad(loss_fn), in_dims=(None, 0, 0))(w, examples, targets))
from torch.autograd.functional import hessian as hessian_
from torch.autograd.functional import hvp as hvp_
from torch.autograd.functional import jacobian as jacobian_
from torch.autograd.functional import vhp

print(jacobian_(lambda x: x.exp().sum(dim=1), torch.linspace(0, 1, 4).reshape(2, 2)))
print(hessian_(lambda x, y: (x * y.exp()).sum(), (torch.ones(2), torch.zeros(2))))
print(vhp(lambda x: x.pow(3).sum(), torch.ones(2), torch.tensor([1.0, 2.0])))
print(hvp_(lambda x: x.pow(3).sum(), torch.ones(2), torch.tensor([1.0, 2.0])))
