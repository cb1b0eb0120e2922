"""Every public class of nn explains itself: what it does, each argument, and an example that runs.

Read next: graphlab/nn/layer.py
"""

from __future__ import annotations

import inspect
import re

import pytest

from graphlab import nn

CLASSES = [name for name in sorted(nn.HOMES) if inspect.isclass(getattr(nn, name))]
INITIALISERS = [name for name in nn.init.__all__ if inspect.isfunction(getattr(nn.init, name))]


def unexplained(thing):
    """What is missing in the docstring of a class or function."""
    doc = inspect.cleandoc(thing.__doc__ or "")
    first = doc.partition("\n\n")[0]
    missing = [] if re.match(r"[A-Z][^\n]*[^.]\.$", first) else ["a first sentence on one line"]
    parameters = set(inspect.signature(thing).parameters)
    missing += sorted(
        name for name in parameters if not re.search(rf"^(\w+, )*{name}(, \w+)*: ", doc, re.M)
    )
    return missing + ([] if ">>> " in doc else ["an example"])


def test_the_classes_are_found():
    assert len(CLASSES) > 140
    assert {"Conv2d", "LSTM", "Module", "Parameter"} <= set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_explains_itself_and_every_argument(name):
    assert not unexplained(getattr(nn, name))


@pytest.mark.parametrize("name", INITIALISERS)
def test_an_initialiser_explains_itself_and_every_argument(name):
    assert not unexplained(getattr(nn.init, name))


@pytest.mark.parametrize("name", CLASSES)
def test_a_signature_names_the_arguments(name):
    kinds = {p.kind for p in inspect.signature(getattr(nn, name)).parameters.values()}
    free = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    assert name in ("Identity", "Sequential", "Module") or not kinds & free


@pytest.mark.torch
@pytest.mark.parametrize("name", CLASSES)
def test_a_signature_has_pytorchs_arguments_and_defaults(name, torch):
    ours, theirs = (inspect.signature(getattr(m, name)).parameters for m in (nn, torch.nn))
    if "args" in theirs or name == "UninitializedBuffer":  # PyTorch says nothing, or has one more
        return
    defaults = {"min_value": None, "max_value": None}  # deprecated names of Hardtanh's
    assert list(ours) == [key for key in theirs if key not in defaults]
    for key, parameter in ours.items():
        if not inspect.isfunction(theirs[key].default):  # the function relu is a string here
            assert parameter.default == theirs[key].default


@pytest.mark.parametrize("name", ["forward", *dir(nn.Module)])
def test_a_method_of_a_module_explains_itself(name):
    method = getattr(nn.Module, name)
    if callable(method) and not name.startswith("_"):
        assert re.match(r"[A-Z][^\n]*[^.]\.$", inspect.getdoc(method).partition("\n")[0])


def test_what_is_missing_is_found():
    class Bad(nn.Module):
        """Do something"""

        def __init__(self, size):
            super().__init__()

    assert unexplained(Bad) == ["a first sentence on one line", "size", "an example"]


def test_a_family_explains_an_argument_once():
    text = "kernel_size: int or one int per dimension, the size of the window."
    assert text in nn.Conv2d.__doc__
    assert text in nn.LazyConvTranspose3d.__doc__
    assert "in_channels: int" not in nn.LazyConvTranspose3d.__doc__


def test_a_class_of_a_users_own_keeps_its_docstring():
    class Mine(nn.ReLU):
        """Mine."""

    assert Mine.__doc__ == "Mine."
