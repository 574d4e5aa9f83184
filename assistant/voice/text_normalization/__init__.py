"""Text normalization: turns written text into the words that are spoken. Begin with ``normalize.py``.

``markdown`` and ``tables`` read the document. The other modules turn numbers, dates, amounts, identifiers,
abbreviations and symbols into English words.
"""
