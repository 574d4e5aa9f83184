"""The data types of a conversation: plain values that all other packages use. Begin with ``entries.py``.

The log of entries is the state. ``state`` and ``turn_state`` are computed from it. ``model_views`` makes the
views for models, and ``transcript`` the text for people.
"""
