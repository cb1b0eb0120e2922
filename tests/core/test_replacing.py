"""Another memory, shape or entries for a tensor, and memory formats.

Read next: graphlab/tensor/functions/replacing.py
"""

from __future__ import annotations

import pytest

import graphlab


@pytest.mark.torch
@pytest.mark.parametrize(
    "line",
    [
        "torch.arange(6).resize_(2, 2)",
        "torch.arange(6).view(2, 3).t().resize_(6)",
        "torch.arange(6)[2:].resize_(2)",
        "torch.arange(6).view(2, 3)[1, 1:].resize_(1, 2)",
        "torch.arange(6)[4:].resize_(3)[:2]",
        "torch.ones(2).resize_as_(torch.ones(1, 2))",
        "torch.ones(2).set_(torch.arange(3.0))",
        "torch.ones(2).set_()",
        "torch.ones(2).set_(torch.arange(6.0).untyped_storage())",
        "torch.ones(2).set_(torch.arange(6.0).untyped_storage(), 1, size=(2, 2), stride=(2, 1))",
        "torch.ones(2).set_(torch.arange(6.0).untyped_storage(), 1, (2, 2))",
        "torch.ones(0).set_(torch.arange(6.0).untyped_storage(), 1, (2, 2), (1, 2))",
        "torch.ones(0).set_(torch.arange(6.0).untyped_storage())",
        "torch.ones(0).set_(torch.arange(6.0), 2, (3,))",
        "torch.ones(0).set_(torch.arange(6.0).untyped_storage(), storage_offset=1, size=(2,))",
        "torch.empty(()).resize_(2, 4, 2**29, 2**29)",
        "torch.empty(()).resize_(8, 8, 2**29, 2**29)",
        "torch.arange(24).resize_((1, 2, 3, 4), memory_format=torch.channels_last)",
        "torch.arange(24).resize_((1, 2, 3, 4), memory_format=torch.channels_last).stride()",
        "torch.arange(24).resize_(4, 6, memory_format=torch.channels_last)",
        "torch.ones(1, 2, 3, 4).contiguous(memory_format=torch.channels_last).stride()",
        "torch.ones(1, 2, 3, 4).clone(memory_format=torch.channels_last).stride()",
        "torch.ones(1, 2, 3, 4, 5).contiguous(memory_format=torch.channels_last_3d).stride()",
        "torch.ones(2).contiguous(memory_format=torch.channels_last)",
        "torch.zeros(6).resize_as_(torch.ones(1, 2, 3, 1).contiguous(memory_format="
        "torch.channels_last), memory_format=torch.preserve_format).stride()",
        "torch.arange(3, dtype=float), torch.linspace(0, 1, 2, dtype=float)",
        "torch.rand(2, dtype=float).dtype, torch.randn(2, dtype=float).dtype",
        "torch.randint(3, (2,), dtype=float).dtype, torch.eye(2, dtype=bool)",
        "torch.ones(2).__delitem__(0)",
        "torch.arange(3).apply_(lambda x: x + 1)",
        "torch.arange(3.0).map_(torch.ones(3), lambda x, y: x - y)",
        "torch.ones(2, requires_grad=True).resize_(1)",
    ],
)
def test_memory_is_replaced_as_in_pytorch(line, torch):
    def shown(lib):
        try:
            return repr(eval(line, {"torch": lib}))
        except (RuntimeError, TypeError) as error:
            return str(error)

    assert shown(graphlab) == shown(torch)


def test_memory_that_is_too_short_grows():
    x = graphlab.arange(2).resize_(3)
    assert (x[:2].tolist(), x.shape) == ([0, 1], (3,))


def test_a_view_that_is_resized_stays_where_it_is():
    x = graphlab.arange(6)
    x[2:].resize_(2).zero_()
    assert x.tolist() == [0, 1, 0, 0, 4, 5]


def test_a_tensor_never_reaches_beyond_a_storage():
    storage = graphlab.arange(6.0).untyped_storage()
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 24"):
        graphlab.ones(2).set_(storage, 4, (2, 2), (2, 1))


def test_a_tensor_shares_the_memory_that_it_was_set_to():
    source = graphlab.zeros(2)
    x = graphlab.ones(3).set_(source)
    source += 1
    assert x.tolist() == [1, 1]


def test_memory_formats_are_accepted():
    x = graphlab.ones(1, 2, 3, 3)
    for form in (graphlab.contiguous_format, graphlab.preserve_format, graphlab.channels_last):
        assert x.clone(memory_format=form).equal(x)
        assert x.to(memory_format=form).equal(x)
        assert graphlab.zeros_like(x, memory_format=form).shape == x.shape
    assert repr(graphlab.channels_last) == "torch.channels_last"
    assert not x.is_contiguous(memory_format=graphlab.channels_last)
    assert x.permute(0, 3, 1, 2).is_contiguous(memory_format=graphlab.channels_last)


@pytest.mark.parametrize("replace", ["resize_(2)", "set_(torch.zeros(3))", "set_()"])
def test_a_saved_tensor_whose_memory_was_replaced_is_noticed(replace):
    a = graphlab.ones(3, requires_grad=True)
    x = graphlab.arange(3.0)
    product = a * x
    eval(f"x.{replace}", {"x": x, "torch": graphlab})
    assert x._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_tensor_that_keeps_its_shape_is_not_changed_by_resizing():
    assert graphlab.ones(3).resize_(3)._version == 0
