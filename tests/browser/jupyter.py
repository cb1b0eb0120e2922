"""JupyterLab as a student has it: a server of its own, and a page that plays the student.

The server keeps its settings, its kernels and its signatures in a temporary folder, so that no
test knows another's past. The page counts every complaint in the browser's console and every
request that leaves the machine; a test that ends with either has failed.

Read next: tests/browser/test_first_lesson.py.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from playwright.sync_api import BrowserContext, Page, ViewportSize

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
EXTENSION = Path(sys.prefix, "share", "jupyter", "labextensions", "graphlab-jupyter")
SIZE: ViewportSize = {"width": 1280, "height": 900}
THEMES = {
    "light": "JupyterLab Light",
    "dark": "JupyterLab Dark",
    "contrast": "JupyterLab Dark High Contrast",
}
# JupyterLab itself looks for files that need not be there, and Chromium reports each as an error.
HARMLESS = ("/api/contents/", "favicon")


class JupyterLab:
    """One JupyterLab server over the folder `root`."""

    def __init__(self, root: Path, home: Path) -> None:
        """Start it; `home` is where it keeps what it remembers."""
        if not (EXTENSION / "package.json").is_file():
            raise RuntimeError(f"{EXTENSION} is missing: run `python3 dev.py test --only browser`.")
        self.root, self.home, self.env = root, home, os.environ | places(home)
        self.token, port = secrets.token_hex(16), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = (home / "jupyterlab.log").open("wb")
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += [f"--ServerApp.root_dir={root}", f"--ServerApp.port={port}"]
        command += ["--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1"]
        command += [f"--IdentityProvider.token={self.token}", "--LabApp.news_url=None"]
        command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
        command += ["--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True"]
        self.process = subprocess.Popen(
            command,
            cwd=root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.wait_until_up()

    def wait_until_up(self, seconds: float = 90) -> None:
        """Return when it answers; a slow machine may need a minute the first time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            try:
                self.ask("GET", "/api/status")
            except OSError:
                time.sleep(0.1)
            else:
                return
        self.stop()
        log = Path(self.log.name).read_text("utf-8", errors="replace")
        raise RuntimeError(f"JupyterLab did not start in {seconds} s. It said:\n{log[-3000:]}")

    def ask(self, method: str, path: str) -> Any:
        """Call the server's REST interface."""
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def trust(self, path: str) -> None:
        """Sign a notebook, as `jupyter trust` does."""
        command = [sys.executable, "-m", "nbformat.sign", str(self.root / path)]
        subprocess.run(command, env=self.env, check=True, capture_output=True)

    def stop(self) -> None:
        """End the server and its kernels."""
        try:
            self.ask("POST", "/api/shutdown")
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()


class Student:
    """A page on a JupyterLab, and what a student does there."""

    def __init__(self, lab: JupyterLab, context: BrowserContext) -> None:
        """Open a page in `context`; nothing is loaded yet."""
        self.lab, self.theme_now = lab, "light"
        self.complaints: list[str] = []
        self.left_the_machine: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_viewport_size(SIZE)
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        # Listening, not routing: a route would switch the browser's cache off.
        self.page.on("request", lambda request: self.note(request.url))
        self.page.on("websocket", lambda socket: self.note(socket.url))

    # --- what must not happen ---

    def note(self, url: str) -> None:
        """Note a request that leaves the machine."""
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.left_the_machine.append(url)

    def hear(self, message: Any) -> None:
        """Keep what the console says as an error."""
        if message.type != "error":
            return
        where = message.location.get("url", "")
        if "Failed to load resource" in message.text and any(part in where for part in HARMLESS):
            return
        self.complaints.append(f"{message.text} ({where})")

    def assert_content(self) -> None:
        """Raise when, since the last time, the console complained or something left the machine."""
        assert not self.left_the_machine, f"requests left the machine: {self.left_the_machine}"
        assert not self.complaints, "the browser's console: " + "\n".join(self.complaints)

    # --- what a student does ---

    def open_lab(self) -> None:
        """Open JupyterLab, empty."""
        self.page.goto(f"{self.lab.url}/lab?reset&token={self.lab.token}")
        self.page.wait_for_function("() => window.jupyterapp?.started", timeout=60_000)
        self.page.evaluate("() => window.jupyterapp.started")
        self.page.wait_for_selector("#jp-main-dock-panel", timeout=60_000)

    def forgive(self, text: str) -> None:
        """Drop the complaints that hold `text`; the caller says why."""
        self.complaints = [said for said in self.complaints if text not in said]

    def clear_the_desk(self) -> None:
        """Close everything without saving, end the kernels, and forget what was chosen."""
        self.page.evaluate(
            """async () => {
                const app = window.jupyterapp;
                await app.serviceManager.sessions.shutdownAll();
                for (const widget of [...app.shell.widgets('main')]) {
                    if (widget.context?.model) widget.context.model.dirty = false;
                    widget.close();
                }
            }"""
        )
        if self.theme_now != "light":
            self.theme("light")
        self.page.set_viewport_size(SIZE)
        # JupyterLab's debugger, for one, complains when its kernel is taken away.
        self.complaints.clear()

    def open_notebook(self, path: str, kernel: bool = True) -> None:
        """Open a notebook of the server's folder, and wait for its kernel if it has one."""
        self.page.evaluate(
            "path => window.jupyterapp.commands.execute('docmanager:open', "
            "{path, factory: 'Notebook'}).then(() => null)",
            path,
        )
        self.page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
        if kernel:
            self.wait_idle()

    def open_without_a_kernel(self, path: str, trusted: bool = False) -> None:
        """Open a notebook whose kernel does not exist, and choose to go without one."""
        file = self.lab.root / path
        notebook = json.loads(file.read_text("utf-8"))
        # A known language would do: JupyterLab takes any kernel that speaks it.
        unknown = {"name": "no-such-kernel", "display_name": "No such kernel", "language": "none"}
        notebook["metadata"] = {"kernelspec": unknown}
        file.write_text(json.dumps(notebook), "utf-8")
        if trusted:
            self.lab.trust(path)
        self.open_notebook(path, kernel=False)
        dialog = self.page.locator(".jp-Dialog")
        dialog.locator("select").select_option("null")
        dialog.locator(".jp-mod-accept").click()
        dialog.wait_for(state="detached")

    def open_file(self, path: str) -> None:
        """Open any file with what JupyterLab opens it by itself."""
        self.page.evaluate(
            "path => window.jupyterapp.commands.execute('docmanager:open', {path})"
            ".then(() => null)",
            path,
        )

    def is_trusted(self) -> bool:
        """Say whether JupyterLab trusts the notebook that is open: every code cell of it."""
        return self.page.evaluate(
            """() => {
                const cells = window.jupyterapp.shell.currentWidget.content.widgets;
                return cells.every(cell => cell.model.type !== 'code' || cell.model.trusted);
            }"""
        )

    def wait_idle(self, seconds: float = 60) -> None:
        """Wait until the kernel is ready and has nothing to do."""
        self.page.wait_for_function(
            """() => {
                const panel = window.jupyterapp.shell.currentWidget;
                const session = panel?.sessionContext;
                return session?.isReady && session.session?.kernel?.status === 'idle';
            }""",
            timeout=seconds * 1000,
        )

    def run_all(self, seconds: float = 120) -> None:
        """Run every cell, and wait for the last one. The status indicator says idle too early."""
        self.page.set_default_timeout(seconds * 1000)
        self.page.evaluate(
            "() => window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => null)"
        )
        self.page.set_default_timeout(30_000)
        self.wait_idle(seconds)

    def save(self) -> None:
        """Save the notebook that is open."""
        self.page.evaluate(
            "() => window.jupyterapp.commands.execute('docmanager:save').then(() => null)"
        )

    def run_code(self, code: str) -> str:
        """Run `code` in the notebook's kernel, behind its back, and give what it printed."""
        return self.page.evaluate(
            """async code => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const future = kernel.requestExecute({code, store_history: false});
                let printed = '';
                future.onIOPub = message => {
                    if (message.header.msg_type === 'stream') printed += message.content.text;
                    if (message.header.msg_type === 'error') printed += message.content.evalue;
                };
                await future.done;
                return printed.trim();
            }""",
            code,
        )

    def output(self, cell: int) -> str:
        """Give the text of a cell's outputs; `cell` counts all cells from 0."""
        place = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").nth(cell)
        shown = place.locator(".jp-OutputArea-output").all_inner_texts()
        return "\n".join(text.strip() for text in shown)

    def theme(self, name: str) -> None:
        """Change to "light", "dark" or "contrast"."""
        self.theme_now = name
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
            ".then(() => null)",
            THEMES[name],
        )
        chosen = f"body[data-jp-theme-name='{THEMES[name]}']"
        self.page.wait_for_selector(chosen, state="attached")

    def screenshot(self, name: str) -> Path:
        """Write test-artifacts/<name>.png."""
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{quote(name)}.png"
        self.page.screenshot(path=path)
        return path


def free_port() -> int:
    """Ask the system for a port that nobody uses."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def places(home: Path) -> dict[str, str]:
    """Name a place below `home` for everything that Jupyter and IPython remember."""
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    return {variable: str(home / folder) for variable, folder in folders.items()}
