"""Training practice: schedules, clipping, accumulation, freezing, partial loading, checkpoints."""

import copy
import os
import tempfile

import torch
from torch import nn
from torch.optim import lr_scheduler

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def rates(make, steps=8, lr=0.1):
    opt = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    sched = make(opt)
    seen = []
    for _ in range(steps):
        opt.step()
        seen.append(f"{sched.get_last_lr()[0]:.4f}")
        sched.step()
    return " ".join(seen)


L = lr_scheduler
print("step   ", rates(lambda o: L.StepLR(o, step_size=3, gamma=0.1)))
print("multi  ", rates(lambda o: L.MultiStepLR(o, milestones=[2, 5], gamma=0.5)))
print("exp    ", rates(lambda o: L.ExponentialLR(o, gamma=0.9)))
print("cosine ", rates(lambda o: L.CosineAnnealingLR(o, T_max=6, eta_min=0.01)))
print("restart", rates(lambda o: L.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2)))
print("lambda ", rates(lambda o: L.LambdaLR(o, lambda epoch: 0.95**epoch)))
print("product", rates(lambda o: L.MultiplicativeLR(o, lambda epoch: 0.5)))
print("linear ", rates(lambda o: L.LinearLR(o, start_factor=0.25, total_iters=4)))
print("const  ", rates(lambda o: L.ConstantLR(o, factor=0.5, total_iters=3)))
print("poly   ", rates(lambda o: L.PolynomialLR(o, total_iters=5, power=2)))
print("cycle  ", rates(lambda o: L.OneCycleLR(o, max_lr=0.1, total_steps=10)))
print("tri    ", rates(lambda o: L.CyclicLR(o, base_lr=0.01, max_lr=0.1, step_size_up=3)))
warm = lambda o: L.SequentialLR(  # noqa: E731
    o, [L.LinearLR(o, 0.1, total_iters=3), L.ExponentialLR(o, 0.8)], milestones=[3]
)
print("warm up", rates(warm))
print("chained", rates(lambda o: L.ChainedScheduler([L.ConstantLR(o), L.ExponentialLR(o, 0.9)])))
opt = torch.optim.SGD(net.parameters(), lr=1.0)
plateau = L.ReduceLROnPlateau(opt, factor=0.1, patience=1)
for metric in (1.0, 0.9, 0.95, 0.94, 0.93, 0.92):
    plateau.step(metric)
print(opt.param_groups[0]["lr"], plateau.num_bad_epochs, plateau.get_last_lr())

x, y = torch.randn(12, 4), torch.randint(2, (12,))
loss_fn = nn.CrossEntropyLoss()
net.zero_grad()
loss_fn(net(x), y).backward()
whole = [p.grad.clone() for p in net.parameters()]
net.zero_grad()
for xb, yb in zip(x.chunk(3), y.chunk(3), strict=True):
    (loss_fn(net(xb), yb) / 3).backward()
print(
    all(torch.allclose(p.grad, g, atol=1e-7) for p, g in zip(net.parameters(), whole, strict=True))
)
total = nn.utils.clip_grad_norm_(net.parameters(), max_norm=0.1)
print(total, nn.utils.get_total_norm([p.grad for p in net.parameters()]))
nn.utils.clip_grad_value_(net.parameters(), 0.01)
print(max(p.grad.abs().max() for p in net.parameters()))

for p in net[0].parameters():
    p.requires_grad = False
net[2] = nn.Linear(8, 3)
trainable = [n for n, p in net.named_parameters() if p.requires_grad]
frozen = net[0].weight.clone()
opt = torch.optim.Adam(
    filter(lambda p: p.requires_grad, net.parameters()), lr=0.1, weight_decay=1e-2
)
for _ in range(3):
    opt.zero_grad()
    loss = loss_fn(net(x), y)
    loss.backward()
    opt.step()
print(trainable, torch.equal(frozen, net[0].weight), loss, net(x).grad_fn, net[0](x).requires_grad)
opt.add_param_group({"params": net[0].requires_grad_(True).parameters(), "lr": 0.01})
print([g["lr"] for g in opt.param_groups], len(opt.state), opt.state[net[2].bias]["step"])

other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Linear(3, 1))
print(other.load_state_dict(net.state_dict(), strict=False))
print(net.load_state_dict(copy.deepcopy(net.state_dict())))
try:
    other.load_state_dict(net.state_dict())
except RuntimeError as e:
    print(e)
try:
    net.load_state_dict({k: v[:2] if k == "2.bias" else v for k, v in net.state_dict().items()})
except RuntimeError as e:
    print(e)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pt")
    torch.save(
        {"epoch": 3, "model": net.state_dict(), "optim": opt.state_dict(), "loss": loss}, path
    )
    checkpoint = torch.load(path, weights_only=True)
again = copy.deepcopy(net)
again.load_state_dict(checkpoint["model"])
print(
    checkpoint["epoch"],
    checkpoint["loss"],
    torch.equal(again(x), net(x)),
    list(checkpoint["model"]),
)
opt.load_state_dict(checkpoint["optim"])
print(sorted(checkpoint["optim"]["state"]), checkpoint["optim"]["param_groups"][1]["params"])
vector = nn.utils.parameters_to_vector(net.parameters())
print(vector.shape, vector.grad_fn, vector[:3])
