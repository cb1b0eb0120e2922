"""Pruning beside PyTorch: masks, parameters, buffers and hooks, as a lesson on pruning has them.

Read next: graphlab/nn/utils/prune.py
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import graphlab
from graphlab.nn.utils import prune

WAYS: dict[str, Any] = {
    "l1, a share": lambda p, t, m: p.l1_unstructured(m, "weight", amount=0.3),
    "l1, a number": lambda p, t, m: p.l1_unstructured(m, name="bias", amount=3),
    "l1 by scores": lambda p, t, m: p.l1_unstructured(
        m, "bias", 2, importance_scores=t.tensor([3.0, 1.0, 2.0, 5.0, 4.0, 6.0])
    ),
    "nothing": lambda p, t, m: p.random_structured(m, "weight", 0, 0),
    "nothing of the entries": lambda p, t, m: p.random_unstructured(m, "weight", 0.0),
    "all": lambda p, t, m: p.random_unstructured(m, "weight", 1.0),
    "at random": lambda p, t, m: p.random_unstructured(m, name="weight", amount=0.3),
    "slices": lambda p, t, m: p.ln_structured(m, name="weight", amount=0.5, n=2, dim=0),
    "slices by inf": lambda p, t, m: p.ln_structured(m, "weight", 1, n=float("inf"), dim=-1),
    "slices at random": lambda p, t, m: p.random_structured(m, "weight", amount=1, dim=1),
    "a mask": lambda p, t, m: p.custom_from_mask(m, name="bias", mask=t.tensor([0, 1, 0, 1, 1, 0])),
    "twice": lambda p, t, m: p.ln_structured(
        p.random_unstructured(m, "weight", 0.3), "weight", amount=0.5, n=2, dim=0
    ),
    "three times": lambda p, t, m: p.l1_unstructured(
        p.l1_unstructured(p.ln_structured(m, "weight", 1, 1, 1), "weight", 5), "weight", 0.5
    ),
    "slices twice": lambda p, t, m: p.random_structured(
        p.ln_structured(m, "weight", 2, 2, 0), "weight", 0.5, 0
    ),
    "a mask after": lambda p, t, m: p.custom_from_mask(
        p.l1_unstructured(m, "bias", 2), "bias", t.tensor([True, True, False, True, True, False])
    ),
}


def layer(lib: ModuleType, way: Any) -> Any:
    lib.manual_seed(1)
    module = lib.nn.Conv2d(2, 6, 3)
    way(lib.nn.utils.prune, lib, module)
    return module


def facts(lib: ModuleType, way: Any) -> tuple[Any, ...]:
    """What a lesson prints of a pruned layer, in training and after `remove`."""
    p, module = lib.nn.utils.prune, layer(lib, way)
    name = "bias" if hasattr(module, "bias_mask") else "weight"
    (hook,) = module._forward_pre_hooks.values()
    chain = [type(one).__name__ for one in hook] if isinstance(hook, p.PruningContainer) else []
    before = (
        [one for one, _ in module.named_parameters()],
        [one for one, _ in module.named_buffers()],
        list(module.state_dict()),
        type(hook).__name__, hook._tensor_name, chain or hook.PRUNING_TYPE,
        str(getattr(module, f"{name}_mask")),
        str(getattr(module, name)),
        getattr(module, name).is_leaf, p.is_pruned(module), repr(module),
    )  # fmt: skip
    optimizer = lib.optim.SGD(module.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        module(lib.linspace(-1, 1, 50).reshape(1, 2, 5, 5)).square().mean().backward()
        optimizer.step()
    trained = str(getattr(module, f"{name}_orig").grad)
    assert p.remove(module, name) is module
    after = getattr(module, name)
    return (*before, trained, str(after), after.is_leaf, list(module.state_dict()),
            p.is_pruned(module), len(module._forward_pre_hooks), after.requires_grad)  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("way", WAYS)
def test_a_layer_is_pruned_trained_and_restored_as_in_pytorch(way, torch):
    import torch.nn.utils.prune

    assert facts(graphlab, WAYS[way]) == facts(torch, WAYS[way])


def lesson(lib: ModuleType) -> list[Any]:
    """All of a network at once, by several layers' values, and by a method of one's own."""
    p, nn = lib.nn.utils.prune, lib.nn

    class EveryOther(p.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    lib.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    pairs = ((net[0], "weight"), (net[2], "weight"))
    found = [p.is_pruned(net)]
    p.global_unstructured(pairs, pruning_method=p.L1Unstructured, amount=0.2)
    found += [str(net[0].weight), str(net[2].weight), str(dict(net.named_buffers()))]
    p.global_unstructured(pairs, p.L1Unstructured, {(net[2], "weight"): lib.ones(2, 3)}, amount=5)
    found += [str(net[0].weight_mask), str(net[2].weight_mask), p.is_pruned(net)]
    EveryOther.apply(net[2], "bias")
    found += [str(net[2].bias_mask), list(net.state_dict())]
    net(lib.ones(2, 4)).sum().backward()
    found += [str(net[0].weight_orig.grad), str(net[2].bias_orig.grad)]
    found.append(float((net[0].weight == 0).sum()) / net[0].weight.nelement())
    return found


@pytest.mark.torch
def test_a_network_is_pruned_as_a_whole_as_in_pytorch(torch):
    import torch.nn.utils.prune

    assert lesson(graphlab) == lesson(torch)


REFUSED: dict[str, Any] = {
    "too many": lambda p, m: p.l1_unstructured(m, "bias", 9),
    "a negative number": lambda p, m: p.random_unstructured(m, "bias", -1),
    "more than all": lambda p, m: p.ln_structured(m, "weight", 1.5, 2, 0),
    "no number": lambda p, m: p.random_structured(m, "weight", "half", 0),
    "never pruned": lambda p, m: p.remove(m, "weight"),
}


@pytest.mark.torch
@pytest.mark.parametrize("call", REFUSED)
def test_a_refused_call_says_what_pytorch_says_and_changes_nothing(call, torch):
    import torch.nn.utils.prune

    told = []
    for lib in (graphlab, torch):
        module = lib.nn.Linear(3, 4)
        with pytest.raises((TypeError, ValueError), match=r"prune|amount") as error:
            REFUSED[call](lib.nn.utils.prune, module)
        told.append(
            (str(error.value), list(module.state_dict()), lib.nn.utils.prune.is_pruned(module))
        )
    assert told[0] == told[1]


def test_pruned_entries_stay_zero_in_training():
    module = prune.l1_unstructured(graphlab.nn.Linear(4, 2), "weight", amount=0.5)
    assert ((module.weight == 0) == (module.weight_mask == 0)).all()
    optimizer = graphlab.optim.Adam(module.parameters(), lr=0.5)
    module(graphlab.ones(1, 4)).sum().backward()
    optimizer.step()
    module(graphlab.ones(1, 4))
    assert (module.weight == 0).sum() == 4
