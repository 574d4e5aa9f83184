"""Live conversations. Begin at ``session.py``: it takes messages and tells its listeners.

``worker`` takes the turns, ``tool_tasks`` runs the calls, ``recorder`` writes the log, ``summaries`` works in the
background, ``handoff`` brings a person in. ``session_registry`` opens each conversation once.
"""
