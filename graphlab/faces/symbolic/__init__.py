"""The checker: it compares every gradient that autograd computes with the derivative of calculus.

The derivative rules run on SymPy expressions. So a graph shows the formula that it computes, and
its backward pass shows the formula that it takes for the gradient; SymPy's own derivative of the
first must equal the second.

SymPy is imported in this folder only, and loaded on first use.

Read next: faces/symbolic/check.py
"""
