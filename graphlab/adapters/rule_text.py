"""A rule as a person would write it: `grad * other` becomes "∂e/∂v · c".

The text is read off the rule's own source, with the names of the tensors put in; nothing is
written down twice. What cannot be read on one line is left out. A rule is read once, with marks in
the places of names, for each combination of options.

Read next: adapters/native.py
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeGuard

from graphlab.adapters.variable_names import bracketed
from graphlab.ops.vocabulary import count

SUM, SIGN, PRODUCT, GRADIENT, POWER, ATOM = range(6)  # how tightly an expression binds
_SYMBOLS = {
    ast.Add: ("+", SUM), ast.Sub: ("−", SUM), ast.Mult: ("·", PRODUCT), ast.Div: ("/", PRODUCT),
}  # fmt: skip
_COMPARISONS = {"gt": ">", "ge": "≥", "lt": "<", "eq": "="}
# words that only arrange entries: their first argument says it
_SILENT = ("expand", "reshape", "restore_dims", "squeeze", "unsqueeze", "sum_to", "astype", "copy")
# words that any book writes as functions; the rest tells how entries are stored
_SPOKEN = (
    "exp", "log", "log1p", "sin", "cos", "tanh", "sigmoid", "sign", "maximum", "minimum", "where",
)  # fmt: skip


# characters that no name has: they hold the place of a name; of one that may need brackets
MARK, ATOM_MARK = "\ue000", "\ue001"
MARKED = re.compile(f"∂?{MARK}(\\d+){MARK}({ATOM_MARK}?)")


class Unreadable(Exception):
    """The rule says more than one expression can."""


@cache
def returned(function: Callable[..., Any]) -> ast.expr | None:
    """The expression that a one-line function returns; None when it has more to say."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None
    body = [line for line in definition.body if not is_docstring(line)]
    last = body[0] if len(body) == 1 else None
    return last.value if isinstance(last, ast.Return) else None


def is_docstring(line: ast.stmt) -> bool:
    """Whether a line of a body is its docstring."""
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def written(
    function: Callable[..., Any], names: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """The formula that `function` returns, its arguments named; "" when it is not one expression.

    >>> def grad_self(grad, other): return grad * other
    >>> written(grad_self, {"grad": "∂e/∂v", "other": "c"}, {})
    '∂e/∂v · c'
    """
    return _with_names(_whole, function, names, options)


def local_factor(
    function: Callable[..., Any], names: Mapping[str, str], options: Mapping[str, Any]
) -> str:
    """What a rule multiplies the incoming gradient by: "c" for `grad * other`; "" if unknown."""
    return _with_names(_factor, function, names, options)


def _with_names(
    read: Callable[..., str],
    function: Callable[..., Any],
    names: Mapping[str, str],
    options: Mapping[str, Any],
) -> str:
    """What `read` makes of a rule, with the names in the places of their marks."""
    texts = list(names.values())
    words = tuple([(word, text.startswith("∂")) for word, text in names.items()])
    given = tuple([(word, type(value), value) for word, value in options.items()])  # True is not 1
    try:
        pieces = _pattern(read, function, words, given)
    except TypeError:  # an option that is no key of a dictionary
        return _read(read, function, names, options)
    whole = [pieces[0]]
    for number, is_atom, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        name = texts[int(number)]
        whole += (bracketed(name) if is_atom else name), text
    return "".join(whole)


@lru_cache(maxsize=4096)
def _pattern(
    read: Callable[..., str],
    function: Callable[..., Any],
    words: tuple[tuple[str, bool], ...],
    given: tuple[tuple[str, type, Any], ...],
) -> list[str]:
    """The text of a rule, taken apart where names go: text, number, "" or ATOM_MARK, text, …"""
    names = {
        word: ("∂" if gradient else "") + f"{MARK}{k}{MARK}"
        for k, (word, gradient) in enumerate(words)
    }
    options = {word: value for word, _, value in given}
    return MARKED.split(_read(read, function, names, options))


def _read(
    read: Callable[..., str],
    function: Callable[..., Any],
    names: Mapping[str, str],
    options: Mapping[str, Any],
) -> str:
    tree = returned(function)
    if tree is None:
        return ""
    try:
        return read(tree, names, options)
    except Unreadable:
        return ""


def _whole(tree: ast.expr, names: Mapping[str, str], options: Mapping[str, Any]) -> str:
    return text_of(tree, names, options)[0]


def _factor(tree: ast.expr, names: Mapping[str, str], options: Mapping[str, Any]) -> str:
    return factor(chosen(tree, options), names, options)


def factor(tree: ast.expr, names: Mapping[str, str], options: Mapping[str, Any]) -> str:
    """The text of what an expression multiplies `grad` by."""
    if is_grad(tree):
        return "1"
    if isinstance(tree, ast.UnaryOp) and is_grad(tree.operand):
        return "−1"
    if isinstance(tree, ast.BinOp):
        if isinstance(tree.op, ast.Mult) and is_grad(tree.left):
            return text_of(tree.right, names, options)[0]
        if isinstance(tree.op, ast.Mult) and is_negative_grad(tree.left):
            return "−" + tight(tree.right, SIGN, names, options)
        if isinstance(tree.op, ast.Div) and is_grad(tree.left):
            return "1/" + tight(tree.right, POWER, names, options)
    raise Unreadable


def is_grad(tree: ast.expr) -> bool:
    """Whether an expression is the incoming gradient itself."""
    return isinstance(tree, ast.Name) and tree.id == "grad"


def is_negative_grad(tree: ast.expr) -> bool:
    """Whether an expression is `-grad`."""
    return (
        isinstance(tree, ast.UnaryOp)
        and isinstance(tree.op, ast.USub)
        and isinstance(tree.operand, ast.Name)
        and tree.operand.id == "grad"
    )


def chosen(tree: ast.expr, options: Mapping[str, Any]) -> ast.expr:
    """Of `x if alpha == 1 else y`, the branch that the options choose."""
    while isinstance(tree, ast.IfExp):
        tree = tree.body if holds(tree.test, options) else tree.orelse
    return tree


def holds(test: ast.expr, options: Mapping[str, Any]) -> bool:
    """Whether `option == constant` or `option is None` holds; nothing else is understood."""
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.comparators[0], ast.Constant)
        and test.left.id in options
    ):
        value, constant = options[test.left.id], test.comparators[0].value
        return value is constant if isinstance(test.ops[0], ast.Is) else value == constant
    if isinstance(test, ast.Name) and test.id in options:
        return bool(options[test.id])
    raise Unreadable


def tight(tree: ast.expr, above: int, names: Mapping[str, str], options: Mapping[str, Any]) -> str:
    """The text of a part, in brackets where it binds less tightly than what surrounds it."""
    text, binding = text_of(tree, names, options)
    return text if binding > above else f"({text})"


def text_of(
    tree: ast.expr, names: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""
    tree = chosen(tree, options)
    number = constant(tree, options)
    if number is not None:
        return number_as_text(number), ATOM if number >= 0 else SIGN
    if isinstance(tree, ast.Name):
        return name_of(tree.id, names, options)
    if isinstance(tree, ast.Constant):
        return str(tree.value), ATOM
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return "−" + tight(tree.operand, SIGN, names, options), SIGN
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Pow):
        return power(tree, names, options)
    if isinstance(tree, ast.BinOp) and type(tree.op) in _SYMBOLS:
        symbol, binding = _SYMBOLS[type(tree.op)]
        if symbol == "·" and is_column(tree.left) and is_column(tree.right):
            symbol = "⊗"  # a column times a row
        if symbol == "/":  # a/b/c and ∂e/∂v/2 have to be read twice
            parts = (tight(side, GRADIENT, names, options) for side in (tree.left, tree.right))
            return "/".join(parts), binding
        left = tight(tree.left, -1 if binding == SUM else SUM, names, options)
        right = tight(tree.right, binding, names, options)
        return f"{left} {symbol} {right}", binding
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        return call(tree.func.id, tree.args, names, options)
    raise Unreadable


def constant(tree: ast.expr, options: Mapping[str, Any]) -> float | None:
    """The number that an expression of numbers and options comes to, as `exponent - 1` does."""
    if isinstance(tree, ast.Constant):
        value = tree.value
    elif isinstance(tree, ast.Name):
        value = options.get(tree.id)
    elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        value = constant(tree.operand, options)
        value = None if value is None else -value
    elif is_call(tree, "count"):
        words = [ast.unparse(argument) for argument in tree.args]
        value = count(*(options[word] for word in words)) if {*words} <= {*options} else None
    elif isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add | ast.Sub):
        left, right = constant(tree.left, options), constant(tree.right, options)
        if left is None or right is None:
            return None
        value = left + right if isinstance(tree.op, ast.Add) else left - right
    else:
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def name_of(name: str, names: Mapping[str, str], options: Mapping[str, Any]) -> tuple[str, int]:
    """A word of the rules by the user's name for it, and how tightly that binds."""
    if name in names:
        text = names[name]
        if text.startswith("∂"):
            return text, GRADIENT
        return (text + ATOM_MARK if text.endswith(MARK) else bracketed(text)), ATOM
    if name in options:
        return str(options[name]), ATOM
    raise Unreadable


def power(tree: ast.BinOp, names: Mapping[str, str], options: Mapping[str, Any]) -> tuple[str, int]:
    """A base with its exponent raised: x², or x^y where it has no such letters."""
    number = constant(tree.right, options)
    if number == 1:
        return text_of(tree.left, names, options)
    base = tight(tree.left, POWER, names, options)
    if number is None:
        return f"{base}^{tight(tree.right, POWER, names, options)}", POWER
    exponent = number_as_text(number)
    if exponent.lstrip("−").isdigit():
        return base + exponent.translate(str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")), POWER
    return f"{base}^{exponent}", POWER


def number_as_text(number: float) -> str:
    """A number of a formula, with the sign that formulas have."""
    return f"{number:g}".replace("-", "−")


def is_column(tree: ast.expr) -> bool:
    """Whether an expression only gives a vector a second dimension."""
    return is_call(tree, "unsqueeze")


def is_call(tree: ast.expr, word: str) -> TypeGuard[ast.Call]:
    """Whether an expression calls the word of the rules that is named `word`."""
    return isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == word


def call(
    word: str, args: list[ast.expr], names: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[str, int]:
    """A word of the rules with its arguments, in the notation that people write."""
    if word == "matmul":
        left, right = (tight(a, PRODUCT - 1, names, options) for a in args[:2])
        return f"{left} @ {right}", PRODUCT
    if word in ("transpose", "permute"):
        return tight(args[0], POWER, names, options) + "ᵀ", ATOM
    if word == "sqrt":
        return "√" + tight(args[0], POWER, names, options), POWER
    if word == "abs":
        return f"|{argument(args[0], names, options)}|", ATOM
    if word == "sum":
        return f"Σ {tight(args[0], SUM, names, options)}", PRODUCT
    if word in _COMPARISONS:
        left, right = (tight(a, SUM - 1, names, options) for a in args)
        return f"{left} {_COMPARISONS[word]} {right}", SUM
    if word in _SILENT:
        return text_of(args[0], names, options)
    if word == "zeros_like":
        return "0", ATOM
    if word not in _SPOKEN:
        raise Unreadable  # the operation's phrase says it in words
    return f"{word}({', '.join(argument(a, names, options) for a in args)})", ATOM


def argument(tree: ast.expr, names: Mapping[str, str], options: Mapping[str, Any]) -> str:
    """What stands between a function's brackets, which needs none of its own."""
    if isinstance(tree, ast.Name) and tree.id in names:
        return names[tree.id]
    return text_of(tree, names, options)[0]
