"""GraphLab's own graph: the modules that read what its nodes and tensors hold.

Stand-ins of PyTorch's nodes hold the same, so a graph of either library is read here.

Read next: adapters/native/graph_copy.py
"""
