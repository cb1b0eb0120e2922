"""The neutral middle: graphs, events and timelines as data that knows no tensor, no pixel.

Read next: graph/model.py
"""
