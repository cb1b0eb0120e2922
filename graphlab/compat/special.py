"""Special functions under the names of `torch.special`.

Read next: ops/probability.py
"""

from graphlab.ops.special_functions import Igamma, Igammac
from graphlab.tensor.functions.division import round
from graphlab.tensor.functions.from_ops import function_of
from graphlab.tensor.functions.outputs import with_out
from graphlab.tensor.functions.pointwise import sigmoid as expit
from graphlab.tensor.functions.reductions import log_softmax, logsumexp, softmax
from graphlab.tensor.functions.refusals import in_words
from graphlab.tensor.functions.transcendental import digamma as psi
from graphlab.tensor.functions.transcendental import (
    entr,
    erf,
    erfc,
    erfcx,
    erfinv,
    exp2,
    expm1,
    i0,
    i0e,
    i1,
    i1e,
    log1p,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    polygamma,
    sinc,
    xlog1py,
    xlogy,
)
from graphlab.tensor.functions.transcendental import lgamma as gammaln
from graphlab.tensor.functions.transcendental import mvlgamma as multigammaln

digamma = psi
gammainc, gammaincc = function_of(Igamma), function_of(Igammac)

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1",
    "gammainc", "gammaincc", "gammaln",
    "i0", "i0e", "i1", "i1e",
    "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri",
    "polygamma", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy",
]  # fmt: skip

globals().update({name: in_words(with_out(globals()[name])) for name in __all__})
