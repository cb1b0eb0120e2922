"""PyTorch's modules beside the core: `graphlab.linalg` is compat/linalg.py.

This folder is on the search path of the package, so that PyTorch's import paths work here.

Read next: compat/linalg.py
"""
