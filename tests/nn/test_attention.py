"""Attention, and the transformer made of it, compute and complain as PyTorch's.

Read next: tests/nn/test_training.py
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphlab
from graphlab import nn

rng = np.random.default_rng(3)
A, B, C = (rng.normal(size=s) for s in ((5, 3, 4), (6, 3, 4), (6, 3, 4)))
K, V = rng.normal(size=(6, 3, 2)), rng.normal(size=(6, 3, 3))
SCORES = rng.normal(size=(5, 6))


def t(lib, data):
    return lib.tensor(data, dtype=lib.float32, requires_grad=True)


def padding(lib, n=6):
    return lib.tensor(np.arange(n)[None] >= np.array([[n], [n - 2], [n - 1]]))


def causal(lib, n=5):
    return lib.nn.Transformer.generate_square_subsequent_mask(n)


# what makes the module; what makes inputs and keywords
CASES = {
    "itself": (lambda m: m.MultiheadAttention(4, 2), lambda lib: ([t(lib, A)] * 3, {})),
    "others": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: ([t(lib, A), t(lib, B), t(lib, C)], {}),
    ),
    "the same others": (
        lambda m: m.MultiheadAttention(4, 4, bias=False),
        lambda lib: ([t(lib, A), *[t(lib, B)] * 2], {"average_attn_weights": False}),
    ),
    "without weights": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: ([t(lib, A)] * 3, {"need_weights": False}),
    ),
    "other sizes": (
        lambda m: m.MultiheadAttention(4, 2, kdim=2, vdim=3),
        lambda lib: ([t(lib, A), t(lib, K), t(lib, V)], {}),
    ),
    "batch first": (
        lambda m: m.MultiheadAttention(4, 2, batch_first=True),
        lambda lib: ([t(lib, A.swapaxes(0, 1)), *[t(lib, B.swapaxes(0, 1))] * 2], {}),
    ),
    "one sample": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: (
            [t(lib, A[:, 0]), *[t(lib, B[:, 0])] * 2],
            {"key_padding_mask": padding(lib)[1]},
        ),
    ),
    "a mask": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: (
            [t(lib, A), t(lib, B), t(lib, C)],
            {"attn_mask": lib.tensor(SCORES > 1), "key_padding_mask": padding(lib)},
        ),
    ),
    "numbers for a mask": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: (
            [t(lib, A), t(lib, B), t(lib, C)],
            {"attn_mask": lib.tensor(SCORES, dtype=lib.float32), "need_weights": False},
        ),
    ),
    "a mask for each head": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: (
            [t(lib, A), t(lib, B), t(lib, C)],
            {"attn_mask": lib.tensor(np.stack([i / 3 < SCORES for i in range(1, 7)]))},
        ),
    ),
    "causal": (
        lambda m: m.MultiheadAttention(4, 2),
        lambda lib: (
            [t(lib, A)] * 3,
            {"attn_mask": causal(lib), "is_causal": True, "need_weights": False},
        ),
    ),
    "more keys": (
        lambda m: m.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True),
        lambda lib: (
            [t(lib, A), t(lib, B), t(lib, C)],
            {"attn_mask": lib.tensor(SCORES > 1), "key_padding_mask": padding(lib)},
        ),
    ),
    "an encoder layer": (
        lambda m: m.TransformerEncoderLayer(4, 2, 8, dropout=0.0),
        lambda lib: ([t(lib, A)], {"src_mask": causal(lib), "is_causal": True}),
    ),
    "an encoder layer, norm first": (
        lambda m: m.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", norm_first=True, bias=False),
        lambda lib: ([t(lib, A)], {"src_key_padding_mask": padding(lib, 5)}),
    ),
    "a decoder layer": (
        lambda m: m.TransformerDecoderLayer(4, 2, 8, dropout=0.0, batch_first=True),
        lambda lib: ([t(lib, A.swapaxes(0, 1)), t(lib, B.swapaxes(0, 1))], {}),
    ),
    "an encoder": (
        lambda m: m.TransformerEncoder(
            m.TransformerEncoderLayer(4, 2, 8, 0.0), 2, m.LayerNorm(4), enable_nested_tensor=False
        ),
        lambda lib: ([t(lib, A)], {"mask": causal(lib)}),
    ),
    "a transformer": (
        lambda m: m.Transformer(
            4, 2, 1, 2, 8, 0.0, custom_encoder=m.TransformerEncoder(
                m.TransformerEncoderLayer(4, 2, 8, 0.0), 1, enable_nested_tensor=False
            )
        ),
        lambda lib: ([t(lib, B), t(lib, A)], {"tgt_mask": causal(lib)}),
    ),
}  # fmt: skip


def run(lib, name):
    make, inputs = CASES[name]
    lib.manual_seed(4)
    module = make(lib.nn)
    given, options = inputs(lib)
    results = module(*given, **options)
    results = [r for r in (results if isinstance(results, tuple) else [results]) if r is not None]
    (results[0] * results[0].detach().cos()).sum().backward()
    leaves = {id(x): x for x in given}.values()
    return (
        repr(module),
        {k: v.tolist() for k, v in module.state_dict().items()},
        [r.detach().numpy() for r in results],
        [x.grad.numpy() for x in leaves],
        {k: p.grad.numpy() for k, p in module.named_parameters()},
    )


@pytest.mark.torch
@pytest.mark.parametrize("name", CASES)
def test_attention_is_pytorchs(name, torch):
    ours, theirs = run(graphlab, name), run(torch, name)
    assert ours[0] == theirs[0]
    assert list(ours[1]) == list(theirs[1])
    for key, value in theirs[1].items():
        np.testing.assert_allclose(ours[1][key], value, rtol=1e-5)
    close = {"rtol": 1e-3, "atol": 1e-5}  # float32, through several products and a softmax
    for a, b in zip([*ours[2], *ours[3]], [*theirs[2], *theirs[3]], strict=True):
        np.testing.assert_allclose(a, b, **close)
    for key, value in theirs[4].items():
        np.testing.assert_allclose(ours[4][key], value, **close)


def ask(m, lib, shape=(5, 3, 4), other=(6, 3, 4), heads=2, **options):
    return m.MultiheadAttention(4, heads)(
        lib.ones(shape), lib.ones(other), lib.ones(other), **options
    )


WRONG = {
    "heads": lambda m, lib: m.MultiheadAttention(4, 3),
    "no heads": lambda m, lib: m.MultiheadAttention(4, 0),
    "dims": lambda m, lib: ask(m, lib, (4,)),
    "dims of keys": lambda m, lib: ask(m, lib, other=(6, 4)),
    "one sample's keys": lambda m, lib: ask(m, lib, (5, 4), (6, 3, 4)),
    "features": lambda m, lib: ask(m, lib, (5, 3, 5)),
    "keys and values": lambda m, lib: m.MultiheadAttention(4, 2)(
        lib.ones(5, 3, 4), lib.ones(6, 3, 4), lib.ones(7, 3, 4)
    ),
    "a mask of counts": lambda m, lib: ask(m, lib, attn_mask=lib.ones(5, 6, dtype=lib.int64)),
    "a mask of 1 dim": lambda m, lib: ask(m, lib, attn_mask=lib.ones(5)),
    "a mask's shape": lambda m, lib: ask(m, lib, attn_mask=lib.ones(5, 5)),
    "a mask for too few heads": lambda m, lib: ask(m, lib, attn_mask=lib.ones(3, 5, 6)),
    "a mask for one sample": lambda m, lib: ask(
        m, lib, (5, 4), (6, 4), attn_mask=lib.ones(3, 5, 6)
    ),
    "padding's dims": lambda m, lib: ask(m, lib, key_padding_mask=lib.ones(6)),
    "padding's shape": lambda m, lib: ask(m, lib, key_padding_mask=lib.ones(3, 5)),
    "causal without a mask": lambda m, lib: ask(m, lib, is_causal=True),
    "an activation": lambda m, lib: m.TransformerEncoderLayer(4, 2, activation="sin"),
    "batches": lambda m, lib: small(m)(lib.ones(5, 3, 4), lib.ones(5, 2, 4)),
    "features of a transformer": lambda m, lib: small(m)(lib.ones(5, 3, 4), lib.ones(5, 3, 3)),
}


def small(m):
    layer = m.TransformerEncoderLayer(4, 2, 8)
    encoder = m.TransformerEncoder(layer, 1, enable_nested_tensor=False)
    return m.Transformer(4, 2, 1, 1, 8, custom_encoder=encoder)


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(Exception) as caught:
            WRONG[what](lib.nn, lib)
        said.append((type(caught.value).__name__, str(caught.value)))
    assert said[0] == said[1]


def test_masks_of_two_types_are_warned_of():
    with pytest.warns(UserWarning, match="mismatched key_padding_mask and attn_mask"):
        ask(nn, graphlab, attn_mask=graphlab.zeros(5, 6), key_padding_mask=padding(graphlab))


def test_weights_are_dropped_in_training_alone():
    graphlab.manual_seed(0)
    attention = nn.MultiheadAttention(4, 2, dropout=0.5)
    x = t(graphlab, A)
    assert attention(x, x, x)[0].tolist() != attention(x, x, x)[0].tolist()
    attention.eval()
    assert attention(x, x, x)[0].tolist() == attention(x, x, x)[0].tolist()


@pytest.mark.torch
@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_attention_lies_in_memory_as_its_queries_do(order, torch):
    def seen(t):
        sizes = (2, 3, 4, 5)
        x = t.randn([sizes[i] for i in order]).permute([order.index(i) for i in range(4)])
        q = x.requires_grad_()
        out = t.nn.functional.scaled_dot_product_attention(q, q, q)
        part = q[:, :, ::2]
        less = t.nn.functional.scaled_dot_product_attention(part, part, part)
        return out.stride(), out.grad_fn.name(), less.stride()

    assert seen(graphlab) == seen(torch)


@pytest.mark.torch
@pytest.mark.parametrize("first", [False, True])
def test_the_nodes_of_an_encoder_layer_are_pytorchs(first, torch):
    def seen(t):
        layer = t.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=first)
        found, waiting = [], [layer(t.ones(3, 2, 4)).grad_fn]
        while waiting:
            node = waiting.pop()
            found.append(node and node.name())
            waiting += [edge for edge, _ in node.next_functions] if node else []
        return found

    assert seen(graphlab) == seen(torch)
