"""`torch.utils.hooks`: the handle that registering a hook returns, and warnings about pickling.

Read next: autograd/hooks.py
"""

from graphlab.autograd.hooks import RemovableHandle, unserializable_hook, warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
