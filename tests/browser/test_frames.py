"""Where none of our extensions is, a trace is text/html: it plays in every frame, offline."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import BrowserContext, Page, expect

import graphlab
from graphlab.faces.render.bundle import timeline_bundle
from graphlab.graph.compression import compressed_text
from graphlab.graph.timeline import Timeline
from tests.browser.frames import FRAMES
from tests.browser.jupyter import ARTIFACTS
from tests.browser.notebooks import write_output
from tests.browser.player import FORWARD, LAST, Player, wait_for

pytestmark = pytest.mark.browser


def walk() -> Timeline:
    a = graphlab.tensor([2.0], requires_grad=True)
    b = graphlab.tensor([3.0], requires_grad=True)
    e = a * b
    return graphlab.trace(e)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """An empty page without a network; to ask for anything but the page itself is a failure."""
    assert context.browser is not None
    offline = context.browser.new_context(offline=True)  # the others' pages stay connected
    page = offline.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    # the frame of VS Code is of another origin there; here it is of the page's own
    mine = "both allow-scripts and allow-same-origin"
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    offline.close()
    assert [url for url in asked if not url.startswith(("data:", "blob:", "about:", "file:"))] == []
    assert [said for said in complaints if mine not in said] == []


@pytest.mark.parametrize("name", FRAMES)
def test_the_html_plays_in_an_output_frame(name: str, page: Page) -> None:
    page.set_viewport_size({"width": 1100, "height": 600})
    page.set_content(FRAMES[name](timeline_bundle(walk())["text/html"]))
    frame = page.frame_locator("iframe")
    player = Player(frame.locator(".graphlab").first)
    player.click(LAST)
    assert player.gradients() == {"a": "3.0", "b": "2.0"}
    player.focus()
    player.press("ArrowLeft")
    player.wait_for_step(player.position[1] - 1)
    dark = "light" if name == "sandbox" else "dark"
    assert player.place.get_attribute("data-theme") == dark
    borders = player.place.locator(".gl-grads td").first.evaluate(
        "cell => getComputedStyle(cell).textAlign + getComputedStyle(cell).paddingTop"
    )
    assert borders == "right0px"  # the front end's own tables look different
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"frame-{name}.png")


def test_a_frame_that_takes_its_contents_height_comes_to_rest(page: Page) -> None:
    page.set_content(FRAMES["colab"](timeline_bundle(walk())["text/html"]))
    Player(page.frame_locator("iframe").locator(".graphlab").first)
    heights = []
    for _ in range(6):
        height = page.frames[1].evaluate("document.body.scrollHeight")
        heights.append(height)
        page.locator("iframe").evaluate("(frame, px) => frame.style.height = px + 'px'", height)
        page.frames[1].evaluate("() => new Promise(requestAnimationFrame)")
    assert heights[-1] == heights[-2]
    assert 200 < heights[-1] < 1200


# --- a page of its own ---


def test_a_saved_page_plays_from_the_disk_and_opens_at_a_step(page: Page, tmp_path: Path) -> None:
    timeline = walk()
    path = timeline.save(tmp_path / "walk.html")
    stops = timeline.stops()
    page.goto(f"{path.as_uri()}#step={stops[3]}")
    player = Player(page.locator(".graphlab"))
    player.wait_for_step(4)
    player.click(FORWARD)
    player.wait_for_step(5)
    wait_for(lambda: page.evaluate("location.hash") == f"#step={stops[4]}")
    page.evaluate(f"location.hash = 'step={stops[1]}'")
    player.wait_for_step(2)
    page.evaluate("location.hash = 'step=99999'")  # held inside the walk
    player.wait_for_step(len(stops))


def test_a_page_saved_at_a_step_opens_there(page: Page, tmp_path: Path) -> None:
    timeline = walk()
    path = timeline.save(tmp_path / "walk.html", step=timeline.stops()[2])
    page.goto(path.as_uri())
    Player(page.locator(".graphlab")).wait_for_step(3)


def cut_base64(html: str) -> str:
    return re.sub(r'(<script type="application/gzip">.{200}).*?(</script>)', r"\1\2", html)


def not_gzip(html: str) -> str:
    return re.sub(r'(application/gzip">).*?(</script>)', r"\1aGVsbG8=\2", html)


def cut_json(html: str) -> str:
    text = '{"format": "graphlab.trace", "version": 1, "graph": {"tens'
    whole = base64.b64encode(gzip.compress(text.encode())).decode()
    return re.sub(r'(application/gzip">).*?(</script>)', rf"\1{whole}\2", html)


def from_the_future(html: str) -> str:
    later = compressed_text({"format": "graphlab.trace", "version": 99})
    return re.sub(r'(application/gzip">).*?(</script>)', rf"\1{later}\2", html)


def cut_off(html: str) -> str:
    return html[: html.index("base64,") + 500]


@pytest.mark.parametrize(
    ("damage", "said", "keeps_the_picture"),
    [
        (cut_base64, "damaged or incomplete", True),
        (not_gzip, "damaged or incomplete", True),
        (cut_json, "damaged or incomplete", True),
        (from_the_future, "newer GraphLab", False),
        (cut_off, "The backward pass when all of it has happened", False),
    ],
)
def test_a_damaged_page_says_so(
    damage: Callable[[str], str], said: str, keeps_the_picture: bool, page: Page
) -> None:
    page.set_content(damage(walk()._repr_mimebundle_()["text/html"]))  # type: ignore[index]
    expect(page.get_by_text(re.compile(said))).to_be_visible()
    assert page.locator("img:visible").count() == int(keeps_the_picture)


def test_where_scripts_do_not_run_there_is_the_picture_and_how_to_play(
    context: BrowserContext,
) -> None:
    browser = context.browser
    assert browser is not None
    scriptless = browser.new_context(java_script_enabled=False)
    page = scriptless.new_page()
    page.set_content(f"<!doctype html><body>{timeline_bundle(walk())['text/html']}</body>")
    picture = page.get_by_role("img", name=re.compile("The backward pass of e. .*2 leaves got"))
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert box["height"] > 80
    expect(page.get_by_text("It plays step by step where scripts run")).to_be_visible()
    page.screenshot(path=ARTIFACTS / "html-without-scripts.png")
    scriptless.close()


def test_a_notebook_converted_to_html_plays_from_the_disk(
    context: BrowserContext, tmp_path: Path
) -> None:
    write_output(tmp_path / "lesson.ipynb", timeline_bundle(walk()))
    html, _ = HTMLExporter().from_filename(str(tmp_path / "lesson.ipynb"))
    (tmp_path / "lesson.html").write_text(html, "utf-8")
    assert context.browser is not None
    offline = context.browser.new_context(offline=True)
    page = offline.new_page()  # nbconvert itself asks for MathJax, in vain
    page.goto((tmp_path / "lesson.html").as_uri(), wait_until="domcontentloaded")
    player = Player(page.locator(".graphlab").first)
    player.click(LAST)
    assert player.gradients() == {"a": "3.0", "b": "2.0"}
    page.screenshot(path=ARTIFACTS / "nbconvert.png")
    offline.close()
