"""The proof: every gradient that autograd made, beside the derivative that calculus gives.

The derivative rules are read a third time, against SymPy. A graph then says which formula it
computes, and its backward pass says which formula it believes to be the gradient; SymPy's own
derivative of the first must be the second.

SymPy is imported in this folder alone, and loaded on first use.

Read next: faces/symbolic/exact_primitives.py
"""
