"""Lesson 4: a DAG, not a tree.

Read next: notebooks/04_a_dag_not_a_tree.ipynb
"""

from typing import Any

from graphlab.faces.exercises.answers import Choice, Code, Exercise, Number, Order
from graphlab.tensor.creation import tensor
from graphlab.tensor.tensor import Tensor


def squared_and_reused() -> tuple[Tensor, Tensor]:
    """Return w and x, where w = u·v, u = x·x, v = u + x and x = 2."""
    x = tensor(2.0, requires_grad=True)
    u = x * x
    v = u + x
    return u * v, x


def paths(result: Tensor, leaf: Tensor) -> int:
    """Return how many paths lead from a result to a leaf."""
    from graphlab.faces.symbolic.check import check

    return check(result, wrt=[leaf]).rows[0].chain.count


def gradient() -> Tensor | None:
    """Return the gradient of w with respect to x."""
    w, x = squared_and_reused()
    w.backward()
    return x.grad


def three_paths(f: Any) -> str:
    """Say what is wrong with a function that needs three paths and the gradient 12 at a = 2."""
    a = tensor(2.0, requires_grad=True)
    y = f(a)
    if not isinstance(y, Tensor):
        return f"f(a) should return a tensor, not {type(y).__name__}."
    if y is a or not y.requires_grad:
        return "The result has no path to a: compute it from a with + and *."
    found = paths(y, a)
    if found != 3:
        one = "1 path leads" if found == 1 else f"{found} paths lead"
        power = ". A power is one operation with one edge, however large the exponent." * (
            found == 1 and "Pow" in y.grad_fn.name()
        )
        return f"{one} to a, but there should be 3{power}"
    y.backward()
    total = 0.0 if a.grad is None else a.grad.item()
    if not abs(total - 12) < 1e-3:
        return f"There are 3 paths, but their sum at a = 2 is {total:g}."
    return ""


EXERCISES = [
    Exercise(
        "4.1",
        "u = x·x, v = u + x and w = u·v. How many paths lead from w to x?",
        Number(lambda: paths(*squared_and_reused())),
        (
            "Sketch the graph with one box for each of x, u, v and w. How many arrows leave x?",
            "Count the paths from u to x first. Then count how many ways lead from w to u, and how "
            "many from w to x without u.",
        ),
        {
            3: "x * x uses x twice: two arrows join x and u, so each way to u goes on in two.",
            4: "One path does not touch u at all: v uses x as well.",
            2: "These are the two ways out of w. Follow each of them down to x: they fork.",
            1: "A tree would have one path to each box. Here x and u are used several times.",
        },
        "Two ways lead from w to u, and two from u to x: that makes 4; the fifth is w, v, x.",
    ),
    Exercise(
        "4.2",
        "u = x·x, v = u + x and w = u·v, with x = 2. What is the gradient of w with respect to x?",
        Number(gradient),
        (
            "The values are u = 4 and v = 6. Multiply the slopes along each of the five paths.",
            "What arrives at u in all is v from w directly, and u · 1 by way of v. Add first, then "
            "multiply by the slope of the square.",
        ),
        {
            68.0: (
                "There the node of u ran twice: first with the 6 from w, then with the sum. "
                "It waits for both gradients, and then runs once. In a tree there is nothing to "
                "wait for; here there is."
            ),
            24.0: "Are all five paths in your sum? Two arrows join u and x, and v uses u too.",
            28.0: "One use of u is missing: w uses u directly, and v uses it as well.",
            40.0: "One path is missing, the one that does not touch u: w, v, x.",
            12.0: "That is the product along one path. Gradients that meet are added.",
        },
        "6 + 4 = 10 arrives at u, and 10 · 2x = 40; with the 4 from v directly it is 44.",
    ),
    Exercise(
        "4.3",
        "b = 2a and y = (b + 1) + (b + 2), with a = 3. What is the gradient of y with respect to "
        "a?",
        Number(4.0),
        (
            "b is used twice. What arrives at b?",
            "Each use sends 1 to b. b adds them, and then the slope of 2a takes part once.",
        ),
        {
            6.0: (
                "There b passed on 1 · 2 at once, and then (1 + 1) · 2: the first gradient "
                "was counted twice. A node waits until every use has sent its gradient, and runs "
                "once. That is what makes a DAG different from a tree."
            ),
            2.0: "That is one path: b is used twice, and the sum runs over both uses.",
            1.0: "That is what one use sends to b. There are two uses, and then the slope of 2a.",
        },
        "1 + 1 arrives at b, and 2 · 2 = 4 at a. Indeed y = 4a + 3.",
    ),
    Exercise(
        "4.4",
        "Which are true? (a) A node passes on each gradient as soon as it arrives. (b) In "
        "one backward pass each node runs at most once. (c) A leaf that is used three times gets "
        "three gradients in .grad. (d) A graph can have many more paths than operations. (e) A "
        "gradient of 0 means that there is no path.",
        Choice("b d"),
        (
            "Think of b in section 3, and of the thirty lines in section 5.",
            "What is in .grad is one tensor. And section 4 had two paths.",
        ),
        {
            lambda letters: "a" in letters: (
                "It waits until every use has sent its gradient; else the first ones would be "
                "counted again."
            ),
            lambda letters: "c" in letters: ".grad holds one tensor: the sum over the uses.",
            lambda letters: "e" in letters: "In section 4 there were two paths: 3 and −3.",
        },
        "Each node waits, adds and runs once: the work grows with the operations, not the paths.",
    ),
    Exercise(
        "4.5",
        "b = 3a, p = b + 1, q = 2b, y = p·q. In which order does the backward pass run the "
        "operations that made y, p, q and b?",
        Order("y, q, p, b"),
        (
            "An operation can run when every use of its result has sent its gradient.",
            "Who uses b? Both of them come before it.",
        ),
        {
            lambda names: names.count("b") > 1: (
                "b runs once, with the sum of what p and q send. Only in a tree would it be there "
                "twice."
            ),
            lambda names: (
                names[:1] == ("y",) and sorted(names) == ["b", "p", "q", "y"] and names[3] != "b"
            ): (
                "b is used by p and by q. In your order it runs before one of them has sent its "
                "gradient. A path may be followed to its end in a tree; here b has to wait."
            ),
            "y, p, q, b": (
                "b is last, as it must be. p and q are both ready after y: then the one that was "
                "made last runs first."
            ),
            "b, p, q, y": "That is the forward pass. The backward pass begins at the result.",
            "b, q, p, y": "That is a forward pass. The backward pass begins at the result.",
            lambda names: "a" in names: "a is a leaf: no operation made it, you did.",
        },
        "y comes first, and b last: it waits for both. q was made after p, so it runs before p.",
    ),
    Exercise(
        "4.6",
        "Write f(a) with + and * so that exactly three paths lead from the result to a, and the "
        "gradient at a = 2 is 12.",
        Code(three_paths, "the function f"),
        (
            "Each use of a is a path of its own, as long as nothing is used twice after it.",
            "A product of several factors a has as many paths as factors. Or add three terms with "
            "a, and choose their coefficients.",
        ),
        {},
        "Three uses of a, and the sum over the three paths is 12.",
    ),
]
