"""Import the package whole, before pytest imports the modules whose doctests were asked for.

`graphlab.tensor` is a folder of modules, and a function. pytest, when it imports a module of that
folder first, would put the folder in the place of the function.
"""

import os
import sys
from collections.abc import Iterator
from unittest import mock

import pytest

# Before NumPy is loaded. Several processes test at once, one for each core. If each of them had
# threads for its matrix products, these would wait for each other, in loops that need a core too.
for _name in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

import graphlab  # noqa: E402 - see above


@pytest.fixture(scope="session", autouse=True)
def torch_of_the_examples(doctest_namespace):
    """In an example `torch` is GraphLab: help() shows the import, the source leaves it out."""
    doctest_namespace["torch"] = graphlab


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Keep a doctest from asking the disk about each source file that was ever read.

    Each makes a debugger, for those who stop in it, and a debugger begins with that.
    """
    if not hasattr(item, "dtest"):
        return (yield)
    with mock.patch("linecache.checkcache"):
        try:
            return (yield)
        finally:
            close_figures()


def close_figures() -> None:
    """Close the figures that an example has drawn."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
