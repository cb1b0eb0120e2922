"""The usual first lessons on autograd: leaves, grad_fn, gradients, what cuts the graph."""

import torch

x = torch.ones(5)
y = torch.zeros(3)
torch.manual_seed(0)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(f"Gradient function for z = {type(z.grad_fn).__name__}")
print(f"Gradient function for loss = {type(loss.grad_fn).__name__}")
loss.backward()
print(w.grad)
print(b.grad)

print(z.requires_grad)
with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad)
z = torch.matmul(x, w) + b
print(z.detach().requires_grad)

inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)
x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
print(f"Does `a` require gradients?: {(x + y).requires_grad}")
print(f"Does `b` require gradients?: {(x + z).requires_grad}")

a = torch.linspace(0.0, 2.0 * torch.pi, steps=25, requires_grad=True)
print(a)
b = torch.sin(a)
c = 2 * b
d = c + 1
out = d.sum()
print(out)
print("d:")
print(d.grad_fn)
print(d.grad_fn.next_functions)
print(d.grad_fn.next_functions[0][0].next_functions)
print(d.grad_fn.next_functions[0][0].next_functions[0][0].next_functions)
out.backward()
print(a.grad)
try:
    out.backward()
except RuntimeError as error:
    print(error)


def add_tensors1(x, y):
    return x + y


@torch.no_grad()
def add_tensors2(x, y):
    return x + y


a = torch.ones(2, 3, requires_grad=True) * 2
b = torch.ones(2, 3, requires_grad=True) * 3
print(add_tensors1(a, b))
print(add_tensors2(a, b))
with torch.no_grad():
    c = a + b
    with torch.enable_grad():
        e = a * b
print(c, e)
x = torch.rand(5, requires_grad=True)
y = x.detach()
print(y)
x = torch.randn(3, requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
print(y)
y.backward(torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float))
print(x.grad)
