"""A differential fuzz: random calls and programs, run with GraphLab and with PyTorch.

A case is a number: it decides everything about the call, which can be repeated for that reason.
`tests/fuzz/test_fuzz.py` runs some of them, `benchmarks/fuzz.py` as many as one likes.

Read next: tests/fuzz/tensors.py
"""
