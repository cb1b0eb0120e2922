"""Compare the backward pass with difference quotients: `gradcheck`, `gradgradcheck`.

A function of tensors has a Jacobian for each output and input. It is computed twice, by difference
quotients and by backward passes; when both agree, the rules of all operations on the way are right
at that point.

Read next: autograd/gradcheck_comparisons.py
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graphlab.autograd.backward import grad
from graphlab.autograd.edges import as_tuple, differentiable, requiring
from graphlab.common.errors import GradcheckError, users_level
from graphlab.tensor.tensor import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Return whether the gradients of `func` at `inputs` agree with central differences, or raise.

    func: takes the inputs, gives a tensor or a tuple of them. inputs: a tensor or a tuple; those to
    be checked are float64 with requires_grad. eps: the step of the difference quotient. atol, rtol:
    the allowed |autograd - differences|, absolute and relative to the differences.
    fast_mode: compare one random combination of rows and columns of each Jacobian.
    nondet_tol: how far two backward passes may differ. check_undefined_grad: whether a missing
    gradient must count as zeros. check_grad_dtypes: whether the types of the gradients must match.
    check_backward_ad, check_forward_ad: whether to check the backward pass, and tangents.
    check_batched_grad, masked: as in PyTorch. check_batched_forward_grad: refused.
    Raises: GradcheckError unless `raise_exception` is False, ValueError when no input requires a
    gradient. Source: PyTorch, torch.autograd.gradcheck.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x**2, (x,))
    True
    """
    if check_batched_forward_grad:
        raise NotImplementedError("gradcheck: tangents are not computed in batches")
    if not (check_backward_ad or check_forward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True"
        )
    from graphlab.autograd import gradcheck_comparisons as compare

    given = as_tuple(inputs)
    check_inputs(given)
    try:
        if check_backward_ad:
            outputs = differentiable(func(*given))
            check = compare.combinations_agree if fast_mode else compare.entries_agree
            if outputs:
                check(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes)
            else:
                compare.no_slope(func, given, eps)
            compare.zeros_stay_zeros(func, given)
            if check_undefined_grad and outputs:
                compare.undefined_counts_as_zeros(func, given)
            if check_batched_grad:
                compare.batches_agree(func, given)
        if check_forward_ad:
            compare.tangents_agree(func, given, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Return whether the gradients of the gradients of `func` agree with central differences.

    grad_outputs: what flows into the outputs; random in [-1, 1] when None. The gradients are
    checked as functions of the inputs and of these. gen_non_contig_grad_outputs: without effect.
    func, inputs, eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad and fast_mode:
    as in `gradcheck`; check_grad_dtypes, check_batched_grad, check_fwd_over_rev, check_rev_over_rev
    and masked: as there, for the second derivative.

    >>> import graphlab as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x**3, (x,))
    True
    """
    given = as_tuple(inputs)
    if grad_outputs is None:
        from graphlab.tensor.random.filling import uniform_

        entering = tuple(
            uniform_(t.detach().clone(), -1, 1).requires_grad_()
            for t in differentiable(func(*given))
        )
    else:
        entering = as_tuple(grad_outputs)
    split = len(given)
    wanted = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        outputs = differentiable(func(*args[:split]))
        sources = [args[i] for i in wanted]
        found = grad(outputs, sources, args[split:], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients,
        given + entering,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


def check_inputs(inputs: tuple[Any, ...]) -> None:
    """Raise ValueError when no input requires a gradient. Warns where float64 is missing."""
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor) or not x.requires_grad:
            continue
        if x._data.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex. ",
                UserWarning,
                stacklevel=users_level(),
            )
        if any(step == 0 and n > 1 for step, n in zip(x._data.strides, x.shape, strict=True)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients "
                "correctly. You should call .contiguous on the input before passing it to "
                "gradcheck."
            )
    if not requiring(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
