"""Lesson 14: shared weights, softmax, attention and a causal mask.

Read next: notebooks/14_convolution_and_attention.ipynb
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import graphlab
from graphlab.faces.exercises.answers import Choice, Code, Entries, Exercise, Number, has, no_tensor

CLOSE = 1e-4  # float32: sums of some ten products, in another order


def gradient_of_two_weights() -> Any:
    """Return the gradient of a kernel of two on the row 1, 2, 3, 4, if 1 arrives at each place."""
    x = graphlab.tensor([1.0, 2.0, 3.0, 4.0]).reshape(1, 1, 4)
    w = graphlab.zeros(2, requires_grad=True)
    y = graphlab.nn.functional.conv1d(x, w.reshape(1, 1, 2))
    return graphlab.autograd.grad(y.sum(), w)[0]


def number_of_places() -> int:
    """Return the length of a convolution of 10 numbers, 3 weights, padding 1 and stride 2."""
    x, w = graphlab.zeros(1, 1, 10), graphlab.zeros(1, 1, 3)
    return graphlab.nn.functional.conv1d(x, w, padding=1, stride=2).shape[2]


def gradient_of_the_scores() -> Any:
    """Return the gradient of the scores, if (0, 8, 0) arrives at the softmax 1/2, 1/4, 1/4."""
    z = graphlab.tensor([math.log(2.0), 0.0, 0.0], requires_grad=True)
    s = graphlab.softmax(z, 0)
    return graphlab.autograd.grad(s, z, graphlab.tensor([0.0, 8.0, 0.0]))[0]


def correlates(function: Callable[..., Any]) -> str:
    """Compare the gradient of a kernel with the right one for several sizes; say what is wrong."""
    rng = np.random.default_rng(14)
    for n, size in ((5, 3), (6, 2), (4, 4)):
        x = rng.integers(-4, 5, n).astype(np.float32)
        delta = rng.integers(-4, 5, n - size + 1).astype(np.float32)
        got = function(graphlab.tensor(x), graphlab.tensor(delta))
        if got is ... or got is None:
            return "It returns nothing yet"
        if wrong := no_tensor(got):
            return wrong
        found, m = got.detach().numpy(), len(delta)
        if found.shape != (size,):
            return (
                f"It has the shape {found.shape}. A row of {n} entries with {m} places has a "
                f"kernel of {n} - {m} + 1 = {size} weights."
            )
        wanted = np.correlate(x, delta, "valid")
        if np.allclose(found, wanted, CLOSE, CLOSE):
            continue
        if np.allclose(found, wanted[::-1], CLOSE, CLOSE):
            return "The right numbers, in the opposite order: entry k begins at x[k]."
        if np.allclose(found, np.convolve(x, delta, "valid"), CLOSE, CLOSE):
            return "delta was reversed. Only for the gradient of x is the kernel reversed."
        ones = np.correlate(x, np.ones_like(delta), "valid")
        if np.allclose(found, ones, CLOSE, CLOSE):
            return "delta is not used: each share is delta at its place, times an entry of x."
        return f"For x = {x.tolist()} and delta = {delta.tolist()} it returns {found.tolist()}"
    return ""


def reference(
    Q: Any,
    K: Any,
    V: Any,
    allowed: Any,
    scale: float,
    late: bool = False,
    hidden: float = -np.inf,
    axis: int = 1,
) -> Any:
    """Compute attention in NumPy; `late`: mask the shares after softmax, not the scores before."""
    scores = Q @ K.T / scale
    if not late:
        scores = np.where(allowed, scores, hidden)
    powers = np.exp(scores - scores.max(axis, keepdims=True))
    A = powers / powers.sum(axis, keepdims=True)
    return (np.where(allowed, A, 0) if late else A) @ V


def attends(function: Callable[..., Any]) -> str:
    """Compare masked attention with NumPy's result; say what is wrong."""
    rng = np.random.default_rng(14)
    for n, d in ((3, 4), (4, 2)):
        Q, K, V = (rng.integers(-2, 3, (n, d)).astype(np.float32) for _ in range(3))
        allowed = np.tril(np.ones((n, n), bool))
        leaves = [graphlab.tensor(one, requires_grad=True) for one in (Q, K, V)]
        got = function(*leaves, graphlab.tensor(allowed))
        if wrong := no_tensor(got):
            return wrong
        found, root = got.detach().numpy(), math.sqrt(d)
        if found.shape != V.shape:
            return f"The output has the shape {found.shape}, and V has {V.shape}."
        if np.allclose(found, reference(Q, K, V, allowed, root), CLOSE, CLOSE):
            if not got.requires_grad:
                return "The values are right, but no path leads back to Q, K and V."
            continue
        for scale, late, said in (
            (1.0, True, "The mask comes too late: hide scores before softmax, not shares after."),
            (root, True, "The division is right. Hide scores before softmax, not shares after."),
            (1.0, False, "The mask is right. The scores are not divided by the root of d yet."),
            (2.0, False, "math.sqrt(4) is right for d = 4 alone: d is Q.shape[1]."),
            (d, False, "The scores were divided by d, not by its root."),
            (math.sqrt(n), False, "d is the number of entries of a query, not of tokens."),
        ):
            if np.allclose(found, reference(Q, K, V, allowed, scale, late), CLOSE, CLOSE):
                return said
        everywhere = np.ones_like(allowed)
        if np.allclose(found, reference(Q, K, V, everywhere, root), CLOSE, CLOSE):
            return "Every token sees all others: where do you use allowed?"
        if np.isnan(found).any():
            return "There is a NaN: 0 times infinity? Put -math.inf into the scores, with where."
        shown = reference(Q, K, V, allowed, root, hidden=0.0)
        if np.allclose(found, shown, CLOSE, CLOSE):
            return "A hidden score of 0 still gets a share, e^0 / sum. Use -math.inf."
        if np.allclose(found, reference(Q, K, V, allowed, root, axis=0), CLOSE, CLOSE):
            return "Softmax runs along the wrong dimension: each row of shares adds up to 1."
        return "The output differs from that of section 6"
    return ""


EXERCISES = [
    Exercise(
        "14.1",
        "A kernel of two weights on the row 1, 2, 3, 4, and the gradient 1 arrives at each of the "
        "three places. What is the gradient of the kernel?",
        Entries(gradient_of_two_weights),
        (
            "Which numbers of the row did the first weight meet, at the three places?",
            "Weight 0 met 1, 2 and 3. Each share is 1 times such a number.",
        ),
        {
            (3, 5, 7): "That is one number for each place. How many weights are there?",
            (10, 10): "Neither weight meets all four: the first one never meets the 4.",
            (3, 3): "That counts the places. Each share is 1 times a number of the row.",
            (9, 6): "The two are swapped: the first weight begins at the first number.",
            (1, 2): "That is the share of place 0. The kernel is used at two more.",
            (3, 4): "That is the share of the last place. Add those of the others.",
        },
        "1 + 2 + 3, and 2 + 3 + 4: the upstream gradient slides along the row.",
    ),
    Exercise(
        "14.2",
        "A row of 10 numbers, a kernel of 3 weights, padding 1, stride 2. How many places?",
        Number(number_of_places),
        (
            "With the padding, the row has 12 entries. Where may the kernel begin?",
            "It may begin at 0, 2, 4, and so on, as long as three entries are left.",
        ),
        {
            4: "That is the number without padding, or one place was forgotten.",
            5.5: "A place where the kernel does not fit is left out: round down.",
            10: "That is the number for stride 1.",
            6: "The last one would begin at 10, and only two entries are left there.",
            8: "That is without padding and with stride 1.",
        },
        "(10 + 2 - 3) / 2 = 4.5, rounded down, plus 1.",
    ),
    Exercise(
        "14.3",
        "s = (1/2, 1/4, 1/4) is a softmax, and g = (0, 8, 0) arrives at it. What is the gradient "
        "of the scores?",
        Entries(gradient_of_the_scores),
        (
            "First the average of g, weighted with the shares.",
            "The average is 8/4 = 2. Each entry is the share times (g - 2).",
        ),
        {
            (0, 2, 0): "That is s times g. Subtract the average first.",
            (0, 1.5, 0): "A share depends on every score: the other two get something, too.",
            (-2, 6, -2): "That is g minus the average. Multiply it by s as well.",
            lambda read: read.shape == (3,) and abs(read.sum()) > 1e-3: (
                "The three entries must add up to 0: what one share wins, the others lose."
            ),
        },
        "1/2 · (-2), 1/4 · 6 and 1/4 · (-2).",
    ),
    Exercise(
        "14.4",
        "Write kernel_gradient(x, delta): the gradient of the kernel of a convolution.",
        Code(correlates, "your function kernel_gradient"),
        (
            "With n entries and m places, the kernel had n - m + 1 weights.",
            "Section 1 has the loop: slide delta along x, take the sum of products, and stack.",
        ),
        {},
        "len(x) - len(delta) + 1 sums of products, of delta with a part of x.",
    ),
    Exercise(
        "14.5",
        "Repair causal_attention(Q, K, V, allowed).",
        Code(attends, "your function causal_attention"),
        (
            "Hidden scores must get the share 0 from softmax: what do they have to be?",
            "Put -math.inf into the scores with where, before softmax. And divide them first: by "
            "math.sqrt(Q.shape[1]).",
        ),
        {},
        "Divide, hide, apply softmax, and take the weighted mean: in this order.",
    ),
    Exercise(
        "14.6",
        "Which are true? (a) A kernel used at 100 places has 100 gradients. (b) The entries of the "
        "gradient of softmax's scores add up to 0. (c) A share of exactly 0 passes 0 to its score. "
        "(d) Large scores make softmax learn faster. (e) In causal attention, the last token's "
        "value gets no gradient from the output of the first token. (f) A padded zero gets a share "
        "of the kernel's gradient that is not zero.",
        Choice("b c e"),
        ("The answers are in sections 1, 3, 6, 5, 6 and 2.", "Three are true."),
        {
            has("a"): "The 100 shares are added: one gradient, of the shape of the kernel.",
            has("d"): "Where scores are large, softmax is flat, and the gradient vanishes.",
            has("f"): "Its share is what arrives times 0.",
        },
        "Shares of a kernel are added; a share of 0, and a hidden token, get nothing.",
    ),
]
