"""Gradients for each sample, and many models at once, with functional_call and vmap."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, grad_and_value, stack_module_state, vmap

torch.manual_seed(0)


class SimpleMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 8)
        self.fc2 = nn.Linear(8, 3)

    def forward(self, x):
        x = x.flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


data = torch.randn(2, 5, 2, 3)
targets = torch.randint(3, (2, 5))
models = [SimpleMLP() for _ in range(3)]
minibatches, single = data[:1].expand(3, 5, 2, 3), data[0]
slow = torch.stack([model(single) for model in models])
params, buffers = stack_module_state(models)
print({name: tuple(p.shape) for name, p in params.items()}, buffers)
base = SimpleMLP()


def fmodel(params, buffers, x):
    return functional_call(base, (params, buffers), (x,))


print(torch.allclose(vmap(fmodel)(params, buffers, minibatches), slow, atol=1e-6))
fast = vmap(fmodel, in_dims=(0, 0, None))(params, buffers, single)
print(fast.shape, torch.allclose(fast, slow, atol=1e-6), fast[0, 0])
model = SimpleMLP()
weights = {k: v.detach() for k, v in model.named_parameters()}


def compute_loss(params, sample, target):
    logits = functional_call(model, params, (sample.unsqueeze(0),))
    return F.cross_entropy(logits, target.unsqueeze(0))


ft = vmap(grad(compute_loss), in_dims=(None, 0, 0))(weights, single, targets[0])
print({k: tuple(v.shape) for k, v in ft.items()})
for i in range(5):
    loss = F.cross_entropy(model(single[i : i + 1]), targets[0, i : i + 1])
    one = torch.autograd.grad(loss, list(model.parameters()))
    assert all(torch.allclose(a, b[i], atol=1e-6) for a, b in zip(one, ft.values(), strict=True))
norms = torch.stack([g.flatten(1).norm(dim=1) for g in ft.values()]).norm(dim=0)
print(norms)
factor = (0.5 / norms).clamp(max=1.0)
clipped = {k: torch.einsum("b,b...->...", factor, g) for k, g in ft.items()}
print(clipped["fc2.bias"])
grads, values = vmap(grad_and_value(compute_loss), in_dims=(None, 0, 0))(
    weights, single, targets[0]
)
print(values, grads["fc2.bias"][0])
print(grad(lambda w: (w**2).sum())(torch.ones(2)))


def with_aux(w, x):
    out = (w * x).sin()
    return out.sum(), out


g, out = grad(with_aux, has_aux=True)(torch.ones(3), torch.arange(3.0))
print(g, out)
print(vmap(torch.dot)(torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)))
print(vmap(torch.dot, in_dims=(1, None))(torch.arange(6.0).reshape(3, 2), torch.ones(3)))
print(vmap(lambda x: x + torch.randn(2), randomness="same")(torch.zeros(2, 2)))
print(vmap(lambda d: d["a"] * d["b"], in_dims=({"a": 0, "b": None},))({"a": torch.ones(2), "b": 3}))
print(vmap(lambda x: (x.sum(), x), out_dims=(0, 1))(torch.ones(2, 3))[1].shape)
try:
    vmap(torch.mul)(torch.ones(2), torch.ones(3))
except ValueError as e:
    print(str(e)[:80])
