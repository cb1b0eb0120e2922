"""The lines at the top of a lesson: devices, backends, threads, as a PyTorch without them has it.

Read next: graphlab/common/devices.py
"""

from __future__ import annotations

import pytest

import graphlab


def top_of_a_lesson(lib):
    lib.manual_seed(0)
    lib.cuda.manual_seed_all(0)
    lib.backends.cudnn.deterministic = True
    lib.backends.cudnn.benchmark = False
    threads, lib_has = lib.get_num_threads(), []
    try:
        lib.set_num_threads(1)
        lib.use_deterministic_algorithms(True)
        lib_has += [lib.get_num_threads(), lib.are_deterministic_algorithms_enabled()]
    finally:
        lib.use_deterministic_algorithms(False)
        lib.set_num_threads(threads)
        lib.backends.cudnn.deterministic = False
    found = lib.accelerator
    device = found.current_accelerator().type if found.is_available() else "cpu"
    lib_has += [lib.backends.mps.is_available(), lib.backends.cudnn.is_available()]
    lib_has += [
        lib.version.cuda,
        lib.cuda.is_available(),
        lib.accelerator.device_count(),
        lib.cuda.device_count(),
    ]
    return [*lib_has, str(lib.device(device)), lib.ones(1).to(device).tolist()]


@pytest.mark.torch
def test_the_top_of_a_lesson_runs_as_with_pytorch(torch):
    if torch.version.cuda or torch.accelerator.is_available():
        pytest.skip("this machine has what is said to be absent")
    assert top_of_a_lesson(graphlab) == top_of_a_lesson(torch)


def test_a_precision_that_there_is_not_is_ignored_with_a_warning():
    before = graphlab.get_float32_matmul_precision()
    with pytest.warns(UserWarning, match="low is not one of 'highest', 'high', or 'medium'"):
        graphlab.set_float32_matmul_precision("low")
    assert graphlab.get_float32_matmul_precision() == before


@pytest.mark.torch
@pytest.mark.parametrize("threads", [0, "two"])
def test_threads_that_cannot_be_are_refused_in_pytorchs_words(threads, torch):
    said = []
    for lib in (graphlab, torch):
        with pytest.raises(RuntimeError, match="set_num_threads") as error:
            lib.set_num_threads(threads)
        said.append(str(error.value))
    assert said[0] == said[1]


def loop_with_mixed_precision(lib, **off):
    """What a training loop with `autocast` and a `GradScaler` gives; both are off on the CPU."""
    scaler = lib.amp.GradScaler("cuda", **off)
    w = lib.tensor([2.0], requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        with lib.autocast("cuda", **off):
            loss = (w * lib.ones(1)).square().sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
    scaler.load_state_dict(scaler.state_dict())
    return [w.tolist(), str(loss), scaler.get_scale(), scaler.is_enabled(), scaler.state_dict()]


@pytest.mark.torch
def test_a_loop_with_mixed_precision_runs_as_with_pytorch_on_the_cpu(torch):
    found = []
    for lib in (graphlab, torch):
        with pytest.warns(UserWarning, match="Disabling") as said:
            found.append(loop_with_mixed_precision(lib))
        found.append([str(warning.message) for warning in said])
        found.append(loop_with_mixed_precision(lib, enabled=False))
    assert found[:3] == found[3:]


def scaled_on_the_cpu(lib):
    """What a scaler for the CPU does: it grows, leaves out a step, and refuses a wrong order."""
    scaler = lib.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)
    seen = []

    def refused(call):
        with pytest.raises((RuntimeError, AssertionError, ValueError)) as error:
            call()
        seen.append((type(error.value).__name__, str(error.value)))

    for factor in (1.0, 1.0, float("inf"), 1.0):
        optimizer.zero_grad()
        loss, twice = scaler.scale([(w * w).sum() * factor, w.sum()])
        seen.append((loss.item(), twice.item(), loss.grad_fn.name()))
        loss.backward()
        seen.append(w.grad.tolist())
        if factor == 1.0:
            scaler.unscale_(optimizer)
            refused(lambda: scaler.unscale_(optimizer))
        scaler.step(optimizer)
        refused(lambda: scaler.step(optimizer))
        refused(lambda: scaler.unscale_(optimizer))
        scaler.update()
        refused(scaler.update)
        seen.append((w.tolist(), scaler.get_scale(), scaler.state_dict()))
    scaler.update(4.0)
    other = lib.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    refused(lambda: other.load_state_dict({}))
    refused(lambda: other.scale(1.0))
    other.scale(w.sum())
    optimizer.zero_grad()
    refused(lambda: other.step(optimizer))
    refused(lambda: other.step(optimizer, closure=lambda: None))
    unused = lib.amp.GradScaler("cpu")
    refused(lambda: unused.step(optimizer, closure=lambda: None))
    refused(lambda: unused.step(optimizer, lambda: None))
    refused(lambda: unused.scale([w, 1.0]))
    for change in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}):
        refused(lambda: lib.amp.GradScaler("cpu", **change))  # noqa: B023
        lib.amp.GradScaler("cpu", enabled=False, **change)
    refused(lambda: scaler.update(lib.ones(2)))
    refused(lambda: scaler.update(lib.ones(1, requires_grad=True)))
    return [*seen, other.get_scale(), other.is_enabled()]


@pytest.mark.torch
def test_a_scaler_for_the_cpu_scales_as_pytorchs(torch):
    assert scaled_on_the_cpu(graphlab) == scaled_on_the_cpu(torch)


@pytest.mark.torch
def test_a_scaler_takes_a_device_and_grows_no_further_than_float32(torch):
    found = []
    for lib in (graphlab, torch):
        scaler = lib.amp.GradScaler("cpu", init_scale=0.1)
        found.append(scaler.get_scale())
        (scaled,) = scaler.scale(iter([lib.ones(1)]))
        found.append((scaler.get_scale(), scaled.item()))
        scaler.update(0.3)
        found.append(scaler.state_dict())
        scaler = lib.amp.GradScaler(lib.device("cpu"), init_scale=2.0**127, growth_interval=1)
        w = lib.tensor([1e-20], requires_grad=True)
        optimizer = lib.optim.SGD([w], lr=0.1)
        scaler.scale((w * w).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append((scaler.is_enabled(), scaler.get_scale(), w.item()))
    assert found[:4] == found[4:]


@pytest.mark.torch
@pytest.mark.parametrize("call", ["unscale_", "step", "update"])
def test_a_scaler_that_has_scaled_nothing_says_so(call, torch):
    for lib in (graphlab, torch):
        optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)])
        given = [] if call == "update" else [optimizer]
        with pytest.raises(AssertionError, match=f"Attempted {call} but _scale is None"):
            getattr(lib.amp.GradScaler("cpu"), call)(*given)


@pytest.mark.torch
@pytest.mark.parametrize("name", ["growth_factor", "backoff_factor", "growth_interval"])
def test_the_numbers_of_a_scaler_are_read_and_written(name, torch):
    found = []
    for lib in (graphlab, torch):
        scaler = lib.amp.GradScaler("cpu")
        before = getattr(scaler, f"get_{name}")()
        getattr(scaler, f"set_{name}")(**{f"new_{name.split('_')[1]}": 3})
        assert getattr(lib.amp.GradScaler, f"get_{name}").__doc__
        found.append((before, getattr(scaler, f"get_{name}")(), scaler.state_dict()))
    assert found[0] == found[1]


def test_the_older_path_of_mixed_precision_is_there_and_the_cpu_has_none():
    from graphlab.cuda.amp import GradScaler

    assert GradScaler is graphlab.amp.GradScaler
    with pytest.raises(RuntimeError, match="bfloat16, which is not supported"):
        graphlab.autocast("cpu")


def test_a_block_makes_its_tensors_on_the_cpu_and_nowhere_else():
    with graphlab.device("cpu") as here:
        assert graphlab.ones(2).device == here
    with pytest.raises(AssertionError, match="not compiled with CUDA"), graphlab.device("cuda"):
        pass
