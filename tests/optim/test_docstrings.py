"""Every optimizer and every scheduler has a docstring that serves as an API reference.

Read next: tests/docstrings.py
"""

import inspect

import pytest

import graphlab as torch
from graphlab import optim
from graphlab.optim import lr_scheduler
from tests.docstrings import missing

OPTIMIZERS = [name for name in optim.__all__ if name not in optim.MODULES]
METHODS = [
    *(getattr(optim.Optimizer, name) for name in vars(optim.Optimizer) if name[0] != "_"),
    *(getattr(lr_scheduler.LRScheduler, name) for name in ("get_lr", "get_last_lr", "step")),
    optim.LBFGS.step,
    lr_scheduler.ReduceLROnPlateau.step,
    lr_scheduler.CosineAnnealingWarmRestarts.step,
]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_explains_itself(name):
    assert missing(getattr(optim, name)) == []


@pytest.mark.parametrize("name", [name for name in lr_scheduler.__all__ if name[0] != "_"])
def test_a_scheduler_explains_itself(name):
    assert missing(getattr(lr_scheduler, name)) == []


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__qualname__)
def test_a_method_says_what_it_does_in_a_sentence(method):
    assert inspect.getdoc(method).partition("\n")[0].endswith(".")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_signature_of_an_optimizer_is_that_of_its_init(name):
    cls = getattr(optim, name)
    shown = list(inspect.signature(cls).parameters)
    assert ["self", *shown] == list(inspect.signature(vars(cls)["__init__"]).parameters)
    assert shown[0] == "params"
    assert not {"args", "kwargs"} & set(shown)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "Optimizer"])
def test_the_options_of_a_group_are_the_parameters_of_the_optimizer(name):
    cls = getattr(optim, name)
    group = cls([torch.ones(1, requires_grad=True)]).param_groups[0]
    more = {"decoupled_weight_decay"} if name == "AdamW" else set()
    assert set(group) == {*inspect.signature(cls).parameters, *more}


def test_a_docstring_that_lacks_something_is_found():
    def scale(x, factor):
        """Multiply x."""

    assert missing(scale) == ["an example", "the parameter factor"]
