"""Functions of probability: Γ and its relatives, log-odds, the normal distribution.

Read next: tensor/functions/transcendental.py
"""

from graphlab.ops.base import Op
from graphlab.primitives.numpy_reading.elementary import (
    abs,
    cos,
    eq,
    exp,
    exp2,
    gt,
    inf,
    le,
    ln_2,
    log,
    logaddexp2,
    lt,
    pi,
    root_2,
    root_pi,
    sin,
    sqrt,
    where,
    xlog1py,
    zeros_like,
)
from graphlab.primitives.numpy_reading.special_functions import (
    digamma,
    erfcx,
    erfinv,
    lgamma,
    log_ndtr,
    ndtri,
    polygamma,
)


class Lgamma(Op):
    """Return log |Γ(x)| for each entry; Γ(n) = (n - 1)!. input: (...) -> (...), floats.

    Its slope is the digamma function.

    >>> torch.lgamma(torch.tensor([1.0, 5.0]))
    tensor([0.0000, 3.1781])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "LgammaBackward0", "log Γ", True, "float"
    phrase = "the gradient is multiplied by digamma(x)"

    def forward(self):
        return lgamma(self)

    def grad_self(grad, self):
        return grad * digamma(self)


class Mvlgamma(Op):
    """Return the log of the Γ function of `p` dimensions. self: (...), above (p - 1)/2 -> (...)."""

    node, symbol, pointwise, types = "MvlgammaBackward0", "log Γₚ", True, "float"
    phrase = "the gradient is multiplied by digamma(x) + digamma(x − ½) + digamma(x − 1) + …"

    def forward(self, *, p):
        total = lgamma(self)
        for i in range(1, p):
            total = total + lgamma(self - i / 2)
        return total + log(zeros_like(self) + pi) * (p * (p - 1) / 4)

    def grad_self(grad, self, p):
        total = digamma(self)
        for i in range(1, p):
            total = total + digamma(self - i / 2)
        return grad * total


class Digamma(Op):
    """Return ψ(x), the derivative of log Γ(x), for each entry. input: (...) -> (...), floats.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "DigammaBackward0", "ψ", True, "float"
    phrase = "the gradient is multiplied by the slope of the digamma function, polygamma(1, x)"

    def forward(self):
        return digamma(self)

    def grad_self(grad, self):
        return grad * polygamma(1, self)


class Polygamma(Op):
    """Return the n-th derivative of ψ. self: (...) -> (...)."""

    node, symbol, pointwise, types = "PolygammaBackward0", "ψ⁽ⁿ⁾", True, "float"
    in_place_node = "PolygammaBackward1"
    phrase = "the gradient is multiplied by polygamma(n + 1, x), with the order n"

    def forward(self, *, n):
        return polygamma(n, self)

    def grad_self(grad, self, n):
        return grad * polygamma(n + 1, self)


class Erfinv(Op):
    """Return the inverse of erf for each entry. input: (...), -1 < x < 1 -> (...), floats.

    >>> torch.erfinv(torch.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "ErfinvBackward0", "erf⁻¹", True, "float"
    phrase = "the gradient is multiplied by √π/2 · exp(y²), with the result y"

    def domain(self):
        return lt(abs(self), 1)

    def forward(self):
        return erfinv(self)

    def grad_self(grad, self):
        return grad * (exp(erfinv(self) ** 2) * root_pi / 2)


class Logit(Op):
    """Return log(p / (1 - p)), the inverse of the sigmoid; `eps` first clamps p to [ε, 1 - ε]."""

    node, symbol, pointwise, types = "LogitBackward0", "logit", True, "float"
    phrase = "the gradient is divided by x (1 − x)"

    def domain(self, eps):
        return True if eps is not None else gt(self, 0) & lt(self, 1)

    def forward(self, *, eps=None):
        p = (
            self
            if eps is None
            else where(lt(self, eps), eps, where(gt(self, 1 - eps), 1 - eps, self))
        )
        return log(p / (1 - p))

    def grad_self(grad, self, eps):
        slope = grad / sqrt(self * (1 - self)) ** 2  # nan outside [0, 1], as the logit is
        if eps is None:
            return slope
        return where(lt(self, eps), 0, where(gt(self, 1 - eps), 0, slope))


class Sinc(Op):
    """Return sin(πx) / (πx) for each entry, and 1 at 0. input: (...) -> (...), floats.

    >>> torch.sinc(torch.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "SincBackward0", "sinc", True, "float"
    wide = True
    phrase = "the gradient is multiplied by (cos πx − sinc x)/x"

    def forward(self):
        x = where(eq(self, 0), 1, self) * pi
        return where(eq(self, 0), 1, sin(x) / x)

    def grad_self(grad, self):
        x = where(eq(self, 0), 1, self) * pi  # x² may be 0 where x is not
        return grad * where(eq(self, 0), 0, (cos(x) - sin(x) / x) / x * pi)


class Logaddexp2(Op):
    """Return log₂(2^input + 2^other) without overflow. input: (...), other: (...) -> (...).

    Each input gets its share of the sum as its slope.

    >>> torch.logaddexp2(torch.tensor([0.0]), torch.tensor([0.0]))
    tensor([1.])
    """

    function = method = out = True
    tensors_only = True
    kernel = "logaddexp2_cpu:f"
    node, symbol, pointwise, types = "Logaddexp2Backward0", "logaddexp2", True, "float"
    phrase = "this input gets the gradient times 2^(this input − result)"

    def forward(self, other):
        return logaddexp2(self, other)

    def grad_self(grad, self, other):
        return grad / (exp2(other - self) + 1)

    def grad_other(grad, self, other):
        return grad / (exp2(self - other) + 1)


class Ldexp(Op):
    """Return input · 2^other for each entry. input: (...), other: (...) -> (...).

    >>> torch.ldexp(torch.tensor([1.0, 3.0]), torch.tensor([2, 1]))
    tensor([4., 6.])
    """

    function = method = in_place = out = True
    tensors_only = True
    node, symbol, pointwise, types = "LdexpBackward0", "x 2ⁿ", True, "float"
    wide = True
    phrase_self = "the gradient is multiplied by 2 to the power of the exponent"
    phrase_other = "the gradient is multiplied by the result times log 2"

    def forward(self, other):
        return self * exp2(other)

    def grad_self(grad, other):
        return grad * exp2(other)

    def grad_other(grad, result):
        return grad * result * ln_2


class Rad2deg(Op):
    """Convert radians to degrees: x · 180/π. input: (...) -> (...), floats.

    >>> torch.rad2deg(torch.tensor([0.0, torch.pi]))
    tensor([  0., 180.])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Rad2DegBackward0", "°", True, "float"
    phrase = "the gradient is multiplied by 180/π"

    def forward(self):
        return self * (180 / pi)

    def grad_self(grad):
        return grad * (180 / pi)


class Deg2rad(Op):
    """Convert degrees to radians: x · π/180. input: (...) -> (...), floats.

    >>> torch.deg2rad(torch.tensor([0.0, 180.0]))
    tensor([0.0000, 3.1416])
    """

    function = method = in_place = out = True
    node, symbol, pointwise, types = "Deg2RadBackward0", "rad", True, "float"
    phrase = "the gradient is multiplied by π/180"

    def forward(self):
        return self * (pi / 180)

    def grad_self(grad):
        return grad * (pi / 180)


class SpecialEntr(Op):
    """Return -x log x, a term of an entropy, and 0 at 0. input: (...), x ≥ 0 -> (...), floats.

    >>> torch.special.entr(torch.tensor([0.25, 0.5]))
    tensor([0.3466, 0.3466])
    """

    node, symbol, pointwise, types = "SpecialEntrBackward0", "−x log x", True, "float"

    def domain(self):
        return gt(self, 0)

    def forward(self):
        return where(lt(self, 0), -inf, -self * log(where(gt(self, 0), self, 1)))

    def grad_self(grad, self):
        return grad * (-log(self) - 1)


class SpecialXlog1py(Op):
    """Return self · log(1 + other), and 0 where self is 0. self: (...), other: (...) -> (...)."""

    node, symbol, pointwise, types = "SpecialXlog1PyBackward0", "x log1p y", True, "float"
    phrase_self = "the gradient is multiplied by log(1 + y), for xlog1py(x, y)"
    phrase_other = "the gradient is multiplied by x/(1 + y), for xlog1py(x, y)"

    def forward(self, other):
        return xlog1py(self, other)

    def grad_self(grad, self, other):
        return where(eq(self, 0) & le(other, -1), 0, xlog1py(grad, other))

    def grad_other(grad, self, other):
        return grad * self / (other + 1)


class SpecialXlog1pyOther(Op):
    """Return self · log(1 + a number), and 0 where self is 0. self: (...) -> (...)."""

    node, symbol, pointwise, types = "SpecialXlog1PyBackward2", "x log1p y", True, "float"
    phrase = "the gradient is multiplied by log(1 + y), for xlog1py(x, y)"

    def forward(self, *, other):
        return xlog1py(self, zeros_like(self) + other)

    def grad_self(grad, self, other):
        y = zeros_like(self) + other
        return where(eq(self, 0) & le(y, -1), 0, xlog1py(grad, y))


class SpecialXlog1pySelf(Op):
    """Return a number times log(1 + other), and 0 if the number is 0. other: (...) -> (...)."""

    node, symbol, pointwise, types = "SpecialXlog1PyBackward1", "x log1p y", True, "float"
    phrase = "the gradient is multiplied by x/(1 + y), for xlog1py(x, y)"

    def forward(other, *, self):
        return xlog1py(zeros_like(other) + self, other)

    def grad_other(grad, other, self):
        return grad * self / (other + 1)


class SpecialErfcx(Op):
    """Return exp(x²) erfc(x), which stays above 0 for large x. input: (...) -> (...), floats.

    >>> torch.special.erfcx(torch.tensor([0.0, 100.0]))
    tensor([1.0000, 0.0056])
    """

    node, symbol, pointwise, types = "SpecialErfcxBackward0", "erfcx", True, "float"
    phrase = "the gradient is multiplied by 2 x y − 2/√π, with the result y"

    def forward(self):
        return erfcx(self)

    def grad_self(grad, self, result):
        return grad * (self * result * 2 - 2 / root_pi)


class SpecialNdtri(Op):
    """Return the quantile Φ⁻¹(p) of the standard normal distribution. input: (...), p -> (...).

    >>> torch.special.ndtri(torch.tensor([0.5, 0.9]))
    tensor([0.0000, 1.2816])
    """

    node, symbol, pointwise, types = "SpecialNdtriBackward0", "Φ⁻¹", True, "float"
    phrase = "the gradient is multiplied by √(2π) · exp(y²/2), with the result y"

    def domain(self):
        return gt(self, 0) & lt(self, 1)

    def forward(self):
        return ndtri(self)

    def grad_self(grad, result):
        return grad * (exp(result * result / 2) * root_2 * root_pi)


class SpecialLogNdtr(Op):
    """Return log Φ(x), with the cumulative distribution function Φ of the normal distribution.

    input: (...) -> (...), floats.

    >>> torch.special.log_ndtr(torch.tensor([0.0, -20.0]))
    tensor([  -0.6931, -203.9172])
    """

    node, symbol, pointwise, types = "SpecialLogNdtrBackward0", "log Φ", True, "float"
    phrase = (
        "the gradient is multiplied by φ(x)/Φ(x), with the standard normal distribution Φ and its "
        "density φ"
    )

    def forward(self):
        return log_ndtr(self)

    def grad_self(grad, self, result):
        return grad * exp(-self * self / 2 - result) / (root_2 * root_pi)
