"""Cassettes as files: read with every mistake in its line, written so that people like to read them."""
