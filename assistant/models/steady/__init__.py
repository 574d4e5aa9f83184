"""Patience with providers: asking again, leaving one alone for a while, asking the next one instead."""
