"""Predict mode as a learner meets it: Enter inside a cell, feedback that moves nothing, a score.

Read next: js/test/predict.test.ts, which tries every question.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import graphlab
from graphlab import nn
from graphlab.faces.render.html import to_html
from tests.browser import conftest
from tests.browser.jupyter import Student
from tests.browser.notebooks import MIME, lesson, write_output
from tests.browser.player import Player, players

pytestmark = pytest.mark.browser
spare_tabs = conftest.written_tabs  # a fixture

SUBJECTS = ["gradient", "next node", "shape", "tensor freed", "bytes held"]


@cache
def network() -> str:
    """A page with the walk of a small network, whose sentences are longer than the lesson's."""
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    a_loss_with_a_long_name = net(graphlab.ones(1, 2)).square().sum()
    return to_html(graphlab.trace(a_loss_with_a_long_name), standalone=True)


@pytest.fixture
def player(student: Student, notebook: Path) -> Player:
    """The lesson's trace in a cell of a notebook."""
    write_output(notebook / "saved.ipynb", {MIME: lesson(), "text/plain": "a trace"})
    student.open_without_a_kernel(f"{notebook.name}/saved.ipynb")
    return Player(players(student.page).first)


def test_enter_gives_the_answer_inside_a_cell_of_jupyterlab(player: Player) -> None:
    # JupyterLab 4.6 cancels the line break of a field in a cell, and with it the form's submit.
    player.focus()
    for key in ["p", "ArrowRight", "1", "Enter"]:
        player.press(key)
    expect(player.place.locator(".gl-score")).to_contain_text("1 of 1")


# How a sentence looks: size, weight, colour, and the sign before it.
LOOK = """(said) => {
    const style = getComputedStyle(said);
    const sign = getComputedStyle(said, "::before").content;
    return [style.fontSize, style.fontWeight, style.color, sign];
}"""

# Where everything stands that is not the question itself, in pixels of the window.
PLACES = """(root) => [".form", ".said", ".source", ".canvas", ".foot"].map((name) => {
    const part = root.querySelector(name.replace(".", ".gl-"));
    const {left, top, width, height} = part.getBoundingClientRect();
    const wide = name === ".form" ? 0 : width;  // the score beside it has more digits in time
    return [name, ...[left, top, wide, height].map(Math.round)].join(" ");
})"""


# Walk to the end, answer each question in every way, and look where everything stands each time.
# The page does it by itself: a message to it and back costs the processor more than an answer.
ANSWERED = """async (root, [steps, text]) => {
    const look = eval(text), places = [look(root)];
    const frame = () => new Promise(requestAnimationFrame);
    const key = (on, key) => on.dispatchEvent(
        new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    const seen = (one) => one && one.checkVisibility({visibilityProperty: true});
    const note = async () => { await frame(); places.push(look(root)); };
    let asked = 0;
    for (let step = 0; step < steps; step += 1) {
        key(root, "ArrowRight");
        await note();
        const field = root.querySelector(".gl-answer");
        const choices = [...root.querySelectorAll(".gl-list .gl-button")];
        asked += choices.length > 0 || seen(field);
        for (const choice of choices) {
            if (seen(choice)) choice.click();
            await note();
        }
        if (choices.length || !seen(field)) continue;
        for (const typed of ["nonsense", "12345"]) {
            field.value = typed;
            field.dispatchEvent(new Event("input", {bubbles: true}));
            key(field, "Enter");
            await note();
        }
        for (const name of ["Hint", "Show"]) {
            const buttons = [...root.querySelectorAll("button")];
            buttons.find((one) => one.textContent === name).click();
            await note();
        }
    }
    return [places, asked];
}"""


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("width", [1366, 934, 400])
def test_no_answer_and_no_hint_moves_anything(tab: Page, width: int, subject: str) -> None:
    tab.set_viewport_size({"width": width, "height": 768})
    tab.set_content(network())
    player = Player(tab.locator(".graphlab").first)
    player.focus()
    player.press("p")
    player.place.get_by_label("What to predict").select_option(subject)
    player.focus()
    steps = player.position[1]
    places, asked = player.place.evaluate(ANSWERED, [steps, PLACES])
    assert len({tuple(place) for place in places}) == 1
    assert asked > 1


def test_a_right_answer_is_greeted_as_clearly_as_a_wrong_one_is_refused(player: Player) -> None:
    looks = []
    player.focus()
    for key in ["p", "ArrowRight", "7", "Enter"]:
        player.press(key)
    said = player.place.locator(".gl-said")
    for name, word in (("wrong", "Not 7"), ("right", "Right: 1.0")):
        expect(said).to_contain_text(word)
        expect(said).to_have_class(re.compile(rf"\bgl-{name}\b"))
        looks.append(said.evaluate(LOOK))
        if name == "wrong":
            player.place.locator(".gl-answer").fill("1")
            player.press("Enter")
    wrong, right = looks
    assert wrong[:2] == right[:2]  # as large and as heavy
    assert wrong[2] != right[2]  # its colour
    assert wrong[3] != right[3]  # its sign
    assert "none" not in (wrong[3], right[3])


def quiz() -> str:
    """A page with a walk that asks a number and a choice of its own."""
    v = graphlab.tensor(3.0, requires_grad=True)
    square = v * v
    timeline = graphlab.trace(square)
    written = timeline.find("LeafWritten", tensor="v")
    held = graphlab.Question(
        "How many bytes will v.grad take?", 4, hints={1: "Count bytes, not numbers."}
    )
    rule = graphlab.Question(
        "Why is v.grad twice v?",
        "v is used twice",
        choices={
            "the gradient came in as 2": "It came in as 1.0.",
            "v is used twice": "Both uses send 3.0.",
            "v is a leaf": "",
        },
        hint="How many edges lead to v?",
    )
    return to_html(timeline.ask({written: held}).ask({written: rule}), standalone=True)


def test_a_page_is_answered_without_a_mouse_or_a_tab(tab: Page) -> None:
    tab.set_content(quiz())
    player = Player(tab.locator(".graphlab").first)
    expect(tab.locator("body")).to_be_focused()
    field = player.place.locator(".gl-answer")
    for _ in range(20):
        if "bytes" in player.narration:
            break
        expect(field).not_to_be_focused()
        player.press("ArrowRight")
    expect(field).to_be_focused()
    tab.keyboard.type("40")  # of which 0 is the key that begins again
    player.press("Backspace")
    player.press("Enter")
    expect(player.place.locator(".gl-said")).to_have_text("Right: 4")


def test_the_questions_of_an_author_are_answered_with_the_keys_alone(tab: Page) -> None:
    tab.set_content(quiz())
    player = Player(tab.locator(".graphlab").first)
    said, narration = player.place.locator(".gl-said"), player.place.locator(".gl-narration")
    player.place.focus()
    for _ in range(20):
        if "bytes" in player.narration:
            break
        player.press("ArrowRight")
    expect(narration).to_have_text("How many bytes will v.grad take?")
    expect(narration).to_have_attribute("aria-live", "polite")  # so it is read aloud
    for typed, answer in (("1", "Not 1. Count bytes, not numbers."), ("4", "Right: 4")):
        player.place.locator(".gl-answer").fill("")
        tab.keyboard.type(typed)
        player.press("Enter")
        expect(said).to_have_text(answer)
    expect(narration).to_have_text("Why is v.grad twice v?")
    group = player.place.get_by_role("group", name="Answers to choose from")
    buttons = group.get_by_role("button")
    expect(buttons).to_have_count(3)
    expect(buttons.first).to_be_focused()
    expect(buttons.first).to_have_css("outline-style", "solid")  # and it is seen
    player.press("Enter")
    expect(said).to_have_text("Not this one. It came in as 1.0.")
    player.press("ArrowUp")
    player.press(" ")
    expect(said).to_have_text("Not this one. How many edges lead to v?")
    player.press("ArrowUp")
    player.press("Enter")
    expect(said).to_have_text("Right: v is used twice. Both uses send 3.0.")
    expect(said).to_have_class(re.compile(r"\bgl-right\b"))
    expect(narration).to_contain_text("v.grad is 6.0")
    expect(player.place).to_be_focused()
    expect(player.place.locator(".gl-score")).to_have_text("0 of 2 right at the first try")
