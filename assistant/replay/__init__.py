"""Recorded conversations: made from a log, played on a virtual clock, and checked.

A `cassette` is one conversation in a YAML file. `recording` makes one, `player` plays it, `checks` compares what
came with what it expects, and `dsl` writes one as a test in Python. Begin with `suite`: it does it all for a file.
"""
