"""The side panel: the tensors of the notebook in front, and nothing of the notebook touched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import add_axe, complaints
from tests.browser.jupyter import Student
from tests.browser.notebooks import lesson, write_code
from tests.browser.player import LAST, Player, players, wait_for

pytestmark = pytest.mark.browser

LEAVES = """\
import graphlab as torch
a = torch.tensor(2.0, requires_grad=True)
d = torch.tensor(10.0, requires_grad=True)
k = torch.tensor([1, 2, 3])
'the last result'"""
RESULTS = """\
t = torch.log(d)
e = a * t"""


class Panel:
    """The panel as a student sees it."""

    def __init__(self, student: Student) -> None:
        self.student, self.page = student, student.page
        self.place: Locator = student.page.locator("#graphlab-panel")

    def do(self, command: str) -> None:
        """Run one of its commands, as the palette does."""
        self.page.evaluate(
            "command => { void window.jupyterapp.commands.execute(command) }", f"graphlab:{command}"
        )

    def row(self, code: str) -> Locator:
        """The row of a tensor."""
        return self.place.locator(f'tr[data-code="{code}"]')

    def cell(self, code: str, column: str) -> Locator:
        """One entry of the table, as it would read in a wide panel."""
        return self.row(code).locator(f".gl-c-{column}")

    def click(self, label: str) -> None:
        self.place.get_by_role("button", name=label, exact=True).click()

    def choose(self, code: str) -> None:
        self.row(code).click()

    @property
    def names(self) -> list[str]:
        """What the rows stand for, from the first to the last."""
        return self.place.locator("tbody tr").evaluate_all("rows => rows.map(r => r.dataset.code)")

    @property
    def said(self) -> Locator:
        """The sentence that stands where there is no table."""
        return self.place.locator(".gl-lab-empty")

    @property
    def told(self) -> Locator:
        """The sentence about the tensor that is chosen."""
        return self.place.locator(".gl-lab-said")

    @property
    def player(self) -> Locator:
        return self.place.locator(".gl-lab-player .graphlab")

    @property
    def spare(self) -> int:
        """How many pixels of it are in sight only after scrolling sideways."""
        body = self.place.locator(".gl-lab-body")
        return int(body.evaluate("(one) => one.scrollWidth - one.clientWidth"))

    def walk(self) -> Player:
        """Walk the tensor that is chosen."""
        self.click("Walk")
        return Player(self.place.locator(".gl-lab-player .graphlab:has(.gl-foot)"))


@pytest.fixture
def panel(student: Student) -> Iterator[Panel]:
    """The panel, open; afterwards closed, with the settings as they were."""
    opened = Panel(student)
    opened.do("open-panel")
    expect(opened.place).to_be_visible()
    yield opened
    opened.place.get_by_label("Order of the tensors").select_option("", force=True)
    opened.place.get_by_label("Filter the tensors").fill("", force=True)
    student.page.evaluate("() => window.jupyterapp.shell.collapseRight()")


@pytest.fixture
def lesson_open(student: Student, notebook: Path) -> None:
    """A notebook of two cells, the first of them run."""
    write_code(notebook / "lesson.ipynb", LEAVES, RESULTS)
    student.open_notebook(f"{notebook.name}/lesson.ipynb")
    student.run_cell(0)


def set_setting(page: Page, name: str, value: Any) -> None:
    """Change a setting of the panel, as the settings editor does."""
    page.evaluate(
        """async ([name, value]) => {
            const app = window.jupyterapp;
            const services = [...app.pluginRegistry._services.keys()];
            const token = services.find(one => one.name.endsWith(':ISettingRegistry'));
            const registry = await app.resolveRequiredService(token);
            await registry.set('graphlab-jupyter:panel', name, value);
        }""",
        [name, value],
    )


# --- the table --------------------------------------------------------------------------------


def test_the_table_follows_every_cell_and_touches_nothing(
    panel: Panel, lesson_open: None, student: Student
) -> None:
    expect(panel.row("k")).to_be_visible()
    assert panel.names == ["a", "d", "k"]
    assert panel.cell("k", "shape").inner_text() == "(3,)"
    assert panel.cell("k", "dtype").inner_text() == "int64"
    student.run_cell(1)
    expect(panel.cell("e", "grad_fn")).to_contain_text("MulBackward0")
    expect(panel.cell("e", "value")).to_have_text("4.6052")
    expect(panel.row("e")).to_have_class(re.compile("gl-lab-changed"))
    expect(panel.row("a")).not_to_have_class(re.compile("gl-lab-changed"))
    # what a panel that asked by running cells would have changed
    assert student.run_code("print(len(In), sorted(Out), repr(_))") == "3 [1] 'the last result'"
    assert student.output(0) == "'the last result'"
    assert student.output(1) == ""
    student.run_code("e.backward()")
    expect(panel.cell("a", "grad")).to_contain_text("2.3026")
    panel.choose("k")
    expect(panel.told).to_contain_text("only floating-point tensors can require a gradient")
    panel.choose("a")
    expect(panel.told).to_contain_text("a is a leaf")
    panel.choose("e")
    expect(panel.told).to_contain_text("A backward pass freed this graph")
    expect(panel.player.locator("svg").first).to_be_visible()
    walk = panel.place.get_by_role("button", name="Walk", exact=True)
    expect(walk).to_have_attribute("aria-disabled", "true")


def test_keys_choose_filter_and_sort(panel: Panel, lesson_open: None, student: Student) -> None:
    student.run_cell(1)
    expect(panel.row("e")).to_be_visible()
    keys = panel.page.keyboard
    panel.place.get_by_role("searchbox", name="Filter the tensors").click()
    keys.type("backward0")
    wait_for(lambda: panel.names == ["t", "e"])
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(panel.row("e")).to_have_attribute("aria-selected", "true")
    expect(panel.place.locator(".gl-lab-name")).to_have_text("e = 4.6052")
    keys.press("Home")
    keys.press("ArrowUp")
    keys.press("Escape")
    wait_for(lambda: len(panel.names) == 5)
    panel.place.get_by_label("Order of the tensors").select_option("value")
    wait_for(lambda: panel.names == ["k", "a", "t", "e", "d"])
    assert student.page.locator(".jp-Notebook .jp-Cell").count() == 2  # no key of the notebook's


def test_the_palette_puts_the_focus_in_the_panel_and_no_key_goes_out_of_sight(
    student: Student, lesson_open: None
) -> None:
    page = student.page
    page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    page.locator(".jp-Notebook .jp-Cell").first.focus()
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("open the tensor panel")
    page.keyboard.press("Enter")
    panel = Panel(student)
    expect(panel.row("a")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(panel.place.get_by_label("Order of the tensors")).to_be_focused()
    page.keyboard.press("Tab")
    expect(panel.row("a")).to_be_focused()
    head = panel.place.locator("thead")
    assert head.bounding_box()["width"] == 1  # type: ignore[index]
    names = head.get_by_role("columnheader").all()
    # every row has a cell for each column, in the same order
    cells = panel.row("a").locator(":scope > *").all()
    assert len(names) == len(cells) == 9
    assert [panel.row("a").get_by_role("gridcell").count(), names[4].inner_text()] == [8, "grad_fn"]
    assert cells[4].inner_text() == ""
    assert cells[5].inner_text() == "leaf"
    student.page.evaluate("() => window.jupyterapp.shell.collapseRight()")


def test_names_are_data(panel: Panel, student: Student, notebook: Path) -> None:
    name = "<img src=x onerror=boom()>'\"$x$ 🙂"
    write_code(notebook / "names.ipynb", f"import graphlab as gl\nd = {{{name!r}: gl.ones(2)}}")
    student.open_notebook(f"{notebook.name}/names.ipynb")
    student.run_all()
    expect(panel.place.locator("tbody .gl-c-name")).to_have_text(f"d[{name!r}]")
    panel.place.locator("tbody tr").click()
    expect(panel.told).to_contain_text("does not require a gradient")
    assert panel.place.locator("img").count() == 0


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing(colours: str, panel: Panel, lesson_open: None, student: Student) -> None:
    student.theme(colours)
    student.run_cell(1)
    add_axe(student.page)
    expect(panel.row("e")).to_be_visible()
    assert complaints(student.page, "#graphlab-panel") == []
    panel.choose("e")
    expect(panel.player.locator("[data-id='n0']").first).to_be_visible()
    assert complaints(student.page, "#graphlab-panel") == [], "a still picture"
    panel.walk()
    assert complaints(student.page, "#graphlab-panel") == [], "a walk"


# --- one tensor -------------------------------------------------------------------------------


def test_a_result_is_drawn_walked_and_inserted(
    panel: Panel, lesson_open: None, student: Student
) -> None:
    student.run_cell(1)
    panel.choose("e")
    expect(panel.player.locator("[data-id='n0']").first).to_be_visible()
    assert panel.player.locator(".gl-foot").count() == 0  # a still picture
    assert panel.spare == 0
    expect(panel.place.locator(".gl-lab-facts")).to_contain_text(".grad is None")
    walk = panel.walk()
    walk.click(LAST)
    assert panel.spare == 0
    assert walk.gradients() == {"a": "2.3026", "d": "0.2"}
    assert student.run_code("print(a.grad)") == "None"
    panel.click("step")
    expect(panel.page.locator(".jp-Notebook .jp-Cell")).to_have_count(3)
    cell = panel.page.locator(".jp-Notebook .jp-mod-active")
    expect(cell.locator(".cm-content")).to_have_text("torch.step(e)")
    # the cell is run again: another e, and what the panel shows was true before
    student.run_cell(1)
    expect(panel.place.locator(".gl-lab-stale")).to_contain_text("e holds another tensor now")
    panel.choose("e")
    expect(panel.place.locator(".gl-lab-stale")).to_be_hidden()
    panel.click("In a tab")
    tab = student.page.locator("#jp-main-dock-panel .graphlab-output .graphlab:has(.gl-foot)")
    expect(tab).to_be_visible()
    expect(panel.row("e")).to_be_visible()  # still the notebook's


def test_commands_do_what_the_panel_does(
    panel: Panel, lesson_open: None, student: Student, notebook: Path
) -> None:
    page = student.page
    expect(panel.row("k")).to_be_visible()
    page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    page.locator(".jp-NotebookPanel-toolbar [data-command='graphlab:open-panel']").first.click()
    expect(panel.place).to_be_visible()
    page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    student.run_cell(1)
    page.evaluate(
        "() => void window.jupyterapp.commands.execute('apputils:activate-command-palette')"
    )
    page.locator("#command-palette input, .jp-modal input").first.fill("graphlab: trace")
    found = page.locator(".lm-CommandPalette-item.lm-mod-active")  # a moment after what was typed
    expect(found).to_contain_text("GraphLab: Trace the last result")
    page.keyboard.press("Enter")
    expect(panel.row("e")).to_have_attribute("aria-selected", "true")
    expect(panel.player.locator(".gl-foot")).to_be_visible()
    panel.do("save-trace")
    dialog = page.locator(".jp-Dialog")
    expect(dialog.locator("input")).to_have_value(f"{notebook.name}/e.graphlab.json")
    dialog.locator(".jp-mod-accept").click()
    document = Player(page.locator(".jp-MimeDocument .graphlab"))
    assert document.position[0] == 1
    wait_for(lambda: (notebook / "e.graphlab.json").is_file())
    written = json.loads((notebook / "e.graphlab.json").read_text("utf-8"))
    assert written["format"] == "graphlab.trace"
    icon = page.locator(".lm-DockPanel-tabBar .lm-mod-current .lm-TabBar-tabIcon svg").first
    expect(icon).to_have_attribute("data-icon", "graphlab:graph")


def test_settings_are_kept_to(panel: Panel, lesson_open: None, student: Student) -> None:
    expect(panel.row("k")).to_be_visible()
    try:
        set_setting(student.page, "refresh", False)
        student.run_cell(1)
        expect(panel.place.locator(".gl-lab-note")).to_contain_text("Refresh to see")
        assert panel.names == ["a", "d", "k"]
        panel.click("Refresh")
        expect(panel.row("e")).to_be_visible()
        set_setting(student.page, "granularity", "micro")
        set_setting(student.page, "speed", 2)
        set_setting(student.page, "view", "backward")
        panel.choose("e")
        panel.walk()
        shown = panel.player.locator("select option:checked, .gl-tab[aria-pressed='true']")
        assert {"micro", "×2", "backward"} <= set(shown.all_text_contents())
    finally:
        set_setting(student.page, "granularity", "node")
        set_setting(student.page, "speed", 1)
        set_setting(student.page, "view", "both")
        set_setting(student.page, "refresh", True)


# --- kernels ----------------------------------------------------------------------------------


def test_it_says_plainly_why_there_is_no_table(
    panel: Panel, student: Student, notebook: Path
) -> None:
    expect(panel.said).to_contain_text("Open a notebook")
    write_code(notebook / "bare.ipynb", "import sys, time\nsys.modules['graphlab'] = None", LEAVES)
    student.open_notebook(f"{notebook.name}/bare.ipynb")
    expect(panel.said).to_have_text("GraphLab is not loaded in this kernel: run import graphlab.")
    assert student.run_code("import sys; print('graphlab' in sys.modules)") == "False"
    student.run_cell(0)
    expect(panel.said).to_contain_text("GraphLab is not installed in this kernel's Python")
    student.run_code("del sys.modules['graphlab']")
    student.run_cell(1)
    expect(panel.row("k")).to_be_visible()
    # busy: the table stays, and is said to be old
    wait = f"while not os.path.exists({str(notebook / 'enough')!r}): time.sleep(0.05)"
    student.start_code(f"import os\n{wait}\nlate = torch.ones(1)")
    expect(panel.place.locator(".gl-lab-note")).to_contain_text("The kernel is busy")
    (notebook / "enough").touch()
    expect(panel.row("late")).to_be_visible()
    expect(panel.place.locator(".gl-lab-note")).to_be_hidden()
    student.ask_panel("panel => panel.sessionContext.session.kernel.restart()")
    expect(panel.said).to_have_text("GraphLab is not loaded in this kernel: run import graphlab.")
    student.run_cell(1)
    expect(panel.row("k")).to_be_visible()
    student.ask_panel("panel => panel.sessionContext.shutdown()")
    expect(panel.said).to_contain_text("This notebook has no kernel")


def test_a_kernel_that_dies_is_missed(panel: Panel, lesson_open: None, student: Student) -> None:
    student.run_cell(1)
    panel.choose("e")
    walk = panel.walk()
    walk.wait_for_step(1)
    student.start_code("import os; os._exit(1)")
    expect(panel.said).to_contain_text(re.compile("restart|died|starting|loaded"))
    expect(panel.player).to_have_count(0)
    expect(panel.row("e")).to_be_hidden()
    dialog = student.page.locator(".jp-Dialog")  # it comes a moment later, over any other page
    expect(dialog).to_contain_text("appears to have died")
    dialog.locator(".jp-mod-accept").click()
    dialog.wait_for(state="detached")


# --- documents --------------------------------------------------------------------------------


def test_a_document_that_is_cut_short_shows_a_sentence(student: Student, notebook: Path) -> None:
    whole = json.dumps(lesson())
    (notebook / "cut.graphlab.json").write_text(whole[: len(whole) // 2], "utf-8")
    student.open_file(f"{notebook.name}/cut.graphlab.json")
    broken = student.page.locator(".jp-MimeDocument .gl-broken")
    expect(broken).to_contain_text("it is not complete JSON")
    assert players(student.page).count() == 0
