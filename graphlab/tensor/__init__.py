"""What a tensor is, and what can be done with one.

Read next: tensor/tensor.py
"""
