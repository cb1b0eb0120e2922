"""Two graphs beside each other: which nodes are the same, and what differs.

Read next: graph/comparing/value_agreement.py
"""
