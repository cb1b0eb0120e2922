"""`torch.utils.hooks`: the handles of hooks, and warnings about pickling tensors with hooks.

Read next: autograd/hooks.py
"""

from graphlab.autograd.hooks import RemovableHandle, unserializable_hook, warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
