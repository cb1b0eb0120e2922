"""Every public function and class says what it does, what it takes, and shows it in a doctest.

`MISSING` counts what is not yet so, for each module; the counts only fall. The message of a
failure lists the names. All that a tensor has explains itself.

Read next: tests/packaging/test_docs.py
"""

from __future__ import annotations

import doctest
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest

import graphlab
from graphlab import nn, optim

# module: (no first sentence with a full stop, parameters without a word, no doctest)
MISSING: dict[str, tuple[int, int, int]] = {
    "graphlab": (0, 0, 0),
    "graphlab.autograd": (0, 0, 0),
    "graphlab.autograd.forward_ad": (0, 0, 0),
    "graphlab.autograd.functional": (0, 0, 0),
    "graphlab.autograd.graph": (0, 0, 0),
    "graphlab.distributions": (0, 0, 0),
    "graphlab.faces.exercises": (0, 0, 0),
    "graphlab.faces.plots": (0, 0, 0),
    "graphlab.func": (0, 0, 0),
    "graphlab.linalg": (0, 0, 0),
    "graphlab.special": (0, 0, 0),
    "graphlab.random": (0, 0, 0),
    "graphlab.testing": (0, 0, 0),
    "graphlab.nn": (0, 0, 0),
    "graphlab.nn.functional": (0, 0, 0),
    "graphlab.nn.init": (0, 0, 0),
    "graphlab.nn.utils": (0, 0, 0),
    "graphlab.nn.utils.rnn": (0, 0, 0),
    "graphlab.optim": (0, 0, 0),
    "graphlab.optim.lr_scheduler": (0, 0, 0),
    "graphlab.nn.utils.parametrizations": (0, 0, 0),
    "graphlab.nn.utils.parametrize": (0, 0, 0),
    "graphlab.nn.utils.prune": (0, 0, 0),
    "graphlab.utils.benchmark": (0, 0, 0),
    "graphlab.utils.checkpoint": (0, 0, 0),
    "graphlab.utils.data": (0, 0, 0),
    "graphlab.utils.hooks": (0, 0, 0),
}

HELP = graphlab.__doc__ or ""

# What means the same everywhere: the first tensor, the keywords of every such function in PyTorch,
# and the two that PyTorch itself has long deprecated.
EVIDENT = {"self", "cls", "input", "args", "kwargs", "out", "device", "reduce", "size_average"}


def public(module: str) -> Iterator[tuple[str, Any]]:
    """Give the functions and classes of graphlab that a module offers by name."""
    found = import_module(module)
    listed = {*getattr(found, "__all__", ())}
    offered = {*listed, *getattr(found, "HOMES", ())}
    for name in sorted(offered if listed else {*offered, *vars(found)}):
        value = getattr(found, name)
        home = getattr(value, "__module__", None) or ""
        ours = home.startswith("graphlab") if name in offered else home == found.__name__
        if ours and name[0] != "_" and (inspect.isroutine(value) or inspect.isclass(value)):
            yield name, value


def parameters(value: Any) -> list[str]:
    """List the names that a docstring must explain."""
    try:
        names = list(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return []
    return [name for name in names if name not in EVIDENT]


def lacks(value: Any) -> tuple[bool, bool, bool]:
    """Whether a first sentence, the names of two or more parameters, and a doctest are missing."""
    text = inspect.getdoc(value) or ""
    words = set(re.findall(r"\w+", text))
    names = parameters(value)
    sentence = text.split("\n\n")[0].rstrip()
    return (
        not re.search(r"\.(\s|$)", sentence),
        len(names) > 1 and not words.issuperset(names),
        ">>>" not in text,
    )


KINDS = ("a first sentence", "every parameter's name", "a doctest")


@cache
def owners() -> dict[int, str]:
    """Map each public object to the first module of the table that offers it."""
    found: dict[int, str] = {}
    for module in MISSING:
        for _, value in public(module):
            found.setdefault(id(value), module)
    return found


@pytest.mark.parametrize("module", MISSING)
def test_what_is_missing_only_falls(module):
    objects = {name: value for name, value in public(module) if owners()[id(value)] == module}
    gaps = {name: lacks(value) for name, value in objects.items()}
    lists = [[name for name, gap in gaps.items() if gap[kind]] for kind in range(3)]
    told = [f"without {kind}: {', '.join(n)}" for kind, n in zip(KINDS, lists, strict=True)]
    assert tuple(map(len, lists)) == MISSING[module], "\n".join([module, *told])


def test_what_is_missing_is_seen():
    def good(one, two):
        """Add one to two.

        >>> 1 + 2
        3
        """

    def bad(one, two):
        """Add things"""

    assert lacks(good) == (False, False, False)
    assert lacks(bad) == (True, True, True)


def of_tensors() -> dict[str, Any]:
    """Map each public name of a tensor to its function or property."""
    names = [name for name in dir(graphlab.Tensor) if not name.startswith("_")]
    found = {name: getattr(graphlab.Tensor, name) for name in names}  # loads what is loaded late
    assert len(found) > 500
    return found


def test_every_method_and_attribute_of_a_tensor_explains_itself():
    gaps = {name: lacks(value) for name, value in of_tensors().items() if any(lacks(value))}
    without = {name: [k for k, gap in zip(KINDS, gaps[name], strict=True) if gap] for name in gaps}
    written = "in its docstring; that of a form in place, in graphlab/tensor/inplace_examples.py"
    assert without == {}, f"without {without}: write it {written}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_examples_of_every_method_and_attribute_of_a_tensor_run():
    """Many are made by other functions, where doctest does not look for them."""
    runner = doctest.DocTestRunner(optionflags=SHOWN)
    for name, value in of_tensors().items():
        module = inspect.getmodule(getattr(value, "fget", value)) or graphlab
        text = inspect.getdoc(value)
        runner.run(doctest.DocTestParser().get_doctest(text or "", {**vars(module)}, name, None, 0))
    assert runner.failures == 0
    assert runner.tries > 1000


MORE = ("amp", "backends", "cuda", "jit", "optim.swa_utils")  # modules without a table of names
SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def failing(name: str, value: Any) -> str:
    """Run the examples that help() shows, without any name of a module; tell what fails."""
    text = inspect.getdoc(value) or ""
    assert ">>>" in text, name
    assert "<BLANKLINE>" not in text, name
    said: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=SHOWN)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, name, None, 0), out=said.append)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
    return "".join(said)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", [*MISSING, *(f"graphlab.{name}" for name in MORE)])
def test_the_examples_of_every_public_name_run_as_they_stand(module, tmp_path, monkeypatch):
    """A user copies them from help() into a new session."""
    monkeypatch.chdir(tmp_path)
    said = [failing(name, value) for name, value in public(module)]
    assert "".join(said) == ""


def methods(owner: type) -> dict[str, Any]:
    """Map each public method and property that a class adds to the docstring that explains it.

    A method that overrides another one may leave the example to it.
    """
    found: dict[str, Any] = {}
    for name in dir(owner):
        ours = [vars(base)[name] for base in owner.__mro__ if name in vars(base)]
        kept = [one for one in ours if inspect.isroutine(one) or isinstance(one, property)]
        if name[0] != "_" and kept:
            shown = [one for one in kept if ">>>" in (inspect.getdoc(one) or "")]
            found[f"{owner.__name__}.{name}"] = (shown or kept)[0]
    return found


EXPLAINED = [
    *(graphlab.Timeline, graphlab.Question, nn.Module, nn.Sequential, nn.ModuleList, nn.ModuleDict),
    *(nn.ParameterList, nn.ParameterDict, optim.Optimizer, optim.lr_scheduler.LRScheduler),
    *(optim.swa_utils.AveragedModel, graphlab.amp.GradScaler, graphlab.utils.hooks.RemovableHandle),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("owner", EXPLAINED)
def test_every_method_of_the_central_classes_shows_an_example_that_runs(owner):
    said = [failing(name, value) for name, value in methods(owner).items()]
    assert "".join(said) == ""
    assert said


def test_an_example_that_needs_a_name_of_its_module_is_seen():
    def halves(x):
        """>>> halves(1)"""

    assert "NameError: name 'halves' is not defined" in failing("halves", halves)


def test_an_example_calls_the_method_in_place_that_it_explains():
    methods = {name: inspect.getdoc(value) or "" for name, value in of_tensors().items()}
    others = [name for name, doc in methods.items() if name[-1] == "_" and f".{name}(" not in doc]
    assert others == []


def test_help_of_the_package_names_the_calls_that_are_its_own():
    own = [name for name, home in graphlab.HOMES.items() if home.startswith("faces.")]
    unnamed = [name for name in (*own, "scope", *graphlab.FACES) if f"`{name}`" not in HELP]
    assert unnamed == []
