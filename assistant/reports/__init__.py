"""Reports: how conversations ended, per tenant and day, as data.

Begin at `facts.py`: the facts of one conversation, from its log. `summary` adds them up.
"""
