"""Of the lines at which values leave the graph, the one is named whose values reach the loss.

Read next: tests/pytorch_graphs/test_diagnosis.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab

pytestmark = pytest.mark.torch


def sampled(torch, h, out):
    z = torch.distributions.Normal(h, 1.0).sample()  # the argument check compares h before
    return out(z)


def sampled_without_a_check(torch, h, out):
    return out(torch.distributions.Normal(h, 1.0, validate_args=False).sample())


def printed_before_a_block(torch, h, out):
    print(h.detach().mean(), h.max().item())
    with torch.no_grad():
        h = h / h.norm()
    return out(h)


def measured_before_a_block(torch, h, out):
    accuracy = (h.argmax(1) == 0).float().mean()
    with torch.no_grad():
        h = 1 - h
    assert accuracy <= 1
    return out(h)


def logged_before_a_list(torch, h, out):
    print(h.mean().item())
    return out(torch.tensor(h.tolist()))


def inside_a_decorated_function(torch, h, out):
    @torch.no_grad()
    def normed(h):
        return h / h.norm()

    return out(normed(h))


def a_view_in_a_block(torch, h, out):
    with torch.no_grad():
        h = h[:2]
    return out(h)


def copied_into_a_new_leaf(torch, h, out):
    with warnings.catch_warnings(action="ignore"):  # PyTorch recommends h.detach().clone()
        return out(torch.tensor(h, requires_grad=True))


def written_into_a_buffer(torch, h, out):
    print(h.data.mean())
    buffer = torch.zeros(4, 3)
    buffer[1:] = h.detach()[1:]
    return out(torch.cat([buffer, buffer]))


def through_another_layer(torch, h, out):
    print(h.data.mean())
    again = out(h.detach()).detach()
    return out(again.expand(4, 3))


def the_best_indices(torch, h, out):
    print(h.data.mean())
    return out(torch.eye(3)[h.topk(1).indices[:, 0]])


LINES = {
    sampled: ("no_grad()", ".sample()"),
    sampled_without_a_check: ("no_grad()", ".sample()"),
    printed_before_a_block: ("no_grad()", "h = h / h.norm()"),
    measured_before_a_block: ("no_grad()", "h = 1 - h"),
    logged_before_a_list: ("tolist()", "h.tolist()"),
    inside_a_decorated_function: ("no_grad()", "return h / h.norm()"),
    a_view_in_a_block: ("no_grad()", "h = h[:2]"),
    copied_into_a_new_leaf: ("tensor()", "torch.tensor(h"),
    written_into_a_buffer: ("detach()", "buffer[1:] = "),
    through_another_layer: ("detach()", "out(h.detach())"),
    the_best_indices: ("topk()", "h.topk(1)"),
}


@pytest.mark.parametrize("lose", LINES, ids=lambda lose: lose.__name__)
def test_the_line_is_named_from_which_values_reach_the_loss(torch, lose):
    enc, out = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    with graphlab.record() as timeline:
        h = enc(torch.ones(4, 2))
        lose(torch, h, out).sum().backward()
    (found,) = timeline.unreached()
    how, line = LINES[lose]
    assert (found.name, found.why) == ("enc.*", f"cut off by {how}")
    assert line in found.source.text
    assert timeline.notice == ""


def test_all_lines_are_named_from_which_values_reach_a_loss(torch):
    gen, dis = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    with graphlab.record() as timeline:
        fake = gen(torch.ones(3, 2))
        dis(fake.detach()).sum().backward()
        dis(fake.data).sum().backward()
    (found,) = timeline.unreached()
    assert found.name == "gen.*"
    assert found.why == f"cut off by detach() in line {found.source.line - 1} and by .data"
    assert "dis(fake.data)" in found.source.text


def model(torch, use):
    """A module of which one parameter, k, is used in a special way."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.k = torch.nn.Parameter(torch.tensor([2.0]))
            self.w = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return (x * self.w * use(torch, self.k)).sum()

    return Net()


USES = {
    "item()": lambda torch, k: k.item(),
    "float()": lambda torch, k: torch.tensor([float(k)] * 3),
    "tolist()": lambda torch, k: torch.tensor(k.tolist()),
    "gt()": lambda torch, k: (k > 0).float(),
    "tensor()": lambda torch, k: torch.tensor(k),
    "detach()": lambda torch, k: torch.tensor(k.detach().numpy()),
}


@pytest.mark.filterwarnings("ignore:To copy construct from", "ignore:Converting a tensor")
@pytest.mark.parametrize("how", USES)
def test_a_parameter_that_is_used_without_its_graph_is_told_with_the_line(torch, how):
    net = model(torch, USES[how])
    with graphlab.record() as timeline:
        net(torch.ones(3)).backward()
    (found,) = timeline.unreached()
    assert (found.name, found.why) == ("net.k", f"cut off by {how}")
    assert "lambda torch, k" in found.source.text


NO_PATH = "no gradient path leads from the result to it"


def test_lines_that_are_not_known_to_lead_to_the_loss_are_only_listed(torch):
    def use(torch, k):
        assert (k > 0).all()
        assert k.item() > 0
        return torch.from_numpy(k.detach().numpy() * 2)

    net = model(torch, use)
    with graphlab.record() as timeline:
        net(torch.ones(3)).backward()
    (found,) = timeline.unreached()
    line = found.source.line
    by = f"item() in line {line - 1} and by detach()"
    assert found.why == f"{NO_PATH}; values left the graph by {by}"
    net = model(torch, lambda torch, k: 1.0 if (k > 0).all() else 2.0)
    with graphlab.record() as timeline:
        net(torch.ones(3)).backward()
    (found,) = timeline.unreached()
    assert found.why == f"its module ran in this block, but {NO_PATH}"


def test_a_parameter_is_told_whose_memory_another_leaf_has(torch):
    net = model(torch, lambda torch, k: torch.nn.Parameter(k))
    with graphlab.record() as timeline:
        net(torch.ones(3)).backward()
    (found,) = timeline.unreached()
    assert "another tensor in its memory" in found.why


def test_each_node_is_visited_once_whatever_a_loop_reads(torch, monkeypatch):
    from graphlab.adapters.pytorch import exits

    walked, edges_of = [], exits.edges_of
    monkeypatch.setattr(exits, "edges_of", lambda node: walked.append(0) or edges_of(node))
    w, h, steps = torch.ones(2, 2, requires_grad=True), torch.ones(2), 300
    with graphlab.record():
        for _ in range(steps):
            h = (w @ h).tanh()
            h.sum().item()
    assert 3 * steps - 5 <= len(walked) <= 3 * steps


def test_a_view_that_pytorch_does_not_read_does_not_end_the_recording(torch):
    w = torch.ones(3, 2).requires_grad_()
    base = w * 2
    with graphlab.record() as timeline:
        with torch.no_grad():
            row = base[0]
        base.mul_(2)  # from here on, `row.grad_fn` raises
        with torch.no_grad():
            print(row.sum())
        base.sum().backward()
    assert timeline.notice == ""
    assert timeline[-1].kind == "Finished"
