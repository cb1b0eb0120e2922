"""Objects of the user's own classes that hold leaves are guessed scopes.

Read next: tests/adapters/test_scopes.py
"""

import graphlab as torch
from graphlab.faces.render.scope_tree import scope_tree


class Linear:
    def __init__(self, before, after):
        self.weight = torch.ones(before, after, requires_grad=True)
        self.bias = torch.zeros(after, requires_grad=True)

    def __call__(self, x):
        return x @ self.weight + self.bias


class Norm:
    def __init__(self, size):
        self.gamma = torch.ones(size, requires_grad=True)
        self.beta = torch.zeros(size, requires_grad=True)

    def __call__(self, x):
        x = (x - x.mean(0)) / x.std(0)
        return self.gamma * x + self.beta


class Block:
    def __init__(self):
        self.up, self.down = Linear(2, 4), Linear(4, 2)

    def __call__(self, x):
        return x.cos() + self.down(self.up(x).relu())


class Neuron:
    def __init__(self, count):
        self.w = [torch.tensor(0.5 + k, requires_grad=True) for k in range(count)]
        self.b = torch.tensor(0.1, requires_grad=True)

    def __call__(self, x):
        return sum((w * one for w, one in zip(self.w, x, strict=True)), self.b).tanh()


class Net:
    def __init__(self):
        self.layers = [[Neuron(2), Neuron(2)], [Neuron(2)]]

    def __call__(self, x):
        for neurons in self.layers:
            x = [neuron(x) for neuron in neurons]
        return x[0]


def of(graph):
    """The operation and the scope of each node, the oldest first, and the class of each scope."""
    made = sorted((node for node in graph.nodes if node.variable is None), key=lambda n: n.sequence)
    assert all(one.guessed for one in graph.scopes)
    return [(one.op, one.scope) for one in made], {one.path: one.kind for one in graph.scopes}


def test_an_object_has_the_operations_of_its_methods_before_and_after_its_leaves_are_taken():
    layers = [Linear(3, 4), Norm(4), Norm(4), torch.tanh, Linear(4, 1)]
    x = torch.arange(6.0).view(2, 3)
    for layer in layers:
        x = layer(x)
    loss = x.sum()
    graph = torch.draw(loss).graph
    found, kinds = of(graph)
    own = [path for _, path in found]
    assert own[:2] == ["layers[0]"] * 2
    assert own[2:8] == ["layers[1]"] * 6
    assert own[8:14] == ["layers[2]"] * 6
    assert found[14:] == [("tanh", ""), ("mm", "layers[4]"), ("add", "layers[4]"), ("sum", "")]
    assert kinds == {
        "layers[0]": "Linear", "layers[1]": "Norm", "layers[2]": "Norm", "layers[4]": "Linear",
    }  # fmt: skip
    assert {one.scope for one in graph.nodes if one.variable} == kinds.keys()


def test_objects_in_objects_are_scopes_in_scopes_and_depth_draws_them_as_cards():
    blocks = [Block(), Block()]
    x = torch.ones(1, 2, requires_grad=True)
    loss = blocks[1](blocks[0](x)).sum() + 0.1 * sum(b.up.weight.square().sum() for b in blocks)
    drawing = torch.draw(loss, depth=1)
    found, kinds = of(drawing.graph)
    block = [("cos", ""), ("mm", ".up"), ("add", ".up"), ("relu", ""), ("mm", ".down")]
    block += [("add", ".down"), ("add", "")]
    assert found[:14] == [(op, f"blocks[{k}]{inner}") for k in (0, 1) for op, inner in block]
    assert not any(path for _, path in found[14:])  # what takes a weight in no method
    assert kinds["blocks[1]"] == "Block"
    assert kinds["blocks[1].down"] == "Linear"
    cards = [one.id for one in drawing.scene.groups if one.kind == "scope"]
    assert sorted(cards) == ["@blocks[0]", "@blocks[1]"]
    assert "guessed" in drawing.svg


def test_an_object_that_is_called_again_is_another_scope():
    n = Net()
    loss = sum((n(x) - 1) ** 2 for x in ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0)))
    drawing = torch.draw(loss, depth=1)
    found, kinds = of(drawing.graph)
    neuron = ["mul", "add", "mul", "add", "tanh"]
    inner = [path for path in ("layers[0][0]", "layers[0][1]", "layers[1][0]") for _ in neuron]
    for turn, call in enumerate(("n", "n 2", "n 3")):
        first = turn * 18  # and three operations outside: sub, pow and add
        assert found[first : first + 15] == [
            (op, f"{call}.{path}") for op, path in zip(neuron * 3, inner, strict=True)
        ]
        assert {path for _, path in found[first + 15 : first + 18]} == {""}
    assert kinds["n 2"] == "Net"
    assert kinds["n 3.layers[0][1]"] == "Neuron"
    tree = scope_tree(drawing.graph, depth=1)
    assert [part.label for part in tree.root.parts] == ["n 3", "n 2", "n"]


def test_leaves_that_many_calls_share_are_one_card_when_calls_are_cards():
    n = [Neuron(16), Neuron(16)]
    loss = sum(n[0](x) * n[1](x) for x in (range(1, 17), range(2, 18)))
    tree = scope_tree(torch.draw(loss).graph, depth=1)
    labels = ["n[0]", "n[0] 2", "n[1]", "n[1] 2", "leaves 1–34"]
    assert sorted(part.label for part in tree.root.parts) == sorted(labels)
    assert not [node for node in tree.root.nodes if node.variable]


def test_no_scope_is_guessed_for_one_object_or_for_lists_and_dictionaries_or_inside_a_scope():
    w = [torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)]
    params = {"a": torch.ones(2, requires_grad=True), "b": torch.ones(2, requires_grad=True)}
    one, two = Norm(2), Norm(2)
    x = torch.arange(6.0).view(3, 2)
    assert torch.draw((w[0] * w[1]).sum()).graph.scopes == ()
    assert torch.draw((params["a"] * params["b"]).sum()).graph.scopes == ()
    assert torch.draw(one(x).sum()).graph.scopes == ()
    assert torch.draw((one.gamma * two.gamma).sum()).graph.scopes == ()
    with torch.scope("mine"):
        loss = two(one(x)).sum()
    assert [scope.path for scope in torch.draw(loss).graph.scopes] == ["mine"]


class Wave:
    def __init__(self, k):
        self.w = torch.tensor(float(k), requires_grad=True)

    def __call__(self, x):
        return (x * self.w).sin()


def test_a_call_of_an_object_without_a_name_is_in_no_other_ones_card():
    a, b, x = Wave(1), Wave(2), torch.tensor(1.0, requires_grad=True)
    for made in (Wave(4)(Wave(3)(b(a(x)))), b(a(Wave(4)(Wave(3)(x))))):
        scopes = [scope for _, scope in of(torch.draw(made).graph)[0]]
        assert sorted(scopes) == ["", "", "", "", "a", "a", "b", "b"]


def test_objects_of_a_dictionary_whose_keys_have_dots_are_drawn():
    d, x = {"enc.0": Wave(1), "enc.1": Wave(2)}, torch.tensor(1.0, requires_grad=True)
    assert "sin" in torch.draw(d["enc.1"](d["enc.0"](x))).svg


def test_the_calls_of_a_network_are_its_cards_also_where_it_has_many_leaves():
    class Wide:
        def __init__(self):
            self.neurons = [Neuron(2) for _ in range(40)]

        def __call__(self, x):
            return sum(neuron(x) for neuron in self.neurons)

    net, x = Wide(), [torch.tensor(float(k)) for k in range(2)]
    tree = scope_tree(torch.draw((net(x) - 1) ** 2 + (net(x) - 1) ** 2).graph)
    assert [part.label for part in tree.root.parts][:2] == ["net 2", "net"]
    assert all(part.label.startswith("leaves") for part in tree.root.parts[2:])
