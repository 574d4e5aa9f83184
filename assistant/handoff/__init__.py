"""Handoff backends: how a person of the company is asked to take a conversation over.

Begin at `backends.py` (the built-in inbox); `webhook` connects another program, `chatwoot` is an example of one.
"""
