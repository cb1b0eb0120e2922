"""Shapes, indices, and entries put in other places.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from tests.core.samples.base import MASK, Arg, C, M, S, Sample, V

SMALL = Arg((2, 2, 3), -2.0, 2.0)
NEGATIVE = {  # one call for each operation whose node keeps a dim or an index as it was given
    "select": lambda t, x: x.select(-1, -2),
    "slice": lambda t, x: x[..., -3:-1],
    "transpose": lambda t, x: x.transpose(-1, 0),
    "permute": lambda t, x: x.permute(-1, 0, -2),
    "unsqueeze": lambda t, x: x.unsqueeze(-2),
    "unbind": lambda t, x: x.unbind(-1),
    "stack": lambda t, x: t.stack([x, x], -2),
    "cat": lambda t, x: t.cat([x, x], -2),
    "split": lambda t, x: x.split(2, -1),
    "split_with_sizes": lambda t, x: x.split([1, 2], -1),
    "flip": lambda t, x: x.flip(-1, 0),
    "roll": lambda t, x: x.roll(-1, -1),
    "mean_dim": lambda t, x: x.mean((0, -1)),
    "max_dim": lambda t, x: x.max(-1),
    "min_dim": lambda t, x: x.min(-2, keepdim=True),
    "amax": lambda t, x: x.amax((-1, 0)),
    "prod_dim": lambda t, x: x.prod(-2),
    "var": lambda t, x: x.var(-1),
    "std": lambda t, x: x.std((-1, 0)),
    "softmax": lambda t, x: x.softmax(-1),
    "log_softmax": lambda t, x: x.log_softmax(-2),
    "logsumexp": lambda t, x: x.logsumexp(-1),
    "linalg_vector_norm": lambda t, x: x.norm(dim=-1),
    "cumsum": lambda t, x: x.cumsum(-1),
    "cumprod": lambda t, x: x.cumprod(-2),
    "sort": lambda t, x: x.sort(),
    "topk": lambda t, x: x.topk(2),
}

INDEX = Arg(data=[[0, 2, 0], [1, 1, 0]], kind="i")
APART = Arg(data=[[0, 2], [1, 0]], kind="i")
ONES = Arg(data=[[1, 1]], kind="i")
WHICH, OTHERS = Arg(data=[1, 1], kind="i"), Arg(data=[2, 0], kind="i")

SAMPLES: list[Sample] = [
    *[S(op, call, SMALL, note="from the end") for op, call in NEGATIVE.items()],
    S("squeeze_dim", lambda t, x: x.squeeze(-1), Arg((2, 1)), note="from the end"),
    S("squeeze_dims", lambda t, x: x.squeeze((0, -1)), Arg((1, 3, 1))),
    S("squeeze_dims", lambda t, x: x.squeeze((0, 1)), M, note="nothing to drop"),
    S("unsqueeze", lambda t, x: x[:, None], M, note="beside a full slice"),
    S("slice", lambda t, x: x[:], M, note="all"),
    S("alias", lambda t, x: x[:, :], M, note="all of two dims"),
    S("index", lambda t, x: x[1, [0, 2]], M, note="after a select"),
    S("index", lambda t, x: x[[0, 1], :, [2, 0]], C, note="apart"),
    S("index", lambda t, x: x[[0], None, [1, 2]], M, note="beside None"),
    S("index", lambda t, x: x[..., [[3, 1], [0, 0]]], C, note="a matrix of indices"),
    S("index", lambda t, x, m: x[m, 1:], C, MASK, note="mask and slice"),
    S("index", lambda t, x: x[True], M, note="True"),
    # joins
    S("cat", lambda t, x, y: t.dstack([x, y]), Arg((2, 2)), Arg((2, 2)), note="dstack"),
    S("cat", lambda t, x, y: t.column_stack([x, y]), V, Arg((3, 2)), note="column_stack"),
    S("cat", lambda t, x, y: t.vstack([x, y]), V, M, note="vstack"),
    S("cat", lambda t, x, y: t.hstack([x, y]), V, V, note="hstack"),
    S("block_diag", lambda t, x, y, z: t.block_diag(x, y, z), M, Arg((2,)), Arg(())),
    S("stack", lambda t, x, y: t.cartesian_prod(x, y), Arg((2,)), Arg((2,)), note="cartesian_prod"),
    S("stack", lambda t, x: t.combinations(x), V, note="combinations"),
    # parts
    S("slice", lambda t, x: x.tensor_split(2, -1), M, note="tensor_split"),
    S("slice", lambda t, x: x.narrow(-1, -2, 1), M, note="narrow"),
    S("slice", lambda t, x: x.hsplit((1, 2)), M, note="hsplit"),
    S("split", lambda t, x: t.chunk(x, 2, -1), M, note="chunk"),
    S("unsafe_split", lambda t, x: t.unsafe_split(x, 2, -1), M),
    S("unsafe_split", lambda t, x: t.unsafe_chunk(x, 2), M, note="chunk"),
    S("unsafe_split_with_sizes", lambda t, x: t.unsafe_split_with_sizes(x, (2, 1), -1), M),
    S("unbind", lambda t, x: [*x], M, note="iterated"),
    # diagonals
    S("diagonal", lambda t, x: x.diagonal(), M),
    S("diagonal", lambda t, x: t.diagonal(x, -1, 1, -1), SMALL, note="of a cube"),
    S("diagonal", lambda t, x: x.diagonal(5), M, note="empty"),
    S("diagonal_copy", lambda t, x: x.diag(1), M),
    S("diag_embed", lambda t, x: t.diag(x, -1), V),
    S("diag_embed", lambda t, x: x.diag_embed(1, 0, -1), M, note="of a matrix"),
    S("diag_embed", lambda t, x: t.diagflat(x), M, note="diagflat"),
    S("diagonal_scatter", lambda t, x, y: x.diagonal_scatter(y, 1), M, Arg((2,))),
    # windows
    S("unfold", lambda t, x: x.unfold(0, 2, 1), Arg((4,))),
    S("unfold", lambda t, x: x.unfold(-2, 3, 2), Arg((5, 2)), note="apart"),
    S("as_strided", lambda t, x: t.as_strided(x, (2, 2), (1, 2)), Arg((5,)), note="overlap"),
    S("as_strided", lambda t, x: x.as_strided((2, 2), (1, 2), 1), M, note="offset"),
    S("as_strided", lambda t, x: x.expand(2, 3).as_strided((2,), (2,)), V, note="of an expanded"),
    S("as_strided", lambda t, x: x.t().as_strided((3,), (2,)), M, note="of a transpose"),
    # turned, repeated
    S("rot90", lambda t, x: t.rot90(x), M),
    S("rot90", lambda t, x: x.rot90(-1, (-1, 0)), SMALL, note="from the end"),
    S("flip", lambda t, x: x.fliplr().flipud(), M, note="both ways"),
    S("view", lambda t, x: x.repeat_interleave(2, -1), M, note="repeat_interleave"),
    S("view", lambda t, x: x.mT.ravel(), M, note="ravel"),
    S("index_select", lambda t, x: x.repeat_interleave(t.tensor([0, 2, 1]), 1), M, note="repeats"),
    S("expand", lambda t, x, y: t.meshgrid(x, y, indexing="ij"), V, Arg((2,)), note="meshgrid"),
    S("expand", lambda t, x, y: t.meshgrid(x, y, indexing="xy"), V, Arg((2,)), note="xy"),
    S("expand", lambda t, x, y: t.broadcast_tensors(x, y), V, Arg((2, 1)), note="both"),
    # taken
    S(
        "put",
        lambda t, x, i, y: x.put(i, y),
        M,
        Arg(data=[[0, -1], [2, 3]], kind="i"),
        Arg((2, 2)),
    ),
    S(
        "put",
        lambda t, x, i, y: x.put(i, y, accumulate=True),
        M,
        Arg(data=[0, -1, 0], kind="i"),
        Arg((3,)),
        note="added",
    ),
    S("take", lambda t, x, i: x.take(i), M, Arg(data=[[0, -1], [0, 3]], kind="i")),
    S("gather", lambda t, x, i: x.take_along_dim(i, -1), M, ONES, note="along"),
    S("gather", lambda t, x, i: x.gather(-1, i), M, INDEX, note="from the end"),
    S("index_select", lambda t, x, i: x.index_select(-1, i), M, WHICH, note="from the end"),
    # put
    S("scatter", lambda t, x, i, y: x.scatter(-1, i, y), M, APART, Arg((2, 2)), note="last dim"),
    S("scatter_value", lambda t, x, i: x.scatter(-1, i, 1.5), M, INDEX, note="from the end"),
    S("scatter_add", lambda t, x, i, y: x.scatter_add(-1, i, y), M, INDEX, M, note="from the end"),
    S("index_add", lambda t, x, i, y: x.index_add(-1, i, y), M, WHICH, Arg((2, 2))),
    S("index_add", lambda t, x, i, y: x.index_add(0, i, y, alpha=2), M, WHICH, Arg((2, 3)),
      note="alpha"),
    S("index_copy", lambda t, x, i, y: x.index_copy(-1, i, y), M, OTHERS, Arg((2, 2))),
    S("index_fill", lambda t, x, i: x.index_fill(-1, i, 2.5), M, OTHERS),
    S("index_fill_tensor", lambda t, x, i, v: x.index_fill(-1, i, v), M, OTHERS, Arg(())),
    S("index_put", lambda t, x, i, y: x.index_put((i,), y), M, Arg(data=[1], kind="i"), V),
    S("index_put", lambda t, x, i, y: x.index_put((i, i), y, accumulate=True), M,
      Arg(data=[1, 1, 0], kind="i"), V, note="accumulate"),
    S("index_put", lambda t, x, m, y: x.index_put((m,), y), M, MASK, Arg(()), note="mask"),
    S("masked_scatter", lambda t, x, m, y: x.masked_scatter(m, y), M, MASK, Arg((2, 2))),
    S("select_scatter", lambda t, x, y: x.select_scatter(y, -1, -2), M, Arg((2,))),
    S("slice_scatter", lambda t, x, y: x.slice_scatter(y, -1, -2), M, Arg((2, 2))),
    S("slice_scatter", lambda t, x, y: t.slice_scatter(x, y, 0, 0, 2, 2), M, Arg((1, 3)),
      note="step"),
    # combined
    *[
        S("scatter_reduce", lambda t, x, i, y, how=how, own=own: x.scatter_reduce(
            -1, i, y, how, include_self=own), Arg((2, 3), 0.5, 2.5), INDEX, Arg((2, 3), 0.6, 2.7),
          note=f"{how}{'' if own else ' alone'}")
        for how in ("sum", "mean", "prod", "amax", "amin") for own in (True, False)
    ],
    *[
        S("index_reduce", lambda t, x, i, y, how=how, own=own: x.index_reduce(
            -1, i, y, how, include_self=own), Arg((2, 3), 0.5, 2.5), OTHERS, Arg((2, 2), 0.6, 2.7),
          note=f"{how}{'' if own else ' alone'}")
        for how in ("mean", "prod", "amax", "amin") for own in (True, False)
    ],
]  # fmt: skip

REFUSED: list[Sample] = [
    S("scatter_combined", lambda t, x, i: x.scatter(1, i, 2.0, reduce="add"), M, INDEX),
]

ZERO = Arg(data=[[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
KINKS: list[Sample] = [
    S("scatter_reduce", lambda t, x, i, y, how=how, own=own: x.scatter_reduce(
        1, i, y, how, include_self=own), ZERO, INDEX, ZERO, note=f"{how}, {own}")
    for how in ("prod", "amax", "amin") for own in (True, False)
]  # fmt: skip

# wrong rules that no formula tells from the right one: module test_planted_bugs
COMBINED = "scatter_reduce", "index_reduce"
CORNERS = "ties and zeros are tested beside PyTorch and in tests/core/test_corners.py"
EQUIVALENT = {
    ("block_diag", "tensors", "2 in (1, *sizes, 1)"): "a slice may reach past the end",
    ("masked_scatter", "source", "1 in put_slice(used, (count(source_sym_sizes),), 0, place)"): (
        "a row has no dim 1: it is counted round"
    ),
    ("index_reduce", "src", "dim - 1 in gather(grad, dim, index)"): "it has no sum",
    ("index_reduce", "src", "3 in le(many, 2)"): "its samples put one slice to a place",
    **{
        (op, "self", "1 in 1 if include_self else 0"): "then its own share is taken away"
        for op in COMBINED
    },
    **{
        (op, given, f"{change} in {where}"): CORNERS
        for given, where, changes in (
            ("src", "where(eq(many, 2), other, 1)", ("2",)),
            ("src", "eq(many, 2)", ("3",)),
            ("src", "where(eq(src, 0), zeros, 3)", ("4",)),
            (
                "src",
                "grad / many",
                ("Mult", "only the left"),
            ),
            ("src", "where(eq(many, 0), 1, many)", ("2",)),
            ("src", "eq(many, 0)", ("1",)),
            ("src", "grad * rest", ("Div", "only the left", "only the right")),
            ("src", "zero * src", ("Div", "only the left", "only the right")),
            (
                "src",
                "gather(grad * rest, dim, index) * where(eq(many, 2), other, 1)",
                ("Div", "only the left", "only the right"),
            ),
            (
                "src",
                "gather(put_along(zero * src, size(self), dim, index), dim, index) - src",
                ("Add", "only the left", "only the right"),
            ),
            ("src", "where(eq(src, 0), 1, src)", ("2",)),
            ("src", "where(eq(src, 0), ones_like(src), 0)", ("1",)),
            ("src", "eq(src, 0)", ("1",)),
            ("src", "where(few, 1, src)", ("2",)),
            (
                "self",
                "own * grad / (own + put_along(theirs, size(self), dim, index))",
                ("Mult", "only the left"),
            ),
            ("self", "own + put_along(theirs, size(self), dim, index)", ("Sub",)),
            ("self", "eq(self, 0)", ("1",)),
            ("self", "where(eq(self, 0), 1, self)", ("2",)),
        )
        for change in changes
        for op in COMBINED
    },
}
