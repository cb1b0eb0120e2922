"""A class follows its teacher: two browsers on one JupyterLab with jupyter-collaboration.

`dev.py test` fetches jupyter-collaboration to a folder of its own, which GRAPHLAB_COLLABORATION
names: in .venv, every JupyterLab of the other tests would share its notebooks.

Read next: tests/browser/school.py
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.jupyter import JupyterLab
from tests.browser.school import FOLDER, Person, sharing
from tests.browser.test_editing import type_value, value

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not FOLDER, reason="GRAPHLAB_COLLABORATION is not set"),
]


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    with sharing(tmp_path_factory.mktemp("school")) as server:
        yield server


@pytest.fixture(scope="module")
def people(school: JupyterLab, context: BrowserContext) -> Iterator[list[Person]]:
    """Two browsers: each loads JupyterLab once, which takes longer than the tests."""
    assert context.browser is not None
    people = [Person(school, context.browser) for _ in range(2)]
    yield people
    for person in people:
        person.leave()


@pytest.fixture
def both(people: list[Person], request: pytest.FixtureRequest) -> Iterator[list[Person]]:
    """Both with the notebook open, and nobody leads; a page in which a test failed is closed."""
    for person in people:
        person.enter()
    for person in people:
        expect(person.bar()).to_be_hidden()
    yield people
    for person in people:
        if getattr(request.node, "failed_in_call", True):
            person.student.page.close()
        person.close_the_notebook()


@pytest.fixture
def teacher(both: list[Person]) -> Person:
    return both[0]


@pytest.fixture
def learner(both: list[Person]) -> Person:
    return both[1]


def test_a_learner_follows_leaves_and_follows_again(teacher: Person, learner: Person) -> None:
    expect(learner.bar()).to_be_hidden()
    teacher.lead()
    expect(teacher.bar()).to_contain_text("You lead")
    expect(learner.bar()).to_contain_text("You follow")
    teacher.go_to(4)
    learner.player().wait_for_step(4)
    teacher.go_to(2, number=1)  # the other player of the cell
    learner.player(1).wait_for_step(2)
    assert learner.player().position[0] == 4

    learner.go_to(6)
    expect(learner.bar()).to_contain_text("You walk on your own")
    teacher.go_to(5)
    expect(teacher.player().place.locator(".gl-position")).to_contain_text("step 5")
    assert learner.player().position[0] == 6
    learner.press("Follow")
    learner.player().wait_for_step(5)
    learner.student.assert_content()


def test_values_that_the_teacher_changes_are_changed_for_everyone(
    teacher: Person, learner: Person
) -> None:
    teacher.lead()
    teacher.go_to(3)
    type_value(teacher.player(), "a", "7")
    expect(value(learner.player(), "a")).to_have_text("7.0")


def test_who_leads_asks_the_class_without_the_answer(teacher: Person, learner: Person) -> None:
    teacher.lead()
    teacher.player().focus()
    for key in ["p", "ArrowRight"]:
        teacher.player().press(key)
    asked = "What is it?"
    expect(teacher.player().place.locator(".gl-narration")).to_contain_text(asked)
    sentence = learner.player().place.locator(".gl-narration")
    expect(sentence).to_contain_text(asked)
    expect(sentence).to_be_in_viewport(ratio=1)  # with the whole form below it
    learner.player().place.locator(".gl-answer").fill("7")
    learner.student.page.keyboard.press("Enter")
    expect(learner.player().place.locator(".gl-said")).to_contain_text("Not 7")
    expect(learner.bar()).to_contain_text("You follow")  # an answer is no walk of one's own
    teacher.player().press("Escape")  # leaves the field
    teacher.player().press("ArrowRight")
    expect(sentence).not_to_contain_text(asked)
    assert learner.player().narration == teacher.player().narration
    for person in (teacher, learner):
        person.student.assert_content()


def test_who_takes_over_is_asked_and_who_led_is_told(teacher: Person, learner: Person) -> None:
    teacher.lead()
    expect(learner.bar()).to_contain_text("You follow")
    learner.lead()
    expect(learner.student.page.locator(".jp-Dialog-header")).to_contain_text(
        "is leading. Take over?"
    )
    learner.answer("Cancel")
    expect(learner.bar()).to_contain_text("You follow")
    expect(teacher.bar()).to_contain_text("You lead")
    learner.lead()
    learner.answer("Take over")
    expect(learner.bar()).to_contain_text("You lead")
    expect(teacher.bar()).to_contain_text("You follow")
    told = teacher.student.page.locator(".jp-toastContainer")
    expect(told).to_contain_text("has taken over: you no longer lead the class.")
    told.get_by_role("button").first.click()
    learner.lead()  # stops, without a question
    expect(teacher.bar()).to_contain_text("no longer leads")


# Whoever leaves loads JupyterLab again, which takes longer than the rest: the teacher goes last.


def test_who_comes_late_or_comes_back_is_where_the_teacher_is(
    teacher: Person, learner: Person
) -> None:
    teacher.lead()
    teacher.go_to(3)
    learner.player().wait_for_step(3)
    learner.student.page.close()
    teacher.go_to(7)
    learner.enter()
    learner.player().wait_for_step(7)


def test_a_class_walks_on_when_the_teacher_is_gone(teacher: Person, learner: Person) -> None:
    teacher.lead()
    teacher.go_to(3)
    learner.player().wait_for_step(3)
    teacher.student.page.close()
    expect(learner.bar()).to_contain_text("no longer leads")
    learner.go_to(5)
    expect(learner.bar()).to_be_hidden()
    learner.student.assert_content()
