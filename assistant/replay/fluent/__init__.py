"""Conversations written in Python: the same as in files, asserted line by line."""
