"""Neural tangent kernels: Jacobians contracted, or products of Jacobians and vectors, for a small convolutional net."""

import torch
import torch.nn as nn
from torch.func import functional_call, jacrev, jvp, vjp, vmap

torch.manual_seed(0)
device = "cpu"


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, (3, 3))
        self.conv2 = nn.Conv2d(8, 8, (3, 3))
        self.conv3 = nn.Conv2d(8, 8, (3, 3))
        self.fc = nn.Linear(8 * 6 * 6, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = x.relu()
        x = self.conv2(x)
        x = x.relu()
        x = self.conv3(x)
        x = x.flatten(1)
        return self.fc(x)


x_train = torch.randn(8, 3, 12, 12, device=device)
x_test = torch.randn(3, 3, 12, 12, device=device)
net = CNN().to(device)
params = {k: v.detach() for k, v in net.named_parameters()}
print({k: tuple(v.shape) for k, v in params.items()})


def fnet_single(params, x):
    return functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)


print(fnet_single(params, x_test[0]))
print(torch.allclose(fnet_single(params, x_test[0]), net(x_test)[0], atol=1e-6))


def empirical_ntk_jacobian_contraction(fnet_single, params, x1, x2, compute="full"):
    jac1 = vmap(jacrev(fnet_single), (None, 0))(params, x1)
    jac1 = [j.flatten(2) for j in jac1.values()]
    jac2 = vmap(jacrev(fnet_single), (None, 0))(params, x2)
    jac2 = [j.flatten(2) for j in jac2.values()]
    expression = {"full": "Naf,Mbf->NMab", "trace": "Naf,Maf->NM", "diagonal": "Naf,Maf->NMa"}
    result = torch.stack([torch.einsum(expression[compute], a, b) for a, b in zip(jac1, jac2)])
    return result.sum(0)


result = empirical_ntk_jacobian_contraction(fnet_single, params, x_train, x_test)
print(result.shape)
print(result[0, 0].diag())
trace = empirical_ntk_jacobian_contraction(fnet_single, params, x_train, x_test, "trace")
print(trace.shape, trace)
print(torch.allclose(torch.einsum("NMKK->NM", result), trace, rtol=1e-4))
diagonal = empirical_ntk_jacobian_contraction(fnet_single, params, x_train, x_test, "diagonal")
print(diagonal.shape, torch.allclose(diagonal.sum(-1), trace, rtol=1e-4))


def empirical_ntk_ntk_vps(func, params, x1, x2, compute="full"):
    def get_ntk(x1, x2):
        def func_x1(params):
            return func(params, x1)

        def func_x2(params):
            return func(params, x2)

        output, vjp_fn = vjp(func_x1, params)

        def get_ntk_slice(vec):
            vjps = vjp_fn(vec)
            _, jvps = jvp(func_x2, (params,), vjps)
            return jvps

        basis = torch.eye(output.numel(), dtype=output.dtype, device=output.device)
        return vmap(get_ntk_slice)(basis.view(output.numel(), -1))

    result = vmap(vmap(get_ntk, (None, 0)), (0, None))(x1, x2)
    if compute == "full":
        return result
    if compute == "trace":
        return torch.einsum("NMKK->NM", result)
    return torch.einsum("NMKK->NMK", result)


from_jacobians = empirical_ntk_jacobian_contraction(fnet_single, params, x_test, x_train)
from_products = empirical_ntk_ntk_vps(fnet_single, params, x_test, x_train)
print(from_products.shape, torch.allclose(from_jacobians, from_products, rtol=1e-4, atol=1e-4))
print(empirical_ntk_ntk_vps(fnet_single, params, x_test, x_test, "trace"))

kernel = empirical_ntk_jacobian_contraction(fnet_single, params, x_test, x_test, "trace")
print(torch.allclose(kernel, kernel.T, rtol=1e-4), (torch.linalg.eigvalsh(kernel) > 0).all())
by_hand = []
for x in x_test:
    outputs = net(x.unsqueeze(0))[0]
    rows = [torch.autograd.grad(o, tuple(net.parameters()), retain_graph=True) for o in outputs]
    by_hand.append(torch.stack([torch.cat([g.flatten() for g in row]) for row in rows]))
J = torch.stack(by_hand)
print(J.shape, torch.allclose(torch.einsum("Naf,Maf->NM", J, J), kernel, rtol=1e-4))
