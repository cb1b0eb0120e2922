"""Every schedule gives PyTorch's rates, to the last bit, over many steps.

Read next: tests/optim/test_optimizers.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab

CASES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
    "LambdaLR, one each": lambda s, o: s.LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: 0.5]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 1 - 0.01 * epoch),
    "StepLR": lambda s, o: s.StepLR(o, 7, gamma=0.3),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 10, 10, 21], gamma=0.5),
    "ConstantLR": lambda s, o: s.ConstantLR(o, factor=0.3, total_iters=6),
    "LinearLR": lambda s, o: s.LinearLR(o, 0.2, 0.9, total_iters=13),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.93),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=20, power=1.7),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 9, eta_min=0.003),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4, 2, 0.001),
    "CosineAnnealingWarmRestarts, even": lambda s, o: s.CosineAnnealingWarmRestarts(o, 5),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, 0.3, step_size_up=5, step_size_down=3),
    "CyclicLR, halved": lambda s, o: s.CyclicLR(o, [0.01, 0.1], 0.3, 4, mode="triangular2"),
    "CyclicLR, exponential": lambda s, o: s.CyclicLR(
        o, 0.01, 0.3, 4, mode="exp_range", gamma=0.97, cycle_momentum=False
    ),
    "CyclicLR, own": lambda s, o: s.CyclicLR(o, 0.01, 0.3, 4, scale_fn=lambda x: 1 / x**2),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.5, total_steps=41),
    "OneCycleLR, straight": lambda s, o: s.OneCycleLR(
        o, [0.5, 0.7], epochs=6, steps_per_epoch=7, anneal_strategy="linear", pct_start=0.25
    ),
    "OneCycleLR, three phases": lambda s, o: s.OneCycleLR(
        o, 0.5, total_steps=50, three_phase=True, cycle_momentum=False
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o,
        [s.ConstantLR(o, 0.1, 4), s.LinearLR(o, 0.5, total_iters=5), s.ExponentialLR(o, 0.9)],
        milestones=[4, 12],
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler(
        [s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9)]
    ),
}
STEPS = 40


def optimizer_of(lib, name="SGD"):
    w, v = (lib.ones(1, requires_grad=True) for _ in range(2))
    options = {"momentum": 0.5} if name == "SGD" else {}
    groups = [{"params": [w]}, {"params": [v], "lr": 0.05}]
    return getattr(lib.optim, name)(groups, lr=0.1, **options)


def rates(optimizer):
    """What a schedule may change, of each group."""
    return [(g["lr"], g.get("momentum"), g.get("betas")) for g in optimizer.param_groups]


@pytest.mark.torch
@pytest.mark.parametrize("optimizer_name", ["SGD", "Adam"])
@pytest.mark.parametrize("name", CASES)
def test_the_rates_are_pytorchs(name, optimizer_name, torch):
    found = []
    for lib in (graphlab, torch):
        optimizer = optimizer_of(lib, optimizer_name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the epoch that SequentialLR passes on
            scheduler = CASES[name](lib.optim.lr_scheduler, optimizer)
            path = [rates(optimizer)]
            for _ in range(STEPS):
                optimizer.step()
                scheduler.step()
                path.append(rates(optimizer))
        found.append((path, scheduler.get_last_lr(), getattr(scheduler, "last_epoch", None)))
    assert found[0] == found[1]


METRICS = [5.0, 4.0, 4.0, 4.1, 3.9999, 4.2, 3.0, 3.1, 3.2, 3.05, 3.0, 3.0, 3.0, 3.0, 2.0, 2.5, 2.4]


@pytest.mark.torch
@pytest.mark.parametrize(
    "options",
    [
        {"patience": 2},
        {"patience": 1, "mode": "max", "factor": 0.5},
        {"patience": 0, "threshold": 0.05, "threshold_mode": "abs", "cooldown": 2},
        {"patience": 0, "mode": "max", "threshold_mode": "abs", "min_lr": [0.001, 0.04]},
    ],
)
def test_a_plateau_lowers_the_rate_when_pytorch_does(options, torch):
    paths = []
    for lib in (graphlab, torch):
        optimizer = optimizer_of(lib)
        scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        path = []
        for metric in METRICS:
            scheduler.step(metric)
            path.append((rates(optimizer), scheduler.num_bad_epochs, scheduler.get_last_lr()))
        paths.append(path)
    assert paths[0] == paths[1]


@pytest.mark.torch
@pytest.mark.parametrize("name", ["StepLR", "MultiStepLR", "LinearLR", "CosineAnnealingLR"])
def test_an_epoch_that_is_asked_for_is_found_by_the_closed_form(name, torch):
    found = []
    for lib in (graphlab, torch):
        optimizer = optimizer_of(lib)
        scheduler = CASES[name](lib.optim.lr_scheduler, optimizer)
        optimizer.step()
        with pytest.warns(UserWarning, match="epoch parameter"):
            scheduler.step(8)
        found.append(rates(optimizer))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", [n for n in CASES if "own" not in n])
def test_a_loaded_schedule_goes_on_where_it_was_saved(name):
    def advance(optimizer, scheduler, steps):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(steps):
                optimizer.step()
                scheduler.step()
        return rates(optimizer)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second = optimizer_of(graphlab), optimizer_of(graphlab)
        schedule, other = (CASES[name](graphlab.optim.lr_scheduler, o) for o in (first, second))
    advance(first, schedule, 6)
    second.load_state_dict(first.state_dict())
    other.load_state_dict(schedule.state_dict())
    assert advance(first, schedule, 9) == advance(second, other, 9)


def test_a_schedule_before_its_optimizer_is_warned_of():
    optimizer = optimizer_of(graphlab)
    scheduler = graphlab.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        scheduler.step()


def test_the_next_rates_are_not_the_last_ones():
    optimizer = optimizer_of(graphlab)
    scheduler = graphlab.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        scheduler.get_lr()


WRONG = {
    "no optimizer": lambda s, o: s.StepLR(1, 1),
    "another number of lambdas": lambda s, o: s.LambdaLR(o, [lambda e: 1]),
    "no lambda": lambda s, o: s.MultiplicativeLR(o, 1),
    "a factor above 1": lambda s, o: s.ConstantLR(o, factor=2),
    "a start of 0": lambda s, o: s.LinearLR(o, start_factor=0),
    "an end above 1": lambda s, o: s.LinearLR(o, end_factor=2),
    "a factor of 1": lambda s, o: s.ReduceLROnPlateau(o, factor=1),
    "a mode": lambda s, o: s.ReduceLROnPlateau(o, mode="best"),
    "a threshold mode": lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="most"),
    "three lowest rates": lambda s, o: s.ReduceLROnPlateau(o, min_lr=[1, 2, 3]),
    "T_0": lambda s, o: s.CosineAnnealingWarmRestarts(o, 0),
    "T_mult": lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 0),
    "no steps": lambda s, o: s.OneCycleLR(o, 0.1),
    "total steps": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=-1),
    "a share": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=10, pct_start=2.0),
    "a strategy": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=10, anneal_strategy="up"),
    "three highest rates": lambda s, o: s.OneCycleLR(o, [1, 2, 3], total_steps=10),
    "a mode of cycles": lambda s, o: s.CyclicLR(o, 0.1, 1, mode="round"),
    "no schedules": lambda s, o: s.ChainedScheduler([]),
    "milestones": lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [1, 2]),
    "a plateau within": lambda s, o: s.ChainedScheduler([s.ReduceLROnPlateau(o)]),
    "going on from nowhere": lambda s, o: s.StepLR(o, 1, last_epoch=3),
}


@pytest.mark.torch
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_as_pytorch_says_it(what, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(Exception) as caught:
            WRONG[what](lib.optim.lr_scheduler, optimizer_of(lib))
        said.append((type(caught.value).__name__, str(caught.value)))
    assert said[0] == said[1]
