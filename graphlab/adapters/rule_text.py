"""Rules are written as formulas for a reader: `grad * other` becomes "∂e/∂v · c".

The formula comes from the source of the rule, with the names of the tensors inserted, so that no
formula is written twice. A rule that is not a single expression has no formula. A rule is read once
for each combination of options, with marks in place of names.

Read next: adapters/native/graph_copy.py
"""

import ast
import inspect
import operator
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeGuard

from graphlab.adapters.native.variable_names import bracketed
from graphlab.graph.events import Span, Spans
from graphlab.primitives.numpy_reading.reductions import count

SUM, SIGN, PRODUCT, GRADIENT, POWER, ATOM = range(6)  # how tightly an expression binds
Bound = tuple[str, int]  # a text, and how tightly it binds
_SYMBOLS = {
    ast.Add: ("+", SUM), ast.Sub: ("−", SUM), ast.Mult: ("·", PRODUCT), ast.Div: ("/", PRODUCT),
}  # fmt: skip
_COMPARISONS = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤", "eq": "="}
_CONSTANT = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mod: operator.mod}
_JOINED = {ast.BitAnd: "and", ast.BitOr: "or"}
_TESTS = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt}
# primitives that only rearrange entries: a formula shows their first argument instead
_SILENT = ("expand", "reshape", "restore_dims", "squeeze", "unsqueeze", "astype", "copy")
# primitives that textbooks write as functions; all others have no formula
_SPOKEN = (
    "exp", "log", "log1p", "sin", "cos", "tanh", "sigmoid", "sign", "maximum", "minimum", "where",
)  # fmt: skip
_SUPERSCRIPTS = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

# characters that no name contains: they mark the place of a name, and one that may need brackets
MARK, ATOM_MARK = "\ue000", "\ue001"
MARKED = re.compile(f"∂?{MARK}(\\d+){MARK}({ATOM_MARK}?)")


class Unreadable(Exception):
    """The rule is not a formula that can be written on one line."""


@cache
def returned(function: Callable[..., Any]) -> ast.expr | None:
    """The expression that a one-line function returns; None for a longer function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None
    body = [line for line in definition.body if not _is_docstring(line)]
    last = body[0] if len(body) == 1 else None
    return last.value if isinstance(last, ast.Return) else None


def _is_docstring(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def written(
    function: Callable[..., Any], names: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """The formula that `function` returns, with names inserted; "" if it is not one expression.

    >>> def grad_self(grad, other): return grad * other
    >>> written(grad_self, {"grad": "∂e/∂v", "other": "c"}, {})
    '∂e/∂v · c'
    """
    return "".join(_with_names(False, function, names, options))


def formula_spans(
    function: Callable[..., Any], names: Mapping[str, Span], options: Mapping[str, Any]
) -> Spans:
    """The formula with a span for each name; () if it is not one expression.

    >>> def forward(self, other): return self * other
    >>> formula_spans(forward, {"self": ("value", "-2.0"), "other": ("value", "3.0")}, {})
    ('(', ('value', '-2.0'), ') · ', ('value', '3.0'))
    """
    return joined(_with_names(False, function, names, options))


def joined(spans: Iterable[Span]) -> Spans:
    """Spans in which adjacent plain texts are joined; empty ones are left out."""
    found: list[Span] = []
    for span in spans:
        if isinstance(span, str) and found and isinstance(found[-1], str):
            found[-1] += span
        elif span:
            found.append(span)
    return tuple(found)


def local_factor(
    function: Callable[..., Any], names: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """The factor of the incoming gradient in a rule: "c" for `grad * other`; "" if unknown."""
    return "".join(_with_names(True, function, names, options))


def _with_names(
    factor: bool, function: Callable[..., Any], names: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Any]:
    """The parts of a formula: its text, with a name, or its span, in place of each mark."""
    spans = list(names.values())
    words = tuple([(k, isinstance(x, str) and x.startswith("∂")) for k, x in names.items()])
    given = tuple([(word, type(value), value) for word, value in options.items()])  # True is not 1
    try:
        pieces = _pattern(factor, function, words, given)
    except TypeError:  # an option that cannot be a key of a dictionary
        pieces = _pattern.__wrapped__(factor, function, words, given)
    parts: list[Any] = [pieces[0]]
    for number, is_atom, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        span = spans[int(number)]
        said = span if isinstance(span, str) else span[1]
        brackets = ("(", ")") if is_atom and bracketed(said) != said else ("", "")
        parts += brackets[0], span, brackets[1] + text
    return parts


@lru_cache(maxsize=4096)
def _pattern(
    factor: bool,
    function: Callable[..., Any],
    words: tuple[tuple[str, bool], ...],
    given: tuple[tuple[str, type, Any], ...],
) -> list[str]:
    """The text of a rule, split at the marks of names: text, number, "" or ATOM_MARK, text, …"""
    names = {
        word: ("∂" if gradient else "") + f"{MARK}{k}{MARK}"
        for k, (word, gradient) in enumerate(words)
    }
    return MARKED.split(read(factor, function, names, {word: value for word, _, value in given}))


def read(
    factor: bool, function: Callable[..., Any], names: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """The text of a rule, or of its factor, read without the cache; "" if it has none."""
    tree = returned(function)
    if tree is None:
        return ""
    reader = Reader(names, options)
    try:
        return reader.factor(reader.chosen(tree)) if factor else reader.text(tree)[0]
    except Unreadable:
        return ""


class Reader:
    """Writes the expressions of one rule, with its names and options."""

    def __init__(self, names: Mapping[str, str], options: Mapping[str, Any]) -> None:
        self.names, self.options = names, options

    def factor(self, tree: ast.expr) -> str:
        """The text of the factor by which an expression multiplies `grad`."""
        if _is_grad(tree):
            return "1"
        if isinstance(tree, ast.UnaryOp) and _is_grad(tree.operand):
            return "−1"
        if isinstance(tree, ast.BinOp):
            if isinstance(tree.op, ast.Mult) and _is_grad(tree.left):
                return self.text(tree.right)[0]
            if isinstance(tree.op, ast.Mult) and _is_negative_grad(tree.left):
                return "−" + self.tight(tree.right, SIGN)
            if isinstance(tree.op, ast.Div) and _is_grad(tree.left):
                return "1/" + self.tight(tree.right, GRADIENT)
        if is_call(tree, "where") and _is_grad(tree.args[1]) and ast.unparse(tree.args[2]) == "0":
            return f"[{self.text(tree.args[0])[0]}]"  # Iverson bracket: 1 where it holds, else 0
        if (cut := _cut_off(tree)) is not None and _is_grad(cut[1]):
            return f"[{self.above(cut[0])}]"
        raise Unreadable

    def above(self, tree: ast.Call) -> str:
        """The opposite of a condition `le(a, b)`: "a > b"."""
        left, right = (self.tight(side, SUM - 1) for side in tree.args)
        return f"{left} > {right}"

    def chosen(self, tree: ast.expr) -> ast.expr:
        """Of `x if alpha == 1 else y`, the branch that the options choose."""
        while isinstance(tree, ast.IfExp):
            tree = tree.body if self.holds(tree.test) else tree.orelse
        return tree

    def holds(self, test: ast.expr) -> bool:
        """Whether `option == constant`, `option is None`, `option % 1` or `option` holds."""
        options = self.options
        if isinstance(test, ast.Compare) and type(test.ops[0]) in _TESTS:
            sides = self.constant(test.left), self.constant(test.comparators[0])
            if None not in sides:
                return _TESTS[type(test.ops[0])](*sides)
        if (
            isinstance(test, ast.Compare)
            and isinstance(test.left, ast.Name)
            and isinstance(test.comparators[0], ast.Constant)
            and test.left.id in options
        ):
            value, constant = options[test.left.id], test.comparators[0].value
            if isinstance(test.ops[0], ast.IsNot):
                return value is not constant
            return value is constant if isinstance(test.ops[0], ast.Is) else value == constant
        if isinstance(test, ast.BinOp) and (number := self.constant(test)) is not None:
            return bool(number)
        if isinstance(test, ast.Name) and test.id in options:
            return bool(options[test.id])
        raise Unreadable

    def tight(self, tree: ast.expr, above: int) -> str:
        """The text of a part, in brackets if it binds no more tightly than `above`."""
        text, binding = self.text(tree)
        return text if binding > above else f"({text})"

    def text(self, tree: ast.expr) -> Bound:
        """The text of an expression, and how tightly it binds."""
        tree = self.chosen(tree)
        number = self.constant(tree)
        if number is not None:
            return _number_text(number), ATOM if number >= 0 else SIGN
        if isinstance(tree, ast.Name):
            return self.name(tree.id)
        if isinstance(tree, ast.Constant):
            return str(tree.value), ATOM
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            return "−" + self.tight(tree.operand, SIGN), SIGN
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow):
            return self.power(tree)
        if isinstance(tree, ast.BinOp) and type(tree.op) in _JOINED:  # two conditions
            word = _JOINED[type(tree.op)]
            return f"{self.text(tree.left)[0]} {word} {self.text(tree.right)[0]}", SUM - 1
        if isinstance(tree, ast.BinOp) and type(tree.op) in _SYMBOLS:
            symbol, binding = _SYMBOLS[type(tree.op)]
            if binding == PRODUCT and self.constant(tree.right) == 1:
                return self.text(tree.left)
            if symbol == "·" and (times := _repeats(tree)) > 1:
                return self.tight(tree.right, POWER) + str(times).translate(_SUPERSCRIPTS), POWER
            if symbol == "·" and (number := self.constant(tree.left)) in (1, -1):
                right = self.tight(tree.right, SIGN)
                return (right, PRODUCT) if number == 1 else ("−" + right, SIGN)
            if symbol == "·" and _is_column(tree.left) and _is_column(tree.right):
                symbol = "⊗"  # a column times a row
            if symbol == "/":  # a/b/c and ∂e/∂v/2 would be ambiguous to a reader
                parts = (self.tight(side, GRADIENT) for side in (tree.left, tree.right))
                return "/".join(parts), binding
            left = self.tight(tree.left, -1 if binding == SUM else SUM)
            chain = self.chosen(tree.right), tree  # a · b · c needs no brackets
            is_chain = all(isinstance(x, ast.BinOp) and isinstance(x.op, ast.Mult) for x in chain)
            return (
                f"{left} {symbol} {self.tight(tree.right, SUM if is_chain else binding)}",
                binding,
            )
        if (cut := _cut_off(tree)) is not None:
            return f"where({self.above(cut[0])}, {self.argument(cut[1])}, 0)", ATOM
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            return self.call(tree.func.id, tree.args)
        raise Unreadable

    def constant(self, tree: ast.expr) -> float | None:
        """The value of an expression of numbers and options, such as `exponent - 1`."""
        if isinstance(tree, ast.Constant):
            value = tree.value
        elif isinstance(tree, ast.Name):
            value = self.options.get(tree.id)
        elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            value = self.constant(tree.operand)
            value = None if value is None else -value
        elif is_call(tree, "count"):
            words = [ast.unparse(argument) for argument in tree.args]
            known = {*words} <= {*self.options}
            value = count(*(self.options[word] for word in words)) if known else None
        elif isinstance(tree, ast.BinOp) and type(tree.op) in _CONSTANT:
            left, right = self.constant(tree.left), self.constant(tree.right)
            if left is None or right is None:
                return None
            value = _CONSTANT[type(tree.op)](left, right)
        else:
            return None
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def name(self, name: str) -> Bound:
        """The user's name for an argument of the rule, or the value of an option."""
        if name in self.names:
            text = self.names[name]
            if text.startswith("∂"):
                return text, GRADIENT
            return (text + ATOM_MARK if text.endswith(MARK) else bracketed(text)), ATOM
        if name in self.options:
            return str(self.options[name]), ATOM
        raise Unreadable

    def power(self, tree: ast.BinOp) -> Bound:
        """A power: x² for an integer exponent, otherwise x^y."""
        number = self.constant(tree.right)
        if number == 1:
            return self.text(tree.left)
        if number == 0:
            return "1", ATOM
        base = self.tight(tree.left, POWER)
        if number is None:
            return f"{base}^{self.tight(tree.right, POWER)}", POWER
        exponent = _number_text(number)
        if exponent.lstrip("−").isdigit():
            return base + exponent.translate(_SUPERSCRIPTS), POWER
        return f"{base}^{exponent}", POWER

    def call(self, word: str, args: list[ast.expr]) -> Bound:
        """A primitive with its arguments, in the usual notation."""
        if word == "matmul":  # a matrix times a matrix is written without a sign
            left, right = (self.tight(argument, PRODUCT) for argument in args[:2])
            return f"{left} {right}", PRODUCT
        if word == "blend":  # beta · self + alpha · product; PyTorch's addmm
            base, beta, product, alpha = args
            if self.constant(beta) != 1 or self.constant(alpha) != 1:
                raise Unreadable
            return f"{self.text(product)[0]} + {self.tight(base, SUM)}", SUM
        if word == "times":
            if self.constant(args[1]) == 1:
                return self.text(args[0])
            return f"{self.text(args[1])[0]} · {self.tight(args[0], SUM)}", PRODUCT
        if word in ("transpose", "permute"):
            return self.tight(args[0], POWER) + "ᵀ", ATOM
        if word == "sqrt":
            return "√" + self.tight(args[0], POWER), POWER
        if word == "abs":
            return f"|{self.argument(args[0])}|", ATOM
        if word == "sum_to" and not self.options.get("sums", True):
            return self.text(args[0])  # the shapes are the same: nothing is summed
        if word in ("sum", "sum_to"):
            return f"Σ {self.tight(args[0], SUM)}", PRODUCT
        if word == "gt" and is_call(args[0], "abs") and self.constant(args[1]) == 0:
            return f"{self.tight(args[0].args[0], SUM - 1)} ≠ 0", SUM
        if word in _COMPARISONS:
            left, right = (self.tight(argument, SUM - 1) for argument in args)
            return f"{left} {_COMPARISONS[word]} {right}", SUM
        if word in _SILENT:
            return self.text(args[0])
        if word == "zeros_like":
            return "0", ATOM
        if word not in _SPOKEN:
            raise Unreadable  # the operation's phrase says it in words
        return f"{word}({', '.join(map(self.argument, args))})", ATOM

    def argument(self, tree: ast.expr) -> str:
        """The text of a function's argument, which needs no brackets of its own."""
        if isinstance(tree, ast.Name) and tree.id in self.names:
            return self.names[tree.id]
        return self.text(tree)[0]


def _is_grad(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Name) and tree.id == "grad"


def _is_negative_grad(tree: ast.expr) -> bool:
    return (
        isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub) and _is_grad(tree.operand)
    )


def _cut_off(tree: ast.expr) -> tuple[ast.Call, ast.expr] | None:
    """The condition and the rest of `where(le(a, b), 0, c)`, which at nan is c, as in PyTorch."""
    if not is_call(tree, "where") or ast.unparse(tree.args[1]) != "0":
        return None
    condition, _, rest = tree.args
    return (condition, rest) if is_call(condition, "le") else None


def _repeats(product: ast.expr) -> int:
    """How often a product has the same factor: 3 for x · x · x; 1 if its factors differ."""
    factors = ast.unparse(product).split(" * ")
    return len(factors) if len({*factors}) == 1 else 1


def _is_column(tree: ast.expr) -> bool:
    """Whether an expression only gives a vector a second dimension."""
    return is_call(tree, "unsqueeze")


def is_call(tree: ast.expr, word: str) -> TypeGuard[ast.Call]:
    """Whether an expression calls the primitive `word`."""
    return isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == word


def _number_text(number: float) -> str:
    return f"{number:g}".replace("-", "−")
