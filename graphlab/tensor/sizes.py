"""The shape of a tensor, and other attributes that follow from its data: type, device, bytes.

Read next: tensor/tensor.py
"""

from typing import Any

from graphlab.common.devices import CPU, device, strided
from graphlab.common.dtypes import FROM_NUMPY, dtype, find
from graphlab.common.errors import one_library


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
