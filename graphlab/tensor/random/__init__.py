"""Random numbers: the generator, and what is drawn with it.

Read next: tensor/random/generator.py
"""
