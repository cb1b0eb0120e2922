"""Equations write the chain rule for one edge in symbols, in numbers and in words.

Read next: adapters/rule_products.py
"""

import math
from collections import Counter
from typing import Any

from graphlab.adapters.native.facts import is_plain
from graphlab.adapters.native.graph_copy import Copied
from graphlab.adapters.native.variable_names import bracketed
from graphlab.adapters.rule_products import Factors
from graphlab.adapters.rule_text import local_factor, written
from graphlab.autograd.function import Context
from graphlab.autograd.node import Node
from graphlab.graph.array_sample import ArraySample
from graphlab.graph.events import Equation, Product, Span
from graphlab.graph.events.event import shape_text
from graphlab.graph.model import EdgeInfo
from graphlab.graph.value import Value, summarise

Phrase = tuple[Span, ...]  # what a rule does, in the middle of a sentence: "times b = 3.0"


class Equations:
    """Writes the equations of one backward pass.

    title: the tensor whose gradients are computed, "loss".
    """

    def __init__(self, copied: Copied, title: str, edges: list[EdgeInfo]) -> None:
        self.copied, self.title = copied, title
        self.uses = Counter(edge.tensor for edge in edges)
        self.inputs_of = Counter((edge.source, edge.tensor) for edge in edges)

    def of_edge(
        self,
        node: Node,
        edge: EdgeInfo,
        upstream: Value,
        made: str,
        contribution: ArraySample,
        slope: ArraySample | None,
    ) -> tuple[Equation, Phrase, Product | None]:
        """The equation of one rule, the rule in words, and the arrays that it multiplies.

        made: the label of the output that the upstream gradient belongs to.
        """
        to = self.copied.label(edge.tensor)
        came, local = partial(self.title, made), partial(made, to)
        if self.inputs_of[edge.source, edge.tensor] > 1:  # a*a: the derivative by this input alone
            words = list(node.op.rules)
            word = words[edge.index] if edge.index < len(words) else f"(input {edge.index})"
            local = f"∂{bracketed(made)}/∂{word}"
        # a tensor that is used more than once gets a part of its gradient from each use
        equals = " = " if self.uses[edge.tensor] == 1 else " gets "
        start = (partial(self.title, to), equals)
        symbols: tuple[Span, ...] = (*start, ("gradient", came), " · ", ("value", local))
        result: Span = ("gradient", summarise(contribution).text, "contribution")
        came_in: Span = ("gradient", upstream.text, "upstream")
        if isinstance(node, Context):
            note = f"{node.function.__name__}.backward, which you wrote"
            return Equation(symbols, (came_in, " → ", result), note), (), None
        op, inputs = node.op, list(node.op.rules)
        input_ = inputs[0 if op.variadic else min(edge.index, len(inputs) - 1)]
        rule = op.rules[input_]
        names, options = self.copied.names_of_inputs(node), self.copied.options(node)
        factor = local_factor(rule, names, options) if op.pointwise else ""
        factors = Factors(self.copied, node, {**names, "grad": came}, options)
        product = factors.product(rule, upstream, contribution, factor, slope)
        if not factor or factor.startswith("["):
            note = said(op.phrases[input_], options) or f"the rule of {node.name()}"
            sums = contribution.shape != upstream.shape
            text = written(rule, {**names, "grad": came}, {**options, "sums": sums})
            shown = factors.symbols(rule) or ((text,) if text else symbols[2:])
            equation = Equation((*start, *shown), (came_in, " → ", result), note)
            return equation, factors.phrase(rule), product
        number = factor if slope is None else summarise(slope).text
        plain = is_plain(factor) or factor.strip("()") == number
        if plain and math.prod(upstream.shape) != 1:  # the factor is the same for every entry
            number = factor
        number = number.strip("()") if number == factor else number
        entrywise = number != factor and math.prod(upstream.shape) > 1
        if entrywise:
            symbols = (*start, ("gradient", came), " ⊙ ", ("value", local))
        sign = " ⊙ " if entrywise else " × "
        # a number in the formula of the rule is not updated with values
        local_number = ("value", number) if number == factor else ("value", number, "slope")
        numbers = (came_in, sign, local_number, " = ", result)
        if factor == "1":
            note = f"{local} = 1: the gradient passes unchanged"
            return Equation(symbols, numbers, note), (), None
        note = f"{local} = {factor}{self._saved_as(node, rule)}"
        shape_only = number.startswith("(")  # of an array
        if plain or shape_only:
            return Equation(symbols, numbers, note), ("times ", ("value", factor)), product
        named = ("value", f"{factor} = {number}", "slope:named")
        return Equation(symbols, numbers, note), ("times ", named), product

    def _saved_as(self, node: Node, rule: Any) -> str:
        """The end of a note: the saved tensors that a rule reads, " · saved as self"."""
        words = rule.__code__.co_varnames[1 : rule.__code__.co_argcount]
        saved = self.copied.graph.node(self.copied.node_ids[node]).saved
        names = [one.name for one in saved if one.name in words and one.value is not None]
        return f" · saved as {' and '.join(names)}" if names else ""


def said(phrase: str, options: dict[str, Any]) -> str:
    """A phrase without "times alpha" at its end if alpha is 1."""
    head, _, option = phrase.rpartition(", times ")
    return head if options.get(option) == 1 else phrase


def summed(rule: Equation, shape: tuple[int, ...], to: Value, name: str) -> Equation:
    """The equation of a rule whose result is then summed back to the shape before a broadcast."""
    symbols = (*rule.symbols[:2], "Σ ", *rule.symbols[2:])
    numbers = (*rule.numbers, ", Σ = ", ("gradient", to.text, "sent"))
    shapes = f"summed from {shape_text(shape)} to {shape_text(to.shape)}"
    return Equation(symbols, numbers, f"{rule.note}; {shapes}, because {name} was broadcast")


def partial(of: str, by: str) -> str:
    """∂of/∂by, in brackets where a name is an expression."""
    return f"∂{bracketed(of)}/∂{bracketed(by)}"
