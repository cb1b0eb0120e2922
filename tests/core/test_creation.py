"""Tensors made of numbers, lists, arrays and chance: values, errors and types beside PyTorch's.

Read next: tests/core/test_random.py
"""

from __future__ import annotations

import warnings
from collections import deque

import numpy as np
import pytest

import graphlab

pytestmark = pytest.mark.torch

# expressions over arrays a and ai, a matrix t and a vector it of integers
CASES = """
torch.tensor([1,2.5])
torch.tensor([True,False])
torch.tensor([True,2])
torch.tensor([1,2],dtype=torch.bool)
torch.tensor(a)
torch.tensor(ai)
torch.tensor([t[0],t[1]])
torch.tensor([t[0,0],t[0,1]])
torch.tensor([[t[0,0]],[1.5]])
torch.tensor([it[0],2.5])
torch.tensor([np.float64(1.5),2])
torch.tensor([np.float32(1.5),2])
torch.tensor(np.float32(1.5))
torch.tensor(np.int32(1))
torch.tensor([np.int32(1)])
torch.tensor([[],[]])
torch.tensor([])
torch.tensor(())
torch.tensor([[1,2],[3]])
torch.tensor([[1,2],3])
torch.tensor([1,[2]])
torch.tensor("a")
torch.tensor(["a"])
torch.tensor(None)
torch.tensor([None])
torch.tensor({1:2})
torch.tensor(2**63)
torch.tensor(2**63-1)
torch.tensor([2**64])
torch.tensor(-2**63)
torch.tensor(300,dtype=torch.uint8)
torch.tensor(-1,dtype=torch.uint8)
torch.tensor([300],dtype=torch.int8)
torch.tensor(1.5,dtype=torch.int64)
torch.tensor([1.7,-1.7],dtype=torch.int32)
torch.tensor(float('nan'),dtype=torch.int64)
torch.tensor(1,requires_grad=True)
torch.tensor(1.,requires_grad=True)
torch.tensor(range(3))
torch.tensor(deque([1.0, 2.0]))
torch.as_tensor([deque([1, 2])])
torch.tensor((1,2))
torch.tensor([(1,2),[3,4]])
torch.tensor(1e300)
torch.tensor(1e300,dtype=torch.float16)
torch.tensor(70000.,dtype=torch.float16)
torch.tensor(data=[1])
torch.tensor([1.,2.],device='cpu')
torch.tensor([1.],pin_memory=False)
torch.tensor([1,2],dtype=torch.float)
torch.tensor([1.,2.],dtype='float32')
torch.tensor([[[1]]]).shape
torch.tensor([[1.,float('inf')]])
torch.tensor(np.bool_(True))
torch.tensor([np.bool_(True)])
torch.tensor(object())
torch.tensor([1,"a"])
torch.tensor(b"ab")
torch.tensor(bytearray(b"ab"))
torch.as_tensor(a)
torch.as_tensor(a,dtype=torch.float32)
torch.as_tensor([1,2])
torch.as_tensor(t) is t
torch.as_tensor(t,dtype=torch.float64).dtype
torch.as_tensor(1.5)
torch.from_numpy(a)
torch.from_numpy(ai)
torch.from_numpy([1])
torch.from_numpy(np.array(1.))
torch.asarray(a)
torch.asarray([1,2])
torch.asarray(t) is t
torch.asarray(t,copy=True) is t
torch.asarray(a,dtype=torch.float32)
torch.asarray(1.5)
torch.asarray(t,requires_grad=True).requires_grad
torch.scalar_tensor(3)
torch.scalar_tensor(3,dtype=torch.int64)
torch.full((2,),1)
torch.full((2,),True)
torch.full((2,),1.)
torch.full((2,),1,dtype=torch.float64)
torch.full((2,),1.7,dtype=torch.int64)
torch.full((2,),torch.tensor(2.))
torch.full((2,),"a")
torch.full(2,1)
torch.full((),5.)
torch.full((2,-1),1)
torch.full([2],fill_value=3)
torch.full(size=(2,),fill_value=3)
torch.zeros(2,3)
torch.zeros([2,3])
torch.zeros(size=(2,3))
torch.zeros(2,dtype=torch.int64)
torch.zeros(2.5)
torch.zeros("a")
torch.zeros(-1)
torch.zeros(2,-1)
torch.zeros()
torch.zeros(())
torch.zeros(torch.Size([2]))
torch.zeros(torch.tensor(2))
torch.zeros(np.int64(2))
torch.zeros(True)
torch.zeros(2,dtype=torch.bool,requires_grad=True)
torch.ones(2,requires_grad=True)
torch.ones(2,dtype=torch.int64,requires_grad=True)
torch.zeros(2,device=torch.device('cpu'))
torch.zeros_like(t)
torch.zeros_like(it)
torch.zeros_like(t,dtype=torch.int64)
torch.ones_like(it,dtype=torch.float64,requires_grad=True)
torch.full_like(t,7)
torch.full_like(it,7.9)
torch.full_like(it,7.9,dtype=torch.float32)
torch.empty_like(t).shape
torch.empty_like(t,dtype=torch.int32).dtype
torch.zeros_like(3.)
torch.rand_like(it)
torch.randn_like(t).shape
t.new_zeros(2,3)
t.new_zeros((2,3))
it.new_zeros(2)
it.new_ones(2,dtype=torch.float32)
it.new_full((2,),3)
it.new_full((2,),3.7)
t.new_empty(2).shape
t.new_empty((2,3),dtype=torch.int64).dtype
it.new_tensor([1.5,2.5])
t.new_tensor([1,2])
t.new_tensor(a)
t.new_tensor(5,requires_grad=True)
torch.eye(2)
torch.eye(2,3)
torch.eye(0)
torch.eye(-1)
torch.eye(2,-1)
torch.eye(2,dtype=torch.int64)
torch.eye(2,requires_grad=True)
torch.arange(5)
torch.arange(5.)
torch.arange(1,5)
torch.arange(1,5,2)
torch.arange(1,2.5,.5)
torch.arange(5,1,-1)
torch.arange(5,1)
torch.arange(1,5,-1)
torch.arange(1,5,0)
torch.arange(0)
torch.arange(0,1,.1)
torch.arange(0,1,.3)
torch.arange(0,.9,.3)
torch.arange(1,1.3,.1)
torch.arange(0,10,2.5)
torch.arange(5,dtype=torch.float64)
torch.arange(2.5)
torch.arange(2.5,dtype=torch.int64)
torch.arange(0,5,1.5,dtype=torch.int64)
torch.arange(start=1,end=4)
torch.arange(end=4)
torch.arange(1,end=4,step=2)
torch.arange(float('inf'))
torch.arange(float('nan'))
torch.arange(torch.tensor(3))
torch.arange(torch.tensor(3.))
torch.arange(np.int64(3))
torch.arange(np.float64(3))
torch.arange(True)
torch.arange(3,requires_grad=True)
torch.arange(3.,requires_grad=True)
torch.arange(0,1,1/3)
torch.arange(0.1,1,0.1)
torch.arange(-1,1,.25)
torch.arange(0,1,.1,dtype=torch.float64)
torch.linspace(0,1,5)
torch.linspace(0,1,7)
torch.linspace(-3,10,11)
torch.linspace(0,1,1)
torch.linspace(0,1,0)
torch.linspace(0,1,-1)
torch.linspace(0,10,5,dtype=torch.int64)
torch.linspace(0,9,5,dtype=torch.int64)
torch.linspace(-5,5,4,dtype=torch.int32)
torch.linspace(1,0,4)
torch.linspace(0,1,3,dtype=torch.float64)
torch.linspace(.1,.7,9,dtype=torch.float64)
torch.linspace(torch.tensor(0.),torch.tensor(1.),3)
torch.linspace(start=0,end=1,steps=3,requires_grad=True)
torch.linspace(0,1,100)
torch.linspace(-10,10,37)
torch.logspace(0,2,3)
torch.logspace(-1,1,5)
torch.logspace(0,3,4,base=2)
torch.logspace(0,1,1)
torch.logspace(0,2,5,dtype=torch.float64)
torch.logspace(0,4,5,base=2,dtype=torch.int64)
torch.logspace(0,1,-2)
torch.logspace(-10,10,11)
torch.rand(2,3).shape
torch.rand((2,3)).shape
torch.rand(2,dtype=torch.int64)
torch.randn(2,dtype=torch.int64)
torch.randint(5,(2,)).shape
torch.randint(5,2,(2,))
torch.randint(0,(2,))
torch.randint(0,5,(2,),dtype=torch.float32).dtype
torch.randint(300,(2,),dtype=torch.uint8)
torch.randint(low=0,high=5,size=(2,)).shape
torch.randint(high=5,size=(2,)).shape
torch.randint(0,5,[2]).shape
torch.randint(5,(2,),requires_grad=True)
torch.randperm(-1)
torch.randperm(3,dtype=torch.float32).dtype
torch.bernoulli(torch.tensor([2.]))
torch.bernoulli(torch.tensor([1]))
torch.normal(0.,-1.,(2,))
torch.normal(torch.zeros(2),torch.ones(3))
torch.normal(torch.zeros(2),-1.)
torch.normal(torch.zeros(2),torch.tensor([-1.,1.]))
torch.multinomial(torch.tensor([.5,.5]),3)
torch.multinomial(torch.tensor([-.5,.5]),1)
torch.multinomial(torch.tensor([0.,0.]),1)
torch.multinomial(torch.tensor([1,2]),1)
torch.multinomial(torch.zeros(2,2,2),1)
torch.multinomial(torch.tensor([.5,.5]),0)
torch.multinomial(torch.tensor([float('nan'),.5]),1)
torch.multinomial(torch.tensor([.0,.5]),2)
torch.poisson(torch.tensor([-1.]))
torch.manual_seed(2**64)
torch.Generator
torch.get_rng_state().shape
torch.get_rng_state().dtype
torch.set_rng_state(torch.zeros(3,dtype=torch.uint8))
torch.set_rng_state(torch.zeros(5056))
torch.numel(t)
torch.is_floating_point(t)
torch.Tensor([1,2])
torch.Tensor(2,3).shape
torch.FloatTensor([1,2])
torch.LongTensor([1,2])
torch.LongTensor(range(3))
torch.FloatTensor(deque([1, 2]))
torch.FloatTensor("ab")
torch.Tensor(5).shape
torch.Tensor()
torch.tril_indices(2,2,dtype=torch.int32)
torch.ones(2,3)[0].new_zeros(())
torch.result_type(t,it)
torch.get_default_dtype()
torch.arange(24).view(2,3,4).shape
"""


def outcome(lib, expression):
    """What an expression gives: its repr, or the type and the text of its error."""
    lib.manual_seed(1)
    names = {
        "torch": lib,
        "np": np,
        "deque": deque,
        "a": np.array([1.0, 2.0]),
        "ai": np.array([1, 2], np.int16),
    }
    names |= {"t": lib.arange(6.0).reshape(2, 3), "it": lib.arange(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = eval(expression, names)
        except (ValueError, TypeError, RuntimeError, IndexError, NotImplementedError) as error:
            return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return f"{' '.join(repr(result).split())} {getattr(result, 'dtype', '')}"


@pytest.mark.parametrize("expression", CASES.strip().splitlines())
def test_an_expression_gives_what_pytorch_gives(expression, torch):
    assert outcome(graphlab, expression) == outcome(torch, expression)


def test_a_list_of_arrays_and_a_read_only_array_warn_as_in_pytorch(torch):
    frozen = np.ones(2)
    frozen.flags.writeable = False
    for lib in (graphlab, torch):
        with pytest.warns(UserWarning, match="extremely slow"):
            lib.tensor([np.ones(2), np.ones(2)])
        assert lib.from_numpy(np.ones(2)).tolist() == [1, 1]
    with pytest.warns(UserWarning, match="not writable"):
        graphlab.from_numpy(frozen)


@pytest.mark.parametrize("n", [1, 2, 5, 16, 37, 100, 1001])
@pytest.mark.parametrize("ends", [(0, 1), (-10, 10), (0.1, 0.7), (5, -3), (1e-3, 1e5)], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_linspace_gives_pytorchs_numbers_to_the_last_bit(ends, n, dtype, torch):
    ours, theirs = (lib.linspace(*ends, n, dtype=getattr(lib, dtype)) for lib in (graphlab, torch))
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


@pytest.mark.parametrize("args", [(0, 1, 0.1), (1, 2.5, 0.3), (-1, 1, 1 / 3), (5, 0, -0.7)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_arange_gives_pytorchs_numbers_to_the_last_bit(args, dtype, torch):
    ours, theirs = (
        lib.arange(*args, dtype=getattr(lib, dtype))
        if dtype != "int64" or abs(args[2]) >= 1
        else lib.arange(*args)
        for lib in (graphlab, torch)
    )
    np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
