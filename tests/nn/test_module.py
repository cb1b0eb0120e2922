"""A module registers, walks, shows, saves and hooks as PyTorch's does.

Read next: tests/nn/test_init.py
"""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections import OrderedDict

import pytest

import graphlab
from graphlab import nn


def net(lib):
    """A model with everything in it: children, a list, a shared module, buffers, a tied weight."""

    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = lib.nn.Linear(2, 4)
            self.rest = lib.nn.Sequential(lib.nn.Linear(4, 4), lib.nn.Tanh())
            self.last = self.rest[0]  # the same module again
            self.blocks = lib.nn.ModuleList([lib.nn.Linear(1, 1) for _ in range(3)])
            self.blocks.append(lib.nn.ReLU())
            self.table = lib.nn.ModuleDict({"a": lib.nn.Identity(), "b": lib.nn.Linear(1, 2)})
            self.scale = lib.nn.Parameter(lib.ones(4))
            self.nothing = None
            self.register_parameter("absent", None)
            self.register_buffer("steps", lib.zeros(2))
            self.register_buffer("scratch", lib.ones(1), persistent=False)
            self.weights = lib.nn.ParameterList([lib.ones(2), lib.nn.Parameter(lib.zeros(1)), 5])
            self.named = lib.nn.ParameterDict({"z": lib.ones(1), "y": lib.zeros(2, 3)})

        def forward(self, x):
            return self.rest(self.fc1(x)) * self.scale

        def extra_repr(self):
            return "made for a test"

    lib.manual_seed(0)
    return Net()


QUESTIONS = {
    "repr": repr,
    "parameters": lambda m: [(k, p.tolist()) for k, p in m.named_parameters()],
    "repeated parameters": lambda m: [k for k, _ in m.named_parameters(remove_duplicate=False)],
    "own parameters": lambda m: [k for k, _ in m.named_parameters("net", recurse=False)],
    "buffers": lambda m: [(k, b.tolist()) for k, b in m.named_buffers()],
    "modules": lambda m: [(k, type(x).__name__) for k, x in m.named_modules()],
    "children": lambda m: [k for k, _ in m.named_children()],
    "state": lambda m: [(k, v.tolist(), v.requires_grad) for k, v in m.state_dict().items()],
    "state's versions": lambda m: list(m.state_dict()._metadata.items()),
    "kept state": lambda m: [v.requires_grad for v in m.state_dict(keep_vars=True).values()],
    "prefixed state": lambda m: list(m.state_dict(prefix="a.")),
    "dir": lambda m: [n for n in dir(m) if n in ("fc1", "scale", "steps", "0", "nothing")],
    "evaluated": lambda m: [x.training for x in m.eval().modules()],
    "frozen": lambda m: [p.requires_grad for p in m.requires_grad_(False).parameters()],
    "in double": lambda m: [str(v.dtype) for v in m.double().state_dict().values()],
    "a path": lambda m: (m.get_submodule("rest.0") is m.last, m.get_parameter("fc1.bias").shape),
    "a buffer's path": lambda m: m.get_buffer("steps").tolist(),
    "output": lambda m: [round(v, 5) for v in m(m.scale.new_ones(1, 2)).tolist()[0]],
    "a slice of a list": lambda m: repr(m.blocks[1:]),
    "the last": lambda m: repr(m.blocks[-1]),
    "applied": lambda m: applied(m),
}


@pytest.mark.torch
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_model_answers_as_pytorchs(question, torch):
    ours, theirs = (str(QUESTIONS[question](net(lib))) for lib in (graphlab, torch))
    assert ours == theirs


def applied(model):
    seen = []
    model.apply(lambda module: seen.append(type(module).__name__))
    return seen


def assign(name, value):
    return lambda m, lib: setattr(m, name, value(lib))


WRONG = {
    "a tensor for a parameter": assign("scale", lambda lib: lib.ones(4)),
    "a number for a parameter": assign("scale", lambda lib: 4),
    "a number for a module": assign("fc1", lambda lib: 4),
    "a number for a buffer": assign("steps", lambda lib: 4),
    "a name with a dot": lambda m, lib: m.register_buffer("a.b", lib.ones(1)),
    "an empty name": lambda m, lib: m.register_parameter("", None),
    "a name that is taken": lambda m, lib: m.register_buffer("forward", lib.ones(1)),
    "a name that is a number": lambda m, lib: m.register_buffer(1, lib.ones(1)),
    "no parameter": lambda m, lib: m.register_parameter("new", lib.ones(1)),
    "no buffer": lambda m, lib: m.register_buffer("new", [1]),
    "no module": lambda m, lib: m.add_module("new", 1),
    "a module's dot": lambda m, lib: m.add_module("a.b", lib.nn.ReLU()),
    "an unknown attribute": lambda m, lib: m.unknown,
    "an unknown path": lambda m, lib: m.get_submodule("rest.7"),
    "a path to a tensor": lambda m, lib: m.get_submodule("scale"),
    "a path to a module": lambda m, lib: m.get_parameter("rest"),
    "a path to no buffer": lambda m, lib: m.get_buffer("scale"),
    "state of another shape": lambda m, lib: m.load_state_dict(
        {"fc1.weight": lib.ones(9), "more": lib.ones(1)}
    ),
    "state of no tensor": lambda m, lib: m.load_state_dict({"scale": 5}, strict=False),
    "no state": lambda m, lib: m.load_state_dict([1]),
    "a mode": lambda m, lib: m.train(1),
    "integers": lambda m, lib: m.to(lib.int64),
    "cuda": lambda m, lib: m.to("cuda"),
    "a device of cuda": lambda m, lib: m.to(lib.device("cuda:0"), lib.float64),
    "cuda()": lambda m, lib: m.cuda(),
    "no device": lambda m, lib: m.to("gpu"),
    "a layer on cuda": lambda m, lib: lib.nn.Linear(1, 1, device="cuda"),
    "a module for a parameter": assign("scale", lambda lib: lib.nn.ReLU()),
    "a layer for a buffer": lambda m, lib: m.register_buffer("new", lib.nn.LSTM(1, 1)),
    "a class for a module": lambda m, lib: m.add_module("new", lib.nn.ReLU),
    "an index": lambda m, lib: m.blocks[9],
    "an index of a row": lambda m, lib: m.rest[-3],
    "a place": lambda m, lib: m.rest.insert(7, lib.nn.ReLU()),
    "a sum": lambda m, lib: m.rest + 1,
    "a product": lambda m, lib: m.rest * 0,
    "a product of text": lambda m, lib: m.blocks.extend(5),
    "an update": lambda m, lib: m.table.update(5),
    "half a pair": lambda m, lib: m.table.update([("a",)]),
    "no pair": lambda m, lib: m.table.update([5]),
    "a call of parameters": lambda m, lib: m.weights(1),
    "a key": lambda m, lib: m.named[5],
    "an early parameter": lambda m, lib: Early(lib, lambda s: setattr(s, "w", m.scale)),
    "an early module": lambda m, lib: Early(lib, lambda s: setattr(s, "w", m.fc1)),
    "an early buffer": lambda m, lib: Early(lib, lambda s: s.register_buffer("w", m.steps)),
}  # fmt: skip


def Early(lib, then):
    """A module that does something before its tables are made."""

    class Hasty(lib.nn.Module):
        def __init__(self):
            then(self)

    return Hasty()


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    if "cuda" in what and torch.version.cuda:
        pytest.skip("this PyTorch is built for CUDA")
    said = []
    for lib in (graphlab, torch):
        model = net(lib)
        with pytest.raises(Exception) as caught:
            WRONG[what](model, lib)
        text = str(caught.value).replace("graphlab.nn.containers", "torch.nn.modules.container")
        said.append((type(caught.value).__name__, text))
    assert said[0] == said[1]


def test_what_was_loaded_is_reported():
    model = net(graphlab)
    assert repr(model.load_state_dict(model.state_dict())) == "<All keys matched successfully>"
    found = model.load_state_dict({"more": graphlab.ones(1)}, strict=False)
    assert found.unexpected_keys == ["more"]
    assert "fc1.weight" in found.missing_keys
    assert "scratch" not in found.missing_keys


def test_loading_copies_into_the_parameters_and_assigning_takes_their_place():
    model, other = nn.Linear(1, 1), nn.Linear(1, 1)
    weight = model.weight
    model.load_state_dict(other.state_dict())
    assert model.weight is weight
    assert model.weight.tolist() == other.weight.tolist()
    state = {key: value.clone() for key, value in other.state_dict().items()}
    model.load_state_dict(state, assign=True)
    assert model.weight is not weight
    assert isinstance(model.weight, nn.Parameter)


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("wrong", ["shape", "missing", "unexpected", "no tensor"])
def test_a_state_that_does_not_fit_is_not_loaded_in_part(wrong, assign):
    model, other = nn.Sequential(nn.Linear(2, 2), Versioned()), nn.Linear(2, 2)
    before = {key: value.tolist() for key, value in model[0].state_dict().items()}
    tensors, version = dict(model.named_parameters()), model[0].weight._version
    state = {f"0.{key}": value for key, value in other.state_dict().items()}
    state["1._extra_state"] = "new"
    if wrong == "missing":
        del state["0.bias"]
    else:
        key = "0.more" if wrong == "unexpected" else "0.bias"
        state[key] = 5 if wrong == "no tensor" else graphlab.ones(3)
    with pytest.raises(RuntimeError, match=r"Error\(s\) in loading state_dict for Sequential"):
        model.load_state_dict(state, assign=assign)
    assert {key: value.tolist() for key, value in model[0].state_dict().items()} == before
    assert all(one is tensors[name] for name, one in model.named_parameters())
    assert model[0].weight._version == version
    assert model[1].version == "old"


def test_what_cannot_be_written_to_is_found_before_anything_is_written():
    model = nn.Linear(1, 1)
    model.register_buffer("thrice", graphlab.ones(1).expand(3))
    before = model.weight.tolist()
    state = {key: value.clone() + 1 for key, value in model.state_dict().items()}
    with pytest.raises(RuntimeError, match=r'parameter named "thrice", .* memory location'):
        model.load_state_dict(state)
    assert model.weight.tolist() == before


class Versioned(nn.Module):
    version = "old"

    def get_extra_state(self):
        return self.version

    def set_extra_state(self, state):
        self.version = state


def test_assigning_moves_a_name_from_one_table_to_another():
    model = nn.Module()
    model.thing = graphlab.ones(1)
    model.thing = nn.Parameter(graphlab.ones(1))
    assert list(model._parameters) == ["thing"]
    assert "thing" not in vars(model)
    model.thing = None
    assert list(model.parameters()) == []
    del model.thing
    model.thing = nn.ReLU()
    assert list(model._modules) == ["thing"]
    model.kept = nn.Buffer(graphlab.ones(1), persistent=False)
    assert list(model.state_dict()) == []
    assert [name for name, _ in model.named_buffers()] == ["kept"]


def test_a_shared_parameter_comes_once():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    model = nn.Sequential(first, second)
    assert [name for name, _ in model.named_parameters()] == ["0.weight", "0.bias", "1.bias"]


# -- parameters ------------------------------------------------------------------------------------


def test_a_parameter_is_a_tensor_that_shares_the_memory_of_its_data():
    data = graphlab.ones(2)
    parameter = nn.Parameter(data)
    assert isinstance(parameter, graphlab.Tensor)
    assert repr(parameter) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    with graphlab.no_grad():
        parameter += 1
    assert data.tolist() == [2.0, 2.0]
    assert (parameter.is_leaf, parameter.grad_fn) == (True, None)
    assert type(parameter * 2) is graphlab.Tensor
    assert type(parameter.data) is graphlab.Tensor
    with graphlab.no_grad():
        assert nn.Parameter(graphlab.ones(1)).requires_grad


def test_a_parameter_of_integers_is_refused_unless_it_needs_no_gradient():
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype"):
        nn.Parameter(graphlab.ones(1, dtype=graphlab.int64))
    assert not nn.Parameter(
        graphlab.ones(1, dtype=graphlab.int64), requires_grad=False
    ).requires_grad


@pytest.mark.parametrize("how", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copied_parameter_or_model_is_one_of_its_own(how):
    parameter = nn.Parameter(graphlab.ones(2))
    other = how(parameter)
    assert type(other) is nn.Parameter
    assert (other.tolist(), other.requires_grad) == ([1.0, 1.0], True)
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    again = how(model)
    assert repr(again) == repr(model)
    assert again[0].weight is not model[0].weight
    with graphlab.no_grad():
        again[0].weight.zero_()
    assert model[0].weight.tolist() != again[0].weight.tolist()


def test_a_parameter_is_an_operand_like_any_tensor():
    w = nn.Parameter(graphlab.tensor([2.0, 3.0]))
    x = graphlab.tensor([1.0, 2.0], requires_grad=True)
    y = (w * x + x / w - w**2 + w.exp() * (w @ x) + graphlab.where(w > 2, w, x)).sum()
    y.backward()
    plain = graphlab.tensor([2.0, 3.0], requires_grad=True)
    z = graphlab.tensor([1.0, 2.0], requires_grad=True)
    total = plain * z + z / plain - plain**2 + plain.exp() * (plain @ z)
    (total + graphlab.where(plain > 2, plain, z)).sum().backward()
    assert w.grad.tolist() == plain.grad.tolist()
    assert x.grad.tolist() == z.grad.tolist()


# -- hooks -----------------------------------------------------------------------------------------


def hooked(lib):
    """What the hooks of a small model see, in order."""
    lib.manual_seed(0)
    model = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.Linear(3, 1))
    seen = []

    def note(name):
        def hook(module, *given):
            seen.append((name, [shown(one) for one in given]))

        return hook

    def shown(value):
        if isinstance(value, tuple):
            return tuple(shown(one) for one in value)
        if isinstance(value, dict):
            return {k: shown(v) for k, v in value.items()}
        return None if value is None else [round(x, 5) for x in value.reshape(-1).tolist()]

    model.register_forward_pre_hook(note("before"))
    model[0].register_forward_hook(note("after first"))
    model[1].register_forward_hook(lambda module, args, output: output * 2)
    model[1].register_forward_hook(note("after second"), prepend=True)
    model[1].register_full_backward_hook(note("back through second"))
    model[0].register_full_backward_hook(lambda module, into, out: (into[0] * 10,))
    model[0].register_full_backward_pre_hook(note("back into first"))
    x = lib.tensor([[1.0, 2.0]], requires_grad=True)
    model(x).sum().backward()
    seen.append(("input", shown(x.grad)))
    seen.append(("weights", [shown(p.grad) for p in model.parameters()]))
    return seen


@pytest.mark.torch
def test_hooks_see_and_change_what_pytorchs_do(torch):
    assert hooked(graphlab) == hooked(torch)


@pytest.mark.torch
def test_the_table_of_hooks_is_shown_as_pytorch_shows_it(torch):
    def shown(t):
        model = t.nn.Linear(1, 1)
        number = model.register_forward_hook(print).id
        return repr(model._forward_hooks).replace(str(number), "n")

    assert shown(graphlab) == shown(torch)


def test_a_hook_is_taken_away_by_its_handle():
    model, seen = nn.Identity(), []
    with model.register_forward_hook(lambda *given: seen.append(1)):
        model(1)
    model(1)
    handle = model.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    assert model(1) == 2
    handle.remove()
    handle.remove()
    assert model(1) == 1
    assert seen == [1]


def test_a_hook_may_be_given_the_keywords_and_be_called_even_after_an_error():
    class Adds(nn.Module):
        def forward(self, a, b=0):
            return a + b

    model, seen = Adds(), []
    model.register_forward_pre_hook(lambda m, args, kw: (args, {"b": 5}), with_kwargs=True)
    model.register_forward_hook(lambda m, args, kw, out: seen.append((kw, out)), with_kwargs=True)
    assert model(1) == 6
    assert seen == [({"b": 5}, 6)]
    model.register_forward_hook(lambda *given: seen.append("always"), always_call=True)
    with pytest.raises(TypeError, match="str"):
        model("a")
    assert seen[-1] == "always"


def test_a_backward_hook_without_inputs_that_need_a_gradient_says_so():
    model, seen = nn.Linear(1, 1), []
    model.register_full_backward_hook(lambda module, into, out: seen.append((into, out)))
    output = model(graphlab.ones(1, 1))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        output.sum().backward()
    assert seen[0][0] == (None,)


def test_a_dropped_model_is_freed_at_once():
    gc.collect()
    gc.disable()
    try:
        model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
        loss = model(graphlab.ones(3, 2)).sum()
        loss.backward()
        watched = [weakref.ref(model), weakref.ref(model[0].weight)]
        del model, loss
        assert [one() for one in watched] == [None, None]
    finally:
        gc.enable()


# -- containers ------------------------------------------------------------------------------------


def contained(lib):
    """What is done to containers, step by step."""
    m = lib.nn
    row = m.Sequential(OrderedDict(first=m.ReLU(), second=m.Tanh()))
    found = [repr(row), repr(row[:1]), len(row), repr(row.second)]
    row = m.Sequential(m.ReLU(), m.Tanh())
    row.append(m.Sigmoid()).insert(0, m.Identity()).extend([m.GELU()])
    found.append(repr(row))
    del row[1]
    row[0] = m.ELU()
    found += [repr(row), repr(row.pop(-1)), repr(row + row[:1]), repr(row * 2)]
    row += m.Sequential(m.SiLU())
    found += [repr(row), [type(one).__name__ for one in row]]
    listed = m.ModuleList([m.ReLU(), m.ReLU()]) + [m.Tanh()]  # noqa: RUF005  that is the test
    listed.insert(1, m.GELU())
    listed += [m.Tanh()]
    del listed[0]
    found += [repr(listed), repr(m.ModuleList()), len(listed)]
    table = m.ModuleDict([("a", m.ReLU())])
    table.update({"b": m.Tanh()})
    table["c"] = m.GELU()
    found += [repr(table), list(table), "a" in table, repr(table.pop("a")), list(table.keys())]
    params = m.ParameterDict({"b": lib.ones(2), "a": lib.zeros(1)})
    params["c"] = 5
    found += [repr(params), list(params), params.get("x", 7), list(params.keys()), len(params)]
    found += [params.pop("c"), params.setdefault("d", lib.ones(1)).tolist(), list(params.copy())]
    params |= m.ParameterDict({"e": lib.ones(1)})
    found += [sorted(params), [k for k, _ in params.items()], params.popitem()[0]]
    values = m.ParameterList([lib.ones(1), lib.zeros(2, 2)])
    values[0] = lib.zeros(3)
    values += [lib.ones(1)]
    found += [repr(values), len(values), [v.tolist() for v in values[1:]], repr(values[-1])]
    return found


@pytest.mark.torch
def test_containers_do_what_pytorchs_do(torch):
    for ours, theirs in zip(contained(graphlab), contained(torch), strict=True):
        assert ours == theirs


def test_a_module_is_not_inserted_among_modules_with_names_of_their_own():
    row = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    with pytest.raises(KeyError, match="modules with the names 0, 1"):  # PyTorch's KeyError is "1"
        row.insert(1, nn.Sigmoid())
    assert [*row._modules] == ["a", "b"]
