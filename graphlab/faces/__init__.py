"""What a person sees: the six calls, pictures, proofs, the live widget, the side panel.

Read next: faces/api.py
"""
