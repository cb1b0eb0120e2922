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
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import nbformat
from nbformat.sign import NotebookNotary
from playwright.sync_api import BrowserContext, Page, TimeoutError, ViewportSize

from tests.browser.desk import DESK

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
EXTENSION = Path(sys.prefix, "share", "jupyter", "labextensions", "graphlab-jupyter")
PATIENCE = 60_000  # milliseconds: the machine may be busy with other tests
SIZE: ViewportSize = {"width": 1280, "height": 900}
THEMES = {
    "light": "JupyterLab Light",
    "dark": "JupyterLab Dark",
    "contrast": "JupyterLab Dark High Contrast",
}
# JupyterLab itself looks for files that need not be there, and Chromium reports each as an error.
HARMLESS = ("/api/contents/", "favicon")
# Errors that are not ours: JupyterLab asks new kernels for a subshell, and is upset when one goes
# before it answers; ipywidgets' manager looks for the kernel of a notebook that has none; anywidget
# gives up a model that took two seconds to load, and js/src/hearing.ts lets it hear all the same.
THEIRS = (
    "[anywidget] Failed to initialize model",
    "Canceled future for create_subshell_request",
    "Cannot read properties of null (reading 'kernel')",
)


class JupyterLab:
    """One JupyterLab server over the folder `root`."""

    def __init__(self, root: Path, home: Path, **more: str) -> None:
        """Start it, and do not wait for it; `home` is where it keeps what it remembers.

        more: for its environment.
        """
        if not (EXTENSION / "package.json").is_file():
            raise RuntimeError(f"{EXTENSION} is missing: run `python3 dev.py test --only browser`.")
        self.root, self.home, self.env = root, home, os.environ | places(home) | more
        self.token = secrets.token_hex(16)
        self.log = (home / "jupyterlab.log").open("wb")
        self.is_up = False
        self.start()

    def start(self) -> None:
        """Start the server at a port that is free now."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += [f"--ServerApp.root_dir={self.root}", f"--ServerApp.port={port}"]
        command += ["--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1"]
        command += [f"--IdentityProvider.token={self.token}", "--LabApp.news_url=None"]
        command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
        command += ["--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True"]
        command += ["--JupyterNotebookApp.expose_app_in_browser=True"]  # it is served too
        self.process = subprocess.Popen(
            command,
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )

    def wait_until_up(self, seconds: float = 180) -> None:
        """Return when it answers; a slow machine may need a minute the first time."""
        starts, until = 1, time.monotonic() + seconds
        while not self.is_up and time.monotonic() < until:
            if self.process.poll() is not None:  # somebody may have taken the port meanwhile
                if starts == 3:
                    break
                starts += 1
                self.start()
            try:
                self.ask("GET", "/api/status")
            except OSError:
                time.sleep(0.1)
            else:
                self.is_up = True
        if self.is_up:
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

    def end_kernels(self) -> None:
        """End every kernel, with whatever it is doing."""
        try:
            kernels = self.ask("GET", "/api/kernels")
        except urllib.error.HTTPError as error:  # 500: a kernel ended while the server listed them
            error.close()
            kernels = self.ask("GET", "/api/kernels")
        for kernel in kernels:
            with suppress(OSError):  # it may have ended meanwhile
                self.ask("DELETE", f"/api/kernels/{kernel['id']}")

    def trust(self, path: str) -> None:
        """Sign a notebook, as `jupyter trust` does, with the server's own secret."""
        notary = NotebookNotary(data_dir=self.env["JUPYTER_DATA_DIR"])
        notary.sign(nbformat.read(self.root / path, as_version=4))
        notary.store.close()

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
        lab.wait_until_up()
        self.lab, self.theme_now = lab, "light"
        self.complaints: list[str] = []
        self.left_the_machine: list[str] = []
        self.path = ""  # of the file that was opened last
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(DESK)
        self.page.set_viewport_size(SIZE)
        self.page.on("console", self.hear)
        self.page.on("pageerror", self.hear_error)
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

    def hear_error(self, error: Any) -> None:
        """Keep an error that nobody caught."""
        if not any(said in str(error) for said in THEIRS):
            self.complaints.append(f"uncaught: {error}\n{getattr(error, 'stack', '')[:600]}")

    def assert_content(self) -> None:
        """Raise when, since the last time, the console complained or something left the machine."""
        assert not self.left_the_machine, f"requests left the machine: {self.left_the_machine}"
        assert not self.complaints, "the browser's console: " + "\n".join(self.complaints)

    # --- what a student does ---

    def open_lab(self) -> None:
        """Open JupyterLab, empty."""
        self.page.goto(f"{self.lab.url}/lab?reset&token={self.lab.token}")
        self.page.wait_for_function("() => window.jupyterapp?.started")
        self.page.evaluate("() => window.jupyterapp.started")
        self.page.wait_for_selector("#jp-main-dock-panel")

    def forgive(self, text: str) -> None:
        """Drop the complaints that hold `text`; the caller says why."""
        self.complaints = [said for said in self.complaints if text not in said]

    def clear_the_desk(self) -> None:
        """Close everything without saving, end the kernels, and forget what was chosen."""
        self.page.evaluate("() => desk.clear()")
        self.page.wait_for_function("() => desk.isClear()")
        self.dismiss_dialogs()
        if self.theme_now != "light":
            self.theme("light")
        self.page.set_viewport_size(SIZE)
        # JupyterLab's debugger, for one, complains when its kernel is taken away.
        self.complaints.clear()

    def dismiss_dialogs(self) -> None:
        """Close every dialog, whoever opened it."""
        dialogs = self.page.locator(".jp-Dialog")
        while count := dialogs.count():
            self.page.keyboard.press("Escape")
            with suppress(TimeoutError):  # Escape reached another one, or came too early
                dialogs.nth(count - 1).wait_for(state="detached", timeout=1000)

    def open_file(self, path: str, **options: Any) -> None:
        """Open any file with what JupyterLab opens it by itself, or with what `options` say."""
        self.path = path
        self.page.evaluate(
            "options => window.jupyterapp.commands.execute('docmanager:open', options)"
            ".then(() => null)",
            {"path": path, **options},
        )

    def open_notebook(self, path: str, kernel: bool = True) -> None:
        """Open a notebook of the server's folder, and wait for its kernel if it has one."""
        # The second is what "Open With: Notebook (no kernel)" says.
        own = {} if kernel else {"kernelPreference": {"shouldStart": False, "shouldReuse": False}}
        self.open_file(path, factory="Notebook", **own)
        self.wait_until("panel => desk.isLoaded(panel)")
        self.bring_to_front()
        self.page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
        if kernel:
            self.wait_idle()

    def open_without_a_kernel(self, path: str, trusted: bool = False) -> None:
        """Open a saved notebook and start nothing; it is unsigned unless `trusted`."""
        file = self.lab.root / path
        notebook = json.loads(file.read_text("utf-8"))
        notebook["metadata"]["changed"] = secrets.token_hex(8)  # a signature no longer fits
        file.write_text(json.dumps(notebook), "utf-8")
        if trusted:
            self.lab.trust(path)
        self.open_notebook(path, kernel=False)
        assert self.ask_panel("panel => panel.sessionContext.session === null")

    # --- what the notebook says that was opened last ---

    def ask_panel(self, function: str, more: Any = None) -> Any:
        """Call a JavaScript function of the notebook's panel, and of `more`; give what it gives."""
        code = f"([path, more]) => ({function})(desk.panel(path), more)"
        return self.page.evaluate(code, [self.path, more])

    def wait_until(self, condition: str, seconds: float = 60) -> None:
        """Wait until a JavaScript function of the notebook's panel is true."""
        code = f"path => {{ const p = desk.panel(path); return p !== null && ({condition})(p) }}"
        # By the clock: asked at each frame, the page would draw frames for as long as it waits.
        self.page.wait_for_function(code, arg=self.path, timeout=seconds * 1000, polling=50)

    def bring_to_front(self) -> None:
        """Let JupyterLab take the notebook for the one that commands are for."""
        self.wait_until("panel => desk.isFront(panel)")

    def wait_idle(self, seconds: float = 60) -> None:
        """Wait until the kernel is ready and has nothing to do."""
        self.wait_until("panel => desk.isIdle(panel)", seconds)

    def is_trusted(self) -> bool:
        """Say whether JupyterLab trusts the notebook: every code cell of it."""
        return self.ask_panel(
            """panel => panel.content.widgets.every(
                cell => cell.model.type !== 'code' || cell.model.trusted)"""
        )

    def run_all(self, seconds: float = 120) -> None:
        """Run every cell, and wait for the last one. The status indicator says idle too early."""
        self.bring_to_front()
        self.command("notebook:run-all-cells")
        self.wait_idle(seconds)

    def run_cell(self, cell: int) -> None:
        """Run one cell, counted from 0, and wait for it."""
        self.bring_to_front()
        self.ask_panel("(panel, cell) => { panel.content.activeCellIndex = cell; }", cell)
        self.command("notebook:run-cell")
        self.wait_idle()

    def save(self) -> None:
        """Save the notebook."""
        self.bring_to_front()
        self.command("docmanager:save")

    def command(self, name: str) -> None:
        """Do what the palette does, and wait until it is done."""
        self.page.evaluate(
            "name => window.jupyterapp.commands.execute(name).then(() => null)", name
        )

    def run_code(self, code: str) -> str:
        """Run `code` in the notebook's kernel, behind its back, and give what it printed."""
        return self.ask_panel(
            """async (panel, code) => {
                const kernel = panel.sessionContext.session.kernel;
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

    def start_code(self, code: str) -> None:
        """Let the kernel run `code`, and do not wait for it: it may never end."""
        self.ask_panel(
            """(panel, code) => {
                const kernel = panel.sessionContext.session.kernel;
                kernel.requestExecute({code, store_history: false}).done.catch(() => null);
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
        # JupyterLab takes its splash away twice, the second time in vain, when the next theme comes
        # before it is gone.
        self.page.wait_for_selector("#jupyterlab-splash", state="detached")

    def screenshot(self, name: str) -> Path:
        """Write test-artifacts/<name>.png."""
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{quote(name)}.png"
        self.page.screenshot(path=path)
        return path


def open_page(pages: list[Student], lab: JupyterLab, context: BrowserContext) -> Student:
    """Give the page that is kept in `pages`, opened now if there is none."""
    if not pages:
        pages.append(Student(lab, context))
        pages[0].open_lab()
    return pages[0]


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
