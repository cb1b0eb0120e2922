"""Builds the site: lays out the pages, lets Sphinx make HTML of them, and adds JupyterLite.

    python3 dev.py site [--pyodide PLACE]

`STEPS` are run in order; each writes files below the folder of pages, for Sphinx to read. Meanwhile
`lite/build.py` builds JupyterLab with Python in the browser, which is put beside the pages.

Read next: site/sources.py, site/lite/build.py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gallery
import sources
from pages import WRITTEN, remove_others
from reference import write_reference
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).resolve().parent
BUILD = HERE / "_build"
PAGES, DOCTREES, HTML = BUILD / "pages", BUILD / "doctrees", BUILD / "html"
LITE = BUILD / "lite"

STEPS: list[Callable[[Path], None]] = [
    sources.write_static,
    gallery.write_gallery,
    lambda pages: write_reference(pages / "reference"),
    sources.write_sources,
]


def build(with_lite: bool, pyodide: Path | None) -> int:
    """Build the site into `site/_build/html`; a warning is an error.

    with_lite: with JupyterLab in the browser; pyodide: the place of Pyodide's files, if given.
    """
    lite = start_lite(pyodide) if with_lite else None
    sources.WITH_LITE = with_lite
    for step in STEPS:
        step(PAGES)
    remove_others(PAGES)
    start_anew_if_needed()
    quiet = ["-q", "-W", "--keep-going", "-j", "2", "-b", "html", "-c", str(HERE)]
    failed = sphinx([*quiet, "-d", str(DOCTREES), str(PAGES), str(HTML)])
    shutil.rmtree(HTML / "lite", ignore_errors=True)
    if lite:
        failed = lite.wait() or failed
        if not failed:
            shutil.copytree(LITE, HTML / "lite", copy_function=link)
    return failed


def start_lite(pyodide: Path | None) -> subprocess.Popen[bytes]:
    """Begin to build JupyterLite, beside Sphinx."""
    place = [f"--pyodide={pyodide.resolve()}"] if pyodide else []
    return subprocess.Popen([sys.executable, str(HERE / "lite" / "build.py"), str(LITE), *place])


def link(old: str, new: str) -> None:
    """Let a file appear in a second place, without a copy where the disk can do that."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copy(old, new)


def start_anew_if_needed() -> None:
    """Remove what was built when a page is gone, or when what builds it is another.

    Sphinx would leave the HTML of the page where it is, and pages that it finds unchanged.
    """
    path = BUILD / "built_from.json"
    names = sorted(file.relative_to(PAGES).as_posix() for file in WRITTEN)
    code = b"".join(file.read_bytes() for file in sorted(HERE.glob("*.py")))
    stamp = {"pages": names, "code": hashlib.sha256(code).hexdigest()}
    before = json.loads(path.read_text("utf-8")) if path.is_file() else {"pages": [], "code": ""}
    if set(before["pages"]) - set(names) or before["code"] != stamp["code"]:
        shutil.rmtree(HTML, ignore_errors=True)
        shutil.rmtree(DOCTREES, ignore_errors=True)
    path.write_text(json.dumps(stamp), "utf-8")


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lite", action="store_true", help="with JupyterLab in the browser")
    parser.add_argument("--pyodide", type=Path, help="a folder or an archive with Pyodide's files")
    options = parser.parse_args()
    return build(options.lite, options.pyodide)


if __name__ == "__main__":
    sys.exit(main())
