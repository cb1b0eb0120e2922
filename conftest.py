"""Import the package whole, before pytest imports the modules whose doctests were asked for.

`graphlab.tensor` is a folder of modules, and a function. pytest, when it imports a module of that
folder first, would put the folder in the place of the function.
"""

import pytest

import graphlab


@pytest.fixture(scope="session", autouse=True)
def torch_of_the_examples(doctest_namespace):
    """In an example `torch` is GraphLab: help() shows the import, the source leaves it out."""
    doctest_namespace["torch"] = graphlab
