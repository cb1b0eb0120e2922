"""Exercises: every kind of answer, hints that fit what was answered, and the learner's own file.

Read next: graphlab/faces/exercises/answers.py
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphlab
from graphlab import exercises
from graphlab.faces.exercises import marking
from graphlab.faces.exercises.answers import (
    Choice,
    Code,
    Entries,
    Exercise,
    Number,
    Order,
    SameGraph,
    Unreadable,
)
from graphlab.faces.exercises.marking import record

ALL = [one for lesson in marking.lessons() for one in marking.exercises_of(lesson).values()]
HALF = Number(0.5)


@pytest.fixture(autouse=True)
def own_file(tmp_path):
    exercises.keep_in(tmp_path / "answers.json")
    yield tmp_path / "answers.json"
    exercises.keep_in(None)


def leaf(value: float) -> graphlab.Tensor:
    return graphlab.tensor(value, requires_grad=True)


# -- what is written in the lessons ----------------------------------------------------------------


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_an_exercise_has_hints_and_knows_its_answer(one):
    assert len(one.hints) >= 2
    assert len(set(one.hints)) == len(one.hints)
    texts = [one.question, one.why, *one.hints, *one.slips.values()]
    assert all(text.strip().endswith((".", "?", "!", ".)")) for text in texts if text)
    if isinstance(one.answer, Code):
        return  # its answers stand in the tests of the lesson
    expected = one.answer.expected()
    several = isinstance(one.answer, Order) and isinstance(expected[0], list | tuple)
    for right in expected if several else [expected]:
        assert one.answer.matches(expected, one.answer.read(right))


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_no_slip_is_right(one):
    for wrong, hint in one.slips.items():
        if not callable(wrong):
            read = one.answer.read(wrong)
            assert not one.answer.matches(one.answer.expected(), read)
            assert one.slip(read) == hint


def test_the_number_of_an_exercise_is_used_once():
    assert len({one.id for one in ALL}) == len(ALL) >= 4


# -- the kinds of answers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [0.5, 1 / 2, "1/2", "0.5", "2 * 0.25", np.float32(0.5), leaf(0.5), [[0.5]][0][0], "5e-1"],
)
def test_a_number_is_accepted_in_every_form(given):
    assert HALF.matches(0.5, HALF.read(given))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "None is not a number"),
        ("half", 'expected a number such as 2.5, "1/3"'),
        ("__import__('os')", "expected a number"),
        ("1/0", "expected a number"),
        ("9" * 5000 + "(", "expected a number"),
        ("9" * 400, "expected a number"),
        (1j, "expected one number, got complex"),
        (np.array("half"), "expected one number, got ndarray"),
        (graphlab.ones(2), "expected one number, got 2"),
        (True, "expected one number, got bool"),
        (object(), "expected one number, got object"),
    ],
)
def test_what_is_no_number_is_said_and_counts_as_no_try(given, said):
    with pytest.raises(Unreadable, match="^" + said.replace("(", "\\(")):
        HALF.read(given)


def test_the_tensors_of_pytorch_are_accepted(torch):
    number = Number(40.0)
    assert number.matches(40.0, number.read(torch.tensor([40.0], requires_grad=True)))
    entries = Entries([1.0, 2.0])
    assert entries.matches([1.0, 2.0], entries.read(torch.tensor([1.0, 2.0], requires_grad=True)))
    assert entries.matches([1.0, 2.0], entries.read([torch.tensor(1.0), torch.tensor(2)]))


def test_entries_say_what_differs():
    ones = Entries(lambda: graphlab.ones(2, 2))
    assert ones.matches(ones.expected(), ones.read([[1, 1], [1, 1.0001]]))
    assert ones.remark(ones.read([1, 1])) == "Its shape is (2,), but another shape is expected."
    assert ones.remark(ones.read([[1, 2], [1, 1]])) == "1 of 4 entries differ."
    with pytest.raises(Unreadable, match="expected a tensor or nested lists"):
        ones.read([[1], [1, 2]])


def test_a_name_that_an_order_has_twice_is_told():
    order = Order("a, b")
    assert order.remark(order.read("a, b, a")) == "'a' occurs too often."
    assert order.remark(order.read("a")) == "One is missing."


@pytest.mark.parametrize(
    "given",
    ["u, t, v, e", "u t v e", "utve", "u; t; v; e", "u -> t → v > e", '["u", "t", "v", "e"]'],
)
def test_an_order_is_accepted_in_every_form(given):
    assert exercises.answer("1.1", given)
    assert not exercises.answer("1.1", given[::-1])


def test_names_of_several_letters_do_not_stand_side_by_side():
    order = Order(["loss", "step"])
    assert order.read("loss step") == ("loss", "step")
    assert order.read("lossstep") == ("lossstep",)


def test_entries_may_be_text():
    assert exercises.answer("2.1", "[−10, 15]")
    assert "nested lists of numbers, as in" in exercises.answer("2.1", "[-10, b]").text
    assert "got '[-10, b]'" in exercises.answer("2.1", "[-10, b]").text


@pytest.mark.parametrize(
    "given", [[-1, 1.5, "-1/2"], "-1, 3/2, -1/2", "[-1, 3/2, -1/2]", ("-1", leaf(1.5), "−0.5")]
)
def test_entries_may_be_fractions(given):
    assert exercises.answer("14.3", given)


@pytest.mark.parametrize("given", ["[1, 1/0]", [1, "half"], "[1, [2, 3]]", "[x for x in y]"])
def test_what_are_no_entries_is_said_with_what_was_given(given):
    assert f"got {given!r}." in exercises.answer("14.3", given).text


def test_brackets_may_be_left_out():
    assert exercises.answer("2.1", -10, 15)
    assert exercises.answer("1.2", "a", "d")
    assert "write it with a point: 0.5, not 0,5" in exercises.answer("1.3", 0, 5).text
    assert exercises.answer("1.2", "a, d.")


@pytest.mark.parametrize(
    ("exercise", "code"),
    [
        ("2.5", lambda a, b: (a - b) ** 0.5),
        ("4.6", lambda a: a * float("nan") + a + a),
        ("9.6", lambda f, x: (f(x) * float("nan")).sum()),
    ],
)
def test_nan_is_no_right_answer(exercise, code):
    given = exercises.answer(exercise, code)
    assert not given
    assert "nan" in given.text


def test_a_remark_ends_before_the_hint_begins():
    told = exercises.answer("2.5", lambda a: a).text
    assert "takes 1 positional argument but 2 were given. " in told


def test_an_order_may_have_several_right_forms():
    order = Order([["a", "b", "c"], ["b", "a", "c"]])
    assert order.matches(order.expected(), order.read("B, a, c"))
    assert not order.matches(order.expected(), order.read("c, a, b"))
    assert order.remark(order.read("a, b")) == "One is missing."
    assert order.remark(order.read("a, b, d")) == "'d' does not belong to the list."
    assert Order("a, b, c, d").remark(("a", "b", "d", "c")) == "The first 2 are right."


def test_a_choice_of_several_says_that_there_is_more():
    choice = Choice("a c")
    assert choice.matches("a c", choice.read(["C", "a"]))
    assert choice.remark(choice.read("a")) == "Right so far, but there is more."
    assert choice.remark(choice.read("b")) == ""
    with pytest.raises(Unreadable, match="expected a letter"):
        choice.read(2)


@pytest.mark.parametrize("given", ["b and d", "B & D", "(b), (d)", "b + d", ["b", "d"]])
def test_letters_may_be_joined_by_a_word_or_a_sign(given):
    assert exercises.answer("5.3", given)


def test_a_letter_that_was_not_asked_about_is_told():
    assert "There is no 'f': the last letter is 'd'." in exercises.answer("5.3", "f b").text


@pytest.mark.parametrize("one", [one for one in ALL if isinstance(one.answer, Choice)])
def test_the_letters_of_a_choice_stand_in_its_question(one):
    assert not one.slip(one.answer.read(one.answer.expected())).startswith("There is no")
    assert one.slip(frozenset("z")).startswith("There is no 'z'")


def test_code_is_tried_and_its_errors_are_named():
    code = Code(lambda f: "" if f(2) == 4 else "f(2) is not 4.")
    assert code.matches(code.expected(), code.read(lambda x: x * x))
    assert code.remark(lambda x: x) == "f(2) is not 4."
    assert code.remark(lambda x: x / 0).startswith("It raises an error: ZeroDivisionError")
    with pytest.raises(Unreadable, match="pass it without parentheses"):
        code.read(4)


def test_a_hint_is_added_only_where_the_test_of_the_code_gives_no_advice(monkeypatch):
    def tested(given: object) -> str:
        return "Leave it out." if given is print else "It returns 3, not 4"

    one = Exercise("0.0", "?", Code(tested), ("Look closely.", "The code."))
    monkeypatch.setattr(marking, "find", lambda id: one)
    assert exercises.answer("0.0", print).text == "Not yet. Leave it out."
    for _ in range(3):  # the last hint is shown only to those who ask for it
        said = exercises.answer("0.0", len).text
        assert said == "Not yet. It returns 3, not 4. Look closely."


def test_an_error_is_told_with_its_first_sentence():
    told = exercises.answer("6.6", backward_twice).text
    assert "(or directly access saved tensors after they have already been freed). One" in told


def backward_twice(w, x, y):
    loss = (w * x - y) ** 2
    loss.backward()
    loss.backward()


# -- hints, and the record -------------------------------------------------------------------------


def test_a_wrong_answer_gets_the_hint_of_its_slip():
    said = exercises.answer("1.3", 5.0)
    assert not said
    assert "what arrives at t" in said.text


def test_other_wrong_answers_get_hints_in_steps():
    hints = marking.find("1.3").hints
    told = [exercises.answer("1.3", 7.0).text for _ in range(3)]
    assert told == [f"Not yet. {hint}" for hint in (hints[0], hints[1], hints[1])]


def test_a_right_answer_says_why():
    said = exercises.answer("1.3", leaf(0.5))
    assert said.right
    assert repr(said).startswith("✓ 1.3  Right. 5 arrives at t")


def test_only_the_first_try_without_a_hint_counts_as_at_once():
    exercises.answer("1.3", 0.5)
    exercises.hint("1.4")
    exercises.answer("1.4", 4)
    exercises.answer("1.2", "a")
    exercises.answer("1.2", "a d")
    assert exercises.results().summary == "3 of 5 exercises done, 1 at the first try"


def test_a_right_answer_that_runs_again_is_no_further_try():
    for given in (5.0, 0.5, 0.5, 0.5):
        exercises.answer("1.3", given)
    assert exercises.results()["1.3"].tries == 2


def test_hints_can_be_asked_for_one_by_one():
    assert exercises.hint("1.3").startswith("Hint 1 of 2: Two nodes lie")
    assert exercises.hint("1.3").startswith("Hint 2 of 2: The product")
    assert exercises.hint("1.3").startswith("Hint 2 of 2")
    assert exercises.results()["1.3"].hints == 2


def test_an_answer_that_cannot_be_read_is_no_try():
    assert "None is not a number" in exercises.answer("1.3", None).text
    assert exercises.results()["1.3"].tries == 0


def test_three_dots_are_no_answer():
    assert exercises.answer("1.3", ...).text == "Put your answer in the place of the three dots."
    assert exercises.results() == {}


def test_the_file_holds_no_answers(own_file):
    exercises.answer("1.3", 5.0)
    exercises.answer("1.3", 0.5)
    held = json.loads(own_file.read_text())
    assert held["answers"] == {"1.3": {"tries": 2, "hints": 0, "right": True, "at_once": False}}
    exercises.keep_in(own_file)  # read again, as after a restart
    assert exercises.results().summary == "1 of 5 exercises done, 0 at the first try"


def test_a_file_that_cannot_be_read_is_told_and_kept_aside_by_the_first_answer(own_file):
    own_file.write_text("{", encoding="utf-8")
    exercises.keep_in(own_file)
    for _ in range(2):
        shown = repr(exercises.results())
        assert shown == f"{own_file} could not be read: it is damaged, or holds no results."
    assert own_file.read_text() == "{"  # reading changes nothing
    assert exercises.answer("1.3", 0.5).text.endswith(
        "could not be read: it is damaged, or holds no results. It was renamed to "
        "answers.unreadable.json.)"
    )
    assert own_file.with_suffix(".unreadable.json").read_text() == "{"
    assert "1.3" in own_file.read_text()
    assert "renamed" not in exercises.answer("1.4", 4).text


def test_a_file_that_is_not_there_is_told(tmp_path):
    exercises.keep_in(tmp_path / "ana.json")
    assert exercises.results().summary == f"There is no file {tmp_path / 'ana.json'} yet."
    exercises.answer("1.3", 0.5)
    assert exercises.results().summary == "1 of 5 exercises done, 1 at the first try"


def test_a_folder_that_cannot_be_written_loses_nothing(tmp_path):
    exercises.keep_in(tmp_path / "missing" / "answers.json")
    assert "could not be written" in exercises.answer("1.3", 0.5).text
    assert "could not" not in exercises.answer("1.4", 4).text
    assert len(exercises.results()) == 2


def test_results_are_a_table_that_escapes_what_it_shows():
    exercises.answer("1.3", 0.5)
    record.results["<b>"] = record.results["1.3"]
    shown = exercises.results()._repr_html_()
    assert "<b>" not in shown
    assert shown.count("<tr>") == 3
    assert "1.3" in repr(exercises.results())


@pytest.mark.parametrize(
    ("id", "kind", "said"),
    [
        (1.3, TypeError, 'write "1.3" in quotes'),
        ("99.1", ValueError, "no lesson has the number '99'"),
        ("1.33", ValueError, "no exercise has the number '1.33'"),
        ("../1", ValueError, "no lesson has the number"),
    ],
)
def test_an_exercise_that_does_not_exist_is_refused_with_the_choices(id, kind, said):
    with pytest.raises(kind, match=said):
        exercises.answer(id, 1)


def test_graders_get_nothing_or_an_assertion(capsys):
    assert exercises.passed("1.3", 0.5) is None
    with pytest.raises(AssertionError, match=r"1\.3: That is what arrives at t"):
        exercises.passed("1.3", 5)
    with pytest.raises(AssertionError, match="None is not a number"):
        exercises.passed("1.3", None)
    assert capsys.readouterr().out == ""
    assert exercises.results() == {}


def test_html_is_escaped():
    shown = marking.Feedback("1.1", False, "Not yet. <script>")._repr_html_()
    assert "<script>" not in shown
    assert 'role="status"' in shown


def test_a_slip_may_be_a_function_of_the_answer():
    one = Exercise("0.0", "?", Number(1.0), ("a.", "b."), {lambda x: x < 0: "Negative."})
    assert one.slip(-2.0) == "Negative."
    assert one.slip(2.0) == ""


# -- a graph ---------------------------------------------------------------------------------------


def reused() -> graphlab.Tensor:
    a, b = leaf(2.0), leaf(3.0)
    return a * b + a.exp()


@pytest.mark.parametrize(
    "build",
    [
        lambda x, y: x * y + x.exp(),
        lambda x, y: y * x + graphlab.exp(x),
        lambda x, y: graphlab.exp(y) + graphlab.mul(y, x),
    ],
)
def test_a_graph_is_right_in_any_names_values_and_order_of_a_sum(build):
    answer = SameGraph(reused)
    assert answer.matches(answer.expected(), answer.read(build(leaf(-1.0), leaf(7.0))))


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda x, y: x * x + y.exp(), "connected differently"),
        (
            lambda x, y: x * y + (x * y).exp(),
            "MulBackward0 occurs twice in your graph, and occurs once",
        ),
        (lambda x, y: x * y, "AddBackward0 does not occur in your graph, and occurs once"),
        (lambda x, y: x * y + x.detach().exp(), "ExpBackward0 does not occur in your graph"),
    ],
)
def test_another_graph_is_not_right_and_the_first_difference_is_told(build, said):
    answer = SameGraph(reused)
    read = answer.read(build(leaf(2.0), leaf(3.0)))
    assert not answer.matches(answer.expected(), read)
    assert said in answer.remark(read)


@pytest.mark.parametrize(
    ("given", "said"), [(3.0, "got float"), (graphlab.tensor(1.0), "has no graph")]
)
def test_what_has_no_graph_is_no_try(given, said):
    with pytest.raises(Unreadable, match=said):
        SameGraph(reused).read(given)


def test_an_exercise_with_a_number_is_a_question_inside_a_walk():
    question = exercises.question("6.4")
    assert (question.kind, question.right) == ("whole", (8000,))
    assert "How many bytes" in question.text
    assert dict(question.hints)[2000.0].startswith("That is how many numbers are saved")
    assert question.hint == marking.find("6.4").hints[0]
    assert question.why == marking.find("6.4").why


def test_an_exercise_with_another_answer_is_refused_as_a_question():
    with pytest.raises(ValueError, match=r"exercise 6\.3 asks for Choice, but only exercises"):
        exercises.question("6.3")
    with pytest.raises(ValueError, match=r"no exercise has the number .6\.99."):
        exercises.question("6.99")


def test_every_exercise_with_a_number_can_be_asked_inside_a_walk():
    found = [marking.question_of(one) for one in ALL if isinstance(one.answer, Number)]
    assert len(found) > 20
    assert all(one.kind in ("whole", "number") and one.hint for one in found)
