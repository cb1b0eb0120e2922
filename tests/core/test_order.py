"""Random programs with hooks run in both libraries: what ran when, and what it saw, is the same.

Read next: tests/core/test_hooks.py
"""

from __future__ import annotations

import gc
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphlab
from graphlab.autograd.hooks import LivingHooks

SEEN = ("tensor", "tensor*2", "tensor none", "prehook", "prehook*3", "node", "node*5")
HOOKS = (*SEEN, "retain", "later")
LEAF_HOOKS = ("tensor", "tensor*2", "after", "accumulate", "accumulate before")


def numbers(value):
    """Gradients as plain numbers: None, a number, or a tuple of them."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(map(numbers, value))
    return value.tolist()


class Program:
    """A graph of scalars, its hooks, and what they saw.

    steps: for each node, what makes it and the numbers of its inputs; tensors are numbered, the
    leaves first. hooks: (number of a tensor, kind of hook).
    """

    def __init__(self, lib, leaves, steps, hooks):
        self.lib = lib
        self.log = []
        self.keep = []
        self.tensors = [lib.tensor(1.0 + i, requires_grad=True) for i in range(leaves)]
        noted = self.noted()
        for kind, inputs in steps:
            given_ = [self.tensors[i % len(self.tensors)] for i in inputs]
            made = getattr(self, kind)(noted, given_)
            self.tensors += made if isinstance(made, list) else [made]
        for place, kind in hooks:
            self.hook(place % len(self.tensors), kind)

    def noted(self):
        log = self.log

        class Noted(self.lib.autograd.Function):
            @staticmethod
            def forward(ctx, number, *inputs):
                ctx.number, ctx.n = number, len(inputs)
                return sum(inputs[1:], inputs[0] * 1)

            @staticmethod
            def backward(ctx, grad):
                log.append(("runs", ctx.number, numbers(grad)))
                grads = [grad * (i + 1) for i in range(ctx.n)]
                if ctx.number % 5 == 3:
                    grads[0] = None
                return (None, *grads)

        return Noted.apply

    def custom(self, noted, inputs):
        return noted(len(self.tensors), *inputs)

    def product(self, noted, inputs):
        made = inputs[0] * 2
        for one in inputs[1:]:
            made = made * one
        return made

    def joined(self, noted, inputs):
        return self.lib.stack(inputs).sum()

    def parted(self, noted, inputs):
        return list((self.lib.stack([*inputs, inputs[0]]) * 2).unbind())[:2]

    def hook(self, place, kind):
        tensor, log = self.tensors[place], self.log

        def saw(what, give=None):
            def hook(*seen):
                log.append((what, place, numbers(seen)))
                return give(*seen) if give is not None else None

            return hook

        def times(factor):
            def scale(seen, *_):
                if isinstance(seen, tuple):
                    return tuple(None if g is None else g * factor for g in seen)
                return None if seen is None else seen * factor

            return scale

        if tensor.grad_fn is None:
            if kind in ("tensor", "tensor*2"):
                tensor.register_hook(saw(kind, times(2) if "*" in kind else None))
            elif kind == "after":
                tensor.register_post_accumulate_grad_hook(
                    lambda leaf: log.append((kind, place, numbers(leaf.grad)))
                )
            else:
                edge = self.lib.autograd.graph.get_gradient_edge(tensor)
                self.keep.append(edge)
                if kind == "accumulate":
                    edge.node.register_hook(saw(kind))
                elif kind == "accumulate before":
                    edge.node.register_prehook(saw(kind, times(3)))
            return
        if kind.startswith("tensor"):
            tensor.register_hook(saw(kind, times(2) if "*" in kind else None))
        elif kind.startswith("prehook"):
            tensor.grad_fn.register_prehook(saw(kind, times(3) if "*" in kind else None))
        elif kind.startswith("node"):
            tensor.grad_fn.register_hook(saw(kind, times(5) if "*" in kind else None))
        elif kind == "retain":
            tensor.retain_grad()
        elif kind == "later":
            tensor.grad_fn._set_sequence_nr(10**9 + place)

    def run(self, call, roots, inputs, create_graph):
        outputs = [self.tensors[i] for i in roots if self.tensors[i].grad_fn is not None]
        wanted = [self.tensors[i % len(self.tensors)] for i in inputs]
        returned = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if call == "backward":
                self.lib.autograd.backward(outputs, create_graph=create_graph)
            elif call == "inputs":
                self.lib.autograd.backward(outputs, inputs=wanted, create_graph=create_graph)
            else:
                returned = self.lib.autograd.grad(
                    outputs, wanted, allow_unused=True, create_graph=create_graph
                )
            grads = [numbers(t.grad) for t in self.tensors]
        return self.log, None if returned is None else numbers(tuple(returned)), grads


steps = st.lists(
    st.tuples(
        st.sampled_from(["custom", "custom", "product", "joined", "parted"]),
        st.lists(st.integers(0, 12), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=7,
)
hooks = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from(sorted({*HOOKS, *LEAF_HOOKS}))),
    min_size=1,
    max_size=8,
)
asked = (
    st.sampled_from(["backward", "inputs", "grad"]),
    st.lists(st.integers(-3, -1), min_size=1, max_size=3, unique=True),  # roots
    st.lists(st.integers(0, 20), min_size=1, max_size=3, unique=True),  # inputs
    st.booleans(),
)


def outcome(lib, program, call, roots, inputs, create_graph):
    """What ran, with what; what was returned; and every `.grad` afterwards."""
    made = Program(lib, *program)
    count = len(made.tensors)
    places = [i for i in roots if -i <= count and made.tensors[i].grad_fn is not None]
    wanted = list(dict.fromkeys(i % count for i in inputs))
    return made.run(call, places or [-1], wanted, create_graph)


@pytest.mark.torch
@settings(max_examples=150)
@given(st.integers(1, 4), steps, hooks, *asked)
def test_hooks_of_random_programs_run_when_pytorchs_do_and_see_the_same(
    torch, leaves, steps, hooks, call, roots, inputs, create_graph
):
    given_ = ((leaves, steps, hooks), call, roots, inputs, create_graph)
    assert outcome(graphlab, *given_) == outcome(torch, *given_)


@pytest.mark.torch
@settings(max_examples=100)
@given(st.integers(1, 4), steps, *asked)
def test_without_hooks_the_same_nodes_run_in_the_same_order(
    torch, leaves, steps, call, roots, inputs, create_graph
):
    if LivingHooks.count:
        gc.collect()  # hooks that other tests have left
    given_ = ((leaves, steps, [(i, "retain") for i in range(20)]), call, roots, inputs)
    ours = outcome(graphlab, *given_, create_graph)
    assert LivingHooks.count == 0, "this is about the pass that knows no hooks"
    assert ours == outcome(torch, *given_, create_graph)


def test_passes_are_watched_for_as_long_as_a_node_lives_whose_number_was_set():
    gc.collect()
    before = LivingHooks.count
    a = graphlab.tensor(2.0, requires_grad=True)
    b = a * a
    y = b.exp() + b.sin()
    b.retain_grad()
    b.grad_fn._set_sequence_nr(10**9)
    b.grad_fn._set_sequence_nr(10**8)
    assert LivingHooks.count == before + 1
    y.backward()
    assert a.grad.item() == pytest.approx(4 * b.grad.item())
    del y, b
    assert LivingHooks.count == before
