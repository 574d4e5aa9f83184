"""Applies today's rules to past conversations, without a model and without side effects.

Begin with ``conversation``, which processes one conversation. ``rules`` is the only module that calls the
rules of the live turn. ``findings`` defines what can be found, and what cannot be checked. ``log`` processes
a whole log, with one process for each processor.
"""
