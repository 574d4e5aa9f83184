"""Checks a replayed conversation against its cassette. Pure: no check waits or keeps state.

Begin with `check`: it lists and runs all checks. All read a `transcript` and report a `failure`; `rendering`
shows a failing replay.
"""
