"""Plays a cassette on a virtual clock: a customer, models and tools that do what it says, against the real server.

Begin with `play`. `environment` holds the prompts and tools that a cassette is played on.
"""
