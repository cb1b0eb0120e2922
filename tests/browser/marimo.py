"""marimo as a learner has it: a server of its own over one notebook, a Python file.

Read next: tests/browser/test_marimo.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.browser.jupyter import free_port, places

NOTEBOOK = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import graphlab
    import marimo as mo

    a = graphlab.tensor([2.0], requires_grad=True)
    b = graphlab.tensor([3.0], requires_grad=True)
    e = a * b
    stepper = mo.ui.anywidget(graphlab.step(e))
    stepper
    return e, graphlab, mo, stepper


@app.cell
def _(mo, stepper):
    mo.md(f"the kernel is at event {stepper.value['step']}")
    return


@app.cell
def _(e, graphlab):
    graphlab.trace(e)
    return


if __name__ == "__main__":
    app.run()
"""


class Marimo:
    """One marimo server; `home` is where it keeps what it remembers."""

    def __init__(self, home: Path) -> None:
        """Start it, over one notebook, as an app."""
        self.notebook = home / "walk.py"
        self.notebook.write_text(NOTEBOOK, "utf-8")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = (home / "marimo.log").open("wb")
        command = [sys.executable, "-m", "marimo", "--yes", "run", str(self.notebook), "--headless"]
        command += ["--host", "127.0.0.1", "--port", str(port), "--no-token", "--no-sandbox"]
        self.process = subprocess.Popen(
            command,
            cwd=home,
            env=own_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.wait_until_up()

    def wait_until_up(self, seconds: float = 90) -> None:
        """Return when it answers."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/health", timeout=5).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        self.stop()
        log = Path(self.log.name).read_text("utf-8", errors="replace")
        raise RuntimeError(f"marimo did not start in {seconds} s. It said:\n{log[-3000:]}")

    def stop(self) -> None:
        """End the server and its kernels."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def own_environment(home: Path) -> dict[str, str]:
    """The environment, with every place to remember things below `home`."""
    own = {"XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}
    return os.environ | places(home) | {name: str(home / folder) for name, folder in own.items()}
