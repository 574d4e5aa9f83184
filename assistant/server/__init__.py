"""The web server: websockets, HTTP routes and pages. Begin at `app.py`, then `websocket.py`.

`frames` parses a client's frames, `handshake` admits the client, and `frame_handler` handles further frames.
`projector` turns log entries into frames, and `frame_sender` sends them. `operators` serves the company's
agents, `phone` serves calls.
"""
