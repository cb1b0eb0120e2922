"""Every primitive has its three readings, and they agree; every rule is written in primitives.

Read next: graphlab/primitives/table.py
"""

from __future__ import annotations

import builtins
import dis
import io
import math
import pdb
import sys
import types
from collections import Counter
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from graphlab.faces.symbolic.mp_arithmetic import MpArithmetic
from graphlab.ops import registry
from graphlab.primitives import rebind, table, tensor_namespace
from graphlab.primitives.sympy_reading import FILES, exact_primitives
from graphlab.primitives.table import FAMILIES, numpy_functions, numpy_primitives
from graphlab.primitives.tape_reading import NotTaped, Ref, Tape, tape_reading
from graphlab.tensor.tensor import Tensor, wrap
from tests.core.samples import SAMPLES  # loads every operation  # noqa: F401

OF_ARRAYS = numpy_primitives()
OF_TENSORS = tensor_namespace()
PYTHONS_OWN = {"__builtins__"}  # a debugger that stops in a rule needs them
OF_NUMBERS = exact_primitives(MpArithmetic())
each_op = pytest.mark.parametrize("name", sorted(registry))


def named(*kinds: str) -> set[str]:
    """The primitives of these kinds."""
    lists = [getattr(family, kind) for family in FAMILIES.values() for kind in kinds]
    return set(" ".join(lists).split())


# -- the table is complete --------------------------------------------------------------------


def test_a_primitive_stands_once_in_the_table():
    count = Counter(" ".join(kind for family in FAMILIES.values() for kind in family).split())
    assert [name for name, n in count.items() if n > 1] == []


def test_every_primitive_has_all_readings_that_the_table_says():
    assert set(OF_ARRAYS) == named(*table.Family._fields)
    assert set(OF_NUMBERS) - PYTHONS_OWN == set(OF_ARRAYS)
    assert set(OF_TENSORS) - PYTHONS_OWN == set(OF_ARRAYS) - named("forward_only")


def test_the_tape_has_every_primitive_and_notes_those_that_compute():
    """What is composed or shared is written in the others, so it leaves their steps."""
    reading = tape_reading()
    assert set(reading) - PYTHONS_OWN == set(OF_ARRAYS)
    for name in named("own", "forward_only"):
        assert reading[name] is not OF_ARRAYS[name] or not callable(OF_ARRAYS[name]), name


def test_a_family_has_its_file_of_numpy_functions():
    folder = Path(table.__file__).parent / "numpy_reading"
    helpers = {"__init__", "sums"}
    assert set(FAMILIES) == {path.stem for path in folder.glob("*.py")} - helpers


def test_the_files_of_the_sympy_reading_have_each_primitive_once_and_no_others():
    made = Counter(name for f in FILES for name in f.reading(MpArithmetic(), OF_NUMBERS))
    assert made == Counter(named("own", "forward_only"))


def test_what_has_no_tensor_reading_is_named_by_forwards_alone():
    composed = {name: f for name, f in numpy_functions("composed")}
    rules = [rule for op in registry.values() for rule in op.rules.values()]
    for formula in (*rules, *composed.values()):
        assert not names_in(formula) & named("forward_only"), formula.__qualname__


def test_what_only_forwards_name_is_named_by_one():
    forwards = {name for op in registry.values() for name in names_in(op.forward)}
    assert named("forward_only") <= forwards


# -- rules are written in primitives ----------------------------------------------------------

# what Python itself gives a formula: no mathematics
PYTHON = {"enumerate", "isinstance", "len", "range", "slice", "tuple", "zip"}


def names_in(function: types.FunctionType) -> set[str]:
    """The free names in the code of a function and of the functions inside it."""
    codes, found = [function.__code__], set()
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        found |= {i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"}
    return found


@each_op
def test_a_rule_is_written_in_primitives_that_tensors_have(name):
    for rule in registry[name].rules.values():
        missing = names_in(rule) - set(OF_TENSORS) - PYTHON
        assert not missing, f"{rule.__qualname__} calls {sorted(missing)}, unknown to tensors"


@each_op
def test_a_formula_is_written_in_primitives(name):
    op = registry[name]
    for formula in (op.forward, *op.rules.values()):
        missing = names_in(formula) - set(OF_ARRAYS) - PYTHON - {"NotImplementedError"}
        assert not missing, f"{formula.__qualname__} calls {sorted(missing)}, no primitives"


@pytest.mark.parametrize("name", sorted(named("composed")))
def test_a_composed_primitive_is_written_in_primitives(name):
    assert not names_in(OF_ARRAYS[name]) - set(OF_TENSORS) - PYTHON


@each_op
def test_a_name_in_a_formula_means_the_primitive(name):
    """`sum` and `abs` are Python's as well: a rule must mean the primitive, and the same one."""
    op = registry[name]
    for formula in (op.forward, *op.rules.values()):
        for primitive in names_in(formula) & set(OF_ARRAYS):
            meant = formula.__globals__.get(primitive, getattr(builtins, primitive, None))
            assert meant is OF_ARRAYS[primitive], f"{formula.__qualname__}: {primitive}"


def test_rebinding_changes_the_meaning_of_names_and_nothing_else():
    def formula(x, y=2, *, scale=10):
        return exp(x) * y * scale  # noqa: F821

    assert rebind(formula, {"exp": lambda x: x + 1})(1) == 40
    assert rebind(formula, types.MappingProxyType({"exp": abs}))(-1, 3, scale=1) == 3


def test_a_breakpoint_stops_in_a_rebound_rule():
    def formula(x):
        breakpoint()
        return double(x)  # noqa: F821

    bound = rebind(formula, {"double": lambda x: 2 * x})
    debugger = pdb.Pdb(stdin=io.StringIO("p x\ncontinue\n"), stdout=(said := io.StringIO()))
    before, sys.breakpointhook = sys.breakpointhook, debugger.set_trace
    try:
        assert bound(21) == 42
    finally:
        sys.breakpointhook = before
    assert "(Pdb) 21" in said.getvalue()


# -- the readings agree -----------------------------------------------------------------------


class Fixed(NamedTuple):
    """Numbers that depend on sizes alone, in every reading an array."""

    array: np.ndarray


X = np.array([[0.3, -0.7, 0.5], [0.9, 0.2, -0.4]])
Y = np.array([[0.6, 0.1, -0.8], [-0.2, 0.7, 0.45]])
P, Q = np.abs(X), np.abs(Y)
A = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.1]])
IMAGE = np.sin(np.arange(32.0)).reshape(1, 2, 4, 4)
AT, J = np.array([[0, 2], [1, 1]]), np.array([0, 1])
GRID = np.array([[[[-0.3, 0.2], [0.7, -0.6]]]])
PLACES, WEIGHTS = Fixed(np.array([[0, 1], [1, 2]])), Fixed(np.array([[0.75, 0.25], [0.5, 0.5]]))
PIXELS, INSIDE = Fixed(np.array([[[3, 5]]])), Fixed(np.array([[[True, False]]]))
MASK = X > 0

ONE = "exp sin cos tanh sinh cosh abs sign floor trunc sigmoid softplus expm1 exp2 erf erfc erfinv "
ONE += "tan asin acos atan asinh ceil round zeros_like ones_like copy in_order sum "
ONE += "amax amin isfinite isnan"
POSITIVE = (
    "i0 i0e i1 i1e log log1p sqrt digamma log2 log10 lgamma erfcx log_ndtr ndtri atanh mean prod"
)
TWO = "eq gt ge le lt maximum minimum fmax fmin copysign atan2 hypot logaddexp logaddexp2 same"
ABOVE_0 = "xlogy xlog1py remainder fmod divide_down divide_to_zero power"
SIX = ((2,), (3,), (1,), (0,), (1,))  # kernel, places, stride, padding, dilation

CALLS = {  # name: arguments
    **{name: (X,) for name in ONE.split()},
    **{name: (P,) for name in POSITIVE.split()},
    **{name: (X, Y) for name in TWO.split()},
    **{name: (P, Q) for name in ABOVE_0.split()},
    "acosh": (1 + P,),
    "polygamma": (2, P),
    "igamma": (P, Q),
    "igammac": (P, Q),
    "where": (MASK, X, Y),
    "unless": (MASK, X),
    "heaviside": (X, Y),
    "lerp": (X, Y, Q),
    "nan_to_num": (X, 0.0, None, None),
    "astype": (X, np.dtype(np.float64)),
    "constant": (Fixed(np.array([1.0, 2.0])), X),
    "zeros_beside": ((2, 2), X),
    "size": (X,),
    "cat": ((X, Y), 1),
    "stack": ((X, Y), 1),
    "expand": (X[:1], (2, 3)),
    "sum_to": (X, (1, 3)),
    "restore_dims": (X[0], (2, 3), (0,), False),
    "flip": (X, (1,)),
    "roll": (X, (1,), (1,)),
    "rot90": (X, 1, (0, 1)),
    "permute": (X, (1, 0)),
    "transpose": (X, 0, 1),
    "reshape": (X, (3, 2)),
    "squeeze": (X[:1], 0),
    "unsqueeze": (X, 1),
    "tile": (X, (2, 1)),
    "tril": (X, 0),
    "triu": (X, 1),
    "cumsum": (X, 1),
    "cumprod": (X, 1),
    "logcumsumexp": (X, 1),
    "others": (X, 1),
    "reduce": (X, 1),
    "unreduce": (X[0, 0], (2, 3), 1),
    "argmax": (X, 1),
    "argmin": (X, 1),
    "argsort": (X, 1, True),
    "kth_places": (X, 1, 1),
    "top_places": (X, 1, 2),
    "median_places": (X, 1, False),
    "mode_places": (X, 1),
    "running_places": (X, 1, 1),
    "at_dim": (1, J, (2, 3)),
    "select": (X, 1, 2),
    "slice_": (X, 1, 0, 3, 2),
    "put_slice": (X, (2, 6), 1, slice(0, 6, 2)),
    "unbind": (X, 0),
    "take": (X, (None, J)),
    "put": (X, (None, J), Y[:, :2]),
    "put_at": (X[:, :2], (2, 3), (None, J)),
    "gather": (X, 1, AT),
    "scatter": (X, 1, AT[:, :1], Y[:, :1]),
    "put_along": (Y[:, :2], (2, 3), 1, AT),
    "combine_along": (X, 1, AT, Y[:, :2], "mean", True),
    "diagonal": (A, 1, 0, 1),
    "put_diagonal": (X[0], (3, 3), 0, 0, 1),
    "unfold": (X, 1, 2, 1),
    "put_unfold": (np.ones((2, 2, 2)), (2, 3), 1, 2, 1),
    "as_strided": (X, (2, 2), (3, 2), (6, 0, (2, 3), (3, 1), 0, None)),
    "matmul": (X, A),
    "mT": (X,),
    "eye_like": (A,),
    "cross": (X, Y, 1),
    "trilinear": (X, Y, X, (), (), (), (1,)),
    "inv": (A,),
    "pinv": (A,),
    "det": (A,),
    "slogdet": (A,),
    "cofactors": (A,),
    "solve": (A, A.T[:, :2]),
    "solve_triangular": (np.triu(A), A, True),
    "cholesky": (A,),
    "eigh": (A,),
    "lu": (A,),
    "lu_solved": (A, np.array([3, 2, 3]), A, True),
    "qr": (A,),
    "svd": (A,),
    "matrix_exp": (A,),
    "p_norm": (X, 3, (1,), False),
    "p_norm_slope": (X, P.sum(1, keepdims=True), 3, (1,)),
    "pairwise_slopes": (A[:2, :2], X, Y, 1 + A[:2, :2] ** 2, 3),
    "windows": (IMAGE[0, :1, :1], *SIX),
    "add_windows": (np.ones((1, 2, 3)), (4,), *SIX),
    "convolve": (IMAGE[0], IMAGE[0, :, :, :2], *SIX[1:], 1),
    "largest": (IMAGE[0], (PLACES, PLACES)),
    "pick": (X, AT, 1),
    "put_picked": (Y[:, :2], (2, 3), AT, 1),
    "set_picked": (Y[:, :1], (2, 3), AT[:, :1], 1),
    "window_sums": (X, (2,), (2,), (1,), (0,)),
    "add_window_sums": (X[:, :2], (2, 3), (2,), (1,), (0,)),
    "constant_pad": (X, (1, -1), 7.0),
    "resample": (X, 1, PLACES, WEIGHTS),
    "resample_back": (X[:, :2], 3, 1, PLACES, WEIGHTS),
    "resampled": (X, ((1, PLACES, WEIGHTS),)),
    "resampled_back": (X[:, :2], (2, 3), ((1, PLACES, WEIGHTS),)),
    "shuffled": (IMAGE.reshape(1, 8, 2, 2), 2),
    "unshuffled": (IMAGE, 2),
    "mixed": (IMAGE, 2),
    "largest_in_bags": (X, np.array([0, 1]), np.array([0, 0]), 2),
    "safe_softmax": (X, 1),
    "scale_of": (X, None),
    "attention_scores": (X, Y, None, False, None),
    "lengths": (X, 0),
    "mean_of": (X, (1,)),
    "rstd_of": (X, (1,), 0.1),
    "standardized": (X, (1,), 0.1),
    "standardized_back": (Y, X, (1,), 0.1),
    "over_channels": (J, IMAGE),
    "raw_entries": (X,),
    "corners": (GRID, (4, 4), 0, 0, False),
    "grid_values": (IMAGE, PIXELS, INSIDE),
    "put_grid_values": (IMAGE[:, :, 0, :2], IMAGE.shape, PIXELS, INSIDE),
}
CALLED_BY_RULES = {"convolve_transposed", "correlate"}  # each is the gradient of `convolve`
CONSTANTS = {"ln_2", "ln_10", "pi", "root_2", "root_pi", "trillionth"}


def given(x, one):
    """An argument with `one` applied to its arrays; Fixed ones stay arrays in every reading."""
    if isinstance(x, Fixed):
        return x.array
    if isinstance(x, tuple):
        return tuple(given(part, one) for part in x)
    return one(x) if isinstance(x, np.ndarray | np.floating) else x


def numbers(x):
    """Floats as numbers of 50 digits; indices and masks stay."""
    return np.frompyfunc(MpArithmetic().number, 1, 1)(x) if x.dtype.kind == "f" else x


def called(reading, name, one):
    """The numbers that a primitive returns."""
    return flat(reading[name](*given(CALLS[name], one)))


def flat(x):
    """The numbers of a result of any reading, in one row."""
    if isinstance(x, tuple | list):
        return [n for part in x for n in flat(part)]
    if x is None or isinstance(x, slice):
        return []
    if isinstance(x, Tensor):
        x = x._data
    return [float(getattr(n, "weight", n)) for n in np.asarray(x).ravel()]


def test_the_readings_of_every_own_or_composed_primitive_are_compared():
    assert set(CALLS) == named("own", "forward_only", "composed") - CONSTANTS - CALLED_BY_RULES


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_readings_of_a_primitive_agree(name):
    expected = pytest.approx(called(OF_ARRAYS, name, lambda x: x), rel=1e-12, abs=1e-14)
    assert called(OF_NUMBERS, name, numbers) == expected
    if name in OF_TENSORS:
        assert called(OF_TENSORS, name, lambda x: wrap(x, False, None)) == expected


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_the_readings_of_a_constant_agree(name):
    assert float(OF_NUMBERS[name]) == pytest.approx(OF_ARRAYS[name], rel=1e-6)  # float32's 1e-12
    assert OF_TENSORS[name] == OF_ARRAYS[name]


# -- the tape -----------------------------------------------------------------------------------


def taped(formula, *values):
    tape = Tape()
    terms = [tape.term(Ref("x", i), np.asarray(x)[()]) for i, x in enumerate(values)]
    return tape.steps_to([formula(*terms)])


SIZES = ((), (5,), (0, 3), (3, 0), (40, 3), (40, 20), (2, 3, 4), (2, 3, 4, 5))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_quick_sums_and_extremes_of_rows_and_channels_are_those_of_numpy(size):
    x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
    dims = [(d,) for d in range(-len(size), len(size))] + [(0, *range(2, len(size)))] * bool(size)
    for array in (x, x.T.copy().T):
        for dim, keepdim in product(dims or [(-1,)], (False, True)):
            wanted = np.add.reduce(x, dim if size else None, keepdims=keepdim)
            found = OF_ARRAYS["sum"](array, dim, keepdim)
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)  # another order
            assert (np.shape(found), found.dtype) == (np.shape(wanted), wanted.dtype)
            if x.size:
                wanted = np.maximum.reduce(x, dim if size else None, keepdims=keepdim)
                np.testing.assert_array_equal(OF_ARRAYS["amax"](array, dim, keepdim), wanted)


def test_a_row_with_a_nan_has_no_largest_entry():
    x = np.zeros((40, 20), np.float32)
    x[3, 4] = np.nan
    assert np.flatnonzero(np.isnan(OF_ARRAYS["amax"](x, (1,)))).tolist() == [3]


@pytest.mark.parametrize("size", [(5,), (5, 3), (5, 2, 3)], ids=str)
@pytest.mark.parametrize("shape", [(), (9,), (2, 3), (0,)], ids=str)
def test_rows_are_added_where_an_index_from_either_end_says(size, shape):
    rng = np.random.default_rng(0)
    index, values = rng.integers(-5, 5, shape), rng.standard_normal((*shape, *size[1:]))
    wanted = np.zeros(size)
    np.add.at(wanted, index, values)
    found = OF_ARRAYS["put_at"](values, size, (np.asarray(index),))
    np.testing.assert_array_equal(found, wanted)


def test_where_keeps_the_bits_of_large_arrays():
    x, y = np.full((2, 5000), np.nan, np.float32)
    y[:] = -0.0
    mask = np.random.default_rng(0).random(5000) > 0.5
    found = OF_ARRAYS["where"](mask, x, y)
    assert found.tobytes() == np.where(mask, x, y).tobytes()


def test_erf_of_float32_has_all_digits_but_the_last():
    x = np.concatenate([np.linspace(-6, 6, 2001), np.geomspace(1e-30, 1, 500)]).astype(np.float32)
    wanted = np.array([math.erf(one) for one in x])
    found = OF_ARRAYS["erf"](x)
    np.testing.assert_allclose(found, wanted, rtol=2e-7)  # two units in the last of 24 bits
    ends = OF_ARRAYS["erf"](np.array([-np.inf, np.inf, np.nan], np.float32))
    np.testing.assert_array_equal(ends, [-1, 1, np.nan])


def test_sigmoid_of_large_numbers_is_that_of_pytorch():
    x = np.array([-np.inf, -200, -80, 80, np.inf], np.float32)
    with np.errstate(all="ignore"):
        found = OF_ARRAYS["sigmoid"](x)
    np.testing.assert_allclose(found, [0, 0, 1.8048513e-35, 1, 1], rtol=1e-6)  # recorded


def test_a_step_is_noted_once_and_what_leads_nowhere_is_left_out():
    exp, size = tape_reading()["exp"], tape_reading()["size"]

    def formula(x):
        exp(x * 3)
        assert size(x) == (2,)
        return exp(x) * exp(x) + 1

    steps, results = taped(formula, [1.0, 2.0])
    assert [(step.name, *step.args) for step in steps] == [
        ("exp", Ref("x", 0)),
        ("mul", Ref("s", 0), Ref("s", 0)),
        ("add", Ref("s", 1), 1),
    ]
    assert results == (Ref("s", 2),)


def test_what_no_variable_takes_part_in_is_a_constant():
    exp = tape_reading()["exp"]
    steps, _ = taped(lambda x: x * exp(np.float64(0.0)), 2.0)
    assert [(step.name, *step.args) for step in steps] == [("mul", Ref("x", 0), 1.0)]


def test_constants_that_only_look_equal_are_told_apart():
    steps, _ = taped(lambda x: x * 0.0 + x * -0.0 + x * True + x * 1 + x * 1.0, 2.0)
    assert sum(step.name == "mul" for step in steps) == 5


def test_an_array_on_the_left_leaves_the_step_to_the_tape():
    steps, _ = taped(lambda x: np.array([1.0, 2.0]) - x, [3.0, 4.0])
    assert [step.name for step in steps] == ["sub"]


def test_several_results_are_parts_of_one_step():
    unbind = tape_reading()["unbind"]
    steps, results = taped(lambda x: unbind(x, 0)[1], [3.0, 4.0])
    assert len(steps) == 1
    assert results == (Ref("s", 0, 1),)


@pytest.mark.parametrize(
    "look",
    [bool, int, float, lambda x: x or 1, lambda x: [1, 2][x], np.asarray, lambda x: np.exp(x)],
)
def test_a_formula_that_looks_at_values_is_not_taped(look):
    with pytest.raises((NotTaped, TypeError)):
        taped(lambda x: x * look(x), 2.0)
