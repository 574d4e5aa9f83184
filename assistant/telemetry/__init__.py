"""What an operator sees: metrics, traces, and which conversation a log line is about.

Begin with ``observer.py``: metrics and traces of a conversation are computed from its log entries, after they
are stored. ``metrics.py`` lists every metric, ``traces.py`` sends spans, ``process.py`` measures the process
itself, and ``context.py`` knows which turn and which call the running code works for. Only ``context.py`` is
imported while metrics and traces are off.
"""
