"""Handoff backends: ask a person of the company to take over a conversation.

Begin at `backends.py` (the built-in inbox). `webhook` connects another program; `chatwoot` is an example of
such a program.
"""
