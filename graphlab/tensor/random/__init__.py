"""Random numbers: the generator, and what is drawn with it.

Read next: tensor/random/generator.py
"""

from threading import local


class Draws(local):
    """How often this thread has drawn from the default generator, which all threads share."""

    count = 0


draws = Draws()
