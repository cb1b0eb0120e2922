"""axe-core in a page: what it finds that would stop people who use a keyboard or a screen reader.

Read next: tests/browser/test_accessibility.py
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"
COLOURS = ["color-contrast", "link-in-text-block"]  # the rules of axe-core that read colours
LIGHTS: dict[str, dict[str, str]] = {
    "light": {"color_scheme": "light", "contrast": "null"},
    "dark": {"color_scheme": "dark", "contrast": "null"},
    "contrast": {"color_scheme": "dark", "contrast": "more"},
}

# Whether the page is the same as when this was called last, but for its colours: if it is the same
# in light and in dark, so is all that axe-core finds in it, but for its rules about colours.
SAME = r"""async () => {
    await new Promise(requestAnimationFrame);  // by then the page has heard of its new colours
    const colours =
        /^(style|class|fill|stroke|opacity|data-(theme|mode|contrast)|color|stop-color)$/;
    const shown = [];
    for (const one of document.querySelectorAll('*')) {
        const attributes = [...one.attributes].filter(({name}) => !colours.test(name));
        shown.push(one.tagName, one.checkVisibility(), one.childElementCount,
            ...attributes.map(({name, value}) => `${name}=${value}`));
    }
    const [before, now] = [window.lastSeen, shown.join('\n')];
    window.lastSeen = now;
    return before === now;
}"""


def add_axe(page: Page) -> None:
    """Load axe-core into a page; a tab that was written into anew has it from the test before."""
    assert AXE.is_file(), "axe-core is missing: npm --prefix js ci"
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")


def complaints(page: Page, where: str = ".graphlab", rules: list[str] | None = None) -> list[str]:
    """What axe-core finds inside `where`, one line for each element. rules: None for all."""
    options = {"resultTypes": ["violations"]} | (
        {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    )
    found = page.evaluate("([where, options]) => axe.run(where, options)", [where, options])
    return [
        f"{rule['id']}: {node['html'][:120]} ({node['failureSummary'][:200]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def complaints_in(page: Page, *lights: str, where: str = ".graphlab") -> dict[str, list[str]]:
    """What axe-core finds in each of `lights`, where it finds something."""
    found = {}
    for light in lights:
        page.emulate_media(**LIGHTS[light])  # type: ignore[arg-type]
        same = page.evaluate(SAME)
        found[light] = complaints(page, where, COLOURS if found and same else None)
    return {light: said for light, said in found.items() if said}
