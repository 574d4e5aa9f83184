"""Models that have no tool calling of their own: they write their calls as text.

Begin with ``route``: it asks such a model. ``reading`` reads one reply, ``openings`` finds where calls may begin.
The text formats are in :mod:`assistant.formats.sections`.
"""
