"""One reader for the values in a text: numbers, money, dates, times, identifiers and addresses. Pure
functions.

Begin with :mod:`assistant.language.reader`: ``read(text, locale)`` returns the typed values of
:mod:`assistant.language.values` with their positions. Each other module reads one kind. English and German
are always understood; the locale decides only ambiguous notations, such as "1.234" and "3/4/2026".
"""
