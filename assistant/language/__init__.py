"""One reader for the values in a text: numbers, money, dates, times, identifiers and addresses. Pure functions.

Begin with :mod:`assistant.language.reader`: ``read(text, locale)`` returns the typed values of
:mod:`assistant.language.values` with their positions. Each other module reads one kind; ``numbers`` also
writes
numbers in English words. English and German are always read. The locale only decides how to read notations
that
both languages use with different meanings, such as "1.234" and "3/4/2026".
"""
