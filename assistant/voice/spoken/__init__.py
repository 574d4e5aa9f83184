"""The spoken form: what is written, as it is said aloud, piece by piece."""
