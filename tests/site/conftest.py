"""The fixtures of the site's tests: a server that has the site below a path, and a browser.

Read next: tests/site/test_pages.py
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.conftest import started_alone
from tests.site.built import SITE


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that does not report every request."""

    def log_message(self, *parts: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the site below a path, as a course page would; give its address."""
    assert SITE.is_dir(), "the site is not built: python3 dev.py site"
    root = tmp_path_factory.mktemp("served")
    (root / "course").mkdir()
    (root / "course" / "graphlab").symlink_to(SITE, target_is_directory=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/course/graphlab/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Start the browser of this machine; fail, never skip, where there is none."""
    yield from started_alone(playwright)


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    path = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
    assert path.is_file(), "axe-core is missing: npm --prefix js ci"
    return path.read_text("utf-8")
