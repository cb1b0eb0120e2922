"""Adapters copy a live graph into the neutral trace: one file for each library.

Read next: adapters/native.py
"""
