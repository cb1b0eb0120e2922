"""Calls of autograd, right and wrong, beside PyTorch: what is printed, raised and warned.

Each line is a program of its own. `GIVEN` stands before it.

Read next: tests/core/test_edges.py
"""

from __future__ import annotations

import pytest

import graphlab
from tests.parity.describe import snippet

pytestmark = pytest.mark.torch

GIVEN = """
from torch.autograd.function import once_differentiable
ag, gr = torch.autograd, torch.autograd.graph
grad, backward, edge = ag.grad, ag.backward, gr.get_gradient_edge
x = torch.tensor([1., 2., 3.], requires_grad=True)
r = torch.ones(2, requires_grad=True)
s = torch.tensor(2., requires_grad=True)
n = torch.ones(3)

def fn(forward, backward=lambda ctx, *g: g if len(g) > 1 else g[0], **more):
    names = dict(forward=staticmethod(forward), backward=staticmethod(backward), **more)
    return type('F', (ag.Function,), names)
"""

CALLS = """
print(x.volatile)
x.volatile = True
print(x.grad_dtype, n.grad_dtype, n.int().grad_dtype, (x * 2).detach().grad_dtype)
(x * 2).grad_dtype
x.grad_dtype = 3
x.grad_dtype = torch.float16; (x * x).sum().backward(); print(x.grad, x.grad_dtype); (x * x).sum().backward(); print(x.grad)
x.grad_dtype = torch.float16; print(grad((x * x).sum(), x)); x.grad = n
x.grad_dtype = torch.float16; (x * x).sum().backward(create_graph=True); print(x.grad.dtype)
x.grad_dtype = torch.float64; x.register_hook(lambda g: print(g)); x.sum().backward(); print(x.grad)
x.grad_dtype = None; print(x.grad_dtype); x.grad = n.double(); print(x.grad); x.grad_dtype = torch.float32
x.grad_dtype = torch.float16; x.grad = n.half(); x.grad_dtype = torch.float32
x.grad_dtype = None; f = fn(lambda ctx, a: a * 2, lambda ctx, g: g.double()).apply; f(x).sum().backward(); print(x.grad)
x.grad_dtype = torch.float16; f = fn(lambda ctx, a: a * 2, lambda ctx, g: g.double()).apply; f(x).sum().backward(); print(x.grad)
x.grad_dtype = None; (x * n.double()).sum().backward(); print(x.grad)
print(grad(x.sum(), {'a': x, 'b': r}, allow_unused=True))
print(grad(s * 2, iter([s])))
print(grad(s * 2, s, only_inputs=False))
print(grad(s * 2, (s, r), materialize_grads=True, create_graph=True))
print(grad([], s, allow_unused=True))
print(grad([s * 2], s, [torch.tensor(1.)] * 2))
print(grad(s * 2, s, torch.tensor(1., dtype=torch.float64)))
print(grad(s * 2, s, torch.tensor(1)))
grad(s * 2, s, materialize_grads=True, allow_unused=False)
grad(s * 2, [])
grad(s * 2, {})
grad(s * 2, 'a')
grad(s * 2, [s, 3])
grad(s * 2, None)
grad(None, s)
grad(s * 2, s, [1.])
grad(s * 2, s, 1.)
grad(s * 2, s, torch.ones(1))
grad([s * 2, s * 3], s, [None, torch.ones(2)])
grad([s * 2, torch.ones(1)], s)
grad([s * 2, torch.ones(1)], s, [None, torch.ones(1)])
grad(s.argmax(), s)
print(grad(x * 2, (x, r), torch.eye(3), is_grads_batched=True, allow_unused=True))
print(grad(x * 2, (x, r), torch.eye(3), is_grads_batched=True, materialize_grads=True))
print(grad([x * 2, x.sum()], x, [torch.eye(3), torch.ones(3)], is_grads_batched=True))
print(grad((x * x).sum(), x, torch.ones(4), is_grads_batched=True))
y = x * x; print(grad(y, x, torch.eye(3), is_grads_batched=True)); grad(y, x, torch.eye(3), is_grads_batched=True)
grad(x * 2, x, torch.ones(3, 4), is_grads_batched=True)
grad(x * 2, x, torch.eye(3))
grad(x * 2, (x, r), torch.eye(3), is_grads_batched=True)
grad(x.sum(), x, is_grads_batched=True)
grad([x * 2, x.sum()], x, [torch.eye(3), None], is_grads_batched=True)
grad([x * 2, x.sum()], x, [torch.eye(3), torch.ones(2)], is_grads_batched=True)
grad(x * x, x, torch.tensor(1.), is_grads_batched=True)
grad(x * x, x, torch.ones(0, 3), is_grads_batched=True)
grad(x * x, x, 3., is_grads_batched=True)
backward(s * 2, inputs={'a': s}); print(s.grad)
backward(s * 2, inputs=[r]); print(s.grad, r.grad)
backward(s * 2, grad_variables=torch.tensor(5.)); print(s.grad)
backward([])
(s * 2).backward(retain_graph=3); print(s.grad)
(s * 2).backward(inputs=s); print(s.grad)
(s * 2).backward(inputs=None); print(s.grad)
y = s * 3; backward(y * 2, inputs=[y]); print(y.grad, y.retains_grad, s.grad)
backward(s * 2, torch.tensor(1.), grad_variables=torch.tensor(1.))
backward(s * 2, inputs=[3])
backward(s * 2, inputs=torch.ones(1))
(s * 2).backward(3.)
(s * 2).backward(inputs='a')
backward(None)
y = s * 3; z = y * y; print(grad(z, edge(y), retain_graph=True), grad(z, edge(s), retain_graph=True), grad(edge(y), s))
print(grad(edge(s * 3), s, torch.tensor(5.)), grad(edge(x * 3), x, torch.ones(3)))
print(grad(edge(x * 3), x, torch.ones(1, 3), is_grads_batched=True))
backward(s * 2, inputs=[edge(s)]); print(s.grad)
y = s * 3; backward(y * 2, inputs=[edge(y)]); print(y.retains_grad, s.grad)
backward(edge(s * 2)); print(s.grad)
a, b = x[:2].split(1); print(edge(b)); print(grad(b * 2, edge(b)), gr.GradientEdge(b.grad_fn, 1) == edge(b))
print(isinstance(s.exp().grad_fn, gr.Node), isinstance(edge(s).node, gr.Node), isinstance(3, gr.Node))
grad(edge(x * 3), x)
grad(edge(x * 3), x, torch.ones(2))
grad(edge(x * 3), x, torch.ones(1, 4), is_grads_batched=True)
edge(torch.ones(1))
grad(s * 2, edge(r), materialize_grads=True)
grad(s * 2, edge(r))
edge(3)
gr.increment_version(x); print(x._version)
y = s.exp(); gr.increment_version([y]); y.backward()
y = fn(lambda c, a: a).apply(x); print(y, y is x, y._is_view(), y._base is x, y.grad_fn.next_functions)
y = fn(lambda c, a: a).apply(n); print(y, y is n, y._is_view())
a, b = fn(lambda c, a: (a, a)).apply(x); print(a, b, a is b)
y = fn(lambda c, a: a.view(3, 1)).apply(x); print(y._is_view(), y._base is x, y.grad_fn)
def f(c, a): a.add_(1); c.mark_dirty(a); return a\nw = x * 1; y = fn(f).apply(w); print(y is w, w, w._version, w.grad_fn.next_functions); y.sum().backward(); print(x.grad)
def f(c, a): a.add_(1); c.mark_dirty(a); return a\nw = n.clone(); y = fn(f).apply(w); print(y is w, y, y._version)
def f(c, a, b): a.mul_(b.detach()); c.mark_dirty(a); return a\nw = n.clone(); fn(f, lambda c, g: (g, g)).apply(w, x); print(w); w.sum().backward(); print(x.grad)
def f(c, a): c.mark_dirty(a); return a * 1\nfn(f).apply(x * 1)
def f(c, a): c.mark_dirty(a); return a * 1\nfn(f).apply(n)
def f(c, a): b = a * 1; c.mark_dirty(b); return b\nprint(fn(f).apply(x))
def f(c, a): b = a * 1; c.mark_non_differentiable(b); return b\nprint(fn(f).apply(x))
def f(c, a): c.mark_non_differentiable(a); return a\ny = fn(f).apply(x); print(y, y is x, x)
y = fn(lambda c, a: a).apply(x); y.add_(1)
y = fn(lambda c, a: a.view(3, 1)).apply(x * 1); y.add_(1)
a, b = fn(lambda c, a: (a, a * 2)).apply(x * 1); a.add_(1)
def f(c, a): a.add_(1); c.mark_dirty(a); return a\nw = x * 1; v = w[0]; y = fn(f, lambda c, g: g * 7).apply(v); print(y is v, v, w); (w * n).sum().backward(); print(x.grad)
def f(c, a): a.add_(1); c.mark_dirty(a); return a, a * 2\nw = x * 1; fn(f, lambda c, g, h: g).apply(w[0])
def f(c, a): a.add_(1); c.mark_dirty(a); return a\nw = x * 1; w.retain_grad(); fn(f, lambda c, g: g * 7).apply(w); (w * 2).sum().backward(); print(w.grad, x.grad)
print(fn(lambda c, a: (a * 1, a.long())).apply(x))
def f(c, a): b = a * 2; c.save_for_backward(a, None, b); return b\ny = fn(f).apply(x); t = y.grad_fn.saved_tensors; print(t, t[0] is x, t[2] is y, t[2].grad_fn is y.grad_fn)
def f(c, a): c.save_for_backward([a]); return a * 2\nfn(f).apply(x)
def f(c, a): c.save_for_backward(a, 's'); return a * 2\nfn(f).apply(x)
def f(c, a): c.save_for_backward(3); return a * 2\nprint(fn(f).apply(n))
def f(c, a): c.save_for_backward(a); c.save_for_backward(a, a); return a * 2\nprint(len(fn(f).apply(x).grad_fn.saved_tensors))
def f(c, a): c.save_for_backward(a); print(c.saved_tensors); return a * 2\nfn(f).apply(x)
def f(c, a): c.save_for_forward(a, 3); return a\nfn(f).apply(x)
def f(c, a): c.save_for_backward(a); a.add_(1); return a * 2\nfn(f, lambda c, g: c.saved_tensors[0]).apply(x * 1).sum().backward(); print(x.grad)
def f(c, a, b, k): print(c.needs_input_grad); return a * b\nfn(f, lambda c, g: (g, g, None)).apply(x, n, 3).sum().backward(); print(x.grad)
def f(c, a): print(c.needs_input_grad, torch.is_grad_enabled(), (a * 1).requires_grad); return a * 1\nwith torch.no_grad(): print(fn(f).apply(x))
def f(c, a): c.set_materialize_grads(False); return a * 1, a * 2\na, b = fn(f, lambda c, g, h: (print(g, h), g)[1]).apply(x); a.sum().backward()
a, b = fn(lambda c, a: (a * 1, a * 2), lambda c, g, h: (print(g, h), g)[1]).apply(x); a.sum().backward()
inner, none = fn(lambda c, a: a * 1, lambda c, g: (print('inner', g), g)[1]), fn(lambda c, a: a * 1, lambda c, g: None); none.apply(inner.apply(x)).sum().backward(); print(x.grad)
inner, none = fn(lambda c, a: a * 1, lambda c, g: (print('inner', g), g)[1]), fn(lambda c, a: a * 1, lambda c, g: None); (inner.apply(none.apply(x)) * none.apply(x * 2)).sum().backward(); print(x.grad)
for give in (lambda a: None, lambda a: 3, lambda a: [a * 1], lambda a: (a * 1, None, 's'), lambda a: (), lambda a: (a * 1,), lambda a: {'a': a}): print(fn(lambda c, a: give(a)).apply(x))
print(fn(lambda c: torch.ones(1)).apply(), fn(lambda c, a: a * 1).apply(3))
print(fn(lambda c, a, k=1: a * k).apply(x, k=3))
class S(ag.Function):\n  @staticmethod\n  def forward(a, k=2): return a * k\n  @staticmethod\n  def setup_context(ctx, inputs, output): print(inputs, output); ctx.k = inputs[1]; ctx.save_for_backward(output)\n  @staticmethod\n  def backward(ctx, g): return g * ctx.k, None\ny = S.apply(x); print(y, y.grad_fn.saved_tensors[0].grad_fn); y.sum().backward(); print(x.grad, S.apply(x, k=5))
class V(ag.Function):\n  @staticmethod\n  def forward(ctx, a): return a * 1\n  @staticmethod\n  def vjp(ctx, g): return g * 7\nV.apply(x).sum().backward(); print(x.grad)
class V(ag.Function):\n  @staticmethod\n  def forward(ctx, a): return a * 1\n  @staticmethod\n  def vjp(ctx, g): return g * 7\n  @staticmethod\n  def backward(ctx, g): return g\nV.apply(x).sum().backward()
class L(ag.Function):\n  def forward(self, a): return a * 1\n  def backward(self, g): return g * 3\nL.apply(x).sum().backward(); print(x.grad)
y = fn(lambda c, a: a * 2).apply(x); y.grad_fn.foo
y = fn(lambda c, a: a * 2).apply(x); print(y.grad_fn.apply(n), y.grad_fn._forward_cls.__name__); y.grad_fn(n)
fn(lambda c, a, b: a * b, lambda c, g: [g, g]).apply(x, x).sum().backward()
fn(lambda c, a: a * 1, lambda c, g: ()).apply(x).sum().backward()
fn(lambda c, a: a * 1, lambda c, g: g.expand(4, 3)).apply(x).sum().backward(); print(x.grad)
fn(lambda c, a: a * 1, lambda c, g: torch.ones(1)).apply(x).sum().backward()
fn(lambda c, a, b: a * b, lambda c, g: (g, torch.ones(7))).apply(x, n).sum().backward(); print(x.grad)
fn(lambda c, a, b: a * b, lambda c, g: (g, 3)).apply(x, n).sum().backward()
fn(lambda c, a, b: a * b, lambda c, g: (g, 3)).apply(x, 4).sum().backward()
fn(lambda c, a, b: a * b, lambda c, g: (g, g)).apply(x, 4).sum().backward()
fn(lambda c, a: a * 1, lambda c, g: torch.ones(3, dtype=torch.int64)).apply(x).sum().backward(); print(x.grad)
F1 = fn(lambda c, a: a * a, once_differentiable(lambda c, g: g * 3)); print(grad(F1.apply(x).sum(), x, create_graph=True))
F1 = fn(lambda c, a: a * a, once_differentiable(lambda c, g: g * 3)); g = torch.ones(3, requires_grad=True); d, = grad(F1.apply(x), x, g, create_graph=True); print(d, d.grad_fn.next_functions, type(d.grad_fn).__name__); d.sum().backward()
F1 = fn(lambda c, a: a * a, once_differentiable(lambda c, g: g * 3)); y = F1.apply(x * x).sum() ** 2; d, = grad(y, x, create_graph=True); print(d); d.sum().backward()
print(isinstance(x, ag.Variable), ag.Variable(n), ag.Variable(n, requires_grad=True), ag.Variable(n) is n, ag.Variable())
ag.Variable(n, volatile=True)
ag.Variable(3)
ag.variable(3)
ag.set_detect_anomaly(True); print(torch.is_anomaly_enabled()); ag.set_detect_anomaly(False); print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
with ag.detect_anomaly(check_nan=False): (x.log() * 0).sum().backward(); print(x.grad)
with ag.detect_anomaly(): (x * n).sum().backward(torch.tensor(float('nan')))
y = x * 1; y.retain_grad(); y.sum().backward(); g = y.grad; (y * 2).sum().backward(); print(y.grad, g, y.grad is g)
w = x * 1; h = w.register_hook(lambda g: print('old', g)); w.mul_(2); w.register_hook(lambda g: print('new', g)); w.sum().backward(); print(x.grad)
w = x * 1; v = w[0]; v.register_hook(lambda g: print('view', g)); w.mul_(2); (v + w.sum()).backward(); print(x.grad)
y = x * 2; y.register_hook(lambda g: g.mul_(3)); y.sum().backward()
y = x * 2; y.register_hook(lambda g: g.mul_(3)); (y * 1).sum().backward(); print(x.grad)
f = fn(lambda c, a, k, b: (a * k + b, a * 1), lambda c, g, h: (g * 2, None, g)); u, v = f.apply(x, 3, n); u.grad_fn.register_hook(lambda gi, go: print(gi, go)); u.grad_fn.register_prehook(lambda go: print(go)); u.sum().backward(); print(x.grad, u.grad_fn.next_functions)
y = x * 2; y.register_hook(lambda g: {}['boo']); y.sum().backward()
seen = []; y = x * 2; y.register_hook(seen.append); z = y.sum(); z.backward(retain_graph=True); z.backward(); print(seen)
x.register_hook(lambda g: print('x', g)); x.view(3, 1).sum().backward()
def ten(p): p.grad.mul_(10)\nx.register_post_accumulate_grad_hook(ten); (x * 2).sum().backward(); print(x.grad); (x * 2).sum().backward(); print(x.grad)
def step(p):\n  with torch.no_grad(): p.sub_(p.grad * .1)\n  p.grad = None\nx.register_post_accumulate_grad_hook(step); (x * x).sum().backward(); print(x, x.grad, x._version)
g, = grad((x ** 3).sum(), x, create_graph=True); g.register_hook(lambda k: print('second', k)); g.sum().backward(); print(x.grad)
x.register_hook(lambda g: g * 100); print(grad((x * 2).sum(), edge(x)))
with torch.no_grad(): x.register_hook(print).remove(); (x * 2).register_hook(print)
with gr.save_on_cpu(): y = x.exp()\nprint(y.grad_fn._raw_saved_result.data); y.sum().backward(); print(x.grad)
y = s * s; y.backward(create_graph=True); print(s.grad); y = s * 2; y.retain_grad(); y.backward(create_graph=True); print(y.grad, s.grad)
""".strip().splitlines()  # noqa: E501


@pytest.mark.parametrize("call", CALLS)
def test_a_call_does_what_pytorchs_does(torch, call):
    code = GIVEN + call.replace("\\n", "\n")
    torch.set_warn_always(True)
    try:
        theirs = snippet(torch, code)
    finally:
        torch.set_warn_always(False)
    ours = snippet(graphlab, code)
    for key in ("raises", "prints", "warns"):
        said, wanted = ours.get(key), theirs.get(key)
        if key == "raises" and said is not None and wanted is not None:
            said = said[: len(wanted)]  # ours may go on, with what to do
        assert said == wanted, key
