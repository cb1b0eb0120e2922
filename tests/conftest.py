"""What every test may count on: fixed seeds, derandomised Hypothesis, and PyTorch where it is.

PyTorch is the oracle, never a dependency. A test that takes the `torch` fixture (or carries the
`torch` mark) is skipped, with the reason, where PyTorch is absent; `dev.py test --with-torch`
installs it, and there its absence is a failure.

Read next: tests/browser/conftest.py.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import signal
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import hypothesis
import numpy as np
import pytest

from tests import golden as golden_files

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

ABSENT = "PyTorch is not installed: `python3 dev.py test --with-torch` adds the live comparison"
PROMISED = bool(os.environ.get("GRAPHLAB_WITH_TORCH"))

# A shell that starts the tests in the background has SIGINT ignored, for every process that they
# start too: then Ctrl-C and the interruption of a kernel do nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

# jupyter_core asks for this choice, by a warning, until it is made.
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")

# SymPy keeps 1,000 results of each function. Proofs ask for older ones again, for a tenth of their
# time.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")

# jsonschema imports it to tell an IRI, which no test asks: a grammar that takes 0.8 s to compile.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# Formulas and recordings are many small objects: to look among them for unreachable circles after
# each 700 new ones takes a twelfth to a fifth of the processor's time.
gc.set_threshold(100_000, 20, 20)

# Derandomised: the same examples on every run. No deadline: a slow machine is no failure.
hypothesis.settings.register_profile("graphlab", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "graphlab"))


def has_torch() -> bool:
    """Say whether PyTorch is installed, without importing it."""
    return importlib.util.find_spec("torch") is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `--update-golden` be given with any path, or with none."""
    golden_files.add_option(parser)


def keep_out_of_the_collectors_way() -> None:
    """Free what is unreachable; no later look for circles goes through what is left."""
    for _ in range(5):  # a finalizer may leave new circles behind
        if not gc.collect():
            break
    gc.freeze()


def pytest_collection_finish() -> None:
    """Pass over the modules and the collected tests: they stay to the end."""
    gc.collect()  # once: each look at all of this takes a third of a second
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Pass over what a file of tests has left: results that are kept, the caches of libraries."""
    if nextitem is None or nextitem.path != item.path:
        keep_out_of_the_collectors_way()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    """Pass over everything: what ends with the process looks some forty times, a second each."""
    keep_out_of_the_collectors_way()


def pytest_report_header() -> str:
    """Say which oracle this run has."""
    if has_torch():
        return "oracle: PyTorch, live"
    return (
        "oracle: facts recorded from PyTorch 2.13.0 in tests/data stand in for the live comparison"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail where PyTorch was promised, what is marked `torch`."""
    if item.get_closest_marker("torch") and not has_torch():
        (pytest.fail if PROMISED else pytest.skip)(ABSENT)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Give what starts browsers: one for all tests, because two in a process fail."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """Give the installed PyTorch, on one thread."""
    if not has_torch():
        (pytest.fail if PROMISED else pytest.skip)(ABSENT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch as module
    module.set_num_threads(1)
    return module


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> golden_files.Golden:
    """Give the function that compares a text with the golden file beside the test."""
    return golden_files.comparer(request)


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Start every test from the same random numbers."""
    random.seed(0)
    np.random.seed(0)
    if graphlab := sys.modules.get("graphlab"):
        graphlab.manual_seed(0)
    if torch := sys.modules.get("torch"):
        for gpus in ("torch.cuda.random", "torch.xpu.random", "torch.mtia"):
            # torch.manual_seed would write down a stack for GPUs that are absent: a third of a ms
            sys.modules[gpus]._lazy_call = ignore  # type: ignore[attr-defined]
        torch.manual_seed(0)


def ignore(*_: object, **__: object) -> None:
    """Do nothing."""
