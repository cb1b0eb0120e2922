"""The built site as its tests see it: its pages, what each links to, and what it would fetch.

Read next: tests/site/test_links.py
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).resolve().parents[2] / "site" / "_build" / "html"
FETCHED = {  # element: attributes whose address a browser fetches by itself
    "script": ["src"],
    "img": ["src", "srcset"],
    "source": ["src", "srcset"],
    "iframe": ["src"],
    "embed": ["src"],
    "object": ["data"],
    "video": ["src", "poster"],
    "audio": ["src"],
    "use": ["href", "xlink:href"],
    "image": ["href", "xlink:href"],
}
FETCHING_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect"}
CSS_ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


@dataclass
class Page:
    """What stands in one page: anchors, links, addresses that are fetched."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)


class Reader(HTMLParser):
    """Reads a page."""

    def __init__(self, page: Page) -> None:
        """`page` is filled in."""
        super().__init__()
        self.page, self.in_style = page, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element's anchor, and where it leads."""
        given = {name: value or "" for name, value in attrs}
        self.page.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.in_style = tag == "style"
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        if tag == "link" and set(given.get("rel", "").split()) & FETCHING_LINKS:
            self.page.fetched.append(given["href"])
        self.page.fetched += [given[name] for name in FETCHED.get(tag, []) if given.get(name)]
        self.page.fetched += addresses(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        """Note what a style sheet in the page fetches."""
        if self.in_style:
            self.page.fetched += addresses(data)


def addresses(css: str) -> list[str]:
    """List what a style sheet fetches.

    >>> addresses('a { background: url("x.png") } @import "y.css";')
    ['x.png', 'y.css']
    """
    return [one or other for one, other in CSS_ADDRESS.findall(css)]


def read(html: str, path: Path) -> Page:
    """Read one page."""
    page = Page(path)
    Reader(page).feed(html)
    return page


@cache
def pages() -> dict[Path, Page]:
    """Read every page of the site; fail where it was not built. JupyterLab's own are not ours."""
    assert SITE.is_dir(), "the site is not built: python3 dev.py site"
    files = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
    files = [path for path in files if path.relative_to(SITE).parts[0] != "lite"]
    return {path: read(path.read_text("utf-8"), path) for path in files}


def is_foreign(address: str) -> bool:
    """Say whether a browser would go to another host for it."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data", "blob")


@cache
def file_at(folder: Path, path: str) -> Path:
    """Return the file that a link's path leads to, from a page in `folder`."""
    place = Path(os.path.normpath(folder / unquote(path)))
    return place / "index.html" if place.is_dir() else place


@cache
def is_there(path: Path) -> bool:
    """Say whether the site has a file."""
    return path.is_file()


def target(page: Page, link: str) -> tuple[Path, str]:
    """Return the file and the anchor that a link within the site leads to."""
    parts = urlsplit(link)
    path = file_at(page.path.parent, parts.path) if parts.path else page.path
    return path, unquote(parts.fragment)
