"""The data types of a conversation: plain values that all other packages use. Begin with ``entries.py``.

The log of entries is the state. ``state`` and ``turn_state`` are computed from it. ``model_views`` is what
models receive of it, and ``transcript`` what people read.
"""
