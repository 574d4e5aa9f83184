"""The door: websocket and pages. Frames come in as commands; entries go out as frames."""
