"""The fixtures of the browser tests: a JupyterLab for the session, a page for each test.

Read next: tests/browser/jupyter.py.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

from tests.browser import chromium
from tests.browser.jupyter import ARTIFACTS, PATIENCE, ROOT, JupyterLab, Student, open_page
from tests.browser.kernels import quick_kernels

expect.set_options(timeout=PATIENCE)

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
# Most pages live for seconds: V8's last compiler costs them more than it wins (the one before it,
# Maglev, saves a player's page a quarter), and so does a garbage collector that begins with little
# room. Benchmarks use V8 as it is.
BRIEFLY = "--js-flags=--no-opt,--min-semi-space-size=16"
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # no host but this machine


def found_browser() -> str:
    """Give the browser of this machine; fail, never skip, where there is none."""
    path = chromium.find() or chromium.find_playwrights(sys.executable)
    if path is None:
        pytest.fail(f"{chromium.ADVICE} `python3 dev.py test` fetches one.")
    return path


def started_alone(playwright: Playwright) -> Iterator[Browser]:
    """Start a browser that finds no host but this machine, and close it at the end."""
    flags = [*FLAGS, BRIEFLY, ALONE]
    browser = playwright.chromium.launch(executable_path=found_browser(), args=flags)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    """Start the browser of this machine; fail, never skip, where there is none."""
    path = found_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, BRIEFLY])
        # One context: JupyterLab's own files are fetched once, not for every test.
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        yield context
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
    with quick_kernels(home) as quick:
        server = JupyterLab(root, home, **quick)
        yield server
        server.stop()
    ARTIFACTS.mkdir(exist_ok=True)
    shutil.copy(home / "jupyterlab.log", ARTIFACTS)


@pytest.fixture(scope="session", autouse=True)
def started_early(request: pytest.FixtureRequest) -> None:
    """Let JupyterLab start while tests run that do without it."""
    if any("jupyterlab" in item.fixturenames for item in request.session.items):
        request.getfixturevalue("jupyterlab")


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
    student = open_page(pages, jupyterlab, context)
    student.page.bring_to_front()
    student.complaints.clear()  # what came since is about the test before, and its kernel's end
    yield student
    failed = getattr(request.node, "failed_in_call", True)
    if failed:
        student.screenshot(f"failed-{request.node.name}")  # what it looked like then
    try:
        if not failed:
            student.assert_content()
            student.clear_the_desk()
            return
    except BaseException:
        failed = True
        raise
    finally:
        if failed:  # the next test gets a page and kernels that know nothing of this one
            pages.clear()
            student.page.close()
            jupyterlab.end_kernels()


class SpareTabs(list[Page]):
    """The tab that the last test left: a new one costs a second of the processor."""

    def keep(self, page: Page) -> None:
        """Keep a tab for the next test, with nothing of this one in it."""
        page.goto("about:blank")
        self.append(page)


class WrittenTabs(SpareTabs):
    """A tab into which the next page is written: what was compiled for one, axe-core too, stays.

    That is half of what it costs the processor to open a page. It is not for tests that point: in
    such a page Chromium does not tell an element that the mouse has left it.
    """

    def keep(self, page: Page) -> None:
        """Keep a tab with its scripts."""
        page.set_content("")
        page.evaluate("location.replace('#')")  # in which a walk keeps its step
        self.append(page)


@pytest.fixture(scope="session")
def spare_tabs() -> SpareTabs:
    """Keep tabs for all tests."""
    return SpareTabs()


@pytest.fixture(scope="session")
def written_tabs() -> WrittenTabs:
    """Keep tabs for the files that say `spare_tabs = conftest.written_tabs`."""
    return WrittenTabs()


@pytest.fixture
def tab(
    context: BrowserContext, spare_tabs: SpareTabs, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """Give an empty tab of the usual size in light colours; nothing on it may complain."""
    page = spare_tabs.pop() if spare_tabs else context.new_page()
    complaints: list[str] = []
    listeners: dict[str, Callable[[Any], None]] = {
        "console": lambda message: complaints.append(message.text),
        "pageerror": lambda error: complaints.append(str(error)),
    }
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    page.bring_to_front()  # a tab behind another one draws once a second, and a click waits for two
    page.set_viewport_size({"width": 1366, "height": 768})
    # Without motion: the dot that runs along an edge is most of the frames that a page draws.
    page.emulate_media(color_scheme="light", reduced_motion="reduce", contrast="null")
    yield page
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    if getattr(request.node, "failed_in_call", True):
        page.close()
        return
    page.unroute_all()
    page.mouse.move(0, 0)
    spare_tabs.keep(page)
    assert complaints == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """Let the fixtures know that a test failed, so that they keep a picture of it."""
    report = yield
    if report.when == "call":
        item.failed_in_call = report.failed  # not set at all when the set-up failed
    return report


@pytest.fixture
def notebook(jupyterlab: JupyterLab, tmp_path: Path) -> Path:
    """Give a folder below JupyterLab's in which a test may write notebooks of its own.

    It stays until pytest clears up: a kernel may still be at work in it.
    """
    folder = jupyterlab.root / tmp_path.name
    folder.mkdir()
    return folder
