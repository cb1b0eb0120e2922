# ruff: noqa: D101, D103
"""Right answers to the exercises of the lessons that are answered with code, for teachers.

Each part is what stands in the cell instead of the student's code; its last line names the answer.
All other right answers are worked out by the exercises themselves.
`exercises.export` puts them into notebooks for nbgrader or Otter, which take them out again.

Read next: docs/teaching/README.md
"""

import graphlab

# %% 1.5
x = graphlab.tensor(2.0, requires_grad=True)
y = graphlab.tensor(3.0, requires_grad=True)
answer_1_5 = (x + y) * graphlab.log(x)


# %% 2.5
def formula(a, b):
    return a * b + b


answer_2_5 = formula


# %% 2.6
def swap(gradient, a, b):
    return gradient * b, gradient * a


answer_2_6 = swap


# %% 3.5
def gradients(a, b):
    h = a * b
    p = h + a
    to_p = h
    to_h = p + to_p
    to_a = to_p + to_h * b
    to_b = to_h * a
    return to_a, to_b


answer_3_5 = gradients


# %% 3.6
def waits(made_from):
    counts = {}
    for result in made_from:
        for one in made_from[result]:
            counts[one] = counts.get(one, 0) + 1
    return counts


answer_3_6 = waits


# %% 4.6
def f(a):
    return a * a + 8 * a


answer_4_6 = f


# %% 5.4
def middle(w, x):
    u = w * x
    u.retain_grad()
    loss = (u + 1) ** 2
    loss.backward()
    return u.grad


answer_5_4 = middle


# %% 5.5
def make_weight():
    return graphlab.tensor([0.1, 0.2], requires_grad=True)


answer_5_5 = make_weight


# %% 5.6
def loss_of(w, x, y):
    return (w * x - y) ** 2


answer_5_6 = loss_of


# %% 6.6
def gradient_of_both(w, x, y):
    w.grad = None
    h = w * x
    loss1 = (h - y) ** 2
    loss2 = h**2
    (loss1 + loss2).backward()
    return w.grad


answer_6_6 = gradient_of_both


# %% 6.7
def show_it(w):
    (w**3).backward()
    first = w.grad.item()
    (w**3).backward()
    return first, w.grad.item()


answer_6_7 = show_it


# %% 7.5
def linear_backward(X, W, b, delta):
    return delta @ W.T, X.T @ delta, delta.sum(0)


answer_7_5 = linear_backward


# %% 7.6
def jacobian(y, x):
    rows = []
    for k in range(len(y)):
        v = graphlab.zeros(len(y))
        v[k] = 1.0
        x.grad = None
        y.backward(v, retain_graph=True)
        rows.append(x.grad)
    return graphlab.stack(rows)


answer_7_6 = jacobian


# %% 8.6
def descend(w, rate):
    with graphlab.no_grad():
        w -= rate * w.grad


answer_8_6 = descend


# %% 9.6
def penalty(f, x):
    y = f(x)
    (g,) = graphlab.autograd.grad(y, x, create_graph=True)
    return (g**2).sum()


answer_9_6 = penalty


# %% 10.3
class Reciprocal(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / x
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * -(y**2)


answer_10_3 = Reciprocal.apply


# %% 10.4
class Weighted(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w**2

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return grad * w**2, grad * 2 * x * w


answer_10_4 = Weighted.apply


# %% 10.5
class Sine(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return graphlab.sin(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * graphlab.cos(x)


answer_10_5 = Sine.apply


# %% 10.6
class Bell(graphlab.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / (1 + x**2)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (-2 * x / (1 + x**2) ** 2)


answer_10_6 = Bell.apply


# %% 11.4
def entropy_term(x):
    safe = graphlab.where(x > 0, x, 1.0)
    return graphlab.where(x > 0, safe * graphlab.log(safe), 0.0)


answer_11_4 = entropy_term


# %% 11.5
def softplus(x):
    c = graphlab.maximum(x, graphlab.zeros_like(x))
    return c + graphlab.log(graphlab.exp(-c) + graphlab.exp(x - c))


answer_11_5 = softplus


# %% 12.5
def backward(X, y, W1, b1, W2, b2):
    h = (X @ W1 + b1).tanh()
    z = (h @ W2 + b2).sigmoid() - y
    mine = {"z": z / len(X)}
    mine["W2"] = h.T @ mine["z"]
    mine["b2"] = mine["z"].sum(0)
    mine["h"] = mine["z"] @ W2.T
    mine["pre"] = mine["h"] * (1 - h * h)
    mine["W1"] = X.T @ mine["pre"]
    mine["b1"] = mine["pre"].sum(0)
    return mine


answer_12_5 = backward


# %% 12.6
def batch_norm_backward(g, xhat, gamma, scale):
    arrives = g * gamma
    return scale * (arrives - arrives.mean(0) - xhat * (arrives * xhat).mean(0))


answer_12_6 = batch_norm_backward


# %% 13.4
def truncated(w, inputs, targets, k):
    h = graphlab.tensor(0.0)
    loss = 0.0
    for t in range(len(inputs)):
        h = w * h + inputs[t]
        loss = loss + (h - targets[t]) ** 2
        if (t + 1) % k == 0:
            loss.backward()
            loss = 0.0
            h = h.detach()


answer_13_4 = truncated


# %% 13.5
def clip(gradient, limit):
    norm = (gradient**2).sum().sqrt()
    return gradient * (limit / norm) if norm > limit else gradient


answer_13_5 = clip


# %% 15.4
def hessian_times(f, x, v):
    (g,) = graphlab.autograd.grad(f(x), x, create_graph=True)
    (product,) = graphlab.autograd.grad((g * v).sum(), x)
    return product


answer_15_4 = hessian_times


# %% 15.5
def how_far(f, x):
    (g,) = graphlab.autograd.grad(f(x), x, create_graph=True)
    v = g.detach()
    (along,) = graphlab.autograd.grad((g * v).sum(), x)
    return (v * v).sum() / (v * along).sum()


answer_15_5 = how_far


# %% 15.6
def penalised(w, x, y):
    f = (w * x).tanh()
    (slope,) = graphlab.autograd.grad(f, x, create_graph=True)
    return (f - y) ** 2 + slope**2


answer_15_6 = penalised


# %% 14.4
def kernel_gradient(x, delta):
    places = range(len(x) - len(delta) + 1)
    return graphlab.stack([(delta * x[k : k + len(delta)]).sum() for k in places])


answer_14_4 = kernel_gradient


# %% 14.5
def causal_attention(Q, K, V, allowed):
    scores = Q @ K.T / Q.shape[1] ** 0.5
    scores = graphlab.where(allowed, scores, -graphlab.inf)
    return graphlab.softmax(scores, 1) @ V


answer_14_5 = causal_attention


# %% 16.4
def repaired_order(result):
    found = [result]
    for value in found:
        for one in value.inputs:
            if one not in found:
                found.append(one)
    return sorted(found, key=lambda value: -value.number)


answer_16_4 = repaired_order


# %% 16.5
def minus(a, b):
    return Value(a.data - b.data, (a, b), (1.0, -1.0))  # noqa: F821  (of the lesson)


def square(a):
    return Value(a.data**2, (a,), (2 * a.data,))  # noqa: F821


answer_16_5 = (minus, square)
