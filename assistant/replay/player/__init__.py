"""Replays a cassette on a virtual clock: a scripted customer, models and tools, with the real server.

Begin with `play`. `environment` holds the prompts and tools of a replay.
"""
