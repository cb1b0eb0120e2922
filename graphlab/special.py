"""Special functions under the names of `torch.special`.

Read next: ops/probability.py
"""

from graphlab.functional.division import round
from graphlab.functional.pointwise import log1p
from graphlab.functional.pointwise import sigmoid as expit
from graphlab.functional.probability import digamma as psi
from graphlab.functional.probability import (
    entr,
    erfcx,
    erfinv,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    polygamma,
    sinc,
    xlog1py,
)
from graphlab.functional.probability import lgamma as gammaln
from graphlab.functional.probability import mvlgamma as multigammaln
from graphlab.functional.reductions import log_softmax, logsumexp, softmax
from graphlab.functional.special import erf, erfc, exp2, expm1, xlogy

digamma = psi

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammaln",
    "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri",
    "polygamma", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy",
]  # fmt: skip
