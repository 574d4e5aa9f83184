"""Makes a cassette from the log of a conversation, without the personal data of the customer.

Begin with `recorder`; `masking` replaces the personal data. The other modules read one thing each from the log, or
help to mask.
"""
