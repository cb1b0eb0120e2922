"""Whole programs of a course, recorded with GraphLab and with PyTorch, tell the same passes.

Compared are the kind of each event, its node, and the gradients that are written or returned.

Read next: tests/pytorch_graphs/test_parity.py
"""

from __future__ import annotations

import contextlib
import io
import warnings
from itertools import zip_longest
from typing import Any

import pytest

import graphlab
from tests.courses.test_programs import HERE, PROGRAMS
from tests.parity.describe import called_torch, same_text

pytestmark = pytest.mark.torch

BETWEEN = "what happens between passes is told of tensors that a pass has met, and natively of more"
LEFT_OUT = {
    "Reduced": "PyTorch's hooks get gradients that are reduced already",
    "ChangedInPlace": BETWEEN,
    "GradCleared": BETWEEN,
    "GradReplaced": "natively also if clipping with the factor 1 changes nothing",
    "GradRetained": "PyTorch keeps it in a hook of its own",
    "HookCalled": "PyTorch tells no recorder when the user's hooks begin",
    "HookRan": "PyTorch runs hooks that change nothing unseen",
}
RULES_OF_RULES = "the rules of some rules are written with other operations"
GRADCHECK = "GraphLab's gradcheck keeps the graph between its passes"
TRANSFORMS = "passes inside vmap and torch.func are recorded natively only"
LONG = {  # hundreds of passes, or wide layers: recorded twice, each would take up to a minute
    "annotated_transformer", "batch_norm_lenet", "bayes_by_backprop", "bert_pretraining",
    "circles_and_blobs", "contrastive", "diffusion", "energy_models", "fgsm_attack", "first_lab",
    "gated_memory", "gpt2_rebuilt", "house_prices", "line_with_trainer", "low_rank_adapters",
    "mixture_density", "modern_convnets", "movie_ratings", "neural_ode", "optimization_chapter",
    "pixel_cnn", "recurrent_from_scratch", "spatial_transformer", "spirals", "thermometer", "unet",
    "vision_transformer", "word_window", "workflow_of_a_line",
}  # fmt: skip
RECORDED = [name for name in PROGRAMS if name not in LONG]
DIFFERENT = {
    "bigrams_and_modules": RULES_OF_RULES,
    "classics": RULES_OF_RULES,
    "correlated_noise": "linalg.lu is one node in PyTorch, and its steps are nodes here",
    "custom_functions": GRADCHECK,
    "ensembles": TRANSFORMS,
    "forward_mode": TRANSFORMS,
    "gradient_flow": "the rules of a node with a hook are told before it, and not one by one",
    "jacobians": TRANSFORMS,
    "probability": GRADCHECK,
    "regression_and_sequences": "an LSTM is one node in PyTorch",
    "second_order": RULES_OF_RULES,
    "tangent_kernels": TRANSFORMS,
}


def told(library: Any, name: str) -> list[tuple[str, str, str]]:
    """The kind, the node and the text of each event of a pass."""
    path = HERE / "programs" / f"{name}.py"
    code = compile(path.read_text("utf-8"), str(path), "exec")
    silence = contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings()
    with called_torch(library), silence[0], silence[1], graphlab.record() as timeline:
        warnings.simplefilter("ignore")
        exec(code, {"__name__": "__main__", "__file__": str(path)})
    return [parts(timeline, event) for event in timeline if event.kind not in LEFT_OUT]


def parts(timeline: Any, event: Any) -> tuple[str, str, str]:
    node = getattr(event, "node", "")
    name = timeline.graph.node(node).name if node and timeline.graph.has("node", node) else ""
    value = {"LeafWritten": "after", "GradReturned": "value"}.get(event.kind)
    return event.kind, name, getattr(event, value).text if value else ""


def first_difference(ours: list[Any], theirs: list[Any]) -> str:
    for k, (one, other) in enumerate(zip_longest(ours, theirs, fillvalue=("", "", ""))):
        if one[:2] != other[:2] or not same_text(one[2], other[2], rel=1e-3, abs_=1e-4):
            return f"event {k}: {other} of PyTorch is {one}"
    return ""


def test_the_page_says_how_many_programs_differ():
    page = " ".join((HERE.parents[1] / "docs" / "pytorch.md").read_text("utf-8").split())
    assert f"{len(RECORDED)} whole programs of courses" in page
    assert f"the same in {len(RECORDED) - len(DIFFERENT)}." in page
    assert f"the reasons for the other {len(DIFFERENT)}," in page


@pytest.mark.parametrize("name", RECORDED)
def test_a_program_tells_the_passes_that_pytorch_runs(torch, name):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        found = first_difference(told(graphlab, name), told(torch, name))
    finally:
        torch.set_num_threads(threads)
    assert bool(found) == (name in DIFFERENT), found or "it agrees now: take it out of DIFFERENT"
