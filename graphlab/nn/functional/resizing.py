"""Resizing of images: `F.interpolate(x, scale_factor=2)`, `F.pixel_shuffle(x, 2)`.

Read next: ops/resizing.py
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from graphlab.autograd.record import apply
from graphlab.common.errors import ShapeError, users_level
from graphlab.common.public import public
from graphlab.nn.functional.pooling_windows import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    named,
)
from graphlab.ops import resizing as r
from graphlab.tensor.functions.checks import need_tensor, not_for
from graphlab.tensor.tensor import Tensor

Size = int | Sequence[int] | None
Scale = float | Sequence[float] | None

NEAREST = {
    "nearest": (r.UpsampleNearest1d, r.UpsampleNearest2d, r.UpsampleNearest3d),
    "nearest-exact": (r.UpsampleNearestExact1d, r.UpsampleNearestExact2d, r.UpsampleNearestExact3d),
}
INTERPOLATIONS = {  # mode and antialias -> (dimensions, operation)
    ("linear", False): (1, r.UpsampleLinear1d),
    ("bilinear", False): (2, r.UpsampleBilinear2d),
    ("trilinear", False): (3, r.UpsampleTrilinear3d),
    ("bicubic", False): (2, r.UpsampleBicubic2d),
    ("bilinear", True): (2, r.UpsampleBilinear2dAa),
    ("bicubic", True): (2, r.UpsampleBicubic2dAa),
}
AREA = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)


def interpolate(
    input: Tensor,
    size: Size = None,
    scale_factor: Scale = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Return the image in another size.

    input: (N, C, *S), one to three spatial dimensions S
    size: int or one int for each dimension; or
    scale_factor: float or one float for each dimension
    mode: "nearest", "nearest-exact", "area", "linear" (1 dimension), "bilinear", "bicubic" (2) or
        "trilinear" (3)
    align_corners: bool, align the centres of the corner pixels instead of their corners; not for
        "nearest" and "area"
    recompute_scale_factor: bool, use the ratio of the sizes instead of scale_factor
    antialias: bool, average over all pixels that a new one covers; for "bilinear" and "bicubic"
    Returns: (N, C, *size), or sizes ⌊n · scale_factor⌋.
    Raises: ValueError or NotImplementedError for arguments that do not fit together.

    PyTorch differs: it has the mode "lanczos" as well.

    >>> interpolate(torch.tensor([[[1.0, 3.0]]]), size=4, mode="linear")
    tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    if mode in (*NEAREST, "area") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | "
            "bilinear | bicubic | trilinear"
        )
    dims = input.ndim - 2
    sizes, factors = sizes_and_factors(input, size, scale_factor, dims)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None:
        sizes = [int(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
    if factors is None or recompute_scale_factor or mode == "area":
        factors = [None] * dims
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            "a 4-D tensor as input"
        )
    options: dict[str, Any] = {"output_size": tuple(sizes), "factors": tuple(factors)}
    if mode in NEAREST and dims in (1, 2, 3):
        check(input, options["output_size"], f"upsample_{mode.replace('-', '_')}{dims}d")
        return apply(NEAREST[mode][dims - 1], input, **options)
    if mode == "area" and dims in (1, 2, 3):
        return AREA[dims - 1](input, sizes)
    wanted, op = INTERPOLATIONS.get((mode, antialias), (0, None))
    if op is not None and wanted == dims:
        check(input, options["output_size"], f"upsample_{mode}{dims}d")
        return apply(op, input, align_corners=bool(align_corners), **options)
    names = {"linear": 1, "bilinear": 2, "trilinear": 3}
    if mode in names and dims in (1, 2, 3):
        raise NotImplementedError(
            f"Got {input.ndim}D input, but {mode} mode needs {names[mode] + 2}D input"
        )
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the "
        "modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
        f"(got {mode})"
    )


def sizes_and_factors(input: Tensor, size: Size, scale_factor: Scale, dims: int) -> tuple[Any, Any]:
    """Return (sizes, None) or (None, scale factors), with one number for each dimension.

    Raises: ValueError if both are given, or neither, or another number of them; TypeError for
        sizes that are not ints.
    """
    image = list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if isinstance(size, list | tuple) and len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input "
                f"with spatial dimensions of {image} and output size of {size}. Please provide "
                "input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) "
                "format."
            )
        each = list(size) if isinstance(size, list | tuple) else [size] * dims
        if not all(isinstance(n, int) for n in each):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or "
                f"Tuple[int, int, int], but got size with types {[type(n) for n in each]}"
            )
        return each, None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if isinstance(scale_factor, list | tuple):
        if len(scale_factor) != dims:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but got "
                f"input with spatial dimensions of {image} and scale_factor of shape "
                f"{scale_factor}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                "scale_factor in (s1, s2, ...,sK) format."
            )
        return None, [float(f) for f in scale_factor]
    return None, [float(scale_factor)] * dims  # type: ignore[arg-type]


def check(input: Tensor, output_size: tuple[int, ...], name: str) -> None:
    """Raise ShapeError for sizes that are not positive, NotImplementedError for other dtypes."""
    image = tuple(input.shape[2:])
    names = "DHW"[-len(image) :]
    if any(n <= 0 for n in (*image, *output_size)):
        old, new = (
            ", ".join(f"{name}: {n}" for name, n in zip(names, sizes, strict=True))
            for sizes in (image, output_size)
        )
        raise ShapeError(
            f"Input and output sizes should be greater than 0, but got input ({old}) output ({new})"
        )
    if input.shape[1] == 0:
        raise ShapeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes "
            f"{list(input.shape)}"
        )
    if not input.is_floating_point() and not ("nearest" in name and input.dtype.name == "uint8"):
        raise not_for(name + "_channels_last" * (len(image) > 1), input)


def warn_deprecated(name: str) -> None:
    """Warn that `interpolate` replaces a function."""
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=users_level(),
    )


def upsample(
    input: Tensor,
    size: Size = None,
    scale_factor: Scale = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Call `interpolate`, under its deprecated name.

    input, size, scale_factor, mode, align_corners: as in `interpolate`
    Warns: UserWarning.

    >>> import graphlab as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     upsample(torch.tensor([[[1.0, 3.0]]]), size=4)
    tensor([[[1., 1., 3., 3.]]])
    """
    warn_deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_as(mode: str, align_corners: bool | None) -> Callable[..., Tensor]:
    """Return the deprecated function for one mode of `interpolate`."""
    name = f"upsample_{mode}"

    def call(input: Tensor, size: Size = None, scale_factor: Scale = None) -> Tensor:
        warn_deprecated(name)
        return interpolate(input, size, scale_factor, mode, align_corners)

    return named(name, f"""Call `interpolate` with mode="{mode}" and align_corners={align_corners}.

    input, size, scale_factor: as in `interpolate`
    Warns: UserWarning, because the function is deprecated.

    >>> import graphlab as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     {name}(torch.ones(1, 1, 1, 2), size=(1, 3))
    tensor([[[[1., 1., 1.]]]])
    """, call)  # fmt: skip


upsample_nearest, upsample_bilinear = upsample_as("nearest", None), upsample_as("bilinear", True)


# -- pixels and channels -------------------------------------------------------------------------


def need_image(input: Tensor, name: str) -> None:
    """Raise ShapeError unless the input has at least three dimensions."""
    need_tensor(name, "input", 1, input)
    if input.ndim < 3:
        raise ShapeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input.ndim} "
            "dimension(s)"
        )


@public()
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Rearrange r² channels into squares of r × r pixels.

    input: (*, C · r², H, W) -> (*, C, H · r, W · r)
    upscale_factor: int r > 0
    Raises: ShapeError unless r² divides the number of channels.
    Source: Shi et al. 2016.

    >>> pixel_shuffle(torch.arange(4.0).reshape(4, 1, 1), 2)
    tensor([[[0., 1.],
             [2., 3.]]])
    """
    need_image(input, "pixel_shuffle")
    r_ = upscale_factor
    if r_ <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r_}")
    if input.shape[-3] % (r_ * r_):
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={input.shape[-3]} is not divisible by {r_ * r_}"
        )
    return apply(r.PixelShuffle, input, upscale_factor=r_)


@public()
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Rearrange squares of r × r pixels into r² channels: the inverse of `pixel_shuffle`.

    input: (*, C, H · r, W · r) -> (*, C · r², H, W)
    downscale_factor: int r > 0
    Raises: ShapeError unless r divides height and width.

    >>> pixel_unshuffle(torch.arange(4.0).reshape(1, 2, 2), 2).shape
    torch.Size([4, 1, 1])
    """
    need_image(input, "pixel_unshuffle")
    r_ = downscale_factor
    if r_ <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r_}")
    for name, d in (("height", -2), ("width", -1)):
        if input.shape[d] % r_:
            raise ShapeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({d})={input.shape[d]} is not divisible by {r_}"
            )
    return apply(r.PixelUnshuffle, input, downscale_factor=r_)


@public()
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave groups of channels: the first channel of each group, then the second, and so on.

    input: (N, C, *S) -> (N, C, *S)
    groups: int > 0
    Raises: ShapeError unless `groups` divides C.
    Source: Zhang et al. 2018 (ShuffleNet).

    >>> channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    if input.ndim < 3:
        raise ShapeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes "
            f"{list(input.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    if input.shape[1] % groups:
        raise ShapeError(
            f"Number of channels must be divisible by groups. Got {input.shape[1]} channels and "
            f"{groups} groups."
        )
    return apply(r.ChannelShuffle, input, groups=groups)
