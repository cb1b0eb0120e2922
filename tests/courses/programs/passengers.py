"""A practical course on tables: a linear model, then a neural and a deep network, with passengers who survive."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import tensor

torch.set_printoptions(linewidth=140, sci_mode=False, edgeitems=7)
rng = np.random.default_rng(42)
n = 891
age = np.round(rng.gamma(6, 5, n))
sib_sp, parch = rng.poisson(0.5, n), rng.poisson(0.4, n)
fare = np.round(np.exp(rng.normal(2.8, 1.0, n)), 2)
male, pclass, embarked = (
    rng.random(n) < 0.65,
    rng.choice([1, 2, 3], n, p=[0.24, 0.21, 0.55]),
    rng.integers(0, 3, n),
)
age[rng.random(n) < 0.2] = np.nan
survived = (rng.random(n) < 1 / (1 + np.exp(3.2 * male + 0.9 * (pclass - 2) - 1.8))).astype(
    np.int64
)
print(np.isnan(age).sum(), survived.mean().round(3))
age = np.where(np.isnan(age), 24.0, age)
columns = [age, sib_sp, parch, np.log(fare + 1), male, ~male]
columns += [pclass == c for c in (1, 2, 3)] + [embarked == c for c in (0, 1, 2)]
indep_cols = ["Age", "SibSp", "Parch", "LogFare", "Sex_male", "Sex_female"]
indep_cols += ["Pclass_1", "Pclass_2", "Pclass_3", "Embarked_C", "Embarked_Q", "Embarked_S"]
t_dep = tensor(survived)
t_indep = tensor(np.stack(columns, axis=1).astype(float), dtype=torch.float)
print(t_indep)
print(t_indep.shape)

torch.manual_seed(442)
n_coeff = t_indep.shape[1]
coeffs = torch.rand(n_coeff) - 0.5
print(coeffs)
print((t_indep * coeffs)[:3])
vals, indices = t_indep.max(dim=0)
t_indep = t_indep / vals
print((t_indep * coeffs)[:3], vals)
preds = (t_indep * coeffs).sum(axis=1)
print(preds[:10])
loss = torch.abs(preds - t_dep).mean()
print(loss)


def calc_preds(coeffs, indeps):
    return (indeps * coeffs).sum(axis=1)


def calc_loss(coeffs, indeps, deps):
    return torch.abs(calc_preds(coeffs, indeps) - deps).mean()


print(coeffs.requires_grad_())
loss = calc_loss(coeffs, t_indep, t_dep)
loss.backward()
print(loss, coeffs.grad)
loss = calc_loss(coeffs, t_indep, t_dep)
loss.backward()
print(coeffs.grad)
loss = calc_loss(coeffs, t_indep, t_dep)
loss.backward()
with torch.no_grad():
    coeffs.sub_(coeffs.grad * 0.1)
    coeffs.grad.zero_()
    print(calc_loss(coeffs, t_indep, t_dep))

idx = torch.randperm(n)
trn_split, val_split = idx[178:], idx[:178]
trn_indep, val_indep = t_indep[trn_split], t_indep[val_split]
trn_dep, val_dep = t_dep[trn_split], t_dep[val_split]
print(len(trn_indep), len(val_indep))


def update_coeffs(coeffs, lr):
    coeffs.sub_(coeffs.grad * lr)
    coeffs.grad.zero_()


def one_epoch(coeffs, lr):
    loss = calc_loss(coeffs, trn_indep, trn_dep)
    loss.backward()
    with torch.no_grad():
        update_coeffs(coeffs, lr)
    print(f"{loss:.3f}", end="; ")


def init_coeffs():
    return (torch.rand(n_coeff) - 0.5).requires_grad_()


def train_model(epochs=30, lr=0.01):
    torch.manual_seed(442)
    coeffs = init_coeffs()
    for i in range(epochs):
        one_epoch(coeffs, lr=lr)
    print()
    return coeffs


def show_coeffs():
    return {k: round(v.item(), 3) for k, v in zip(indep_cols, coeffs.requires_grad_(False))}


coeffs = train_model(18, lr=0.2)
print(show_coeffs())
preds = calc_preds(coeffs, val_indep)
results = val_dep.bool() == (preds > 0.5)
print(results[:16], results.float().mean())


def acc(coeffs):
    return (val_dep.bool() == (calc_preds(coeffs, val_indep) > 0.5)).float().mean()


print(acc(coeffs), preds[:28])


def calc_preds(coeffs, indeps):
    return torch.sigmoid((indeps * coeffs).sum(axis=1))


coeffs = train_model(lr=100)
print(acc(coeffs), show_coeffs().keys() == set(indep_cols))
print(torch.allclose((val_indep * coeffs).sum(axis=1), val_indep @ coeffs, atol=1e-4))


def calc_preds(coeffs, indeps):
    return torch.sigmoid(indeps @ coeffs)


def init_coeffs():
    return (torch.rand(n_coeff, 1) * 0.1).requires_grad_()


trn_dep = trn_dep[:, None]
val_dep = val_dep[:, None]
coeffs = train_model(lr=100)
print(acc(coeffs))


def init_coeffs(n_hidden=20):
    layer1 = (torch.rand(n_coeff, n_hidden) - 0.5) / n_hidden
    layer2 = torch.rand(n_hidden, 1) - 0.3
    const = torch.rand(1)[0]
    return layer1.requires_grad_(), layer2.requires_grad_(), const.requires_grad_()


def calc_preds(coeffs, indeps):
    l1, l2, const = coeffs
    res = F.relu(indeps @ l1)
    res = res @ l2 + const
    return torch.sigmoid(res)


def update_coeffs(coeffs, lr):
    for layer in coeffs:
        layer.sub_(layer.grad * lr)
        layer.grad.zero_()


coeffs = train_model(lr=1.4)
coeffs = train_model(lr=20)
print(acc(coeffs))


def init_coeffs():
    hiddens = [10, 10]
    sizes = [n_coeff] + hiddens + [1]
    n = len(sizes)
    layers = [(torch.rand(sizes[i], sizes[i + 1]) - 0.3) / sizes[i + 1] * 4 for i in range(n - 1)]
    consts = [(torch.rand(1)[0] - 0.5) * 0.1 for i in range(n - 1)]
    for l in layers + consts:
        l.requires_grad_()
    return layers, consts


def calc_preds(coeffs, indeps):
    layers, consts = coeffs
    n = len(layers)
    res = indeps
    for i, l in enumerate(layers):
        res = res @ l + consts[i]
        if i != n - 1:
            res = F.relu(res)
    return torch.sigmoid(res)


def update_coeffs(coeffs, lr):
    layers, consts = coeffs
    for layer in layers + consts:
        layer.sub_(layer.grad * lr)
        layer.grad.zero_()


coeffs = train_model(lr=4)
print(acc(coeffs))
torch.set_printoptions(profile="default")
