"""A real JupyterLab in a real browser, as a student meets it.

Read next: tests/browser/conftest.py.
"""
