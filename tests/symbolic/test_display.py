"""How a report and its formulas are shown, and that a name is never more than a name.

Read next: graphlab/faces/symbolic/report_table.py
"""

from __future__ import annotations

import re

import pytest
import sympy

import graphlab
from graphlab.faces.symbolic import html_elements
from graphlab.faces.symbolic.budget import with_decimals
from graphlab.faces.symbolic.check import check
from graphlab.faces.symbolic.formula import formula
from graphlab.faces.symbolic.html_elements import formula_text, operations
from graphlab.faces.symbolic.local_derivatives import set_by
from graphlab.faces.symbolic.report_table import CARDS
from graphlab.faces.symbolic.symbol_names import tex_name
from tests.symbolic.conftest import Tags, check_tex, leaf, randn

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    r"$\href{javascript:alert(1)}{x}$",
    r"\def\x{1}\x}_{^%&#~",
    "__import__('os').system('true')",
    "a b\x1b[31m\n\u202e",
]
KEYWORDS = ["lambda", "I", "E", "S", "N", "pi", "oo", "None", "Symbol", "exp", "x_0"]


ALLOWED = {"div", "p", "span", "table", "thead", "tbody", "tr", "th", "td", "code", "strong"}
ALLOWED |= {"details", "summary", "ul", "li", "pre", "style"}


def test_a_formula_too_long_for_its_conditions_shows_no_symbols_for_them():
    x = leaf([0.5, 1.5, 2.5])
    y = graphlab.nn.functional.softplus(x)
    report = check(((y - y.mean()) ** 2).sum() * y.prod())
    assert report.verdict == "proved"
    assert formula_text(report[0].formula).startswith("a formula of 1")
    assert "h_{0}" not in report._repr_html_()
    assert report[0].latex().endswith(rf"\text{{{formula_text(report[0].formula)}}}")
    for write in (report[0].sympy_code, report[0].numpy_code):
        with pytest.raises(ValueError, match="too long to write its conditions out"):
            write()


def test_functions_are_written_by_the_names_that_users_call():
    x = sympy.Symbol("x")
    assert formula_text(sympy.polygamma(0, x) + sympy.Heaviside(x, 0)) == (
        "(1 if x > 0 else 0) + digamma(x)"
    )


def test_the_text_table_is_aligned(lesson):
    assert repr(check(lesson.e, names=lesson.names)).splitlines() == [
        "4 of 4 gradients proved",
        "",
        "   ∂e/∂    symbolic  autograd  verdict",
        "a  b       3         3         ✓ proved",
        "b  a       2         2         ✓ proved",
        "c  log(d)  2.30259   2.30259   ✓ proved",
        "d  c/d     0.5       0.5       ✓ proved",
        "",
        "all: where d > 0",
    ]


def test_a_note_of_almost_all_rows_is_said_once():
    *several, f = (leaf(float(value)) for value in range(1, 7))
    report = check(sum(several).abs() + f, names={f: "f"})  # type: ignore[arg-type]
    said = "all but f: holds away from the kink"
    assert repr(report).count("kink") == 1
    assert said in repr(report)
    assert said in Tags(report._repr_html_()).text


def test_the_table_for_a_notebook_shows_mathematics_values_and_verdicts(lesson):
    page = Tags(check(lesson.e, names=lesson.names)._repr_html_())
    assert page.tags <= ALLOWED
    assert page.open == []
    assert r"$\displaystyle \frac{\partial e}{\partial d} = \frac{c}{d}$" in page.text
    assert page.text.startswith("✓ 4 of 4 gradients proved.")
    assert page.text.count("✓ proved") == 4
    assert "where d > 0 · every symbol stands for a real number" in page.text


def test_what_the_rules_made_is_shown_where_it_is_written_otherwise():
    x = leaf(1.0)
    page = Tags(check(graphlab.sigmoid(x), names={x: "x"})._repr_html_())
    assert "from the rules: $" in page.text


def test_a_verdict_is_said_in_words_and_never_by_colour_alone():
    x = leaf(0.0)
    wrong = check(graphlab.relu(x) - graphlab.relu(-x), names={x: "x"})
    assert wrong.summary == "0 of 1 gradient proved, 1 WRONG: x"
    page = Tags(wrong._repr_html_())
    assert "✗ disagrees" in page.text
    assert "for x at x = 0: the gradient is 0, the derivative 1" in page.text
    assert "✗ disagrees" in repr(wrong)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_shown_and_does_nothing(name):
    x = leaf([2.0, 3.0])
    report = check((x * x).sum(), names={x: name})
    assert report[name].verdict == "proved"
    page = Tags(report._repr_html_())
    assert page.tags <= ALLOWED
    assert page.attributes <= {"style", "class", "scope", "title", "aria-hidden"}
    for tex in re.findall(r"\$\\displaystyle (.*?)\$(?!\\)", page.text, flags=re.DOTALL):
        assert "href" not in re.findall(r"\\([a-zA-Z]+)", tex)
    made = formula(x.sum(), {x: name})
    assert "\x1b" not in repr(report)
    for text in (str(made), sympy.pretty(made)):
        assert text.isprintable()


@pytest.mark.parametrize("name", ["m.50%", "cost$", "a_{", r"\def\frac#1#2{z}", "x__y"])
def test_sympy_typesets_a_name_as_text(name):
    x, b = leaf([2.0, 3.0]), leaf(1.0)
    made = formula(x[1] * b, {x: name, b: "b"})
    text = made._repr_latex_()
    assert rf"{tex_name(name)}_{{1}}" in text
    check_tex(text.removeprefix(r"$\displaystyle ").removesuffix("$"))
    assert sympy.latex(made, symbol_names={s: s.name[-1] for s in made.free_symbols}) == "1 b"


@pytest.mark.parametrize("name", KEYWORDS)
def test_a_keyword_is_a_name_like_any_other(name):
    x, y = leaf(2.0), leaf(3.0)
    report = check(x * y, names={x: name, y: "other"})
    assert report["other"].formula == sympy.Symbol(name, real=True)
    assert report["other"].verdict == "proved"


def test_names_that_clash_stay_two_symbols():
    x, y = leaf(2.0), leaf(3.0)
    report = check(x * y, names={x: "w", y: "w"})
    assert {row.verdict for row in report} == {"proved"}
    assert [row.symbolic_value for row in report] == [3.0, 2.0]
    vector, scalar = leaf([2.0, 5.0]), leaf(3.0)
    report = check((vector * scalar).sum(), names={vector: "v", scalar: "v_0"})
    assert [row.verdict for row in report] == ["proved", "proved"]


@pytest.mark.parametrize(
    ("name", "index", "tex"),
    [
        ("W", (0, 1), "W_{0,1}"),
        ("w_1", (), "w_{1}"),
        ("w1", (2,), "w_{1,2}"),
        ("sigma", (), r"\sigma"),
        ("lambda", (), r"\lambda"),
        ("loss", (), r"\mathrm{loss}"),
        ("a_b", (), r"\mathrm{a\_b}"),
        ("x$y", (), r"\mathrm{x\$y}"),
    ],
)
def test_a_name_in_latex(name, index, tex):
    assert tex_name(name, index) == tex


def test_a_long_formula_is_counted_and_not_shown():
    z = randn(3, 4)
    page = Tags(check((graphlab.softmax(z, 1) ** 2).sum())._repr_html_())
    assert re.search(r"a formula of \d+ parts", page.text)
    assert len(page.unfolded) < 2_000
    assert len(page.text) < 20_000


def test_a_report_of_a_large_tensor_stays_small():
    a = randn(64, 64)
    report = check((a * a).sum(), names={a: "a"})
    assert "shape (64, 64)" in repr(report)
    assert len(report._repr_html_()) - len(CARDS) < 4_000


@pytest.mark.parametrize("tex", ["x^{2}^{3}", "a_1_2", r"\alpha^{T}^2", "{x", "x}", "x^{a^b^c}"])
def test_latex_that_tex_refuses_is_noticed(tex):
    with pytest.raises(AssertionError):
        check_tex(tex)


def test_an_array_that_does_not_fit_into_a_column_of_text_is_shown_as_its_shape():
    w = leaf([0.1 * 3**k for k in range(-8, 8)])
    report = check((w.sin() * w).sum())
    *_, row = str(report).splitlines()
    assert row.split("  ")[-2].strip() == "shape (16,)"
    assert len(row) < 160
    assert "0.582121" in str(report.rows[0])  # one row alone shows them


def test_a_row_that_is_shown_alone_writes_out_the_formulas_of_a_small_matrix():
    w = graphlab.tensor([[0.5, -1.0], [2.0, 1.5]], requires_grad=True)
    lines = str(check((w.exp() * w).sum(), names={"w": w})["w"]).splitlines()
    formula, _ = " ".join(line.strip() for line in lines).split(" symbolic ")
    assert formula.endswith(", w_1_1*exp(w_1_1) + exp(w_1_1)]]")
    assert max(map(len, lines)) <= 86


def test_a_formula_that_would_be_cut_after_a_few_of_its_parts_is_counted_and_not_printed(
    monkeypatch,
):
    x = sympy.Symbol("x")
    short, long = (sympy.Add(*[sympy.sin(x + k) ** k for k in range(n)]) for n in (20, 60))
    assert formula_text(short).endswith("…")
    monkeypatch.setattr(html_elements, "plain_text", None)
    assert formula_text(long) == f"a formula of {operations(long)} parts"
    assert formula_text(sympy.Array([x, long])).endswith(" parts")


def test_a_row_reads_as_a_few_lines():
    a = graphlab.tensor(2.0, requires_grad=True)
    y = a * a
    assert repr(graphlab.check(y)["a"]) == (
        "a: ✓ proved\n  ∂y/∂a     2*a\n  symbolic  4\n  autograd  4"
    )


def test_a_long_fraction_is_shown_as_its_decimal_and_kept_exact():
    x = graphlab.tensor(2.0, requires_grad=True)
    y = x * graphlab.tensor(-2.0966608)  # no short decimal: -8794033/4194304
    report = graphlab.check(y)
    assert "∂y/∂x     -2.09666…\n" in repr(report["x"])
    assert r"\partial x} = - 2.09666\ldots$" in Tags(report._repr_html_()).text
    assert report["x"].formula == sympy.Rational(-8794033, 4194304)


def test_long_fractions_that_differ_look_different_and_short_ones_stay():
    x, third, one = sympy.Symbol("x"), sympy.Rational(1, 3), sympy.Rational(1234567, 10000019)
    shown, tex = with_decimals((one + sympy.Rational(1, 10**9)) * x - one * x**third)
    assert {str(symbol) for symbol in tex} == {"0.123456…", "0.123456466433…"}
    assert third in shown.atoms(sympy.Rational)
    assert str(with_decimals(sympy.Rational(-1, 20000) * x)[0]) == "-5e-5*x"


def test_a_row_says_how_many_entries_are_proved_and_not_how_those_were():
    graphlab.manual_seed(0)
    nn = graphlab.nn
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    loss = nn.functional.cross_entropy(
        model(graphlab.randn(5, 3)), graphlab.tensor([0, 1, 0, 1, 1])
    )
    report = graphlab.check(loss, names={model[0].bias: "bias"})
    row = report["bias"]
    assert row.verdict == "agrees"
    assert "3 of 4 entries proved" in row.note
    assert "proved on the region" not in row.note


def test_short_rows_of_a_matrix_break_only_between_each_other():
    def shown(entries):
        w = graphlab.tensor(entries, requires_grad=True)
        return check((w * w).sum())._repr_html_()

    row = '<span style="white-space:nowrap">{}</span>'.format
    assert f"{row('[[0.5, -0.25],')} {row('[3, 4]]')}</code>" in shown([[0.25, -0.125], [1.5, 2.0]])
    assert ">[[0.5, -0.25, 0.5, -0.25]]</code>" in shown([[0.25, -0.125, 0.25, -0.125]])
    assert ">3</code>" in shown(1.5)
    assert f">{row('5e-07')}</code>" in shown(2.5e-7)


def test_values_that_agree_are_shown_with_the_digits_that_the_type_knows():
    x, y = (graphlab.tensor(value, requires_grad=True) for value in (1.5, -2.0))
    f = graphlab.sin(x * y) + x**2
    (line,) = [row for row in str(graphlab.check(f)).splitlines() if row.startswith("x ")]
    assert line.count("4.98 ") == 2, line
    assert "4.98" in graphlab.check(f)._repr_html_()
    assert "4.97998" not in graphlab.check(f)._repr_html_()


def test_functions_are_written_as_in_textbooks():
    x = sympy.Symbol("x")
    of = sympy.Function("Sq_Norm")  # SymPy alone would write a norm of "Sq"
    expected = {
        of(x, 1): r"\operatorname{Sq\_Norm}\left(x, 1\right)",
        sympy.polygamma(0, x) ** 2: r"\psi\left(x\right)^{2}",
        sympy.polygamma(1, x): r"\psi^{\left(1\right)}\left(x\right)",
        sympy.loggamma(x): r"\log \Gamma\left(x\right)",
        sympy.Heaviside(x): r"\operatorname{H}\left(x\right)",
        sympy.atan(x): r"\arctan{\left(x \right)}",
        sympy.atan2(x, 2): r"\operatorname{atan2}\left(x, 2\right)",
    }
    for formula_of_x, tex in expected.items():
        assert set_by(formula_of_x, {}) == tex
        check_tex(tex)


@pytest.mark.parametrize(
    ("call", "note"),
    [
        (lambda x: graphlab.asin(x), "where 1 - x**2 > 0"),
        (lambda x: graphlab.atanh(x), "where 1 - x**2 > 0"),
        (lambda x: graphlab.acosh(x + 2), "where x + 1 > 0"),
        (lambda x: x**x, "where x > 0"),
        (lambda x: 2**x, ""),
        (lambda x: graphlab.exp(x) ** x, ""),
    ],
)
def test_the_domain_of_a_function_is_said(call, note):
    x = leaf(0.5)
    report = check(call(x), names={x: "x"})
    assert note in report["x"].note
    assert note or "where" not in report["x"].note


def test_names_of_several_letters_have_a_space_between_them():
    mass, speed, x = (leaf(value) for value in (2.0, 3.0, 1.5))
    report = graphlab.check(mass * speed * x)
    assert report["x"].latex().endswith(r"= \mathrm{mass}\;\mathrm{speed}")
    y = leaf(2.0)
    assert graphlab.check(x * y * y)["x"].latex().endswith("= y^{2}")
    assert '<mi>mass</mi><mspace width=".278em"></mspace><mi>speed</mi>' in report._repr_html_()
