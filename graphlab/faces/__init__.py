"""What a person sees: the eight calls, pictures, proofs, live widgets, exercises, the side panel.

Read next: faces/api.py
"""
