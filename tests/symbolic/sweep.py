"""Every rule over more shapes and options than its samples have: 0-d, broadcast, batched, each dim.

The samples of tests/core/samples stay few, for they are tested in many ways. Here they are varied,
for the proofs alone: pointwise operations over shapes, those along a dimension over all dimensions
with and without keepdim, losses over their reductions.

Read next: tests/symbolic/rules.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphlab.ops import registry
from tests.core.samples import Arg, Sample, name_of
from tests.core.samples.base import MASK, UNIT, M, S
from tests.symbolic.hunt import PROVABLE

SHAPES = {
    1: [((),), ((2, 1, 2),)],
    2: [((), ()), ((2, 3), (3,)), ((), (2, 3)), ((2, 1), (1, 3)), ((2, 1, 2), (2, 1))],
    3: [((), (), ()), ((3,), (2, 1), ()), ((2, 1, 2), (2,), (2, 1))],
}
BY_CHANNEL = {"prelu_kernel"}  # its function takes one weight, or one for each channel


def over_shapes() -> Iterator[Sample]:
    """Pointwise operations of 0-d tensors, of tensors that are broadcast, and of batches."""
    for sample in PROVABLE:
        floats = all(arg.kind == "f" and arg.data is None for arg in sample.args)
        if not floats or not registry[sample.op].pointwise or sample.op in BY_CHANNEL:
            continue
        for shapes in SHAPES.get(len(sample.args), []):
            said = " ".join(str(shape).replace(" ", "") for shape in shapes)
            yield replace(sample.reshaped(*shapes), note=f"{sample.note} {said}".strip())
    for shapes in SHAPES[3]:
        args = (Arg(shapes[0], kind="b", low=0, high=2), Arg(shapes[1]), Arg(shapes[2]))
        said = " ".join(str(shape).replace(" ", "") for shape in shapes)
        yield S("where", lambda t, c, x, y: t.where(c, x, y), *args, note=said)


ALONG_ONE = ("softmax", "log_softmax", "cumsum", "cumprod", "logcumsumexp")
ALONG_ANY = ("sum", "mean", "var", "std", "logsumexp", "amax", "amin", "nansum")
DIMS = (0, 1, -1)
CUBE = Arg((2, 3, 2))
NODES = {"sum": "sum_dim", "mean": "mean_dim", "prod": "prod_dim"}


def along_dims() -> Iterator[Sample]:
    """Operations along dimensions: each one, several, with and without keepdim."""
    for word in ALONG_ONE:
        for dim in DIMS:
            call = lambda t, x, word=word, dim=dim: getattr(t, word)(x, dim)  # noqa: E731
            yield S(word, call, CUBE, note=f"dim {dim}")
    for word in (*ALONG_ANY, "prod"):
        for dim in DIMS if word == "prod" else (*DIMS, (0, 2), (0, 1, 2)):
            for keepdim in (False, True):
                call = lambda t, x, word=word, dim=dim, keepdim=keepdim: getattr(t, word)(  # noqa: E731
                    x, dim=dim, keepdim=keepdim
                )
                kept = " kept" if keepdim else ""
                note = f"dim {dim}{kept}".replace(", ", ",")
                yield S(NODES.get(word, word), call, CUBE, note=note)
    for p in (1, 2, 3):
        for dim in (*DIMS, (0, 1)):
            call = lambda t, x, p=p, dim=dim: t.linalg.vector_norm(x, p, dim=dim)  # noqa: E731
            note = f"order {p}, dim {dim}".replace("(0, 1)", "(0,1)")
            yield S("linalg_vector_norm", call, M, note=note)


LOSSES = {
    "mse_loss": ("mse_loss", M, M),
    "l1_loss": ("abs", M, Arg((2, 3), 3.0, 4.0)),
    "smooth_l1_loss": ("smooth_l1_loss", M, M),
    "huber_loss": ("huber_loss", M, M),
    "binary_cross_entropy_with_logits": ("binary_cross_entropy_with_logits", M, UNIT),
    "soft_margin_loss": ("soft_margin_loss", M, Arg(data=[[1, -1, 1], [-1, 1, 1]], grad=False)),
    "cross_entropy": ("nll_loss", M, Arg(data=[2, 0], kind="i")),
    "poisson_nll_loss": ("sub", M, UNIT),
    "hinge_embedding_loss": ("add", M, Arg(data=[[1, -1, 1], [-1, 1, 1]], grad=False)),
}


def over_reductions() -> Iterator[Sample]:
    """Losses with each of their reductions; `op` is the operation that they come down to."""
    for word, (op, *args) in LOSSES.items():
        for how in ("none", "mean", "sum"):
            call = lambda t, x, y, word=word, how=how: getattr(t.nn.functional, word)(  # noqa: E731
                x, y, reduction=how
            )
            yield S(op, call, *args, note=f"{word}, {how}")


PRODUCTS = [
    ("dot", (3,), (3,)), ("mv", (2, 3), (3,)), ("mm", (2, 3), (3, 2)),
    ("bmm", (2, 2, 2), (2, 2, 2)), ("bmm", (2, 2, 2), (2, 1)), ("mm", (2,), (2, 3)),
]  # fmt: skip


def of_products() -> Iterator[Sample]:
    """x @ y of vectors, matrices and batches."""
    for op, x, y in PRODUCTS:
        note = f"matmul {x} {y}".replace(", ", ",")
        yield S(op, lambda t, x, y: t.matmul(x, y), Arg(x), Arg(y), note=note)
    yield S("masked_fill", lambda t, x, m: x.masked_fill(m, 0.0), M, MASK, note="a mask")


SWEEP = [*over_shapes(), *along_dims(), *over_reductions(), *of_products()]

NOT_PROVED_HERE = {  # by the name that base_of gives
    "logaddexp": "SymPy does not combine the sum of several log(exp + exp)"
}


def base_of(sample: Sample) -> str:
    """The name of the sample that this one varies, under which a reason may stand.

    >>> base_of(Sample("acosh", print, (), note="(2,1,2)"))
    'acosh'
    """
    plain = " ".join(part for part in sample.note.split() if not part.startswith("("))
    return name_of(replace(sample, note=plain))
