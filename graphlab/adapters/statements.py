"""The user's statements tell which variable gets which value.

The text of a file or cell is parsed once, and never run. Python keeps the lines and columns of each
instruction; they are looked up in the syntax tree here.

Read next: adapters/native/source_lines.py
"""

import ast
import linecache
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

Span = tuple[int, int, int, int]  # first and last line, from 1; first and last column, in bytes
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


class Condition(NamedTuple):
    """A condition on a number that was read out of a tensor, as `x.item() > 0`."""

    line: int
    text: str
    read: str  # the text of what the number was read out of: "x"
    sign: str = ""  # between the number that was read and `bound`; "" for any other condition
    bound: float = 0.0


@dataclass(frozen=True, slots=True)
class Spot:
    """The expression or statement at a span of the text."""

    is_value: bool  # an expression, not a statement
    is_call: bool
    repeats: bool  # it is inside a loop
    target: Target | None = None
    conditions: tuple[Condition, ...] = ()  # whose outcomes led the program here


def in_iteration(name: str, number: int) -> str:
    """The name of a value that a loop made in one iteration.

    >>> in_iteration("h", 12)
    'h₁₂'
    """
    return name + str(number).translate(_SUBSCRIPTS)


_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_files: dict[str, tuple[list[str], dict[Span, Spot]]] = {}  # name -> its lines, its spots
MOST_FILES = 256


def spots_of(filename: str) -> dict[Span, Spot]:
    """The Spots of a file or a cell by span; empty if its text is missing or cannot be parsed."""
    lines = linecache.getlines(filename)
    known = _files.get(filename)
    if known is None or known[0] != lines:
        if len(_files) >= MOST_FILES:
            _files.pop(next(iter(_files)))
        known = _files[filename] = lines, _parse("".join(lines))
    return known[1]


def _parse(text: str) -> dict[Span, Spot]:
    try:
        if text[:1].isspace():  # the indented part of a file
            tree: ast.AST = ast.increment_lineno(ast.parse(f"if 1:\n{text}"), -1)
        else:
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    targets = {
        span: target for node in ast.walk(tree) for span, target in reversed(list(_targets(node)))
    }
    found: dict[Span, Spot] = {}
    texts = texts_read(tree)
    held = _held(tree, texts)
    waiting: list[tuple[ast.AST, bool, int, tuple[Condition, ...]]] = [(tree, False, 0, ())]
    while waiting:
        node, repeats, function, conditions = waiting.pop()
        function = getattr(node, "lineno", 0) if isinstance(node, ast.FunctionDef) else function
        inside = isinstance(
            node, ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.GeneratorExp
        )
        waiting += [
            (child, repeats or inside, function, more)
            for child, more in _with_conditions(node, conditions, texts, held, function)
        ]
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        is_value = isinstance(node, ast.expr)
        if texts and is_value:
            conditions = (*dict.fromkeys((*conditions, *_from(node, function, held, texts))),)
        for span in spans(node):
            if is_value or span not in found:
                target = targets.get(span)
                found[span] = Spot(
                    is_value, isinstance(node, ast.Call), repeats, target, conditions
                )
    return found


SIGNS = {ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
READERS = ("item", "tolist", "numpy", "float", "int")
TESTED, BRANCHES = ("test", "iter", "subject"), ("body", "orelse", "cases")
LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break


def texts_read(tree: ast.AST) -> dict[str, str]:
    """What numbers are read out of, by the text of the reading: {"x.item()": "x", "n": "x"}."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr in READERS[:3]:
                found[ast.unparse(node)] = ast.unparse(function.value)
            elif isinstance(function, ast.Name) and function.id in READERS[3:] and node.args:
                read = ast.unparse(node.args[0])
                found[ast.unparse(node)] = f"int({read})" if function.id == "int" else read
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=ast.Call() as value) if found:
                if read := found.get(ast.unparse(value)):
                    found.update({name: read for one in targets if (name := variable(one))})
    return found


Held = dict[tuple[int, str], tuple[Condition, ...]]  # line of the function, name


def _held(tree: ast.AST, texts: dict[str, str]) -> Held:
    """The conditions under which variables get their values, and the numbers these come from."""
    held, known = Held(), -1
    while texts and sum(map(len, held.values())) > known:
        known = sum(map(len, held.values()))
        waiting: list[tuple[ast.AST, tuple[Condition, ...], int]] = [(tree, (), 0)]
        for node, conditions, function in waiting:  # the list grows
            inside = node.lineno if isinstance(node, ast.FunctionDef) else function
            children = _with_conditions(node, conditions, texts, held, inside)
            waiting += [(*one, inside) for one in children]
            match node:
                case ast.Assign(value=ast.expr() as value) | ast.NamedExpr(value=value):
                    targets = getattr(node, "targets", None) or [node.target]  # pyright: ignore
                case ast.AugAssign(target=target, value=value) | ast.For(target=target, iter=value):
                    targets = [target]
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=target)) as value):
                    targets = [target]  # `losses.append(x.item())`
                case ast.FunctionDef(name=name):
                    value, targets = node, [ast.Name(name)]
                case _:
                    continue
            come = (*conditions, *_from(value, function, held, texts))
            for name in {variable(x) for target in targets for x in ast.walk(target)} - {""}:
                key = function, name
                held[key] = (*dict.fromkeys((*held.get(key, ()), *come)),)
    return held


def _from(node: ast.AST, function: int, held: Held, texts: dict[str, str]) -> Iterator[Condition]:
    """What the value of an expression or a called function depends on."""
    if isinstance(node, ast.FunctionDef):
        for one in ast.walk(node):
            if isinstance(one, ast.Return):
                yield from _from(one, node.lineno, held, texts)
        return
    for one in ast.walk(node):
        if isinstance(one, ast.Name | ast.Attribute):
            for scope in {0, function}:
                yield from held.get((scope, variable(one)), ())
        elif isinstance(one, ast.Call) and (read := texts.get(text := ast.unparse(one))):
            yield Condition(one.lineno, text, read)


def _with_conditions(
    node: ast.AST, conditions: tuple[Condition, ...], texts: dict[str, str], held: Held, scope: int
) -> Iterator[tuple[ast.AST, tuple[Condition, ...]]]:
    """The children of a node of the syntax tree, each with the conditions that led there."""

    def conditions_of(tested: Any) -> list[Condition]:
        found = _conditions(tested, texts) if isinstance(tested, ast.expr) else []
        return found or ([*_from(tested, scope, held, texts)] if tested else [])

    own = conditions_of(next((x for name in TESTED if (x := getattr(node, name, None))), None))
    if isinstance(node, ast.For | ast.While):  # it tests many values, and a `break` is a test, too
        ifs = [one for one in ast.walk(node) if isinstance(one, ast.If)]
        left = [one.test for one in ifs if isinstance(one.body[-1], LEAVES)]
        own += [condition for test in left for condition in conditions_of(test)]
        own = [one._replace(sign="") for one in own]
    for field, value in ast.iter_fields(node):
        now = (*conditions, *own) if field in BRANCHES else conditions
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child, now
            if isinstance(child, ast.If) and isinstance(child.body[-1], LEAVES):
                now = *now, *conditions_of(child.test)  # what comes next is its `else`


def _conditions(tested: ast.expr, texts: dict[str, str]) -> list[Condition]:
    """A tested expression, as a Condition for each tensor of which it reads a number."""
    if not texts:
        return []
    line, text = tested.lineno, ast.unparse(tested)
    match tested:
        case ast.Compare(left=left, ops=[sign], comparators=[ast.expr() as bound]):
            read = texts.get(ast.unparse(left))
            with suppress(TypeError, ValueError):
                if read and type(sign) in SIGNS:
                    number = float(ast.literal_eval(bound))
                    return [Condition(line, text, read, SIGNS[type(sign)], number)]
    parts = (ast.unparse(part) for part in ast.walk(tested) if isinstance(part, ast.expr))
    return [Condition(line, text, texts[part]) for part in parts if part in texts]


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
        case ast.Assign(targets=[target, *_], value=value):
            yield from _assigned(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _assigned(target, value)
        case ast.NamedExpr(target=target, value=value):
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
    if not isinstance(function, ast.Attribute):
        return ""
    if not function.attr.endswith("_") or function.attr.endswith("__"):
        return ""
    on = function.value
    if isinstance(on, ast.Call):
        return _changed(on)
    name = variable(on)
    if name in LIBRARIES:
        return variable(call.args[0]) if call.args else ""
    return name


def variable(node: ast.AST) -> str:
    """`h` or `self.h` as text; "" for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (name := variable(node.value)):
        return f"{name}.{node.attr}"
    return ""
