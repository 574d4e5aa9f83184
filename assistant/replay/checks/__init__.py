"""Checks a conversation that was played against its cassette. Pure: no check waits or keeps state.

Begin with `check`: it lists every check and runs them. `transcript` is what they all read, `failure` what they
report, `rendering` how a failing replay is shown.
"""
