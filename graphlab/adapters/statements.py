"""The user's statements tell which variable gets which value.

The text of a file or cell is parsed once, and never run. Python keeps the lines and columns of each
instruction; they are looked up in the syntax tree here.

Read next: adapters/native/source_lines.py
"""

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Span = tuple[int, int, int, int]  # first and last line, from 1; first and last column, in bytes
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LIBRARIES = ("torch", "graphlab", "gl", "F")  # prefixes of functions, which are no tensors


@dataclass(frozen=True, slots=True)
class Target:
    """The variables that get the value of an expression."""

    names: tuple[str, ...]  # "" for a target that is not a variable
    several: bool = False  # `q, k = ...`: one variable for each result
    in_place: bool = False  # `b += 1` or `b.add_(1)`: the variable held another value before
    each: bool = False  # `for row in x:`: the variable gets one result after the other

    def of(self, index: int, count: int) -> str:
        """The name for result `index` of `count`; "" if no variable gets it.

        >>> Target(("h",)).of(0, 1), Target(("q", "k"), several=True).of(1, 2)
        ('h', 'k')
        >>> Target(("row",), each=True).of(1, 3), Target(("parts",)).of(1, 3)
        ('row₂', 'parts[1]')
        """
        if self.several:
            return self.names[index] if count == len(self.names) > 1 else ""
        if self.each:
            return in_iteration(self.names[0], index + 1) if count > 1 else ""
        return f"{self.names[0]}[{index}]" if count > 1 else self.names[0]


@dataclass(frozen=True, slots=True)
class Spot:
    """The expression or statement at a span of the text."""

    is_value: bool  # an expression, not a statement
    is_call: bool
    repeats: bool  # it is inside a loop
    target: Target | None = None
    operands: tuple[str, ...] = ()  # of `x @ W`: "x" and "W"; "" for one that is no variable
    tensor: str = ""  # of `h*k`: the operand that is a tensor if the other is a number


def in_iteration(name: str, number: int) -> str:
    """The name of a value that a loop made in one iteration.

    >>> in_iteration("h", 12)
    'h₁₂'
    """
    return name + str(number).translate(_SUBSCRIPTS)


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def spots_of(filename: str) -> dict[Span, Spot]:
    """The Spots of a file or a cell by span; empty if its text is missing or cannot be parsed."""
    return _parse(program_text(filename))


def program_text(filename: str) -> str:
    """The text of a file or a cell; "" if it is missing."""
    return "".join(linecache.getlines(filename))


@lru_cache(maxsize=16)
def parsed(text: str) -> ast.AST | None:
    """The syntax tree of a text; None if it has none."""
    try:
        first = next((line for line in text.splitlines() if line.strip()), "")
        if first[:1].isspace():  # the indented part of a file
            return ast.increment_lineno(ast.parse(f"if 1:\n{text}"), -1)
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=256)
def _parse(text: str) -> dict[Span, Spot]:
    tree = parsed(text)
    if tree is None:
        return {}
    targets = {
        span: target for node in ast.walk(tree) for span, target in reversed(list(_targets(node)))
    }
    found: dict[Span, Spot] = {}
    waiting: list[tuple[ast.AST, bool, Kinds]] = [(tree, False, kinds_in(tree))]
    while waiting:
        node, repeats, kinds = waiting.pop()
        if isinstance(node, FUNCTIONS):
            kinds = {**kinds, **{one: {""} for one in stored(node)[0]}, **kinds_in(node)}
        inside = isinstance(
            node, ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.GeneratorExp
        )
        waiting += [(child, repeats or inside, kinds) for child in ast.iter_child_nodes(node)]
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        is_value = isinstance(node, ast.expr)
        for span in spans(node):
            if is_value or span not in found:
                target = targets.get(span)
                is_call, operands = isinstance(node, ast.Call), _operands(node)
                tensor = _tensor(node, kinds) if isinstance(node, ast.BinOp) else ""
                found[span] = Spot(is_value, is_call, repeats, target, operands, tensor)
    return found


def spans(node: ast.AST) -> list[Span]:
    """The spans that Python may report for a node of the syntax tree.

    A method call, `(a\\n.exp())`, begins at the name of the method if that is on another line.
    """
    line, last, start, end = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset  # pyright: ignore
    found = [(line, last, start, end)]
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Attribute) and function.lineno != function.end_lineno:
        above, column = function.end_lineno or line, function.end_col_offset or end
        found.append((above, last, column - len(function.attr.encode()), end))
    return found


def _targets(node: ast.AST) -> Iterator[tuple[Span, Target]]:
    """The spans whose values a node of the syntax tree assigns to variables."""
    match node:
        case (
            ast.Assign(targets=[target, *_], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            yield from _assigned(target, value)
        case ast.AugAssign(target=target):
            if name := variable(target):
                yield spans(node)[0], Target((name,), in_place=True)
        case ast.For(target=ast.Name(id=name), iter=walked):
            target = Target((name,), each=True)
            yield spans(node)[0], target
            if variable(walked):  # from Python 3.12 on, the span of the iterable
                yield spans(walked)[0], target
        case ast.Call():
            if name := _changed(node):
                for span in spans(node):
                    yield span, Target((name,), in_place=True)


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[Span, Target]]:
    if name := variable(target):
        for span in spans(value):
            yield span, Target((name,))
    elif isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for part, given in zip(target.elts, value.elts, strict=True):
                yield from _assigned(part, given)
        else:
            names = tuple(variable(part) for part in target.elts)
            for span in spans(value):
                yield span, Target(names, several=True)


def _changed(call: ast.Call) -> str:
    """The variable that `b.add_(1)`, `b.mul_(2).add_(1)` or `torch.exp_(b)` changes, or ""."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr.rstrip("_") + "_" != function.attr:
        return ""
    on = function.value
    if isinstance(on, ast.Call):
        return _changed(on)
    name = variable(on)
    if name in LIBRARIES:
        return variable(call.args[0]) if call.args else ""
    return name


def _operands(node: ast.expr | ast.stmt) -> tuple[str, ...]:
    """The variables, or items of variables, `xs[t]`, on both sides of an operator.

    Of `x[i]`, and of a call with one tensor, `x.exp()` or `torch.exp(x)`, it is that tensor.
    """
    match node:
        case ast.Subscript(value=on) | ast.Call(ast.Attribute(value=on), args=[], keywords=[]):
            return (variable(on),)
        case ast.Call(ast.Attribute(value=on), [one], []) if variable(on) in LIBRARIES:
            return (variable(one),)
        case ast.BinOp():
            sides = node.left, node.right
            is_item = ast.Subscript
            return tuple(ast.unparse(x) if isinstance(x, is_item) else variable(x) for x in sides)
    return ()


Loops = list[tuple[range, set[str]]]  # the lines of each loop, and the variables of its target


def stored(scope: ast.AST) -> tuple[set[str], set[str], Loops]:
    """The variables of a function or a module, those that only pass by, and the loops.

    Those of comprehensions, of `with` and of loops only pass by.

    >>> stored(ast.parse("for p in (a, b): p *= 2"))
    (set(), {'p'}, [(range(1, 2), {'p'})])
    """
    kept, passed, apart, targets = set[str](), set[str](), set[str](), set[Any]()
    loops = Loops()
    waiting = [*ast.iter_child_nodes(scope)]
    for node in waiting:  # the list grows
        if isinstance(node, ast.AugAssign):  # `w -= g` says nothing about w
            waiting.append(node.value)
        elif not isinstance(node, FUNCTIONS | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.For):
            names = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
            loops.append((range(node.lineno, (node.end_lineno or 0) + 1), names))
        match node:
            case ast.AnnAssign() | ast.NamedExpr() | ast.AugAssign():
                pass
            case ast.AST(target=target) | ast.withitem(optional_vars=ast.AST() as target):
                targets.update(ast.walk(target))
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                apart.update(names)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                (passed if node in targets else kept).add(name)
    return kept - apart, passed - apart, loops


def assigned(text: str, function: int = 0, now: int = 0) -> tuple[set[str], set[str]]:
    """The variables of a text, or of its function at a line, and those that only pass by.

    now: the line that runs; the variables of a loop around it do not pass by.
    """
    kept, passed, loops = _stored_at(text, function)
    return kept.union(*(names for lines, names in loops if now in lines)), passed


@lru_cache(maxsize=1024)
def _stored_at(text: str, function: int) -> tuple[set[str], set[str], Loops]:
    for one in ast.walk(parsed(text) or ast.Pass()):
        first = [*getattr(one, "decorator_list", ()), one][0]
        if isinstance(one, FUNCTIONS | ast.Module) and getattr(first, "lineno", 0) == function:
            return stored(one)
    return set(), set(), []


NUMBER, MADE = "number", "made"
NUMBERS = ("float", "int", "len", "math", "item", "range")  # functions that return numbers
Kinds = dict[str, set[str]]  # a variable -> what it is assigned: numbers, results of calls, others


def kinds_in(tree: ast.AST) -> Kinds:
    """What the variables of a function or a module are assigned."""
    found, pairs = Kinds(), list[tuple[ast.expr, ast.expr]]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs += [(target, value) for target in targets]
            case ast.For(target=target, iter=value) | ast.AugAssign(target=target, value=value):
                pairs.append((target, value))
    for target, value in pairs:  # the list grows
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs += zip(target.elts, value.elts, strict=False)
        elif name := variable(target):
            found.setdefault(name, set()).add(_kind(value))
    return found


def _kind(value: ast.expr) -> str:
    if is_number(value):
        return NUMBER
    if not isinstance(value, ast.Call):
        return ""
    function = value.func
    named = {function.attr} if isinstance(function, ast.Attribute) else set[str]()
    named.add(variable(function).partition(".")[0])
    return NUMBER if named & {*NUMBERS} else MADE


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number, perhaps with a sign."""
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _tensor(node: ast.BinOp, kinds: Kinds) -> str:
    """The operand that is a tensor if the other is a Python number; "" if that is not clear."""
    sides = [(variable(side), side) for side in (node.left, node.right)]
    for (name, _), (_, other) in (sides, sides[::-1]):
        if is_number(other):
            return name
    names = [name for name, _ in sides]
    if not all(names):
        return ""
    for likely in (
        [name for name in names if MADE in kinds.get(name, ())],
        [name for name in names if kinds.get(name) != {NUMBER}],
    ):
        if len(likely) == 1:
            return likely[0]
    return ""


def variable(node: ast.expr) -> str:
    """`h` or `self.h` as text; "" for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (name := variable(node.value)):
        return f"{name}.{node.attr}"
    return ""
