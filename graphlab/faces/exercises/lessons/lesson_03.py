"""Lesson 3: the backward pass, step by step.

Read next: notebooks/03_the_backward_pass.ipynb
"""

from collections.abc import Callable, Mapping
from typing import Any

import graphlab
from graphlab.faces.exercises.answers import Code, Exercise, Number, Order, agree
from graphlab.graph.comparing.wording import often

Graph = dict[str, list[str]]


def gradient_at_u() -> Any:
    """Return the gradient of z with respect to u, which is used twice."""
    a = graphlab.tensor(2.0, requires_grad=True)
    b = graphlab.tensor(3.0, requires_grad=True)
    u = a * b
    u.retain_grad()
    (u * (u + a)).backward()
    return u.grad


def of_the_gradients(gradients: Callable[[float, float], Any]) -> str:
    """Say what is wrong with a backward pass of (a * b) * (a * b + a) by hand; "" if nothing is."""
    for a, b in ((2.0, 3.0), (-1.5, 4.0), (3.0, -0.5)):
        found = gradients(a, b)
        if not isinstance(found, tuple | list) or len(found) != 2:
            return "It should return two numbers: return to_a, to_b."
        h, p = a * b, a * b + a
        wanted = (h + (h + p) * b, (h + p) * a)
        if agree(found, wanted):
            continue
        if agree(found, (h + p * b, p * a)):
            return "The node of h ran too early: h is used for p as well, so one part is missing."
        if agree(found, ((h + p) * b, wanted[1])):
            return "a is used twice: for h, and for p. What arrives from p is missing."
        if agree(found, (p * b, p * a)):
            return "h and a are used twice each. Add what arrives from both uses."
        if agree(found, wanted[::-1]):
            return "Both are right, but in the wrong order: first to_a, then to_b."
        if agree(found[1:], wanted[1:]):
            return f"For a = {a:g} and b = {b:g}, to_b is right, and to_a is {float(found[0]):g}"
        return f"For a = {a:g} and b = {b:g} it returns {float(found[0]):g}, {float(found[1]):g}"
    return ""


def of_the_counts(waits: Callable[[Graph], Any]) -> str:
    """Say what is wrong with a function that counts uses; "" if nothing is."""
    graphs: tuple[Graph, ...] = (
        {"e": ["r"], "r": ["q"], "q": ["h", "p"], "p": ["h", "b"], "h": ["w", "x"]},
        {"k": ["g", "g"], "g": ["c", "d"]},
        {"e": ["u", "v"], "v": ["u", "t"], "t": ["u", "a"], "u": ["a", "b"]},
    )
    for made_from in graphs:
        uses = [one for inputs in made_from.values() for one in inputs]
        found = waits({result: list(inputs) for result, inputs in made_from.items()})
        if not isinstance(found, Mapping):
            return f"It should return a dict, not {type(found).__name__}."
        for name in dict.fromkeys(uses):
            count = found.get(name, 0)
            if count == uses.count(name):
                continue
            if made_from == graphs[1]:
                return f"k = g * g uses g twice, but your function says {count}."
            used = often(uses.count(name))
            return f"Your function says {count} for {name}, which is used {used}"
        if more := [name for name, count in found.items() if count and name not in uses]:
            return f"It counts {more[0]!r}, which nothing uses."
    return ""


EXERCISES = [
    Exercise(
        "3.1",
        "u = a * b, v = u + a, z = u * v, e = z**2. In which order do the nodes of e, u, v and z "
        "run in the backward pass?",
        Order("e, z, v, u"),
        (
            "The pass begins at the result. Which node can run when that one has run?",
            "The node of z passes gradients to u and to v. Which of them gets another one later?",
            "The node of v passes a gradient to u, so the node of u has to wait for it.",
        ),
        {
            "u, v, z, e": "That is the order of the forward pass.",
            "e, z, u, v": (
                "u is used for v too. After z only one of its two gradients has arrived, so it "
                "waits."
            ),
            lambda names: not {"a", "b"}.isdisjoint(names): (
                "a and b are leaves. Name the four results only."
            ),
        },
        "Each node runs when every use of its result has sent its gradient.",
    ),
    Exercise(
        "3.2",
        "For how many gradients does the node of u wait in the formula of 3.1?",
        Number(2),
        ("One gradient arrives for each use of u.", "Look for u on the right of each `=`."),
        {
            1: "That is how many have arrived when the node of z has run. Another line uses u.",
            3: "The line u = a * b makes u; it does not use it.",
            4: "That is the number of nodes. Count the uses of u.",
        },
        "v = u + a and z = u * v use it.",
    ),
    Exercise(
        "3.3",
        "Let a = 2 and b = 3, and let the pass begin at z with the gradient 1. With which gradient "
        "does the node of u run?",
        Number(gradient_at_u),
        (
            "Compute u and v first. Then: what does the node of z pass on to u, and what to v?",
            "The product swaps: v to u, and u to v. What does the node of v then pass on to u?",
            "Add what has arrived at u from z and from v.",
        ),
        {
            8: "That is the gradient from z alone. Wait for the one from v.",
            6: "That is the gradient from v alone. z = u * v uses u as well.",
            48: "Gradients that meet are added, not multiplied.",
            12: "The product swaps its inputs: u gets the value of v from it.",
            9: "The node of v does not run with 1, but with what the node of z passed to v.",
        },
        "8 comes from z and 6 from v.",
    ),
    Exercise(
        "3.4",
        "f = a * b, g = c * d, k = g * g, m = f + k. In which order does PyTorch run the nodes "
        "of f, g, k and m?",
        Order("m, k, g, f"),
        (
            "When the node of m has run, two nodes are ready. Which of them was made last?",
            "When the node of k has run, the node of g is ready, and that of f is still in the "
            "queue. Which of the two was made last?",
        ),
        {
            "f, g, k, m": "That is the order of the forward pass.",
            "m, f, k, g": (
                "The gradients are right in this order too. But f was made first, so PyTorch takes "
                "it last."
            ),
            "m, k, f, g": (
                "The gradients are right in this order too. But after k, g is ready, and g was "
                "made after f."
            ),
            lambda names: names.index("g") < names.index("k") if {"g", "k"} <= {*names} else 0: (
                "k was made from g, so the node of g waits for the node of k."
            ),
        },
        "Of the ready nodes, the one that was made last runs first.",
    ),
    Exercise(
        "3.5",
        "Complete gradients(a, b) for h = a * b, p = h + a, e = h * p: return the gradients of e "
        "with respect to a and to b.",
        Code(of_the_gradients, "your function"),
        (
            "Write one line for each node, from e on: upstream times local slope.",
            "h is used for p and for e, and a is used for h and for p: these lines have two parts.",
            "Begin with to_p, which is 1 times h. The line of to_h needs it.",
        ),
        {},
        "Two lines had to wait for a second part, as the nodes in the ready queue do.",
    ),
    Exercise(
        "3.6",
        "Repair waits(made_from), so that it says for each tensor how many gradients will arrive.",
        Code(of_the_counts, "your function"),
        (
            "What should happen when a tensor is met for the second time?",
            "counts.get(one, 0) is the count so far, and 0 at the first time.",
        ),
        {},
        "This is what the engine counts before its first node runs.",
    ),
]
