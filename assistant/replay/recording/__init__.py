"""Makes a cassette from the log of a conversation, without the customer's personal data.

Begin with `recorder`; `masking` replaces the personal data. Each other module reads one kind of data from the
log, or is part of the masking.
"""
