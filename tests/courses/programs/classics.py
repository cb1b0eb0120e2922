"""The first models of every course: line, logistic curve, softmax, ridge, polynomial features."""

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset, random_split

g = torch.Generator().manual_seed(42)
X = torch.rand(40, 1, generator=g) * 4 - 2
y = 3 * X - 1 + 0.3 * torch.randn(40, 1, generator=g)
A = torch.cat([X, torch.ones_like(X)], dim=1)
print(
    torch.linalg.lstsq(A, y).solution.T,
    (torch.linalg.inv(A.T @ A) @ A.T @ y).T,
    torch.linalg.pinv(A)[0, :3],
)
w, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([{"params": [w]}, {"params": [b], "lr": 0.2}], lr=0.1)
for epoch in range(20):
    loss = F.mse_loss(X * w + b, y)
    loss.backward()
    opt.step()
    opt.zero_grad()
    if epoch % 5 == 0:
        print(f"{epoch:2d} {loss.item():.4f} {w.item():+.3f} {b.item():+.3f}")
print(opt)


class Points(Dataset):
    def __init__(self, n):
        self.x = torch.linspace(-3, 3, n).unsqueeze(1)
        self.y = (self.x.squeeze(1) > 0.5).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i]}


points = Points(20)
train, test = random_split(points, [15, 5], generator=torch.Generator().manual_seed(0))
print(len(train), test.indices, Subset(points, [3])[0])
model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Flatten(0))
with torch.no_grad():
    model[0].weight.fill_(0.1)
    model[0].bias.zero_()
opt = torch.optim.Adagrad(model.parameters(), lr=0.5)
loader = DataLoader(
    train, batch_size=4, shuffle=True, drop_last=True, generator=torch.Generator().manual_seed(1)
)
for epoch in range(3):
    for batch in loader:
        loss = F.binary_cross_entropy_with_logits(model(batch["x"]), batch["y"].float())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss, len(loader), batch["y"])
batch = next(iter(DataLoader(test, batch_size=5)))
pred = (model(batch["x"]) > 0).long()
print(
    (pred == batch["y"]).sum().item(),
    "of",
    len(pred),
    model[0].weight,
    torch.sigmoid(model(batch["x"])),
)
H = torch.autograd.functional.hessian(
    lambda w: F.softplus(-X.squeeze() * w).mean(), torch.tensor(0.5)
)
print(H)

centres = torch.tensor([[0.0, 2.0], [2.0, 0.0], [-2.0, -1.0]])
labels = torch.arange(30) % 3
pts = centres[labels] + 0.5 * torch.randn(30, 2, generator=g)
W = torch.zeros(2, 3, requires_grad=True)
c = torch.zeros(3, requires_grad=True)
one_hot = F.one_hot(labels, 3).float()
for epoch in range(10):
    z = pts @ W + c
    p = (z - z.max(1, keepdim=True).values).exp()
    p = p / p.sum(1, keepdim=True)
    loss = -(one_hot * p.log()).sum(1).mean() + 0.01 * (W**2).sum()
    W.grad = c.grad = None
    loss.backward()
    hand = pts.T @ (p - one_hot) / 30 + 0.02 * W
    assert torch.allclose(W.grad, hand, atol=1e-5)
    with torch.no_grad():
        W -= 0.5 * W.grad
        c.sub_(c.grad, alpha=0.5)
print(loss, p.grad_fn, W, (p.argmax(1) == labels).float().mean().item())
confusion = torch.zeros(3, 3, dtype=torch.long)
confusion.index_put_((labels, p.argmax(1)), torch.ones(30, dtype=torch.long), accumulate=True)
print(confusion, torch.allclose(F.cross_entropy(z, labels), F.nll_loss(z.log_softmax(1), labels)))
print(
    F.cross_entropy(z, labels, label_smoothing=0.1),
    F.cross_entropy(z[:3], torch.tensor([0, -100, 2])),
)
print(X.squeeze()[:3].unsqueeze(1) ** torch.arange(4))
lam = torch.logspace(-3, 1, 3)
F_ = X ** torch.arange(6)
ridge = torch.linalg.solve(
    F_.T @ F_ + lam[:, None, None] * torch.eye(6), (F_.T @ y).expand(3, 6, 1)
)
print(ridge.squeeze(-1), ridge.norm(dim=1).squeeze())
q, r = torch.linalg.qr(F_[:, :3])
print(torch.allclose(q @ r, F_[:, :3], atol=1e-5), r.diagonal().abs())
