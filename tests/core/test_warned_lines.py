"""Every warning names the user's line, however the function was called."""

import warnings

import numpy as np
import pytest

import graphlab as torch


def a_scalar():
    return torch.tensor(1.0)


def a_read_only_array():
    array = np.ones(2)
    array.flags.writeable = False
    return array


class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.saved_variables  # noqa: B018
        return grad


def decorate():
    @torch.no_grad()
    class Decorated:
        pass


def backward_of_identity():
    Identity.apply(torch.ones(1, requires_grad=True)).backward()


def write_to_an_expanded_tensor():
    torch.zeros(1).expand(2)[torch.tensor([0])] = 1.0


W = torch.ones(2, requires_grad=True)
WARNED = {
    "a class in no_grad": decorate,
    "gradcheck": lambda: torch.autograd.gradcheck(
        lambda x: x * 2, torch.ones(1, requires_grad=True), atol=1, eps=1e-2
    ),
    "volatile": lambda: torch.autograd.Variable(torch.ones(1), volatile=True),
    "grad_variables": lambda: torch.autograd.backward(
        [(W * 1).sum()], grad_variables=[torch.tensor(1.0)]
    ),
    "only_inputs": lambda: torch.autograd.grad((W * 1).sum(), W, only_inputs=False),
    "an instance of a Function": Identity,
    "saved_variables": backward_of_identity,
    "anomaly mode": torch.autograd.detect_anomaly,
    "an expanded tensor": write_to_an_expanded_tensor,
    "grad of a result": lambda: (W * 1).grad,
    "tensor of a tensor": lambda: torch.tensor(torch.ones(1)),
    "new_tensor of a tensor": lambda: torch.ones(1).new_tensor(torch.ones(1)),
    "a read-only array": lambda: torch.from_numpy(a_read_only_array()),
    "as_tensor of a read-only array": lambda: torch.as_tensor(a_read_only_array()),
    "a nested list as an index": lambda: torch.ones(2, 2)[[[0, 1], [0, 1]]],
    "writing at a nested list": lambda: torch.ones(2, 2).__setitem__([[0, 1], [0, 1]], 1.0),
    "bytes as an index": lambda: torch.ones(2)[torch.tensor([1, 0], dtype=torch.uint8)],
    "bytes in a tuple": lambda: torch.ones(2, 2)[:, torch.tensor([1, 0], dtype=torch.uint8)],
    "writing at bytes": lambda: torch.ones(2).__setitem__(
        torch.tensor([1, 0], dtype=torch.uint8), 2.0
    ),
    "a resized out": lambda: torch.add(torch.ones(2), 1, out=torch.ones(3)),
    "a resized out of cat": lambda: torch.cat([torch.ones(2)], out=torch.ones(3)),
    "a resized out of svd": lambda: torch.linalg.inv(torch.eye(2), out=torch.ones(3)),
    "scatter with reduce": lambda: torch.zeros(2).scatter(
        0, torch.tensor([0]), torch.ones(1), reduce="add"
    ),
    "scatter_ with reduce": lambda: torch.zeros(2).scatter_(
        0, torch.tensor([0]), torch.ones(1), reduce="add"
    ),
    "std of one": lambda: torch.std(torch.ones(1)),
    "var of one": lambda: torch.ones(1).var(),
    "std_mean of one": lambda: torch.std_mean(torch.ones(1)),
    "cov of one": lambda: torch.cov(torch.ones(1, 1)),
    "cross": lambda: torch.cross(torch.ones(3), torch.ones(3)),
    "the method cross": lambda: torch.ones(3).cross(torch.ones(3)),
    "T of a number": lambda: a_scalar().T,
    "mT of a number": lambda: a_scalar().mT,
    "mH of a number": lambda: a_scalar().mH,
    "H of a number": lambda: a_scalar().H,
    "T of three dimensions": lambda: torch.ones(1, 1, 1).T,
    "float": lambda: float(torch.ones(1, requires_grad=True)),
    "meshgrid": lambda: torch.meshgrid(torch.ones(1), torch.ones(1)),
    "triangular_solve": lambda: torch.triangular_solve(torch.ones(1, 1), torch.ones(1, 1)),
    "lu_solve": lambda: torch.lu_solve(torch.ones(1, 1), *torch.linalg.lu_factor(torch.eye(1))),
    "chain_matmul": lambda: torch.chain_matmul(torch.ones(1, 1), torch.ones(1, 1)),
    "a list of arrays": lambda: torch.tensor([np.ones(1), np.ones(1)]),
    "as_tensor of arrays": lambda: torch.as_tensor([np.ones(1), np.ones(1)]),
    "new_tensor of arrays": lambda: torch.ones(1).new_tensor([np.ones(1)]),
    "create_graph": lambda: (W * W).sum().backward(create_graph=True),
    "mse_loss": lambda: torch.nn.functional.mse_loss(torch.ones(2, 1), torch.ones(2)),
    "size_average": lambda: torch.nn.functional.l1_loss(W, W, size_average=True),
    "softmax without dim": lambda: torch.nn.functional.softmax(W),
    "a scheduler before its optimizer": lambda: torch.optim.lr_scheduler.StepLR(
        torch.optim.SGD([W], 0.1), 1
    ).step(),
}


@pytest.mark.parametrize("name", WARNED)
def test_a_warning_names_the_users_line(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WARNED[name]()
    assert caught
    assert {warning.filename for warning in caught} == {__file__}
