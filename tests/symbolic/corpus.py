"""Programs for the checker: right ones, which it must not call wrong, and ones with a mistake.

Each case is a name and a function that makes a root. Random formulas and networks are drawn with
the number of the case, so that every case is the same in every run.

Read next: tests/symbolic/corpus_mistakes.py
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import Any

import graphlab
from graphlab import nn

Case = tuple[str, Callable[[], Any]]  # a name, and what makes the tensor that is checked

functional = nn.functional
FORMULAS, NETWORKS = 150, 120  # random ones


def leaf(value: Any) -> Any:
    return graphlab.tensor(value, requires_grad=True)


# -- random formulas ------------------------------------------------------------------------------

ONE: dict[str, Callable[[Any], Any]] = {
    "sin": graphlab.sin, "cos": graphlab.cos, "tanh": graphlab.tanh, "exp": graphlab.exp,
    "sigmoid": graphlab.sigmoid, "relu": graphlab.relu, "abs": graphlab.abs,
    "square": lambda x: x * x, "cube": lambda x: x**3, "negative": lambda x: -x,
    "softplus": functional.softplus, "root": lambda x: graphlab.sqrt(x * x + 1),
    "logarithm": lambda x: graphlab.log(x * x + 0.5), "inverse": lambda x: 1 / (x * x + 0.25),
    "clamp": lambda x: x.clamp(-0.8, 0.9), "elu": functional.elu, "gelu": functional.gelu,
    "half": lambda x: 0.5 * x + 0.1, "third": lambda x: x / 3,
    "where": lambda x: graphlab.where(x > 0.2, x * x, -x),
    "mask": lambda x: x * (x > 0), "huber": lambda x: functional.huber_loss(x, 0 * x),
    "atan": graphlab.atan, "leaky": functional.leaky_relu, "silu": functional.silu,
}  # fmt: skip
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / (b * b + 1), "maximum": graphlab.maximum,
    "minimum": graphlab.minimum, "hypot": lambda a, b: graphlab.sqrt(a * a + b * b + 0.1),
    "atan2": lambda a, b: graphlab.atan2(a, b * b + 0.5),
    "choose": lambda a, b: graphlab.where(a > b, a * b, a - b),
}  # fmt: skip
VALUES = (0.5, -1.25, 2.0, 0.0, 1.0, -0.3, 0.7, 1e-3, 3.5)


def formula(number: int) -> Any:
    """A random formula of one to three numbers."""
    source = random.Random(number)
    made = [leaf(source.choice(VALUES)) for _ in range(source.randint(1, 3))]
    leaves = len(made)
    for _ in range(source.randint(2, 7)):
        if source.random() < 0.5:
            made.append(ONE[source.choice(list(ONE))](source.choice(made)))
        else:
            two = TWO[source.choice(list(TWO))]
            made.append(two(source.choice(made), source.choice(made)))
    return sum(made[leaves:], made[-1])


# -- random networks ------------------------------------------------------------------------------

ACTIVATIONS = (
    nn.Tanh, nn.ReLU, nn.Sigmoid, nn.GELU, nn.SiLU, nn.ELU, nn.LeakyReLU, nn.Softplus, nn.Hardtanh,
)  # fmt: skip


def network(number: int) -> Any:
    """A random small network with a loss."""
    source = random.Random(number)
    graphlab.manual_seed(number)
    width, out = source.choice((1, 2, 3)), source.choice((1, 2, 3))
    layers: list[Any] = [nn.Linear(2, width)]
    for _ in range(source.randint(1, 2)):
        layers += [source.choice(ACTIVATIONS)()]
        if source.random() < 0.3 and width > 1:
            layers.append(nn.LayerNorm(width))
        layers.append(nn.Linear(width, width))
    layers += [source.choice(ACTIVATIONS)(), nn.Linear(width, out)]
    rows = source.choice((1, 2, 4))
    made = nn.Sequential(*layers)(graphlab.randn(rows, 2))
    target = graphlab.randn(rows, out)
    losses = (
        lambda: functional.mse_loss(made, target),
        lambda: functional.l1_loss(made, target),
        lambda: functional.cross_entropy(made, graphlab.arange(rows) % out),
        lambda: functional.binary_cross_entropy_with_logits(made, (target > 0).float()),
        lambda: functional.smooth_l1_loss(made, target),
        lambda: made.pow(2).sum(),
        lambda: made.logsumexp(1).mean(),
    )
    return source.choice(losses)()


# -- what has gone wrong before -------------------------------------------------------------------


def attention(causal: bool, heads: int) -> Any:
    graphlab.manual_seed(heads)
    layer = nn.TransformerEncoderLayer(4, heads, 6, dropout=0.0)
    mask = nn.Transformer.generate_square_subsequent_mask(3) if causal else None
    return layer(graphlab.randn(3, 1, 4), src_mask=mask).pow(2).sum()


def masked(function: Callable[[Any], Any]) -> Any:
    x = leaf([0.5, 1.0, 2.0, -1.0])
    return function(x) @ graphlab.tensor([1.0, 2.0, 3.0, 4.0])


HIDDEN = graphlab.tensor([0.0, -inf, 0.0, -inf])
SPECIAL: dict[str, Callable[[], Any]] = {
    **{
        f"{name}({value})": partial(lambda f, v: f(leaf(v)), function, value)
        for name, function, values in (
            ("x|x|", lambda x: x * x.abs(), (0.0, 1.0)),
            ("x² sign x", lambda x: x * x * graphlab.sign(x), (0.0, -2.0)),
            ("sinc", graphlab.sinc, (0.0, 0.5)),
            ("sqrt", graphlab.sqrt, (0.0, 2.0)),
            ("asin", graphlab.asin, (1.0, -1.0, 0.3)),
            ("norm", lambda x: graphlab.stack([x, x]).norm(), (0.0, 1.0)),
            ("relu²", lambda x: graphlab.relu(x) ** 2, (0.0, 1.0)),
            ("log", graphlab.log, (-1.0, 0.0, 2.0)),
            ("x^1.5", lambda x: x**1.5, (0.0, 1.0)),
            ("det", lambda x: graphlab.det(x * graphlab.ones(3, 3)), (1.0, 0.1)),
        )
        for value in values
    },
    "softmax behind a mask": lambda: masked(lambda x: graphlab.softmax(x + HIDDEN, 0)),
    "log_softmax, part": lambda: graphlab.log_softmax(leaf([1.0, 2.0, 0.5, 1.0]) + HIDDEN, 0)[0],
    "masked_fill": lambda: masked(lambda x: x.masked_fill(HIDDEN < 0, -inf).softmax(0)),
    "covariance": lambda: graphlab.cov(leaf([[1.0, 1.0, 1.0], [2.0, 2.0, 3.0]])).sum(),
    "ties": lambda: graphlab.max(leaf([1.0, 1.0, 0.0])) + leaf([2.0, 2.0]).sort()[0][1],
    "padding": lambda: nn.Embedding(4, 3, padding_idx=0)(graphlab.tensor([0, 1, 1])).pow(2).sum(),
    "decoder": lambda: nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0)(
        graphlab.ones(5, 2, 8), graphlab.randn(4, 2, 8)
    ).sum(),
    **{
        f"attention, causal {causal}, heads {heads}": partial(attention, causal, heads)
        for causal in (False, True)
        for heads in (1, 2)
    },
    "gru": lambda: nn.GRU(2, 3)(graphlab.randn(3, 1, 2))[0].sum(),
    "lstm": lambda: nn.LSTM(2, 2)(graphlab.randn(3, 1, 2))[0].pow(2).sum(),
    "convolution": lambda: nn.Conv2d(1, 2, 3, padding=1)(graphlab.randn(1, 1, 4, 4)).tanh().sum(),
    "pooling": lambda: functional.max_pool2d(leaf([[[[1.0, 2.0], [2.0, 0.0]]]]), 2).sum(),
    "batch norm": lambda: nn.BatchNorm1d(3)(graphlab.randn(4, 3)).pow(3).sum(),
    "group norm": lambda: nn.GroupNorm(2, 4)(graphlab.randn(2, 4, 3)).pow(3).sum(),
}


def right() -> Iterator[Case]:
    """Right programs."""
    from tests.symbolic.corpus_mistakes import OWN, applied, own

    for number in range(FORMULAS):
        yield f"formula {number}", partial(formula, number)
    for number in range(NETWORKS):
        yield f"network {number}", partial(network, number)
    yield from SPECIAL.items()
    for name, (forward, backward, _) in OWN.items():
        for place in range(len(applied)):
            yield f"own {name}, {place}", partial(applied[place], own(forward, backward))
