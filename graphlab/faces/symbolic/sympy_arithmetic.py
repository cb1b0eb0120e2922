"""Arithmetic with entries that are SymPy expressions.

The result of comparing symbols is unknown, so a symbol, a switch, stands for it: `relu(x)` is h x,
where h is 1 for x > 0 and 0 for x < 0. Differentiation treats h as a constant, which is right
everywhere except at the kink itself. So a proof with switches holds on all open regions at once.

Which of several entries is the largest depends on the current values of the leaves; a note says so.

Read next: faces/symbolic/budget.py
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from graphlab.faces.symbolic.budget import (
    LARGEST_DEGREE,
    MOST_BITS,
    Switch,
    Unsupported,
    bits_of,
    by_intervals,
    degree_of,
    kinks_on_a_line,
    on_branch,
    size_of,
    with_decimals,
)
from graphlab.faces.symbolic.html_elements import plain_text
from graphlab.faces.symbolic.live_graph import OneOfAll
from graphlab.faces.symbolic.mp_arithmetic import OutsideDomain, context, evaluate

FACTORS = {  # why there is no formula
    "eigh": "eigenvalues have no formula in the entries of a matrix",
    "matrix_exp": "the exponential of a matrix has no finite formula in its entries",
    "qr": "the signs of Q and R depend on numbers",
    "svd": "singular values have no formula in the entries of a matrix",
}
STEPS = {"floor": "floor", "nint": "round"}  # functions that jump
FACTORIALS = ("loggamma", "lowergamma", "polygamma", "uppergamma")  # expanded for integers
LARGE_POWER = 1_000
LONGEST_CONDITION = 44  # characters
SHORT = 60  # operations: a formula up to this size has cases for each of two conditions
INFINITY = sympy.S.Infinity
DIGITS = "a number in the formula would have thousands of digits"


@dataclass(slots=True)
class SymPyArithmetic:
    """Entries are SymPy expressions in real symbols.

    point: the current values of the symbols, and of the switches.
    kinks: the expressions that are 0 at the current values, so that there is no single slope.
    notes: what depends on the current values. ties: whether entries tied for the largest.
    sizes: of expressions, by `size_of`. written_sizes: the same with the switches written out.
    degrees: by `degree_of`. limit: a larger expression is refused as soon as it is made.
    """

    point: dict[sympy.Symbol, Any] = field(default_factory=dict)
    steps: dict[sympy.Expr, Switch] = field(default_factory=dict)
    signs: dict[sympy.Expr, Switch] = field(default_factory=dict)
    gates: dict[sympy.Expr, Any] = field(default_factory=dict)  # h x -> h, positive if h is; when
    kinks: list[sympy.Expr] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    parts: set[Any] = field(default_factory=set)  # functions and powers, simplified later or not
    ties: bool = False
    op: Any = None  # the operation that runs
    infinite: float = 0.0  # the last infinite constant; 0 if there is none
    memo: dict[Any, Any] = field(default_factory=dict)
    written: dict[Any, sympy.Expr] = field(default_factory=dict)  # switches, written out
    sizes: dict[Any, int] = field(default_factory=dict)
    written_sizes: dict[Any, int] = field(default_factory=dict)
    degrees: dict[Any, int] = field(default_factory=dict)
    limit: int | None = None

    def number(self, value: Any) -> sympy.Expr:
        if isinstance(value, sympy.Basic):
            return value  # type: ignore[return-value]
        if isinstance(value, bool | np.bool_):
            return sympy.Integer(int(value))
        if isinstance(value, int | np.integer):
            return sympy.Integer(int(value))
        if isinstance(value, Fraction):
            return sympy.Rational(value.numerator, value.denominator)
        if np.isinf(value):
            self.infinite = float(value)
            return INFINITY if value > 0 else -INFINITY
        raise no_part_of_a_formula(value)

    def require_finite(self, made: Any) -> None:
        """Raise Unsupported if an infinite constant has become a part of a formula.

        An entry that is only an infinite constant is allowed, because a softmax makes it 0.
        """
        if not self.infinite or made in (INFINITY, -INFINITY):
            return
        if made.has(INFINITY, -INFINITY, sympy.S.ComplexInfinity, sympy.S.NaN):
            raise no_part_of_a_formula(self.infinite)

    def hold(self, entry: Any) -> sympy.Expr:
        """Return the current value of an entry as a constant."""
        value = self.value(entry)
        return sympy.Rational(str(value)) if abs(value) < LARGE_POWER else self.number(int(value))

    def function(self, name: str, *x: Any) -> sympy.Expr:
        if name in STEPS:
            raise Unsupported(f"{STEPS[name]} is a step function, which has no formula here")
        inputs = [self.number(one) for one in x]
        if name in FACTORIALS and any(x.is_number and abs(x) > LARGE_POWER for x in inputs):
            raise Unsupported(DIGITS)
        self.parts.add(made := getattr(sympy, name)(*inputs))
        return made

    def power(self, x: Any, y: Any) -> sympy.Expr:
        """Return x to the y. Raises: Unsupported if a number would have thousands of digits.

        SymPy calculates 2ⁿ in (2 x)ⁿ, and also any power in which switches become 1 or 0.
        """
        x, y = self.number(x), self.number(y)
        if y.is_number and abs(y) > 1 and not y.is_infinite:
            numbers = [part for part in sympy.Mul.make_args(x) if part.is_number]
            bits = sum(map(bits_of, numbers))
            switched = abs(y) > LARGE_POWER and not x.free_symbols.isdisjoint(self.switches)
            if switched or bits * abs(y) > MOST_BITS:
                raise Unsupported(DIGITS)
        self.parts.add(made := x**y)
        return made

    def total(self, entries: Sequence[Any]) -> sympy.Expr:
        made = sympy.Add(*entries)
        self.check_size(made)
        return made

    def check_size(self, made: sympy.Basic) -> None:
        """Raise Unsupported if an expression is too large to work with."""
        if self.limit is not None and size_of(made, self.sizes) > self.limit:
            if any(bits_of(number) > MOST_BITS for number in made.atoms(sympy.Rational)):
                raise Unsupported(DIGITS)
            raise Unsupported(f"the formula has more than {self.limit} operations")
        if self.limit is not None and degree_of(made, self.degrees) > LARGEST_DEGREE:
            raise Unsupported(f"the formula has powers of sums of a degree above {LARGEST_DEGREE}")

    def value(self, expression: Any) -> Any:
        """Return the expression's current value. Raises: Unsupported if it has no real value."""
        try:
            return evaluate(self.number(expression), self.point, memo=self.memo)
        except (OutsideDomain, ZeroDivisionError):
            raise Unsupported(
                "a comparison depends on a value outside the domain of the formula"
            ) from None

    def sign_of(self, difference: sympy.Expr) -> int | None:
        """Return 1, -1 or 0 if the sign is the same for all values of the symbols, else None."""
        if difference.is_number:
            value = self.value(difference)
            small = context().mpf(10) ** -40
            return 0 if abs(value) < small else 1 if value > 0 else -1
        if len(difference.args) > 4 or degree_of(difference, self.degrees) > LARGEST_DEGREE:
            return None
        return 1 if difference.is_positive else -1 if difference.is_negative else None

    def switch(self, of: sympy.Expr, kind: str, tie: Any = sympy.S.Half) -> Switch:
        table = self.signs if kind == "sign" else self.steps
        if of not in table:
            name = ("s" if kind == "sign" else "h") + str(len(self.signs) + len(self.steps))
            op = self.op.name if self.op else "PyTorch"
            made = table[of] = Switch(sympy.Dummy(name, real=True), of, kind, tie, op)
            self.written_sizes[made.symbol] = 1 + size_of(of, self.written_sizes)
            value = self.value(of)
            if value == 0 and of not in self.kinks:
                self.kinks.append(of)
            at = made.at(1 if value > 0 else -1 if value else 0)
            self.point[made.symbol] = evaluate(sympy.sympify(at), {})
        return table[of]

    def decide(self, x: Any, y: Any) -> sympy.Expr:
        """Return the weight of x > y in a mask, 0 if both are equal."""
        return self.above(x, y, sympy.S.Zero, "mask")

    def above(self, x: Any, y: Any, tie: Any = sympy.S.Zero, kind: str = "choice") -> sympy.Expr:
        """Return the weight of x > y: 1, 0, or the symbol of a switch."""
        difference = self.number(x) - self.number(y)
        self.check_size(difference)
        known = self.sign_of(difference)
        if known is not None:
            return sympy.Integer(int(known > 0))
        if difference in self.gates:
            return self.gates[difference][0]
        if -difference in self.steps:
            return 1 - self.steps[-difference].symbol
        return self.switch(difference, kind, tie).symbol

    def equal(self, x: Any, y: Any) -> bool:
        """Return whether both are the same expression; others are equal at single points only."""
        return self.number(x) - self.number(y) == 0

    def largest(self, entries: Sequence[Any], sign: int, shared: bool = False) -> int:
        """Return which entry is the largest now; note where the gradient goes if entries tie."""
        values = [sign * self.value(x) for x in entries]
        best = max(values)
        what = "largest" if sign > 0 else "smallest"
        self.note_choice(f"which entry is the {what}", values.count(best) > 1, shared)
        return values.index(best)

    def note_choice(self, what: str, tied: bool, shared: bool = False) -> None:
        """Note what depends on the current values, and where the gradient goes if entries tie."""
        note = f"{what} depends on the current values"
        if note not in self.notes:
            self.notes.append(note)
        if tied and not self.ties:
            self.ties = True
            shared = shared or (self.op is not None and issubclass(self.op, OneOfAll))
            does = "shares the gradient between" if shared else "gives each gradient to one of"
            self.notes.append(f"entries tie, and PyTorch {does} them")

    def extreme(self, entries: Sequence[Any], sign: int) -> sympy.Expr:
        return self.number(entries[self.largest(entries, sign, shared=True)])

    def direction(self, x: Any) -> sympy.Expr:
        """Return the sign of x: 1 or -1, or the symbol of a switch."""
        x = self.number(x)
        known = self.sign_of(x)
        if known is not None:
            return sympy.Integer(known)
        if x in self.gates:
            return self.gates[x][0]
        if -x in self.signs:
            return -self.signs[-x].symbol
        return self.switch(x, "sign").symbol

    def magnitude(self, x: Any) -> sympy.Expr:
        x = self.number(x)
        direction = self.direction(x)
        if not direction.is_number:
            self.gates.setdefault(direction * x, (sympy.S.One, x, "≠ 0"))
        return direction * x

    def larger(self, x: Any, y: Any) -> sympy.Expr:
        weight = self.weight(x, y, sympy.S.One)
        if y == 0 and not weight.is_number:
            for gate in (weight, weight * x):
                self.gates.setdefault(gate, (weight, x, "> 0"))
        return self.weighted(weight, x, y)

    def smaller(self, x: Any, y: Any) -> sympy.Expr:
        return self.weighted(self.weight(x, y, sympy.S.Zero), y, x)

    def weight(self, x: Any, y: Any, first: Any) -> sympy.Expr:
        """Return the weight of x > y in an extreme. first: its value where a tie goes to x.

        At the kink relu has the slope 0, maximum and minimum share the gradient between both
        inputs, and the others give it to the first one.
        """
        name = self.op.name if self.op else ""
        if name.startswith(("fm", "clamp")):
            return self.above(x, y, first, "first")
        half = name in ("maximum", "minimum") or y != 0
        return self.above(x, y, sympy.S.Half if half else sympy.S.Zero, "larger")

    def weighted(self, weight: sympy.Expr, x: Any, y: Any) -> sympy.Expr:
        """Return x if the weight is 1, y if it is 0, otherwise a mean; either may be infinite."""
        if weight in (0, 1):
            return self.number(x if weight == 1 else y)
        return weight * x + (1 - weight) * y

    def factors(self, name: str, A: np.ndarray, *more: Any) -> tuple[np.ndarray, ...]:
        raise Unsupported(FACTORS[name])

    def eliminate(self, A: np.ndarray) -> tuple[Any, np.ndarray | None]:
        raise Unsupported(f"a determinant of {len(A)} rows has more terms than a formula may have")

    @property
    def switches(self) -> dict[sympy.Symbol, Switch]:
        """Every switch, by its symbol."""
        return {s.symbol: s for s in (*self.steps.values(), *self.signs.values())}

    def shown(self, expression: sympy.Expr, inside: bool = False) -> sympy.Expr:
        """Return the expression with its switches written out. inside: whether in a condition."""
        expression = self.with_absolute_values(expression)
        present = expression.free_symbols & self.switches.keys()
        steps = [s for s in self.switches if s in present and self.switches[s].kind != "sign"]
        if not inside and (kinks := kinks_on_a_line([self.switches[s] for s in steps])):
            return by_intervals(expression, kinks, self.shown)
        masks = [s for s in steps if self.switches[s].kind == "mask"]
        few = len(steps) == 1 or (len(steps) == 2 and size_of(expression, self.sizes) <= SHORT)
        if not inside and (few or len(masks) in (1, 2)):
            return self.by_cases(expression, (masks or steps)[0])
        found: Any = expression.xreplace({s: self.written_out(s, inside) for s in present})
        return found

    def with_absolute_values(self, expression: Any) -> Any:
        """Write |x| for the product of x and its sign s; where x is not 0, s² is 1."""
        signs = {s.symbol: s.of for s in self.signs.values()}
        if expression.free_symbols.isdisjoint(signs):
            return expression

        def product(*factors: Any) -> Any:
            for symbol in signs.keys() & set(factors):
                parts = sympy.Mul.make_args(signs[symbol])
                if set(parts) <= set(factors):
                    rest = [f for f in factors if f != symbol and f not in parts]
                    return product(*rest, abs(signs[symbol]))
            return sympy.Mul(*factors)

        return self.without_squares(expression).replace(sympy.Mul, product)

    def without_squares(self, expression: Any) -> Any:
        """Write 1 for s², where s is a sign."""
        signs = {s.symbol for s in self.signs.values()}

        def is_power(part: Any) -> bool:
            return part.is_Pow and part.base in signs and part.exp.is_Integer

        return expression.replace(is_power, lambda part: part.base ** (part.exp % 2))

    def by_cases(self, expression: sympy.Expr, symbol: Any) -> sympy.Expr:
        """Return the cases of the expression, for a switch that is 1 and for 0."""
        switch = self.switches[symbol]
        condition = replace(switch, of=self.shown(switch.of, inside=True)).condition
        yes, no = (self.shown(on_branch(expression, symbol, n)) for n in (1, 0))
        if yes == no or no.has(sympy.zoo, sympy.nan):
            return yes
        if yes.has(sympy.zoo, sympy.nan):
            return no
        tie = [] if switch.tie in (0, 1) else [((yes + no) / 2, sympy.Eq(*condition.args))]
        rest = no.args if isinstance(no, sympy.Piecewise) else [(no, True)]
        return sympy.Piecewise((yes, condition), *tie, *rest, evaluate=False)

    def brief(self, expression: sympy.Expr, sign: str) -> str:
        """Return a condition such as "x > 0"; "" if it is long."""
        if size_of(expression, self.written_sizes) > LONGEST_CONDITION:
            return ""
        left, right = self.shown(expression), sympy.S.Zero
        number, rest = left.as_coeff_Add()
        if sign == "= 0" and rest != 0:  # x = 3 for x - 3 = 0
            turned = rest.could_extract_minus_sign()
            left, right = (-rest, number) if turned else (rest, -number)
        text = f"{plain_text(left)} {sign[0]} {plain_text(with_decimals(right)[0])}{sign[3:]}"
        return text if len(text) <= LONGEST_CONDITION else ""

    def written_out(self, symbol: Any, inside: bool) -> sympy.Expr:
        """Return the expression that a switch stands for.

        In a condition a step is written as Heaviside: SymPy expands the cases of a Piecewise in a
        condition, and every further one doubles their number.
        """
        if (symbol, inside) not in self.written:
            switch = self.switches[symbol]
            of = self.shown(switch.of, inside=True)
            step = inside and switch.kind != "sign"
            made = sympy.Heaviside(of, switch.tie) if step else replace(switch, of=of).expression
            self.written[symbol, inside] = made
        return self.written[symbol, inside]


def no_part_of_a_formula(constant: Any) -> Unsupported:
    """Return the reason why there is no formula with a constant that is NaN or infinite."""
    return Unsupported(f"a constant is {float(constant)}, which a formula cannot contain")
