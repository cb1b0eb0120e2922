"""What GraphLab refuses to do with a PyTorch tensor, in PyTorch's words and with advice.

Read next: adapters/pytorch/rehearsal.py
"""

from collections.abc import Iterable
from typing import Any

from graphlab.adapters.pytorch.accessors import is_custom, is_tensor, loaded, unpack_hooks_of

NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
# parts of the names of nodes whose rules communicate with other processes
COMMUNICATE = (
    "AllReduce", "AllGather", "AllToAll", "AlltoAll", "ReduceScatter", "Broadcast_", "_Broadcast",
    "SyncBatchNorm", "DDPSink", "RegisterPostBackward", "FSDP", "_Gather", "_Reduce", "_Scatter",
    "_SendRecv", "C10d", "c10d",
)  # fmt: skip


def check_tensor(call: str, tensor: Any) -> None:
    """Raises: RuntimeError for a tensor that has no graph, or none that can be read."""
    functorch = loaded()._C._functorch
    if functorch.is_batchedtensor(tensor):
        raise RuntimeError(
            f"graphlab.{call} got a tensor inside vmap, which stands for one slice of many and has "
            f"no graph of its own; call graphlab.{call} on what vmap returns"
        )
    if functorch.is_gradtrackingtensor(tensor) and not tensor.requires_grad:
        raise RuntimeError(
            f"graphlab.{call} got a tensor inside torch.func.grad, whose graph belongs to that "
            "call; take the gradient with tensor.backward() to see it"
        )
    if not tensor.requires_grad:
        raise RuntimeError(f"{NO_GRAD}: {_why(call, tensor)}")


def _why(call: str, tensor: Any) -> str:
    if tensor.is_inference():
        return (
            "got a tensor made in torch.inference_mode(), which records nothing; compute it "
            f"outside, and call graphlab.{call} on the result"
        )
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return (
            f"got a tensor of dtype {tensor.dtype}, and only floating-point and complex tensors "
            "can require a gradient"
        )
    return (
        "nothing was recorded that leads to it; create its inputs with requires_grad=True, compute "
        f"it outside no_grad() and without detach(), and call graphlab.{call} on the result"
    )


def check_pass(call: str, tensor: Any, gradient: Any) -> None:
    """Check the arguments of a backward pass.

    Raises: TypeError if it is not a PyTorch tensor; RuntimeError in PyTorch's words if it does
    not fit, or if there is none although the tensor has several entries.
    """
    check_tensor(call, tensor)
    if gradient is not None and not is_tensor(gradient):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(gradient).__module__}."
            f"{type(gradient).__name__}; pass a PyTorch tensor, as in "
            f"graphlab.{call}(loss, gradient=torch.ones_like(loss))"
        )
    if gradient is None and tensor.numel() != 1:
        raise RuntimeError(
            "grad can be implicitly created only for scalar outputs: got a tensor of shape "
            f"{list(tensor.shape)}; pass gradient=, a tensor of that shape, or take a sum first"
        )
    if gradient is not None and gradient.shape != tensor.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and output[0] has "
            f"a shape of {tensor.shape}."
        )


def check_nodes(nodes: Iterable[Any]) -> None:
    """Raises: RuntimeError if a rehearsal of these nodes would do more than compute."""
    for node in nodes:
        name = node.name()
        if any(word in name for word in COMMUNICATE):
            raise RuntimeError(
                f"graphlab.trace does not rehearse {name}: its rule communicates with other "
                "processes, which would wait for them; record the real pass instead: with "
                "graphlab.record() as timeline: loss.backward()"
            )
        if is_custom(node) and name == "CheckpointFunctionBackward":
            raise RuntimeError(
                "graphlab.trace does not rehearse a reentrant checkpoint: its backward would write "
                ".grad; use checkpoint(..., use_reentrant=False), or record the real pass: with "
                "graphlab.record() as timeline: loss.backward()"
            )
        if any(hook.__module__ == "torch.utils.checkpoint" for hook in unpack_hooks_of(node)):
            raise RuntimeError(
                "graphlab.trace does not rehearse a checkpoint: each saved tensor would run its "
                "part of the forward pass again; record the real pass: with graphlab.record() as "
                "timeline: loss.backward()"
            )
