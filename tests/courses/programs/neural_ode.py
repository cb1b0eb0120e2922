"""Neural ordinary differential equations from scratch: Euler steps, the adjoint as a Function, a spiral."""

import math

import numpy as np
import torch
from torch import Tensor, nn

torch.manual_seed(0)
np.random.seed(0)


def ode_solve(z0, t0, t1, f):
    h_max = 0.05
    n_steps = math.ceil((abs(t1 - t0) / h_max).max().item())
    h = (t1 - t0) / n_steps
    t = t0
    z = z0
    for i_step in range(n_steps):
        z = z + h * f(z, t)
        t = t + h
    return z


class ODEF(nn.Module):
    def forward_with_grad(self, z, t, grad_outputs):
        batch_size = z.shape[0]
        out = self.forward(z, t)
        a = grad_outputs
        adfdz, adfdt, *adfdp = torch.autograd.grad(
            (out,), (z, t) + tuple(self.parameters()), grad_outputs=(a),
            allow_unused=True, retain_graph=True,
        )  # fmt: skip
        if adfdp is not None:
            adfdp = torch.cat([p_grad.flatten() for p_grad in adfdp]).unsqueeze(0)
            adfdp = adfdp.expand(batch_size, -1) / batch_size
        if adfdt is not None:
            adfdt = adfdt.expand(batch_size, 1) / batch_size
        return out, adfdz, adfdt, adfdp

    def flatten_parameters(self):
        return torch.cat([p.flatten() for p in self.parameters()])


class ODEAdjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z0, t, flat_parameters, func):
        assert isinstance(func, ODEF)
        bs, *z_shape = z0.size()
        time_len = t.size(0)
        with torch.no_grad():
            z = torch.zeros(time_len, bs, *z_shape).to(z0)
            z[0] = z0
            for i_t in range(time_len - 1):
                z0 = ode_solve(z0, t[i_t], t[i_t + 1], func)
                z[i_t + 1] = z0
        ctx.func = func
        ctx.save_for_backward(t, z.clone(), flat_parameters)
        return z

    @staticmethod
    def backward(ctx, dLdz):
        func = ctx.func
        t, z, flat_parameters = ctx.saved_tensors
        time_len, bs, *z_shape = z.size()
        n_dim = np.prod(z_shape)
        n_params = flat_parameters.size(0)

        def augmented_dynamics(aug_z_i, t_i):
            z_i, a = aug_z_i[:, :n_dim], aug_z_i[:, n_dim : 2 * n_dim]
            z_i, a = z_i.view(bs, *z_shape), a.view(bs, *z_shape)
            with torch.set_grad_enabled(True):
                t_i = t_i.detach().requires_grad_(True)
                z_i = z_i.detach().requires_grad_(True)
                func_eval, adfdz, adfdt, adfdp = func.forward_with_grad(z_i, t_i, grad_outputs=a)
                adfdz = adfdz.to(z_i) if adfdz is not None else torch.zeros(bs, *z_shape).to(z_i)
                adfdp = adfdp.to(z_i) if adfdp is not None else torch.zeros(bs, n_params).to(z_i)
                adfdt = adfdt.to(z_i) if adfdt is not None else torch.zeros(bs, 1).to(z_i)
            func_eval, adfdz = func_eval.view(bs, n_dim), adfdz.view(bs, n_dim)
            return torch.cat((func_eval, -adfdz, -adfdp, -adfdt), dim=1)

        dLdz = dLdz.view(time_len, bs, n_dim)
        with torch.no_grad():
            adj_z = torch.zeros(bs, n_dim).to(dLdz)
            adj_p = torch.zeros(bs, n_params).to(dLdz)
            adj_t = torch.zeros(time_len, bs, 1).to(dLdz)
            for i_t in range(time_len - 1, 0, -1):
                z_i, t_i = z[i_t], t[i_t]
                f_i = func(z_i, t_i).view(bs, n_dim)
                dLdz_i = dLdz[i_t]
                dLdt_i = torch.bmm(torch.transpose(dLdz_i.unsqueeze(-1), 1, 2), f_i.unsqueeze(-1))
                adj_z += dLdz_i
                adj_t[i_t] = adj_t[i_t] - dLdt_i[:, 0]
                zeros = torch.zeros(bs, n_params).to(z)
                aug_z = torch.cat((z_i.view(bs, n_dim), adj_z, zeros, adj_t[i_t]), dim=-1)
                aug_ans = ode_solve(aug_z, t_i, t[i_t - 1], augmented_dynamics)
                adj_z[:] = aug_ans[:, n_dim : 2 * n_dim]
                adj_p[:] += aug_ans[:, 2 * n_dim : 2 * n_dim + n_params]
                adj_t[i_t - 1] = aug_ans[:, 2 * n_dim + n_params :]
                del aug_z, aug_ans
            adj_z += dLdz[0]
        return adj_z.view(bs, *z_shape), adj_t, adj_p, None


class NeuralODE(nn.Module):
    def __init__(self, func):
        super().__init__()
        assert isinstance(func, ODEF)
        self.func = func

    def forward(self, z0, t=Tensor([0.0, 1.0]), return_whole_sequence=False):
        t = t.to(z0)
        z = ODEAdjoint.apply(z0, t, self.func.flatten_parameters(), self.func)
        return z if return_whole_sequence else z[-1]


class LinearODEF(ODEF):
    def __init__(self, W):
        super().__init__()
        self.lin = nn.Linear(2, 2, bias=False)
        self.lin.weight = nn.Parameter(W)

    def forward(self, x, t):
        return self.lin(x)


class TestODEF(ODEF):
    def __init__(self, A, B, x0):
        super().__init__()
        self.A = nn.Linear(2, 2, bias=False)
        self.A.weight = nn.Parameter(A)
        self.B = nn.Linear(2, 2, bias=False)
        self.B.weight = nn.Parameter(B)
        self.x0 = nn.Parameter(x0)

    def forward(self, x, t):
        xTx0 = torch.sum(x * self.x0, dim=1)
        dxdt = torch.sigmoid(xTx0) * self.A(x - self.x0)
        return dxdt + torch.sigmoid(-xTx0) * self.B(x + self.x0)


class NNODEF(ODEF):
    def __init__(self, in_dim, hid_dim, time_invariant=False):
        super().__init__()
        self.time_invariant = time_invariant
        self.lin1 = nn.Linear(in_dim if time_invariant else in_dim + 1, hid_dim)
        self.lin2 = nn.Linear(hid_dim, in_dim)
        self.elu = nn.ELU(inplace=True)

    def forward(self, x, t):
        if not self.time_invariant:
            x = torch.cat((x, t.expand(x.shape[0], 1)), dim=-1)
        return self.lin2(self.elu(self.lin1(x)))


ode_true = NeuralODE(LinearODEF(Tensor([[-0.1, -1.0], [1.0, -0.1]])))
z0 = torch.Tensor([[0.6, 0.3]])
times = torch.linspace(0, 6.29 * 2, 40)
obs = ode_true(z0, times, return_whole_sequence=True).detach()
obs = obs + torch.randn_like(obs) * 0.01
print(obs.shape, obs[::10, 0])
z = torch.tensor([[0.6, 0.3]], requires_grad=True)
by_steps = ode_solve(z, torch.tensor(0.0), torch.tensor(1.0), ode_true.func)
by_steps.sum().backward()
direct, direct_w = z.grad.clone(), ode_true.func.lin.weight.grad.clone()
z.grad = ode_true.func.lin.weight.grad = None
ode_true(z, torch.tensor([0.0, 1.0])).sum().backward()
print(direct, z.grad, direct_w, ode_true.func.lin.weight.grad)
print(torch.allclose(direct, z.grad, atol=0.1), ode_true(z).grad_fn.name())


def train(ode_trained, steps, lr):
    optimizer = torch.optim.Adam(ode_trained.parameters(), lr=lr)
    for i in range(steps):
        start = np.random.randint(0, 40 - 6)
        obs_, ts_ = obs[start : start + 6], times[start : start + 6]
        z_ = ode_trained(obs_[0], ts_, return_whole_sequence=True)
        loss = nn.functional.mse_loss(z_, obs_.detach())
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        if i % 4 == 3:
            print(type(ode_trained.func).__name__, i, f"{loss.item():.3f}")


train(NeuralODE(LinearODEF(torch.randn(2, 2) / 2.0)), 8, 0.01)
train(NeuralODE(TestODEF(*(torch.randn(s) * 0.3 for s in ((2, 2), (2, 2), (1, 2))))), 4, 0.01)
trained = NeuralODE(NNODEF(2, 16, time_invariant=True))
train(trained, 8, 0.01)
print(trained.func.lin1.weight.grad.norm() > 0, trained(z0, times[:3], True).shape, trained)
print(NeuralODE(NNODEF(2, 4))(z0.requires_grad_()).shape, trained.func.flatten_parameters().shape)
