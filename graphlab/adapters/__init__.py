"""Adapters copy a live graph into the neutral trace: one folder for each library.

Read next: adapters/native/graph_copy.py
"""
