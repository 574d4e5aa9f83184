"""Tools for tests: virtual time, counted ids, scripted models, fake tools, and a chat."""
