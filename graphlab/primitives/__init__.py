"""What a rule may say: the primitives, each with a NumPy, a tensor and a SymPy reading.

A rule is a plain function of free names, `grad * exp(self)`. Bound to the NumPy reading of those
names it is the fast backward pass; bound to the tensor reading it is `create_graph=True`; bound to
the SymPy reading it is a formula, and the proof that the rule is right. A family of primitives is
one file name in three folders:

    numpy_reading/pooling.py   tensor_reading/pooling.py   sympy_reading/pooling.py

table.py lists every primitive, family by family, and says which readings it has.

Read next: primitives/table.py
"""

import types
from collections.abc import Callable, Mapping
from typing import Any


def rebind(formula: Callable[..., Any], reading: Mapping[str, Any]) -> Callable[..., Any]:
    """The same code, whose free names mean what they mean in `reading`.

    >>> def twice(x): return double(x)
    >>> rebind(twice, {"double": lambda x: 2 * x})(21)
    42
    """
    names = reading if type(reading) is dict else dict(reading)
    bound = types.FunctionType(formula.__code__, names, formula.__name__, formula.__defaults__)  # type: ignore[attr-defined]
    bound.__kwdefaults__ = formula.__kwdefaults__  # type: ignore[attr-defined]
    return bound
