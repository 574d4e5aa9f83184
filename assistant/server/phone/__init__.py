"""Phone calls through Twilio. Begin at `routes.py`, which answers calls, and `websocket.py`, which serves
them.

In a `relay_call` Twilio transcribes and speaks; in a `media_call` this server does both. Both use `call`: the
conversation as the caller hears it, keys, transfer, end.
"""
