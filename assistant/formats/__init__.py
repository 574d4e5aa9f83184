"""Turns what we know into what a provider reads: formatters, by name."""
