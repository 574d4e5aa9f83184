"""Runs tasks against a model, several times each, and says how often it did what it should."""
