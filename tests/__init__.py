"""What must hold, in sentences: each test's name is one.

Read next: CONTRIBUTING.md.
"""
