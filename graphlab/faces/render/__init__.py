"""Pictures of a graph, made from the trace alone. They run no code and fetch nothing.

Read next: faces/render/scene_builder.py
"""
