"""Recorded conversations: made from a log, replayed on a virtual clock, and checked.

A `cassette` is one conversation in a YAML file. `recording` makes one, `player` replays it, `checks` compares
the result with what it expects, and `dsl` writes one as a test in Python. Begin with `suite`: it does
everything for one file.
"""
