"""axe-core in a page: what it finds that would stop people who use a keyboard or a screen reader.

Read next: tests/browser/test_accessibility.py
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"


def add_axe(page: Page) -> None:
    """Load axe-core into a page; a tab that was written into anew has it from the test before."""
    assert AXE.is_file(), "axe-core is missing: npm --prefix js ci"
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{AXE.read_text(encoding='utf-8')}; 0")


def complaints(page: Page, where: str = ".graphlab") -> list[str]:
    """What axe-core finds inside `where`, one line for each element."""
    found = page.evaluate("where => axe.run(where, {resultTypes: ['violations']})", where)
    return [
        f"{rule['id']}: {node['html'][:120]} ({node['failureSummary'][:200]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
