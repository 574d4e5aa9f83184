"""Clients for models. Each implements the port ``Model`` and raises only ``ModelError``.

Begin with ``providers``: it makes a model from its name. ``openai``, ``openai_responses``, ``anthropic`` and
``litellm`` are clients; they share ``http_client`` and ``streamed_reply``. ``hosted_requests`` asks models for
speech and embeddings. ``fallback`` asks the next model if one fails.
``demo`` is the embedded model, ``text_protocol`` is for models without tool calling.
"""
