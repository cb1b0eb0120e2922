"""`manual_seed` gives PyTorch's numbers, draw for draw.

Read next: tests/parity/test_facts.py
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import graphlab

# lists of draws after manual_seed(seed); more than 15 normal numbers are made in blocks of 16
DRAWS = {
    "rand": (0, lambda t: [t.rand(3), t.rand(2, 2), t.rand(())]),
    "randn": (0, lambda t: [t.randn(5, 3), t.randn(3)]),
    "an odd number leaves one over": (1, lambda t: [t.randn(3), t.randn(2), t.rand(1), t.randn(1)]),
    "blocks": (2, lambda t: [t.randn(4, 4), t.randn(20), t.randn(3), t.randn(100)[-5:]]),
    "randint": (3, lambda t: [t.randint(10, (6,)), t.randint(-5, 5, (2, 2)), t.rand(1)]),
    "wide randint": (4, lambda t: [t.randint(0, 2**40, (3,)), t.rand(1)]),
    "float64": (5, lambda t: [t.rand(3, dtype=t.float64), t.randn(3, dtype=t.float64)]),
    "float64 blocks": (6, lambda t: [t.randn(18, dtype=t.float64)]),
    "a large seed": (2**40 + 7, lambda t: [t.rand(2), t.randn(2)]),
    "a negative seed": (-3, lambda t: [t.rand(2)]),
    "a generator of its own": (
        7,
        lambda t: [t.rand(2, generator=t.Generator().manual_seed(9)), t.rand(2)],
    ),
}

RECORDED = {  # PyTorch 2.13.0
    "rand": [[0.49625658988952637, 0.7682217955589294, 0.08847743272781372]],
    "randn": [
        [
            [1.5409960746765137, -0.293428897857666, -2.1787893772125244],
            [0.5684312582015991, -1.0845223665237427, -1.3985954523086548],
            [0.40334683656692505, 0.8380263447761536, -0.7192575931549072],
            [-0.40334352850914, -0.5966353416442871, 0.18203648924827576],
            [-0.8566746115684509, 1.1006041765213013, -1.0711873769760132],
        ],
        [0.1227012425661087, -0.5663174986839294, 0.3731146454811096],
    ],
    "randint": [[6, 8, 7, 7, 0, 0]],
    "blocks": [  # 16 numbers, in rows of 4
        [
            [-1.0408011674880981, 0.9166041612625122, -1.3041903972625732, -1.1096783876419067],
            [-1.218778133392334, 1.1675924062728882, -1.0573921203613281, -0.11883937567472458],
            [-0.907839834690094, 0.34522223472595215, -0.5713338851928711, -0.23510892689228058],
            [1.0076051950454712, -0.7528814673423767, -0.22499920427799225, -0.4326860308647156],
        ]
    ],
}


def draws(lib, name):
    seed, make = DRAWS[name]
    lib.manual_seed(seed)
    return [(str(t.dtype), t.tolist()) for t in make(lib)]


@pytest.mark.parametrize("name", RECORDED)
def test_the_numbers_are_those_recorded(name):
    ours = draws(graphlab, name)
    for (_, numbers), expected in zip(ours, RECORDED[name], strict=False):
        # blocks are made by vectorised float32 functions, which differ in the last bits
        np.testing.assert_allclose(numbers, expected, rtol=1e-5 if name == "blocks" else 1e-7)


@pytest.mark.torch
@pytest.mark.parametrize("name", DRAWS)
def test_the_numbers_are_pytorchs(name, torch):
    ours, theirs = draws(graphlab, name), draws(torch, name)
    for (a, x), (b, y) in zip(ours, theirs, strict=True):
        assert a == b
        # PyTorch makes blocks of normal numbers with vectorised float32 functions
        np.testing.assert_allclose(x, y, rtol=1e-5 if "blocks" in name else 1e-7, atol=1e-7)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    def some(seed):
        graphlab.manual_seed(seed)
        return graphlab.randn(4).tolist()

    assert some(1) == some(1) != some(2)
    assert graphlab.initial_seed() == 2


def test_randn_may_require_a_gradient():
    w = graphlab.randn(5, 3, requires_grad=True)
    assert (w.is_leaf, w.requires_grad, w.dtype) == (True, True, graphlab.float32)
    w.sum().backward()
    assert w.grad.tolist() == [[1.0] * 3] * 5


# -- every distribution, beside PyTorch --------------------------------------------------------

CASES = """
torch.rand(5)
torch.rand(100)
torch.rand(3,dtype=torch.float64)
torch.rand(3,dtype=torch.float16)
torch.randn(5)
torch.randn(15)
torch.randn(16)
torch.randn(17)
torch.randn(100)
torch.randn(1000)
torch.randn(10007)
torch.randn(5,dtype=torch.float64)
torch.randn(16,dtype=torch.float64)
torch.randn(17,dtype=torch.float64)
torch.randn(1000,dtype=torch.float64)
torch.randn(5,dtype=torch.float16)
torch.randn(20,dtype=torch.float16)
torch.randint(10,(20,))
torch.randint(-5,5,(2,3))
torch.randint(2**40,(5,))
torch.randint(0,2**32,(5,))
torch.randint(0,2**33,(5,))
torch.randint(0,10,(5,),dtype=torch.float32)
torch.randint(0,10,(5,),dtype=torch.int32)
torch.randint(0,10,(5,),dtype=torch.uint8)
torch.randint(0,2,(5,),dtype=torch.bool)
torch.randint_like(torch.zeros(3),10)
torch.randint_like(torch.zeros(3),1,10)
torch.randperm(5)
torch.randperm(100)
torch.randperm(1)
torch.randperm(0)
torch.randperm(10,dtype=torch.int32)
torch.randperm(70000)
torch.normal(0.,1.,(3,))
torch.normal(2.,3.,(20,))
torch.normal(torch.zeros(5),1.)
torch.normal(torch.zeros(20),2.)
torch.normal(1.,torch.ones(5))
torch.normal(torch.arange(20.),torch.ones(20))
torch.normal(torch.arange(3.),torch.ones(2,3))
torch.normal(torch.zeros(3,dtype=torch.float64),1.)
torch.bernoulli(torch.full((5,),.5))
torch.bernoulli(torch.full((50,),.3))
torch.bernoulli(torch.full((50,),.3,dtype=torch.float64))
torch.bernoulli(torch.zeros(5),p=.5)
torch.zeros(50).bernoulli_(.3)
torch.zeros(50).bernoulli_()
torch.zeros(5).bernoulli_(torch.full((5,),.5))
torch.zeros(5,dtype=torch.int64).bernoulli_(.5)
torch.multinomial(torch.tensor([.1,.2,.7]),2)
torch.multinomial(torch.tensor([.1,.2,.7]),5,replacement=True)
torch.multinomial(torch.tensor([.1,.2,.7]),1)
torch.multinomial(torch.rand(4,6),3)
torch.multinomial(torch.rand(4,6),3,True)
torch.multinomial(torch.rand(4,6,dtype=torch.float64),3,True)
torch.multinomial(torch.rand(4,6,dtype=torch.float64),3)
torch.dropout_(torch.ones(2,3,2),.5,True)
torch.feature_dropout(torch.ones(2,3,2),.5,True)
torch.feature_dropout_(torch.ones(2,3,2),.5,True)
torch.alpha_dropout_(torch.ones(2,3,2),.5,True)
torch.feature_alpha_dropout_(torch.ones(2,3,2),.5,True)
torch.poisson(torch.full((5,),3.))
torch.poisson(torch.full((5,),30.))
torch.binomial(torch.full((5,),9.),torch.tensor([0.,.2,.5,.9,1.]))
torch.binomial(torch.full((5,),400.),torch.tensor([.03,.2,.5,.9,.99]))
torch.binomial(torch.full((9,),1e5,dtype=torch.float64),torch.tensor(.3,dtype=torch.float64))
torch.binomial(torch.tensor([-1.,9.]),torch.tensor([.5,float('nan')]))
torch.rand_like(torch.zeros(3))
torch.randn_like(torch.zeros(20))
torch.randn_like(torch.zeros(3,dtype=torch.float64))
torch.empty(5).uniform_()
torch.empty(5).uniform_(-1,1)
torch.empty(50).uniform_(-3,1)
torch.empty(5,dtype=torch.float64).uniform_(-1,1)
torch.empty(5).normal_()
torch.empty(20).normal_(2,3)
torch.empty(5).normal_(2,3)
torch.empty(20,dtype=torch.float64).normal_(2,3)
torch.empty(5).exponential_()
torch.empty(5).exponential_(2.)
torch.empty(5,dtype=torch.float64).exponential_(2.)
torch.empty(5).geometric_(.3)
torch.empty(5,dtype=torch.int64).random_()
torch.empty(5).random_()
torch.empty(5).random_(10)
torch.empty(5).random_(3,10)
torch.empty(5,dtype=torch.int32).random_()
torch.empty(5,dtype=torch.uint8).random_()
torch.empty(5,dtype=torch.float64).random_()
torch.rand(2,3).t()
torch.empty(4,5).t().uniform_()
torch.empty(4,5).t().normal_()
torch.randn(0)
torch.rand(())
torch.randn(())
torch.randn(1)
"""


def drawn(lib, expression):
    """What an expression draws after seed 7, and what comes next from either stream."""
    lib.manual_seed(7)
    found = eval(expression, {"torch": lib, "np": np})
    return found.dtype, found.numpy(), lib.rand(1).item(), lib.randn(1).item()


@pytest.mark.torch
@pytest.mark.parametrize("expression", CASES.strip().splitlines())
def test_every_distribution_draws_pytorchs_numbers_to_the_last_bit(expression, torch):
    ours, theirs = drawn(graphlab, expression), drawn(torch, expression)
    assert str(ours[0]) == str(theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])
    assert ours[2:] == theirs[2:]


@pytest.mark.torch
@pytest.mark.parametrize("draws", [0, 1, 5, 623, 625, 1300])
@pytest.mark.parametrize("normals", [0, 1])
def test_the_state_of_a_stream_is_pytorchs_byte_for_byte(draws, normals, torch):
    for lib in (graphlab, torch):
        lib.manual_seed(5)
        lib.rand(draws)
        lib.randn(normals)
    ours, theirs = graphlab.get_rng_state(), torch.get_rng_state()
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    graphlab.manual_seed(0)
    graphlab.set_rng_state(graphlab.tensor(theirs.numpy()))
    assert graphlab.randn(3).tolist() == torch.randn(3).tolist()


def test_a_state_that_was_read_can_be_gone_back_to():
    state = graphlab.get_rng_state()
    first = graphlab.randn(3).tolist()
    graphlab.set_rng_state(state)
    assert graphlab.randn(3).tolist() == first
    with pytest.raises(RuntimeError, match="state size to be 3"):
        graphlab.set_rng_state(graphlab.zeros(3, dtype=graphlab.uint8))
    with pytest.raises(TypeError, match=r"must be a torch\.ByteTensor"):
        graphlab.set_rng_state(graphlab.zeros(5056))


def test_nothing_that_is_drawn_in_a_fork_is_missed_outside():
    graphlab.manual_seed(3)
    alone = graphlab.rand(2).tolist()
    graphlab.manual_seed(3)
    with graphlab.random.fork_rng():
        graphlab.rand(100)
    assert graphlab.rand(2).tolist() == alone


def test_a_random_choice_sends_nothing_back():
    p = graphlab.full((4,), 0.5, requires_grad=True)
    p.bernoulli().sum().backward()
    assert p.grad.tolist() == [0, 0, 0, 0]


def test_a_leaf_that_requires_a_gradient_is_not_filled():
    x = graphlab.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.normal_()
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_a_copy_of_a_generator_draws_the_numbers_that_are_to_come(copied):
    generator = graphlab.Generator().manual_seed(5)
    graphlab.randn(3, generator=generator)
    other = copied(generator)
    assert other is not generator
    assert other.initial_seed() == 5
    expected = graphlab.randn(20, generator=generator).tolist()
    assert graphlab.randn(20, generator=other).tolist() == expected


@pytest.mark.torch
@pytest.mark.parametrize("given", ["a, 1.0", "0.0, b", "a, b", "a.detach(), b", "c, 2.0"])
def test_the_gradients_of_a_normal_draw_are_zeros_and_recorded(given, torch):
    found = []
    for t in (graphlab, torch):
        t.manual_seed(0)
        a, b = t.zeros(2, 1, requires_grad=True), t.ones(3, requires_grad=True)
        c = t.ones(2, dtype=t.float16, requires_grad=True)
        y = eval(f"t.normal({given})", {"t": t, "a": a, "b": b, "c": c})
        y.sum().backward()
        edges = [None if node is None else node.name() for node, _ in y.grad_fn.next_functions]
        grads = [None if x.grad is None else x.grad.tolist() for x in (a, b, c)]
        found.append((y.grad_fn.name(), edges, grads, str(y)))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["dropout", "feature_dropout", "alpha_dropout"])
def test_a_dropout_in_place_returns_the_tensor_that_it_changed(name):
    x = graphlab.ones(2, 3, 2)
    assert getattr(graphlab, f"{name}_")(x, 0.5, True) is x
    assert x._version > 0
