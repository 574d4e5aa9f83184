"""Harbour Inn, a small hotel: the second trade that the benchmark plays, as a company would declare its tools.

* ``books``: the reservations and the bill, in memory, and how days are written.
* ``reservations``: lookups and changes of rooms.
* ``stay``: breakfast, late check-out, the invoice.
* ``documents/``: the rules, in English and German.
"""
