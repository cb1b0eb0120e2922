"""Orders of arguments that PyTorch deprecated, but still takes, with its warning."""

import warnings

import pytest

import graphlab
from graphlab.tensor.functions import refusals

torch = pytest.importorskip("torch")

CALLS = [
    "p.add(0.5, g)", "p.add_(0.5, g)", "t.add(p, 2, g)", "t.add(p, 2, 5)", "p.add(2, 3)",
    "t.add(p, 2, g, out=t.ones(2))", "p.add(t.tensor(2.0), g)", "p.sub(2, g)", "p.sub_(2, g)",
    "t.sub(p, 2, g)", "p.addcmul(0.1, g, g)", "p.addcmul_(0.1, g, g)", "t.addcmul(p, 0.1, g, g)",
    "p.addcdiv(-0.1, g, g)", "p.addcdiv_(-0.1, g, g)", "t.addcdiv(p, 0.1, g, g)",
    "t.addmm(2, m, 3, m, m)", "t.addmm(2, m, m, m)", "m.addmm(2, 3, m, m)", "m.addmm(2, m, m)",
    "m.clone().addmm_(2, 3, m, m)", "t.addmv(2, p, 3, m, g)", "p.addmv(2, m, g)",
    "t.addr(2, m, 3, p, g)", "m.addr(2, 3, p, g)", "t.baddbmm(2, m[None], 3, m[None], m[None])",
    "t.addbmm(2, m, 3, m[None], m[None])", "m.clone().addbmm_(2, 3, m[None], m[None])",
]  # fmt: skip
REFUSED = ["p.add(g, 2)", "p.add(2, g, 3)", "p.add(2, g, alpha=3)", "p.addcmul(2, g, 3)",
           "p.add('a', g)", "p.add(2, [1.0])", "p.mul(2, g)", "t.addmm(m, 2, m, m)"]  # fmt: skip


def given(t):
    p, g = t.tensor([3.0, 4.0]), t.tensor([5.0, 6.0])
    return {"t": t, "p": p, "g": g, "m": t.tensor([[1.0, 2.0], [3.0, 4.0]])}


@pytest.mark.parametrize("call", CALLS)
def test_an_old_order_computes_what_pytorch_computes_and_warns(call, monkeypatch):
    monkeypatch.setattr(refusals, "warned", False)
    with warnings.catch_warnings(action="ignore"):
        wanted = eval(call, given(torch))
    with pytest.warns(UserWarning, match="^This overload of") as seen:
        found = eval(call, given(graphlab))
    assert torch.allclose(torch.tensor(found.tolist()), wanted)
    assert seen[0].filename == "<string>"
    eval(call, given(graphlab))  # it warns once


WARNED = {
    "p.add_(0.5, g)": "add_(Number alpha, Tensor other)\nConsider using one of the following "
    "signatures instead:\n\tadd_(Tensor other, *, Number alpha = 1)",
    "t.addmm(2, m, 3, m, m)": "addmm(Number beta, Tensor input, Number alpha, Tensor mat1, Tensor "
    "mat2, *, Tensor out = None)\nConsider using one of the following signatures instead:\n\taddmm("
    "Tensor input, Tensor mat1, Tensor mat2, *, Number beta = 1, Number alpha = 1, Tensor out = "
    "None)\n\taddmm(Tensor input, Tensor mat1, Tensor mat2, torch.dtype out_dtype, *, Number beta "
    "= 1, Number alpha = 1, Tensor out = None)",
}


@pytest.mark.parametrize("call", WARNED)
def test_the_warning_names_both_orders_in_pytorchs_words(call, monkeypatch):
    monkeypatch.setattr(refusals, "warned", False)
    with pytest.warns(UserWarning, match="overload") as seen:
        eval(call, given(graphlab))
    name = WARNED[call].partition("(")[0]
    assert str(seen[0].message) == f"This overload of {name} is deprecated:\n\t{WARNED[call]}"


@pytest.mark.parametrize("call", REFUSED)
def test_other_orders_are_refused(call):
    for t in (torch, graphlab):
        with pytest.raises(TypeError, match=r"^\w+\(\)"):
            eval(call, given(t))
