"""Tools for tests: virtual time, counted ids, scripted models."""
