"""Attributes of a tensor: what follows from its data, such as its shape, and what may be assigned.

Read next: tensor/tensor.py
"""

from typing import Any

from graphlab.common.devices import CPU, device, strided
from graphlab.common.dtypes import FROM_NUMPY, dtype, find
from graphlab.common.errors import named_kind, one_library


class Size(tuple[int, ...]):
    """The shape of a tensor, printed as in PyTorch.

    >>> import graphlab as torch
    >>> torch.Size((2, 3)), torch.Size((2, 3)).numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def numel(self) -> int:
        """Return the product of the sizes, the number of entries of such a tensor."""
        product = 1
        for n in self:
            product *= n
        return product

    def __getitem__(self, index: Any) -> Any:
        try:
            found = tuple.__getitem__(self, index)
        except IndexError as error:
            raise IndexError(*error.args) from None
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size((*self, *other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return Size(tuple(self) * times)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class Described:
    """The attributes of a tensor that follow from its data.

    >>> import graphlab as torch
    >>> x = torch.zeros(2, 3)
    >>> x.ndim, x.numel(), x.nbytes
    (2, 6, 24)
    """

    __slots__ = ()
    _data: Any

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Refuse to be an argument of PyTorch's functions, which ask for this.

        Raises: TypeError.
        """
        name = getattr(func, "__name__", "").strip("_")
        raise TypeError(f"PyTorch's {name}() cannot take a tensor of GraphLab's; {one_library()}")

    @property
    def shape(self) -> Size:
        """The size of each dimension.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).shape
        torch.Size([2, 3])
        """
        return Size(self._data.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).ndim
        2
        """
        return self._data.ndim

    @property
    def dtype(self) -> dtype:
        """The type of the entries.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).dtype
        torch.float32
        """
        return FROM_NUMPY.get(self._data.dtype) or find(self._data.dtype)

    @property
    def device(self) -> device:
        """Where the entries are stored: always on the CPU.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).device
        device(type='cpu')
        """
        return CPU

    @property
    def layout(self) -> Any:
        """How the entries are stored: always `strided`.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).layout
        torch.strided
        """
        return strided

    @property
    def itemsize(self) -> int:
        """The bytes of one entry.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).itemsize
        4
        """
        return self._data.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all entries.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).nbytes
        24
        """
        return self._data.nbytes

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of the dimension `dim`.

        Raises: IndexError when there is no such dimension, TypeError unless it is an int.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).size(), graphlab.zeros(2, 3).size(-1)
        (torch.Size([2, 3]), 3)
        """
        if dim is None:
            return self.shape
        try:
            return self._data.shape[dim]
        except TypeError:
            given = type(dim).__name__
            said = f"size(): argument 'dim' (position 1) must be int, not {given}"
            raise TypeError(said) from None
        except IndexError:
            n, said = self._data.ndim, "Dimension out of range (expected to be in range of"
            raise IndexError(
                f"{said} [{-n}, {n - 1}], but got {dim})"
                if n
                else f"Dimension specified as {dim} but tensor has no dimensions"
            ) from None

    def dim(self) -> int:
        """Return the number of dimensions.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).dim()
        2
        """
        return self._data.ndim

    def numel(self) -> int:
        """Return the number of entries.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).numel()
        6
        """
        return int(self._data.size)

    nelement = numel

    def element_size(self) -> int:
        """Return the bytes of one entry.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).element_size()
        4
        """
        return self._data.itemsize

    def is_floating_point(self) -> bool:
        """Return whether the entries are of a floating type.

        >>> import graphlab
        >>> graphlab.zeros(2, 3).is_floating_point()
        True
        """
        return self._data.dtype.kind == "f"

    def is_signed(self) -> bool:
        """Return whether the type of the entries has negative numbers.

        >>> import graphlab
        >>> graphlab.tensor([True]).is_signed()
        False
        """
        return self._data.dtype.kind in "if"

    def __len__(self) -> int:
        if self._data.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._data)


def check_grad(self: Any, value: Any, kind: type) -> None:
    """Raise TypeError or RuntimeError when `value` cannot be the `.grad`; kind: Tensor."""
    if not isinstance(value, kind):
        raise TypeError(
            "assigned grad expected to be a Tensor or None but got grad of type "
            f"{named_kind(value)}"
        )
    if value is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.shape != self.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of "
            f"size '{list(self.shape)}'. Please ensure that the gradient and the tensor are "
            "the same size"
        )
    wanted = self.grad_dtype if self._node is None else self.dtype
    if wanted is not None and value.dtype is not wanted:
        given, own = short(value.dtype).lower(), short(wanted)
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype "
            f"'{own}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific "
            "dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
            "dtypes of a tensor and its gradient may break downstream systems that assume they "
            "match."
        )


def set_grad_dtype(self: Any, value: dtype | None) -> None:
    """Set the type of a leaf's gradients; RuntimeError when its `.grad` has another one."""
    if self._node is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if value is not None and not isinstance(value, dtype):
        raise RuntimeError(
            f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}"
        )
    grad = self._grad
    if value is not None and grad is not None and grad.dtype is not value:
        held = {"Half": "c10::Half"}.get(name := short(grad.dtype), name.lower())
        raise RuntimeError(
            f"Cannot set grad_dtype to '{short(value)}' because there is already a gradient with "
            f"dtype '{held}'. Please clear the gradient (.grad = None) before changing grad_dtype, "
            "or ensure the new grad_dtype matches the existing gradient's dtype."
        )
    self._rare().grad_dtype = value


def short(kind: dtype) -> str:
    """Return the name in errors: "Float" for float32."""
    return kind.legacy.removesuffix("Tensor")


def check_data(self: Any, value: Any, kind: type) -> None:
    """Raise TypeError or RuntimeError when `value` cannot be the `.data` of a tensor."""
    if not isinstance(value, kind):
        raise TypeError(f"Variable data has to be a tensor, but got {named_kind(value)}")
    if self._needs and value._data.dtype.kind != "f":
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
