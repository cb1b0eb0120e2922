"""Every input of every operation is explained by a phrase, or a formula, of its own.

golden/explanations.txt holds what a reader sees at each input, for every sample of every operation:
read it as an 18-year-old would, and rewrite what is a riddle.

Read next: graphlab/adapters/equations.py
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest

import graphlab
from graphlab.adapters.equations import said
from graphlab.adapters.native.rehearsal import rehearse
from graphlab.adapters.native.variable_names import Names, edge_key
from graphlab.adapters.proofs import table
from graphlab.adapters.rule_text import local_factor
from graphlab.ops import load_all
from graphlab.ops.rounding import NO_RULE
from tests.core.samples import KINKS, SAMPLES, name_of

OPERATIONS = [op for op in load_all().values() if op.__module__ != "graphlab.autograd.context"]
ENDS = re.compile(r"; summed from .*, because .* was broadcast$| · saved as .*$")


def text(spans: Any) -> str:
    return "".join(span if isinstance(span, str) else span[1] for span in spans)


def has_factor(op: Any, word: str) -> bool:
    """Whether the rule of an input is a factor of the gradient, which is shown as a formula."""
    names = {} if op.variadic else {word: word for word in (*op.inputs, *op.outputs)}
    options = {**dict.fromkeys(op.options, 2.0), **op.defaults}
    return op.pointwise and bool(local_factor(op.rules[word], names, options))


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_each_input_has_a_phrase_of_its_own_or_a_formula(op):
    for word, phrase in op.phrases.items():
        if has_factor(op, word):
            continue
        own = hasattr(op, f"phrase_{word}") or len(op.rules) == 1 or op.variadic
        assert phrase, f"{op.__name__}: nothing explains {word}; write a phrase (ops/base.py)"
        assert own or phrase.startswith("this "), f"{op.__name__}: whose is {phrase!r}?"


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_a_phrase_is_plain_and_short(op):
    for phrase in op.phrases.values():
        assert len(phrase) <= 125
        assert not re.search(r"\bless\b|flat steps|comes through|turned round| it saw\b", phrase)
        assert not phrase.endswith(".")


def readings(phrase: str) -> set[str]:
    """What a reader may see: the phrase, without a factor that is 1, or with or without a mean."""
    means = {said(phrase, {"reduction": number}) for number in (1, 2)}
    return {phrase, phrase.rpartition(", times ")[0], *means}


def explained(sample: Any) -> dict[str, tuple[str, str, str]]:
    """For each input that a trace of a sample explains: its equation, its note and its proof."""
    tensors = sample.tensors(graphlab, "float64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = sample.call(graphlab, *tensors)
    parts = [t for t in (made if isinstance(made, tuple | list) else [made]) if t.requires_grad]
    if not parts:
        return {}
    names = Names(
        {id(tensor): name for tensor, name in zip(tensors, "abcdef", strict=False)},
        {edge_key(t._node): (f"y{k}" if k else "y", t) for k, t in enumerate(parts)},
    )
    timeline = rehearse(sum(t.sum() for t in parts), names=names)
    found: dict[str, tuple[str, str, str]] = {}
    for event in timeline:
        if event.kind == "RuleApplied" and timeline.graph.node(event.node).op == sample.op:
            node, inputs = timeline.graph.node(event.node), list(load_all()[sample.op].rules)
            place = min(timeline.graph.edge(event.edge).index, len(inputs) - 1)
            equation = text(event.equation.symbols)
            found.setdefault(inputs[place], (equation, event.equation.note, node.proof))
    return found


EXPLAINED = {name_of(sample): (sample, explained(sample)) for sample in [*SAMPLES, *KINKS]}


def test_every_sample_explains_each_input_by_its_own_rule(golden):
    listed: dict[tuple[str, str, str], str] = {}
    for name, (sample, found) in EXPLAINED.items():
        op = load_all().get(sample.op)
        for word, (equation, note, proof) in found.items():
            bare = ENDS.sub("", note)
            formula = bare.startswith("∂") and " = " in bare
            phrase = op.phrases[word]
            assert formula or bare in readings(phrase), (name, word, note)
            assert equation.startswith("∂"), (name, word)
            assert proof, (name, word)
            lines = f"{sample.op} · {word}\n    {equation}\n    {note}\n    {proof}\n"
            listed.setdefault((sample.op, word, bare), lines)
    golden("explanations.txt", "".join(sorted(listed.values())))


def test_each_phrase_is_shown_for_some_sample():
    seen, shown = set(), set()
    for sample, found in EXPLAINED.values():
        for word, (_, note, _) in found.items():
            seen.add((sample.op, word))
            phrase = load_all()[sample.op].phrases[word]
            if ENDS.sub("", note) in readings(phrase):
                shown.add((sample.op, word))
    dead = {(op, word) for op, word in seen - shown if load_all()[op].phrases[word]}
    assert not dead, f"a formula is shown instead of the phrases of {sorted(dead)}"


def test_a_rule_counts_as_proved_only_if_the_proof_covers_every_input():
    for op in OPERATIONS:
        found = {word for s, inputs in EXPLAINED.values() if s.op == op.name for word in inputs}
        if table().get(op.name) == "":
            wanted = {word for word in op.rules if op.phrases[word] != NO_RULE}
            assert found == wanted, f"{op.__name__}: no sample reaches {[*op.rules]}"
