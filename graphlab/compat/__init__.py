"""PyTorch's modules beside the core. `graphlab.linalg` is compat/linalg.py: this folder is on the
package's search path, so that every import path that PyTorch has works here too.

Read next: compat/linalg.py
"""
