"""`torch.utils.hooks`: the handle that registering a hook gives.

Read next: autograd/hooks.py
"""

from graphlab.autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
