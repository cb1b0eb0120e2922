"""Pictures of a graph: every one is made from the trace alone, and none can run or fetch anything.

Read next: faces/render/scene_builder.py
"""
