"""Text normalization: how written text is spoken. Begin with ``normalize.py``.

``markdown`` and ``tables`` read the document; the other modules turn numbers, dates, amounts, identifiers, short
forms and symbols into English words.
"""
