"""Calls that a model writes as text: read, run, and their results written as sections."""
