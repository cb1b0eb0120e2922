"""Samples of functions entry by entry beyond the elementary ones.

Read next: tests/core/samples/base.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from graphlab.tensor.functions import rounding
from tests.core.samples.base import SIGNED, Arg, M, S, Sample


def with_number(lib: ModuleType, name: str) -> Callable[..., Any]:
    """The form of an operation that keeps a number as a number: for each library its own."""
    if lib.__name__ == "graphlab":
        return getattr(rounding, f"{name}_number")
    return getattr(lib.ops.aten, name).Scalar


POSITIVE = Arg((2, 3), 0.3, 4.2)
SHARES = Arg((2, 3), 0.1, 0.9)
INNER = Arg((2, 3), -0.9, 0.9)
OFF_STEPS = Arg((2, 3), -3.4, 3.7)  # no entry is whole
BOUNDS = Arg((2, 3), -1.3, 0.2), Arg((2, 3), 0.3, 1.7)

SAMPLES: list[Sample] = [
    S("div_mode", lambda t, x, y: t.div(x, y, rounding_mode="floor"), OFF_STEPS, M, note="floor"),
    S("div_mode", lambda t, x: t.div(x, 2, rounding_mode="trunc"), OFF_STEPS, note="trunc"),
    S("round_decimals", lambda t, x: t.round(x, decimals=1), Arg((2, 3), -0.33, 0.38)),
    S("round_decimals", lambda t, x: t.round(x, decimals=-1), Arg((2, 3), -33, 38), note="tens"),
    S("clamp_tensor", lambda t, x, a, b: t.clamp(x, a, b), SIGNED, *BOUNDS),
    S("clamp_tensor", lambda t, x, a: t.clamp(x, min=a), SIGNED, BOUNDS[0], note="min"),
    S("clamp_tensor", lambda t, x, a: x.clip(max=a), SIGNED, BOUNDS[1], note="max"),
    S(
        "clamp_tensor",
        lambda t, x, a, b: t.clamp(x, b, a),
        SIGNED,
        *BOUNDS,
        note="bounds in the wrong order",
    ),
    S("clamp_min_tensor", lambda t, x, a: t.clamp_min(x, a), SIGNED, BOUNDS[0]),
    S("clamp_max_tensor", lambda t, x, a: t.clamp_max(x, a), SIGNED, BOUNDS[1]),
    S("fmax", lambda t, x, y: t.fmax(x, y), M, SIGNED),
    S("fmin", lambda t, x, y: t.fmin(x, y), M, SIGNED),
    S("copysign", lambda t, x, y: t.copysign(x, y), OFF_STEPS, SIGNED),
    S("copysign_number", lambda t, x: t.copysign(x, -2.0), OFF_STEPS),
    S("sgn", lambda t, x: t.sgn(x), OFF_STEPS),
    S("angle", lambda t, x: t.angle(x), OFF_STEPS),
    S("nextafter", lambda t, x, y: t.nextafter(x, y), M, SIGNED),
    S("lgamma", lambda t, x: t.lgamma(x), POSITIVE),
    S("mvlgamma", lambda t, x: t.mvlgamma(x, 3), Arg((2, 3), 1.4, 4.2)),
    S("digamma", lambda t, x: t.digamma(x), POSITIVE),
    S("polygamma", lambda t, x: t.polygamma(1, x), POSITIVE),
    S("polygamma", lambda t, x: x.polygamma(0), POSITIVE, note="0"),
    S("erfinv", lambda t, x: t.erfinv(x), INNER),
    S("logit", lambda t, x: t.logit(x), SHARES),
    S("logit", lambda t, x: t.logit(x, eps=0.27), SHARES, note="held"),
    S("sinc", lambda t, x: t.sinc(x), OFF_STEPS),
    S("logaddexp2", lambda t, x, y: t.logaddexp2(x, y), M, SIGNED),
    S("ldexp", lambda t, x, y: t.ldexp(x, y), SIGNED, M),
    S("rad2deg", lambda t, x: t.rad2deg(x), SIGNED, h=1e-4),
    S("deg2rad", lambda t, x: t.deg2rad(x), SIGNED),
    S("special_entr", lambda t, x: t.special.entr(x), M),
    S("special_xlog1py", lambda t, x, y: t.special.xlog1py(x, y), SIGNED, M),
    S("special_xlog1py_other", lambda t, x: t.special.xlog1py(x, 1.5), SIGNED),
    S("special_xlog1py_self", lambda t, x: t.special.xlog1py(1.5, x), M),
    S("special_erfcx", lambda t, x: t.special.erfcx(x), SIGNED),
    S("i0", lambda t, x: t.i0(x), SIGNED),
    S("igamma", lambda t, a, x: t.igamma(a, x), replace(M, grad=False), M),
    S("igammac", lambda t, a, x: t.igammac(a, x), replace(M, grad=False), M),
    S("special_i0e", lambda t, x: t.special.i0e(x), OFF_STEPS),
    S("special_i1", lambda t, x: t.special.i1(x), SIGNED),
    S("special_i1e", lambda t, x: t.special.i1e(x), OFF_STEPS),
    S("special_ndtri", lambda t, x: t.special.ndtri(x), SHARES),
    S("special_log_ndtr", lambda t, x: t.special.log_ndtr(x), SIGNED),
    # numbers that PyTorch's C++ puts in have nodes of their own
    S("add_scalar", lambda t, x: with_number(t, "add")(x, 1.5), SIGNED),
    S("sub_scalar", lambda t, x: with_number(t, "sub")(x, 1.5), SIGNED),
    S("mul_scalar", lambda t, x: with_number(t, "mul")(x, 1.5), SIGNED),
    S("mul_scalar", lambda t, x: t.special.ndtr(x), SIGNED, note="ndtr"),
    S("div_scalar", lambda t, x: with_number(t, "div")(x, 1.5), SIGNED),
]

EDGES = Arg(data=[0.0, -0.0, 1.0, -1.0])
FAR = Arg(data=[0.5, -2.5, 12.0, -30.5])
WITH_NAN = Arg(data=[np.nan, 1.0, np.inf, -np.inf]), Arg(data=[2.0, np.nan, 1.0, 1.0])

KINKS: list[Sample] = [
    S("sinc", lambda t, x: t.sinc(x), EDGES),
    S("copysign", lambda t, x, y: t.copysign(x, y), EDGES, Arg(data=[-1.0, 1.0, -0.0, 0.0])),
    S("fmax", lambda t, x, y: t.fmax(x, y), *WITH_NAN, note="nan"),
    S("fmin", lambda t, x, y: t.fmin(x, y), *WITH_NAN, note="nan"),
    S("fmax", lambda t, x, y: t.fmax(x, y), EDGES, EDGES, note="ties"),
    S("clamp_tensor", lambda t, x, a, b: t.clamp(x, a, b), EDGES, EDGES, EDGES, note="on both"),
    S("lgamma", lambda t, x: t.lgamma(x), FAR),
    S("digamma", lambda t, x: t.digamma(x), FAR),
    S("digamma", lambda t, x: t.digamma(x), Arg(data=[0.0, -1.0, 1.0], grad=False), note="poles"),
    S("erfinv", lambda t, x: t.erfinv(x), Arg(data=[0.0, 1.0, -1.0, 1 - 1e-9])),
    S("special_entr", lambda t, x: t.special.entr(x), Arg(data=[0.5, 1.0])),
    S("special_erfcx", lambda t, x: t.special.erfcx(x), FAR),
    S("special_log_ndtr", lambda t, x: t.special.log_ndtr(x), Arg(data=[5.0, -9.0])),
    S("special_ndtri", lambda t, x: t.special.ndtri(x), Arg(data=[1e-20, 0.5, 0.999])),
]

# what PyTorch refuses to differentiate: only their values are compared
REFUSED: list[Sample] = [
    S("floor_divide", lambda t, x: x // 2, OFF_STEPS),
    S("floor_divide_into", lambda t, x: 5 // x, M),
    S("floor_divide_tensor", lambda t, x, y: x // y, OFF_STEPS, M),
    S("remainder_of", lambda t, x: 5 % x, M),
    S("heaviside", lambda t, x, y: t.heaviside(x, y), EDGES, replace(EDGES, data=[2, 3, 4, 5])),
]

STEPS = "a step function has no formula"
HELD = "the comparison with one bound contains the comparison with the other"
NOT_PROVED = {
    "div_mode-floor": STEPS,
    "div_mode-trunc": STEPS,
    "round_decimals": STEPS,
    "round_decimals-tens": STEPS,
    "clamp_tensor": HELD,
    "clamp_tensor-bounds_in_the_wrong_order": HELD,
    "special_entr": "the result is -∞ below 0, and a formula cannot contain infinity",
}

FLAT = "0 times anything is 0"
AT_0 = "it matters at 0 only, which is tested beside PyTorch"
NO_NAN = "entries are no nan here; those are tested beside PyTorch"
TURNED = "where(eq(self, 0), 0, result / where(eq(self, 0), 1, self))"
REFUSES = "the rule of a only raises an error: like PyTorch, there is none"
EQUIVALENT = {
    **{
        (op, "self", label): REFUSES
        for op in ("igamma", "igammac")
        for label in ("sign", "factor", "the rule of other")
    },
    ("special_i1", "self", "2 in where(away, self, 1)"): "the number there is not taken",
    ("special_i1e", "self", "2 in where(away, self, 1)"): "the number there is not taken",
    ("div_mode", "self", "the rule of other"): FLAT,
    ("div_mode", "other", "the rule of self"): FLAT,
    **{
        (op, given, change): FLAT
        for op, given in (
            ("div_mode", "self"), ("div_mode", "other"), ("round_decimals", "self"),
            ("sgn", "self"), ("copysign", "other"), ("nextafter", "other"),
        )
        for change in ("factor", "sign")
    },
    **{
        (op, "self", change): AT_0
        for op in ("copysign", "copysign_number")
        for change in (f"1 in {TURNED}", "2 in where(eq(self, 0), 1, self)", "1 in eq(self, 0)")
    },
    **{
        (op, "self", f"Div in grad * {TURNED}"): "a sign is 1 or -1"
        for op in ("copysign", "copysign_number")
    },
    ("fmax", "other", "1 in where(isnan(other), 0, where(ge(self, other), 0, grad))"): NO_NAN,
    ("fmin", "other", "1 in where(isnan(other), 0, where(le(self, other), 0, grad))"): NO_NAN,
    **{
        ("sinc", "self", change): AT_0
        for change in (
            "1 in where(eq(self, 0), 0, (cos(x) - sin(x) / x) / x * pi)",
            "2 in where(eq(self, 0), 1, self)",
            "1 in eq(self, 0)",
        )
    },
    **{
        ("special_xlog1py", "self", change): AT_0
        for change in (
            "no minus in le(other, -1)",
            "2 in le(other, -1)",
            "1 in eq(self, 0)",
            "1 in where(eq(self, 0) & le(other, -1), 0, xlog1py(grad, other))",
        )
    },
    **{
        (f"{op}_other", "self", change): AT_0
        for op, least in (("xlogy", "0"), ("special_xlog1py", "-1"))
        for change in (
            f"1 in where(eq(self, 0) & le(y, {least}), 0, {op.removeprefix('special_')}(grad, y))",
            "1 in eq(self, 0)",
            "only the right in zeros_like(self) + other",
            *(["1 in le(y, 0)"] if least == "0" else ["no minus in le(y, -1)", "2 in le(y, -1)"]),
        )
    },
    **{
        ("atan2", given, change): "it matters at the origin only, which is tested beside PyTorch"
        for given, product in (("self", "grad * other"), ("other", "-grad * self"))
        for change in ("1 in eq(square, 0)", f"1 in where(eq(square, 0), 0, {product} / square)")
    },
}  # fmt: skip
