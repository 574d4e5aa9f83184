"""The web server: websockets, HTTP routes and pages. Begin at `app.py`, then `websocket.py`.

A client's frames are read by `frames`, admitted by `handshake`, and handled by `frame_handler`; `projector` turns
log entries into frames, and `frame_sender` sends them. `operators` serves the company's people, `phone` calls.
"""
