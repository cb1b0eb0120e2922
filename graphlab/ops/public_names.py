"""The public names of operations, derived from their classes, so that no class is loaded early.

`python -m tests.core.public_names --update` writes the table, public_names.txt; a test compares it
with the classes.

Read next: tensor/functions/from_ops.py
"""

from graphlab.common.exports import read_table

# name -> (module of ops/, what it is: function, method, in_place, out)
PUBLIC = {
    name: (module, kinds)
    for kinds, modules in read_table("ops").items()
    for module, names in modules.items()
    for name in names.split()
}
