"""The checker: it compares every gradient that autograd computes with the derivative from calculus.

Operations and their derivative rules also run on SymPy expressions. So the graph gives the formula
of the result, and its backward pass gives a formula of the gradient; SymPy's own derivative of the
first must equal the second.

SymPy is loaded on first use.

Read next: faces/symbolic/check.py
"""
