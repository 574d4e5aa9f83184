"""Phone calls through Twilio. Begin at `routes.py`, which answers calls, and `websocket.py`, which holds them.

`relay_call` is a call whose speech Twilio transcribes and speaks; `media_call` one whose audio we hear and make.
Both use `call`: the conversation as a caller hears it, keys, transfer, end.
"""
