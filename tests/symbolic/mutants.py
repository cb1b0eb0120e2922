"""Wrong rules, from right ones: a sign, a factor, a swapped input, a dropped term, another axis.

A mutant is a rule with one change in its source. A checker that is worth its name tells every one
of them from the rule, or the change makes no difference and stands in the list that says why.

Read next: tests/symbolic/hunt.py
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphlab.autograd.node_classes import bind_rules, node_class
from graphlab.ops.base import Op, rule_arguments
from graphlab.primitives.table import numpy_primitives

OTHER = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
EXCHANGED = {"sin": "cos", "cos": "sin", "exp": "tanh", "log": "exp", "gt": "lt", "lt": "gt"}
AXES = {"dim", "dim0", "dim1", "axis"}  # of which the one before may be taken
MOVING = {"transpose", "permute", "unsqueeze", "sign"}  # may be dropped


def definition(rule: Callable[..., Any]) -> ast.FunctionDef:
    """The source of a rule, as a tree."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(rule))).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def compiled(tree: ast.FunctionDef, rule: Callable[..., Any]) -> Callable[..., Any]:
    """The tree as a function in the namespace of the rule that it was made from."""
    module = ast.fix_missing_locations(ast.Module([tree], []))
    names = {**numpy_primitives(), **rule.__globals__}  # type: ignore[attr-defined]
    exec(compile(module, "<mutant>", "exec"), names)
    return names[tree.name]


def whole(tree: ast.FunctionDef, template: str) -> ast.FunctionDef:
    """Every returned value put into `template`, where it is called `value`."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Return):
            assert node.value is not None
            text = template.replace("value", f"({ast.unparse(node.value)})")
            node.value = ast.parse(text, mode="eval").body
    return tree


def mutants(op: type[Op], name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every mutant of the rule for the input `name`, with a label that says what was changed."""
    rule = op.rules[name]
    tree = definition(rule)
    sign, factor = ("-value", "2 * value")
    if op.variadic:
        sign, factor = ("tuple(-v for v in value)", "tuple(2 * v for v in value)")
    yield "sign", compiled(whole(tree, sign), rule)
    yield "factor", compiled(whole(tree, factor), rule)
    for other in op.rules:
        fits = set(rule_arguments(op.rules[other])) <= {*op.inputs, *op.outputs, *op.options}
        if other != name and fits:
            yield f"the rule of {other}", op.rules[other]
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for place, node in enumerate(ast.walk(tree)):
        for label, change in changes(node):
            mutant = copy.deepcopy(tree)
            change(list(ast.walk(mutant))[place])
            shown = node
            while is_number(shown) or isinstance(shown, ast.Name):  # it says where it stands
                shown = parents[shown]
            yield f"{label} in {ast.unparse(shown)}", compiled(mutant, rule)


def is_number(node: ast.AST) -> bool:
    """Whether a part of a rule is a number alone: 2 or -1."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """The changes that one part of a rule allows."""
    if isinstance(node, ast.BinOp) and type(node.op) in OTHER:
        yield f"{OTHER[type(node.op)].__name__}", lambda n: setattr(n, "op", OTHER[type(n.op)]())
        yield "only the left", lambda n: become(n, n.left)
        yield "only the right", lambda n: become(n, n.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "no minus", lambda n: become(n, n.operand)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value + 1}", lambda n: setattr(n, "value", n.value + 1)
    if isinstance(node, ast.Name) and node.id in AXES and isinstance(node.ctx, ast.Load):
        yield f"{node.id} - 1", lambda n: become(n, ast.parse(f"{n.id} - 1", mode="eval").body)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in EXCHANGED:
            yield EXCHANGED[node.func.id], lambda n: setattr(n.func, "id", EXCHANGED[n.func.id])
        if node.func.id in MOVING:
            yield f"no {node.func.id}", lambda n: become(n, n.args[0])


def become(node: Any, other: Any) -> None:
    """Turn a node of the tree into another."""
    other = copy.copy(other)
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


@contextmanager
def planted(op: type[Op], name: str, mutant: Callable[..., Any]) -> Iterator[None]:
    """The operation with a wrong rule: for the engine and for the checker."""
    right, node = op.rules[name], node_class(op)
    own = vars(node)["vjp"]  # a node may have its own: CopySlices has
    op.rules[name] = mutant
    # CopySlices has a vjp of its own; of the rules, the checker and recorded passes read `values`
    if own.__qualname__ != f"{node.__name__}.vjp" or name != "values":
        bind_rules(node)
    try:
        yield
    finally:
        op.rules[name] = right
        node.vjp = own
