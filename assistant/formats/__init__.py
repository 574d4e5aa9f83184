"""Turns a neutral request into the request of a provider, and a call's result into words for a model.

Begin with :mod:`assistant.formats.registry`: it finds a formatter by name and says what one is. ``openai``,
``anthropic``, ``grok`` and ``generic`` (litellm) write one wire format each; the other modules are what they share.
"""
