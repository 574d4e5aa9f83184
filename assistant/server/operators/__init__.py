"""The operators' side: they see which customers wait, accept conversations, write, and end handoffs.

Begin at `routes.py`, which carries out commands, and `websocket.py`; `operator_frames` defines the frames.
"""
