"""Formulas in MathML say what their LaTeX says, and LaTeX that is not known is refused.

Read next: graphlab/faces/symbolic/mathml.py
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import graphlab
from graphlab.faces.symbolic.html_elements import mathematics
from graphlab.faces.symbolic.mathml import mathml


def said(tex: str) -> str:
    """The text in the MathML of a formula."""
    return "".join(ET.fromstring(mathml(tex)).itertext())


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\frac{\partial e}{\partial d} = \frac{c}{d}", "∂e∂d=cd"),
        (r"- \theta^{2} \cdot 1.5", "−θ2·1.5"),
        (r"\sqrt[3]{x_{1}^{2}}", "x123"),
        (r"\left[\begin{matrix}1 & 2\\3 & 4\end{matrix}\right]", "[1234]"),
        (
            r"\begin{cases} 1 & \text{for}\: a > 1 \\0 & \text{other wise} \end{cases}",
            "{1fora>10other wise",
        ),
        (
            r"\mathrm{long\_name} \mathtt{W@x} \operatorname{atan}_{2}{\left(a,b \right)}",
            "long_nameW@xatan2(a,b)",
        ),
        (r"W^{\mathsf{T}}\,\mathbf{1}", "WT1"),
    ],
)
def test_what_is_written_in_latex_is_written_in_mathml(tex, text):
    assert said(tex) == text


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}", "x}", "{x", r"\text{", r"\frac{a}", "a_", "a_{1}_",
        r"\left(x", r"\begin{matrix}1", r"\text{a{b}}", "$x$", "{" * 5000 + "}" * 5000,
    ],
)  # fmt: skip
def test_latex_that_is_not_known_is_refused_and_shown_as_latex_alone(tex):
    with pytest.raises(ValueError, match="MathML"):
        mathml(tex)
    assert "<math" not in mathematics(tex)


def test_names_are_escaped():
    assert said(r"\mathtt{<img src=x>}") == "<img src=x>"
    assert "<img" not in mathml(r"\mathtt{<img src=x>}")


def test_every_formula_of_a_report_has_its_mathml():
    x = graphlab.tensor([0.1, 0.2, 0.3], requires_grad=True)
    a = graphlab.tensor(2.0, requires_grad=True)
    y = graphlab.softmax(x * a, 0)[0] * graphlab.where(a > 1, a**2, graphlab.log(a))
    page = graphlab.check(y)._repr_html_()
    assert page.count("<math") == page.count("$\\displaystyle")
    assert page.count("<style>") == 1
