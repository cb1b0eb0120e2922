"""Lesson 16: the rules, the calls of a backward pass, its order, and your own engine.

Read next: notebooks/16_how_graphlab_works_inside.ipynb
"""

from collections.abc import Callable, Sequence
from typing import Any

from graphlab.faces.exercises.answers import Choice, Code, Exercise, Number, Order, Unreadable


def class_of(function: Callable[..., Any]) -> Any:
    """Return the learner's class Value, which stands beside the function."""
    return function.__globals__["Value"]


def orders(function: Callable[..., Any]) -> str:
    """Run the learner's order on two graphs, and say what is wrong with it."""
    made = class_of(function)
    w, x, b = made(4.0), made(0.5), made(1.0)
    h = made(2.0, (w, x))
    p = made(3.0, (h, b))
    q = made(6.0, (h, p))
    diamond = made(1.0)
    left, right = made(2.0, (diamond,)), made(3.0, (diamond,))
    top = made(6.0, (right, left))
    for result, values in ((q, [w, x, b, h, p, q]), (top, [diamond, left, right, top])):
        got = function(result)
        if not isinstance(got, list | tuple):
            return f"It should return a list of values, got {type(got).__name__}."
        numbers = [one.number for one in got]
        wanted = sorted((one.number for one in values), reverse=True)
        if numbers == wanted:
            continue
        if numbers == wanted[::-1]:
            return "That is the order of the forward pass: the value made first comes first."
        if len(numbers) != len(set(numbers)):
            return "A value is in the list more than once, so it would run more than once."
        if sorted(numbers, reverse=True) != wanted:
            return f"There are {len(wanted)} values behind the result, but it returns {len(got)}."
        places = {number: place for place, number in enumerate(numbers)}
        if any(places[one.number] < places[value.number] for value in got for one in value.inputs):
            return "A value runs before another one that still sends it a gradient."
        return (
            "The gradients would be right: each value runs after all that send it one. But asked "
            "for is the order of the numbers."
        )
    return ""


def slope(result: Any, leaf: Any) -> float:
    """Return the slope of a result with respect to a leaf: the sum over the paths."""
    if result is leaf:
        return 1.0
    edges = zip(result.inputs, result.slopes, strict=True)
    return sum(local * slope(one, leaf) for one, local in edges)


def extends(given: Any) -> str:
    """Check the values and gradients of a difference and a square; say what is wrong."""
    minus, square = given
    for first, second in ((3.0, 5.0), (-2.0, 0.5)):
        a, b = class_of(minus)(first), class_of(minus)(second)
        for name, made, leaves, data, wanted in (
            ("minus", minus(a, b), (a, b), first - second, [1.0, -1.0]),
            ("square", square(a), (a,), first**2, [2 * first]),
        ):
            at = f"For a = {first:g} and b = {second:g}"
            if not all(hasattr(made, part) for part in ("data", "inputs", "slopes")):
                return f"{name} should return a Value, got {type(made).__name__}."
            if made.data != data:
                return f"{at}, {name} gives {made.data}, not {data}."
            if not isinstance(made.inputs, tuple | list) or not isinstance(
                made.slopes, tuple | list
            ):
                return f"The inputs and the slopes of {name} are tuples: (a,) has a comma."
            if any(one is ... for one in made.slopes):
                return f"A slope of {name} is not filled in yet."
            if len(made.inputs) != len(made.slopes) or not made.inputs:
                return f"{name} needs its inputs, and a slope for each."
            got = [slope(made, leaf) for leaf in leaves]
            if got == wanted:
                continue
            if name == "minus" and got == [1.0, 1.0]:
                return "These are the slopes of a sum. If b grows by 1, a - b falls by 1."
            if name == "square" and got == [first]:
                return "With the slope a, a² would be treated as a product with a constant."
            sent = " and ".join(map(str, got))
            return f"{at}, {name} sends {sent} back when 1 arrives."
    return ""


class Pair(Code):
    """Two functions in parentheses, or in a list."""

    def read(self, given: Any) -> Any:
        if isinstance(given, tuple | list) and len(given) == 2 and all(map(callable, given)):
            return given
        raise Unreadable(f"expected {self.what}, got {type(given).__name__}")


def before(first: str, second: str) -> Callable[[Sequence[str]], bool]:
    """Return a function that says whether one name comes before another."""
    return lambda names: (
        first in names and second in names and names.index(first) < names.index(second)
    )


EXERCISES = [
    Exercise(
        "16.1",
        "Put add_to_grad, forward, grad_other, grad_self and walk into the order in which they run "
        "in c = a * b; c.backward().",
        Order(["forward", "walk", "grad_self", "grad_other", "add_to_grad"]),
        (
            "One of them runs before backward() is called at all.",
            "The loop calls the rules, the first input's first. Leaves are written at the end.",
        ),
        {
            before("walk", "forward"): "forward computes c, so it runs before the pass.",
            before("grad_self", "walk"): "The rules are called by the loop, so it begins first.",
            before("add_to_grad", "grad_other"): (
                "Leaves are written when all nodes have run: a pass that fails changes nothing."
            ),
            before("grad_other", "grad_self"): "The rules run in the order of the inputs.",
        },
        "Compute, loop, rules, write.",
    ),
    Exercise(
        "16.2",
        "The only rule is grad_self(grad, result): return grad * result * (1 - result). What does "
        "the node save? (a) its input, (b) its result, (c) both, (d) nothing.",
        Choice("b"),
        (
            "Look at the arguments of the rule. grad is what arrives in the backward pass.",
            "What a rule names is what the node saves.",
        ),
        {
            "a": "grad_self is the rule for the input self. Does it name its value?",
            "c": "It would have to name self as well. Which names are in the parentheses?",
            "d": "Then the rule could not know result when it runs.",
        },
        "It names result alone. This is the rule of the sigmoid.",
    ),
    Exercise(
        "16.3",
        "b = 2a and y = (b + b) + b. An impatient program runs the node of b at each arrival, with "
        "all that has come so far. Which gradient does it find for a?",
        Number(12),
        (
            "Three gradients of 1 arrive at b, one after the other.",
            "It runs with 1, then with 2, then with 3, and each time sends twice that to a.",
        ),
        {
            6: "That is the right gradient: b runs once, with 3. The program is impatient.",
            3: "That is what arrives at b in the end.",
            2: "That is what the first arrival sends. There are two more.",
            8: "Three arrivals, not two and the last: 1, then 2, then 3.",
        },
        "2 · (1 + 2 + 3). Waiting gives 2 · 3.",
    ),
    Exercise(
        "16.4",
        "Repair repaired_order(result): all values behind it, the one that was made last first.",
        Code(orders, "your function repaired_order"),
        (
            "Each value knows its number. Which one comes first?",
            "sorted(found, key=number, reverse=True), as in section 4.",
        ),
        {},
        "The numbers alone make a topological order, because a result is made after its inputs.",
    ),
    Exercise(
        "16.5",
        "Write minus(a, b) and square(a) for your engine, and answer with (minus, square).",
        Pair(extends, "two functions in parentheses, (minus, square)"),
        (
            "A Value gets its number, its inputs, and the slope for each input.",
            "The slopes of a - b are 1 and -1. That of a² is 2a, with a.data for a.",
        ),
        {},
        "Any operation is one line: its value, its inputs, and its slopes.",
    ),
]
