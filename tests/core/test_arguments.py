"""What functions take beside their first tensor, and what they refuse, as PyTorch does.

Read next: tests/core/test_bad_input.py
"""

from __future__ import annotations

import numpy as np
import pytest

import graphlab

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_keepdim_without_a_dim_is_refused_with_the_forms_that_there_are(name):
    with pytest.raises(TypeError, match="argument") as theirs:
        getattr(torch, name)(torch.ones(2, 3), keepdim=True)
    with pytest.raises(TypeError, match="argument") as ours:
        getattr(graphlab, name)(graphlab.ones(2, 3), keepdim=True)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_a_dim_of_none_is_one_that_was_given(name):
    for lib in (torch, graphlab):
        out = getattr(lib.ones(2, 3).requires_grad_(), name)(dim=None, keepdim=True)
        assert out.shape == (1, 1)
        assert type(out.grad_fn).__name__ == f"{name.capitalize()}Backward1"
        assert out.grad_fn._saved_dim is None


PAIRS = ["maximum", "minimum", "atan2", "fmax", "fmin", "hypot", "logaddexp", "logaddexp2", "ldexp"]
PAIRS += ["nextafter", "dist", "gcd", "lcm"]


@pytest.mark.parametrize("name", PAIRS)
def test_functions_of_two_tensors_refuse_a_number(name):
    said = []
    for lib in (torch, graphlab):
        for sides in ((lib.ones(2), 1.0), (1.0, lib.ones(2))):
            with pytest.raises(TypeError, match="argument") as refused:
                getattr(lib, name)(*sides)
            said.append(str(refused.value))
    assert said[:2] == said[2:]


def test_where_of_a_condition_alone_gives_places():
    for entries in ([[1.0, 0.0], [0.0, 2.0]], [0.0], 1.0, [[True, False]]):
        theirs, ours = torch.where(torch.tensor(entries)), graphlab.where(graphlab.tensor(entries))
        assert [x.tolist() for x in ours] == [x.tolist() for x in theirs]


@pytest.mark.parametrize("hard", [False, True])
def test_gumbel_softmax_draws_the_noise_of_pytorch(hard):
    drawn = []
    for lib in (torch, graphlab):
        lib.manual_seed(3)
        logits = lib.ones(3, 4)
        drawn.append(lib.nn.functional.gumbel_softmax(logits, tau=0.5, hard=hard).numpy())
    assert np.allclose(*drawn, atol=1e-6)  # float32


@pytest.mark.parametrize("share", [0.5, [0.5, 0.1]], ids=["one", "several"])
@pytest.mark.parametrize("options", [{}, {"dim": 0}, {"dim": 1, "keepdim": True}], ids=str)
def test_the_nodes_of_a_quantile_are_those_of_pytorch(options, share):
    chains = []
    for lib in (torch, graphlab):
        x = lib.arange(6.0).reshape(2, 3).requires_grad_()
        node = x.quantile(share if share == 0.5 else lib.tensor(share), **options).grad_fn
        names = []
        while node is not None:
            names.append((node.name(), getattr(node, "_saved_self_sym_sizes", None)))
            node = node.next_functions[0][0] if node.next_functions else None
        chains.append(names)
    assert chains[0] == chains[1]


@pytest.mark.parametrize("size", [(1, 3), (3,), (2, 3), (2, 1), (), (4,), (1, 1, 3)], ids=str)
def test_a_sum_to_a_size_undoes_a_broadcast_from_it(size):
    outcomes = []
    for lib in (torch, graphlab):
        x = lib.arange(6.0).reshape(2, 3).requires_grad_()
        try:
            out = x.sum_to_size(size)
            outcomes.append((out.tolist(), out is x or type(out.grad_fn).__name__))
        except RuntimeError as refused:
            outcomes.append(str(refused))
    assert outcomes[0] == outcomes[1]


def test_numbers_in_one_row_stand_for_places():
    for at, shape in [([5, 3], (2, 3)), (4, (2, 3)), (-1, [2, 3]), (7, (2, 3)), (4, 6), ([], (2,))]:
        theirs = torch.unravel_index(torch.tensor(at, dtype=torch.int64), shape)
        ours = graphlab.unravel_index(graphlab.tensor(at, dtype=graphlab.int64), shape)
        assert [x.tolist() for x in ours] == [x.tolist() for x in theirs]


@pytest.mark.parametrize("by", [2, 2.5, "a"], ids=str)
@pytest.mark.parametrize("entries", [[5.0, 7.0], [5, 7]], ids=str)
def test_the_operator_of_whole_quotients_writes_over_its_tensor(entries, by):
    outcomes = []
    for lib in (torch, graphlab):
        x = same = lib.tensor(entries)
        try:
            x //= by
            outcomes.append((x.tolist(), x is same))
        except (RuntimeError, TypeError) as refused:
            outcomes.append((type(refused).__name__, str(refused)))
    assert outcomes[0] == outcomes[1]


def test_put_writes_over_a_tensor_and_refuses_what_pytorch_refuses():
    calls = [
        ([0, 5], [9.0, 8.0]),
        ([0, 9], [1.0, 2.0]),
        ([0], [1.0, 2.0]),
        ([0.0], [1.0]),
        ([0], [1]),
    ]
    for index, source in calls:
        outcomes = []
        for lib in (torch, graphlab):
            x = lib.zeros(2, 3)
            try:
                outcomes.append(x.put_(lib.tensor(index), lib.tensor(source)).tolist())
            except (RuntimeError, IndexError) as refused:
                outcomes.append((type(refused).__name__, str(refused), x.tolist()))
        assert outcomes[0][:2] == outcomes[1][:2]
    assert graphlab.zeros(2, 3).ndimension() == 2
    assert not graphlab.detach(graphlab.ones(2, requires_grad=True)).requires_grad


WINDOWS = {
    "max_pool2d": lambda F, x, n, step: F.max_pool2d(x, n, step),
    "avg_pool2d": lambda F, x, n, step: F.avg_pool2d(x, n, step),
    "max_pool1d": lambda F, x, n, step: F.max_pool1d(x[0], n, step),
    "avg_pool1d": lambda F, x, n, step: F.avg_pool1d(x[0], n, step),
    "conv2d": lambda F, x, n, step: F.conv2d(x, x[:, None, :2, :2], stride=step, padding=n),
    "unfold": lambda F, x, n, step: F.unfold(x, n, stride=step),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_may_be_an_integer_of_numpys_but_no_bool(name):
    x, window = graphlab.arange(16.0).reshape(1, 4, 4), WINDOWS[name]
    found = window(graphlab.nn.functional, x, np.int64(2), np.int64(1))
    assert found.tolist() == window(graphlab.nn.functional, x, 2, 1).tolist()
    with pytest.raises(TypeError, match="must be tuple of ints, not bool"):
        window(graphlab.nn.functional, x, 2, True)
