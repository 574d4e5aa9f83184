"""Applies today's rules to past conversations, without a model and without side effects.

Begin with ``conversation``, which goes through one conversation. ``rules`` is the one place that calls the rules of
the live turn. ``findings`` says what can be found, and what cannot be checked. ``log`` goes through a whole log, in
as many processes as there are processors.
"""
