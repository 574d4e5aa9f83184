"""Adapters to models: each offers the port ``Model`` and raises ``ModelError`` alone.

Begin with ``providers``: it makes the model of a name. ``openai``, ``anthropic``, ``xai`` and ``litellm`` are
clients; ``http_client`` and ``streamed_reply`` are what they share. ``fallback`` asks the next model if one fails.
``demo`` is the embedded model, ``text_protocol`` is for models without tool calling.
"""
