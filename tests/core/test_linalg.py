"""Linear algebra where samples do not reach: free signs, singular matrices, programs of einsum.

Read next: tests/core/test_programs.py
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphlab
from graphlab.primitives.numpy_reading.matrices import lu, matrix_exp, pinv, solve_triangular
from tests.core.numerical import errors, second_order_errors
from tests.core.samples.solving import SQUARE, TALL, TWO, WIDE

each_matrix = pytest.mark.parametrize("arg", [SQUARE, TALL, WIDE, TWO], ids=lambda a: str(a.data))


def by_singular_values(t, x):
    """A function of a matrix that does not ask for the signs of its singular vectors."""
    U, S, Vh = t.linalg.svd(x, full_matrices=False)
    return (U * S.sin()[..., None, :]) @ Vh + (U * S[..., None, :]) @ (U.mT @ U) @ Vh


def by_eigenvalues(t, x):
    """The same with the eigenvectors of a symmetric matrix."""
    values, V = t.linalg.eigh(x @ x.mT)
    return (V * values.sin()[..., None, :]) @ V.mT


@pytest.mark.parametrize("function", [by_singular_values, by_eigenvalues])
@each_matrix
def test_functions_of_a_matrix_have_the_slopes_that_differences_show(function, arg):
    x = graphlab.tensor(arg.array()).requires_grad_()
    assert errors(lambda x: function(graphlab, x), [x]) == []
    if function is by_singular_values or arg is not TALL:  # a tall x xᵀ is singular
        assert second_order_errors(lambda x: function(graphlab, x), [x]) == []


@pytest.mark.torch
@pytest.mark.parametrize("function", [by_singular_values, by_eigenvalues])
@each_matrix
def test_functions_of_a_matrix_have_pytorchs_gradients(function, arg, torch):
    def found(lib):
        x = lib.tensor(arg.array()).requires_grad_()
        out = function(lib, x)
        (grad,) = lib.autograd.grad((out * out).sum(), x)
        return out.tolist(), grad.tolist()

    for ours, theirs in zip(found(graphlab), found(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10)  # a few roundings


def test_the_gradient_of_a_determinant_is_the_matrix_of_cofactors_of_a_singular_matrix_too():
    x = graphlab.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=graphlab.float64, requires_grad=True)
    (grad,) = graphlab.autograd.grad(graphlab.det(x), x, create_graph=True)
    np.testing.assert_allclose(grad.tolist(), [[4, -2], [-2, 1]], atol=1e-14)
    assert errors(graphlab.det, [x]) == []
    (second,) = graphlab.autograd.grad(grad[0, 0], x)  # ∂/∂x of the entry x₁₁
    np.testing.assert_allclose(second.tolist(), [[0, 0], [0, 1]], atol=1e-14)


def test_eigenvalues_that_are_equal_have_gradients_and_their_eigenvectors_have_none():
    x = graphlab.eye(3).requires_grad_()
    values, vectors = graphlab.linalg.eigh(x)
    (grad,) = graphlab.autograd.grad(values.sum(), x, retain_graph=True)
    assert grad.tolist() == np.eye(3).tolist()
    (grad,) = graphlab.autograd.grad(vectors.sum(), x)
    assert not np.all(np.isfinite(grad.tolist()))


@pytest.mark.parametrize(("n", "m"), [*itertools.product((1, 2, 3, 5, 8, 13), repeat=2)])
def test_lower_times_upper_is_the_matrix_with_its_rows_swapped(n, m):
    A = np.random.default_rng(n * m).normal(size=(2, n, m))
    for one, found, pivots in zip(A, *lu(A), strict=True):
        k = min(n, m)
        L, U = np.tril(found[:, :k], -1) + np.eye(n, k), np.triu(found[:k])
        swapped = one.copy()
        for i, row in enumerate(pivots - 1):
            swapped[[i, row]] = swapped[[row, i]]
        np.testing.assert_allclose(L @ U, swapped, atol=1e-14)
        assert np.all(np.abs(L) <= 1)  # each pivot was the largest of its column


def test_a_triangular_system_is_solved_without_looking_at_the_other_half():
    A = np.array([[2.0, np.nan], [1.0, 4.0]])
    X = solve_triangular(A, np.array([[2.0], [9.0]]), upper=False)
    assert X.tolist() == [[1.0], [2.0]]


def test_the_exponential_of_a_turn_turns():
    angle = 100.0
    turn = matrix_exp(np.array([[0.0, -angle], [angle, 0.0]]))
    right = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    np.testing.assert_allclose(turn, right, atol=1e-12)  # 5 squarings of a rounding


def test_small_singular_values_count_as_zero_in_a_pseudoinverse():
    A = np.diag([1.0, 1e-3, 0.0])
    assert pinv(A, rtol=1e-2).tolist() == np.diag([1.0, 0, 0]).tolist()
    np.testing.assert_allclose(pinv(A), np.diag([1.0, 1e3, 0]))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t: t.linalg.inv(t.ones(2, 2)), "linalg.inv: The diagonal element 2 is zero"),
        (
            lambda t: t.linalg.solve(t.ones(2, 2), t.ones(2)),
            "linalg.solve: The solver failed",
        ),
        (lambda t: t.linalg.cholesky(-t.eye(2)), "the leading minor of order 1 is not positive"),
    ],
)
def test_a_matrix_without_an_answer_is_a_linalg_error(call, said):
    with pytest.raises(graphlab.linalg.LinAlgError, match=said) as error:
        call(graphlab)
    assert isinstance(error.value, RuntimeError)
    assert f"{type(error.value).__module__}.{type(error.value).__name__}" == "torch._C._LinAlgError"


def equations(count):
    """Equations of einsum with random letters, sizes, repetitions and outputs."""
    source = np.random.default_rng(3)
    for _ in range(count):
        sizes = dict(zip("abcde", source.integers(1, 4, 5), strict=True))
        terms = [
            "".join(source.choice(list("abcde"), source.integers(0, 4), replace=bool(k % 2)))
            for k in range(source.integers(1, 4))
        ]
        used = sorted(set("".join(terms)))
        output = "".join(source.permutation([c for c in used if source.random() < 0.5]))
        yield f"{','.join(terms)}->{output}", [tuple(sizes[c] for c in term) for term in terms]


@pytest.mark.torch
@pytest.mark.parametrize(("equation", "shapes"), [*equations(60)])
def test_einsum_gives_pytorchs_sums_and_gradients(equation, shapes, torch):
    def found(lib):
        source = np.random.default_rng(1)
        xs = [lib.tensor(source.normal(size=s)).requires_grad_() for s in shapes]
        out = lib.einsum(equation, *xs)
        return [out, *lib.autograd.grad((out * out).sum(), xs)]

    for ours, theirs in zip(found(graphlab), found(torch), strict=True):
        assert ours.shape == tuple(theirs.shape)
        np.testing.assert_allclose(ours.tolist(), theirs.tolist(), rtol=1e-10, atol=1e-12)


def test_what_has_no_formula_says_why():
    x = graphlab.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    with pytest.raises(ValueError, match="no formula here: singular values have no formula"):
        graphlab.formula(graphlab.linalg.svdvals(x).sum())


SHAPES = [(3,), (2, 3), (3, 3), (1, 3, 3), (2, 3, 3), (2, 1, 3, 3), (0, 3), (2, 0, 3), (4, 3, 2)]


def names(fn):
    return fn and (fn.name(), *(names(f) for f, _ in fn.next_functions))


@pytest.mark.torch
@pytest.mark.parametrize(("a", "b"), [*itertools.product(SHAPES, repeat=2)])
@pytest.mark.parametrize("needs", [(True, True), (True, False), (False, True)], ids=str)
def test_matmul_is_made_of_pytorchs_operations_or_fails_with_its_words(a, b, needs, torch):
    def found(lib):
        x, y = lib.ones(a), lib.ones(b)
        x.requires_grad_(needs[0]), y.requires_grad_(needs[1])
        try:
            out = x @ y
        except RuntimeError as error:
            return str(error)
        return tuple(out.shape), names(out.grad_fn)

    assert found(graphlab) == found(torch)


LU_CALLS = {
    "a singular matrix": lambda t, A, B: t.linalg.lu_factor(t.zeros(2, 2)),
    "a singular matrix of a batch": lambda t, A, B: t.linalg.lu_factor(t.stack((A, A * 0))),
    "what is singular": lambda t, A, B: t.linalg.lu_factor_ex(t.stack((A, A * 0))).info,
    "a vector": lambda t, A, B: t.linalg.lu_factor(B[0]),
    "integers": lambda t, A, B: t.linalg.lu_factor(A.int()),
    "no row exchanges": lambda t, A, B: t.linalg.lu_factor(A, pivot=False),
    "a wide matrix": lambda t, A, B: t.linalg.lu_factor_ex(A[:2]),
    "nothing": lambda t, A, B: t.linalg.lu_factor_ex(t.ones(0, 0)),
    "few rows": lambda t, A, B: t.linalg.lu_solve(*t.linalg.lu_factor(A), B[:2]),
    "pivots of a batch": lambda t, A, B: t.linalg.lu_solve(A, t.ones(2, 3, dtype=t.int32), B),
    "long pivots": lambda t, A, B: t.linalg.lu_solve(A, t.ones(3, dtype=t.int64), B),
    "two types": lambda t, A, B: t.linalg.lu_solve(*t.linalg.lu_factor(A), B.double()),
    "a vector on the right": lambda t, A, B: t.lu_solve(B[0], *t.linalg.lu_factor(A)),
    "the old name": lambda t, A, B: t.lu_solve(B, *t.linalg.lu_factor(A)),
    "a method": lambda t, A, B: B.lu_solve(*t.linalg.lu_factor(A)),
    "lu_unpack's out": lambda t, A, B: (
        t.lu_unpack(*t.linalg.lu_factor(A), out=(A.new_empty(0), A.new_empty(0), A.new_empty(0))).L
    ),
    "out": lambda t, A, B: t.linalg.lu_factor(A, out=(A.new_empty(0), t.empty(0, dtype=t.int32)))[
        0
    ],
}


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:.*lu_solve is deprecated")
@pytest.mark.parametrize("call", LU_CALLS)
def test_lu_gives_pytorchs_factors_solutions_and_sentences(call, torch):
    told = []
    for lib in (graphlab, torch):
        A = lib.tensor([[0.5, 1.0, -2.0], [2.0, 0.25, 1.0], [1.0, 3.0, 4.0]])
        B = lib.tensor([[1.0, 2.0], [0.5, -1.0], [4.0, 0.0]])
        try:
            told.append(repr(LU_CALLS[call](lib, A, B)))
        except (RuntimeError, NotImplementedError) as error:
            told.append(f"{type(error).__name__}: {error}")
    assert told[0] == told[1]


@pytest.mark.torch
def test_the_nodes_of_lu_save_what_pytorchs_save(torch):
    def facts(node):
        saved = [name for name in dir(node) if name.startswith("_saved")]
        edges = [edge.name().rpartition("::")[2] for edge, _ in node.next_functions]
        return node.name(), {name: repr(getattr(node, name)) for name in saved}, edges

    told = []
    for lib in (graphlab, torch):
        A = lib.tensor([[0.5, 1.0], [2.0, 0.25]], requires_grad=True)
        found = lib.linalg.lu_factor(A)
        X = lib.linalg.lu_solve(*found, lib.ones(1, 2, requires_grad=True), left=False)
        told.append((facts(found.LU.grad_fn), facts(X.grad_fn), found.pivots.requires_grad))
    assert told[0] == told[1]


@pytest.mark.torch
@pytest.mark.parametrize("name", ["svd_lowrank", "pca_lowrank"])
@pytest.mark.parametrize("shape", [(20, 8), (8, 20), (2, 6, 4)])
def test_a_random_decomposition_and_its_gradient_are_pytorchs(shape, name, torch):
    data, more = np.random.default_rng(1).normal(size=shape), np.ones(shape[-1])

    def call(t):
        A = t.tensor(data, requires_grad=True)
        options = {"M": t.tensor(more)} if name == "svd_lowrank" else {}
        t.manual_seed(2)
        U, S, V = getattr(t, name)(A, q=3, **options)
        (S.sum() + ((U * S[..., None, :]) @ V.mT).sin().sum()).backward()
        return [np.array(x.tolist()) for x in (S, abs(U), abs(V), A.grad)]

    for ours, theirs in zip(call(graphlab), call(torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)  # float64, several products


@pytest.mark.torch
@pytest.mark.parametrize("options", [{"q": 5}, {"q": -1}, {"niter": -1}])
def test_a_number_of_components_out_of_range_is_refused(options, torch):
    said = []
    for t in (graphlab, torch):
        with pytest.raises(ValueError, match="must be non-negative") as caught:
            t.pca_lowrank(t.ones(3, 2), **options)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_tolerance_for_each_of_several_pseudoinverses_leaves_the_gradient_its_shape():
    A = graphlab.tensor([[2.0, 0.3], [0.3, 1.0]], requires_grad=True)
    both = graphlab.linalg.pinv(A, rtol=graphlab.tensor([0.1, 0.9]))
    assert both.shape == (2, 2, 2)
    both.sum().backward()
    alone = graphlab.tensor([[2.0, 0.3], [0.3, 1.0]], requires_grad=True)
    for rtol in (0.1, 0.9):
        graphlab.linalg.pinv(alone, rtol=rtol).sum().backward()
    assert graphlab.allclose(A.grad, alone.grad)


def test_real_eigenvalues_are_found_by_any_version_of_numpy(monkeypatch):
    eig = np.linalg.eig  # from NumPy 2.5 on, its results are always complex
    monkeypatch.setattr(np.linalg, "eig", lambda A: [x.astype(np.complex64) for x in eig(A)])
    values, vectors = graphlab.linalg.eig(graphlab.tensor([[2.0, 0.0], [1.0, 3.0]]))
    assert values.tolist() == [3.0, 2.0]
    assert (values.dtype, values.stride(), vectors.dtype) == (graphlab.float32, (1,), values.dtype)
    with pytest.raises(TypeError, match="complex eigenvalues"):
        graphlab.linalg.eigvals(graphlab.tensor([[0.0, 1.0], [-1.0, 0.0]]))


@pytest.mark.parametrize(
    "args",
    [(2, 0, 1.0), (1, -1, 0.5), (float("inf"), 1, 2.0), (2, 0, -1.0), (0, 0, 1.0), (2, 3, 1)],
)
def test_renorm_scales_long_slices_as_pytorchs_does(args, torch):
    found = []
    for t in (graphlab, torch):
        x = t.tensor([[3.0, 4.0, -1.0], [0.1, -0.2, 0.3]], requires_grad=True)
        try:
            (t.renorm(x, *args) * x.detach().exp()).sum().backward()
            found.append([x.grad.tolist(), x.detach().renorm_(*args).tolist()])
        except (IndexError, RuntimeError) as error:
            found.append([str(error), ""])
        with pytest.raises(RuntimeError, match="renorm: input needs at least 2 dimensions, got 1"):
            t.renorm(t.ones(3), 2, 0, 1)
    for ours, theirs in zip(*found, strict=True):
        assert ours == theirs if isinstance(theirs, str) else np.allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("size", [(0, 0), (3, 0, 0), (0, 2, 2), (0, 3)])
def test_an_empty_matrix_has_rank_0_whatever_the_tolerance(size, torch):
    for tolerance in ({"atol": 0}, {"atol": 3}, {"rtol": 1}):
        options = [{k: t.ones(n) for k, n in tolerance.items()} for t in (graphlab, torch)]
        ours = graphlab.linalg.matrix_rank(graphlab.zeros(size), **options[0])
        theirs = torch.linalg.matrix_rank(torch.zeros(size), **options[1])
        assert (ours.tolist(), ours.shape) == (theirs.tolist(), theirs.shape)
