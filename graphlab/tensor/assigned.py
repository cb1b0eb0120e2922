"""What may be assigned to `.grad`, `.grad_dtype` and `.data` of a tensor.

Read next: tensor/tensor.py
"""

from typing import Any

from graphlab.common.dtypes import dtype
from graphlab.common.errors import named_kind


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
