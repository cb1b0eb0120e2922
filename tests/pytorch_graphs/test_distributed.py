"""Models of several processes, here of one: recorded, and rehearsed if nothing communicates.

Read next: tests/pytorch_graphs/test_bad_input.py
"""

from __future__ import annotations

import contextlib

import pytest

import graphlab

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def group(torch, tmp_path_factory):
    """A process group of this process alone."""
    dist = pytest.importorskip("torch.distributed")
    if not dist.is_available() or not dist.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    place = tmp_path_factory.mktemp("gloo") / "meeting"
    dist.init_process_group("gloo", init_method=f"file://{place}", rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def net(torch):
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def data_parallel(torch, **options):
    return torch.nn.parallel.DistributedDataParallel(net(torch), **options)


def fully_sharded(torch):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    model, mesh = net(torch), init_device_mesh("cpu", (1,))
    for layer in (model[0], model[2], model):
        fully_shard(layer, mesh=mesh)
    return model


MODELS = {
    "data parallel": data_parallel,
    "with unused parameters": lambda torch: data_parallel(torch, find_unused_parameters=True),
    "with a static graph": lambda torch: data_parallel(torch, static_graph=True),
    "with gradients in buckets": lambda torch: data_parallel(torch, gradient_as_bucket_view=True),
    "fully sharded": fully_sharded,
}


def loss_of(torch, model):
    return model(torch.arange(12.0).reshape(3, 4).requires_grad_()).square().mean()


@pytest.mark.parametrize("name", MODELS)
def test_training_is_bitwise_the_same_with_record_and_without(torch, group, name):
    found = []
    for context in (contextlib.nullcontext(), graphlab.record()):
        model = MODELS[name](torch)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with context as timeline:
            for _ in range(3):
                optimizer.zero_grad()
                loss_of(torch, model).backward()
                optimizer.step()
        whole = [p.full_tensor() if hasattr(p, "full_tensor") else p for p in model.parameters()]
        found.append([one.detach().clone() for one in whole])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))
    assert timeline.notice == ""
    assert [event.kind for event in timeline].count("PassBegan") == 3


@pytest.mark.parametrize("name", ["data parallel", "with gradients in buckets"])
def test_a_rehearsal_starts_no_communication(torch, group, name):
    model = MODELS[name](torch)
    sent = []

    def note(_, bucket):
        sent.append(bucket.index())
        done = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    model.register_comm_hook(None, note)
    loss = loss_of(torch, model)
    assert graphlab.trace(loss)[-1].kind == "Finished"
    assert sent == []
    assert all(one.grad is None for one in model.parameters())
    loss.backward()
    assert sent
    assert all(one.grad is not None for one in model.parameters())


COLLECTIVES = {
    "all_reduce": ("sum",),
    "all_gather_single_autograd": (0,),
    "reduce_scatter_single_autograd": ("sum", 0),
    "all_to_all_single_autograd": (None, None),
}


@pytest.mark.parametrize("name", [*COLLECTIVES, "with unused parameters", "fully sharded"])
def test_nodes_that_communicate_are_drawn_and_not_rehearsed(torch, group, name):
    if name in COLLECTIVES:
        functions = pytest.importorskip("torch.distributed._functional_collectives")
        hidden = torch.ones(2, 3, requires_grad=True) * 2
        loss = getattr(functions, name)(hidden, *COLLECTIVES[name], group).sum()
    else:
        model = MODELS[name](torch)
        loss = loss_of(torch, model)
    for call in (graphlab.trace, graphlab.step):
        with pytest.raises(RuntimeError, match="its rule communicates with other processes"):
            call(loss)
    assert graphlab.draw(loss).svg.startswith("<svg")
    loss.backward()
