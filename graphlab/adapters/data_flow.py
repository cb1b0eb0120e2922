"""Which places of the program's text a value may come from, and which tests led to it.

The text is read once and never run. An item is the span of an expression, a variable, an attribute,
or the arguments or the result of a function. The order of statements is ignored, so an item
has too many origins rather than too few.

Read next: adapters/native/numbers_read.py
"""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from graphlab.adapters.statements import FUNCTIONS, parsed, program_text, spans, stored

Item = tuple[Any, ...]  # (file, span), (scope, variable), or (one of the words below, name)
Items = set[Item]
RESULT, GIVEN, CALLED, RAISED, OWN = "result", "given", "called", "raised", "attribute"
LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break
LOOPS = ast.For | ast.While
SIGNS = {ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}


class Test(NamedTuple):
    """A condition, or another expression that decides what runs.

    number: the item that is compared with `bound`; None for any other expression.
    """

    line: int
    text: str
    number: Item | None = None
    sign: str = ""
    bound: float = 0.0


class Flow:
    """The items of one file, each with the items that it comes from. tree: its syntax tree."""

    def __init__(self, file: str, tree: Any) -> None:
        self.origins: dict[Item, Items] = defaultdict(set)
        self.around: dict[Item, Items] = defaultdict(set)  # what decides whether each runs
        self.values: dict[Item, Items] = defaultdict(set)  # of each variable
        self.tests: dict[Item, Test] = {}
        self.reads: Items = set()  # calls whose result is the number that is read
        self.written: dict[Item, set[float]] = {}  # the numbers in each expression
        self._file, self._class, self._function = file, "", ""
        self._tried = 0  # how many `try` are around
        self._scopes: list[tuple[Any, set[str]]] = [("", set())]
        self._block(tree.body, set())

    def _block(self, body: Iterable[ast.AST], around: Items) -> None:
        """Read statements. around: the items that decide whether they run."""
        for one in body:
            self._statement(one, around)
            around = around | set(self._exits(one))

    def _exits(self, statement: ast.AST) -> Iterator[Item]:
        """The tests and calls in a statement after which the program may leave what follows it."""
        if isinstance(statement, FUNCTIONS | ast.ClassDef):
            return
        if self._tried and isinstance(statement, ast.Call):
            yield RAISED, called(statement)
        test = getattr(statement, "test", None)
        if isinstance(statement, ast.Assert):  # outside of `try` it only ends the program
            yield from [self._span(test)] if self._tried else ()
        elif test and any(isinstance(one, LEAVES) for one in ast.walk(statement)):
            yield self._span(test)
        for child in ast.iter_child_nodes(statement):
            yield from self._exits(child)

    def _statement(self, node: Any, around: Items) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define(node, around)
            case ast.ClassDef():
                before, self._class = self._class, node.name
                self._block(node.body, around)
                self._class = before
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() if node.value is not None:
                value = self._item(node.value, around)
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._assign(target, value, around, node.value)
                if isinstance(node, ast.AugAssign):  # a change in place
                    self.values[self._held(node.target)].add((node,))
                    self.origins[self._span(node)].add(value)
                    self.around[self._span(node)] |= around
            case ast.Return() if node.value is not None:
                self.origins[RESULT, self._function] |= {self._item(node.value, around)} | around
            case ast.Expr(value=ast.Call(func=function) as call):
                self._item(call, around)  # it may change its object, and its arguments
                values = [*call.args, *(word.value for word in call.keywords)]
                given = {self._span(one) for one in values}
                if isinstance(function, ast.Attribute):
                    self.origins[self._held(function.value)] |= given | around
                for one in values if getattr(function, "id", "") != "print" else ():
                    if not isinstance(one, ast.Call):
                        self.origins[self._held(one)] |= (given - {self._span(one)}) | around
            case ast.Raise() | ast.Assert():
                for child in ast.iter_child_nodes(node):
                    around = around | {self._tested(child, around)}
                self.origins[RAISED, self._function] |= around
            case _:
                inside = around | (set(self._exits(node)) if isinstance(node, LOOPS) else set())
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.withitem):
                        value = self._item(child.context_expr, around)
                        inside = inside | {value}
                        if child.optional_vars is not None:
                            self._assign(child.optional_vars, value, around)
                    elif isinstance(child, ast.expr) and child is not getattr(node, "target", 0):
                        inside = inside | {self._tested(child, inside)}
                if isinstance(node, ast.For):
                    self._assign(node.target, self._span(node.iter), inside)
                    self.around[self._span(node)] |= inside
                self._tried += isinstance(node, ast.Try)
                for field in ("body", "handlers", "orelse", "finalbody", "cases"):
                    self._block(getattr(node, field, ()), inside)
                    if isinstance(node, ast.Try) and field == "body":  # it leads to the handlers
                        inside = inside | {x for one in node.body for x in self._exits(one)}
                        self._tried -= 1

    def _define(self, node: Any, around: Items) -> None:
        """Read the definition of a function."""
        arguments = [one for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        name = self._class if node.name == "__init__" else node.name
        before = self._class, self._function
        defaults = (*node.args.defaults, *node.args.kw_defaults)
        given = {(GIVEN, name), *(self._item(one, around) for one in defaults if one)}
        bound = set[str]().union(*stored(node)[:2])
        self._scopes.append(((self._file, self._span(node)), bound))
        self._class, self._function = "", node.name
        for one in arguments[1:] if before[0] else arguments:
            self.origins[self._name(one.arg)] |= given
            self.values[self._name(one.arg)] |= given
        self._block(node.body, around | {(CALLED, name)})
        self._scopes.pop()
        self._class, self._function = before

    def _assign(self, target: Any, value: Item, around: Items, node: Any = None) -> None:
        """Note that a target gets a value; node: its expression, whose parts go to several."""
        if isinstance(target, ast.Tuple | ast.List):
            values = getattr(node, "elts", ())
            for place, part in enumerate(target.elts):
                own = values[place] if len(values) == len(target.elts) else None
                self._assign(part, self._span(own) if own else value, around, own)
            return
        item = self._held(target)
        self.origins[item] |= {value} | around
        self.values[item].add(value)
        while isinstance(target, ast.Subscript):
            self.origins[item].add(self._item(target.slice, around))
            target = target.value

    def _held(self, node: Any) -> Item:
        """The variable or attribute that an expression is, or is a part of."""
        while isinstance(node, ast.Subscript | ast.Starred | ast.Call):
            node = (
                getattr(node.func, "value", node.func) if isinstance(node, ast.Call) else node.value
            )
        if isinstance(node, ast.Name):
            return (OWN, node.id) if self._class else self._name(node.id)
        return (OWN, node.attr) if isinstance(node, ast.Attribute) else (node,)

    def _item(self, node: Any, around: Items) -> Item:
        """Read an expression; return its item."""
        found, inside = self._span(node), around
        children = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
        origins: Items = set()
        match node:
            case ast.Name():
                origins.add(self._name(node.id))
            case ast.Call():
                name = called(node)
                children += [word.value for word in node.keywords]
                given = {self._item(one, around) for one in children[1:]}
                origins |= given | {(RESULT, name)}
                self.origins[GIVEN, name] |= given
                self.origins[CALLED, name] |= around
                children = children[:1]
                if name in ("item", "float", "numpy"):
                    self.reads.add(found)
            case ast.Attribute():
                origins.add((OWN, node.attr))
            case ast.NamedExpr():
                self._assign(node.target, self._item(node.value, around), around)
            case ast.IfExp() | ast.BoolOp():  # the first decides whether the others run
                first = node.test if isinstance(node, ast.IfExp) else children[0]
                inside = around | {self._tested(first, around)}
            case ast.Subscript():  # an index chooses, as a test does
                origins.add(self._tested(node.slice, around))
                inside = around | origins
            case ast.Compare():
                self._tested(node, around, False)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for one in node.generators:
                    inside = inside | {self._tested(x, inside) for x in (one.iter, *one.ifs)}
                    self._assign(one.target, self._span(one.iter), inside)
                origins |= inside - around
            case ast.Yield():
                self.origins[RESULT, self._function] |= {found} | around
        origins |= {self._item(one, inside) for one in children}
        for span in spans(node):
            self.origins[self._file, span] |= origins
            self.around[self._file, span] |= around
            self.written[self._file, span] = written(node)
        return found

    def _tested(self, node: Any, around: Items, read: bool = True) -> Item:
        """Note an expression that decides what runs; return its item. read: read it, too."""
        item = self._item(node, around) if read else self._span(node)
        found = Test(node.lineno, ast.unparse(node))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sign, right = SIGNS.get(type(node.ops[0]), ""), node.comparators[0]
            for one, other, way in (
                (node.left, right, sign),
                (right, node.left, MIRRORED.get(sign)),
            ):
                with suppress(TypeError, ValueError):
                    bound = float(ast.literal_eval(other))
                    found = Test(*found[:2], self._span(one), way or "", bound)
        self.tests.setdefault(item, found)
        return item

    def _name(self, name: str) -> Item:
        """The item of a variable: of the innermost function that assigns it, or of all modules."""
        return next((one for one, bound in reversed(self._scopes) if name in bound), ""), name

    def _span(self, node: Any) -> Item:
        return self._file, spans(node)[0]


def called(call: Any) -> str:
    """The name of the function or method that is called; "" if it has none."""
    return getattr(call.func, "id", None) or getattr(call.func, "attr", "")


def written(node: ast.AST) -> set[float]:
    """The numbers in an expression, without those that are calculated with variables."""
    plain = [
        child
        for child in ast.iter_child_nodes(node)
        if not any(isinstance(one, ast.Name) for one in ast.walk(child))
    ]
    every = [getattr(one, "value", None) for child in plain for one in ast.walk(child)]
    return {float(one) for one in every if isinstance(one, int | float)}


class Origins:
    """Finds which of some places in the text the items of several files come from."""

    def __init__(self, flows: tuple[Flow, ...], among: Collection[Any]) -> None:
        self._flows = flows
        self._among = among
        self._found: dict[Item, list[tuple[Item, Test | None]]] = {}

    def written(self, item: Item | None) -> set[float] | None:
        """The numbers in the text of an expression; None if that is unknown."""
        return next((one.written[item] for one in self._flows if item in one.written), None)

    def places(self, item: Item) -> list[tuple[Item, Test | None]]:
        """The places that an item comes from; with each the test that led to the item.

        A test on the number that was read there has a sign. None: the item was computed from it.
        """
        if item in self._found:
            return self._found[item]
        found = self._found[item] = []
        waiting = [(one, None) for one in (item, *self._all("around", item))]
        seen = {one for one, _ in waiting}
        for at, test in waiting:  # the list grows
            more = self._all("origins", at)
            if own := next((one.tests[at] for one in self._flows if at in one.tests), None):
                test = own._replace(sign="")
                names = self._all("origins", own.number)  # n, if it is a variable
                values = set().union(*(self._all("values", one) for one in names)) or {own.number}
                values = {own.number} if own.number in self._all("reads") else values
                read = next(iter(values & self._all("reads")), None)
                if own.sign and len(values) == 1 and read is not None and read in self._among:
                    found.append((read, own))
                    more = more.union(*(self._all("origins", one) for one in (*names, read)))
                    more -= {read, own.number}
            if at in self._among:
                found.append((at, test))
            if at[0] != CALLED:  # where other functions are called does not count
                more = {one for one in more if one[0] != CALLED}
            waiting += [(one, test) for one in sorted(more - seen, key=repr)]
            seen |= more
        return found

    def _all(self, kind: str, item: Any = None) -> Items:
        found = [getattr(one, kind) for one in self._flows]
        return set().union(*(one if kind == "reads" else one.get(item, ()) for one in found))


def origins_among(files: Iterable[str], among: Collection[Any]) -> Origins:
    """The Origins of files; what it has found remains for the next pass of a loop."""
    flows = (flow_of(one, program_text(one)) for one in sorted(files))
    return _kept_origins(tuple(filter(None, flows)), frozenset(among))


_kept_origins = lru_cache(maxsize=64)(Origins)


@lru_cache(maxsize=256)
def flow_of(file: str, text: str) -> Flow | None:
    """The Flow of a file or a cell; None if its text cannot be read."""
    tree = parsed(text)
    with suppress(RecursionError):  # an expression of 500 terms
        return None if tree is None else Flow(file, tree)
    return None
