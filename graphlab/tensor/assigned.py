"""What may be assigned to `.grad` and `.data` of a tensor.

Read next: tensor/tensor.py
"""

from typing import Any


def check_grad(self: Any, value: Any, kind: type) -> None:
    """Raise TypeError or RuntimeError when `value` cannot be the `.grad`; kind: Tensor."""
    if not isinstance(value, kind):
        raise TypeError(
            "assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(value).__name__}"
        )
    if value is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if value.shape != self.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of "
            f"size '{list(self.shape)}'. Please ensure that the gradient and the tensor are "
            "the same size"
        )
    if value.dtype is not self.dtype:
        own = self.dtype.legacy.removesuffix("Tensor")
        given = value.dtype.legacy.removesuffix("Tensor").lower()
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype "
            f"'{own}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific "
            "dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
            "dtypes of a tensor and its gradient may break downstream systems that assume they "
            "match."
        )


def check_data(self: Any, value: Any, kind: type) -> None:
    """Raise TypeError or RuntimeError when `value` cannot be the `.data` of a tensor."""
    if not isinstance(value, kind):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if self._needs and value._data.dtype.kind != "f":
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
