"""Special functions under the names of `torch.special`.

Read next: ops/probability.py
"""

from typing import Any

from graphlab.common.errors import left_out
from graphlab.ops import probability as p
from graphlab.ops import special_functions as s
from graphlab.tensor import functions as F
from graphlab.tensor.functions import function_of
from graphlab.tensor.functions.outputs import with_out
from graphlab.tensor.functions.refusals import in_words
from graphlab.tensor.functions.transcendental import ndtr, xlog1py

OF_TORCH = (  # torch has them too
    "digamma erf erfc erfinv exp2 expm1 i0 log1p log_softmax logit logsumexp polygamma round sinc "
    "softmax xlogy"
)
OTHER_NAMES = {  # torch has them under the second name
    "expit": "sigmoid", "gammaln": "lgamma", "multigammaln": "mvlgamma", "psi": "digamma",
}  # fmt: skip
ONLY_HERE = {
    "entr": p.SpecialEntr, "erfcx": p.SpecialErfcx, "log_ndtr": p.SpecialLogNdtr,
    "ndtri": p.SpecialNdtri,
    "gammainc": s.Igamma, "gammaincc": s.Igammac,
    "i0e": s.SpecialI0e, "i1": s.SpecialI1, "i1e": s.SpecialI1e,
}  # fmt: skip
FOUND = {
    "ndtr": ndtr,
    "xlog1py": xlog1py,
    **{name: getattr(F, name) for name in OF_TORCH.split()},
    **{name: getattr(F, other) for name, other in OTHER_NAMES.items()},
    **{name: function_of(op) for name, op in ONLY_HERE.items()},
}
__all__ = sorted(FOUND)

LEFT_OUT = ("bessel", "_polynomial_", "airy_ai", "zeta")  # parts of names


def __getattr__(name: str) -> Any:
    if any(part in name for part in LEFT_OUT):
        raise left_out(
            f"torch.special.{name} is not supported, because PyTorch does not differentiate it: "
            "compute its values with SciPy, or write it with the functions that have a rule"
        )
    raise AttributeError(f"module 'graphlab.special' has no attribute {name!r}")


globals().update({name: in_words(with_out(function)) for name, function in FOUND.items()})
