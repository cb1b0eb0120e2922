"""The trace: graphs, events and timelines as plain data, without tensors or pixels.

Read next: graph/model.py
"""
