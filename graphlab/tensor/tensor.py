"""The tensor: its data, whether it needs a gradient, and the node that made it.

The functions that take tensors are in tensor/functions/; tensor/methods.py makes them methods.

Read next: autograd/node.py
"""

import warnings
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlab.autograd.grad_mode import inferring, origin_of_views, state, unusual
from graphlab.autograd.watch import data_assigned, grad_assigned, left_graph, watchers
from graphlab.tensor.sizes import Described
from graphlab.tensor.versions import Rare, Version, behind, next_sequence, reference_to

NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information."
)
NO_DETACH = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
    "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
    "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
    "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)
NOT_WRITABLE = "attribute '{}' of 'torch._C.TensorBase' objects is not writable"


class TensorType(type):
    """The metaclass of Tensor; it prints the class under its public name."""

    def __repr__(cls) -> str:
        text = super().__repr__().replace("graphlab.tensor.tensor.", "torch.")
        return text.replace("graphlab.", "torch.")


class Tensor(Described, metaclass=TensorType):
    """An array that remembers how it was made.

    >>> import graphlab as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    __slots__ = (
        "__dict__",  # attributes that users add; CPython makes it on first use
        "__weakref__",
        "_data",  # np.ndarray, or a NumPy scalar when 0-d
        "_grad",
        "_more",  # a Rare with what few tensors have (version, base, hooks ...), or None
        "_needs",  # requires_grad
        "_node",  # what made it: Node, Output (one of several results), or None for a leaf
        "_read",  # of a leaf, once a number was read out of it: autograd/decisions.py
    )
    _data: Any
    _grad: "Tensor | None"
    _more: Rare | None
    _needs: bool
    _node: Any
    _edge = 0  # LEAF, as autograd/node.py names it: an edge may lead straight to a tensor
    __array_priority__ = 1000  # NumPy leaves `array * tensor` to the tensor

    if TYPE_CHECKING:  # methods that methods.py adds to the class

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> "Tensor": ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __iter__(self) -> Iterator["Tensor"]: ...
        def __add__(self, other: Any) -> "Tensor": ...
        def __sub__(self, other: Any) -> "Tensor": ...
        def __mul__(self, other: Any) -> "Tensor": ...
        def __truediv__(self, other: Any) -> "Tensor": ...
        def __matmul__(self, other: Any) -> "Tensor": ...
        def __pow__(self, other: Any) -> "Tensor": ...
        def __radd__(self, other: Any) -> "Tensor": ...
        def __rsub__(self, other: Any) -> "Tensor": ...
        def __rmul__(self, other: Any) -> "Tensor": ...
        def __neg__(self) -> "Tensor": ...
        def __lt__(self, other: Any) -> "Tensor": ...
        def __le__(self, other: Any) -> "Tensor": ...
        def __gt__(self, other: Any) -> "Tensor": ...
        def __ge__(self, other: Any) -> "Tensor": ...

    # -- its place in the graph ----------------------------------------------------------------

    @property
    def grad_fn(self) -> Any:
        """The node that made this tensor; None for a leaf.

        >>> import graphlab
        >>> (graphlab.ones(2, requires_grad=True) * 2).grad_fn.name()
        'MulBackward0'
        """
        target = self._node
        return target if target is None or hasattr(target, "_next") else target.node

    @grad_fn.setter
    def grad_fn(self, value: Any) -> None:
        raise AttributeError(NOT_WRITABLE.format("grad_fn"))

    @property
    def output_nr(self) -> int:
        """The index of this tensor among the results of its node; 0 for a single result.

        >>> import graphlab
        >>> graphlab.ones(2, requires_grad=True).unbind()[1].output_nr
        1
        """
        return getattr(self._node, "index", 0)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made it: it has no `grad_fn`.

        >>> import graphlab
        >>> graphlab.ones(2, requires_grad=True).is_leaf
        True
        """
        return self._node is None

    @is_leaf.setter
    def is_leaf(self, value: Any) -> None:
        raise AttributeError(NOT_WRITABLE.format("is_leaf"))

    @property
    def requires_grad(self) -> bool:
        """Whether operations on it are recorded for gradients. It can be set for a leaf.

        >>> import graphlab
        >>> (graphlab.ones(2, requires_grad=True) * 2).requires_grad
        True
        """
        return self._needs

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._node is not None:
            hint = (
                ""
                if value
                else " If you want to use a computed variable in a subgraph that doesn't require "
                "differentiation use var_no_grad = var.detach()."
            )
            raise RuntimeError("you can only change requires_grad flags of leaf variables." + hint)
        if value and not self.is_floating_point():
            raise RuntimeError(
                "only Tensors of floating point and complex dtype can require gradients"
            )
        self._change_needs(value)

    def _change_needs(self, value: bool) -> None:
        if value and self.is_inference() and not state.inference:
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed."
            )
        self._set_needs(bool(value))

    def _set_needs(self, value: bool) -> None:
        """Set `requires_grad` of a leaf, and of its views that were made without a graph."""
        more = self._more
        if more is not None and more.base_needs:
            more.base_needs = not value
            return
        self._needs = value
        if more is None or more.version is None:
            return
        for reference in more.version.views:
            view: Any = reference()
            if view is None or view._base is not self or own_node.__get__(view) is not None:
                continue
            if view._more.base_needs or value > own_needs.__get__(view):
                view._needs = view._more.base_needs = value

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Set `requires_grad`, and return the tensor itself.

        >>> import graphlab
        >>> graphlab.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
        if not requires_grad:
            self.requires_grad = False
        elif own_node.__get__(self) is None:  # what a graph made requires a gradient already
            if not self.is_floating_point():
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            self._change_needs(True)
        return self

    @property
    def grad(self) -> "Tensor | None":
        """The accumulated gradient; None before the first backward pass.

        >>> import graphlab
        >>> graphlab.ones(2, requires_grad=True).grad is None
        True
        """
        if self._grad is None and self._node is not None and not self.retains_grad:
            warnings.warn(NOT_A_LEAF, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if value is not None:
            from graphlab.tensor.sizes import check_grad

            check_grad(self, value, Tensor)
        before, self._grad = self._grad, value
        if watchers:
            grad_assigned(self, before)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def retains_grad(self) -> bool:
        """Whether a result keeps its gradient, because of `retain_grad()`.

        >>> import graphlab
        >>> (graphlab.ones(2, requires_grad=True) * 2).retains_grad
        False
        """
        return self._more is not None and self._more.retains_grad

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor too, although it is not a leaf.

        >>> import graphlab
        >>> y = graphlab.tensor(2.0, requires_grad=True) * 3
        >>> y.retain_grad()
        >>> (y * y).backward()
        >>> y.grad
        tensor(12.)
        """
        if not self._needs:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._node is None or self.retains_grad:
            return
        self._rare().retains_grad = True
        self.grad_fn.retain(self.output_nr, weakref.ref(self))

    # -- memory --------------------------------------------------------------------------------

    def _rare(self) -> Rare:
        if self._more is None:
            self._more = Rare()
        return self._more

    @property
    def _version(self) -> int:
        more = self._more
        if more is not None and more.inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if more is None or more.version is None else more.version.count

    @property
    def _base(self) -> "Tensor | None":
        return None if self._more is None else self._more.base

    def is_inference(self) -> bool:
        """Return whether it was made in inference mode; then no node may save it.

        >>> import graphlab
        >>> with graphlab.inference_mode():
        ...     graphlab.ones(2).is_inference()
        True
        """
        return self._more is not None and self._more.inference

    def _is_view(self) -> bool:
        return self._base is not None

    def _version_counter(self) -> Version:
        """Return the counter of changes in place, shared with every view; made on first use."""
        more = self._rare()
        if more.version is None:
            more.version = Version()
            if self._node is not None:
                self._node.watch(more.version)
        return more.version

    def _become_view(self, of: "Tensor", one_of_many: bool = False) -> None:
        """Mark this tensor as a view of the tensor `of`; autograd/views.py says what follows."""
        more, shared = self._more or self._rare(), of._more or of._rare()
        version = more.version = shared.version or of._version_counter()
        if shared.inference:
            more.inference = True
            self._needs, self._node = False, None
            return
        more.inference = False
        base = more.base = of if shared.base is None else shared.base
        more.origin = shared.origin
        if (unusual or one_of_many) and shared.origin != "inference":
            more.origin = (origin_of_views(one_of_many) if unusual else "many") or shared.origin
        if self._data.dtype.kind == "f":
            if self._node is None and not self._needs and base._needs:  # not recorded
                self._needs = more.base_needs = True
            version.add(self)

    def detach(self) -> "Tensor":
        """Return a tensor in the same memory, outside the graph.

        >>> import graphlab
        >>> graphlab.ones(2, requires_grad=True).detach().requires_grad
        False
        """
        new = self.data
        more = new._rare()
        more.version, more.cut = self._version_counter(), reference_to(self)
        if watchers:
            left_graph(new, (self,), "detach()")
        return new

    def detach_(self) -> "Tensor":
        """Take the tensor itself out of the graph. Raises: RuntimeError when it is a view.

        >>> import graphlab
        >>> (graphlab.ones(2, requires_grad=True) * 2).detach_()
        tensor([2., 2.])
        """
        if state.inference:
            return self  # as in PyTorch, which changes no history here
        if self._base is not None:
            raise RuntimeError(NO_DETACH)
        if self._node is not None:
            self._version_counter()  # told to its node
            self._rare().detached += 1
        self._node = None
        self._set_needs(False)
        return self

    @property
    def data(self) -> "Tensor":
        """The same memory, outside the graph, with a version counter of its own.

        >>> import graphlab
        >>> graphlab.ones(2, requires_grad=True).data
        tensor([1., 1.])
        """
        share_memory(self)
        new = wrap(self._data, False, None)
        new._version_counter().changed = self._version_counter().changed
        (more := new._rare()).inference = self.is_inference()
        if self._needs:
            node = own_node.__get__(self)
            more.read = ((weakref.ref(self),) if node is None else behind(node),)
        return new

    @data.setter
    def data(self, new: "Tensor") -> None:
        from graphlab.tensor.sizes import check_data

        check_data(self, new, Tensor)
        share_memory(new)
        if self._data is not new._data:  # other tensors keep the memory
            self._rare().moved = next_sequence()
        self._data = new._data
        data_assigned(self)


# The slots themselves: reading the attribute of a `Stale` view would renew its history.
own_node: Any = Tensor.__dict__["_node"]
own_needs: Any = Tensor.__dict__["_needs"]


def wrap(data: Any, needs: bool, node: Any, _new: Any = object.__new__) -> Tensor:
    """Return a tensor around raw data, as an operation makes it."""
    tensor = _new(Tensor)
    tensor._data, tensor._needs, tensor._node = data, needs, node
    tensor._grad = tensor._more = None
    if inferring:
        tensor._more = made_in_this_mode()
    return tensor


def made_in_this_mode() -> Rare | None:
    """Return the Rare of a tensor that is made in inference mode; None in any other mode."""
    more = Rare() if state.inference else None
    if more is not None:
        more.inference = True
    return more


def share_memory(tensor: Tensor) -> None:
    """Hold 0-d data in an array, which other tensors can share, instead of in a scalar."""
    if isinstance(tensor._data, np.generic):
        tensor._data = np.array(tensor._data)
