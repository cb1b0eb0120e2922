"""Hooks around `state_dict` and `load_state_dict`, and hooks of all modules, beside PyTorch.

Read next: graphlab/nn/modules/__init__.py
"""

from importlib import import_module

import pytest

import graphlab

# PyTorch compiles some of its own rules, and warns of that
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning"),
]


def same(program, torch):
    """Compare the notes that a program takes with both libraries."""
    notes = []
    for library in (graphlab, torch):
        log = []
        library.manual_seed(0)
        program(library, log.append)
        notes.append(repr(log))
    assert notes[0] == notes[1]


def error_of(call, *args):
    """Return the sentence of the error that a call raises."""
    with pytest.raises((RuntimeError, AssertionError)) as raised:
        call(*args)
    return str(raised.value)


def layers(nn):
    """Return two layers in a row."""
    return nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1))


def test_hooks_see_and_change_the_state_of_a_module(torch):
    def program(t, note):
        m = layers(t.nn)
        first = m.register_state_dict_pre_hook(lambda _, *rest: note(rest))

        def add(module, state, prefix, metadata):
            note((list(state), prefix, metadata))
            state[prefix + "extra"] = t.ones(1)

        m[0].register_state_dict_post_hook(add)
        note(error_of(m._register_state_dict_hook, add))
        m._register_state_dict_hook(lambda m, state, *rest: {k.upper(): state[k] for k in state})
        note(list(m.state_dict()))
        first.remove()
        note(list(m.state_dict(prefix="of.")))
        m[1].register_state_dict_post_hook(lambda *args: 1)
        note(error_of(m.state_dict))

    same(program, torch)


def test_hooks_see_and_change_what_a_module_loads(torch):
    def program(t, note):
        m = layers(t.nn)

        def rename(module, state, prefix, metadata, *rest):
            note((type(module).__name__, list(state), prefix, rest))
            state[prefix + "weight"] = state.pop(prefix + "old")

        def loaded(module, keys):
            note((keys, module[0].weight.tolist()))
            keys.unexpected_keys.clear()

        m[0].register_load_state_dict_pre_hook(rename)
        m._register_load_state_dict_pre_hook(lambda state, *rest: note(len(state)))
        m.register_load_state_dict_post_hook(loaded)
        state = {name: t.ones_like(x) for name, x in m.state_dict().items()}
        state["0.old"] = state.pop("0.weight")
        state["more"] = t.ones(1)
        note(m.load_state_dict(state))
        del state["1.bias"]
        note(error_of(m.load_state_dict, state))
        m.register_load_state_dict_post_hook(lambda *args: 1)
        note(error_of(m.load_state_dict, state))

    same(program, torch)


def test_hooks_see_and_change_the_state_of_an_optimizer(torch):
    def program(t, note):
        optimizer = t.optim.SGD([t.ones(2, requires_grad=True)], lr=0.1)
        optimizer.register_state_dict_pre_hook(lambda opt: note("second"))
        optimizer.register_state_dict_pre_hook(lambda opt: note("first"), prepend=True)
        more = optimizer.register_state_dict_post_hook(lambda opt, state: {**state, "more": 1})
        optimizer.register_state_dict_post_hook(lambda opt, state: note(sorted(state)))
        state = optimizer.state_dict()

        def faster(opt, state):
            groups = [{**group, "lr": 3.0} for group in state["param_groups"]]
            return {**state, "param_groups": groups}

        optimizer.register_load_state_dict_pre_hook(faster)
        optimizer.register_load_state_dict_post_hook(lambda opt: note(opt.param_groups[0]["lr"]))
        optimizer.load_state_dict(state)
        more.remove()
        note(sorted(optimizer.state_dict()))

    same(program, torch)


def test_hooks_of_all_modules_are_called_for_each_and_can_be_removed(torch):
    def program(t, note):
        home = import_module(f"{t.__name__}.nn.modules.module")
        m, x = layers(t.nn), t.ones(1, 1, requires_grad=True)
        m[0].register_forward_hook(lambda *args: note("own"))

        def seen(kind):
            return lambda module, *rest: note((kind, type(module).__name__, rest))

        handles = [
            home.register_module_forward_pre_hook(seen("before")),
            home.register_module_forward_hook(seen("after"), with_kwargs=True),
            home.register_module_full_backward_pre_hook(seen("backward before")),
            home.register_module_full_backward_hook(seen("backward")),
        ]
        m(x).sum().backward()
        for handle in handles:
            handle.remove()
        m(x)
        with home.register_module_forward_hook(lambda module, args, output: output * 2):
            note(m(x))
        note(m(x))

    same(program, torch)
    left = torch.nn.modules.module._global_forward_hooks_with_kwargs
    left.clear()  # remove() leaves a mark there, of which torch.compile would warn


def test_a_hook_of_all_modules_costs_nothing_while_there_is_none(torch):
    module, usual = graphlab.nn.modules.module, graphlab.nn.Module.__call__
    with module.register_module_forward_hook(lambda *args: None):
        assert graphlab.nn.Module.__call__ is not usual
    assert graphlab.nn.Module.__call__ is usual


def test_a_hook_of_all_modules_may_always_be_called(torch):
    def program(t, note):
        home = import_module(f"{t.__name__}.nn.modules.module")
        always = {"always_call": True}
        with home.register_module_forward_hook(lambda *args: note(args[1:]), **always):
            note(error_of(t.nn.Linear(1, 1), t.ones(2)).count("mat"))

    same(program, torch)
