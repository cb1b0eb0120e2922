"""Operations of one's own, double backward, hooks, saved tensors, anomaly mode."""

import torch
from torch.autograd import Function, gradcheck, gradgradcheck


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


x = torch.tensor([0.5, 1.0], requires_grad=True)
y = Exp.apply(x)
print(y, y.grad_fn)
y.sum().backward()
print(x.grad)


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


torch.manual_seed(0)
input = (
    torch.randn(4, 3, dtype=torch.double, requires_grad=True),
    torch.randn(2, 3, dtype=torch.double, requires_grad=True),
    torch.randn(2, dtype=torch.double, requires_grad=True),
)
print(gradcheck(LinearFunction.apply, input, eps=1e-6, atol=1e-4))
print(gradgradcheck(LinearFunction.apply, input))


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return grad_out * 2 * x


x = torch.tensor([1.5], dtype=torch.double, requires_grad=True)
out = Square.apply(x)
(g,) = torch.autograd.grad(out, x, create_graph=True)
(gg,) = torch.autograd.grad(g, x)
print(out, g, gg)


class MulConstant(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


print(MulConstant.apply(x, 5.0))
x = torch.ones(3, requires_grad=True)
y = x * 2
handle = y.register_hook(lambda grad: grad * 3)
seen = []
x.register_hook(seen.append)
y.register_hook(lambda grad: print("hook of y", grad))
y.sum().backward()
print(x.grad, seen)
handle.remove()
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
(x * x).sum().backward()
y = x.exp()
print(y.grad_fn._saved_result is y, torch.equal(y.grad_fn._saved_result, y))
y = x.pow(2)
print(x is y.grad_fn._saved_self)


def pack(x):
    print("packing", tuple(x.shape))
    return x


def unpack(x):
    print("unpacking", tuple(x.shape))
    return x


with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    a = torch.ones(5, requires_grad=True)
    b = torch.ones(5, requires_grad=True) * 2
    y = a * b
y.sum().backward()
print(a.grad)
with torch.autograd.graph.save_on_cpu():
    z = (a * a).sum()
z.backward()
a = torch.tensor([-1.0, 4.0], requires_grad=True)
try:
    with torch.autograd.set_detect_anomaly(True):
        torch.sqrt(a).sum().backward()
except RuntimeError as error:
    print(error)
a = torch.tensor([1.0, 4.0], requires_grad=True)
b = a * 2
c = b.sin()
b.add_(1)
try:
    c.sum().backward()
except RuntimeError as error:
    print(error)
with torch.inference_mode():
    d = a * 2
print(d.requires_grad, d.is_inference())
edge = torch.autograd.graph.get_gradient_edge(b)
print(type(edge).__name__, edge.output_nr)
