"""Convert a formula in LaTeX to MathML, for pages that do not typeset LaTeX, such as nbconvert's.

Only the LaTeX that SymPy and the tables of the checker write is known; any other is refused.
Source: https://w3c.github.io/mathml-core.

Read next: faces/symbolic/html_elements.py
"""

import html
import re
from typing import NoReturn

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι "
    "kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ "
    "omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω "
    "ell ℓ infty ∞ top ⊤ emptyset ∅"
)
SIGNS = (
    "partial ∂ cdot · times × odot ⊙ otimes ⊗ oplus ⊕ circ ∘ pm ± leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ "
    "approx ≈ wedge ∧ vee ∨ neg ¬ in ∈ notin ∉ to → sum ∑ prod ∏ int ∫ ldots … cdots ⋯ vdots ⋮ "
    "ddots ⋱ lVert ‖ rVert ‖ lvert | rvert | lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ langle ⟨ rangle ⟩ "
    "mid ∣ prime ′ nabla ∇ div ÷ | ‖ { { } }"
)
NAMES = (
    "log ln exp sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan max min arg det "
    "sup inf lim Re Im deg dim gcd"
)
SPACES = {",": ".167em", ":": ".222em", ";": ".278em", " ": ".333em", "!": "0", "quad": "1em"}
FONTS = {
    **{"mathrm": "", "operatorname": "", "mathit": "font-style:italic", "mathsf": ""},
    **{"mathtt": "font-family:monospace", "mathbf": "font-weight:bold", "text": ""},
    **{"boldsymbol": "font-weight:bold", "textrm": "", "mathbb": "", "mathcal": ""},
}
_letters: dict[str, str] = dict(zip(GREEK.split()[::2], GREEK.split()[1::2], strict=True))
_signs: dict[str, str] = dict(zip(SIGNS.split()[::2], SIGNS.split()[1::2], strict=True))
_functions = frozenset(NAMES.split())


def mathml(tex: str) -> str:
    """Return a formula as a `<math>` element, in which all text is escaped.

    Raises: ValueError for unknown LaTeX.

    >>> mathml(r"\\frac{a}{2}")
    '<math displaystyle="true"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>'
    """
    try:
        reader = _Reader(tex)
        inner = reader.until("")
    except RecursionError:
        raise ValueError("this formula is nested too deeply for MathML") from None
    return f'<math displaystyle="true">{inner}</math>'


class _Reader:
    """A parser of LaTeX, which reads token by token."""

    def __init__(self, tex: str) -> None:
        self.tokens = TOKEN.findall(tex)
        self.at = 0
        self.ended_by = ""

    def until(self, *ends: str) -> str:
        """Read up to one of `ends`, and past it; "" is the end of the formula."""
        parts: list[str] = []
        while (token := self.next()) not in ends:
            parts.append(self.scripted(self.atom(token)))
        self.ended_by = token
        return parts[0] if len(parts) == 1 else "".join(parts)

    def next(self) -> str:
        """Return the next token that is not a space, and go past it; "" at the end."""
        token = self.peek()
        self.at += 1
        return token

    def peek(self) -> str:
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def argument(self) -> str:
        token = self.next()
        return row(self.until("}")) if token == "{" else self.atom(token)

    def scripted(self, base: str) -> str:
        """Return an atom with its subscript and superscript."""
        found: dict[str, str] = {}
        while self.peek() in ("_", "^", "'"):
            mark = self.next()
            if mark == "'":
                found["^"] = "<mo>′</mo>"
            else:
                found[mark] = self.argument()
        if not found:
            return base
        tag = {"_": "msub", "^": "msup"}.get("".join(found), "msubsup")
        return f"<{tag}>{row(base)}{found.get('_', '')}{found.get('^', '')}</{tag}>"

    def atom(self, token: str) -> str:
        if token in ("", "}", "&", "_", "^", "$", "#", "%"):
            unknown(token or "the end")
        if token == "{":
            return row(self.until("}"))
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{html.escape(token)}</mi>"
        return sign("−" if token == "-" else token, token in "()[]|")

    def command(self, name: str) -> str:
        if name in _letters:
            return f"<mi>{_letters[name]}</mi>"
        if name in _signs:
            return sign(_signs[name], False)
        if name in _functions:
            return f"<mi>{name}</mi>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in FONTS:
            return word(self.text(), FONTS[name], "mtext" if name == "text" else "mi")
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if name == "sqrt":
            if self.peek() != "[":
                return f"<msqrt>{self.argument()}</msqrt>"
            self.next()
            power = row(self.until("]"))
            return f"<mroot>{self.argument()}{power}</mroot>"
        if name in ("overline", "bar", "hat", "tilde", "dot"):
            over = {"hat": "^", "tilde": "~", "dot": "˙"}.get(name, "¯")
            return f"<mover>{self.argument()}<mo>{over}</mo></mover>"
        if name == "left":
            first, inner = self.delimiter(), self.until("\\right")
            return f"<mrow>{first}{inner}{self.delimiter()}</mrow>"
        if name == "begin":
            return self.table(self.text())
        return f"<mi>{name}</mi>" if name == "_" else unknown(f"\\{name}")

    def delimiter(self) -> str:
        token = self.next()
        if token == ".":
            return ""
        return sign(_signs.get(token.removeprefix("\\"), token), True)

    def table(self, kind: str) -> str:
        """Return the rows of a matrix, or the cases of a function."""
        if kind == "array":
            self.text()
        rows: list[list[str]] = [[]]
        side = ' style="text-align:left"' if kind == "cases" else ""
        while True:
            cell = self.until("&", "\\\\", "\\end")
            rows[-1].append(f"<mtd{side}>{cell}</mtd>")
            if self.ended_by == "\\end":
                break
            if self.ended_by == "\\\\":
                rows.append([])
        if self.text() != kind:
            unknown(kind)
        whole = "".join(f"<mtr>{''.join(cells)}</mtr>" for cells in rows)
        left, right = {"cases": ("{", ""), "bmatrix": ("[", "]"), "pmatrix": ("(", ")")}.get(
            kind, ("", "")
        )
        closed = sign(right, True) if right else ""
        opened = sign(left, True) if left else ""
        return f"<mrow>{opened}<mtable>{whole}</mtable>{closed}</mrow>"

    def text(self) -> str:
        """Return an argument that is plain text."""
        if self.next() != "{":
            unknown("an argument without braces")
        close = self.tokens.index("}", self.at) if "}" in self.tokens[self.at :] else self.at
        parts = self.tokens[self.at : close]
        if not parts or any(x in "{^$" or (x[0] == "\\" and x[1:].isalpha()) for x in parts):
            unknown("".join(parts) or "an empty text")
        self.at = close + 1
        return "".join(part.removeprefix("\\") for part in parts)


def row(inner: str) -> str:
    """Return several elements as one."""
    single = re.fullmatch(r"<(m[inot]|mtext)[^<>]*>[^<>]*</\1>", inner)
    return inner if single else f"<mrow>{inner}</mrow>"


def sign(text: str, stretches: bool) -> str:
    """Return an operator or a bracket. stretches: whether it is as tall as what it encloses."""
    return f'<mo stretchy="{str(stretches).lower()}">{html.escape(text)}</mo>'


def word(text: str, style: str, tag: str) -> str:
    """Return a name in upright letters, or in the font of `style`."""
    styled = f' style="{style}"' if style else ""
    upright = ' mathvariant="normal"' if tag == "mi" and len(text) == 1 and not style else ""
    return f"<{tag}{upright}{styled}>{html.escape(text)}</{tag}>"


def unknown(what: str) -> NoReturn:
    """Raise a ValueError: there is no MathML for `what`."""
    raise ValueError(f"no MathML for {what}")
