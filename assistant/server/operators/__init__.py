"""What operators use: they see who wants a person, take conversations over, write, and give back.

Begin at `routes.py`, which executes commands, and `websocket.py`; `operator_frames` has what is sent.
"""
