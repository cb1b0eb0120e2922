"""The primitives for tensors: recorded operations, which is all that `create_graph=True` needs.

A rule that calls these is recorded, operation by operation, so its result can be differentiated.
Importing this package fills `tensor_primitives`; autograd/tensor_reading.py imports it when the
first such pass begins.

Read next: primitives/tensor_reading/elementary.py
"""

from graphlab.autograd.tensor_reading import tensor_primitives
from graphlab.primitives.table import FAMILIES, complete, module_of

for _name, _family in FAMILIES.items():
    for _primitive in _family.own.split():
        tensor_primitives[_primitive] = getattr(module_of("tensor_reading", _name), _primitive)
complete(tensor_primitives)
