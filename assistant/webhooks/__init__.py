"""Signed requests to other programs about what happens in conversations.

Begin at `delivery.py`: which events a receiver has not got yet follows from the log alone. `client` signs and
sends, `events` are the events of ``ASSISTANT_WEBHOOK_URLS``, `watched_log` notices new entries. The helpdesk of
:mod:`assistant.handoff` is one more receiver.
"""
