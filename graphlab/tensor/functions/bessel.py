"""Modified Bessel functions of tensors: `i0`, and those of `graphlab.special`.

Read next: ops/bessel.py
"""

from graphlab.autograd.record import recorder
from graphlab.ops import bessel
from graphlab.tensor.functions.from_ops import function_of

i0 = function_of(bessel.I0)
i0e = recorder(bessel.SpecialI0e)
i1 = recorder(bessel.SpecialI1)
i1e = recorder(bessel.SpecialI1e)
