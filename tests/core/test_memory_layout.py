"""How the entries of results, of copies and of leaves' gradients lie in memory, as in PyTorch."""

import numpy as np
import pytest

import graphlab

torch = pytest.importorskip("torch")

LAYOUTS = {
    "in rows": lambda x: x,
    "turned": lambda x: x.transpose(2, 3),
    "channels first": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1),
    "channels last": lambda x: x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2),
}
FUNCTIONS = {
    "interpolate": lambda t, x: t.nn.functional.interpolate(x, scale_factor=2),
    "nearest-exact": lambda t, x: t.nn.functional.interpolate(x, size=2, mode="nearest-exact"),
    "batch_norm": lambda t, x: t.nn.functional.batch_norm(x, t.zeros(3), t.ones(3)),
    "instance_norm": lambda t, x: t.nn.functional.instance_norm(x),
    "group_norm": lambda t, x: t.nn.functional.group_norm(x, 3),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (4,)),
    "max_pool2d": lambda t, x: t.nn.functional.max_pool2d(x, 2),
    "avg_pool2d": lambda t, x: t.nn.functional.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda t, x: t.nn.functional.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool2d": lambda t, x: t.nn.functional.adaptive_max_pool2d(x, 2),
    "bilinear": lambda t, x: t.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"),
    "bicubic": lambda t, x: t.nn.functional.interpolate(x, size=3, mode="bicubic"),
    "conv2d": lambda t, x: t.nn.functional.conv2d(x, t.ones(5, 3, 2, 2)),
    "conv2d with such filters": lambda t, x: t.nn.functional.conv2d(
        x, t.ones(5, 3, 2, 2).to(memory_format=t.channels_last)
    ),
    "conv_transpose2d": lambda t, x: t.nn.functional.conv_transpose2d(x, t.ones(3, 5, 2, 2)),
    "pad": lambda t, x: t.nn.functional.pad(x, (1, 1)),
    "reflected": lambda t, x: t.nn.functional.pad(x, (1, 1, 1, 1), mode="reflect"),
    "replicated": lambda t, x: t.nn.functional.pad(x, (1, 1, 1, 1), mode="replicate"),
    "pixel_unshuffle": lambda t, x: t.nn.functional.pixel_unshuffle(x, 2),
    "every other pixel": lambda t, x: t.nn.functional.conv2d(x[..., ::2, ::2], t.ones(5, 3, 1, 1)),
    "channels of sequences": lambda t, x: t.nn.functional.batch_norm(
        x[:, 0].transpose(1, 2), None, None, training=True
    ),
}


def strides_of_result_and_gradient(t, function, layout):
    x = layout(t.rand(2, 3, 4, 4)).detach().requires_grad_()
    result = function(t, x)
    result.sum().backward()
    return result.stride(), x.grad.stride()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_lie_in_rows_and_gradients_as_their_leaves(name, layout):
    mine, theirs = (
        strides_of_result_and_gradient(t, FUNCTIONS[name], LAYOUTS[layout])
        for t in (graphlab, torch)
    )
    assert mine == theirs


def test_images_with_channels_last_cannot_be_viewed_as_rows_after_a_pooling():
    for t in (graphlab, torch):
        x = t.rand(2, 3, 4, 4)
        assert t.nn.functional.max_pool2d(x, 2).view(x.size(0), -1).shape == (2, 12)
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            t.nn.functional.max_pool2d(x.to(memory_format=t.channels_last), 2).view(2, -1)


def test_a_gradient_lies_in_rows_where_its_leaf_does_or_has_gaps():
    for t in (graphlab, torch):
        x = t.ones(2, 3, requires_grad=True)
        (x.t() * t.rand(3, 2)).sum().backward()
        gaps = t.ones(4, 6)[::2].detach().requires_grad_()
        (gaps * gaps).sum().backward()
        assert (x.grad.stride(), gaps.grad.stride()) == ((3, 1), (6, 1))


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_recorded_gradient_lies_as_its_leaf():
    for t in (graphlab, torch):
        x = t.ones(3, 2).t().detach().requires_grad_()
        (x * x).sum().backward(create_graph=True)
        assert x.grad.stride() == (1, 2)


IN_ROWS = [
    "x.roll(1, 0)", "t.cat([x, x])", "t.cat([x, x], 1)", "t.stack([x, x], 1)", "t.hstack([x, x])",
    "x.topk(2, 1)[0]", "x.cumsum(0)", "x.cumprod(1)", "x.cummax(0)[0]", "x.logcumsumexp(0)",
    "x.sum(0)", "x.mean(0)", "x.amax(0)", "x.std(0)", "x.prod(0)", "x.logsumexp(0)",
    "x.norm(dim=0)", "x.index_select(0, i)", "x.index_select(1, i)", "x.masked_fill(x > 5, 0.0)",
    "x.masked_scatter(x > 5, x)", "x.scatter(0, t.zeros_like(x, dtype=t.int64), 1.0)",
    "x.gather(0, t.zeros_like(x, dtype=t.int64))",
]  # fmt: skip


@pytest.mark.parametrize("turn", [(0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 0, 2)])
@pytest.mark.parametrize("call", IN_ROWS)
def test_what_pytorch_stores_row_by_row_can_be_viewed(call, turn):
    found = []
    for t in (graphlab, torch):
        x, i = t.arange(24.0).reshape(2, 3, 4).permute(turn), t.tensor([0, 1])
        result = eval(call, {"t": t, "x": x, "i": i})
        found.append((result.stride(), result.view(-1).tolist()))
    assert found[0][0] == found[1][0]
    assert np.allclose(found[0][1], found[1][1])


def test_joined_images_keep_their_channels_last():
    for t in (graphlab, torch):
        x = t.rand(2, 3, 4, 4).to(memory_format=t.channels_last)
        assert t.cat([x, x], 1).is_contiguous(memory_format=t.channels_last)


COPIES = {
    "to": lambda t, x: x.to(memory_format=t.channels_last),
    "to another type": lambda t, x: x.to(t.float64, memory_format=t.channels_last),
    "clone": lambda t, x: x.transpose(1, 3).clone(memory_format=t.contiguous_format),
    "empty": lambda t, x: t.empty(2, 3, 4, 5, memory_format=t.channels_last),
    "empty_like": lambda t, x: t.empty_like(x.transpose(1, 3)),
    "zeros_like": lambda t, x: t.zeros_like(x.contiguous(memory_format=t.channels_last)),
    "ones_like in rows": lambda t, x: t.ones_like(
        x.transpose(1, 3), memory_format=t.contiguous_format
    ),
    "full_like": lambda t, x: t.full_like(x, 7.0, memory_format=t.channels_last),
    "module": lambda t, x: t.nn.Conv2d(3, 2, 2).to(memory_format=t.channels_last).weight,
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_laid_out_in_the_memory_format_asked_for(name):
    mine, theirs = (COPIES[name](t, t.ones(2, 3, 4, 5)).stride() for t in (graphlab, torch))
    assert mine == theirs


def test_noise_of_gumbel_softmax_is_drawn_row_by_row():
    drawn = []
    for t in (graphlab, torch):
        t.manual_seed(0)
        drawn.append(t.nn.functional.gumbel_softmax(t.zeros(3, 2).t()).tolist())
    assert np.allclose(*drawn)


def test_the_slope_of_a_power_by_its_exponent_has_the_digits_of_its_type():
    slopes = []
    for t in (graphlab, torch):
        exponent = t.tensor([0.25], dtype=t.float64, requires_grad=True)
        t.pow(t.tensor([3], dtype=t.int8), exponent).sum().backward()
        slopes.append(exponent.grad.item())
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-14)  # float64


def test_memory_formats_change_no_entry():
    x = graphlab.arange(24.0).view(1, 2, 3, 4)
    assert x.to(memory_format=graphlab.channels_last).equal(x)
    assert graphlab.ones_like(x.transpose(1, 3)).equal(graphlab.ones(1, 4, 3, 2))


def test_an_expanded_tensor_that_is_flipped_lies_in_rows():
    def strides(t):
        return [t.ones(3).expand(2, 3).flip(0).stride(), t.ones(2, 3).t().flip(0).stride()]

    assert strides(graphlab) == strides(torch)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("entries", [6, 600])
def test_relu_of_few_and_of_many_entries_keeps_their_layout(entries, turned):
    data = np.linspace(-1, 1, entries, dtype=np.float32).reshape(2, -1)
    data[0, 0] = np.nan

    def relu(t):
        x = t.tensor(data)
        return t.relu(x.t() if turned else x)

    assert relu(graphlab).stride() == relu(torch).stride()
    np.testing.assert_array_equal(relu(graphlab).numpy(), relu(torch).numpy())


@pytest.mark.parametrize("dims", [(-1, 1), (0, -2), (-2, 1), (-1, 0), (1, -2)])
def test_dimensions_counted_from_both_ends_are_swapped_as_in_pytorch(dims):
    x = np.arange(6.0).reshape(2, 3)
    ours, theirs = (t.tensor(x).transpose(*dims) for t in (graphlab, torch))
    assert (ours.tolist(), ours.stride()) == (theirs.tolist(), theirs.stride())


@pytest.mark.parametrize("stretched", [False, True])
def test_a_linear_layer_adds_a_stretched_bias_on_its_own(stretched):
    found = []
    for t in (graphlab, torch):
        bias = t.ones(1 if stretched else 4, requires_grad=True)
        y = t.nn.functional.linear(t.ones(2, 2, 3), t.ones(4, 3), bias.expand(4))
        y.sum().backward()
        found.append((type(y.grad_fn).__name__, y.tolist(), bias.grad.tolist()))
    assert found[0] == found[1]


MODULES = {
    "Linear": lambda t: (t.nn.Linear(3, 4), (5, 3)),
    "of sequences": lambda t: (t.nn.Linear(3, 4, bias=False), (2, 5, 3)),
    "Conv1d": lambda t: (t.nn.Conv1d(3, 4, 2, padding=1), (2, 3, 7)),
    "Conv2d": lambda t: (t.nn.Conv2d(4, 6, (2, 3), stride=2, padding=1, groups=2), (2, 4, 7, 6)),
    "ConvTranspose2d": lambda t: (t.nn.ConvTranspose2d(3, 4, 2, padding=1), (2, 3, 7, 6)),
    "AvgPool2d": lambda t: (t.nn.AvgPool2d(3, padding=1), (2, 3, 7, 6)),
    "GRUCell": lambda t: (t.nn.GRUCell(3, 4), (5, 3)),
    "LSTM": lambda t: (t.nn.LSTM(3, 4, bidirectional=True), (6, 5, 3)),
    "encoder": lambda t: (t.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), (6, 5, 4)),
}


@pytest.mark.parametrize("create_graph", [False, True], ids=["grad", "create_graph"])
@pytest.mark.parametrize("name", MODULES)
def test_gradients_of_a_module_lie_as_in_pytorch(name, create_graph):
    found = []
    for t in (graphlab, torch):
        module, shape = MODULES[name](t)
        x = t.rand(*shape, requires_grad=True)
        result = module(x)
        loss = (result[0] if isinstance(result, tuple) else result).square().sum()
        inputs = [x, *module.parameters()]
        gradients = t.autograd.grad(loss, inputs, create_graph=create_graph)
        found.append([(g.stride(), g.view(-1).shape) for g in gradients])
    assert found[0] == found[1]
