"""Chromium on a JupyterLab with one lesson, for a script that is no test.

Read next: tests/browser/photographs.py
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright

from tests.browser import chromium
from tests.browser.conftest import FLAGS
from tests.browser.jupyter import ROOT, JupyterLab


@contextmanager
def desktop(lesson: str) -> Iterator[tuple[JupyterLab, BrowserContext]]:
    """Start both, and stop them at the end; exit with advice where there is no browser."""
    path = chromium.find() or chromium.find_playwrights(sys.executable)
    if path is None:
        sys.exit(chromium.ADVICE)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        root = Path(home, "work")
        root.mkdir()
        shutil.copy(ROOT / "notebooks" / lesson, root)
        server = JupyterLab(root, Path(home))
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield server, browser.new_context()
        finally:
            browser.close()
            server.stop()
