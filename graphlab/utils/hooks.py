"""`torch.utils.hooks`: the handle that registering a hook gives, and what is said of pickling.

Read next: autograd/hooks.py
"""

from graphlab.autograd.hooks import RemovableHandle, unserializable_hook, warn_if_has_hooks

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
