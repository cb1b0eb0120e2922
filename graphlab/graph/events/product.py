"""What a rule or an operation multiplies: a picture can show how each entry of the result is made.

    @      entry (i, j) is row i of the left times column j of the right
    ⊗      a column times a row
    ⊙  ·   entry by entry; a number times each entry
    ⋆  ∗   windows: image[place · stride + k · dilation - padding], kernel[k] and output[place]
           belong together, whichever two are multiplied and whichever is the result

Read next: graph/events/forward.py
"""

from __future__ import annotations

from typing import Literal

from graphlab.graph.codec import record
from graphlab.graph.model import TensorId
from graphlab.graph.value import Value

Operator = Literal["@", "⊗", "⊙", "·", "⋆", "∗"]
# how a factor is read: as it is, transposed, a vector as a column or a row; its part in a window
Form = Literal["", "transposed", "column", "row", "image", "kernel", "output"]


@record
class Factor:
    """One of the two arrays that a rule multiplies."""

    text: str  # in the notation of the equation: "Xᵀ"
    form: Form = ""
    saved: str = ""  # its name among what the node saved
    # if it is not saved; without a value or a tensor it is the incoming gradient
    value: Value | None = None
    tensor: TensorId | None = None  # an input of a forward pass


@record
class Windows:
    """How far apart the places of a convolution are, for each dimension."""

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
