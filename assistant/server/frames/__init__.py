"""The frames of the customers' websocket: what clients send, what the server sends, and why it closes.

``client_frames`` and ``server_frames`` are the protocol that ``docs/reference/protocol.md`` is generated from.
"""
