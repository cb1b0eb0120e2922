"""Import the package whole, before pytest imports the modules whose doctests were asked for.

`graphlab.tensor` is a folder of modules, and a function. pytest, when it imports a module of that
folder first, would put the folder in the place of the function.
"""

import graphlab  # noqa: F401
