"""`nn.DataParallel`: on one processor it only calls its module.

Read next: nn/containers.py
"""

from typing import Any

from graphlab.nn.layer import Layer
from graphlab.nn.module import Module


class DataParallel(Layer):
    """Call a module; PyTorch would divide each batch among several GPUs.

    module: Module
    device_ids, output_device: None, or names of devices; without effect here.
    dim: int, the dimension of the batch, without effect here; default 0.

    Shapes: those of the module.

    >>> DataParallel(torch.nn.Linear(2, 1))(torch.ones(3, 2)).shape
    torch.Size([3, 1])
    """

    module: Module

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
