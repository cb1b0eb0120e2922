"""JupyterLab's page of the site where Python cannot start: one sentence says why, pictures remain.

The page is a stand-in for JupyterLite's, with the check that the site adds to it.

Read next: site/lite/check.js
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import build
import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect

from tests.browser.conftest import started_alone
from tests.lite.reader import Files, Served
from tests.site.built import SITE

pytestmark = pytest.mark.site

PAGE = "<!DOCTYPE html><html lang='en'><head><title>Lab</title></head><body>{}</body></html>"
LESSON = "index.html?path=01_a_formula_is_a_graph.ipynb"
MISSING = "#graphlab-missing"
WORKER = """
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', event => {
    if (!event.request.url.endsWith('jupyter-lite.json')) return;
    event.respondWith(caches.match(event.request).then(found => found || fetch(event.request)));
});
"""
REGISTER = """async () => {
    const cache = await caches.open('precache');
    await cache.add(new URL('../jupyter-lite.json', location.href));
    await navigator.serviceWorker.register('../worker.js');
    await navigator.serviceWorker.ready;
}"""


class Keeping(Files):
    """A server that lets browsers keep what they fetched for an hour."""

    def end_headers(self) -> None:
        """Say how long."""
        self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Start a browser that finds no host but this machine."""
    yield from started_alone(playwright)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A site: the pages that were built, and beside them JupyterLab's page with its check."""
    assert SITE.is_dir(), "the site is not built: python3 dev.py site --pages"
    for path in SITE.iterdir():
        if path.name != "lite":
            (tmp_path / path.name).symlink_to(path)
    lab = tmp_path / "lite" / "lab"
    lab.mkdir(parents=True)
    page = PAGE.format("<noscript>JupyterLite requires JavaScript.</noscript>")
    (lab / "index.html").write_text(build.with_check(page), "utf-8")
    shutil.copy(build.HERE / "check.js", lab)
    (tmp_path / "lite" / "worker.js").write_text(WORKER, "utf-8")
    give(tmp_path, "pyodide-lock-1.json", days_ago=1)
    return tmp_path


def give(root: Path, lock: str, days_ago: int = 0) -> None:
    """Let the site have the lock file `lock`; nothing else changes."""
    static = root / "lite" / "static"
    static.mkdir(exist_ok=True)
    files = {"folder": "pyodide/", "lock": lock, "start": [], "later": []}
    (static / "files.json").write_text(json.dumps(files), "utf-8")
    (root / "lite" / "jupyter-lite.json").write_text(json.dumps({"lock": lock}), "utf-8")
    # The server tells times in whole seconds; a browser takes what is no newer for the same.
    when = time.time() - 86_400 * days_ago
    os.utime(static / "files.json", (when, when))


@pytest.fixture
def served(root: Path) -> Iterator[str]:
    """Serve it; give the address of JupyterLab's page."""
    server = Served(root, "/lite/lab/", Keeping)
    yield server.url
    server.stop()


def test_from_a_file_the_lesson_plays_and_a_sentence_says_what_to_do(root, context):
    page = context.new_page()
    page.goto(f"{(root / 'lite' / 'lab').as_uri()}/{LESSON}")
    expect(page.locator(MISSING)).to_contain_text("Python cannot run in a page that was opened")
    lesson = page.frame_locator("iframe")
    expect(lesson.locator("h1").first).to_contain_text("A formula is a graph")
    player = lesson.locator(".graphlab-player").first
    player.scroll_into_view_if_needed()
    expect(player.locator(".gl-picture").first).to_be_visible()


@pytest.mark.parametrize("path", ["", "..%2F..%2Fx.ipynb", "javascript:alert(1).ipynb", "%3Cb%3E"])
def test_from_a_file_another_path_shows_the_course(root, context, path):
    page = context.new_page()
    page.goto(f"{(root / 'lite' / 'lab').as_uri()}/index.html?path={path}")
    expect(page.frame_locator("iframe").locator("h1").first).to_contain_text("The course")
    assert page.locator("b").count() == 0


def test_without_scripts_a_sentence_and_still_pictures_are_shown(browser, served):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}{LESSON}")
    expect(page.locator("p")).to_contain_text(
        "Python cannot run here: this browser runs no scripts"
    )
    picture = page.frame_locator("iframe").locator(".graphlab-player > img").first
    picture.scroll_into_view_if_needed()
    expect(picture).to_be_visible()
    context.close()


def test_without_a_network_a_sentence_says_so(served, context):
    page = context.new_page()
    page.route("**/files.json", lambda route: route.abort("internetdisconnected"))
    page.goto(f"{served}{LESSON}")
    expect(page.locator(MISSING)).to_contain_text("cannot be fetched; connect to the network.")


def test_a_site_that_is_complete_says_nothing(served, context):
    assert visit(context, served) == ""


@pytest.mark.parametrize("with_worker", [False, True])
def test_after_an_upgrade_the_older_site_is_dropped(root, served, context, with_worker):
    page = context.new_page()
    page.goto(f"{served}{LESSON}")
    if with_worker:
        page.evaluate(REGISTER)
    assert visit(context, served) == ""
    give(root, "pyodide-lock-2.json")
    assert "this site was renewed since your last visit; reload the page." in visit(context, served)
    assert visit(context, served) == ""
    assert (
        page.evaluate("() => navigator.serviceWorker.getRegistrations().then(r => r.length)") == 0
    )


def visit(context: BrowserContext, address: str) -> str:
    """Open the page anew, and give the sentence that it says once it has looked at its files."""
    page = context.new_page()
    page.goto(f"{address}{LESSON}")
    page.wait_for_function("() => document.documentElement.dataset.graphlabChecked")
    place = page.locator(MISSING)
    said = (place.text_content() or "") if place.count() else ""
    page.close()
    return said
