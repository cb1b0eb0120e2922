"""A university's first practicals: views and masks, eigenvalues, nearest neighbours, PCA, a perceptron by hand."""

import torch
from torch import empty

m = torch.full((13, 13), 1.0)
m[:, 1::5] = 2.0
m[1::5, :] = 2.0
m[3:5, 3:5] = 3.0
m[8:10, 3:5] = 3.0
m[3:5, 8:10] = 3.0
m[8:10, 8:10] = 3.0
print(m.long())
torch.manual_seed(0)
m = empty(20, 20).normal_()
d = torch.diag(torch.arange(1, 21).float())
q = m.mm(d).mm(m.inverse())
v, _ = torch.linalg.eig(q)
print([f"{x:.1f}" for x in sorted(v.real.tolist())])
d = 200
a, b = empty(d, d).normal_(), empty(d, d).normal_()
print(torch.mm(a, b).shape, torch.mm(a, b).var().round())


def mul_row(m):
    r = empty(m.size())
    for i in range(m.size(0)):
        r[i] = m[i] * (i + 1)
    return r


def mul_row_fast(m):
    c = torch.arange(1, m.size(0) + 1).view(-1, 1).float()
    return m.mul(c)


m = torch.full((4, 8), 2.0)
print(mul_row_fast(m))
m = empty(400, 40).normal_()
print((mul_row(m) - mul_row_fast(m)).norm())

classes, per_class, dim = 10, 100, 784
centres = empty(classes, dim).normal_()
train_targets = torch.arange(classes).repeat_interleave(per_class)
train_input = centres[train_targets] + 3 * empty(classes * per_class, dim).normal_()
test_targets = torch.randint(0, classes, (100,))
test_input = centres[test_targets] + 3 * empty(100, dim).normal_()
print(train_input.size(), test_input.size(), train_targets[::99])


def nearest_classification(train_input, train_target, x):
    dist = (train_input - x).pow(2).sum(1).view(-1)
    _, n = torch.min(dist, 0)
    return train_target[n.item()]


def compute_nb_errors(train_input, train_target, test_input, test_target, mean=None, proj=None):
    if mean is not None:
        train_input = train_input - mean
        test_input = test_input - mean
    if proj is not None:
        train_input = train_input.mm(proj.t())
        test_input = test_input.mm(proj.t())
    nb_errors = 0
    for n in range(test_input.size(0)):
        if test_target[n] != nearest_classification(train_input, train_target, test_input[n]):
            nb_errors = nb_errors + 1
    return nb_errors


def PCA(x):
    mean = x.mean(0)
    b = x - mean
    sigma = b.t().mm(b)
    eigen_values, eigen_vectors = torch.linalg.eigh(sigma)
    right_order = eigen_values.abs().sort(descending=True)[1]
    return mean, eigen_vectors.t()[right_order]


nb_errors = compute_nb_errors(train_input, train_targets, test_input[:30], test_targets[:30])
print(f"Baseline nb_errors {nb_errors} error {100 * nb_errors / 30:.1f}%")
basis = empty(30, dim).normal_()
nb_errors = compute_nb_errors(train_input, train_targets, test_input, test_targets, None, basis)
print(f"Random 30d nb_errors {nb_errors}")
mean, basis = PCA(train_input[:, :100])
print(mean.shape, basis.shape, (basis @ basis.t() - torch.eye(100)).abs().max() < 1e-4)
for k in (30, 10, 3):
    errors = compute_nb_errors(
        train_input[:, :100], train_targets, test_input[:, :100], test_targets, mean, basis[:k]
    )
    print(f"PCA {k}d nb_errors {errors}")

data = empty(60, 3).normal_()
target = data @ torch.tensor([[1.0], [-2.0], [0.5]]) + 3 + 0.1 * empty(60, 1).normal_()
x = torch.cat((data, torch.ones(60, 1)), 1)
alpha = torch.linalg.lstsq(x, target).solution
print(alpha.flatten())

train_input = train_input / train_input.std()
test_input = test_input / test_input.std()
zeta = 0.90
nb_hidden = 50
eta = 1e-1 / train_input.size(0)
epsilon = 1e-1
one_hot = torch.nn.functional.one_hot(train_targets, classes).float() * 2 - 1
one_hot = one_hot * zeta


def sigma(x):
    return x.tanh()


def dsigma(x):
    return 4 * (x.exp() + x.mul(-1).exp()).pow(-2)


def loss(v, t):
    return (v - t).pow(2).sum()


def dloss(v, t):
    return 2 * (v - t)


def forward_pass(w1, b1, w2, b2, x):
    x0 = x
    s1 = w1.mv(x0) + b1
    x1 = sigma(s1)
    s2 = w2.mv(x1) + b2
    x2 = sigma(s2)
    return x0, s1, x1, s2, x2


def backward_pass(w1, b1, w2, b2, t, x, s1, x1, s2, x2, dl_dw1, dl_db1, dl_dw2, dl_db2):
    x0 = x
    dl_dx2 = dloss(x2, t)
    dl_ds2 = dsigma(s2) * dl_dx2
    dl_dx1 = w2.t().mv(dl_ds2)
    dl_ds1 = dsigma(s1) * dl_dx1
    dl_dw2.add_(dl_ds2.view(-1, 1).mm(x1.view(1, -1)))
    dl_db2.add_(dl_ds2)
    dl_dw1.add_(dl_ds1.view(-1, 1).mm(x0.view(1, -1)))
    dl_db1.add_(dl_ds1)


w1 = empty(nb_hidden, dim).normal_(0, epsilon)
b1 = empty(nb_hidden).normal_(0, epsilon)
w2 = empty(classes, nb_hidden).normal_(0, epsilon)
b2 = empty(classes).normal_(0, epsilon)
grads = [empty(p.size()) for p in (w1, b1, w2, b2)]
for k in range(4):
    acc_loss, nb_train_errors = 0, 0
    for g in grads:
        g.zero_()
    for n in range(0, train_input.size(0), 4):
        x0, s1, x1, s2, x2 = forward_pass(w1, b1, w2, b2, train_input[n])
        pred = x2.max(0)[1].item()
        if one_hot[n, pred] < 0.5:
            nb_train_errors = nb_train_errors + 1
        acc_loss = acc_loss + loss(x2, one_hot[n])
        backward_pass(w1, b1, w2, b2, one_hot[n], x0, s1, x1, s2, x2, *grads)
    w1 = w1 - eta * grads[0]
    b1 = b1 - eta * grads[1]
    w2 = w2 - eta * grads[2]
    b2 = b2 - eta * grads[3]
    print(
        f"{k:d} acc_train_loss {acc_loss.item() / 250:.3f} acc_train_error {100 * nb_train_errors / 250:.1f}%"
    )
p = [t.clone().requires_grad_() for t in (w1, b1, w2, b2)]
for g in grads:
    g.zero_()
x0, s1, x1, s2, x2 = forward_pass(w1, b1, w2, b2, train_input[0])
backward_pass(w1, b1, w2, b2, one_hot[0], x0, s1, x1, s2, x2, *grads)
loss(forward_pass(*p, train_input[0])[-1], one_hot[0]).backward()
print([torch.allclose(g, t.grad, atol=1e-4) for g, t in zip(grads, p)])
