"""The player on a page, as a person uses it: its buttons, its keys, and what stands on it.

Read next: tests/browser/test_player.py.
"""

from __future__ import annotations

import re
import time

from playwright.sync_api import Locator, Page, expect

# After two frames all is laid out, and fitted to its place.
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

FIRST, BACK, FORWARD, LAST = "First step", "One step back", "One step forward", "Last step"


class Player:
    """One player; `place` is its outermost element.

    Texts are read from the document, not from the screen: what is scrolled away is not drawn.
    """

    def __init__(self, place: Locator) -> None:
        """Bring it into sight, and wait until it is drawn: it draws when somebody comes near it."""
        self.place = place
        place.scroll_into_view_if_needed()
        expect(place.locator(".gl-picture")).to_be_visible()

    # --- what a person does ---

    def click(self, label: str) -> None:
        """Press the button that is named `label`."""
        self.place.get_by_role("button", name=label, exact=True).click()

    def focus(self) -> None:
        """Bring the keys here, as a click beside the controls does."""
        self.place.locator(".gl-narration").click()

    def press(self, key: str) -> None:
        """Press a key, wherever the focus is."""
        self.place.page.keyboard.press(key)

    def go_to(self, number: int) -> None:
        """Move the scrubber to a step."""
        self.place.get_by_role("slider", name="Step", exact=True).fill(str(number))
        self.wait_for_step(number)

    # --- what a person reads ---

    @property
    def position(self) -> tuple[int, int]:
        """Which step is shown, and of how many: "step 3 of 12" is (3, 12)."""
        text = self.place.locator(".gl-position").text_content() or ""
        found = re.fullmatch(r"step (\d+) of (\d+)", text)
        assert found, f"the player says {text!r}"
        return int(found[1]), int(found[2])

    @property
    def narration(self) -> str:
        """The sentence at the top."""
        return self.place.locator(".gl-narration").text_content() or ""

    def gradients(self) -> dict[str, str]:
        """The "after" column of the Gradients card for the leaves, by their names."""
        rows = self.place.locator(".gl-p-gradients .gl-row-leaf")
        names = rows.locator("th i").all_text_contents()
        afters = rows.locator("td:nth-child(4)").all_text_contents()
        return dict(zip(names, afters, strict=True))

    def wait_for_step(self, number: int) -> None:
        """Wait until step `number` is shown."""
        count = self.place.locator(".gl-position")
        expect(count).to_have_text(re.compile(rf"^step {number} of \d+$"))

    def wait_past_step(self, number: int) -> None:
        """Wait until a playing walk has passed step `number`, however far it is by then."""
        wait_for(lambda: self.position[0] > number)


def players(page: Page) -> Locator:
    """Find every player that has steps; a drawing alone has none."""
    notebook = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden), .jp-MimeDocument")
    return notebook.locator(".graphlab:has(.gl-foot)")


def wait_for(condition: object, seconds: float = 60) -> None:
    """Call `condition` until it is true; fail when it is not within `seconds`."""
    assert callable(condition)
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not so within {seconds} s"
        time.sleep(0.05)
