"""check() of PyTorch's passes: right ones are never doubted, wrong ones are found.

Read next: tests/pytorch_graphs/test_recording.py
"""

from __future__ import annotations

import pytest

import graphlab
from graphlab.adapters.pytorch import rehearsed_pass
from tests.beside_pytorch.compare import roots
from tests.beside_pytorch.programs import FAMILIES
from tests.pytorch_graphs.models import MODELS

pytestmark = pytest.mark.torch

NOT_WHOLLY_TRIED = {  # models with nodes that GraphLab has no rule for
    "lstm",
    "written_in_parts",
    "complex_numbers",
    "half_precision",
}


@pytest.mark.parametrize("name", MODELS)
def test_no_step_of_a_right_pass_differs(torch, name):
    torch.manual_seed(0)
    report = graphlab.check(MODELS[name](torch))
    assert report.differs == []
    assert report.worst < 32
    assert {row.verdict for row in report} <= {"equal", "not tried"}
    assert bool(report.not_tried) <= (name in NOT_WHOLLY_TRIED)
    assert repr(report)
    assert report._repr_html_()


def test_a_gradient_of_a_type_that_numpy_lacks_is_shown_as_numbers(torch):
    w = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    report = graphlab.check((w * w).sum())
    assert "[2, 4]" in repr(report)
    assert report["w"].value.tolist() == [2.0, 4.0]


def test_a_report_is_true_if_it_is_ok_and_its_rows_are_short(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 3 * grad * ctx.saved_tensors[0]

    w = torch.tensor(2.0, requires_grad=True)
    right, wrong = graphlab.check(w * w), graphlab.check(Wrong.apply(w))
    assert (right.ok, bool(right), right["w"].ok) == (True, True, True)
    assert (wrong.ok, bool(wrong), wrong["w"].ok) == (False, False, False)
    assert repr(wrong["w"]) == "w: ✗ the step WrongBackward (n0) on its path differs\n  PyTorch  6"
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    assert len(repr(graphlab.check(net(torch.ones(1, 3)).sum())["0.weight"])) < 200


def test_a_sparse_or_complex_gradient_is_not_said_to_differ(torch):
    table = torch.nn.Embedding(3, 2, sparse=True)
    sparse = graphlab.check(table(torch.tensor([1])).sum())["table.weight"]
    assert (sparse.verdict, "differs" in sparse.sentence) == ("not tried", False)
    z = torch.tensor([1 + 2j], requires_grad=True)
    assert graphlab.check((z * z).abs().sum())["z"].verdict == "not tried"


def test_an_input_that_pytorchs_node_does_not_keep_is_named(torch):
    x, target = torch.randn(3, requires_grad=True), torch.tensor([1, 0, -1])
    (step,) = graphlab.check(torch.nn.MultiLabelMarginLoss()(x, target)).not_tried
    assert step.why == "PyTorch's node does not keep times"


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (lambda nn: nn.LayerNorm(4), (3, 4)),
        (lambda nn: nn.LayerNorm(2), (3, 2)),
        (lambda nn: nn.LayerNorm(1), (3, 1)),
        (lambda nn: nn.BatchNorm1d(3), (2, 3)),
        (lambda nn: nn.GroupNorm(2, 4), (2, 4)),
        (lambda nn: nn.GroupNorm(4, 4), (2, 4)),
    ],
)
@pytest.mark.parametrize("loss_of", [lambda y: y.sum(), lambda y: (y**2).mean()])
def test_a_gradient_that_is_zero_but_for_rounding_does_not_differ(torch, layer, shape, loss_of):
    for seed in range(8):
        torch.manual_seed(seed)
        x = torch.randn(shape, requires_grad=True)
        report = graphlab.check(loss_of(layer(torch.nn)(x)))
        assert report.differs == []
        assert [row.name for row in report if row.verdict == "differs"] == []


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "hooks"])
def test_nor_does_one_of_the_small_programs(torch, family):
    apart = []
    for program in FAMILIES[family].splitlines():
        report = graphlab.check((root := roots(torch, program))[0], gradient=root[1])
        apart += [(program, row) for row in report.differs]
        apart += [(program, row) for row in report if row.verdict == "differs"]
        apart += [(program, row) for row in report if "changed" in row.sentence]
    assert apart == []


@pytest.mark.parametrize("name", sorted({*MODELS} - NOT_WHOLLY_TRIED - {"custom_function"}))
@pytest.mark.parametrize("wrong", [1.001, 0.999])
def test_a_step_that_is_off_by_a_permille_is_found(torch, monkeypatch, name, wrong):
    torch.manual_seed(0)
    loss = MODELS[name](torch)
    nodes = [
        node for node in rehearsed_pass.engine_order([engine_root(loss)]) if node.next_functions
    ]
    planted = [nodes[k] for k in {0, len(nodes) // 2, len(nodes) - 1}]
    real = rehearsed_pass.applied

    def off(node, grads):
        shares = real(node, grads)
        return [s * wrong if node in planted and s is not None else s for s in shares]

    monkeypatch.setattr(rehearsed_pass, "applied", off)
    report = graphlab.check(loss)
    zero = {row.node for row in report.steps if row.eps == float("inf")}
    assert zero == set()
    found = {row.name for row in report.differs}
    sent = [n for n in planted if any(real_grad_is_not_zero(torch, loss, n))]
    assert {node.name() for node in sent} <= found
    assert any(row.verdict == "differs" for row in report)


def engine_root(loss):
    from graphlab.adapters.pytorch.accessors import root_of

    return root_of(loss)


def real_grad_is_not_zero(torch, loss, node):
    """Whether what a node sends is more than rounding: a bias before a norm gets none."""
    edges = [torch.autograd.graph.GradientEdge(*edge) for edge in node.next_functions if edge[0]]
    grads = torch.autograd.grad(loss, edges, retain_graph=True, allow_unused=True)
    return [grad is not None and bool(grad.abs().max() > 1e-4) for grad in grads]


def test_the_whole_formula_is_proved_where_it_is_small(torch):
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 10.0))
    e = a * b + torch.log(d) * a
    report = graphlab.check(e)
    assert [(row.name, str(row.formula), row.proved) for row in report] == [
        ("d", "a/d", True), ("a", "b + log(d)", True), ("b", "a", True),
    ]  # fmt: skip
    assert report["b"].value == 2.0
    said = " ".join(repr(report).split())
    assert "the whole formula's derivative is proved; PyTorch's number equals it" in said
    assert "∂e/∂" in said
    with pytest.raises(KeyError, match="no leaf of this check is called 'z'; it has d, a, b"):
        report["z"]


def test_a_large_graph_never_says_that_pytorch_is_proved(torch):
    torch.manual_seed(0)
    report = graphlab.check(MODELS["small_gpt"](torch))
    assert {row.sentence for row in report} == {"each step on its path equals the rule's number"}
    assert not any(row.proved for row in report)
    assert report.lines[0].startswith(f"{len(report.steps)} of {len(report.steps)} steps")
    assert "; the largest difference is 0." in report.lines[0]
    assert (
        " times the expected rounding error; all of them by rules that are proved."
        in report.lines[0]
    )
    assert "∂" not in repr(report)  # there is no column for formulas without one
    assert "∂" not in report._repr_html_()


def functions(torch):
    class Cube(torch.autograd.Function):
        factor = 3

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @classmethod
        def backward(cls, ctx, grad):
            (x,) = ctx.saved_tensors
            return cls.factor * x**2 * grad

    class Wrong(Cube):
        factor = 2

    return Cube, Wrong


def test_a_function_of_the_users_is_tried_by_itself(torch):
    right, wrong = functions(torch)
    x = torch.randn(3, requires_grad=True)
    report = graphlab.check((right.apply(x) * 2).sum())
    assert "✓ CubeBackward: gradcheck agrees with its backward." in report.lines
    report = graphlab.check(right.apply(torch.exp(x)).sum())  # whose input it alone has saved
    assert "✓ CubeBackward: gradcheck agrees with its backward." in report.lines
    report = graphlab.check((wrong.apply(x) * 2).sum())
    (row,) = report.differs
    assert row.name == "WrongBackward"
    assert "Jacobian mismatch" in row.why
    assert report["x"].verdict == "differs"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("h = x * 3; y = h * h; h.data.mul_(2)", "the derivative is 36; "),
        ("h = x.exp(); y = h * 3; h.data.mul_(2)", "the derivative is 22.1672; "),
        ("h = x.exp(); y = h.sum(); h.data.mul_(2)", "the derivative is 7.38906; "),
    ],
)
def test_a_saved_tensor_that_was_changed_behind_pytorchs_back_is_found(torch, program, told):
    x = torch.tensor(2.0, requires_grad=True)
    exec(program, variables := {"x": x})
    row = graphlab.check(variables["y"])["x"]
    assert row.verdict == "differs"
    assert row.sentence.startswith(told)
    assert "a saved tensor was changed without autograd's knowledge" in row.sentence


def test_so_is_one_that_was_changed_before_the_loss_was_computed(torch):
    a = torch.tensor([2.0, 0.3], requires_grad=True)
    b = torch.tensor([0.4, 0.5], requires_grad=True)
    y = (a * b).exp()
    y.data.mul_(2)  # exp keeps its result, which is no exponential any more
    report = graphlab.check(y.sum())
    assert [row.verdict for row in report] == ["not tried", "not tried"]
    assert "but its result is 6.77475" in report["a"].sentence


def test_a_leaf_that_was_changed_after_the_forward_pass_is_told(torch):
    x, w = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0))
    y = x * w
    w.data.fill_(5.0)
    row = graphlab.check(y)["x"]
    assert row.verdict == "not tried"
    assert row.sentence == (
        "the graph now gives 10, but its result is 6: a tensor was changed after the graph was made"
    )


def test_what_a_check_of_pytorchs_does_not_take_is_refused(torch):
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="takes no at="):
        graphlab.check(x.sum(), at={"x": 2.0})
    with pytest.raises(RuntimeError, match="does not require grad"):
        graphlab.check(torch.ones(2).sum())


def test_one_tensor_alone_can_be_asked_for(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    loss = (x * w).sum()
    assert [row.name for row in graphlab.check(loss, wrt=w)] == ["w"]
    assert [row.name for row in graphlab.check(loss, [x])] == ["x"]
    assert [row.name for row in graphlab.check(loss, ["w", x])] == ["x", "w"]
    with pytest.raises(ValueError, match=r"got str 'z'; .* or their names, of \['x', 'w'\]"):
        graphlab.check(loss, wrt="z")


def test_nan_at_a_corner_is_not_said_to_equal_a_derivative(torch):
    x = torch.zeros(2, requires_grad=True)
    report = graphlab.check((x**2).sum().sqrt())
    assert "derivative" not in str(report)
    assert "each step on its path equals the rule's number" in str(report)


def product(torch, backward):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return backward(grad, *ctx.saved_tensors)

    return Product


def test_a_function_that_is_right_at_its_inputs_alone_differs(torch):
    x, y = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    swapped = product(torch, lambda grad, x, y: (grad * x, grad * y))
    report = graphlab.check(swapped.apply(x, y))
    assert not report.ok
    assert all(row.why.startswith("at other values, Jacobian mismatch") for row in report.differs)
    assert len(report.differs) == 2
    right = graphlab.check(product(torch, lambda g, x, y: (g * y, g * x)).apply(x, y))
    assert right.ok
    assert "equals the rule's number or passes gradcheck" in right["x"].sentence
    assert right.lines[0] == "0 of 2 steps: PyTorch's number equals the rule's."


def test_a_function_that_is_right_at_zero_alone_differs(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 0

    for entries in ([0.0], [0.0, 0.0]):
        x = torch.tensor(entries, requires_grad=True)
        report = graphlab.check(Square.apply(x).sum())
        assert report["x"].verdict == "differs"
        assert report.differs[0].why.startswith("at other values, ")


def test_each_gradient_of_a_function_is_tried_also_one_that_is_none(torch):
    x, y = (
        torch.tensor([2.0, 3.0], requires_grad=True),
        torch.tensor([5.0, 7.0], requires_grad=True),
    )
    forgotten = product(torch, lambda grad, x, y: (grad * y, None))
    report = graphlab.check(forgotten.apply(x, y).sum())
    assert report["x"].ok
    assert not report["y"].ok
    (row,) = report.differs
    assert (row.input, "Jacobian mismatch" in row.why) == ("input 1", True)


def test_a_function_may_refuse_other_values(torch):
    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if x.max() > 2.1:
                raise ValueError("too large")
            return x / 2

        @staticmethod
        def backward(ctx, grad):
            return grad / 2

    assert graphlab.check(Half.apply(torch.tensor(2.0, requires_grad=True))).ok
