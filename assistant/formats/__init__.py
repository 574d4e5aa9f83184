"""Turns a neutral request into a provider's request, and a call's result into text for a model.

Begin with :mod:`assistant.formats.registry`: it defines a formatter and finds one by name. ``openai``,
``anthropic``, ``grok`` and ``generic`` (litellm) write one wire format each; the other modules are shared.
"""
