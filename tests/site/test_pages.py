"""The pages in a browser: accessible in both colours, on a phone, from the disk, without scripts.

`GRAPHLAB_ALL_PAGES=1` lets axe-core look at every page, which takes ten minutes; else at each kind.
A page is opened once for all that is looked at in it: what opens it costs most.

Read next: site/conf.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

from tests.browser.axe import COLOURS, SAME
from tests.browser.player import Player
from tests.site.built import SITE, pages

pytestmark = pytest.mark.site

LESSON = "notebooks/06_accumulate_zero_free_retain.html"
KINDS = [
    "index.html",
    "notebooks/index.html",
    LESSON,
    "notebooks/01_a_formula_is_a_graph.html",
    "gallery/index.html",
    "gallery/in_place.html",
    "reference/index.html",
    "reference/looking.html",
    "reference/autograd_functional.html",
    "docs/index.html",
    "docs/tour.html",
    "docs/performance.html",
    "docs/teaching/README.html",
    "graphlab/autograd/engine.py.html",
    "search.html",
    "CHANGELOG.html",
]
# The theme scrolls inside of the article's container, not the whole page.
WIDTH = """() => Math.max(...['html', '.bd-article-container'].map(name => {
    const box = document.querySelector(name);
    return box ? innerWidth + box.scrollWidth - box.clientWidth : 0;
}))"""
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
EVERY = bool(os.environ.get("GRAPHLAB_ALL_PAGES"))
WALKS = sorted(path.name for path in (SITE / "gallery").glob("*.html") if path.stem != "index")


def looked_at() -> list[str]:
    """The pages that axe-core looks at; walks that were saved have tests of their own."""
    if not EVERY:
        return KINDS
    names = [path.relative_to(SITE).as_posix() for path in pages()]
    return [name for name in names if not name.startswith("gallery/walks/")]


class Tab:
    """A page in the browser that reaches no other host, and what went wrong in it."""

    def __init__(self, browser: Browser, address: str, **options: object) -> None:
        """`options` are those of a browser context."""
        self.context = browser.new_context(**options)  # type: ignore[arg-type]
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self.address = address
        self.page = self.context.new_page()
        # Listening, not routing: a route would switch the browser's cache off.
        self.page.on("request", self.note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", self.miss)
        self.page.on("console", self.hear)

    def note(self, request: Request) -> None:
        """Note what would go to another host, which the browser of the tests does not find."""
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.foreign.append(request.url)

    def miss(self, request: Request) -> None:
        """Note what was not found. What a page was left for before it came is not missing."""
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{request.url}: {request.failure}")

    def hear(self, message) -> None:
        """Note what a page complains of."""
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, name: str) -> Page:
        """Open a page of the site, and wait until its mathematics is set and its walks stand."""
        self.page.goto(self.address + name)
        expect(self.page.locator("[data-graphlab]:not([data-graphlab-mounted])")).to_have_count(0)
        if self.page.locator(".math").count():
            self.page.wait_for_function("MathJax.startup.promise.then(() => true)")
        return self.page

    def assert_content(self) -> None:
        """Raise when something has gone wrong or abroad."""
        assert self.foreign == []
        assert self.complaints == []

    def close(self) -> None:
        """Close it; nothing may have gone wrong or abroad."""
        self.context.close()
        self.assert_content()


def first_walk(page: Page) -> Player:
    """The first player of a page that has steps; the others show graphs that were drawn."""
    for place in page.locator(".graphlab-player").all():
        place.scroll_into_view_if_needed()
        expect(place.locator(".gl-picture").first).to_be_visible()
        if place.locator(".gl-position").count() == 1:  # a comparison has two pictures
            return Player(place)
    raise AssertionError("there is no walk in this page")


@pytest.fixture(scope="module")
def laptop(browser: Browser, address: str) -> Iterator[Tab]:
    """A tab of a small laptop's size, for all tests: it fetches scripts and styles once."""
    tab = Tab(browser, address, viewport=LAPTOP)
    yield tab
    tab.context.close()


@pytest.fixture
def tab(laptop: Tab) -> Iterator[Tab]:
    """The tab, as if it were new."""
    laptop.page.emulate_media(media="screen", color_scheme="light")
    yield laptop
    try:
        laptop.assert_content()
    finally:
        laptop.page.goto("about:blank")  # what is under way ends here, not in the next test
        laptop.complaints.clear()
        laptop.foreign.clear()


def violations(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe-core finds in a page, a line for each element. rules: None for all."""
    options = {"resultTypes": ["violations"]} | (
        {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    )
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
        for rule in page.evaluate("options => axe.run(options)", options)["violations"]
        for node in rule["nodes"][:4]
    ]


@dataclass
class Look:
    """What was seen of one page: its width on a phone, and what axe-core found in each colour."""

    width: int
    light: list[str]
    dark: list[str]


@pytest.fixture(scope="module")
def seen(browser: Browser, address: str, axe: str) -> dict[str, Look]:
    """Look at each kind of page: opened on a phone, then as wide as a laptop, in light and dark."""
    tab = Tab(browser, address, viewport=PHONE, has_touch=True, reduced_motion="reduce")
    found = {}
    for name in looked_at():
        tab.page.set_viewport_size(PHONE)
        tab.page.emulate_media(color_scheme="light")
        page = tab.open(name)
        width = page.evaluate(WIDTH)
        page.set_viewport_size(LAPTOP)
        page.evaluate(axe)
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        light = violations(page)
        page.evaluate(SAME)
        page.emulate_media(color_scheme="dark")  # the page follows the system
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        rules = COLOURS if page.evaluate(SAME) else None
        found[name] = Look(width, light, violations(page, rules))
    tab.close()
    return found


def test_axe_finds_nothing_in_light_and_in_dark(seen: dict[str, Look]) -> None:
    assert {name: look.light for name, look in seen.items() if look.light} == {}
    assert {name: look.dark for name, look in seen.items() if look.dark} == {}
    assert set(KINDS) <= set(seen)


def test_a_phone_does_not_scroll_sideways(seen: dict[str, Look]) -> None:
    assert {name: look.width for name, look in seen.items() if look.width > PHONE["width"]} == {}


def test_a_printed_page_clips_nothing(tab: Tab) -> None:
    page = tab.open(LESSON)
    page.emulate_media(media="print")
    clipped = page.evaluate(
        """() => { const found = [];
            for (let box = document.querySelector('article'); box; box = box.parentElement)
                if (getComputedStyle(box).overflowY !== 'visible') found.push(box.className);
            return found; }"""
    )
    page.emulate_media(media="screen")
    assert clipped == []


def test_a_table_that_a_cell_prints_as_markdown_is_a_table(tab: Tab) -> None:
    page = tab.open("notebooks/01_a_formula_is_a_graph.html")
    assert page.locator(".cell_output table", has_text="is_leaf").count() == 2
    assert "|:--|" not in "".join(page.locator(".cell_output").all_inner_texts())


def test_axe_sees_what_is_wrong_in_one_colour_and_in_both(tab: Tab, axe: str) -> None:
    page = tab.open("search.html")
    page.evaluate(axe)
    page.evaluate(
        """() => document.querySelector('main').insertAdjacentHTML('beforeend',
            '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><p id="pale">pale</p>')"""
    )
    rules = [told.split(":")[0] for told in violations(page)]
    assert rules == ["image-alt"]
    page.evaluate(SAME)
    page.evaluate("() => { pale.style = 'color: #eee; background: #fff' }")
    assert page.evaluate(SAME)
    assert [told.split(":")[0] for told in violations(page, COLOURS)] == ["color-contrast"]
    page.evaluate("() => pale.remove()")
    assert not page.evaluate(SAME)


@pytest.mark.parametrize("name", [*(f"gallery/{walk}" for walk in WALKS), LESSON, "index.html"])
def test_a_walk_plays_to_its_end(tab: Tab, name: str) -> None:
    page = tab.open(name)
    player = first_walk(page)
    now, last = player.position
    assert now < last
    player.place.focus()
    if player.place.locator(".gl-predict").is_visible():
        player.press("p")  # nobody passes the questions of a quiz
    player.press("End")
    player.wait_for_step(last)
    player.press("Home")
    player.wait_for_step(1)
    for step in range(2, min(last, 12) + 1):
        player.press("ArrowRight")
        player.wait_for_step(step)


def test_every_lesson_has_a_live_picture(browser: Browser, address: str) -> None:
    tab = Tab(browser, address, viewport=LAPTOP)
    # To set the mathematics of sixteen lessons takes longer than all else here.
    tab.context.route("**/tex-svg-full.js", lambda route: route.fulfill(body=""))
    for path in sorted((SITE / "notebooks").glob("[0-9]*.html")):
        page = tab.page
        page.goto(f"{tab.address}notebooks/{path.name}", wait_until="domcontentloaded")
        page.locator(".graphlab-player").first.scroll_into_view_if_needed()
        expect(page.locator(".graphlab-player .gl-picture").first).to_be_visible()
    tab.close()


def test_the_walks_follow_the_switch_of_colours(browser: Browser, address: str) -> None:
    tab = Tab(browser, address, viewport=LAPTOP)  # the page remembers what is chosen here
    page = tab.open("index.html")
    for theme in ("dark", "light", "dark"):
        page.locator(".theme-switch-button >> visible=true").click()
        page.locator(f".theme-change-button[data-mode={theme}] >> visible=true").click()
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        expect(page.locator(".graphlab").first).to_have_attribute("data-theme", theme)
    tab.close()


def test_the_pages_work_from_the_disk(browser: Browser) -> None:
    tab = Tab(browser, f"{SITE.as_uri()}/")
    page = tab.open(LESSON)
    assert first_walk(page).position[1] == 24
    tab.close()


def test_the_search_finds_on_the_disk(browser: Browser) -> None:
    """Browsers keep the search from quoting files of the disk, and complain of it."""
    tab = Tab(browser, f"{SITE.as_uri()}/")
    page = tab.open("search.html?q=accumulate")
    expect(page.locator("#search-results li").first).to_be_visible()
    tab.context.close()
    assert tab.foreign == []


def test_without_scripts_there_are_pictures(browser: Browser, address: str) -> None:
    tab = Tab(browser, address, java_script_enabled=False)
    page = tab.page
    page.goto(f"{address}{LESSON}")
    pictures = page.locator(".graphlab-player > img")
    assert pictures.count() == 3
    for picture in pictures.all():
        expect(picture).to_be_visible()
        assert len(picture.get_attribute("alt") or "") > 10
    tab.complaints.clear()  # the scripts that were not fetched
    tab.close()


def test_the_search_finds_a_name_of_the_reference(tab: Tab) -> None:
    page = tab.open("search.html?q=retain_grad")
    expect(page.locator("#search-results li a[href*='reference']").first).to_be_visible()


@pytest.mark.parametrize(
    ("asked", "page"),
    [("trace", "reference/looking"), ("step", "reference/looking"), ("install", "index")],
)
def test_the_search_finds_what_a_newcomer_means_first(tab: Tab, asked: str, page: str) -> None:
    found = tab.open(f"search.html?q={asked}").locator("#search-results li a")
    expect(found.first).to_have_attribute("href", re.compile(rf"^{page}\.html"))


def test_print_leaves_the_navigation_out(tab: Tab) -> None:
    page = tab.open("docs/tour.html")
    page.emulate_media(media="print")
    for part in (".bd-header", ".bd-sidebar-primary", ".prev-next-footer"):
        expect(page.locator(part).first).to_be_hidden()
    expect(page.locator("article h1").first).to_be_visible()


def test_the_tests_look_at_pages_that_exist() -> None:
    assert [name for name in KINDS if not Path(SITE / name).is_file()] == []
    assert len(WALKS) == 6
