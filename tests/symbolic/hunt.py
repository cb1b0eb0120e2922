"""The hunt for wrong rules: is a mutant told from the rule, and by what?

First by two numbers, which costs next to nothing: where samples lie the derivative is one, and the
rule gives it (tests/symbolic/test_rules_are_proved.py), so a mutant that gives another gradient is
wrong. Whatever gives the same ones is put before the checker, with formulas and points of its own.

Read next: tests/symbolic/mutants.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.report import Report
from graphlab.ops import Op, registry
from tests.core.samples import REFUSED, SAMPLES, Sample
from tests.symbolic.mutants import mutants, planted
from tests.symbolic.reasons import ON_KINKS, SPECIAL

PROVABLE = [*SAMPLES, *SPECIAL]
HUNTED = sorted(set(registry) - {"custom"} - {sample.op for sample in REFUSED})
STUMBLES = (AttributeError, IndexError, TypeError, ValueError)  # of an engine with a wrong rule


def called(sample: Sample) -> tuple[list[Any], list[Any], list[Any]]:
    """The inputs that need a gradient, the outputs that have one, and a weight for each entry."""
    graphlab.manual_seed(0)
    inputs = sample.tensors(graphlab)
    result = sample.call(graphlab, *inputs)
    several = result if isinstance(result, tuple | list) else (result,)
    outputs = [o for o in several if o.requires_grad]
    weights = [
        graphlab.tensor(np.random.default_rng(i).uniform(0.5, 1.5, tuple(o.shape)).round(2)).to(
            o.dtype
        )
        for i, o in enumerate(outputs)
    ]
    return [x for x in inputs if x.requires_grad], outputs, weights


def proof(sample: Sample) -> Report:
    """The rules beside diff(sum(g * forward(x))), the definition of a vector-Jacobian product.

    The incoming gradient g is made of symbols too.
    """
    inputs, outputs, weights = called(sample)
    parts = [(o * w.requires_grad_()).sum() for o, w in zip(outputs, weights, strict=True)]
    return check(graphlab.stack(parts).sum(), wrt=inputs)


# -- two numbers --------------------------------------------------------------------------------


def gradients(sample: Sample) -> list[np.ndarray]:
    """What autograd gives now: for each output alone, and for all of them together."""
    inputs, outputs, weights = called(sample)
    found = []
    each = [([o], [w]) for o, w in zip(outputs, weights, strict=True)] if len(outputs) > 1 else []
    for some, what in [*each, (outputs, weights)]:
        grads = graphlab.autograd.grad(some, inputs, what, retain_graph=True, allow_unused=True)
        found += [
            np.zeros(tuple(x.shape)) if g is None else np.array(g._data)
            for x, g in zip(inputs, grads, strict=True)
        ]
    return found


right_gradients: Callable[[int], list[np.ndarray]] = cache(lambda i: gradients(PROVABLE[i]))


def is_refuted(place: int) -> bool:
    """Whether the planted rule gives other gradients for a sample than the right one gave."""
    try:
        found = gradients(PROVABLE[place])
    except (*STUMBLES, RuntimeError):
        return True
    return any(
        a.shape != b.shape or not np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
        for a, b in zip(found, right_gradients(place), strict=True)
    )


# -- the checker --------------------------------------------------------------------------------


def disagreements(sample: Sample) -> Iterator[Report | None]:
    """Give every report that disagrees, and None where the engine or a reading stumbles."""
    inputs, outputs, weights = called(sample)
    if len(outputs) > 1 and not registry[sample.op].materialize:  # they have to fit together too
        parts = [(o * w).sum() for o, w in zip(outputs, weights, strict=True)]
        outputs, weights = [*outputs, sum(parts)], [*weights, None]
    for output, weight in zip(outputs, weights, strict=True):
        try:
            report = check(output, wrt=inputs, gradient=weight)
        except STUMBLES:
            yield None
        else:
            if any(row.verdict == "disagrees" for row in report):
                yield report
            elif any(" ended in " in row.note or " raised " in row.note for row in report):
                yield None


def is_caught(sample: Sample) -> bool:
    """Whether the checker says "disagrees", or the engine or a reading stumbles over the rule."""
    try:
        return any(True for _ in disagreements(sample))
    except NotImplementedError:  # the rule that was put in refuses: nobody can miss that
        return True


# -- the hunt -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong rule of one operation for one input; label: what was changed."""

    op: type[Op]
    given: str
    label: str
    rule: Callable[..., Any]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.op.name, self.given, self.label


def all_mutants(name: str) -> Iterator[Mutant]:
    """Every mutant of every rule of an operation."""
    op = registry[name]
    for given in op.rules:
        for label, rule in mutants(op, given):
            yield Mutant(op, given, label, rule)


def fate(mutant: Mutant) -> str:
    """What tells the mutant from the rule; "alive" when nothing does."""
    name = mutant.op.name
    own = [i for i, sample in enumerate(PROVABLE) if sample.op == name]
    for i in own:
        right_gradients(i)  # those of the rule, before it is replaced
    with planted(mutant.op, mutant.given, mutant.rule):
        if any(is_refuted(i) for i in own):
            return "another gradient"
        samples = [*(PROVABLE[i] for i in own), *(s for s in ON_KINKS if s.op == name)]
        caught = any(is_caught(sample) for sample in samples)
        return "the checker disagrees" if caught else "alive"


def survivors(name: str) -> set[tuple[str, str, str]]:
    """The mutants of an operation's rules that nothing tells from the rule."""
    return {mutant.key for mutant in all_mutants(name) if fate(mutant) == "alive"}
