"""Where a browser is, and how one is fetched when there is none.

The browser tests take the Chromium, Chrome or Edge of the machine. First of all comes Chromium's
headless shell, which has no windows of its own: the same tests cost it a seventh less of the
processor. Standard library only: dev.py asks here before anything is installed.

Read next: tests/browser/conftest.py, which starts what is found here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ADVICE = (
    "no browser for the browser tests, and none could be installed: install Chromium or "
    "Google Chrome, or set GRAPHLAB_BROWSER to its path."
)

NAMES = [
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge",
    "msedge",
]


def candidates() -> Iterator[str]:
    """Name the places where a Chromium, a Chrome or an Edge may be."""
    yield os.environ.get("GRAPHLAB_BROWSER", "")
    for name in NAMES:
        yield shutil.which(name) or ""
    for app in ("Google Chrome", "Chromium", "Microsoft Edge"):
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            yield str(folder / f"{app}.app" / "Contents" / "MacOS" / app)
    for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        if folder := os.environ.get(variable):
            yield str(Path(folder, "Google", "Chrome", "Application", "chrome.exe"))
            yield str(Path(folder, "Chromium", "Application", "chrome.exe"))
            yield str(Path(folder, "Microsoft", "Edge", "Application", "msedge.exe"))


def starts(path: str) -> bool:
    """Say whether the program is there and runs; Ubuntu's chromium may be a stub for a snap."""
    if not path or not Path(path).is_file() or Path(path).resolve().name == "snap":
        return False
    if os.name == "nt":
        return True  # there `chrome --version` opens a window
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def find() -> str | None:
    """Find a browser of the machine, or None."""
    return next(filter(starts, candidates()), None)


def find_playwrights(python: str | Path) -> str | None:
    """Find the browser that `playwright install chromium` brings, or None."""
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    path = done.stdout.strip()
    return path if starts(path) else None


def is_debian() -> bool:
    """Say whether this is Debian itself: Ubuntu's package is a stub for a snap."""
    try:
        return re.search(r"^ID=debian$", Path("/etc/os-release").read_text(), re.M) is not None
    except OSError:
        return False


def install(python: str | Path, env: dict[str, str]) -> str:
    """Fetch a browser, and return the last lines of the programs that failed ("" if one did it).

    An older Debian has no package of the headless shell: there the whole of Chromium is fetched.
    """
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if root and is_debian() and shutil.which("apt-get"):
        env = env | {"DEBIAN_FRONTEND": "noninteractive"}
        fetch = ["apt-get", "install", "-y", "--no-install-recommends", "fonts-dejavu-core"]
        ways = [[*fetch, "chromium-headless-shell"], [*fetch, "chromium"]]
        subprocess.run(["apt-get", "update"], env=env, capture_output=True)
    else:
        ways = [[str(python), "-m", "playwright", "install", "chromium"]]
    complaints = []
    for command in ways:
        done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")
        if done.returncode == 0:
            return ""
        complaints += [f"`{' '.join(command)}` failed:"]
        complaints += (done.stdout + done.stderr).splitlines()[-12:]
    return "\n".join(complaints)
