"""Two graphs are compared: which nodes correspond, and what differs.

Read next: graph/comparing/node_matching.py
"""
