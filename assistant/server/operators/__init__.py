"""What operators use: they see who wants a person, take conversations over, write, and give back.

Begin at `websocket.py` and `routes.py`; `operator_frames` has what is sent, `command_handler` what is done.
"""
