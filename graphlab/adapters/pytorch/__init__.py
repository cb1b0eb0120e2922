"""PyTorch's own graphs, read into the same trace as GraphLab's.

torch is never imported here: when a user passes a torch tensor, torch is loaded already. Its graph
is copied into stand-ins, which are GraphLab nodes with the values of PyTorch's nodes;
adapters/native/ reads them as it reads GraphLab's graphs.

Read next: adapters/pytorch/accessors.py
"""
