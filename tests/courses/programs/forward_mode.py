"""Forward-mode differentiation: dual tensors, modules with dual parameters, a Function with jvp, torch.func.jvp."""

import functools
import time

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn as nn
from torch.func import functional_call, hessian, jacfwd, jacrev, jvp, linearize, vmap

torch.manual_seed(0)
primal, tangent = torch.randn(10, 10), torch.randn(10, 10)


def fn(x, y):
    return x**2 + y**2


with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    print(fwAD.unpack_dual(dual_input).tangent is tangent)
    dual_input_alt = fwAD.make_dual(primal, tangent.T)
    print(fwAD.unpack_dual(dual_input_alt).tangent is tangent)
    plain_tensor = torch.randn(10, 10)
    dual_output = fn(dual_input, plain_tensor)
    forward = fwAD.unpack_dual(dual_output).tangent
    print(fwAD.unpack_dual(plain_tensor).tangent, fwAD.unpack_dual(dual_output).primal.shape)
print(fwAD.unpack_dual(dual_output).tangent is None, torch.allclose(forward, 2 * primal * tangent))
print(forward[:2, :4])

model, input = nn.Linear(5, 5), torch.randn(16, 5)
params = {name: p for name, p in model.named_parameters()}
tangents = {name: torch.rand_like(p) for name, p in params.items()}
with fwAD.dual_level():
    for name, p in params.items():
        delattr(model, name)
        setattr(model, name, fwAD.make_dual(p, tangents[name]))
    out = model(input)
    by_attributes = fwAD.unpack_dual(out).tangent
print(by_attributes.shape, by_attributes[0].detach())
model, dual_params = nn.Linear(5, 5), {}
with fwAD.dual_level():
    for name, p in params.items():
        dual_params[name] = fwAD.make_dual(p, tangents[name])
    out = functional_call(model, dual_params, input)
    by_call = fwAD.unpack_dual(out).tangent
print(torch.allclose(by_attributes, by_call))


class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, foo):
        result = torch.exp(foo)
        ctx.result = result
        return result

    @staticmethod
    def jvp(ctx, gI):
        gO = gI * ctx.result
        del ctx.result
        return gO


primal = torch.randn(10, 10, dtype=torch.double, requires_grad=True)
tangent = torch.randn(10, 10, dtype=torch.double)
with fwAD.dual_level():
    dual_output = Fn.apply(fwAD.make_dual(primal, tangent))
    print(fwAD.unpack_dual(dual_output).tangent[0, :4])
print(torch.autograd.gradcheck(
    Fn.apply, (primal,), check_forward_ad=True, check_backward_ad=False,
    check_undefined_grad=False, check_batched_grad=False,
))  # fmt: skip

primal0, tangent0, primal1, tangent1 = (torch.randn(10, 10) for _ in range(4))
primal_out, tangent_out = jvp(fn, (primal0, primal1), (tangent0, tangent1))
print(torch.allclose(tangent_out, 2 * primal0 * tangent0 + 2 * primal1 * tangent1))
new_fn = functools.partial(fn, y=primal1)
primal_out, tangent_out = jvp(new_fn, (primal0,), (tangent0,))
print(tangent_out[0, :5])
model = nn.Linear(5, 5)
tangents = {k: torch.rand_like(p) for k, p in model.named_parameters()}
params = {k: p.detach() for k, p in model.named_parameters()}
model_output, jvp_out = jvp(lambda p: functional_call(model, p, (input,)), (params,), (tangents,))
print(torch.allclose(jvp_out, input @ tangents["weight"].T + tangents["bias"]), model_output.shape)


def predict(weight, bias, x):
    return torch.nn.functional.linear(x, weight, bias).tanh()


D = 16
weight, bias, x = torch.randn(D, D), torch.randn(D), torch.randn(D)
forwards = jacfwd(predict, argnums=2)(weight, bias, x)
backwards = jacrev(predict, argnums=2)(weight, bias, x)
print(forwards.shape, torch.allclose(forwards, backwards, atol=1e-5), forwards[0, :4])
columns = vmap(lambda v: jvp(lambda x: predict(weight, bias, x), (x,), (v,))[1])(torch.eye(D))
print(torch.allclose(columns.T, forwards, atol=1e-5))
hess = hessian(lambda x: predict(weight, bias, x).sum())(x)
twice = jacfwd(jacfwd(lambda x: predict(weight, bias, x).sum()))(x)
print(hess.shape, torch.allclose(hess, twice, atol=1e-4), torch.allclose(hess, hess.T, atol=1e-4))
vector = torch.randn(D)
hvp = jvp(jacrev(lambda x: predict(weight, bias, x).sum()), (x,), (vector,))[1]
print(torch.allclose(hvp, hess @ vector, atol=1e-3))
value, pushforward = linearize(lambda x: predict(weight, bias, x), x)
print(torch.allclose(pushforward(vector), forwards @ vector, atol=1e-4))
start = time.perf_counter()
tall = jacfwd(lambda t: (t * torch.arange(1.0, 101)).sin())(torch.tensor(0.3))
print(tall.shape, tall[:4], time.perf_counter() - start < 60)
