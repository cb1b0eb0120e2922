"""A reader of the site: a browser that reaches this machine alone, and a server of plain files.

Read next: tests/lite/test_site.py.
"""

from __future__ import annotations

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from playwright.sync_api import BrowserContext, Locator

from tests.browser.jupyter import Student

LESSON = "01_a_formula_is_a_graph.ipynb"
FETCHED: set[Path] = set()  # the files that were asked for, of all servers
KERNEL = 300  # seconds that Python may take to start on a busy machine
# Complaints that are not ours: the kernel's page asks for files that need not be there, and
# JupyterLab's table of contents meets an output that it takes for Markdown.
THEIRS = ("Failed to load resource", "Failed to update the table of contents")


class Files(SimpleHTTPRequestHandler):
    """A server of plain files, as at a school; others may read them too, as from a network."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def end_headers(self) -> None:
        """Allow pages of another port to read."""
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def do_GET(self) -> None:
        """Note which file is asked for."""
        FETCHED.add(Path(self.translate_path(self.path)))
        super().do_GET()

    def log_message(self, *arguments: Any) -> None:
        """Print nothing."""


class Served:
    """A folder, served at a port of its own."""

    def __init__(self, folder: Path, path: str = "", kind: type[Files] = Files) -> None:
        """Start to serve; `path` leads from `folder` to what is looked at."""
        handler = functools.partial(kind, directory=str(folder))
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}{path}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Serve no longer."""
        self.server.shutdown()
        self.server.server_close()


class Reader(Student):
    """A page on the site; what a student does in JupyterLab is done here, too."""

    def __init__(self, url: str, context: BrowserContext) -> None:
        """Open an empty page; `url` is the site's."""
        lab: Any = SimpleNamespace(wait_until_up=lambda: None, url=url)
        super().__init__(lab, context)
        self.url = url
        self.page.set_default_timeout(KERNEL * 1000)

    def hear(self, message: Any) -> None:
        """Keep what the console says as an error."""
        if not message.text.startswith(THEIRS):
            super().hear(message)

    def visit(self, path: str, kernel: bool = True) -> None:
        """Open a notebook by its address, as the pages of the site do, and wait for Python."""
        self.path = path
        workspace = quote(Path(path).stem)
        address = f"{self.url}/lab/index.html?path={quote(path)}&workspace={workspace}"
        self.page.goto(address)
        self.page.wait_for_function("() => window.jupyterapp")
        self.wait_until("panel => desk.isLoaded(panel)", KERNEL)
        if kernel:
            self.wait_idle(KERNEL)

    def cell_with(self, words: str) -> Locator:
        """Scroll to the cell whose source holds `words`: JupyterLab makes it only then."""
        number = self.ask_panel(
            """(panel, words) => panel.content.widgets.findIndex(
                cell => cell.model.sharedModel.getSource().includes(words))""",
            words,
        )
        scroll = "{ panel.content.scrollToItem(number).catch(() => null); }"  # it may never end
        self.ask_panel(f"(panel, number) => {scroll}", number)
        return self.page.locator(f".jp-Cell[data-windowed-list-index='{number}']")

    def warning(self) -> str:
        """Give the sentence that says what is missing, "" if there is none."""
        place = self.page.locator("#graphlab-missing")
        return (place.text_content() or "") if place.count() else ""

    def cells(self) -> list[dict[str, Any]]:
        """Give the code cells: how often each was run, and its outputs."""
        return self.ask_panel(
            """panel => panel.content.widgets.filter(cell => cell.model.type === 'code').map(
                cell => ({count: cell.model.executionCount, outputs: cell.model.outputs.toJSON()})
            )"""
        )
