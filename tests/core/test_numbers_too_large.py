"""Numbers beyond a type, and arguments of unusual types, beside PyTorch: results and sentences."""

import pytest

import graphlab

torch = pytest.importorskip("torch")

CALLS = {
    "where": lambda t, x, n: t.where(x > 0, x, n),
    "where, first": lambda t, x, n: t.where(x > 0, n, x),
    "add": lambda t, x, n: t.add(x, x, alpha=n),
    "sub in place": lambda t, x, n: x.sub_(x, alpha=n),
    "pad": lambda t, x, n: t.nn.functional.pad(x, (1, 1), value=n),
    "threshold": lambda t, x, n: t.nn.functional.threshold(x, 1, n),
    "fill_": lambda t, x, n: x.fill_(n),
    "masked_fill": lambda t, x, n: x.masked_fill(x > 0, n),
    "addmv": lambda t, x, n: t.addmv(x, x.expand(2, 2), x, alpha=n),
    "index_add": lambda t, x, n: x.index_add(0, t.tensor([0]), x[:1], alpha=n),
}
NUMBERS = (2**63, -(2**62), 300, 70_000.0, -1, -1.5)


@pytest.mark.parametrize("kind", ["uint8", "int8", "int32", "float16", "float32"])
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", CALLS)
def test_a_number_that_a_type_cannot_hold_gets_pytorchs_sentence(name, number, kind):
    found = []
    for t in (graphlab, torch):
        try:
            made = CALLS[name](t, t.tensor([1, 0], dtype=getattr(t, kind)), number)
            found.append((made.tolist(), str(made.dtype)))
        except Exception as error:
            found.append((type(error).__name__, str(error)))
    assert found[0] == found[1]


@pytest.mark.parametrize("number", [2**64, -(2**64)])
@pytest.mark.parametrize("name", ["where", "add", "fill_", "threshold", "masked_fill"])
def test_an_integer_beyond_64_bits_gets_pytorchs_sentence(name, number):
    found = []
    for t in (graphlab, torch):
        with pytest.raises(OverflowError) as raised:
            CALLS[name](t, t.tensor([1, 0]), number)
        found.append(str(raised.value))
    assert found[0] == found[1]


UNUSUAL = {
    "allclose": lambda t: t.allclose(t.ones(2), t.ones(2) + 1e-4, atol=t.tensor(1e-3)),
    "isclose": lambda t: t.isclose(t.ones(2), t.zeros(2), rtol=t.tensor(1e-3)),
    "histc": lambda t: t.histc(t.arange(4.0), t.tensor(4), 0, t.tensor(3.0)),
    "histc, bins": lambda t: t.histc(t.ones(2), 1.5),
    "median": lambda t: t.median(t.empty(0, dtype=t.int64)),
    "median of bytes": lambda t: t.median(t.empty(0, dtype=t.uint8)),
    "igammac": lambda t: t.igammac(t.tensor([1e30, 1e-30]), t.tensor([1e30, 1e30])),
    "manual_seed": lambda t: t.manual_seed("a"),
    "manual_seed, None": lambda t: t.manual_seed(None),
    "rpow": lambda t: t.tensor([1, 2]).__rpow__("a"),
    "lstsq": lambda t: (
        t.linalg.lstsq(
            t.tensor([[1.0, 2.0], [2.0, 4.001], [0.0, 1.0]]),
            t.ones(3, 1),
            rcond=0.5,
            driver="gelsd",
        ).solution
    ),
    "slice_copy": lambda t: t.slice_copy(t.arange(6).view(2, 3), 1, 0, 3, 2),
    "alias_copy": lambda t: t.alias_copy(t.ones(2)),
    "index_reduce": lambda t: t.tensor(1.0).index_reduce(0, t.tensor([0]), t.tensor([2.0]), "prod"),
    "index_add": lambda t: t.tensor(1.0).index_add(0, t.tensor([0]), t.tensor([2.0])),
    "index_copy": lambda t: t.tensor(1.0).index_copy(0, t.tensor([0]), t.tensor([2.0])),
    "out of inverse": lambda t: t.inverse(t.eye(2) * 2, out=t.empty(0)),
    "out of row_stack": lambda t: t.row_stack((t.ones(1), t.ones(1)), out=t.empty(0)),
    "out of matrix_power": lambda t: t.matrix_power(t.eye(2) * 2, 3, out=t.empty(0)),
    "out of special.xlogy": lambda t: t.special.xlogy(t.ones(1), t.ones(1), out=t.empty(0)),
    "out of special.ndtr": lambda t: t.special.ndtr(t.zeros(1), out=t.empty(0)),
    "i0_": lambda t: t.i0_(t.ones(2)),
    "as_strided_": lambda t: t.as_strided_(t.arange(4), (2,), (2,)),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_arguments_give_what_pytorch_gives(name):
    found = []
    for t in (graphlab, torch):
        try:
            found.append(repr(UNUSUAL[name](t)))
        except Exception as error:
            found.append((type(error).__name__, str(error).splitlines()[0]))
    assert found[0] == found[1]


def test_the_old_name_of_clip_grad_norm_clips_and_warns():
    norms = []
    for t in (graphlab, torch):
        w = t.tensor([3.0, 4.0], requires_grad=True)
        w.grad = t.tensor([3.0, 4.0])
        with pytest.warns(FutureWarning, match="now deprecated in favor of") as warned:
            norms.append((t.nn.utils.clip_grad_norm([w], 1.0).item(), w.grad.tolist()))
        assert warned[0].filename == __file__
    assert norms[0] == norms[1]


@pytest.mark.parametrize("key", [0, slice(0, 1), ..., [0], [True, False]])
@pytest.mark.parametrize("number", [-1e6, 10**6, 1.5])
def test_a_number_that_float16_cannot_hold_is_written_as_infinity(key, number):
    found = []
    for t in (graphlab, torch):
        x = t.zeros(2, dtype=t.float16)
        x[t.tensor(key) if isinstance(key, list) else key] = number
        found.append(repr(x))
    assert found[0] == found[1]


@pytest.mark.parametrize("value", [1.5, [1.5], True, [3]])
@pytest.mark.parametrize("kind", ["float32", "float64", "int64", "bool"])
def test_one_entry_of_another_type_is_written_where_a_mask_holds(value, kind):
    found = []
    for t in (graphlab, torch):
        x = t.zeros(3, dtype=getattr(t, kind))
        x[t.tensor([True, False, True])] = t.tensor(value)
        found.append(repr(x))
    assert found[0] == found[1]
    with pytest.raises(RuntimeError, match="without overflow"):
        graphlab.zeros(1, dtype=graphlab.int64)[graphlab.tensor([True])] = graphlab.tensor(1e30)


PRODUCTS = {
    "x * n": lambda x, n: x * n,
    "n * x": lambda x, n: n * x,
    "x / n": lambda x, n: x / n,
    "n / x": lambda x, n: n / x,
    "x.mul_(n)": lambda x, n: x.clone().mul_(n),
    "x.div_(n)": lambda x, n: x.clone().div_(n),
}


@pytest.mark.parametrize("number", [65536.0, 1e6, 1e-9, 0.1, 3])
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_number_beside_float16_is_not_rounded_to_float16(name, number):
    found = []
    for t in (graphlab, torch):
        x = t.tensor([0.0, -0.0, 1e-4, 0.3, -7.0, 6e4], dtype=t.float16, requires_grad=True)
        y = PRODUCTS[name](x, number)
        y.backward(t.full_like(y, 1e-3))
        found.append((str(y.dtype), repr(y.tolist()), str(x.grad.dtype), repr(x.grad.tolist())))
    assert found[0] == found[1]


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, float("inf")])
def test_the_norm_of_one_entry_does_not_overflow(p):
    found = []
    for t in (graphlab, torch):
        x = t.tensor([[1e30], [-1e-30], [2.0]], requires_grad=True)
        y = t.linalg.vector_norm(x, p, dim=1)
        if p in (1, 2):  # PyTorch's other slopes overflow
            y.sum().backward()
        found.append((y.tolist(), None if x.grad is None else x.grad.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_relu_keeps_minus_zero(kind):
    for t in (graphlab, torch):
        x = t.tensor([-0.0, 0.0, -1.0], dtype=getattr(t, kind))
        assert (1 / t.relu(x)).tolist() == [-float("inf"), float("inf"), float("inf")]
