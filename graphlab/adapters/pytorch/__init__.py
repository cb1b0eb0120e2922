"""PyTorch's own graphs, read into the same trace as GraphLab's.

torch is never imported here: a tensor of torch's that a user hands over is the proof that torch is
loaded. Its graph is copied into stand-ins, nodes of GraphLab's own classes that hold what PyTorch's
nodes hold; from there on adapters/native/ reads them as it reads GraphLab's graphs.

Read next: adapters/pytorch/accessors.py
"""
