"""Shapes, joins, splits, picking and putting: values, errors and warnings beside PyTorch's.

Read next: tests/core/test_creation.py
"""

from __future__ import annotations

import warnings

import pytest

import graphlab

pytestmark = pytest.mark.torch

# expressions over a cube x, a mask m, a vector v, an index i and a matrix M
CASES = """
x.view(5,5)
x.flip(True)
x.tile(True)
x.sum_to_size(True)
x.view(-1,-1)
x.view(-2,3)
x.view(7,-1)
x.transpose(0,2).view(-1)
x.reshape(-1,5)
x.reshape(5)
torch.zeros(0,3).view(-1,0)
torch.zeros(0,3).reshape(0,-1)
x.flatten(2,0)
x.flatten(5)
x.unflatten(1,(2,-1))
x.unflatten(0,(1,-1)).shape
x.unflatten(0,())
x.squeeze(5)
x.squeeze((0,0))
x.unsqueeze(5)
x.unsqueeze(-5)
x.transpose(0,3)
x.permute(0,1)
x.permute()
x.permute(0,0,1)
x.permute(0,1,5)
x.t()
x.T
v.mT
v.T
x.expand(2,3)
x.expand(4,3,4)
x.expand(-1,2,3,4)
x.expand(3,-1,3,4).shape
v.expand(2,-2)
x.repeat(2)
x.repeat(-1,1,1)
x.movedim((0,1),(0,))
x.movedim((0,0),(0,1))
x.movedim(0,7)
torch.broadcast_tensors(v,torch.zeros(2))
torch.broadcast_to(v,(2,))
torch.broadcast_shapes((2,3),(3,),(1,3))
torch.broadcast_shapes((2,3),(2,))
torch.cat([])
torch.cat([x,v])
torch.cat([x,x],3)
torch.cat([M,torch.zeros(3,3)],1)
torch.cat([M,torch.zeros(0)]).shape
torch.cat(M).shape
torch.cat([v,v[0]])
torch.cat([v,1])
torch.cat(v)
torch.cat([i,v]).dtype
torch.stack([])
torch.stack([v,M])
torch.stack([v,v],2)
torch.stack([v,i]).dtype
torch.hstack([v,M])
torch.vstack([v,torch.zeros(2)])
torch.dstack([v,v]).shape
torch.dstack([])
torch.column_stack([v,torch.zeros(3,2)]).shape
torch.split(v,-1)
torch.split(v,0)
torch.split(v,[1,1])
torch.split(v,[4,-1])
torch.split(v[0],1)
v.split(2.5)
v.chunk(0)
v.chunk(5)
torch.zeros(0).chunk(3)
v.tensor_split(2)
v.tensor_split((1,2))
v.tensor_split(0)
v.tensor_split(torch.tensor([1,2]))
v.tensor_split(torch.tensor(2))
v[0].tensor_split(2)
v.hsplit(2)
v.hsplit(3)
v[0].hsplit(1)
M.vsplit(2)
M.vsplit(3)
v.vsplit(1)
M.dsplit(1)
x.dsplit((1,3))[1].shape
v.unbind(1)
v[0].unbind()
x.narrow(0,0,3)
x.narrow(0,-3,1)
x.narrow(0,0,-1)
x.narrow(0,3,1)
v[0].narrow(0,0,1)
x.select(0,2)
x.select(3,0)
v[0].select(0,0)
x.index_select(0,torch.tensor([2]))
x.index_select(0,torch.tensor([-1]))
x.index_select(0,torch.tensor([[1]]))
x.index_select(0,torch.tensor([1.]))
x.index_select(0,torch.tensor([1],dtype=torch.int32)).shape
x.index_select(0,[0])
x.gather(0,i)
x.gather(0,torch.zeros(2,4,4,dtype=torch.long))
x.gather(0,torch.full((2,3,4),3))
x.gather(0,torch.full((2,3,4),-1))
x.gather(0,torch.zeros(2,3,4))
M.gather(1,torch.zeros(2,0,dtype=torch.long)).shape
x.scatter(0,i,1.)
x.scatter(0,torch.full((2,3,4),3),1.)
M.scatter(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,1))
M.scatter(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,3))
M.scatter(1,torch.zeros(3,2,dtype=torch.long),torch.zeros(3,3))
M.scatter(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,3,dtype=torch.float64))
M.scatter(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,3),reduce='add')
M.scatter(1,torch.zeros(2,2,dtype=torch.long),2.,reduce='multiply')
M.scatter(1,torch.zeros(2,2,dtype=torch.long),2.,reduce='foo')
M.scatter_add(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,1))
M.scatter_add(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,3,dtype=torch.float64))
M.scatter_add(1,torch.zeros(2,2,dtype=torch.long),1.)
M.scatter_reduce(1,torch.zeros(2,2,dtype=torch.long),torch.zeros(2,3),'foo')
M.scatter_reduce(1,torch.zeros(2,2,dtype=torch.long),torch.ones(2,3),'mean')
M.scatter_reduce(1,torch.zeros(2,2,dtype=torch.long),torch.ones(2,3),'prod',include_self=False)
M.scatter_reduce(1,torch.zeros(2,2,dtype=torch.long),torch.ones(2,3),'amax',include_self=False)
M.scatter_reduce(1,torch.zeros(2,2,dtype=torch.long),torch.ones(2,3),'amin')
torch.tensor([[5,2]]).scatter_reduce(1,torch.tensor([[0,0]]),torch.tensor([[2,2]]),'mean')
x.index_add(0,i,v)
x.index_add(0,torch.tensor([0,5]),x)
x.index_add(0,i,x.double())
x.index_add(0,torch.tensor([[0]]),x)
x.index_add(0,torch.tensor([0.]),x)
M.index_add(0,torch.tensor([0,0,1]),torch.ones(3,3),alpha=2)
M.index_add(0,i,torch.ones(3,3))
M.index_reduce(0,i,torch.ones(3,3),'prod')
M.index_reduce(0,torch.tensor([1,1]),torch.ones(2,3)*3,'mean',include_self=False)
M.index_reduce(0,torch.tensor([1,1],dtype=torch.int32),torch.ones(2,3)*3,'amin')
M.index_reduce(0,torch.tensor([1,1]),torch.ones(2,3),'sum')
M.index_reduce(0,torch.tensor([5,1]),torch.ones(2,3),'amax')
torch.tensor([[7,2]]).index_reduce(1,torch.tensor([0,0]),torch.tensor([[2,2]]),'mean')
torch.tensor(1).index_reduce(0,torch.tensor([0]),torch.tensor(2),'prod')
torch.tensor(1).index_copy(0,torch.tensor(0),torch.tensor([2]))
torch.tensor(1).index_fill(0,torch.tensor([0]),1j)
torch.tensor(1,dtype=torch.uint8).index_fill(0,torch.tensor([0]),-1)
torch.tensor(1,dtype=torch.uint8).index_fill(0,torch.tensor([0]),-300)
torch.unravel_index(torch.tensor([1]),torch.tensor([1,2]))
torch.zeros(2,3,4)[:,1:1,::2].stride()
torch.zeros(0,3).stride()
torch.tensor(3.).index_fill(0,torch.tensor([],dtype=torch.long),1.)
M.scatter_reduce(0,torch.tensor([],dtype=torch.long),torch.ones(2,3),'mean')
x.__delitem__(0)
torch.scatter_add(M,0,torch.tensor([],dtype=torch.long),torch.ones(2,3))
M.index_reduce(0,torch.tensor([0,0]),M,'mean')
M.index_reduce(1,torch.tensor([2,0,2]),M,'prod',include_self=False)
M.index_reduce(1,torch.tensor([2,0],dtype=torch.int32),M[:,:2],'amax')
torch.tensor([7,-4]).index_reduce(0,torch.tensor([1,1]),torch.tensor([2,-2]),'mean')
M.index_reduce(0,torch.tensor([0,0]),M,'sum')
M.index_reduce(0,torch.tensor([0,-1]),M,'mean')
M.index_reduce(0,torch.tensor([0]),M,'mean')
M.index_reduce(0,torch.tensor([0.,1.]),M,'mean')
M.index_reduce(0,torch.tensor([[0]]),M,'mean')
M.index_reduce(0,torch.tensor([0,1]),M.double(),'mean')
torch.tensor(1.).index_copy(0,torch.tensor(0),torch.tensor([2.]))
torch.tensor([1.]).index_copy(0,torch.tensor([0]),torch.tensor(2.))
torch.tensor(1.).index_copy(0,torch.tensor([0]),torch.tensor([2.,3.]))
M.index_copy(0,i,torch.ones(3,3))
M.index_copy(0,i,torch.ones(2,2))
M.index_copy(0,torch.tensor([0,5]),torch.ones(2,3))
M.index_copy(0,torch.tensor([0,1],dtype=torch.int32),torch.ones(2,3))
M.index_copy(0,i,torch.ones(2,3,dtype=torch.float64))
M.index_fill(0,torch.tensor([5]),1.)
M.index_fill(0,torch.tensor([-1]),1.)
M.index_fill(0,torch.tensor([0.]),1.)
M.index_fill(0,torch.tensor([0]),v)
M.index_fill(0,torch.tensor([0]),1j)
(M>2).index_fill(0,torch.tensor([0]),1j)
torch.tensor([3],dtype=torch.uint8).index_fill(0,torch.tensor([0]),-1)
torch.tensor([3]).index_put((torch.tensor([0]),),torch.ones(2))
M.index_put((i,),torch.ones(3))
M.index_put((i,i),torch.ones(2),accumulate=True)
M.index_put((torch.tensor([0,0]),torch.tensor([1,1])),torch.ones(2),accumulate=True)
M.index_put((i,),torch.ones(4))
M.index_put((i,),torch.ones(3,dtype=torch.float64))
M.index_put((M>2,),torch.tensor(9.))
M.index_put((None,i),torch.tensor(9.))
M.take(torch.tensor([0,5]))
M.take(torch.tensor([6]))
M.take(torch.tensor([[-1]]))
M.take(torch.tensor([0.]))
M.take_along_dim(torch.tensor([[1]]),1)
M.take_along_dim(torch.tensor([7,1]))
M.take_along_dim(torch.tensor([2,1]))
M.take_along_dim(torch.tensor([1]),1)
M.take_along_dim(torch.tensor([[1.]]),1)
M.masked_fill(M,1.)
M.masked_fill(m,1.)
M.masked_fill(M>2,v)
M.masked_fill(M>2,1)
torch.tensor([1,2]).masked_fill(torch.tensor([True,False]),1.5)
M.masked_select(M)
M.masked_select(m)
M.masked_select(torch.tensor([True,False,True]))
M.masked_scatter(M>2,torch.ones(2))
M.masked_scatter(M>2,torch.ones(5))
M.masked_scatter(torch.tensor([True,False,True]),torch.arange(9.))
M.masked_scatter(M>2,torch.ones(5,dtype=torch.float64))
M.masked_scatter(M,torch.ones(5))
torch.nonzero(M)
torch.nonzero(M,as_tuple=True)
M.nonzero()
torch.nonzero(v[1])
torch.nonzero(v[1],as_tuple=True)
torch.argwhere(M>2)
torch.argwhere(v[1]).shape
torch.fliplr(v)
torch.flipud(v[0])
M.flip()
torch.nonzero(M,as_tuple=True,out=torch.zeros(1,dtype=torch.long))
torch.nonzero(M,out=torch.zeros(1))
torch.nonzero(M>2,out=torch.zeros(0,dtype=torch.long))
torch.unravel_index(i,torch.tensor([2,3]))
torch.broadcast_shapes((2,1),(1,-3))
torch.broadcast_shapes(2.5)
torch.tensor_split(v,torch.tensor(1.5))
torch.tensor_split(v,torch.tensor([[1]]))
v.tensor_split(torch.tensor([1,2]))
M.narrow(0,torch.tensor(0.),1)
M.narrow(0,torch.tensor([0]),1)
v.sparse_dim(),x.dense_dim()
M.clone().as_strided_((2,2),(1,2),1)
torch.flipud(v)
M.fliplr()
torch.flip(M,(0,0))
M.rot90()
M.rot90(3)
M.rot90(1,(0,0))
M.rot90(1,(0,))
v.rot90()
M.rot90(5,(1,0))
torch.diag(x)
torch.diag(v,1)
torch.diag(M,5)
torch.diag(M,-1)
v.diagonal()
M.diagonal(0,0,0)
M.diagonal(1)
M.diagonal(9)
M.diagonal(-9)
torch.diag_embed(M).shape
torch.diag_embed(v,1)
torch.diag_embed(v,0,0,0)
torch.diag_embed(M,0,0,2).shape
torch.diagflat(M,1).shape
v.unfold(0,2,1)
v.unfold(0,5,1)
v.unfold(0,2,0)
v.unfold(0,-1,1)
v.unfold(1,2,1)
v[0].unfold(0,1,1)
x.as_strided((2,2),(1,2))
x.as_strided((2,2),(1,2),3)
x.as_strided((2,),(1,2))
x.as_strided((50,),(1,))
x.as_strided((2,),(-1,))
torch.tril_indices(3,3)
torch.triu_indices(3,4,1)
torch.tril_indices(3,2,-1)
torch.tril_indices(-1,2)
torch.combinations(v)
torch.combinations(v,3)
torch.combinations(v,2,with_replacement=True)
torch.combinations(v,0)
torch.combinations(v,4).shape
torch.combinations(M)
torch.cartesian_prod(v,i)
torch.cartesian_prod(v)
torch.cartesian_prod(M)
torch.meshgrid(v,i,indexing='ij')
torch.meshgrid(v,i,indexing='xy')
torch.meshgrid([v,i],indexing='ab')
torch.meshgrid(v,v[0],indexing='ij')
torch.block_diag(M,v,v[0])
torch.block_diag(x)
torch.block_diag()
torch.atleast_1d(v[0])
torch.atleast_2d(v[0],v)
torch.atleast_3d(v[0],v,M)[1].shape
torch.moveaxis(x,0,-1).shape
torch.repeat_interleave(v,2)
torch.repeat_interleave(M,2)
torch.repeat_interleave(M,2,1)
torch.repeat_interleave(M,i,0)
torch.repeat_interleave(M,v.long(),1)
torch.repeat_interleave(M,i,1)
torch.repeat_interleave(torch.tensor([1,2,0]))
torch.repeat_interleave(v,torch.tensor([2]))
torch.repeat_interleave(v,-1)
torch.repeat_interleave(v,torch.tensor([1.,2.,3.]))
torch.repeat_interleave(v,torch.tensor([1,2,-3]))
torch.slice_scatter(M,torch.zeros(1,3),0,1)
torch.slice_scatter(M,torch.zeros(2,3),0,1)
torch.select_scatter(M,torch.zeros(3),0,1)
torch.select_scatter(M,torch.zeros(2),0,1)
torch.select_scatter(M,torch.zeros(3),0,5)
torch.diagonal_scatter(M,torch.zeros(2),0)
torch.diagonal_scatter(M,torch.zeros(3),0)
torch.tril(v)
torch.tril(M,5)
torch.roll(M,(1,1),0)
torch.roll(M,1,5)
M.tile(2)
M.tile((2,1,1)).shape
M.ravel()
M.swapaxes(0,1).shape
M.swapdims(0,-1).shape
M.view_as(v)
M.reshape_as(torch.zeros(3,2)).shape
M.expand_as(torch.zeros(4,2,3)).shape
M.adjoint().shape
M.is_contiguous()
M.t().is_contiguous()
M.t().contiguous().stride()
x[:,1:1].stride()
x.transpose(0,2)[:,1:1].stride()
M[:,1:].view(torch.float64)
x.as_strided((2,2,2),(2,1,1)).view(torch.float64)
M.stride()
x.stride(0)
M.storage_offset()
M[1].storage_offset()
torch.narrow(M,1,torch.tensor(1),2)
torch.numel(M)
torch.is_tensor(M)
torch.concat([v,v]).shape
torch.concatenate([v,v],dim=0).shape
torch.concatenate([v,v],axis=0).shape
torch.row_stack([v,v]).shape
torch.swapaxes(M,0,1).shape
torch.select(M,0,1)
torch.ravel(M).shape
torch.unsafe_split(v,1)
torch.unsafe_chunk(v,2)
torch.where(M>1,other=1.)
torch.unsafe_split_with_sizes(v,[1,v.numel()-1])
M.unsafe_split_with_sizes((1,1,1))
torch.adjoint(M).shape
M.unsafe_split(1)[0].shape
M.new_empty(2).shape
torch.flatten(v[0]).shape
M.flatten(start_dim=0).shape
M.squeeze(dim=0).shape
M.unsqueeze(dim=0).shape
M.transpose(dim0=0,dim1=1).shape
M.permute(dims=(1,0)).shape
M.expand(size=(2,3)).shape
M.reshape(shape=(6,)).shape
M.view(size=(6,)).shape
M.repeat(repeats=(1,2)).shape
M.flip(dims=(0,)).shape
M.roll(shifts=1,dims=0)
M.view(torch.Size([6])).shape
M.reshape((6,)).shape
M.reshape([2,-1]).shape
M.view(torch.tensor(6)).shape
M.reshape("a")
v[0].reshape(()).shape
v[0].view([]).shape
M.unflatten(1,[3,1]).shape
M.split(split_size=1)[0].shape
torch.split(M,split_size_or_sections=1)[0].shape
torch.stack(tensors=[v,v]).shape
torch.cat(tensors=[v,v],dim=-1).shape
torch.chunk(M,chunks=2,dim=1)[0].shape
M.gather(dim=1,index=torch.zeros(2,1,dtype=torch.long)).shape
M.scatter(dim=1,index=torch.zeros(2,1,dtype=torch.long),value=7.)
M.scatter(dim=1,index=torch.zeros(2,1,dtype=torch.long),src=torch.ones(2,1))
M.squeeze(()).shape
"""


def tensors(lib):
    x = lib.arange(24.0).reshape(2, 3, 4)
    given = {"x": x, "m": x > 3, "v": lib.arange(3.0), "i": lib.tensor([0, 1])}
    return {"torch": lib, "M": lib.arange(6.0).reshape(2, 3), **given}


def outcome(lib, expression):
    """What an expression gives: its repr, or the type and the first line of its error."""
    names = tensors(lib)
    before = {name: t.tolist() for name, t in names.items() if name != "torch"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = " ".join(repr(eval(expression, dict(names))).split())
        except (ValueError, TypeError, RuntimeError, IndexError, NotImplementedError) as error:
            result = f"{type(error).__name__}: {' '.join(str(error).split())}"
    assert {name: t.tolist() for name, t in names.items() if name != "torch"} == before
    return result


@pytest.mark.parametrize("expression", CASES.strip().splitlines())
def test_an_expression_gives_what_pytorch_gives(expression, torch):
    assert outcome(graphlab, expression) == outcome(torch, expression)


def test_meshgrid_without_indexing_warns_as_pytorch_does(torch):
    for lib in (graphlab, torch):
        with pytest.warns(UserWarning, match="it will be required to pass the indexing argument"):
            lib.meshgrid(lib.arange(2), lib.arange(2))


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("how", ["mean", "prod", "amax", "amin"])
@pytest.mark.filterwarnings("ignore:index_reduce")  # PyTorch says once that it is in beta
def test_slices_that_are_combined_get_pytorchs_gradients(how, own, torch):
    def gradients(lib):
        x = lib.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
        y = lib.tensor([[2.0, 0.5], [4.0, 7.0]], requires_grad=True)
        result = x.index_reduce(1, lib.tensor([2, 0]), y, how, include_self=own)
        (result * lib.arange(6.0).view(2, 3)).sum().backward()
        return x.grad.tolist(), y.grad.tolist()

    assert gradients(graphlab) == gradients(torch)
