"""The frames of the customers' websocket: what clients send, what the server sends, and its close codes.

``client_frames`` and ``server_frames`` are the source of ``docs/reference/protocol.md``.
"""
