"""What a program does with a number that it reads decides whether its graph can follow an edit.

Each program of the tables runs as a cell, again with the edited value, and both must agree. A cell
has the leaves x = 2 and b = 1, the constant tensor t, and ends with a tensor y.

Read next: graphlab/adapters/data_flow.py
"""

from __future__ import annotations

import itertools
import linecache
import math
from typing import Any

import numpy as np
import pytest

import graphlab as torch
from graphlab.graph.replaying import ReplayError, replay_of

cells = itertools.count()
VALUES = 2.5, 0.5, -1.0, -3.0, 7.0  # of x; 2 is recorded

DEPENDS = {  # the graph depends on the number: refused, or right as long as a condition holds
    "a sign": "sign = 1.0 if x.item() > 0 else -1.0\ny = sign * x * b",
    "a sign in an if": "if x.item() > 0:\n    sign = 1.0\nelse:\n    sign = -1.0\ny = sign * x",
    "a count": "k = int(x.item())\ny = b\nfor _ in range(k):\n    y = y * x",
    "a scale": "scale = 2 * x.item() + 1\ny = scale * x + b",
    "a mask": (
        "mask = x.detach().numpy() > 0\ny = torch.where(torch.from_numpy(np.array(mask)), x, b)"
    ),
    "a number compared": "y = x * (x.item() > 0) + b",
    "a number behind two names": "n = x.item()\nm = n\nk = m / 2\ny = k * b",
    "a result that is read": "s = ((x - 1) ** 2).mean().sqrt().item()\ny = s * x",
    "a function that reads": "def size(v):\n    return abs(v.item()) + 1\n\ny = size(x) * x",
    "an argument": "def scaled(v, k):\n    return v * k\n\ny = scaled(b, x.item())",
    "an attribute": (
        "class Layer:\n    def __init__(self, k):\n        self.k = k\n\n"
        "    def forward(self, v):\n        return v * self.k\n\n"
        "layer = Layer(x.item())\ny = layer.forward(b) + x"
    ),
    "a list": "scales = []\nscales.append(x.item() / 2)\ny = sum(scales) * x",
    "a dictionary": "made = {}\nmade['k'] = x.item() + 3\ny = made['k'] * b",
    "an early return": (
        "def f(v):\n    if v.item() < 0:\n        return -v\n    return v * b\n\ny = f(x)"
    ),
    "a loop that ends": (
        "y = x\nfor _ in range(5):\n    y = y * 0.5\n    if y.item() < 0.3:\n        break"
    ),
    "a while": "y = x * b\nwhile y.item() > 0.5:\n    y = y / 2",
    "a while that is not entered": (
        "y = x\nwhile x.item() > 5:\n    y = y / 2\n    break\ny = y + b"
    ),
    "an if without else": "y = x * b\nif x.item() < 0:\n    y = -y\ny = y + 1",
    "a chosen function": "act = torch.sin if x.item() > 1 else torch.cos\ny = act(x) * b",
    "a chosen tensor": "y = [x, b][int(x.item() < 0)] * 3",
    "an index": "y = (t * b)[int(abs(x.item()))] * x",
    "a rounded number": "k = round(float(x))\ny = x * k",
    "a number from numpy": "k = np.exp(x.detach().numpy())\ny = float(k) * x",
    "a list of numbers": "y = sum(v * b for v in (t * x).tolist())",
    "a lambda": "half = lambda v: v.item() / 2\ny = half(x) * b",
    "a filled constant": "c = torch.zeros(())\nc.fill_(x.item())\ny = c * b + x",
    "a walrus": "if (n := x.item()) > 1:\n    y = n * b\nelse:\n    y = x * b",
    "a bound in a name": "n, low = x.item(), 1.0\ny = x * b if n > low else x + b",
    "a match": "match x.item() > 0:\n    case True:\n        y = x * b\n    case _:\n        y = x",
    "a shape": "y = b.expand(int(abs(x.item())) + 1).sum() * x",
    "an exponent": "p = int(x.item())\ny = b ** p + (x + 5) ** p",
    "a clamp": "top = x.item() + 1\ny = (3 * x).clamp(max=top)",
    "a function called in an if": (
        "def f(v):\n    return v * 3\n\ny = x\nif x.item() > 1:\n    y = f(x)"
    ),
    "deep": "h = x\nfor _ in range(8):\n    h = h * 1.1\nk = h.item()\ny = k * x + b",
    "the second input": "h = b * 2 + x * x\ny = x * 2 if h.item() > 2 else x * 3",
    "a result that is gone": "k = (b * x + b).item()\ny = k * x",
    "an option by name": "def f(v, k=1.0):\n    return v * k\n\ny = f(b, k=x.item()) + x",
    "all arguments": "def f(*given):\n    return given[0] * given[1]\n\ny = f(b, x.item()) + x",
    "a closure": "k = x.item()\n\ndef f(v):\n    return v * k\n\ny = f(b) + x",
    "a global": "k = 0.0\n\ndef g():\n    global k\n    k = x.item()\n\ng()\ny = k * b + x",
    "a sum in an object": (
        "class M:\n    def __init__(self):\n        self.n = 0.0\n\n"
        "    def look(self, v):\n        self.n += v.item()\n\n"
        "    def __call__(self, v):\n        return v * self.n\n\nm = M()\nm.look(x)\ny = m(b) + x"
    ),
    "a flag": "flag = False\nif x.item() > 0:\n    flag = True\ny = x * 2 if flag else x * 3",
    "a function that tests": (
        "def pos(v):\n    return bool(v > 0)\n\ny = x * 2 if pos(x) else x * 3"
    ),
    "an assertion": (
        "try:\n    assert x.item() > 0\n    y = x * 2\nexcept AssertionError:\n    y = x * 3"
    ),
    "an exception": (
        "def check(v):\n    if v.item() < 0:\n        raise ValueError\n\ny = x * 3\n"
        "try:\n    check(x)\nexcept ValueError:\n    y = x * 2"
    ),
    "an order": "a, c = sorted([x, b], key=lambda v: v.item())\ny = a - 2 * c",
    "the place of the largest": "s = torch.stack([x, b, x * b])\ny = s[int(s.argmax())] * 2",
    "a generator": (
        "def gen(v):\n    if v.item() > 0:\n        yield v\n    yield v * 2\n\ny = sum(gen(x))"
    ),
    "a mode": (
        "import contextlib\nwith torch.no_grad() if x.item() < 0 else contextlib.nullcontext():\n"
        "    h = x * 3\ny = h * b"
    ),
    "a row of an embedding": (
        "at = torch.tensor([int(abs(x.item())) % 8])\n"
        "y = torch.nn.functional.embedding(at, (t * b).reshape(8, 1)).sum() * x"
    ),
    "a choice after the operations": "c = x * 2\nd = x * 3\ny = c if x.item() > 0 else d",
    "a choice by a mask": "c = x * 2\nd = x * 3\ny = c if x > 0 else d",
    "a choice by an index": "y = [x * 2, x * 3][x.item() > 0]",
    "a choice by a key": "y = {True: x * 2, False: x * 3}[bool(x > 0)]",
    "a recursion": (
        "def f(v, n):\n    if n <= 0 or v.item() > 10:\n        return v\n"
        "    return f(v * 2, n - 1)\n\ny = f(x, 4)"
    ),
    "two tests": "y = x * 2 if x.item() > 0 and b.item() > 0 else x * 3",
    "a gradient that grad returned": "(g,) = torch.autograd.grad(x * x, x)\ny = g * b + x",
    "a gradient": "(x * x * b).backward()\ny = x.grad * x",
    "equal": "y = x * b if torch.equal(x, x.abs()) else -x",
    "isclose": "y = torch.where(torch.isclose(x, 2 * b), x * b, x + b)",
    "any": "y = x * b if (x > 1).any() else x + b",
    "all": "y = x * b if torch.all(t * x > 0) else x + b",
    "an index of the largest": "y = t[(t * x).argmax()] * x * b",
    "indexes of the largest": "y = t[(t * x).topk(2).indices].sum() * b * x",
    "indexes in order": "y = (t[(t * x).argsort()] * t).sum() * b * x",
    "one-hot": "y = (torch.nn.functional.one_hot((t * x).argmax(), 8) * t).sum() * b * x",
    "nonzero": "y = t[(t * x > 4).nonzero()].sum() * b * x",
    "chosen entries of data": "y = t[t * x > 4].sum() * b * x",
    "a place in order": "y = t[torch.searchsorted(t, x.detach())] * b * x",
    "a drawn index": (
        "torch.manual_seed(0)\ni = torch.multinomial(torch.softmax((t * x).detach(), 0), 1)\n"
        "y = t[i].sum() * x * b"
    ),
    "an integer": "y = x.long() * b * x",
}
FOLLOWS = {  # the number is only shown or kept
    "print": "print(x.item())\ny = 3.5 * x * b",
    "print with a format": "print(f'{x.item():.2f}', x.item())\na = 2.0\ny = a * x",
    "a mask": "torch.manual_seed(0)\ny = torch.nn.functional.dropout(x * t, 0.5).sum() * b",
    "a draw": "torch.manual_seed(0)\nprint(x.item())\ny = x * torch.rand((), dtype=torch.float64)",
    "a check": "y = x * b\nassert not np.isnan(y.item())\ny = y * 3",
    "a check in a function": (
        "def checked(v):\n    assert not np.isnan(v.item())\n    return v\n\ny = checked(x * b) * 3"
    ),
    "a module that notes": (
        "class Net(torch.nn.Module):\n    def forward(self, v):\n        h = v * b\n"
        "        self.last = h.item()\n        return h * 3\n\ny = Net()(x)"
    ),
    "print on the way": "h = x * x\nprint(h.item(), h.tolist())\ny = 2.5 * h + h",
    "print in a loop": "y = x\nfor _ in range(3):\n    y = y * 1.5\n    print(y.item())",
    "losses": "losses = []\nfor _ in range(2):\n    y = (x - 3) ** 2\n    losses.append(y.item())",
    "losses after backward": (
        "losses = []\nfor _ in range(2):\n    y = (x * b - 3) ** 2\n    y.backward()\n"
        "    losses.append(y.item())\nx.grad = b.grad = None\ny = (x * b - 3) ** 2"
    ),
    "total": "total = 0.0\nh = x * 2\ntotal += h.item()\ny = h * b * 0.25",
    "best": (
        "best = math.inf\ny = (x - 1) ** 2\nif y.item() < best:\n    best = y.item()\ny = y * b"
    ),
    "a log": "def log(v):\n    print('now', v)\n\nlog(x.item())\ny = x * b * 1.25",
    "a log that keeps": "seen = {}\nh = x * b\nseen['h'] = h.item()\ny = h * 1.75",
    "an optimizer": (
        "w = torch.tensor(1.0, requires_grad=True)\nfor _ in range(2):\n    w.grad = None\n"
        "    loss = (w - 3) ** 2\n    loss.backward()\n    print(loss.item())\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\ny = w.item() * x * b"
    ),
    "an accuracy": (
        "h = torch.softmax(t * x, 0)\nright = (h.argmax() == 0).item()\n"
        "y = -(torch.log(h) * t).sum()"
    ),
    "another tensor": "u = torch.tensor(4.0, requires_grad=True)\nk = u.item()\ny = k * x",
    "a function's own name": (
        "def show(v):\n    k = v.item()\n    print(k)\n\nk = 1.5\nshow(x)\ny = k * x"
    ),
    "a truth": "print(bool(x.item() > 0))\ny = torch.relu(x) * b",
    "numpy to plot": "xs, ys = x.detach().numpy(), (x * b).detach().numpy()\ny = x * b + 0.75",
    "a count of data": "n = len(t.tolist())\ny = (t * x).sum() / n",
    "a repr": "str(x), repr(x), f'{x}'\ny = x * 1.5",
    "detached": "y = (x - x.detach()) * 3 + b * x.detach()",
    "a message": "message = f'x is {x.item()}'\nprint(message)\ny = x * b * 0.5",
    "items in the graph": "y = torch.stack([x * k for k in t.tolist()]).sum()",
    "a history": "history = [x.item()]\nh = x * b\nhistory += [h.item()]\ny = h * 0.125",
}


def run(text: str, x: float) -> dict[str, Any]:
    name = f"cell {next(cells)}"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    made: dict[str, Any] = {"torch": torch, "np": np, "math": math}
    for key, value in {"x": x, "b": 1.0}.items():
        made[key] = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    made["t"] = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], dtype=torch.float64)
    exec(compile(text, name, "exec"), made)
    return made


def outcome(text: str, x: float) -> Any:
    """The result and both gradients of a run; None if the program fails at this value."""
    try:
        made = run(text, x)
    except (IndexError, RuntimeError, ValueError, AssertionError):
        return None
    made["y"].backward()
    return [np.array(made["y"].item()), *[grad_of(made[name]) for name in "xb"]]


def grad_of(tensor: Any) -> Any:
    return np.array(0.0) if tensor.grad is None else tensor.grad.numpy()


def edited(text: str, x: float) -> Any:
    """The same after an edit of the recorded graph; the sentence if it cannot follow."""
    made = run(text, 2.0)
    scope = {name: made[name] for name in "xyb"}
    exec("walk = torch.trace(y)", scope | {"torch": torch}, scope)
    walk = scope["walk"]
    ids = {one.name: one.id for one in walk.graph.tensors if one.is_leaf}
    if "x" not in ids:
        return "x is not in the graph"
    try:
        found = replay_of(walk, {"x": x})
    except ReplayError as error:
        return str(error)
    grads = [found.leaves.get(ids.get(name, ""), np.array(0.0)) for name in "xb"]
    return [found.tensors[walk.graph.root], *grads]


@pytest.mark.parametrize("name", DEPENDS)
@pytest.mark.filterwarnings("ignore:Converting a tensor")
def test_a_graph_that_depends_on_a_number_shows_no_wrong_value(name):
    refused = 0
    for x in VALUES:
        found, right = edited(DEPENDS[name], x), outcome(DEPENDS[name], x)
        if isinstance(found, str):
            refused += 1
            assert found.endswith((".", "graph")), found
        else:
            assert right is not None
            np.testing.assert_allclose(found, right, rtol=1e-9)
    assert refused


@pytest.mark.parametrize("name", FOLLOWS)
def test_a_number_that_is_only_shown_or_kept_holds_nothing(name):
    for x in VALUES:
        if (right := outcome(FOLLOWS[name], x)) is not None:
            np.testing.assert_allclose(edited(FOLLOWS[name], x), right, rtol=1e-9)


def test_the_graph_that_a_kernel_ran_again_refuses_what_the_first_one_refuses():
    made = run("sign = 1.0 if x.item() > 0 else -1.0\ny = sign * x * b", 2.0)
    x, b, y = (made[name] for name in "xby")
    walk = torch.trace(y)
    assert (x.item(), b.item()) == (2.0, 1.0)
    again = walk.again({"b": 3.0})
    with pytest.raises(ReplayError, match=r"^This was recorded with x.item\(\) > 0; at these"):
        replay_of(again, {"x": -1.0})


def test_an_expression_of_many_terms_is_no_obstacle():
    made = run(f"print(x.item())\ny = {' + '.join(['x'] * 2000)} + b", 2.0)
    assert torch.trace(made["x"] * made["b"]).replay.decided == ()
    assert edited(f"k = x.item()\ny = k * x + {' + '.join(['b'] * 500)}", 3.0).endswith("values.")
