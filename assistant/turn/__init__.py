"""The story of one customer message, and its stages. Begin with ``turn.py``."""
