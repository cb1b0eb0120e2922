"""GitHub, nbviewer and mail clean up what they show: the pictures are the same afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO

import bleach
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext

import graphlab
from graphlab.faces.render.bundle import timeline_bundle
from graphlab.faces.render.still import still_svg
from tests.browser.jupyter import ARTIFACTS

pytestmark = pytest.mark.browser

# Source: html-pipeline, SanitizationFilter, as GitHub documents it for READMEs and notebooks.
GITHUB_TAGS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdo",
        "blockquote",
        "br",
        "caption",
        "cite",
        "code",
        "dd",
        "del",
        "details",
        "dfn",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "img",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "time",
        "tr",
        "tt",
        "ul",
        "var",
        "wbr",
    ]
)
GITHUB_ATTRIBUTES = {
    "*": ["abbr", "align", "alt", "border", "height", "hidden", "role", "title", "width"],
    "a": ["href"],
    "img": ["src", "longdesc", "loading", "alt"],
}
# What SVG sanitisers keep: shapes and text, presentation attributes. No style, class, id, link.
SVG_TAGS = frozenset(["svg", "g", "title", "rect", "circle", "path", "text", "tspan"])
SVG_ATTRIBUTES = {
    "*": [
        "cx",
        "cy",
        "d",
        "fill",
        "fill-opacity",
        "font-family",
        "font-size",
        "font-style",
        "font-weight",
        "height",
        "opacity",
        "paint-order",
        "r",
        "rx",
        "ry",
        "stroke",
        "stroke-dasharray",
        "stroke-linecap",
        "stroke-linejoin",
        "stroke-opacity",
        "stroke-width",
        "text-anchor",
        "transform",
        "viewBox",
        "width",
        "x",
        "xmlns",
        "y",
    ]
}


def as_github_does(html: str) -> str:
    bare = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", html)  # these go with their content
    protocols = ["http", "https", "mailto", "data"]  # data: for the images of notebooks
    return bleach.clean(bare, GITHUB_TAGS, GITHUB_ATTRIBUTES, protocols, strip=True)


def as_an_svg_sanitiser_does(svg: str) -> str:
    return bleach.clean(svg, SVG_TAGS, SVG_ATTRIBUTES, ["http", "https"], strip=True)


def pixels(context: BrowserContext, body: str) -> np.ndarray:
    """What a page shows that holds `body` and runs no script."""
    assert context.browser is not None
    scriptless = context.browser.new_context(java_script_enabled=False)
    page = scriptless.new_page()
    page.set_content(f"<!doctype html><body style='font-family: sans-serif'>{body}</body>")
    seen = page.screenshot(full_page=True)
    scriptless.close()
    return np.asarray(Image.open(BytesIO(seen)).convert("RGB")).astype(int)


def bundle() -> dict[str, str]:
    a = graphlab.tensor([2.0], requires_grad=True)
    b = graphlab.tensor([3.0], requires_grad=True)
    d = graphlab.tensor([10.0], requires_grad=True)
    e = a * b + graphlab.log(d)
    return timeline_bundle(graphlab.trace(e))


@pytest.mark.parametrize(
    ("kind", "clean"),
    [("text/html", as_github_does), ("image/svg+xml", as_an_svg_sanitiser_does)],
)
def test_a_cleaned_output_is_the_same_picture(
    kind: str, clean: Callable[[str], str], context: BrowserContext
) -> None:
    text = bundle()[kind]
    cleaned = clean(text)
    assert "<script" not in cleaned
    before, after = pixels(context, text), pixels(context, cleaned)
    assert before.shape == after.shape
    assert np.array_equal(before, after)
    assert (before.min(-1) < 128).mean() > 0.005  # and it is not blank
    ARTIFACTS.mkdir(exist_ok=True)
    name = f"cleaned-{kind.partition('/')[0]}.png"
    Image.fromarray(after.astype("uint8")).save(ARTIFACTS / name)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_cleaned_moment_is_the_same_picture(theme: str, context: BrowserContext) -> None:
    a = graphlab.tensor([2.0], requires_grad=True)
    svg = still_svg(graphlab.trace(a * a), 4, theme=theme)
    assert np.array_equal(pixels(context, svg), pixels(context, as_an_svg_sanitiser_does(svg)))


def test_a_sanitiser_that_takes_svg_away_leaves_the_html_its_picture() -> None:
    assert "<svg" not in as_github_does(bundle()["image/svg+xml"])
    cleaned = as_github_does(bundle()["text/html"])
    assert cleaned.count("<img") == 1
    assert "It plays step by step where scripts run" in cleaned
    assert len(re.sub(r'src="[^"]*"', "", cleaned)) < 1000  # no trace, no script shown as text


def test_two_pictures_on_a_page_have_no_id_and_no_sheet_that_could_clash() -> None:
    assert not re.search(r'\sid="|url\(|<style|\sclass=', bundle()["image/svg+xml"])
