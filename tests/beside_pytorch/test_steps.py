"""What a timeline shows is what PyTorch's engine does, node by node, gradient by gradient.

Programs that are shown otherwise stand in DIFFERENT, with the reason. The list is strict: a program
that agrees must leave it. docs/pytorch-differences.md tells the reasons to users.

Read next: tests/beside_pytorch/compare.py
"""

from __future__ import annotations

import pytest

from tests.beside_pytorch.compare import differences, unlike_passes, unlike_sample
from tests.beside_pytorch.programs import FAMILIES, PROGRAMS
from tests.core.samples import SAMPLES, name_of
from tests.courses.test_programs import PROGRAMS as COURSES

pytestmark = pytest.mark.torch

SIGNS = "a singular value decomposition is unique but for signs, which the libraries choose apart"
NONE = "PyTorch sends None where the rule is 0 everywhere"
LSTM = "PyTorch's layer is one node on this CPU"
PACKED = "what a pack hook returned is shown as it is: only its unpack hook can read it"
CTC = "PyTorch's loss is one node; here its steps are in the graph"
DOUBLE = "a second backward pass shows the operations of the rule, not one PyTorch node"
ROUNDING_ALONE = (
    "its first batch is an image of zeros, whose variance in batch norm is rounding alone"
)
DIFFERENT = {
    "torch.linalg.norm(A, 2)": SIGNS,
    "torch.linalg.norm(A, 'nuc')": SIGNS,
    "torch.linalg.svd(A).S": SIGNS,
    "torch.linalg.svdvals(A)": SIGNS,
    "torch.linalg.svd(A, full_matrices=False).S": SIGNS,
    "x.norm(0)": NONE,
    "nn.LSTM(3, 4)(A)[0]": LSTM,
    "nn.CTCLoss()(A[:, None].log_softmax(2), torch.tensor([[1]]), torch.tensor([2]), "
    "torch.tensor([1]))": CTC,
    "torch.autograd.grad((x ** 3).sum(), x, create_graph=True)[0]": DOUBLE,
    "torch.autograd.grad(nn.Linear(3, 1)(x).tanh().sum(), x, create_graph=True)[0]": DOUBLE,
    "torch.autograd.grad((x.sigmoid() * s).sum(), (x, s), create_graph=True)": DOUBLE,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_step_that_is_shown_is_pytorchs(torch, family):
    found = {program: differences(torch, program) for program in FAMILIES[family].splitlines()}
    assert all(steps for steps, _ in found.values())
    unlike = {program: listed for program, (_, listed) in found.items() if listed}
    assert {program: listed for program, listed in unlike.items() if program not in DIFFERENT} == {}
    agree = {*found} & {*DIFFERENT} - {*unlike}
    assert not agree, "these programs agree now: take them out of DIFFERENT"


def test_every_step_of_every_sample_is_pytorchs(torch):
    found = {name_of(s): unlike_sample(torch, s) for s in SAMPLES if not s.differs}
    assert {name: listed for name, listed in found.items() if listed} == {}


# after steps of an optimizer the last digits are apart
PASSES = {
    "mini_gpt": 1, "bert_pretraining": 1, "diffusion": 2, "fgsm_attack": 1, "low_rank_adapters": 2,
    "vision_transformer": 1,
}  # fmt: skip
COURSES_APART = {
    "second_order": DOUBLE, "saved_tensor_hooks": PACKED, "modern_convnets": ROUNDING_ALONE,
}  # fmt: skip


@pytest.mark.parametrize("name", COURSES)
def test_every_step_of_the_first_passes_of_a_course_is_pytorchs(torch, name):
    found = unlike_passes(torch, name, most=PASSES.get(name, 3))
    assert bool(found) == (name in COURSES_APART), found


def test_the_programs_are_many_each_is_there_once_and_each_exception_exists():
    assert len(PROGRAMS) == len(set(PROGRAMS)) > 600
    assert set(DIFFERENT) <= set(PROGRAMS)
