"""Builds the site: lays out the pages, then lets Sphinx make HTML of them.

    python3 dev.py site

`STEPS` are run in order; each writes files below the folder of pages, for Sphinx to read. A step
that adds files to the built site, and no pages, belongs into `AFTERWARDS`.

Read next: site/sources.py.
"""

from __future__ import annotations

import hashlib
import json
import shutil
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

STEPS: list[Callable[[Path], None]] = [
    sources.write_static,
    gallery.write_gallery,
    lambda pages: write_reference(pages / "reference"),
    sources.write_sources,
]
AFTERWARDS: list[Callable[[Path], None]] = []  # each is given the folder of the built site


def build() -> int:
    """Build the site into `site/_build/html`; a warning is an error."""
    for step in STEPS:
        step(PAGES)
    remove_others(PAGES)
    start_anew_if_needed()
    quiet = ["-q", "-W", "--keep-going", "-j", "2", "-b", "html", "-c", str(HERE)]
    failed = sphinx([*quiet, "-d", str(DOCTREES), str(PAGES), str(HTML)])
    if not failed:
        for step in AFTERWARDS:
            step(HTML)
    return failed


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


if __name__ == "__main__":
    sys.exit(build())
