"""A Product names the two arrays that a rule multiplies, so that a picture can show each entry.

    @      entry (i, j) is row i of the left times column j of the right
    ⊗      a column times a row
    ⊙  ·   entry by entry; a number times each entry
    ⋆  ∗   convolution: image[place · stride + k · dilation - padding] · kernel[k] is a term of
           output[place]; two of the three arrays are multiplied, and the third is the result

Read next: graph/events/forward.py
"""

from typing import Literal

from graphlab.graph.codec import record
from graphlab.graph.model import TensorId
from graphlab.graph.value import Value

Operator = Literal["@", "⊗", "⊙", "·", "⋆", "∗"]
# how a factor is read: unchanged, transposed, a vector as column or row; its role in a convolution
Form = Literal["", "transposed", "column", "row", "image", "kernel", "output"]


@record
class Factor:
    """One of the two arrays that a rule multiplies."""

    text: str  # in the notation of the equation: "Xᵀ"
    form: Form = ""
    saved: str = ""  # the name under which the node saved it
    # if it is not saved; a factor without value and tensor is the incoming gradient
    value: Value | None = None
    tensor: TensorId | None = None  # an input of a forward pass


@record
class Windows:
    """The stride, padding and dilation of a convolution, for each dimension."""

    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]


@record
class Product:
    """Two factors, and the operator between them."""

    operator: Operator
    left: Factor
    right: Factor
    times: str = ""  # a number before the product
    windows: Windows | None = None
