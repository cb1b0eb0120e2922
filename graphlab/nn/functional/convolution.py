"""Convolution, and the linear layer: `F.conv2d(x, w, padding=1)`, `F.linear(x, w, b)`.

Read next: ops/convolution.py
"""

import math
from collections.abc import Callable, Sequence

from graphlab.autograd.record import applied, apply
from graphlab.common.errors import ShapeError
from graphlab.common.public import mark
from graphlab.nn.functional.padding import pad
from graphlab.nn.functional.pooling_windows import IMAGES, KINDS, named
from graphlab.ops.convolution import Convolution
from graphlab.ops.linalg import Addmm
from graphlab.ops.shapes import T, UnsafeView, View
from graphlab.primitives.numpy_reading.convolution import on_all
from graphlab.tensor import functions as F
from graphlab.tensor.functions.checks import c_name, need_ints, need_tensor, type_name
from graphlab.tensor.functions.matrix_product import product
from graphlab.tensor.functions.products import addmm, mm
from graphlab.tensor.functions.shapes import c_type, reshape, t
from graphlab.tensor.tensor import Tensor

Sizes = tuple[int, ...]
Given = int | Sequence[int]


def sizes_of(name: str, given: Given, dims: int) -> Sizes:
    """Return one number for each dimension; an int stands for all of them.

    Raises: RuntimeError for another count.
    """
    each = need_ints(f"conv{dims}d", name, 4, given, one=True)
    if len(each) not in (1, dims):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the "
            f"convolution dimensions, but got {name}={list(each)}"
        )
    return each * dims if len(each) == 1 else each


def batched(name: str, input: Tensor, dims: int) -> tuple[Tensor, bool]:
    """Return the input with a batch dimension, and whether it had one before.

    Raises: RuntimeError for an input with another number of dimensions.
    """
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input.shape)}"
        )
    if input.ndim == dims + 2:
        return input, True
    return F.unsqueeze(input, 0), False


def check_numbers(
    stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes, groups: int
) -> None:
    """Raise RuntimeError for options out of their range."""
    for what, numbers, least in (
        ("negative padding", padding, 0), ("negative output_padding", output_padding, 0),
        ("non-positive stride", stride, 1), ("non-positive dilation", dilation, 1),
        ("non-positive groups", (groups,), 1),
    ):  # fmt: skip
        if any(n < least for n in numbers):
            raise RuntimeError(f"{what} is not supported")


def check_shapes(
    input: Tensor, weight: Tensor, bias: Tensor | None, groups: int, transposed: bool
) -> None:
    """Raise ShapeError if weight or bias do not fit the input."""
    sizes, shape = list(weight.shape), list(input.shape)
    if weight.ndim != input.ndim:
        raise ShapeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight "
            f"{sizes}, but got {input.ndim}-dimensional input of size {shape} instead"
        )
    if sizes[0] < groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
            f"got weight of size {sizes} instead"
        )
    if sizes[0] % groups:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{sizes}] instead"
        )
    wanted = sizes[0] if transposed else sizes[1] * groups
    how = f"Given {'transposed' if transposed else 'groups'}={int(transposed) or groups}"
    if shape[1] != wanted:
        raise ShapeError(
            f"{how}, weight of size {sizes}, expected input{shape} to have {wanted} channels, but "
            f"got {shape[1]} channels instead"
        )
    made = sizes[1] * groups if transposed else sizes[0]
    if bias is not None and tuple(bias.shape) != (made,):
        given = "Given transposed=1, weight" if transposed else "Given weight"
        raise ShapeError(
            f"{given} of size {sizes}, expected bias to be 1-dimensional with {made} elements, but "
            f"got bias of size {list(bias.shape)} instead"
        )


def check_kernel(input: Tensor, weight: Tensor, padding: Sizes, dilation: Sizes) -> None:
    """Raise ShapeError if the dilated kernel is larger than the padded image."""
    pads = on_all(padding, tuple(dilation))
    sizes = [n + 2 * p for n, p in zip(input.shape[2:], pads, strict=True)]
    kernel = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if any(n < k for n, k in zip(sizes, kernel, strict=True)):
        raise ShapeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, sizes))}). Kernel "
            f"size: ({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual "
            "input size"
        )


def check_types(input: Tensor, weight: Tensor, bias: Tensor | None, transposed: bool) -> None:
    """Raise RuntimeError for dtypes that differ.

    As in PyTorch, a transposed convolution of float64 takes a bias of any dtype.
    """
    any_bias = transposed and input.dtype.name == "float64"
    if not any_bias and bias is not None and bias.dtype is not input.dtype:
        raise RuntimeError(
            f"Input type ({c_name(input)}) and bias type ({c_name(bias)}) should be the same"
        )
    if input.dtype is weight.dtype:
        return
    if input.is_floating_point():
        raise RuntimeError(
            f"Input type ({c_type(input)}) and weight type ({c_type(weight)}) should be the same "
            "or input should be a MKLDNN tensor and weight is a dense tensor"
        )
    raise RuntimeError(f"expected scalar type {type_name(input)} but found {type_name(weight)}")


def check_output_padding(output_padding: Sizes, stride: Sizes, dilation: Sizes) -> None:
    """Raise RuntimeError if output_padding is not smaller than stride or dilation."""
    if all(o < s or o < d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        return
    names = ("depth", "height", "width")[-len(stride) :] if len(stride) > 1 else ("height", "width")
    given = {"output_padding": output_padding, "stride": stride, "dilation": dilation}
    parts = [
        f"{what}_{name}: {n}"
        for what, values in given.items()
        for name, n in zip(names, (1,) * (len(names) - len(values)) + values, strict=True)
    ]
    raise RuntimeError(
        "output padding must be smaller than either stride or dilation, but got " + " ".join(parts)
    )


def convolution(
    name: str,
    dims: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Given,
    padding: Given | str,
    dilation: Given,
    groups: int,
    output_padding: Given = 0,
    transposed: bool = False,
) -> Tensor:
    """Check the arguments and return the convolution; a missing batch dimension is added first."""
    need_tensor(name, "input", 1, input)
    need_tensor(name, "weight", 2, weight)
    input, had_batch = batched(name, input, dims)
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    options = {
        "stride": sizes_of("stride", stride, dims),
        "dilation": sizes_of("dilation", dilation, dims),
    }
    valid = padding == "valid"  # for which PyTorch's node keeps a single 0
    if isinstance(padding, str):
        input, padding = named_padding(
            padding, input, weight, options["stride"], options["dilation"]
        )
    options["padding"] = (0,) if valid else sizes_of("padding", padding, dims)
    options["output_padding"] = (0,) if valid else sizes_of("output_padding", output_padding, dims)
    check_numbers(**options, groups=groups)
    check_shapes(input, weight, bias, groups, transposed)
    if transposed:
        check_output_padding(options["output_padding"], options["stride"], options["dilation"])
    else:
        check_kernel(input, weight, options["padding"], options["dilation"])
    if input.numel():
        check_types(input, weight, bias, transposed)
    out = apply(Convolution, input, weight, bias, **options, transposed=transposed, groups=groups)
    return out if had_batch else F.squeeze(out, 0)


def named_padding(
    padding: str, input: Tensor, weight: Tensor, stride: Sizes, dilation: Sizes
) -> tuple[Tensor, Given]:
    """Return the input, and in numbers the padding that "valid" or "same" means.

    If a total is odd, the end gets one more entry than the start; the input is returned with it.
    Raises: RuntimeError for another name, and for "same" with a stride.
    """
    if padding == "valid":
        return input, (0,)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if weight.ndim != input.ndim:
        check_shapes(input, weight, None, 1, False)
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(weight.shape[2:], dilation, strict=True)]
    if any(n % 2 for n in total):
        input = pad(input, [part for n in reversed(total) for part in (0, n % 2)])
    return input, tuple(n // 2 for n in total)


def conv(dims: int) -> Callable[..., Tensor]:
    """Return the convolution over `dims` dimensions."""
    name = f"conv{dims}d"

    def call(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Given = 1,
        padding: Given | str = 0,
        dilation: Given = 1,
        groups: int = 1,
    ) -> Tensor:
        return convolution(name, dims, input, weight, bias, stride, padding, dilation, groups)

    ones = f"torch.ones(1, 1{', 2' * dims})"
    return named(name, f"""Slide filters over {KINDS[dims]}: each output is filter · window + bias.

    input: {IMAGES[dims]}, with sizes S after C
    weight: (O, C / groups, *K), the O filters
    bias: (O,) or None
    stride: int > 0, or one for each dimension, the step of the filters
    padding: int ≥ 0, or one for each dimension, the number of zeros at both ends; or "valid"
        (none), or "same" (the output has the size of the input)
    dilation: int > 0, or one for each dimension, the distance of the entries that a filter covers
    groups: int that divides C and O, the number of groups of channels with filters of their own
    Returns: (N, O, *L), L = ⌊(S + 2 padding - dilation (K - 1) - 1) / stride⌋ + 1.
    Raises: RuntimeError for shapes, dtypes or options that do not fit.

    >>> import graphlab as torch
    >>> {name}({ones}, {ones}).item()
    {2.0**dims}
    """, call)  # fmt: skip


def conv_transpose(dims: int) -> Callable[..., Tensor]:
    """Return the transposed convolution over `dims` dimensions."""
    name = f"conv_transpose{dims}d"

    def call(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Given = 1,
        padding: Given = 0,
        output_padding: Given = 0,
        groups: int = 1,
        dilation: Given = 1,
    ) -> Tensor:
        return convolution(
            name, dims, input, weight, bias, stride, padding, dilation, groups, output_padding, True
        )

    ones = f"torch.ones(1, 1{', 2' * dims})"
    return named(name, f"""Add the filters, times each entry of {KINDS[dims]}, to the output.

    It is the transpose of conv{dims}d: what the backward pass of conv{dims}d computes.

    input: {IMAGES[dims]}, with sizes L after C
    weight: (C, O / groups, *K), the filters
    bias: (O,) or None
    stride, padding, dilation, groups: as in `conv{dims}d`, which maps this output's size to L
    output_padding: int ≥ 0, or one for each dimension, entries to add at the end of the output
    Returns: (N, O, *S), S = (L - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1.
    Raises: RuntimeError for shapes, dtypes or options that do not fit.

    >>> import graphlab as torch
    >>> {name}({ones}, {ones}).sum().item()
    {4.0**dims}
    """, call)  # fmt: skip


conv1d, conv2d, conv3d = map(conv, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(conv_transpose, (1, 2, 3))

mark("conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d")


_addmm, _t, _view, _unsafe_view = map(applied, (Addmm, T, View, UnsafeView))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input · weightᵀ + bias.

    input: (..., K)
    weight: (M, K) or (K,)
    bias: (M,) or None
    Returns: (..., M), or (...) for a weight (K,).
    Raises: RuntimeError for shapes that do not fit.

    >>> linear(torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]]), torch.tensor([0.5]))
    tensor([11.5000])
    """
    if isinstance(input, Tensor) and isinstance(weight, Tensor) and isinstance(bias, Tensor):
        x, w, b = input._data, weight._data, bias._data
        fit = x.ndim > 0 and w.ndim == 2 and x.shape[-1] == w.shape[1] and b.shape == w.shape[:1]
        fit = fit and x.dtype is w.dtype is b.dtype and x.dtype.kind == "f"
        if fit and x.ndim == 2:
            return _addmm(bias, input, _t(weight))  # the usual case
        if fit and x.flags.c_contiguous and b.flags.c_contiguous:
            # as in PyTorch, the view comes before the transpose: backward runs the transpose first
            lead = x.shape[:-1]
            rows = _view(input, size=(math.prod(lead), x.shape[-1]))
            return _view(_addmm(bias, rows, _t(weight)), size=(*lead, len(w)))
    need_tensor("linear", "input", 1, input)
    need_tensor("linear", "weight", 2, weight)
    if bias is not None:
        need_tensor("linear", "bias", 3, bias)
    if input.ndim == 0 or weight.ndim == 0:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{input.ndim}D and {weight.ndim}D"
        )
    if bias is None:
        x, columns = input._data, t(weight)
        fit = x.ndim > 2 and columns.ndim == 2 and x.shape[-1] == len(columns._data)
        if fit and weight._needs and x.flags.c_contiguous:  # as `product` does, but faster
            rows = _view(input, size=(math.prod(x.shape[:-1]), x.shape[-1]))
            return _unsafe_view(mm(rows, columns), size=(*x.shape[:-1], len(weight._data)))
        return product(input, columns)
    if input.ndim == 2:
        return addmm(bias, input, t(weight))
    if not (input.is_contiguous() and bias.is_contiguous()):
        return product(input, t(weight)) + bias
    rows = reshape(input, (math.prod(input.shape[:-1]), input.shape[-1]))
    result = addmm(bias, rows, t(weight))
    return reshape(result, (*input.shape[:-1], result.shape[-1]))
