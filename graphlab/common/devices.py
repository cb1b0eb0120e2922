"""Where and how a tensor is stored: always in main memory, `device(type='cpu')`, `torch.strided`.

Also the settings that programs make for reproducible runs: they are accepted and change nothing.

Read next: tensor/casting.py
"""

import os
import sys
import warnings
from typing import Any

import numpy as np

from graphlab.common.errors import users_level
from graphlab.common.public import mark, public

TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia",
    "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


@public()
class device:
    """The name of a device, "cpu" or "cuda:1"; tensors lie on the cpu only.

    Raises: RuntimeError for a type that does not exist.

    >>> device("cpu")
    device(type='cpu')
    >>> device("cuda:1").index
    1
    """

    __slots__ = ("index", "type")

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, bytes):
            type = type.decode()
        if isinstance(type, bool) or not isinstance(type, int | str):
            kind = type.__class__.__name__
            raise TypeError(f"argument 'device' must be torch.device, not {kind}")
        if isinstance(type, int):
            if type < 0:
                raise RuntimeError("Device index must not be negative")
            raise RuntimeError("Cannot access accelerator device when none is available.")
        name, _, number = type.partition(":")
        if name not in TYPES:
            raise RuntimeError(
                f"Expected one of {', '.join(TYPES)} device type at start of device string: {name}"
            )
        if ":" in type and (not number.isdigit() or str(int(number)) != number):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if number and index is not None:
            raise RuntimeError(
                "type (string) must not include an index because index was passed explicitly: "
                + type
            )
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type: str = name
        self.index: int | None = int(number) if number else index

    def __enter__(self) -> "device":
        """Let a block make its tensors here, which only "cpu" can."""
        check_device(self)
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, device)
        return same and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __reduce__(self) -> Any:
        return device, (self.type, self.index)


CPU = device("cpu")


class Constant:
    """A constant that is printed, and pickled, by its name in the top namespace."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


@public()
class layout(Constant):
    """How the entries of a tensor are stored: always `strided`, at a fixed distance per dimension.

    >>> torch.ones(2).layout
    torch.strided
    """

    __slots__ = ()


strided = layout("strided")


@public()
class memory_format(Constant):
    """The order of the entries in memory: row by row, channels last, or that of the input.

    >>> torch.ones(2).clone(memory_format=torch.preserve_format)
    tensor([1., 1.])
    """

    __slots__ = ()


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


@public()
def set_default_device(device: Any) -> None:
    """Accept the CPU as the place of new tensors. device: "cpu" or None.

    Raises: AssertionError or RuntimeError for another device.

    >>> torch.set_default_device("cpu")
    """
    check_device(device)


@public()
def get_default_device() -> device:
    """Return the place of new tensors: always the CPU.

    >>> torch.get_default_device()
    device(type='cpu')
    """
    return CPU


def check_device(asked: Any) -> None:
    """Raise an error for any device but the CPU: AssertionError for cuda, else RuntimeError."""
    if asked is None or asked is CPU or asked == "cpu":
        return
    kind = device(asked).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise RuntimeError(f"device {str(asked)!r} is not available; GraphLab computes on 'cpu'")


mark("strided contiguous_format preserve_format channels_last channels_last_3d")


def keep_freed_memory() -> None:
    """Let glibc keep up to 64 MB of freed memory, for the arrays that the next pass makes.

    Source: mallopt(3), M_MMAP_THRESHOLD; docs/decisions/0026-freed-memory-stays.md.
    """
    if sys.platform == "linux":
        np.empty((1 << 25) - 8192, np.uint8)  # glibc learns from blocks of up to 32 MB


kept: dict[str, Any] = {
    "threads": os.cpu_count() or 1,
    "deterministic": False,
    "precision": "highest",
}


@public()
def set_num_threads(num: int) -> None:
    """Store a number of threads for `get_num_threads`; NumPy's own libraries choose theirs.

    num: an int above 0. Raises: RuntimeError for anything else.

    >>> torch.set_num_threads(torch.get_num_threads())
    """
    if not isinstance(num, int):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(num).__name__}")
    if num < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    kept["threads"] = num


@public()
def get_num_threads() -> int:
    """Return the number of threads that was set, at first that of the processor.

    >>> torch.get_num_threads() > 0
    True
    """
    return kept["threads"]


@public()
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Store the wish for deterministic algorithms; every algorithm here is deterministic anyway.

    mode: whether they are wanted. warn_only: without effect.

    >>> torch.use_deterministic_algorithms(False)
    """
    kept["deterministic"] = bool(mode)


@public()
def are_deterministic_algorithms_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was called with True.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return kept["deterministic"]


@public()
def set_float32_matmul_precision(precision: str) -> None:
    """Store how precise products of float32 need to be; here they always are of full precision.

    precision: "highest", "high" or "medium". Warns: UserWarning for another one, which is ignored.

    >>> torch.set_float32_matmul_precision("highest")
    """
    if precision not in ("highest", "high", "medium"):
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=users_level(),
        )
        return
    kept["precision"] = precision


@public()
def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was called with.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return kept["precision"]
