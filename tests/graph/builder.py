"""Graphs for tests, by hand: `leaf`, `constant`, `apply`, then `graph` adds what autograd would.

build = Builder()
x = build.leaf("x")
build.apply("mul", "×", [x, x], saved=("self", "other"))
build.graph()
"""

from __future__ import annotations

from graphlab.graph.model import EdgeInfo, Graph, NodeInfo, Saved, Source, TensorInfo
from graphlab.graph.value import Value


def some_value(shape: tuple[int, ...] = (), text: str = "2.0") -> Value:
    size = 1
    for length in shape:
        size *= length
    if shape and size != 1:
        text = f"{tuple(shape)} float32"
    return Value(shape, "float32", text, nbytes=4 * size)


class Builder:
    def __init__(self) -> None:
        self.tensors: list[TensorInfo] = []
        self.forward: list[NodeInfo] = []

    def leaf(self, name: str, shape: tuple[int, ...] = ()) -> str:
        return self._tensor(name, some_value(shape), True, True, None)

    def constant(self, name: str | None, shape: tuple[int, ...] = ()) -> str:
        return self._tensor(name, some_value(shape), True, False, None)

    def apply(
        self,
        op: str,
        symbol: str,
        inputs: list[str],
        name: str | None = None,
        shape: tuple[int, ...] = (),
        saved: tuple[str, ...] = (),
    ) -> str:
        id = f"n{len(self.forward)}"
        output = self._tensor(name, some_value(shape), False, True, id)
        kept = tuple(Saved(each, some_value(shape), nbytes=4) for each in saved)
        source = Source("In [1]", len(self.forward) + 1, f"{name} = {op}(…)")
        title = "".join(part.capitalize() for part in op.split("_")) + "Backward0"
        self.forward.append(
            NodeInfo(
                id, title, op, symbol, len(self.forward), tuple(inputs), (output,), kept, source
            )
        )
        return output

    def _tensor(
        self, name: str | None, value: Value, is_leaf: bool, grad: bool, producer: str | None
    ) -> str:
        id = f"t{len(self.tensors)}"
        self.tensors.append(TensorInfo(id, name, value, is_leaf, grad, producer=producer))
        return id

    def graph(self) -> Graph:
        known = {tensor.id: tensor for tensor in self.tensors}
        receivers = {t.id: t.producer for t in self.tensors if t.producer is not None}
        accumulating: list[NodeInfo] = []
        for tensor in self.tensors:
            if tensor.is_leaf and tensor.requires_grad:
                id = f"n{len(self.forward) + len(accumulating)}"
                receivers[tensor.id] = id
                node = NodeInfo(id, "AccumulateGrad", "accumulate", "+=", 2**53 - 2, (), ())
                accumulating.append(
                    NodeInfo(node.id, node.name, node.op, node.symbol, node.sequence,
                             (tensor.id,), (), variable=tensor.id)
                )  # fmt: skip
        edges = tuple(
            EdgeInfo(f"{node.id}.{k}", node.id, receivers[id], k, 0, id)
            for node in self.forward
            for k, id in enumerate(node.inputs)
            if known[id].requires_grad
        )
        nodes = (*reversed(self.forward), *accumulating)
        root = self.forward[-1].outputs[0] if self.forward else self.tensors[0].id
        return Graph(root, tuple(self.tensors), nodes, edges)


def square() -> Graph:
    """x*x: two parallel edges from the same tensor."""
    build = Builder()
    x = build.leaf("x")
    build.apply("mul", "×", [x, x], "y", saved=("self", "other"))
    return build.graph()


def diamond() -> Graph:
    """b = 2a; y = (b+1) + (b+2): dy/da is 4; a naive depth-first walk says 6."""
    build = Builder()
    a, two, one = build.leaf("a"), build.constant(None), build.constant(None)
    b = build.apply("mul", "×", [two, a], "b", saved=("self",))
    left = build.apply("add", "+", [b, one], "p")
    right = build.apply("add", "+", [b, two], "q")
    build.apply("add", "+", [left, right], "y")
    return build.graph()


def mlp() -> Graph:
    """Two linear layers, tanh, and the cross entropy of a softmax."""
    build = Builder()
    x, target = build.constant("x", (32, 4)), build.constant("target", (32,))
    w1, b1 = build.leaf("W1", (4, 16)), build.leaf("b1", (16,))
    w2, b2 = build.leaf("W2", (16, 3)), build.leaf("b2", (3,))
    h = build.apply("mm", "@", [x, w1], None, (32, 16), ("self", "mat2"))
    h = build.apply("add", "+", [h, b1], "z1", (32, 16))
    h = build.apply("tanh", "tanh", [h], "h", (32, 16), ("result",))
    z = build.apply("mm", "@", [h, w2], None, (32, 3), ("self", "mat2"))
    z = build.apply("add", "+", [z, b2], "logits", (32, 3))
    lp = build.apply("log_softmax", "log_softmax", [z], "logp", (32, 3), ("result",))
    loss = build.apply("nll_loss", "nll", [lp, target], "nll", (), ("self", "target"))
    penalty = build.apply("pow", "^", [w1, build.constant(None)], None, (4, 16), ("self",))
    penalty = build.apply("sum", "Σ", [penalty], "penalty", (), ("self_sym_sizes",))
    rate = build.constant("weight_decay")
    penalty = build.apply("mul", "×", [rate, penalty], None, (), ("self",))
    build.apply("add", "+", [loss, penalty], "loss")
    return build.graph()


def concat() -> Graph:
    """Five inputs of one operation, one of them the result of another."""
    build = Builder()
    parts = [build.leaf(f"part_{k}", (3,)) for k in range(4)]
    parts.insert(2, build.apply("exp", "exp", [parts[3]], "grown", (3,), ("result",)))
    build.apply("cat", "cat", parts, "joined", (15,))
    return build.graph()


def chain(length: int, width: int = 1) -> Graph:
    """`width` parallel residual chains of `length` nodes, added up."""
    build = Builder()
    ends: list[str] = []
    for lane in range(width):
        x = build.leaf(f"x{lane}")
        while len(build.forward) * width < (lane + 1) * length * width:
            y = build.apply("sin", "sin", [x], None, saved=("self",))
            x = build.apply("add", "+", [x, y])
        ends.append(x)
    total = ends[0]
    for end in ends[1:]:
        total = build.apply("add", "+", [total, end], "total")
    return build.graph()


def recurrent(steps: int) -> Graph:
    """One weight used at every step of a recurrence."""
    build = Builder()
    w, h = build.leaf("w"), build.leaf("h0")
    for step in range(steps):
        mixed = build.apply("mul", "×", [h, w], None, saved=("self", "other"))
        h = build.apply("tanh", "tanh", [mixed], f"h{step + 1}", saved=("result",))
    return build.graph()


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\"quoted\" & 'single'",
    "$\\frac{a}{b}$ 🎉 名前",
    "a_very_long_variable_name_that_nobody_would_choose",
    "line\nbreak\x00\ud800",
)


def hostile() -> Graph:
    """Names that must be shown and never interpreted."""
    build = Builder()
    inputs = [build.leaf(name) for name in HOSTILE]
    total = inputs[0]
    for other in inputs[1:]:
        total = build.apply("add", "+", [total, other], f"sum<{other}>", saved=("<b>",))
    return build.graph()


def random_graph(seed: int, nodes: int) -> Graph:
    """Operations on randomly chosen earlier tensors."""
    import random

    choose = random.Random(seed)
    build = Builder()
    pool = [build.leaf(f"x{k}") for k in range(1 + nodes // 4)]
    for k in range(nodes):
        inputs = [choose.choice(pool[-12:]) for _ in range(choose.choice((1, 2, 2, 2, 3)))]
        kept: tuple[str, ...] = ("self", "other")[: choose.choice((0, 1, 2))]
        shape = choose.choice(((), (), (3, 4)))
        pool.append(build.apply("mul", "×", inputs, choose.choice((None, f"v{k}")), shape, kept))
    loose = [t for t in pool if not any(t in node.inputs for node in build.forward)]
    build.apply("cat", "cat", loose, "root")
    return build.graph()


ALL = {
    "square": square,
    "diamond": diamond,
    "mlp": mlp,
    "concat": concat,
    "hostile": hostile,
}
