"""The exercises of the lessons: one file for each notebook.

Read next: faces/exercises/lessons/lesson_01.py
"""
