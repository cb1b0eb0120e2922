"""What cannot be rehearsed is refused with a sentence, and nothing is changed; the rest is drawn.

Read next: docs/pytorch.md
"""

from __future__ import annotations

import re

import pytest

import graphlab
from graphlab.graph.timeline import Timeline

pytestmark = pytest.mark.torch


def leaf(torch, *shape, **options):
    return torch.rand(*shape, requires_grad=True, **options)


def freed(torch):
    loss = (leaf(torch, 3) * leaf(torch, 3)).sum()
    loss.backward()
    return loss


def changed(torch):
    h = leaf(torch, 3).exp()
    loss = (h * h).sum()
    with torch.no_grad():
        h += 1
    return loss


def in_inference(torch):
    with torch.inference_mode():
        return torch.rand(3).sum()


def checkpointed(torch, reentrant):
    from torch.utils.checkpoint import checkpoint

    return checkpoint(lambda x: x.sin().exp(), leaf(torch, 3), use_reentrant=reentrant).sum()


REFUSED = {
    "Trying to backward through the graph a second time": freed,
    "modified by an inplace operation": changed,
    "nothing was recorded that leads to it": lambda torch: torch.rand(3).sum(),
    "got a tensor of dtype torch.int64": lambda torch: torch.tensor(3),
    "made in torch.inference_mode()": in_inference,
    "grad can be implicitly created only for scalar outputs": lambda torch: leaf(torch, 3) * 2,
    "does not rehearse a checkpoint": lambda torch: checkpointed(torch, False),
    "does not rehearse a reentrant checkpoint": lambda torch: checkpointed(torch, True),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_rehearsed_is_refused_with_a_sentence(torch, message):
    tensor = REFUSED[message](torch)
    for call in (graphlab.trace, graphlab.step):
        with pytest.raises(RuntimeError, match=re.escape(message)):
            call(tensor)


@pytest.mark.parametrize("make", [freed, changed, lambda torch: checkpointed(torch, False)])
def test_a_graph_that_cannot_be_rehearsed_is_still_drawn(torch, make):
    assert graphlab.draw(make(torch)).svg.startswith("<svg")


def test_of_a_meta_tensor_each_step_is_said_to_be_without_values(torch):
    x = torch.ones(3, device="meta", requires_grad=True)
    report = str(graphlab.check((x * x).sum()))
    assert "not tried, because its gradient has no values that can be read" in report
    assert "0 of 3 steps: PyTorch's number equals the rule's." in report
    with graphlab.record() as timeline:
        (x * x).sum().backward()
    assert (timeline.notice, timeline[-1].kind) == ("", "Finished")
    _, first, runs, *_ = (event.sentence for event in timeline)
    assert first.endswith(" with an unknown gradient.")
    assert runs.startswith("SumBackward0 runs with an unknown gradient.")


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("call", [graphlab.trace, graphlab.step, graphlab.check])
def test_a_list_of_tensors_is_refused_with_what_to_do(torch, call, both):
    x = torch.tensor(2.0, requires_grad=True)
    other = graphlab.tensor(2.0, requires_grad=True) if both else x
    with pytest.raises(TypeError, match="pass one tensor at a time, or their sum"):
        call([x * 2, other * 3])


@pytest.mark.parametrize("pytorchs_first", [False, True])
def test_a_drawing_of_both_libraries_is_refused(torch, pytorchs_first):
    one, other = torch.tensor(2.0, requires_grad=True), graphlab.tensor(2.0, requires_grad=True)
    both = [one * 2, other * 3][:: 1 if pytorchs_first else -1]
    with pytest.raises(TypeError, match="expects tensors of one library"):
        graphlab.draw(both)


@pytest.mark.parametrize("several", [False, True])
def test_leaves_of_the_other_library_are_refused_in_check(torch, several):
    x, other = leaf(torch, 3), graphlab.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match="the loss is a PyTorch tensor, so its leaves are, too"):
        graphlab.check((x * 2).sum(), [x, other] if several else other)
    assert len(graphlab.check((x * 2).sum(), (x,)).leaves) == 1


def test_a_recording_of_both_libraries_says_which_one_it_shows(torch):
    x, other = leaf(torch, 3), graphlab.ones(3, requires_grad=True)
    with graphlab.record() as timeline:
        (x * 2).sum().backward()
        (other * 3).sum().backward()
    assert "GraphLab's are shown. Record PyTorch's in a block of their own." in timeline.notice
    assert timeline.grad("other") == [3.0, 3.0, 3.0]


def test_inside_vmap_is_said(torch):
    with pytest.raises(RuntimeError, match="inside vmap"):
        torch.vmap(lambda v: graphlab.trace(v.sum()))(leaf(torch, 2, 3))


@pytest.mark.parametrize(
    ("gradient", "kind", "message"),
    [
        ([1.0, 2.0, 3.0], TypeError, "either Tensors or None, but got builtins.list"),
        (graphlab.ones(3), TypeError, "but got graphlab.tensor.tensor.Tensor; pass a PyTorch"),
        ("wide", RuntimeError, "Mismatch in shape: grad_output[0] has a shape of"),
    ],
)
def test_a_gradient_that_does_not_fit_is_refused(torch, gradient, kind, message):
    given = torch.ones(4) if gradient == "wide" else gradient
    with pytest.raises(kind, match=re.escape(message)):
        graphlab.trace(leaf(torch, 3) * 2, given)


def test_a_gradient_of_pytorchs_is_refused_for_a_tensor_of_graphlabs(torch):
    x = graphlab.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match="either Tensors or None"):
        graphlab.trace(x * 2, torch.ones(3))


MIXED = {
    "a sum": lambda torch, a, t: a + t,
    "a sum, theirs first": lambda torch, a, t: t + a,
    "a product of matrices": lambda torch, a, t: a @ t,
    "a product of matrices, theirs first": lambda torch, a, t: t @ a,
    "a power": lambda torch, a, t: a**t,
    "a comparison": lambda torch, a, t: a < t,
    "equality": lambda torch, a, t: a == t,
    "equality, theirs first": lambda torch, a, t: t == a,
    "a change in place": lambda torch, a, t: a.detach().add_(t),
    "an entry": lambda torch, a, t: a.detach().__setitem__(0, t[0]),
    "a tensor of a tensor": lambda torch, a, t: graphlab.tensor(t),
    "a tensor of a list": lambda torch, a, t: graphlab.tensor([t[0], t[1]]),
    "as_tensor": lambda torch, a, t: graphlab.as_tensor(t),
    "a parameter": lambda torch, a, t: graphlab.nn.Parameter(t),
    "a function of one": lambda torch, a, t: graphlab.exp(t),
    "a function of two": lambda torch, a, t: graphlab.where(a > 0, a, t),
    "a list": lambda torch, a, t: graphlab.cat([a, t]),
    "a module": lambda torch, a, t: graphlab.nn.Linear(2, 2)(t),
    "an optimizer": lambda torch, a, t: graphlab.optim.SGD([t], lr=0.1),
    "a gradient": lambda torch, a, t: (a * 2).backward(t),
    "a .grad": lambda torch, a, t: setattr(a, "grad", t),
    "an input of grad": lambda torch, a, t: graphlab.autograd.grad(a.sum(), t),
    "theirs of ours": lambda torch, a, t: torch.exp(a),
    "their module of ours": lambda torch, a, t: torch.nn.Linear(2, 2)(a),
    "their list": lambda torch, a, t: torch.cat([t, a]),
}


@pytest.mark.parametrize("call", MIXED)
def test_tensors_of_both_libraries_in_one_formula_are_refused_with_what_to_do(torch, call):
    ours = graphlab.tensor([1.0, 2.0], requires_grad=True)
    theirs = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises((TypeError, RuntimeError, AttributeError)) as caught:
        MIXED[call](torch, ours, theirs)
    said = str(caught.value)
    assert "PyTorch's" in said
    assert "GraphLab's" in said
    assert "graphlab.tensor(x.detach().numpy())" in said
    assert graphlab.tensor(theirs.detach().numpy()).tolist() == [1.0, 2.0]


# what `import torch.nn` and `import torch.nn.functional as F` lead to where `torch` is GraphLab
OF_BOTH = ["nn.Linear(2, 2)(x)", "F.mse_loss(x, x)", "torch.mm(nn.Linear(1, 2).weight, x)"]


@pytest.mark.parametrize("line", OF_BOTH)
def test_where_torch_is_graphlab_the_error_names_graphlabs_modules(torch, line):
    theirs = {"nn": torch.nn, "F": torch.nn.functional}
    with pytest.raises(TypeError, match="one formula") as caught:
        eval(line, {"torch": graphlab, "x": graphlab.ones(2, 2), **theirs})
    said = str(caught.value)
    assert "write `from graphlab import nn`, `import graphlab.nn.functional as F`" in said
    assert "torch.tensor(" not in said  # it would make a tensor of GraphLab's again


def test_pytorchs_optimizer_names_the_class_of_a_tensor_of_graphlabs(torch):
    with pytest.raises(TypeError, match="one of the params is graphlab"):
        torch.optim.SGD([graphlab.ones(3, requires_grad=True)], lr=0.1)


def nested(torch):
    rows = [torch.rand(2, 3), torch.rand(4, 3)]
    tensor = torch.nested.nested_tensor(rows, requires_grad=True, layout=torch.jagged)
    return tensor.sin().values().sum()


def of_subclass(torch):
    class Own(torch.Tensor):
        pass

    return (leaf(torch, 3).as_subclass(Own) * 2).sum()


def on_cpu(torch):
    with torch.autograd.graph.save_on_cpu():
        return (leaf(torch, 3) * leaf(torch, 3)).exp().sum()


def compiled(torch):
    return torch.compile(lambda v: v.sin().sum() * 2, backend="aot_eager")(leaf(torch, 3))


UNUSUAL = {
    "bfloat16": lambda torch: (leaf(torch, 3, 4).to(torch.bfloat16) * 2).sum(),
    "float16": lambda torch: (leaf(torch, 3, 4).half() * 2).sum(),
    "float8": lambda torch: leaf(torch, 3).to(torch.float8_e4m3fn).float().sum(),
    "complex": lambda torch: torch.fft.fft(leaf(torch, 4)).abs().sum(),
    "meta": lambda torch: (leaf(torch, 3, device="meta") * 2).sum(),
    "sparse": lambda torch: torch.sparse.mm(torch.eye(3).to_sparse(), leaf(torch, 3, 2)).sum(),
    "sparse leaf": lambda torch: (torch.eye(3).to_sparse().requires_grad_() * 2).to_dense().sum(),
    "nested": nested,
    "subclass": of_subclass,
    "saved on the processor": on_cpu,
    "compiled": compiled,
    "vmap, outside": lambda torch: torch.vmap(lambda v: v.sin().sum())(leaf(torch, 2, 3)).sum(),
    "quantities of no entry": lambda torch: leaf(torch, 0, 3).sum(),
    "a leaf": lambda torch: leaf(torch, 1).requires_grad_(),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_whatever_the_type_or_the_layout_it_is_drawn_walked_and_saved(torch, name):
    loss = UNUSUAL[name](torch)
    timeline = graphlab.trace(loss)
    assert len(Timeline.from_json(timeline.to_json())) == len(timeline) >= 3
    assert graphlab.draw(loss).svg.startswith("<svg")
    assert timeline._repr_mimebundle_(None, None)["text/plain"]


def test_a_chain_of_thousands_of_nodes_takes_no_recursion(torch):
    x = leaf(torch, 2)
    for _ in range(3_000):
        x = x * 1.001
    assert len(graphlab.trace(x.sum())) > 20_000


def test_a_tensor_that_is_an_attribute_of_a_module_is_named_after_both(torch):
    net = torch.nn.Linear(2, 1)
    net.scale = torch.tensor(2.0, requires_grad=True)
    graph = graphlab.draw(net(torch.ones(2)) * net.scale).graph
    assert {"net.scale", "net.weight"} <= {one.name for one in graph.tensors}


def test_names_are_those_of_the_variables(torch):
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    x = torch.ones(4, 3)
    h = net[0](x)
    loss = net[2](net[1](h)).sum()
    text = graphlab.draw(loss).text
    assert text.startswith("loss = ")
    for name in ("h = ", "x = ", "0.weight = ", "2.bias = "):
        assert name in text
    params = {"w": leaf(torch, 3)}
    total = (params["w"] * 2).sum()
    text = graphlab.draw(total).text
    assert "params['w'] = " in text


@pytest.mark.parametrize("own", [True, False])
def test_a_variable_that_is_a_view_changed_against_the_rules_gets_no_name(torch, own):
    library = graphlab if own else torch
    x = library.ones(2, 3, requires_grad=True)
    rows = x.split(1)
    with library.no_grad():
        rows[1].add_(1)
    loss = (x * x).sum()
    assert "x" in [one.name for one in graphlab.trace(loss).graph.tensors]
    assert "x = " in graphlab.draw(loss).text
    assert len(graphlab.check(loss)) == 1
    with pytest.raises(RuntimeError, match="Output 1 of Split is a view"):
        graphlab.draw(rows[1])
