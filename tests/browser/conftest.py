"""The fixtures of the browser tests: a JupyterLab for the session, a page for each test.

Read next: tests/browser/jupyter.py.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect, sync_playwright

from tests.browser import chromium
from tests.browser.jupyter import ARTIFACTS, ROOT, JupyterLab, Student

expect.set_options(timeout=20_000)  # milliseconds: the machine may be busy with other tests

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    """Start the browser of this machine; fail, never skip, where there is none."""
    path = chromium.find() or chromium.find_playwrights(sys.executable)
    if path is None:
        pytest.fail(f"{chromium.ADVICE} `python3 dev.py test` fetches one.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        # One context: JupyterLab's own files are fetched once, not for every test.
        yield browser.new_context()
        browser.close()


@pytest.fixture(scope="session")
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    """Start a JupyterLab over a copy of notebooks/; its log is kept in test-artifacts/."""
    shutil.rmtree(ARTIFACTS, ignore_errors=True)
    home = tmp_path_factory.mktemp("jupyter")
    root = home / "work"
    shutil.copytree(
        ROOT / "notebooks",
        root / "notebooks",
        ignore=shutil.ignore_patterns(".ipynb_checkpoints"),
    )
    server = JupyterLab(root, home)
    yield server
    server.stop()
    ARTIFACTS.mkdir(exist_ok=True)
    shutil.copy(home / "jupyterlab.log", ARTIFACTS)


@pytest.fixture(scope="session")
def pages(context: BrowserContext, jupyterlab: JupyterLab) -> list[Student]:
    """Keep the page that is open: loading JupyterLab takes longer than most tests."""
    return []


@pytest.fixture
def student(
    context: BrowserContext,
    jupyterlab: JupyterLab,
    pages: list[Student],
    request: pytest.FixtureRequest,
) -> Iterator[Student]:
    """Give a page on an empty JupyterLab; afterwards nothing may have complained or gone online."""
    if not pages:
        pages.append(Student(jupyterlab, context))
        pages[0].open_lab()
    student = pages[0]
    yield student
    if getattr(request.node, "failed_in_call", True):
        student.screenshot(f"failed-{request.node.name}")  # what it looked like then
        pages.clear()
        student.page.close()
        return
    try:
        student.assert_content()
        student.clear_the_desk()
    except BaseException:
        pages.clear()
        student.page.close()
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """Let the fixtures know that a test failed, so that they keep a picture of it."""
    report = yield
    if report.when == "call":
        item.failed_in_call = report.failed  # not set at all when the set-up failed
    return report


@pytest.fixture
def notebook(jupyterlab: JupyterLab, tmp_path: Path) -> Iterator[Path]:
    """Give a folder below JupyterLab's in which a test may write notebooks of its own."""
    folder = jupyterlab.root / tmp_path.name
    folder.mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
