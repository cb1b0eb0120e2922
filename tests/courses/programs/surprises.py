"""What surprises: NaN that hides behind where, views, writing in place, leaves, detach, NumPy."""

import numpy as np
import torch

x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
bad = torch.where(x > 0, x.sqrt(), 0.0)
(g,) = torch.autograd.grad(bad.sum(), x)
print(bad, g)
safe = torch.where(x > 0, x, 1.0)
good = torch.where(x > 0, safe.sqrt(), 0.0)
print(torch.autograd.grad(good.sum(), x)[0], torch.autograd.grad(x.abs().sum(), x)[0])
n = torch.zeros(2, requires_grad=True)
print(torch.autograd.grad(n.norm(), n), torch.autograd.grad(n.pow(2).sum().sqrt(), n))
print(
    torch.autograd.grad(
        torch.tensor([1.0, 1.0, 0.0], requires_grad=True).max(), n, allow_unused=True
    )
)
m = torch.tensor([2.0, 2.0, 1.0], requires_grad=True)
print(
    torch.autograd.grad(m.max(), m),
    torch.autograd.grad(m.max(dim=0).values, m),
    torch.autograd.grad(m.amax(), m),
)


def attempt(what, f):
    try:
        print(what, "->", f())
    except (RuntimeError, TypeError, ValueError, AttributeError, IndexError) as e:
        print(what, "->", type(e).__name__, e)


def write_leaf():
    leaf = torch.ones(2, requires_grad=True)
    leaf += 1


def write_view_of_leaf():
    leaf = torch.ones(2, requires_grad=True)
    leaf[0] = 5


def write_saved():
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    c = b.sigmoid()
    c.mul_(3)
    c.sum().backward()


def write_harmless():
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    b += 1
    b[0] = 7
    b.sum().backward()
    return b, b._version, a.grad


def view_then_write():
    a = torch.arange(4.0, requires_grad=True)
    b = a.clone()
    v = b.view(2, 2)[0]
    v.mul_(10)
    print(v.grad_fn, b.grad_fn, b._version, v._is_view(), v._base is b)
    b.sum().backward()
    return a.grad


def unbound_write():
    a = torch.ones(2, 2, requires_grad=True).clone()
    first, _ = a.unbind()
    first.mul_(2)


def detached_write():
    a = torch.ones(2, requires_grad=True)
    b = a.exp()
    b.detach().zero_()
    b.sum().backward()


attempt("write over a leaf", write_leaf)
attempt("write into a leaf", write_view_of_leaf)
attempt("write over what sigmoid saved", write_saved)
attempt("write where nothing was saved", write_harmless)
attempt("write through a view", view_then_write)
attempt("write to one of many views", unbound_write)
attempt("write through detach", detached_write)
attempt("backward of a vector", lambda: (x * 2).backward())
attempt("backward of a constant", lambda: torch.ones(1).sum().backward())
attempt("grad of integers", lambda: torch.tensor([1, 2], requires_grad=True))
attempt("numpy of a tracked tensor", lambda: x.numpy())
attempt("item of many", lambda: x.item())
attempt("bool of many", lambda: bool(x > 0))
attempt("if on one", lambda: "yes" if x[2] > 0 else "no")
attempt("requires_grad_ of a result", lambda: (x * 2).requires_grad_(False))
attempt("unused input", lambda: torch.autograd.grad(n.sum(), x))
attempt("float index", lambda: x[1.5])
attempt("deepcopy of a result", lambda: __import__("copy").deepcopy(x * 2))
y = (x * 2).detach()
y[0] = 100
print(y, x.data_ptr() == x.detach().data_ptr(), x.data.requires_grad, x.is_leaf, (x + 0).is_leaf)
a = np.array([1.0, 2.0, 3.0])
t = torch.from_numpy(a)
t[0] = -1
a[1] = 50
print(t, a, torch.tensor(a) is t, np.sin(t.numpy()), np.asarray(t).base is None, t.dtype)
print(
    t * np.float32(2),
    t + np.ones(3),
    np.add(t, 1),
    type(np.exp(t)).__name__,
    t.numpy().base is None,
)
print(
    torch.from_numpy(np.eye(2, dtype=np.float32)),
    torch.as_tensor([np.int64(3)]),
    np.array(x.detach()),
)
p = torch.tensor([1.0], requires_grad=True)
q = p
q = q - 0.1
print(p is q, p, q, q.is_leaf)
loss = sum((p * k).sum() for k in range(3))
loss.backward()
loss2 = (p**2).sum()
loss2.backward()
print(p.grad, loss.grad_fn, loss2)
z = p * 3
z.retain_grad()
(z**2).backward()
print(z.grad, p.grad, z.retains_grad)
w = x.expand(2, 3)
print(
    w.stride(), w.is_contiguous(), w.sum(0).grad_fn, w.contiguous().grad_fn, w.contiguous().stride()
)
