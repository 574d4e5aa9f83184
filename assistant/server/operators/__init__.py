"""The operators' part: they see which customers wait, accept conversations, write, and end handoffs.

Begin at `routes.py`, which runs commands, and `websocket.py`; `operator_frames` defines the frames.
"""
