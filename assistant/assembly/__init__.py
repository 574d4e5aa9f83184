"""Builds the parts that the settings name."""
