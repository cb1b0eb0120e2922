"""What is not proved, and which change of a rule makes no difference: each with its reason.

A family of samples says its own beside them (NOT_PROVED and EQUIVALENT in tests/core/samples); here
stands what belongs to older families, and samples that only the checker needs.

Read next: tests/symbolic/hunt.py
"""

from __future__ import annotations

from tests.core import samples
from tests.core.samples import KINKS, SIGNED, Arg, M, S, V

STEPPED = (
    "floor", "ceil", "round", "trunc", "frac", "remainder", "remainder_tensor", "fmod",
    "fmod_tensor",
)  # fmt: skip

# What is not proved, and why; a family of samples may have some of its own.
NOT_PROVED = {
    **samples.NOT_PROVED,
    "clamp-bounds_in_the_wrong_order": (
        "SymPy does not know that no entry lies between bounds in the wrong order"
    ),
    **dict.fromkeys(STEPPED, "a step function has no formula"),
    "linalg_vector_norm-half": "SymPy does not simplify these square roots of absolute values",
    "acosh": "√(x - 1) √(x + 1) is √(x² - 1) only for x ≥ 1, and SymPy does not know that",
    **dict.fromkeys(
        ("special_i1", "special_i1e"),
        "SymPy does not know that I₂(x) = I₀(x) - 2 I₁(x)/x",
    ),
    "pow_tensor-base_0": "the derivative of 0ˣ contains log 0, which has no value",
}

# Branches of rules that the samples do not enter.
EXPONENTS = Arg(data=[0.0, 1.0, 2.0], grad=False)
SPECIAL = [
    S("sub", lambda t, x, y: t.sub(x, y, alpha=2), M, SIGNED, note="alpha 2"),
    S("rsub", lambda t, x: t.rsub(x, 2.5, alpha=2), M, note="alpha 2"),
    S("addmm", lambda t, b, x, y: t.addmm(b, x, y, alpha=2), Arg((2, 2)), M, Arg((3, 2))),
    S("pow", lambda t, x: x**1, M, note="one"),
    S("pow_tensor", lambda t, x, y: x**y, V, EXPONENTS, note="exponent 0"),
    S("pow_tensor", lambda t, x, y: x**y, EXPONENTS, V, note="base 0"),
    # its signs are not PyTorch's
    S("linalg_svd", lambda t, x: t.linalg.svd(x, False)[1:], Arg(data=[[2.0, 0.7]]), note="wide"),
]
# Samples on kinks, where a slope may be any of several, but not any at all.
EXTREMES = {"maximum", "minimum", "max", "min", "amax", "amin"}
ON_KINKS = [s for s in KINKS if s.op in EXTREMES and not s.note]

HALF = "what is left is still a slope between those of the two sides"
ZERO_BASE = "0ˣ has no derivative by formula; what PyTorch gives there is tested beside PyTorch"
UNUSED = "what was not chosen is not used"
NO_SCALE = "input_scale is 1 in all of PyTorch's functions"
LOG_0 = "grad * (result * log(zeros_like(exponent)))"
AT_0 = "it matters where the result is 0; what PyTorch gives there is tested beside PyTorch"
SPREAD = "restore_dims(grad, size(self), dims, keepdim) / sum(chosen, dims, True)"
EQUIVALENT = {
    **samples.EQUIVALENT,
    ("amax", "self", f"only the left in {SPREAD}"): HALF,
    ("amin", "self", f"only the left in {SPREAD}"): HALF,
    ("cumprod", "self", "1 in len(x) == 0"): "the branch keeps an empty tensor from an error",
    ("cumprod", "self", "1 in x[0]"): "any slice gives zeros of the right shape",
    ("cumprod", "self", "2 in slice_(self, dim, 0, 1, 1)"): "the step of a slice of one entry",
    ("std", "self", "1 in eq(result, 0)"): AT_0,
    ("std", "self", "1 in where(eq(result, 0), 0, grad / result)"): AT_0,
    ("linalg_vector_norm", "self", "1 in eq(result, 0)"): AT_0,
    ("linalg_vector_norm", "self", "1 in where(eq(result, 0), 0, self / result)"): AT_0,
    ("linalg_vector_norm", "self", "2 in ord > 1"): AT_0,
    (
        "linalg_vector_norm",
        "self",
        "1 in where(eq(result if ord > 1 else self, 0), 0, slope)",
    ): AT_0,
    ("linalg_vector_norm", "self", "Div in chosen * sign(self)"): "a sign is 1 or -1",
    ("linalg_vector_norm", "self", "Div in grad * sign(self)"): "a sign is 1 or -1",
    ("linalg_vector_norm", "self", "no minus in -inf"): "1 to the power of -inf is 1, more is 0",
    ("linalg_vector_norm", "self", "Mult in grad / sum(chosen, dim, True)"): "there is no tie",
    ("linalg_vector_norm", "self", "only the left in grad / sum(chosen, dim, True)"): "nor here",
    ("nextafter", "self", "1 in where(eq(self, other), 0, grad)"): "only where both are equal",
    ("abs", "self", "Div in grad * sign(self)"): "a sign is 1 or -1",
    ("mv", "self", "no unsqueeze in unsqueeze(vec, 0)"): "broadcasting does it too",
    ("pow_base", "exponent", "only the right in zeros_like(exponent) + self"): "it broadcasts",
    **{
        (op, "self", change): "0 times anything is 0"
        for op in ("angle", "sign", "floor", "ceil", "round", "trunc")
        for change in ("factor", "sign")
    },
    ("max", "self", "only the left in grad / sum(chosen)"): HALF,
    ("min", "self", "only the left in grad / sum(chosen)"): HALF,
    **{
        (op, given, f"{change} in grad / 2"): HALF
        for op in ("maximum", "minimum")
        for given in ("self", "other")
        for change in ("3", "only the left")
    },
    **{
        ("pow_base", "exponent", change): ZERO_BASE
        for change in (
            "1 in ge(exponent, 0)",
            "1 in self == 0",
            f"1 in where(ge(exponent, 0), 0, {LOG_0})",
            f"Div in {LOG_0}",
            f"only the left in {LOG_0}",
            f"only the right in {LOG_0}",
            "Div in result * log(zeros_like(exponent))",
            "only the left in result * log(zeros_like(exponent))",
            "only the right in result * log(zeros_like(exponent))",
            "exp in log(zeros_like(exponent))",
        )
    },
    **{
        (op, "self", f"1 in {change}"): UNUSED
        for op in ("celu", "elu")
        for change in ("where(gt(self, 0), 0, self)", "gt(self, 0)")
    },
    **{
        ("elu", "self", f"{change} in {product}"): NO_SCALE
        for change in ("Div", "only the left")
        for product in ("where(gt(self, 0), 0, self) * input_scale", "alpha * scale * input_scale")
    },
    **{
        ("xlogy", "self", f"1 in {change}"): "0 log 0 is tested beside PyTorch"
        for change in (
            "eq(self, 0)",
            "le(other, 0)",
            "where(eq(self, 0) & le(other, 0), 0, xlogy(grad, other))",
        )
    },
    ("nan_to_num", "self", "1 in where(isfinite(self), grad, 0)"): "entries are finite here",
}
