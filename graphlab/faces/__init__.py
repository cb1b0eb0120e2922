"""What a person sees: the eight calls, pictures, proofs, the live widget, the side panel.

Read next: faces/api.py
"""
