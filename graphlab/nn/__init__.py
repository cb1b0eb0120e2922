"""Neural networks: their functions, under PyTorch's names.

Read next: nn/functional.py
"""

from graphlab.nn import functional

__all__ = ["functional"]
