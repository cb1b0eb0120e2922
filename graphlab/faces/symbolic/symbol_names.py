"""The symbols of a formula: one for each entry of each leaf, with the name of the tensor.

A name is data: it becomes the name of a symbol and is never parsed, so lambda, I, E and
<img onerror=...> are names like any other.

Read next: faces/symbolic/check.py
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from sympy.printing.pretty.stringpict import prettyForm

from graphlab.common.notebook import printable
from graphlab.faces.symbolic.live_graph import Tensor
from graphlab.primitives.sympy_reading.object_arrays import bare, places


def names_by_id(names: Mapping[Any, Any] | None) -> dict[int, str]:
    """Return names by the tensor's id. names: tensor -> name, id -> name, or name -> tensor.

    Raises: TypeError for anything else.
    """
    if names is not None and not isinstance(names, Mapping):
        raise TypeError(
            f"names: expected a dict such as {{a: 'a', b: 'b'}}, got {type(names).__name__}"
        )
    found: dict[int, str] = {}
    for key, value in (names or {}).items():
        if isinstance(value, Tensor):
            found[id(value)] = str(key)
        elif isinstance(key, Tensor | int):
            found[key if isinstance(key, int) else id(key)] = str(value)
        else:
            raise TypeError(
                "names: expected a name for each tensor, as in names={a: 'a', b: 'b'}, got the key "
                f"{key!r} of type {type(key).__name__}"
            )
    return found


def tensors_in(names: Mapping[Any, Any] | None) -> list[Tensor]:
    """Return the tensors that are keys or values of a mapping for `names_by_id`."""
    pairs = (names or {}).items()
    return [x for pair in pairs for x in pair if isinstance(x, Tensor)]


def name_tensors(tensors: Sequence[Tensor], names: Mapping[Any, str] | None) -> dict[Tensor, str]:
    """Return a name for each tensor: the caller's, or else x1, x2, ... in the order of first use.

    names: keys are tensors, or their `id`.
    """
    given = names_by_id(names)
    taken = set(given.values())
    found: dict[Tensor, str] = {}
    number = 0
    for tensor in tensors:
        name = given.get(id(tensor), "")
        while not name:
            number += 1
            if f"x{number}" not in taken:
                name = f"x{number}"
        found[tensor] = name
    return found


def entry_name(name: str, index: tuple[int, ...]) -> str:
    """Return the name of an entry: W_0_1 for (0, 1), the plain name for ()."""
    return "_".join((name, *map(str, index)))


REAL = {"real": True}
PLAIN = re.compile(r"(?!.*__)[\w.′]+")  # names that SymPy's printers show as they are


class Named(sympy.Symbol):
    """A symbol with any other name: SymPy's printers show it as text, not as LaTeX."""

    def _latex(self, printer: Any) -> str:
        name, index = re.fullmatch(r"(.+?)((?:_\d+)*)", self.name, re.S).groups()  # type: ignore
        own = printer._settings["symbol_names"].get(self)
        return own or tex_name(name, index.split("_")[1:])

    def _sympystr(self, printer: Any) -> str:
        return printable(self.name)

    def _pretty(self, printer: Any) -> prettyForm:
        return prettyForm(printable(self.name))


def symbol_named(name: str, **facts: bool) -> sympy.Symbol:
    """Make a symbol. facts: SymPy's assumptions."""
    return (sympy.Symbol if PLAIN.fullmatch(name) else Named)(name, **facts)


POSSIBLE = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")


class SymbolTable:
    """The symbols of all entries, each with its own name, and their LaTeX."""

    def __init__(self) -> None:
        self.latex: dict[sympy.Symbol, str] = {}
        self.plain: dict[sympy.Symbol, str] = {}
        self._taken: set[str] = set()

    def make(
        self, name: str, index: tuple[int, ...], facts: Mapping[str, bool] = REAL
    ) -> sympy.Symbol:
        """Make a real symbol; a name that is taken gets a prime, x′. facts: SymPy's assumptions."""
        text = entry_name(name, index)
        while text in self._taken:
            name, text = name + "′", entry_name(name + "′", index)
        self._taken.add(text)
        symbol = symbol_named(text, **{**REAL, **facts})
        self.plain[symbol] = text
        self.latex[symbol] = tex_name(name, index)
        return symbol

    def whole(self, symbol: sympy.Symbol) -> sympy.Symbol:
        """Return the same symbol, assumed to be an integer."""
        facts = {k: v for k, v in symbol.assumptions0.items() if v and k in POSSIBLE}
        integer = symbol.func(symbol.name, **{**facts, "integer": True})
        self.plain[integer], self.latex[integer] = self.plain[symbol], self.latex[symbol]
        return integer

    def entries(self, tensor: Tensor, name: str, facts: Mapping[str, bool] = REAL) -> Any:
        """Make the symbols of a tensor, in its shape, or one bare symbol for a single entry."""
        shape = tuple(tensor.shape)
        single = tensor.numel() == 1
        out = np.empty(shape, object)
        for place in places(shape):
            out[place] = self.make(name, () if single else place, facts)
        return bare(out)


LONGEST = 24  # the most characters of a name in a formula
LETTERS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = frozenset(LETTERS.split())
ESCAPES = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "%": r"\%", "&": r"\&", "#": r"\#",
    "_": r"\_", "^": r"\wedge ", "~": r"\sim ", " ": r"\ ",
}  # fmt: skip


def escaped_tex(text: str) -> str:
    """Return text as LaTeX that prints it."""
    return "".join(ESCAPES.get(c, c) for c in text if c.isprintable())


def tex_name(name: str, index: Sequence[Any] = ()) -> str:
    """Return a name in LaTeX, escaped, with the index as subscripts: W_{0,1}.

    >>> tex_name("W", (0, 1)), tex_name("sigma"), tex_name("w_1"), tex_name("loss")
    ('W_{0,1}', '\\\\sigma', 'w_{1}', '\\\\mathrm{loss}')
    """
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    stem = stem.removesuffix("_")
    if not (digits and stem.isalpha() and stem.isascii()):
        stem, digits = name, ""
    if len(stem) > LONGEST:
        stem = stem[: LONGEST - 1] + "…"
    if stem in GREEK:
        base = "\\" + stem
    elif len(stem) == 1 and stem.isalpha():
        base = stem
    else:
        base = rf"\mathrm{{{escaped_tex(stem)}}}"
    subscripts = ",".join([*([digits] if digits else []), *map(str, index)])
    return f"{base}_{{{subscripts}}}" if subscripts else base
