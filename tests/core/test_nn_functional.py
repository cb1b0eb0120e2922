"""nn.functional beside PyTorch: what is made of several operations, what is refused, what changes.

Single operations are sampled in tests/core/samples; here are the functions around them.

Read next: graphlab/nn/functional/__init__.py
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import graphlab
from tests.parity.compare import compare_fact
from tests.parity.describe import fact

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

SETUP = """
torch.manual_seed(0)
A = torch.rand(3, 4, requires_grad=True)
B = torch.rand(6, requires_grad=True)
C, D = torch.rand(4, requires_grad=True), torch.rand(4, requires_grad=True)
I1, W1 = torch.rand(2, 4, 9, requires_grad=True), torch.rand(6, 4, 3, requires_grad=True)
U = torch.rand(4, 7, 8, requires_grad=True)
I, W = torch.rand(2, 4, 7, 8, requires_grad=True), torch.rand(6, 4, 3, 3, requires_grad=True)
I3 = torch.rand(2, 4, 5, 5, 5, requires_grad=True)
W3 = torch.rand(6, 4, 2, 2, 2, requires_grad=True)
Q = torch.rand(2, 2, 5, 4, requires_grad=True)
K, V = torch.rand(2, 2, 6, 4, requires_grad=True), torch.rand(2, 2, 6, 4, requires_grad=True)
z = torch.zeros
"""

MADE_OF_SEVERAL = """
F.pad(I1, (2, 1), mode="circular") * 2
F.pad(I, (1, 1, 2, 1), mode="circular")
F.pad(I, (0, 3, -1, 2), mode="circular")
F.pad(I3, (1, 0, 0, 1, 2, 2), mode="circular")
F.pad(U, (1, 1, 2, 1), mode="circular")
F.conv1d(I1[0], W1)
F.conv2d(U, W, B, stride=2)
F.conv2d(I, W[:, :, :2, :2], padding="same", dilation=3)
F.conv2d(I, W, B, padding="valid", stride=2)
F.conv3d(I3[0], W3)
F.conv_transpose2d(U, W.transpose(0, 1)[:4], stride=2)
F.max_pool1d(I1, 3, 2, 1, ceil_mode=True, return_indices=True)
F.max_pool1d(I1[0], 2)
F.avg_pool1d(I1[0], 2, padding=1, count_include_pad=False)
F.adaptive_avg_pool1d(I1, 4)
F.adaptive_avg_pool1d(I1, 1)
F.adaptive_avg_pool2d(I, 1)
F.adaptive_avg_pool3d(I3, 1)
F.adaptive_max_pool1d(I1, 4, return_indices=True)
F.lp_pool1d(I1, 3, 2)
F.lp_pool2d(I, 2, (2, 3), stride=2)
F.lp_pool3d(I3, 3, (2, 1, 3), stride=2)
F.max_pool1d(I1, 2, stride=())
F.cosine_similarity(A, torch.arange(12).reshape(3, 4))
F.cosine_similarity(A.float(), A.double().detach() + 1)
F.avg_pool1d(I1, 2, stride=[])
F.max_pool1d(torch.arange(4)[None], 2, return_indices=True)
F.instance_norm(I) * I.detach()
F.instance_norm(I, None, None, C, D) * I.detach()
F.instance_norm(I, z(4), z(4) + 1, C, D) * I.detach()
F.instance_norm(I, z(4), z(4) + 1, C, D, use_input_stats=False)
F.rms_norm(A, (4,))
F.rms_norm(I, (7, 8), eps=0.5)
F.rms_norm(A, (4,), C)
F.local_response_norm(I1, 2)
F.local_response_norm(I, 3, alpha=0.5, beta=0.5, k=2.0)
F.local_response_norm(I3, 4)
F.dropout(A)
F.dropout(A, 0.25)
F.dropout(A, 1.0)
F.dropout(A, 0.0)
F.dropout(A, training=False)
F.dropout(A * 1, 0.25, inplace=True)
F.dropout1d(I1)
F.dropout1d(A)
F.dropout2d(I, 0.25)
F.dropout2d(I1)
F.dropout3d(I3)
F.dropout3d(I)
F.alpha_dropout(A, 0.3, training=True)
F.alpha_dropout(A, 1.0, training=True)
F.alpha_dropout(A)
F.feature_alpha_dropout(I, 0.3, training=True)
torch.dropout(A, 0.5, True)
F.huber_loss(A.detach(), torch.arange(12.0).double().view(3, 4))
F.huber_loss(A.detach(), torch.arange(12.0).double().view(3, 4), weight=A.detach())
F.margin_ranking_loss(torch.arange(3), torch.ones(3).long(), torch.tensor([1, -1, 1]))
F.soft_margin_loss(A.detach(), torch.ones(3, 4).double(), reduction="sum")
torch.std_mean(A.half().detach() * 600)
torch.var_mean(A.half().detach() * 600)
F.scaled_dot_product_attention(Q, K, V)
F.scaled_dot_product_attention(Q, K, V, is_causal=True, scale=0.3)
F.scaled_dot_product_attention(Q, K, V, attn_mask=torch.arange(30).reshape(5, 6) % 3 > 0)
F.scaled_dot_product_attention(Q, K, V, attn_mask=torch.ones(2, 1, 1, 6))
F.scaled_dot_product_attention(Q, K, V, attn_mask=torch.ones(5, 6, requires_grad=True))
F.scaled_dot_product_attention(Q, K, V, dropout_p=0.5)
F.scaled_dot_product_attention(Q, K, V[..., :2])
F.scaled_dot_product_attention(Q[0], K[0], V[0])
F.scaled_dot_product_attention(Q[0, 0], K[0, 0], V[0, 0], is_causal=True)
F.interpolate(I, size=(3, 4), mode="area")
F.interpolate(I1, scale_factor=0.5, mode="area")
F.upsample(I, scale_factor=2)
F.upsample_bilinear(I, size=3)
F.one_hot(torch.tensor([[0, 2], [1, 1]]))
F.one_hot(torch.tensor(2), 5)
F.fold(A.reshape(1, 12, 1).repeat(1, 1, 6), (3, 4), 2)
F.unfold(U, 2)
F.fold(A.reshape(12, 1).repeat(1, 6), (3, 4), 2)
""".strip().split("\n")

TYPES = ("float16", "float32", "float64", "int16", "int64", "bool")


@pytest.mark.parametrize("second", TYPES)
@pytest.mark.parametrize("first", TYPES[:3])
def test_the_cosine_of_tensors_of_two_types_is_pytorchs(first, second):
    found = []
    for lib in (torch, graphlab):
        x = lib.tensor([[1, 2], [3, 4]], dtype=getattr(lib, first), requires_grad=True)
        y = lib.tensor([[2, 1]]).to(getattr(lib, second))
        made = lib.nn.functional.cosine_similarity(y, x)
        made.sum().backward()
        found.append((made.detach().numpy(), x.grad.numpy()))
    for theirs, ours in zip(*found, strict=True):
        assert theirs.dtype == ours.dtype
        np.testing.assert_allclose(
            ours, theirs, atol=2e-3 if "float16" in (first, second) else 1e-6
        )


REFUSED = Path(__file__).with_name("refused_by_nn.txt").read_text("utf-8").splitlines()[1:]


@pytest.mark.parametrize("code", MADE_OF_SEVERAL)
def test_values_graph_and_gradients_are_pytorchs(code):
    theirs, ours = fact(torch, SETUP, code), fact(graphlab, SETUP, code)
    assert "error" not in theirs
    assert compare_fact(theirs, ours) == []


def refusal(lib, code: str) -> str:
    names = {"torch": lib, "F": lib.nn.functional}
    exec(SETUP, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(code, names)
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            known = ("RuntimeError", "IndexError", "ValueError", "NotImplementedError", "TypeError")
            kind = "NotImplementedError" if "NotImplementedError" in kinds else kinds[0]
            kind = next((k for k in kinds if k in known), kind)
            return f"{kind}: {str(error).splitlines()[0]}"
    return "nothing"


@pytest.mark.parametrize("code", REFUSED)
def test_a_refusal_has_pytorchs_sentence(code):
    theirs = refusal(torch, code)
    assert theirs != "nothing"
    assert refusal(graphlab, code) == theirs


# -- running statistics ----------------------------------------------------------------------------


def batches(lib, dtype: str):
    mean = lib.zeros(4, dtype=getattr(lib, dtype))
    variance = lib.ones(4, dtype=getattr(lib, dtype))
    for seed in range(3):
        x = np.random.default_rng(seed).random((5, 4, 3)).astype(dtype)
        given = lib.tensor(x)
        lib.nn.functional.batch_norm(given, mean, variance, training=True, momentum=0.3)
    return mean, variance


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_running_statistics_move_as_pytorchs_do(dtype):
    for ours, theirs in zip(batches(graphlab, dtype), batches(torch, dtype), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6)
        assert ours._version == theirs._version == 0
        assert str(ours.dtype) == str(theirs.dtype)


def test_running_statistics_of_images_move_as_pytorchs_do():
    found = []
    for lib in (graphlab, torch):
        mean, variance = lib.zeros(4), lib.ones(4)
        x = lib.tensor(np.random.default_rng(0).random((3, 4, 5), np.float32))
        lib.nn.functional.instance_norm(x, mean, variance, momentum=0.3)
        found.append((mean.numpy(), variance.numpy()))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_graph_runs_backward_after_its_running_statistics_moved_on():
    F = graphlab.nn.functional
    x = graphlab.rand(4, 3, requires_grad=True)
    mean, variance = graphlab.zeros(3), graphlab.ones(3)
    first = F.batch_norm(x, mean, variance, training=True)
    F.batch_norm(x, mean, variance, training=True)
    first.sum().backward()
    assert x.grad is not None


def test_statistics_do_not_move_in_evaluation_nor_when_the_call_is_refused():
    F = graphlab.nn.functional
    mean, variance = graphlab.zeros(3), graphlab.ones(3)
    F.batch_norm(graphlab.rand(4, 3), mean, variance)
    with pytest.raises(RuntimeError, match="weight should contain 3 elements"):
        F.batch_norm(graphlab.rand(4, 3), mean, variance, graphlab.ones(4), training=True)
    assert mean.tolist() == [0, 0, 0]
    assert variance.tolist() == [1, 1, 1]


# -- in place --------------------------------------------------------------------------------------


def test_dropout_in_place_writes_into_its_input():
    graphlab.manual_seed(0)
    x = graphlab.ones(6)
    assert graphlab.nn.functional.dropout(x, inplace=True) is x
    assert sorted(set(x.tolist())) == [0.0, 2.0]


def test_rows_that_are_too_long_are_shortened_in_place_as_pytorch_does():
    found = []
    for lib in (graphlab, torch):
        table = lib.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
        out = lib.nn.functional.embedding(lib.tensor([0, 1, 0]), table, max_norm=1.0)
        found.append((out.tolist(), table.tolist()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-6)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)


@pytest.mark.parametrize(("lo", "hi"), [(2.0, 1.0), (-1.0, 1.0), (float("nan"), 1.0)])
def test_bounds_in_the_wrong_order_leave_the_upper_one_in_place(lo, hi):
    def found(lib):
        x = lib.tensor([-2.0, 0.5, float("nan"), 3.0], requires_grad=True)
        y = lib.nn.functional.hardtanh_(x * 1, lo, hi)
        y.sum().backward()
        return [repr(t) for t in (y.detach(), x.grad)]

    assert found(graphlab) == found(torch)
