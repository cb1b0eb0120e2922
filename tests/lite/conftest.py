"""The fixtures of the site in the browser: its build scripts, and the built site, served.

Read next: tests/lite/test_site.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright

from tests.browser.conftest import started_alone
from tests.lite.reader import Served
from tests.site.built import SITE

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "site" / "lite"))  # scripts that import each other by their names

ASK = (
    "the site has no Python in it: GRAPHLAB_PYODIDE names no folder or archive with the files of "
    "Pyodide (`download`: fetch one, 106 MB)"
)


@pytest.fixture(scope="session")
def site() -> Path:
    """Give JupyterLab in the built site, or skip where the browser would fetch Python."""
    lite = SITE / "lite"
    if not [*lite.glob("static/pyodide-*/pyodide.mjs")]:
        pytest.skip(ASK)
    return lite


@pytest.fixture(scope="module")
def browser(playwright: Playwright, site: Path) -> Iterator[Browser]:
    """Start a browser that finds no host but this machine."""
    yield from started_alone(playwright)


@pytest.fixture(scope="module")
def served(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve the whole site below a path, as a course page would."""
    root = tmp_path_factory.mktemp("served")
    (root / "course").mkdir()
    (root / "course" / "graphlab").symlink_to(site.parent, target_is_directory=True)
    server = Served(root, "/course/graphlab/lite")
    yield server
    server.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Give a browser profile of its own: nothing is cached or saved in it."""
    context = browser.new_context()
    yield context
    context.close()
