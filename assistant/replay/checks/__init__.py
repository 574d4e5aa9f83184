"""Checks a replayed conversation against its cassette. No check waits or changes anything.

Begin with `check`: it lists and runs all checks. All read a `transcript` and report a `failure`; `rendering`
shows a failing replay.
"""
