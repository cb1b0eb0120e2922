"""Special functions of exact entries.

Read next: primitives/sympy_reading/shapes.py
"""

from collections.abc import Mapping
from typing import Any

from graphlab.primitives.sympy_reading.object_arrays import Arithmetic, Entry, each


def reading(entries: Arithmetic, known: Mapping[str, Any]) -> dict[str, Any]:
    """The primitives of this file, for one kind of entry."""
    function, root_2 = entries.function, entries.function("sqrt", entries.number(2))

    def log_ndtr(x: Entry) -> Entry:
        return function("log", (1 + function("erf", x / root_2)) / 2)

    def scaled_bessel(n: int, x: Entry) -> Entry:
        return function("exp", -function("Abs", x)) * function("besseli", n, x)

    def share(part: str) -> Any:
        return each(
            lambda a, x: function(part, a, x) * function("exp", -function("loggamma", a)), 2
        )

    return {
        "igamma": share("lowergamma"),
        "igammac": share("uppergamma"),
        "i0": each(lambda x: function("besseli", 0, x)),
        "i0e": each(lambda x: scaled_bessel(0, x)),
        "i1": each(lambda x: function("besseli", 1, x)),
        "i1e": each(lambda x: scaled_bessel(1, x)),
        "erf": each(lambda x: function("erf", x)),
        "erfc": each(lambda x: function("erfc", x)),
        "erfinv": each(lambda x: function("erfinv", x)),
        "erfcx": each(lambda x: function("exp", x * x) * function("erfc", x)),
        "ndtri": each(lambda p: root_2 * function("erfinv", 2 * p - 1)),
        "log_ndtr": each(log_ndtr),
        "lgamma": each(lambda x: function("loggamma", x)),
        "digamma": each(lambda x: function("polygamma", 0, x)),
        "polygamma": lambda n, x: each(lambda one: function("polygamma", n, one))(x),
    }
