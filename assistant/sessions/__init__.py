"""Live conversations. Begin at ``session.py``: it accepts messages and notifies its listeners.

``worker`` takes the turns, ``tool_tasks`` runs the calls, ``recorder`` writes the log, ``summaries`` works in
the background, ``handoff`` connects an agent. ``session_registry`` opens each conversation once.
"""
