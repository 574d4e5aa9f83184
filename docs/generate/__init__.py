"""Writes the files that say again what the code says: ``python -m docs.generate``."""
