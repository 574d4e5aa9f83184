"""Adapters to where entries are kept: memory, and one file on disk."""
