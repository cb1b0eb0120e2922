"""The primitives for NumPy arrays: the fast forward and backward pass.

Read next: primitives/numpy_reading/elementary.py
"""
