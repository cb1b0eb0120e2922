"""Every function of nn.functional has a docstring that serves as an API reference.

Read next: tests/docstrings.py
"""

import inspect

import pytest

import graphlab.nn.functional as F
from tests.docstrings import missing

OWN = [name for name in dir(F) if F.HOMES[name] != "tensor.functions.pointwise"]


@pytest.mark.parametrize("name", OWN)
def test_a_function_explains_itself(name):
    assert missing(getattr(F, name)) == []


@pytest.mark.parametrize("name", OWN)
def test_the_signature_of_a_function_names_its_parameters(name):
    parameters = inspect.signature(getattr(F, name)).parameters.values()
    assert parameters
    assert not any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def test_an_in_place_form_has_the_parameters_of_its_function_but_inplace():
    for name in OWN:
        if name.endswith("_"):
            whole = dict(inspect.signature(getattr(F, name.rstrip("_"))).parameters)
            whole.pop("inplace")
            assert dict(inspect.signature(getattr(F, name)).parameters) == whole
