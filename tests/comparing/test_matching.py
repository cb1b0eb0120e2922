"""Which nodes are matched: random graphs beside themselves, and with one thing changed.

Read next: graphlab/graph/comparing/node_matching.py
"""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import graphlab as torch
from graphlab.adapters.native.variable_names import Names
from graphlab.faces.named_calls import timeline_of
from graphlab.faces.render.two_graphs import Comparison
from graphlab.graph.comparing.finding import find
from graphlab.graph.comparing.node_matching import match
from graphlab.graph.timeline import Timeline

UNARY = ("sin", "tanh", "exp")
BINARY = ("add", "sub", "mul", "maximum")
Program = list[tuple[str, int, int]]  # an operation and its inputs, counted from the last value

programs = st.lists(
    st.tuples(st.sampled_from(UNARY + BINARY), st.integers(0, 9), st.integers(0, 9)),
    min_size=1, max_size=30,
)  # fmt: skip


def leaves(start: float = 0.3) -> list[Any]:
    made = [start + 0.1 * k for k in range(3)]
    return [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in made]


def run(program: Program, inputs: list[Any], names: str = "abc") -> Timeline:
    """The timeline of the sum of all values that a program makes."""
    values = list(inputs)
    for op, i, k in program:
        one, other = (values[-1 - (at % len(values))] for at in (i, k))
        values.append(
            getattr(torch, op)(one, other) if op in (*BINARY, "atan2") else getattr(torch, op)(one)
        )
    total = values[3]
    for value in values[4:]:
        total = total + value
    named = Names({id(tensor): name for name, tensor in zip(names, inputs, strict=True)})
    return timeline_of(total, None, named)


@given(programs)
def test_a_graph_beside_itself_has_no_differences(program: Program):
    comparison = Comparison(run(program, leaves()), run(program, leaves()))
    assert comparison.same
    assert not len(comparison)
    assert all(not row.why for row in comparison.rows)


@given(programs)
def test_every_node_has_a_partner_whatever_the_names_and_numbers(program: Program):
    one, other = run(program, leaves()).graph, run(program, leaves(0.7), "xyz").graph
    found = match(one, other)
    assert set(found.nodes) == {node.id for node in one.nodes}
    assert all(one.node(a).op == other.node(b).op for a, b in found.nodes.items())


@given(programs, st.data())
def test_one_changed_operation_is_named_and_nothing_else(program: Program, data: st.DataObject):
    place = data.draw(st.integers(0, len(program) - 1))
    op, i, k = program[place]
    new = "cos" if op in UNARY else "atan2"
    changed = [*program[:place], (new, i, k), *program[place + 1 :]]
    one, other = run(program, leaves()), run(changed, leaves())
    found = [d for d in find(one, other).differences if d.kind not in ("result", "gradient")]
    assert [d.kind for d in found] == ["operation"], [str(d) for d in found]
    (difference,) = found
    assert one.graph.node(difference.first[0]).op == op
    assert other.graph.node(difference.second[0]).op == new
